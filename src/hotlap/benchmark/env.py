"""`hotlap benchmark env`: measure the racing world on this machine, and other driving environments beside it."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from hotlap.benchmark import peers as yardsticks
from hotlap.benchmark import racer
from hotlap.benchmark.report import BatchRate, Findings, check_sizes, describe_machine, print_json, print_tables
from hotlap.progress import say as tell
from hotlap.progress import waiting

CASES = (("track-01", "classic"), ("track-02", "classic"), ("track-03", "classic"), ("track-01", "full"))
MOST = {"cars": 1_000_000, "ticks": 1_000_000, "repeats": 1000}
SINGLE_STEPS = 20_000
RESETS = 2000
PEER_SECONDS = 0.5
STARTS = 5


def run_env_benchmark(*, cars: int, ticks: int, repeats: int, peers: bool, json: bool) -> int:
    """Measure everything and print it: progress to stderr, the result to stdout."""
    settings = {"cars": cars, "ticks": ticks, "repeats": repeats}
    check_sizes(settings, MOST)
    findings = measure(settings, with_peers=peers, say=tell)
    (print_json if json else print_tables)(findings)
    return 0


@contextmanager
def turn(what: str, say: Callable[[str], Any]) -> Iterator[None]:
    """One measurement: `say` is told what it is, and a terminal for how long it takes."""
    say(f"{what} …")
    with waiting(what):
        yield


def measure(settings: dict[str, int], *, with_peers: bool, say: Callable[[str], Any]) -> Findings:
    """Every measurement in turn; `say` is told what comes next."""
    repeats = settings["repeats"]
    batches = [_batch(track, layout, settings, say) for track, layout in CASES]
    with turn("many cars as a Gymnasium VectorEnv", say):
        vector_env = racer.vector_env_rate(settings["cars"], settings["ticks"], repeats)
    with turn("one car", say):
        single, reset = racer.single_rate(SINGLE_STEPS, repeats), racer.reset_us(RESETS, repeats)
    with turn("starting a new process, kernels cached", say):
        warm = racer.best(racer.start_up_s(cold=False) for _ in range(min(repeats, STARTS)))
    with turn("starting a new process, compiling every kernel", say):
        cold = racer.start_up_s(cold=True)
    state, everything = racer.bytes_per_car("classic")
    found, missing = _peers(repeats, say) if with_peers else ([], [])
    return Findings(
        machine=describe_machine(),
        settings=settings,
        batches=batches,
        vector_env_steps_per_s=vector_env,
        env_steps_per_s=single,
        env_reset_us=reset,
        start_up_warm_s=warm,
        start_up_cold_s=cold,
        state_bytes_per_car=state,
        all_bytes_per_car=everything,
        peers=found,
        peers_missing=missing,
    )


def _batch(track: str, layout: str, settings: dict[str, int], say: Callable[[str], Any]) -> BatchRate:
    rates = []
    for threads in (1, os.cpu_count() or 1):
        case = racer.BatchCase(track, layout, settings["cars"], threads)
        cores = f"{threads} of {os.cpu_count()} cores"
        with turn(f"{settings['cars']:,} cars on {track}, {layout} observation, {cores}", say):
            rates.append(racer.batch_rate(case, settings["ticks"], settings["repeats"]))
    return BatchRate(track, layout, *rates)


def _peers(repeats: int, say: Callable[[str], Any]) -> tuple[list[yardsticks.PeerRate], list[str]]:
    """What the installed yardsticks reach, and the names of the others."""
    here = [peer for peer in yardsticks.PEERS if yardsticks.installed(peer)]
    missing = [peer.ids[0] for peer in yardsticks.PEERS if peer not in here]
    found = []
    for peer in here:
        with turn(peer.ids[0], say):
            found += yardsticks.measure_peers([peer], PEER_SECONDS, repeats)
    return found, missing
