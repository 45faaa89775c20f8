"""What a world brings along to be learned in: one row per world, so that nothing else here asks which one it is."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from hotlap.training.config import TrainConfig
from hotlap.training.judge import Judge
from hotlap.training.metrics import Metrics
from hotlap.training.teaching import Teacher
from hotlap.vector.controls import Mixing


class Examination(Protocol):
    """How good a finished driver is, beside others."""

    def plain(self) -> dict[str, Any]:
        """As JSON can hold it."""

    def show(self) -> None:
        """As tables on stdout."""


class Discipline(Protocol):
    """A kind of driving: how its world is made for learning, what is logged, and how a driver of it is judged."""

    def world_options(self, config: TrainConfig, *, discrete: bool) -> dict[str, Any]:
        """What `make_world` takes, where the algorithm chooses among a few actions or takes any."""

    def mixing(self, config: TrainConfig) -> Mixing | None:
        """How the learner's controls become the world's; None where they are the same."""

    def teacher(self, config: TrainConfig, world: Any) -> Teacher:
        """Who shows a learner how it is done in such a world, in the learner's controls."""

    def physics_fingerprint(self) -> str:
        """The physics that a driver is trained in."""

    def metadata(self, config: TrainConfig) -> dict[str, Any]:
        """What a policy file says about what it sees and where it was trained."""

    def metrics(self) -> Metrics:
        """A new callback that tells TensorBoard how the driving goes."""

    def judge(self, config: TrainConfig) -> Judge:
        """Who measures its drivers while they learn; settings that cannot be measured are refused here."""

    def examine(self, policy: Path, config: TrainConfig, name: str) -> Examination:
        """Measure a finished driver next to the others."""

    def next_commands(self, run: Path) -> Mapping[str, str]:
        """What to do with a finished run beyond what any run is good for: command, purpose."""


# world -> module that is its discipline: a new world is one new row.
DISCIPLINES = {"racer": "hotlap.training.racing", "highway": "hotlap.training.highway"}


def discipline_of(config: TrainConfig) -> Discipline:
    """What the world of a configuration brings along."""
    discipline: Discipline = import_module(DISCIPLINES[config.world]).DISCIPLINE
    return discipline
