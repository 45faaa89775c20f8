"""An evaluation place by place, each track or density by itself: in other processes here, or on other machines."""

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from hotlap.evaluation.measures import Evaluation
from hotlap.evaluation.request import EvaluationConfig
from hotlap.evaluation.sources import DriverSource, scripted_drivers
from hotlap.evaluation.world_evaluation import Request, Say, checked, evaluate_driver, evaluation_of
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.progress import say_no_more, tracked
from hotlap.systems import usable_cores

PLACES_WORTH_PROCESSES = 4
"""With fewer of them, starting processes takes longer than it saves."""


def evaluate_here(requests: Sequence[Request], say: Say) -> Iterator[Evaluation]:
    """One driver after the other on this machine; many places of one on all cores."""
    for source, config in requests:
        evaluation = evaluation_of(source.world)
        places = evaluation.split(checked(config, source), source)
        if len(places) < PLACES_WORTH_PROCESSES or len(usable_cores()) == 1:
            yield evaluate_driver(source, config, say)
        else:
            say(f"driving {source.name} in {len(places)} places")
            yield evaluation.joined(drive_on_all_cores(source, places), config)


def travelling(source: DriverSource) -> tuple[DriverSource, bytes | None]:
    """A driver as it goes elsewhere: its source, and its policy, or None where it is scripted."""
    policy = None if source.about["kind"] == "scripted" else Path(source.about["path"]).read_bytes()
    return replace(source, make=_absent), policy


def drive_place(source: DriverSource, policy: bytes | None, config: EvaluationConfig) -> Evaluation:
    """One place, wherever this runs."""
    make = scripted_drivers()[source.name][1] if policy is None else _always(OnnxPolicy(policy, world=None))
    driver = replace(source, make=make)
    result: Evaluation = evaluation_of(source.world).evaluate(driver, config, _quiet, with_others=True)
    return result


def drive_on_all_cores(source: DriverSource, places: Sequence[EvaluationConfig]) -> list[Evaluation]:
    """Every place, as many at a time as there are cores; the figures are those of one process."""
    workers = min(len(usable_cores()), len(places))
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, spawned, initializer=_leave_all_but_driving_to_the_starter) as pool:
        try:
            driven = [pool.submit(drive_place, *travelling(source), place) for place in places]
            results = (each.result() for each in driven)
            return list(tracked(results, len(driven), "places", f"driving {source.name}"))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                process.terminate()
            raise


def _leave_all_but_driving_to_the_starter() -> None:
    """It hears of signals, and shows how far all are."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    say_no_more()


def _always(policy: OnnxPolicy) -> Callable[[Any], OnnxPolicy]:
    return lambda _where: policy


def _absent(_where: Any) -> Any:
    """In place of a driver while its source travels: compiled code and sessions of onnxruntime cannot."""
    raise NotImplementedError


def _quiet(_words: str) -> None:
    """Whoever sent the driver tells about it."""
