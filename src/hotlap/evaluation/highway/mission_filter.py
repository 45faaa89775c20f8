"""Which missions of the log are asked for, from the command line or from code."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hotlap.highway.missions import ModeName

if TYPE_CHECKING:
    from hotlap.store.missions import LoggedMission


@dataclass(frozen=True)
class MissionFilter:
    """Which missions of the log to list."""

    failures: bool = False
    """Only those that were not done."""
    driver: str | None = None
    """Only those of one driver."""
    mode: ModeName | None = None
    """Only those of one mode."""
    ending: Literal["done", "refused", "timed_out", "cancelled", "crashed"] | None = None
    """Only those that ended so."""
    limit: int = 20
    """How many to list."""

    def takes(self, mission: "LoggedMission") -> bool:
        """Whether a mission is asked for."""
        record = mission.record
        asked = ((self.driver, record.driver), (self.mode, record.mode.value), (self.ending, record.ending.value))
        wanted = all(want is None or want == have for want, have in asked)
        return wanted and not (self.failures and record.ending.value == "done")
