"""How throughput of one training grows with env runners: measured with a few, modelled beyond, and labelled so."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from hotlap.benchmark.report import describe_machine
from hotlap.errors import ConfigError
from hotlap.evaluation.table import console_for_results, empty_table
from hotlap.scaleout.cluster import joined
from hotlap.scaleout.rllib.algorithm import check_fit, make_algorithm
from hotlap.scaleout.rllib.places import Cluster
from hotlap.training.config import TrainConfig, load_preset

MODELLED = (4, 8, 16, 32, 64)
WARM_UP = 1


@dataclass(frozen=True)
class Share:
    """Where the time of one iteration goes, with so many env runners; seconds."""

    env_runners: int
    steps: int
    drive_s: float
    """Until every runner has driven its part."""
    rest_s: float
    """Learning, and handing weights and statistics round."""

    @property
    def steps_per_s(self) -> float:
        """Environment steps of the whole training in a second."""
        return self.steps / (self.drive_s + self.rest_s)


def run_cluster_benchmark(preset: str, runners: Sequence[int], iterations: int, address: str, *, as_json: bool) -> int:
    """Measure, model, print."""
    config = load_preset(preset)
    if iterations < 1 or not runners:
        raise ConfigError("there is nothing to measure: give --iterations 1 or more, and some --runners.")
    for count in runners:
        check_fit(config, Cluster(env_runners=count))
    measured = [measure(config, Cluster(address, count), iterations) for count in runners]
    modelled = [model(measured[0], count) for count in MODELLED if count > max(runners)]
    if as_json:
        rows = {"measured": [*map(_plain, measured)], "modelled": [*map(_plain, modelled)]}
        sys.stdout.write(json.dumps({"machine": describe_machine(), "preset": preset, **rows}) + "\n")
        return 0
    table = empty_table(f"{preset} on RLlib", ("steps/s", "driving, s", "the rest, s", ""))
    for shares, label in ((measured, "measured here"), (modelled, "modelled")):
        for share in shares:
            times = (f"{share.drive_s:.3f}", f"{share.rest_s:.3f}")
            table.add_row(f"{share.env_runners} env runners", f"{share.steps_per_s:,.0f}", *times, label)
    console_for_results().print(table)
    return 0


def measure(config: TrainConfig, cluster: Cluster, iterations: int) -> Share:
    """The mean of some iterations after the first, which also starts things."""
    with joined(cluster.address, 1 + cluster.env_runners):
        algorithm = make_algorithm(config, cluster)
        try:
            results = [algorithm.train() for _ in range(WARM_UP + iterations)][WARM_UP:]
        finally:
            algorithm.stop()
    whole_s = sum(result["time_this_iter_s"] for result in results) / iterations
    drive_s = sum(result["timers"]["env_runner_sampling_timer"] for result in results) / iterations
    return Share(cluster.env_runners, config.cars * config.ppo.n_steps, drive_s, whole_s - drive_s)


def model(one: Share, count: int) -> Share:
    """Amdahl's law: driving is shared by all runners, each on a core of its own, and the rest by nobody."""
    return Share(count, one.steps, one.drive_s * one.env_runners / count, one.rest_s)


def _plain(share: Share) -> dict[str, Any]:
    return {**asdict(share), "steps_per_s": round(share.steps_per_s, 1)}
