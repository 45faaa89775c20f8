"""What a training run is: every choice in one frozen tree, filled from a preset and the command line."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from hotlap.errors import ConfigError, did_you_mean
from hotlap.racer.config import RacerConfig
from hotlap.settings import merged, read_toml

DEFAULT_PRESET = "racer-ppo"


@dataclass(frozen=True)
class RacerSettings:
    """The racing world to train in."""

    tracks: tuple[str, ...] = ("track-01",)
    """Names, files, generated:SEED:DIFFICULTY or generated:FIRST-LAST:DIFFICULTY; each episode draws one of them."""
    observation: Literal["classic", "full"] = "classic"
    """What the driver sees: the classic fourteen numbers, or the layout that works on any track."""
    start: Literal["grid", "gate", "random"] = "random"
    """Where episodes begin; random starts show the learner every part of the lap."""
    action_delay: Literal["0", "1", "random"] = "random"
    """Ticks between deciding and acting; random draws 0 or 1 per episode, as in a browser."""
    config: RacerConfig = field(default_factory=RacerConfig)
    """Reward weights and episode limits to train with."""


@dataclass(frozen=True)
class NetworkSettings:
    """The policy's network; the value networks have the same shape."""

    hidden: tuple[int, ...] = (64, 64)
    """Units of each hidden layer."""
    activation: Literal["relu", "tanh", "elu"] = "relu"
    """Between the layers."""
    log_std_init: tuple[float, ...] = (-1.0, -0.7, -0.7)
    """Logarithm of the first spread of each of a PPO policy's actions; SAC learns its own."""
    initial_action: tuple[float, ...] = (0.0, 0.6, 0.0)
    """What an untrained PPO policy does on average: with some throttle it sees the road from the first tick."""


@dataclass(frozen=True)
class PpoSettings:
    """Proximal policy optimisation."""

    n_steps: int = 64
    """Ticks each car drives between two updates."""
    batch_size: int = 4096
    """Samples in one gradient step."""
    n_epochs: int = 8
    """Passes over the collected samples in one update."""
    learning_rate: float = 2e-3
    """Adam's step size at the beginning."""
    learning_rate_end: float = 1e-4
    """Adam's step size at the end; in between it falls in a straight line."""
    gamma: float = 0.985
    """Discount per tick."""
    gae_lambda: float = 0.99
    """Trade-off between bias and variance of the advantage."""
    clip_range: float = 0.2
    """How far an update may move the policy."""
    ent_coef: float = 0.0
    """Weight of the entropy bonus."""
    vf_coef: float = 0.5
    """Weight of the value loss."""
    max_grad_norm: float = 0.5
    """Longest gradient."""


@dataclass(frozen=True)
class SacSettings:
    """Soft actor-critic."""

    buffer_size: int = 300_000
    """Transitions kept for replay."""
    learning_starts: int = 5_000
    """Random steps before the first update."""
    batch_size: int = 256
    """Samples in one gradient step."""
    train_freq: int = 1
    """Ticks of all cars between two rounds of updates."""
    gradient_steps: int = 1
    """Gradient steps in one round."""
    learning_rate: float = 7.3e-4
    """Adam's step size at the beginning."""
    learning_rate_end: float = 7.3e-4
    """Adam's step size at the end."""
    tau: float = 0.02
    """How fast the target networks follow."""
    gamma: float = 0.98
    """Discount per tick."""
    ent_coef: str = "auto"
    """Temperature: a number, `auto`, or `auto_0.1` to begin elsewhere."""


@dataclass(frozen=True)
class CheckpointSettings:
    """What is kept on disk, and when."""

    every_seconds: float = 60.0
    """Save when this much time has passed since the last save, 0 for never by time."""
    every_steps: int = 0
    """Save when this many steps were made since the last save, 0 for never by steps."""
    keep_last: int = 3
    """How many of the newest to keep; the best is always kept."""


@dataclass(frozen=True)
class EvaluationSettings:
    """Measuring the driver while it learns, with the same evaluation that judges it afterwards."""

    every_steps: int = 400_000
    """Steps between two evaluations, 0 for only at the end."""
    tracks: tuple[str, ...] = ()
    """Tracks to drive; empty for the ones trained on, up to three."""


@dataclass(frozen=True)
class TrainConfig:
    """A training run."""

    world: Literal["racer"] = "racer"
    """The world to train in."""
    algorithm: Literal["ppo", "sac"] = "ppo"
    """How it learns."""
    steps: int = 2_400_000
    """Environment steps in all, every car counted."""
    cars: int = 256
    """Cars driven at once."""
    seed: int = 0
    """Same seed, same run; another seed, another run."""
    torch_threads: int = 1
    """Threads torch computes with; small networks are fastest with one."""
    normalize: bool = True
    """Scale observations and rewards by their running statistics."""
    racer: RacerSettings = field(default_factory=RacerSettings)
    network: NetworkSettings = field(default_factory=NetworkSettings)
    ppo: PpoSettings = field(default_factory=PpoSettings)
    sac: SacSettings = field(default_factory=SacSettings)
    checkpoint: CheckpointSettings = field(default_factory=CheckpointSettings)
    evaluation: EvaluationSettings = field(default_factory=EvaluationSettings)

    def __post_init__(self) -> None:
        """Counts that cannot work are refused before anything starts."""
        for name in ("steps", "cars", "torch_threads"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1, not {getattr(self, name)}.")
        if not self.racer.tracks:
            raise ConfigError("racer.tracks must name at least one track.")


def preset_names() -> list[str]:
    """Every preset, by name."""
    folder = files("hotlap.training") / "presets"
    return sorted(item.name.removesuffix(".toml") for item in folder.iterdir() if item.name.endswith(".toml"))


def load_preset(name: str) -> TrainConfig:
    """A preset by name, or a TOML file of one's own by its path."""
    if name.endswith(".toml"):
        return merged(TrainConfig(), read_toml(Path(name)), name)
    if name not in preset_names():
        known = preset_names()
        raise ConfigError(f'no preset "{name}".{did_you_mean(name, known)} Known: {", ".join(known)}.')
    return merged(TrainConfig(), read_toml(Path(str(files("hotlap.training") / "presets" / f"{name}.toml"))), name)


def config_document(config: TrainConfig) -> dict[str, Any]:
    """The configuration as JSON can hold it."""
    return dataclasses.asdict(config)


def config_from_document(document: Mapping[str, Any]) -> TrainConfig:
    """The configuration a run was started with."""
    return merged(TrainConfig(), document, "config")
