"""What a world brings along to be learned in: one row per world, so that nothing else here asks which one it is."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from stable_baselines3.common.callbacks import BaseCallback

from hotlap.checkpoints.run_files import PolicyScore
from hotlap.evaluation.measures import Evaluation
from hotlap.training.config import TrainConfig
from hotlap.training.metrics import Metrics
from hotlap.training.teaching import Teacher
from hotlap.vector.controls import Mixing
from hotlap.worlds import registered


class PolicyEvaluator(Protocol):
    """Evaluates policies while they are trained, as they are evaluated afterwards."""

    def evaluate(self, policy: bytes, step: int) -> PolicyScore:
        """How good a policy file is."""


class WorldTraining(Protocol):
    """A kind of driving: how its world is made for learning, what is logged, and how a driver of it is evaluated."""

    def world_options(self, config: TrainConfig, *, discrete: bool) -> dict[str, Any]:
        """What `make_world` takes, where the algorithm chooses among a few actions or takes any."""

    def mixing(self, config: TrainConfig) -> Mixing | None:
        """How the learner's controls become the world's; None where they are the same."""

    def teacher(self, config: TrainConfig, world: Any) -> Teacher:
        """Who shows a learner how it is done in such a world, in the learner's controls."""

    def reason_against_gpu(self, config: TrainConfig) -> str:
        """Why such a run needs the cores, as a sentence; nothing where a GPU can do it all."""

    def schedules(self, world: Any) -> list[BaseCallback]:
        """What changes on its own in such a world while training goes on."""

    def physics_fingerprint(self, config: TrainConfig) -> str:
        """The physics that a driver is trained in."""

    def metadata(self, config: TrainConfig) -> dict[str, Any]:
        """What a policy file says about what it sees and where it was trained."""

    def metrics(self) -> Metrics:
        """A new callback that tells TensorBoard how the driving goes."""

    def evaluator(self, config: TrainConfig) -> PolicyEvaluator:
        """What evaluates its drivers while they learn; settings that cannot be evaluated are refused here."""

    def final_evaluation(self, policy: Path, config: TrainConfig, name: str) -> Evaluation:
        """Evaluate a finished driver next to the others."""

    def next_commands(self, run: Path) -> Mapping[str, str]:
        """What to do with a finished run beyond what any run is good for: command, purpose."""


def training_of(config: TrainConfig) -> WorldTraining:
    """What the world of a configuration brings along."""
    training: WorldTraining = registered(config.world).part("training")
    return training
