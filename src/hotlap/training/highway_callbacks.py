"""What TensorBoard is told about the highway: parts of the reward, missions by mode, crashes, interventions."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.highway.mission_rules import OUTCOME_NAMES
from hotlap.highway.missions import MODE_NAMES
from hotlap.highway.physics import DECISION_S
from hotlap.highway.world import HighwayWorld
from hotlap.training.highway_tally import FACTS, Tally
from hotlap.training.metrics import Metrics, Summary, columns_of, part_sums

REWARD_PARTS = ("tracking", "lane_keeping", "distance", "comfort", "legality", "mission_reward", "crash")
RECENT_MISSIONS = 500


def ended_missions(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What infos say about missions that ended, from the columns of a compiled world."""
    ended = columns["mission_ended"] != 0
    rows = zip(*(columns[key][ended] for key in ("mission_ended", "ended_mode", "ended_decisions")), strict=True)
    return [
        {"outcome": OUTCOME_NAMES[outcome], "ended_mode": MODE_NAMES[mode], "duration_s": float(count * DECISION_S)}
        for outcome, mode, count in rows
    ]


@dataclass(frozen=True)
class HighwaySummary(Summary):
    """Parts of the reward, and what happened in some decisions."""

    tally: Tally
    """Without missions."""
    missions: list[Mapping[str, Any]]
    """What infos say about those that ended."""


class HighwayMetricsCallback(Metrics):
    """Logs the driving of any SB3 model on `HighwayEnv` or on a native batch of roads.

    Every step, the mean of each part of the reward goes to `reward/<part>`. At the end of a rollout, of what ended in
    it: `highway/<mode>/success_rate`, `time_to_success_s` (the median) and `episodes` (missions of that mode, refused
    ones apart), `highway/crashes_per_1000_km`, `ego_fault_crashes_per_1000_km`, `interventions_per_hour` of the
    supervisor, and `speed_error_mph`, how far from the mission's speed on a free road; nothing where there was nothing.
    """

    def __init__(self, verbose: int = 0) -> None:
        super().__init__(verbose)
        self.recent_missions: deque[bool] = deque(maxlen=RECENT_MISSIONS)
        self.tally = Tally()

    @property
    def recent_success(self) -> float | None:
        """The share of the last five hundred missions that were done."""
        return float(np.mean(self.recent_missions)) if self.recent_missions else None

    def summary(self, seen: Mapping[str, Any]) -> HighwaySummary:
        """Parts of the reward, facts, and missions that ended."""
        compiled, tally = seen.get("columns"), Tally()
        columns = compiled or columns_of(seen["infos"], (*REWARD_PARTS, *FACTS))
        if all(fact in columns for fact in FACTS):
            tally.count(columns)
        infos = ended_missions(compiled) if compiled else seen["infos"]
        return HighwaySummary(
            samples=np.size(seen["dones"]),
            part_sums={part.removesuffix("_reward"): each for part, each in part_sums(columns, REWARD_PARTS).items()},
            tally=tally,
            missions=[info for info in infos if type(info) is dict and "outcome" in info],
        )

    def count(self, summaries: Sequence[HighwaySummary]) -> None:
        """All of it."""
        self.record_parts(summaries)
        for each in summaries:
            self.tally.add(each.tally)
            done = [self.tally.note_mission(info) for info in each.missions]
            self.recent_missions.extend(one for one in done if one is not None)

    def watched(self, world: HighwayWorld) -> Mapping[str, NDArray[Any]]:
        """Parts of the reward, facts, and missions that ended."""
        ended = {"ended_mode": world.out.ended_mode, "ended_decisions": world.out.ended_decisions}
        return {key: world.step_views[key] for key in (*REWARD_PARTS, *FACTS, "mission_ended")} | ended

    def _on_rollout_end(self) -> None:
        for name, value in self.tally.figures().items():
            self.logger.record(f"highway/{name}", value)
        self.tally = Tally()

    def facts(self) -> dict[str, float | None]:
        """For the learning curve: the share of recent missions that were done."""
        return {"success": self.recent_success}

    def words(self) -> list[str]:
        """For the progress bar."""
        return [] if self.recent_success is None else [f"missions done {self.recent_success:.0%}"]

    def counters(self) -> dict[str, Any]:
        """How missions ended lately."""
        return {"missions": [int(done) for done in self.recent_missions]}

    def put_counters(self, counters: Mapping[str, Any]) -> None:
        """Remember it again."""
        self.recent_missions.clear()
        self.recent_missions.extend(bool(done) for done in counters["missions"])
