"""The options of `hotlap drive` and `hotlap missions`."""

from dataclasses import dataclass
from pathlib import Path

from hotlap.checkpoints.names import RUNS
from hotlap.errors import ConfigError
from hotlap.evaluation.highway.mission_filter import MissionFilter
from hotlap.highway.scene import Scene


@dataclass(frozen=True, kw_only=True)
class DriveOrders(Scene):
    """Say what the car should do on the highway, in plain English, and watch it do so with the supervisor on."""

    text: str
    """The order, for example "cruise at 65, keep two seconds" or "pass this truck"."""
    then: tuple[str, ...] = ()
    """More orders, each given when the one before has ended."""
    explain: bool = False
    """Only say what was understood; nothing drives."""
    policy: str | None = None
    """Who drives: a run, a policy.onnx, motorist or expert; by default the best run of the highway, else motorist."""
    pace: float = 10.0
    """On a terminal, how many times faster than life the drive is shown; 0 does not wait."""
    root: Path = RUNS
    """Folder that holds the runs, and the log of missions."""
    json: bool = False
    """Print one JSON object instead of sentences."""

    def run(self) -> int | None:
        """Interpret the order and print it, or drive it."""
        from hotlap.evaluation.highway.drive_orders import drive_orders, explain

        self.check()
        if self.explain:
            explain(self.text, lane=self.lane_number, speed_mph=self.speed_mph, as_json=self.json)
            return None
        return drive_orders((self.text, *self.then), self, self.policy, self.root, as_json=self.json, pace=self.pace)


@dataclass(frozen=True)
class Missions(MissionFilter):
    """List the missions that were driven, by `hotlap drive` and on the page, those that failed first; or replay one."""

    replay: int | None = None
    """Drive the mission of this number again, in its traffic and after the orders before it."""
    policy: str | None = None
    """Who drives the replay: a run, a policy.onnx, motorist or expert; by default the driver of the log."""
    root: Path = RUNS
    """Folder that holds the log of missions."""
    json: bool = False
    """Print JSON instead of a table."""

    def run(self) -> int | None:
        """Print the list, or drive."""
        if self.replay is not None:
            from hotlap.evaluation.highway.replayed_mission import replay_mission

            return replay_mission(self.replay, self.policy, self.root, as_json=self.json)
        if self.policy is not None:
            raise ConfigError("--policy is for --replay; --driver chooses the missions of one driver.")
        from hotlap.evaluation.highway.logged_missions import list_missions

        list_missions(self.root, self, as_json=self.json)
        return None
