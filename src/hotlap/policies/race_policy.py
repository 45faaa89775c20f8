"""Policy files as drivers of a race."""

from pathlib import Path

from hotlap.errors import PolicyError
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.policies.policy import Array
from hotlap.race.batch import RaceBatch
from hotlap.race.senses import OTHERS_SIZE


class FileDriver:
    """A policy file: one that was trained in races sees the others, one that was trained alone does not."""

    def __init__(self, source: Path | OnnxPolicy, race: RaceBatch) -> None:
        self.policy = source if isinstance(source, OnnxPolicy) else OnnxPolicy(source, world=None)
        self.name, layout = self.policy.name, self.policy.layout
        shown = race.settings.layout
        if layout not in (shown, f"race-{shown}"):
            raise PolicyError(
                f'{self.name}: sees "{layout}" of the world {self.policy.metadata["world"]}, and this race shows '
                f'"race-{shown}". '
                f'Race with observation="{layout.removeprefix("race-")}", or choose another driver.'
            )
        self._sees_others = layout != shown

    def act(self, observation: Array, race: RaceBatch, rows: Array) -> Array:  # noqa: ARG002 - it sees only
        """Actions for what the cars see."""
        return self.policy.act(observation if self._sees_others else observation[:, :-OTHERS_SIZE])
