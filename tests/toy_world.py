"""A world of a few lines: a car on a line that should get as far as it can, and everything the house asks of it."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hotlap.checkpoints.run_files import PolicyScore
from hotlap.evaluation.measures import Measure, Quantity
from hotlap.evaluation.statistics import exact
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.training.metrics import Metrics
from hotlap.worlds import ObservationSpec, Registration, make_world

EPISODE_TICKS = 8
DISTANCE = Quantity("distance", "distance", ".2f", 1)
OBSERVATION_SPEC = ObservationSpec({"place": 1}, lambda _layout: "toy-1:0123456789abcdef")


class ToyWorld:
    """Cars on lines: the first action moves them."""

    name = "toy"
    action_choices = np.zeros((0, 3), np.float32)
    observation_bounds = (np.array([-100.0], np.float32), np.array([100.0], np.float32))
    action_bounds = (-np.ones(3, np.float32), np.ones(3, np.float32))

    def __init__(self, count: int, threads: int | None = None) -> None:
        self.count = count
        self.place, self.tick = np.zeros(count), np.zeros(count, np.int64)
        self.observation, self.reward = np.zeros((count, 1)), np.zeros(count)
        self.terminated, self.truncated = np.zeros(count, np.bool_), np.zeros(count, np.bool_)

    def begin(self, car: int, rng: np.random.Generator, options: Mapping[str, Any] | None = None) -> None:
        self.place[car], self.tick[car] = rng.random(), 0
        self.look()

    def advance(self, actions: np.ndarray) -> None:
        self.reward[:] = actions[:, 0]
        self.place += self.reward
        self.tick += 1
        self.truncated[:] = self.tick >= EPISODE_TICKS
        self.look()

    def look(self) -> None:
        self.observation[:, 0] = self.place

    def state_columns(self) -> dict[str, np.ndarray]:
        return {"place": self.place, "tick": self.tick}

    def step_columns(self) -> dict[str, np.ndarray]:
        return {"place": self.place.copy()}

    def reset_columns(self) -> dict[str, np.ndarray]:
        return {"place": self.place.copy()}

    def noteworthy(self) -> np.ndarray:
        return np.zeros(self.count, np.bool_)

    def extra_info(self, car: int) -> dict[str, Any]:
        return {}


class ToyMetrics(Metrics):
    def summary(self, seen: Mapping[str, Any]) -> None:
        return None

    def count(self, summaries: Sequence[None]) -> None:
        pass

    def facts(self) -> dict[str, float | None]:
        return {"place": float(np.mean(self.locals["infos"].columns["place"]))}

    def words(self) -> list[str]:
        return []


class ToyTraining:
    """How it is trained."""

    def world_options(self, config: Any, *, discrete: bool) -> dict[str, Any]:
        return {}

    def mixing(self, config: Any) -> None:
        return None

    def schedules(self, world: Any) -> list[Any]:
        return []

    def physics_fingerprint(self, config: Any) -> str:
        return OBSERVATION_SPEC.physics_fingerprint("place")

    def metadata(self, config: Any) -> dict[str, Any]:
        return {"layout": "place"}

    def metrics(self) -> ToyMetrics:
        return ToyMetrics()

    def evaluator(self, config: Any) -> "ToyTraining":
        return self

    def evaluate(self, policy: bytes, step: int) -> PolicyScore:
        got = distance(OnnxPolicy(policy, world="toy"))
        return PolicyScore(step, (got,), {"eval/distance": got}, {}, f"{got:.2f} far")

    def final_evaluation(self, policy: Path, config: Any, name: str) -> "ToyEvaluation":
        return ToyEvaluation(name, [distance(OnnxPolicy(policy, world="toy"))])

    def next_commands(self, run: Path) -> Mapping[str, str]:
        return {}


class FullThrottle:
    """Always forward."""

    layout = "place"

    def reset(self, cars: np.ndarray) -> None:
        pass

    def act(self, observation: np.ndarray, world: Any = None) -> np.ndarray:
        return np.ones((len(observation), 3))


def distance(policy: Any) -> float:
    """How far a driver gets in an episode."""
    world = make_world("toy", 1)
    world.begin(0, np.random.default_rng(0))
    for _ in range(EPISODE_TICKS):
        world.advance(policy.act(world.observation, world))
    return float(world.place[0])


@dataclass(frozen=True)
class ToyEvaluation:
    driver: str
    distances: list[float]
    about: Mapping[str, Any] | None = None
    world: str = "toy"

    def setup(self) -> dict[str, Any]:
        return {}

    def measures(self) -> list[Measure]:
        return [Measure(f"drive {number}", DISTANCE, exact(got)) for number, got in enumerate(self.distances)]

    def plain(self) -> dict[str, Any]:
        measures = [measure.plain() for measure in self.measures()]
        return {"world": self.world, "driver": self.driver, "setup": {}, "measures": measures}


class ToyWorldEvaluation:
    """How it is evaluated: the option `episodes` says how often it is driven."""

    options = ("episodes",)
    has_levels = False
    scripted = {"full-throttle": lambda _where: FullThrottle()}  # noqa: RUF012

    def tracks(self, metadata: Mapping[str, Any]) -> tuple[str, ...]:
        return ()

    def evaluate(self, source: Any, config: Any, say: Any, *, with_others: bool) -> ToyEvaluation:
        say(f"driving {source.name} on a line")
        return ToyEvaluation(source.name, [distance(source.make(None)) for _ in range(config.episodes)], source.about)

    def show(self, result: ToyEvaluation) -> None:
        sys.stdout.write(f"{result.driver} got {result.distances[0]:.2f} far\n")

    def draw(self, result: ToyEvaluation, run: Path | None) -> str:
        return "<html></html>"

    def check_outputs(self, outputs: Any) -> None:
        pass

    def write_episodes(self, result: ToyEvaluation, path: Path) -> str:
        path.write_text("\n".join(map(str, result.distances)), encoding="utf-8")
        return f"{len(result.distances)} drives written"

    def shortfalls(self, result: ToyEvaluation, outputs: Any) -> list[str]:
        return []

    def split(self, config: Any, source: Any) -> list[Any]:
        return [replace(config, episodes=1) for _ in range(config.episodes)]

    def joined(self, results: Sequence[ToyEvaluation], config: Any) -> ToyEvaluation:
        return replace(results[0], distances=[got for each in results for got in each.distances])


TRAINING = ToyTraining()
EVALUATION = ToyWorldEvaluation()
TOY = Registration(
    name="toy",
    batch="toy_world:ToyWorld",
    observation="toy_world:OBSERVATION_SPEC",
    training="toy_world:TRAINING",
    evaluation="toy_world:EVALUATION",
)
