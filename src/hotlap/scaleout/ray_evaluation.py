"""Evaluations spread over a cluster: each driver at each track or density a task, put together as if driven here."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hotlap.evaluation.measures import Evaluation
from hotlap.evaluation.request import EvaluationConfig
from hotlap.evaluation.sources import DriverSource, scripted_drivers
from hotlap.evaluation.world_evaluation import Request, Say, checked, evaluation_of
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.scaleout.cluster import joined


def evaluate_on_ray(requests: Sequence[Request], say: Say, *, address: str) -> list[Evaluation]:
    """What `evaluate_here` gives, driven wherever the cluster has room: nothing depends on where."""
    places = [evaluation_of(source.world).split(checked(config, source), source) for source, config in requests]
    with joined(address) as ray:
        count, names = sum(map(len, places)), ", ".join(source.name for source, _ in requests)
        say(f"driving {names} in {count} places on {len(ray.nodes())} machines")
        drive = ray.remote(num_cpus=1, max_retries=3)(drive_place)
        # Every driver's places are under way before anything is waited for.
        driven = [
            [drive.remote(replace(source, make=_absent), policy_bytes(source), place) for place in of_one]
            for (source, _), of_one in zip(requests, places, strict=True)
        ]
        results = [ray.get(of_one) for of_one in driven]
    return [
        evaluation_of(source.world).joined(of_one, config)
        for (source, config), of_one in zip(requests, results, strict=True)
    ]


def policy_bytes(source: DriverSource) -> bytes | None:
    """A policy as it travels, since the machines that drive need not see its file; None for a scripted driver."""
    return None if source.about["kind"] == "scripted" else Path(source.about["path"]).read_bytes()


def drive_place(source: DriverSource, policy: bytes | None, config: EvaluationConfig) -> Evaluation:
    """One place, on whatever machine this runs."""
    make = scripted_drivers()[source.name][1] if policy is None else _always(OnnxPolicy(policy, world=None))
    driver = replace(source, make=make)
    result: Evaluation = evaluation_of(source.world).evaluate(driver, config, _quiet, with_others=True)
    return result


def _always(policy: OnnxPolicy) -> Callable[[Any], OnnxPolicy]:
    return lambda _where: policy


def _absent(_where: Any) -> Any:
    """In place of a driver while its source travels: sessions of onnxruntime cannot."""
    raise NotImplementedError


def _quiet(_words: str) -> None:
    """Nobody listens on the machines of a cluster."""
