"""The options of `hotlap benchmark …` and of `hotlap suite`."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import tyro

from hotlap.benchmark.options import SafetyOptions


@dataclass(frozen=True)
class EnvBenchmark:
    """Measure the worlds: batch ticks per second, single-env steps per second, reset, start-up and memory per car."""

    cars: int = 2048
    """Cars in the batch, 1 to a million; the rates are steady from about a thousand."""
    ticks: int = 100
    """Ticks each car drives in one measurement, 1 or more."""
    repeats: int = 20
    """Measurements of each kind; the best is reported, as the least disturbed."""
    peers: bool = False
    """Measure other driving environments in the same run and print the ratios; needs `pip install "hotlap[peers]"`."""
    json: bool = False
    """Print one JSON object instead of a table."""

    def run(self) -> int | None:
        """Measure and print."""
        from hotlap.benchmark.env import run_env_benchmark

        return run_env_benchmark(**asdict(self))


@dataclass(frozen=True)
class HighwayBenchmark:
    """Measure the highway world: decisions per second with no, few and many vehicles around, supervisor on."""

    roads: int = 512
    """Roads in the batch, each with its ego, 1 to 100,000."""
    decisions: int = 50
    """Decisions each ego drives in one measurement, 1 or more; a decision is four ticks of 0.05 s."""
    repeats: int = 20
    """Measurements of each kind; the best is reported, as the least disturbed."""
    json: bool = False
    """Print one JSON object instead of a table."""

    def run(self) -> int | None:
        """Measure and print."""
        from hotlap.benchmark.highway import run_highway_benchmark

        return run_highway_benchmark(self.roads, self.decisions, self.repeats, self.json)


@dataclass(frozen=True)
class RaceBenchmark:
    """Measure races: ticks of cars per second in grids of 1, 2, 8 and 20, contact and what drivers see included."""

    cars: int = 960
    """Cars of all grids together, 1 to a million."""
    ticks: int = 60
    """Ticks of one measurement, 1 or more."""
    repeats: int = 20
    """Measurements of each kind; the best is reported, as the least disturbed."""
    json: bool = False
    """Print one JSON object instead of a table."""

    def run(self) -> int | None:
        """Measure and print."""
        from hotlap.benchmark.race import run_race_benchmark

        return run_race_benchmark(self.cars, self.ticks, self.repeats, self.json)


@dataclass(frozen=True)
class GpuBenchmark:
    """Drive both worlds on an NVIDIA GPU and here with the same actions: speed, and exit 1 if they do not agree."""

    cars: int = 131_072
    """Cars, and an eighth as many roads, in the measurement of speed, 1024 to a million; the comparison takes 1,024."""
    ticks: int = 100
    """Ticks or decisions of one measurement, 1 or more."""
    repeats: int = 5
    """Measurements of each kind; the best is reported, as the least disturbed."""
    json: bool = False
    """Print one JSON object instead of a table."""

    def run(self) -> int | None:
        """Measure and print."""
        from hotlap.benchmark.gpu import run_gpu_benchmark

        return run_gpu_benchmark(**asdict(self))


@dataclass(frozen=True)
class HighwaySafety(SafetyOptions):
    """Drive hostile, random and sleeping drivers through traffic with the supervisor on; exit 1 if one was at fault."""

    def run(self) -> int | None:
        """Drive and print the figures."""
        from hotlap.benchmark.highway_safety import run_highway_safety

        return run_highway_safety(self)


@dataclass(frozen=True)
class TrainBenchmark:
    """Measure learning: steps per second end to end, the world's share of the time, and how good the driver is."""

    preset: tyro.conf.Positional[str] = "racer-ppo"
    """racer-ppo, racer-sac, racer-generalist, race-ppo, gt-ppo, gt-generalist, highway-ppo, highway-sac, highway-dqn,
    or a .toml file of your own."""
    seeds: tuple[int, ...] = (0,)
    """One training for each."""
    learners: tuple[Literal["hotlap", "sb3"], ...] = ("hotlap",)
    """Who learns, of PPO presets: one after the other with the same settings, to compare them."""
    devices: tuple[Literal["auto", "cpu", "cuda"], ...] = ("auto",)
    """Where hotlap's learner learns, to compare: the cores, an NVIDIA GPU, or a GPU where there is one."""
    steps: int | None = None
    """Environment steps of each training; by default the preset's."""
    json: bool = False
    """Print one JSON object instead of tables."""

    def run(self) -> int:
        """Train, measure, print."""
        from hotlap.benchmark.train import TrainRequest, run_train_benchmark

        request = TrainRequest(self.preset, self.seeds, self.learners, self.devices, self.steps)
        return run_train_benchmark(request, as_json=self.json)


@dataclass(frozen=True)
class RunSuite:
    """Compare learning algorithms on a fixed, versioned set of tasks; the same command resumes it or adds to it."""

    folder: tyro.conf.Positional[Path] = Path("suite-v1")
    """The folder for the runs, results.json and results.html."""
    tasks: tuple[str, ...] = ()
    """Tasks to do: classic, gt, generalist, race, highway; by default all of them, which takes many hours."""
    algorithms: tuple[str, ...] = ()
    """Algorithms to compare: ppo, ppo-taught, sac, dqn; by default all that a task has."""
    seeds: int = 5
    """Trainings of each algorithm on each task."""
    steps: int | None = None
    """Steps of every training, to try it out; by default those of the presets, which numbers to cite have."""
    workers: int = 1
    """Trainings at a time, each with its share of the cores; with one for each core a suite is done soonest."""
    json: bool = False
    """Print one JSON object instead of tables."""

    def run(self) -> int:
        """Train, evaluate, sum up."""
        from hotlap.benchmark.suite.run_suite import SuiteRequest, run_suite

        request = SuiteRequest(self.folder, self.tasks, self.algorithms, self.seeds, self.steps, self.workers)
        return run_suite(request, as_json=self.json)
