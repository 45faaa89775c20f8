"""The options of measurements that have many, each declared once: as help, and as what is checked and measured."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro

from hotlap.bridge import DEFAULT_URL
from hotlap.checkpoints.names import RUNS
from hotlap.errors import ConfigError

Learner = Literal["hotlap", "sb3"]
Device = Literal["auto", "cpu", "cuda"]
MOST_KM = 1e9
MOST_ROADS = 100_000


@dataclass(frozen=True)
class SafetyOptions:
    """What `hotlap benchmark highway-safety` drives."""

    km: float = 10_000.0
    """How far all of them together drive."""
    seed: int = 0
    """Seed of the traffic, 0 or more."""
    roads: int = 512
    """Roads in one batch, 1 to 100,000."""
    policy: tuple[str, ...] = ()
    """Drivers that mean well to drive too: runs, .onnx files, or expert, cruise, random, zero."""
    impolite: bool = False
    """Half of the other drivers tailgate, brake hard, cut in or mean no good."""
    threads: int | None = None
    """Cores to use; by default all."""
    root: Path = RUNS
    """Folder that holds the runs."""
    json: bool = False
    """Print one JSON list instead of a table."""

    def __post_init__(self) -> None:
        """Refuse what cannot be driven."""
        if not 0.0 < self.km <= MOST_KM:
            raise ConfigError(f"--km must be above 0 and at most {MOST_KM:g}, not {self.km}.")
        if not 1 <= self.roads <= MOST_ROADS or self.seed < 0:
            raise ConfigError(
                f"--roads must be from 1 to {MOST_ROADS} and --seed not negative, not {self.roads} and {self.seed}."
            )
        if self.threads is not None and self.threads < 1:
            raise ConfigError(f"--threads must be 1 or more, not {self.threads}.")


@dataclass(frozen=True)
class BridgeMeasurement:
    """What `hotlap benchmark bridge` measures."""

    steps: int = 5000
    """Round trips to measure, 1 or more."""
    target: float = 2000.0
    """Steps per second that must be reached; below it the command exits with 1."""
    warmup: int = 200
    """Round trips before the clock starts."""
    url: str = DEFAULT_URL
    """Where the server listens."""
    spawn: bool = False
    """Start a server for the measurement, and measure a bare echo with the same libraries beside it."""
    cars: int = 1024
    """Cars in the batch, 1 to 4096; 0 leaves the batch out."""
    train: int = 0
    """With --spawn: also train PPO for so many steps, in this process and through the bridge, and compare."""
    json: bool = False
    """Print one JSON object instead of a table."""

    def __post_init__(self) -> None:
        """Refuse what measures nothing."""
        if self.steps < 1 or self.warmup < 0 or self.cars < 0 or self.train < 0:
            raise ConfigError("steps must be at least 1; warmup, cars and train at least 0.")


@dataclass(frozen=True)
class TrainRequest:
    """What `hotlap benchmark train` compares."""

    preset: tyro.conf.Positional[str] = "racer-ppo"
    """racer-ppo, racer-sac, racer-generalist, race-ppo, gt-ppo, gt-generalist, gt-race-ppo, highway-ppo, highway-sac,
    highway-dqn, or a .toml file of your own."""
    seeds: tuple[int, ...] = (0,)
    """One training for each."""
    learners: tuple[Learner, ...] = ("hotlap",)
    """Who learns, of PPO presets: one after the other with the same settings, to compare them."""
    devices: tuple[Device, ...] = ("auto",)
    """Where hotlap's learner learns, to compare: the cores, an NVIDIA GPU, or a GPU where there is one."""
    steps: int | None = None
    """Environment steps of each training; by default the preset's."""
    json: bool = False
    """Print one JSON object instead of tables."""


@dataclass(frozen=True)
class SuiteRequest:
    """Which part of the suite `hotlap suite` does, and where."""

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
