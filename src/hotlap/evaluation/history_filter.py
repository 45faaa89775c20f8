"""Which evaluations and missions of the history are asked for, from the command line or from code."""

from dataclasses import dataclass


@dataclass(frozen=True)
class HistoryFilter:
    """Which evaluations and missions to show."""

    driver: str | None = None
    """Only those of one driver."""
    branch: str | None = None
    """Only those made on one branch."""
    commit: str | None = None
    """Only those made at one commit; its first digits are enough."""

    def takes(self, driver: str, branch: str, commit: str) -> bool:
        """Whether one is asked for."""
        asked = ((self.driver, driver), (self.branch, branch))
        return all(want in (None, have) for want, have in asked) and commit.startswith(self.commit or "")
