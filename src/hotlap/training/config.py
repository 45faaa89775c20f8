"""What a training run is: every choice in one frozen tree, filled from a preset and the command line."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from hotlap.errors import ConfigError, did_you_mean
from hotlap.highway.config import HighwayConfig
from hotlap.highway.missions import MissionChoice
from hotlap.highway.physics import MOST_VEHICLES
from hotlap.race.config import RaceConfig
from hotlap.racer.config import RacerConfig
from hotlap.settings import check_ranges, merged, read_toml
from hotlap.training.interval import Interval, parse_interval
from hotlap.worlds import registered

DEFAULT_PRESET = "racer-ppo"
GPU_TABLE = "cuda"
"""What a preset changes where it is learned on a GPU."""
TINY = 1e-12
MANY = 10**9
SHARE = (0.0, 1.0)
COUNT = (1, MANY)
RATE = (TINY, 1e6)
DRIVE_STEPS = (100, 1_000_000)
"""What an evaluation can leave a car for its laps."""
MOST_UNITS = 8192
MOST_LAYERS = 32
MOST_WEIGHTS = 1 << 22
"""Half of what a policy file may store: the other layers take their part."""
NUMBERS_PER_SAMPLE = 64
MOST_NUMBERS = 1 << 31
"""In the buffers of a learner: 8 GiB of float32."""
MOST_CARS = 1_000_000
MOST_SEED = 2**31


@dataclass(frozen=True)
class RacerSettings:
    """The racing world to train in."""

    tracks: tuple[str, ...] = ("track-01",)
    """Names, files, generated:SEED:DIFFICULTY or generated:FIRST-LAST:DIFFICULTY; each episode draws one of them."""
    observation: Literal["classic", "full", "grip", "grip-car"] = "classic"
    """What the driver sees: the classic fourteen numbers, or the layout that works on any track; of a car with grip
    grip, or grip-car with the numbers of the car."""
    car: tuple[str, ...] = ("classic",)
    """The classic car, or cars with grip: names or files; each episode draws one of them."""
    car_spread: float = 0.0
    """How far the numbers of cars with grip are drawn around those named, as a share of them, 0 to 0.3."""
    car_draws: int = 1
    """How many cars are drawn around each of those named."""
    assists: Literal["off", "on", "traction-control", "anti-lock"] = "off"
    """What helps the driver of a car with grip."""
    start: Literal["grid", "gate", "random"] = "random"
    """Where episodes begin; random starts show the learner every part of the lap."""
    action_delay: Literal["0", "1", "random"] = "random"
    """Ticks between deciding and acting; random draws 0 or 1 per episode, as in a browser."""
    config: RacerConfig = field(default_factory=RacerConfig)
    """Reward weights and episode limits to train with."""

    def __post_init__(self) -> None:
        """Cars that are still cars."""
        check_ranges(self, "racer.", car_spread=(0.0, 0.3), car_draws=(1, 1000))


@dataclass(frozen=True)
class HighwaySettings:
    """The highway to train on."""

    vehicles: tuple[int, int] = (0, 30)
    """Fewest and most vehicles around the ego, 0 to 40; each episode draws a number between them."""
    missions: MissionChoice = "mixed"
    """Missions of an episode: all kinds in turn, or one kind only."""
    pedals: Literal["one", "two"] = "one"
    """What PPO and SAC learn: throttle and brake as the two ends of one pedal, or each for itself."""
    supervisor: bool = False
    """Whether the rules that make any action safe also guard the learner; without them it learns to be safe itself."""
    config: HighwayConfig = field(default_factory=HighwayConfig)
    """Road, reward weights and episode limits to train with."""

    def __post_init__(self) -> None:
        """As many vehicles as a road can have."""
        fewest, most = self.vehicles
        if not 0 <= fewest <= most <= MOST_VEHICLES:
            raise ConfigError(
                f"highway.vehicles must be from 0 to {MOST_VEHICLES}, the fewest first, not {fewest} and {most}."
            )


@dataclass(frozen=True)
class RaceTrainingSettings:
    """Races to train in; tracks, observation, car and assists are those of the racer's settings."""

    cars: int = 8
    """Cars of a grid, 1 to 20."""
    learners: int = 4
    """How many of them learn; the others are opponents."""
    opponents: tuple[str, ...] = ("line-75", "line-85", "line-90", "line-95")
    """Who drives the others, in turn: line-50 to line-100, policy files, or past for past selves of the learner. Then
    half of the grids hold only the newest policy."""
    start: Literal["standing", "rolling", "spread"] = "spread"
    """How races start; spread shows the learner every part of the lap."""
    config: RaceConfig = field(default_factory=RaceConfig)
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
    log_std_end: tuple[float, ...] = ()
    """Where that logarithm ends, on a straight line over the training; empty to let the policy learn it."""
    initial_action: tuple[float, ...] = (0.0, 0.6, 0.0)
    """What an untrained policy of PPO or SAC does on average: some throttle shows it the road from the first tick."""

    def __post_init__(self) -> None:
        """Layers have units, and not more weights together than a policy file may hold."""
        if not self.hidden or not all(1 <= units <= MOST_UNITS for units in self.hidden):
            raise ConfigError(f"network.hidden must be layers of 1 to {MOST_UNITS} units, not {self.hidden!r:.80}.")
        weights = sum(inner * outer for inner, outer in pairwise(self.hidden))
        if len(self.hidden) > MOST_LAYERS or weights > MOST_WEIGHTS:
            raise ConfigError(
                f"network.hidden has {len(self.hidden)} layers with {weights:,} weights between them; at most "
                f"{MOST_LAYERS} layers and {MOST_WEIGHTS:,} weights can be trained here. Use a smaller network."
            )


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

    def __post_init__(self) -> None:
        """Counts from one, rates above zero, discounts up to one."""
        check_ranges(self, "ppo.", n_steps=COUNT, batch_size=(2, MANY), n_epochs=COUNT, gamma=SHARE, gae_lambda=SHARE)
        check_ranges(self, "ppo.", learning_rate=RATE, learning_rate_end=(0.0, 1e6), clip_range=RATE)
        check_ranges(self, "ppo.", ent_coef=(0.0, math.inf), vf_coef=(0.0, math.inf), max_grad_norm=RATE)


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
    n_steps: int = 1
    """Ticks whose rewards are counted as they were, before the critics say what follows."""
    ent_coef: str = "auto"
    """Temperature: a number, `auto`, or `auto_0.1` to begin elsewhere."""
    target_entropy: float = -6.0
    """How random the policy is kept where the temperature is automatic; lower is steadier, SB3's own choice is -3."""

    def __post_init__(self) -> None:
        """Counts from one, rates above zero, discounts up to one."""
        check_ranges(self, "sac.", buffer_size=COUNT, learning_starts=(0, MANY), batch_size=COUNT, train_freq=COUNT)
        check_ranges(self, "sac.", gradient_steps=COUNT, n_steps=COUNT, tau=SHARE, gamma=SHARE)
        check_ranges(self, "sac.", learning_rate=RATE, learning_rate_end=(0.0, 1e6))
        number = self.ent_coef.removeprefix("auto").removeprefix("_")
        if self.ent_coef != "auto" and not _is_positive(number):
            raise ConfigError(f'sac.ent_coef must be "auto", "auto_0.1" or a number above 0, not {self.ent_coef!r}.')


@dataclass(frozen=True)
class DqnSettings:
    """Deep Q-learning, for worlds with a few actions to choose from."""

    buffer_size: int = 300_000
    """Transitions kept for replay."""
    learning_starts: int = 10_000
    """Random steps before the first update."""
    batch_size: int = 512
    """Samples in one gradient step."""
    train_freq: int = 4
    """Decisions of all cars between two rounds of updates."""
    gradient_steps: int = 8
    """Gradient steps in one round."""
    learning_rate: float = 5e-4
    """Adam's step size at the beginning."""
    learning_rate_end: float = 1e-4
    """Adam's step size at the end."""
    tau: float = 1.0
    """How much of the network the target network takes over at each update of it."""
    target_update_interval: int = 10_000
    """Steps, every car counted, between two updates of the target network."""
    gamma: float = 0.98
    """Discount per decision."""
    exploration_fraction: float = 0.3
    """Share of the training over which random choices become rare."""
    exploration_initial_eps: float = 1.0
    """Share of random choices at the beginning."""
    exploration_final_eps: float = 0.02
    """Share of random choices at the end."""
    max_grad_norm: float = 10.0
    """Longest gradient."""

    def __post_init__(self) -> None:
        """Counts from one, rates above zero, shares up to one."""
        check_ranges(self, "dqn.", buffer_size=COUNT, learning_starts=(0, MANY), batch_size=COUNT, train_freq=COUNT)
        check_ranges(self, "dqn.", gradient_steps=COUNT, target_update_interval=COUNT, tau=SHARE, gamma=SHARE)
        check_ranges(self, "dqn.", learning_rate=RATE, learning_rate_end=(0.0, 1e6), max_grad_norm=RATE)
        check_ranges(self, "dqn.", exploration_fraction=(TINY, 1.0), exploration_initial_eps=SHARE)
        check_ranges(self, "dqn.", exploration_final_eps=SHARE)


WIDEST_MARGIN_M = 3.0
"""A road with tyres on it has nine metres and more."""
LEAST_BRAKING = 0.1
"""With less a car does not slow down for a corner that it can see."""


@dataclass(frozen=True)
class TeacherSettings:
    """PPO only: a scripted driver of the world shows what it would do, in the first part of the training."""

    steps: int = 0
    """Steps that are taught, from the first on; 0 for none."""
    epochs: int = 2
    """Passes over what was shown, before each update."""
    clip_range: float = 1e-3
    """How far PPO may move the policy in an update meanwhile; 0 for not at all."""
    caution: float = 0.5
    """Cars with grip: how far the teacher stays from the edges and from the limit, 0 (hardly) to 1 (well)."""
    margin_m: float | None = None
    """How far the teacher stays from the edges, in metres or game units; by default what its caution says, or 2 u."""
    braking: float | None = None
    """Cars with grip: the share of their grip that the teacher brakes with, whatever its caution."""
    spared: float = 0.0
    """Cars with grip: on wide roads the share of the room beyond 5 m on either side that the teacher leaves alone."""

    def __post_init__(self) -> None:
        """Nothing negative, and at least one pass."""
        check_ranges(self, "teacher.", steps=(0, math.inf), epochs=COUNT, clip_range=SHARE, caution=SHARE, spared=SHARE)
        if self.margin_m is not None:
            check_ranges(self, "teacher.", margin_m=(0.0, WIDEST_MARGIN_M))
        if self.braking is not None:
            check_ranges(self, "teacher.", braking=(LEAST_BRAKING, 1.0))


@dataclass(frozen=True)
class CheckpointSettings:
    """What is kept on disk."""

    keep_last: Annotated[int, tyro.conf.arg(name="keep", prefix_name=False)] = 3
    """How many of the newest checkpoints stay; the best always does."""
    first_past: int = 1_000
    """Keep the policy of this step for good, and that of twice, four times, … as many steps; 0 for none."""

    def __post_init__(self) -> None:
        """Nothing negative, and at least one is kept."""
        check_ranges(self, "checkpoint.", keep_last=COUNT, first_past=(0, MANY))


@dataclass(frozen=True)
class EvaluationSettings:
    """Evaluating the driver while it learns, as it is evaluated afterwards."""

    every_steps: int = 400_000
    """Steps between two evaluations, 0 for only at the end."""
    tracks: tuple[str, ...] = ()
    """Racer: tracks to drive; empty for the ones trained on, up to three."""
    episodes: int = 100
    """Highway: episodes to drive, of three minutes each unless they end in a crash."""
    steps: int = 0
    """Racer: ticks each car has for its laps, 60 a second, 100 or more; 0 for 6,000, and more on long tracks."""

    def __post_init__(self) -> None:
        """Nothing negative, at least one episode, and time to drive a bit."""
        check_ranges(self, "evaluation.", every_steps=(0, math.inf), episodes=COUNT)
        if self.steps != 0:
            check_ranges(self, "evaluation.", steps=DRIVE_STEPS)


@dataclass(frozen=True)
class TrainConfig:
    """A training run."""

    world: str = "racer"
    """The world to train in: racer, race or highway."""
    algorithm: Literal["ppo", "sac", "dqn"] = "ppo"
    """How it learns."""
    learner: Literal["hotlap", "sb3", "rllib"] = "hotlap"
    """Who computes PPO and SAC: hotlap, stable-baselines3 at a fraction of its speed, or, PPO with --on ray, RLlib; DQN
    uses SB3."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where hotlap's learner drives and learns: the cores, or an NVIDIA GPU; auto takes a GPU where it can."""
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
    begin_from: Annotated[str, tyro.conf.arg(name="from")] = ""
    """Weights and normaliser to begin with: a run, RUN@STEP, or a policy.onnx; empty to begin untrained."""
    checkpoint_every: str = "60s"
    """Between two saves: 200000 is so many steps, 60s so many seconds, 0 never; the best and the end are saved."""
    racer: RacerSettings = field(default_factory=RacerSettings)
    highway: HighwaySettings = field(default_factory=HighwaySettings)
    race: RaceTrainingSettings = field(default_factory=RaceTrainingSettings)
    network: NetworkSettings = field(default_factory=NetworkSettings)
    ppo: PpoSettings = field(default_factory=PpoSettings)
    sac: SacSettings = field(default_factory=SacSettings)
    dqn: DqnSettings = field(default_factory=DqnSettings)
    teacher: TeacherSettings = field(default_factory=TeacherSettings)
    checkpoint: CheckpointSettings = field(default_factory=CheckpointSettings)
    evaluation: EvaluationSettings = field(default_factory=EvaluationSettings)

    def __post_init__(self) -> None:
        """A world nobody registered and counts that cannot work are refused before anything starts."""
        registered(self.world)
        parse_interval(self.checkpoint_every, "checkpoint_every")
        check_ranges(self, "", steps=COUNT, cars=(1, MOST_CARS), torch_threads=(1, 1024), seed=(0, MOST_SEED))
        kept = self.cars * self.ppo.n_steps if self.algorithm == "ppo" else getattr(self, self.algorithm).buffer_size
        if kept * NUMBERS_PER_SAMPLE > MOST_NUMBERS:
            raise ConfigError(
                f"{kept:,} samples are more than a learner's memory holds: {MOST_NUMBERS // NUMBERS_PER_SAMPLE:,}. "
                "Use fewer cars, fewer steps between two updates, or a smaller buffer."
            )
        if self.algorithm == "ppo" and self.cars * self.ppo.n_steps < 2:
            raise ConfigError("ppo.n_steps must be at least 2 with a single car: an update needs two samples.")
        if self.algorithm != "ppo" and self.teacher.steps:
            raise ConfigError(f"teacher.steps is for ppo; {self.algorithm} learns without a teacher. Leave it out.")
        if not self.racer.tracks:
            raise ConfigError("racer.tracks must name at least one track.")

    @property
    def save_interval(self) -> Interval:
        """How long training goes on between two saves."""
        return parse_interval(self.checkpoint_every, "checkpoint_every")


def with_steps(config: TrainConfig, steps: int) -> TrainConfig:
    """The same training with another end; a teacher who leads it to the old one leads it to the new one."""
    longer = dataclasses.replace(config, steps=steps)
    led = config.teacher.steps >= config.steps
    return dataclasses.replace(longer, teacher=dataclasses.replace(config.teacher, steps=steps)) if led else longer


def _is_positive(text: str) -> bool:
    try:
        return 0.0 < float(text) < math.inf
    except ValueError:
        return False


def preset_names() -> list[str]:
    """Every preset, by name."""
    folder = files("hotlap.training") / "presets"
    return sorted(item.name.removesuffix(".toml") for item in folder.iterdir() if item.name.endswith(".toml"))


def load_preset(name: str, *, on_gpu: bool = False) -> TrainConfig:
    """A preset by name, or a TOML file of one's own by its path; what its table `cuda` says counts on a GPU only."""
    table = read_toml(_preset_path(name))
    for_gpu = table.pop(GPU_TABLE, {})
    config = merged(TrainConfig(), table, name)
    there = merged(config, for_gpu, f"{name}.{GPU_TABLE}")  # a mistake in it is told wherever the preset is read
    return there if on_gpu else config


def _preset_path(name: str) -> Path:
    known = preset_names()
    if name not in known and not name.endswith(".toml"):
        raise ConfigError(f'no preset "{name}".{did_you_mean(name, known)} Known: {", ".join(known)}, or a .toml file.')
    return Path(name) if name.endswith(".toml") else Path(str(files("hotlap.training") / "presets" / f"{name}.toml"))


def config_document(config: TrainConfig) -> dict[str, Any]:
    """The configuration as JSON can hold it."""
    return dataclasses.asdict(config)


def config_from_document(document: Mapping[str, Any]) -> TrainConfig:
    """The configuration a run was started with."""
    # Runs of before there was a choice were learned by SB3.
    return merged(TrainConfig(), {"learner": "sb3", **document}, "config")
