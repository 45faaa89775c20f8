"""How throughput of one training on RLlib grows with env runners: `python -m benchmarks.ray_runners`."""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import tyro

from hotlap.benchmark.report import describe_machine
from hotlap.errors import ConfigError
from hotlap.evaluation.table import console_for_results, empty_table
from hotlap.scaleout.cluster import joined
from hotlap.scaleout.places import Cluster
from hotlap.scaleout.rllib.algorithm import check_fit, make_algorithm
from hotlap.scaleout.rllib.learning import iterate
from hotlap.training.config import TrainConfig, load_preset
from hotlap.training.session import open_session

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


@dataclass(frozen=True)
class RunnersMeasurement:
    """What to measure."""

    preset: str = "racer-ppo"
    """A preset that learns with PPO, or a .toml file."""
    runners: tuple[int, ...] = (1, 2)
    """Numbers of env runners to measure; each needs a core of its own to mean anything."""
    iterations: int = 5
    """Iterations of each to average over, after one that starts things."""
    address: str = ""
    """HOST:PORT of the cluster; by default one is made of this machine."""
    json: bool = False
    """Print one JSON object instead of a table."""

    def __post_init__(self) -> None:
        """Something is measured."""
        if self.iterations < 1 or not self.runners:
            raise ConfigError("there is nothing to measure: give --iterations 1 or more, and some --runners.")


def run_runners_benchmark(wanted: RunnersMeasurement) -> int:
    """Measure and print."""
    config = load_preset(wanted.preset)
    for count in wanted.runners:
        check_fit(config, Cluster(env_runners=count))
    here = measure_here(config, wanted.iterations)
    places = [Cluster(wanted.address, env_runners=count) for count in wanted.runners]
    on_ray = [measure(config, place, wanted.iterations) for place in places]
    if wanted.json:
        rows = {"here": _plain(here), "on_ray": [*map(_plain, on_ray)]}
        print(json.dumps({"machine": describe_machine(), "preset": wanted.preset, **rows}))
        return 0
    table = empty_table(f"{wanted.preset} on RLlib", ("steps/s", "driving, s", "learning, s"))
    for share in (here, *on_ray):
        name = f"{share.env_runners} env runners" if share.env_runners else "one process, without Ray"
        table.add_row(name, f"{share.steps_per_s:,.0f}", f"{share.drive_s:.3f}", f"{share.learn_s:.3f}")
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


def _plain(share: Share) -> dict[str, Any]:
    return {**asdict(share), "steps_per_s": round(share.steps_per_s, 1)}


if __name__ == "__main__":
    sys.exit(run_runners_benchmark(tyro.cli(RunnersMeasurement)))
