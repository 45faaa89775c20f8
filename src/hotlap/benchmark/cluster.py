"""How throughput of one training grows with env runners: measured with a few, modelled beyond, and labelled so."""

import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from hotlap.benchmark.report import describe_machine
from hotlap.errors import ConfigError
from hotlap.evaluation.table import console_for_results, empty_table
from hotlap.scaleout.cluster import joined
from hotlap.scaleout.rllib.algorithm import check_fit, make_algorithm
from hotlap.scaleout.rllib.learning import iterate
from hotlap.scaleout.rllib.places import Cluster
from hotlap.training.config import TrainConfig, load_preset
from hotlap.training.session import open_session

MODELLED = (4, 8, 16, 32, 64)
WARM_UP = 1


@dataclass(frozen=True)
class Share:
    """Where the time of one iteration goes, with so many env runners; seconds."""

    env_runners: int
    steps: int
    learn_s: float
    """In the learner."""
    drive_s: float
    """All the rest: until every runner has got the new weights, has driven its part, and has said what it saw."""

    @property
    def steps_per_s(self) -> float:
        """Environment steps of the whole training in a second."""
        return self.steps / (self.learn_s + self.drive_s)


def run_cluster_benchmark(preset: str, runners: Sequence[int], iterations: int, address: str, *, as_json: bool) -> int:
    """Measure, model, print."""
    config = load_preset(preset)
    if iterations < 1 or not runners:
        raise ConfigError("there is nothing to measure: give --iterations 1 or more, and some --runners.")
    for count in runners:
        check_fit(config, Cluster(env_runners=count))
    here = measure_here(config, iterations)
    measured = [measure(config, Cluster(address, count), iterations) for count in runners]
    modelled = [model(measured[0], count) for count in MODELLED if count > max(runners)]
    if as_json:
        rows = {"here": _plain(here), "measured": [*map(_plain, measured)], "modelled": [*map(_plain, modelled)]}
        sys.stdout.write(json.dumps({"machine": describe_machine(), "preset": preset, **rows}) + "\n")
        return 0
    table = empty_table(f"{preset} on RLlib", ("steps/s", "driving, s", "learning, s", ""))
    for shares, label in (([here], "without Ray, measured"), (measured, "measured"), (modelled, "modelled")):
        for share in shares:
            times = (f"{share.drive_s:.3f}", f"{share.learn_s:.3f}")
            table.add_row(f"{share.env_runners} env runners", f"{share.steps_per_s:,.0f}", *times, label)
    console_for_results().print(table)
    return 0


def measure(config: TrainConfig, cluster: Cluster, iterations: int) -> Share:
    """The mean of some iterations after the first, which also starts things."""
    with joined(cluster.address, 1 + cluster.env_runners):
        algorithm, session = make_algorithm(config, cluster), open_session(config)
        learner = Stopwatch(algorithm.learner_group.update)
        algorithm.learner_group.update = learner
        whole = Stopwatch(iterate)
        try:
            for _ in range(WARM_UP + iterations):
                whole(algorithm, session)
        finally:
            algorithm.stop()
    whole_s, learn_s = (sum(watch.seconds[WARM_UP:]) / iterations for watch in (whole, learner))
    return Share(cluster.env_runners, config.cars * config.ppo.n_steps, learn_s, whole_s - learn_s)


def measure_here(config: TrainConfig, iterations: int) -> Share:
    """The same in one process, by the loop of a training without Ray."""
    model: Any = open_session(config).model
    steps = config.cars * config.ppo.n_steps
    model.train = learner = Stopwatch(model.train)
    whole = Stopwatch(model.learn)
    for _ in range(WARM_UP + iterations):
        whole(steps, reset_num_timesteps=False)
    whole_s, learn_s = (sum(watch.seconds[WARM_UP:]) / iterations for watch in (whole, learner))
    return Share(0, steps, learn_s, whole_s - learn_s)


class Stopwatch:
    """A function that notes how long each of its calls took."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.seconds: list[float] = []

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Call it."""
        began_s = time.monotonic()
        result = self.function(*arguments, **options)
        self.seconds.append(time.monotonic() - began_s)
        return result


def model(one: Share, count: int) -> Share:
    """Amdahl's law: driving is shared by all runners, each on a core of its own, and learning by nobody."""
    return Share(count, one.steps, one.learn_s, one.drive_s * one.env_runners / count)


def _plain(share: Share) -> dict[str, Any]:
    return {**asdict(share), "steps_per_s": round(share.steps_per_s, 1)}
