"""The options of `hotlap drive` and `hotlap missions`."""

from dataclasses import dataclass
from pathlib import Path

from hotlap.errors import ConfigError
from hotlap.evaluation.highway.mission_filter import MissionFilter


@dataclass(frozen=True)
class DriveOrders:
    """Say what the car should do on the highway, in plain English, and watch it do so with the supervisor on."""

    text: str
    """The order, for example "cruise at 65, keep two seconds" or "pass this truck"."""
    then: tuple[str, ...] = ()
    """More orders, each given when the one before has ended."""
    explain: bool = False
    """Only say what was understood; nothing drives."""
    policy: str | None = None
    """Who drives: a run, a policy.onnx, motorist or expert; by default the best run of the highway, else motorist."""
    lane: int = 3
    """Lane the car is in, 1 (leftmost) to 5; 6 is the shoulder."""
    speed_mph: float = 58.0
    """Speed of the car, 0 to 89 mph."""
    seed: int = 0
    """Seed of the traffic, 0 or more: the same seed, order and driver give the same drive."""
    density: int = 20
    """Vehicles around the car, 0 to 40."""
    seconds: float = 120.0
    """What each order has to be carried out."""
    pace: float = 10.0
    """On a terminal, how many times faster than life the drive is shown; 0 does not wait."""
    root: Path = Path("runs")
    """Folder that holds the runs, and the log of missions."""
    json: bool = False
    """Print one JSON object instead of sentences."""

    def run(self) -> int | None:
        """Interpret the order and print it, or drive it."""
        from hotlap.evaluation.highway.drive_orders import lane_number

        lane = lane_number(self.lane)
        if self.explain:
            from hotlap.evaluation.highway.drive_orders import explain

            explain(self.text, lane=lane, speed_mph=self.speed_mph, as_json=self.json)
            return None
        from hotlap.evaluation.highway.drive_orders import drive_orders
        from hotlap.highway.ordered_drive import Scene

        scene = Scene(self.seed, self.density, lane, self.speed_mph, self.seconds)
        orders = (self.text, *self.then)
        return drive_orders(orders, scene, self.policy, self.root, as_json=self.json, pace=self.pace)


@dataclass(frozen=True)
class Missions(MissionFilter):
    """List the missions that were driven, by `hotlap drive` and on the page, those that failed first; or replay one."""

    replay: int | None = None
    """Drive the mission of this number again, in its traffic and after the orders before it."""
    policy: str | None = None
    """Who drives the replay: a run, a policy.onnx, motorist or expert; by default the driver of the log."""
    root: Path = Path("runs")
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
