"""Learning the highway: its world from the settings, and drivers judged by their crashes and missions."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hotlap.evaluation.table import console_for_results, empty_table
from hotlap.highway.fingerprint import physics_fingerprint
from hotlap.highway.world import HighwayWorld
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.training.config import TrainConfig
from hotlap.training.highway_callbacks import HighwayMetricsCallback
from hotlap.training.highway_tally import FACTS, Tally
from hotlap.training.judge import Verdict

LAYOUT = "highway"
JUDGED_VEHICLES = 20
HELD_OUT_SEED = 2**40
"""Episodes that drivers are judged in begin with this seed and those after it: far beyond what training draws from."""


class HighwayDiscipline:
    """The highway."""

    def world_options(self, config: TrainConfig, *, discrete: bool) -> dict[str, Any]:
        """Traffic, missions, supervisor, road and rewards; the five choices where the algorithm needs them."""
        highway = config.highway
        return {
            "config": highway.config,
            "vehicles": highway.vehicles,
            "missions": highway.missions,
            "supervisor": highway.supervisor,
            "discrete": discrete,
        }

    def physics_fingerprint(self) -> str:
        """The highway's physics."""
        return physics_fingerprint()

    def metadata(self, config: TrainConfig) -> dict[str, Any]:
        """What it sees, how many lanes and vehicles it knows."""
        return {"layout": LAYOUT, "lanes": config.highway.config.road.lanes, "vehicles": list(config.highway.vehicles)}

    def metrics(self) -> HighwayMetricsCallback:
        """Parts of the reward, missions by mode, crashes."""
        return HighwayMetricsCallback()

    def judge(self, config: TrainConfig) -> "HighwayJudge":
        """Missions in traffic of the usual density, without the supervisor."""
        return HighwayJudge(config)

    def examine(self, policy: Path, config: TrainConfig, name: str) -> "HighwayExamination":
        """The same episodes once more."""
        return HighwayExamination(name, drive(OnnxPolicy(policy, world="highway"), config).figures())

    def next_commands(self, run: Path) -> Mapping[str, str]:
        """Giving it orders."""
        return {f'hotlap drive "cruise at 65" --policy {run}': "give it orders"}


DISCIPLINE = HighwayDiscipline()


@dataclass(frozen=True)
class HighwayExamination:
    """A finished driver's crashes and missions."""

    name: str
    figures: dict[str, float]

    def plain(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {"driver": self.name, "figures": self.figures}

    def show(self) -> None:
        """A line for each figure."""
        table = empty_table("without the supervisor", ("figure",))
        for name, value in self.figures.items():
            table.add_row(name, f"{value:,.2f}")
        console_for_results().print(table)


class HighwayJudge:
    """Drives policies through episodes that no training sees, without the supervisor."""

    def __init__(self, config: TrainConfig) -> None:
        self.config = config

    def judge(self, policy: bytes, step: int) -> Verdict:
        """The fewer crashes by its own fault the better, then the more missions done, then the truer to its speed."""
        tally = drive(OnnxPolicy(policy, world="highway"), self.config)
        figures = tally.figures()
        crashes, error = figures["ego_fault_crashes_per_1000_km"], figures.get("speed_error_mph", 0.0)
        tags = {f"eval/{name}": value for name, value in figures.items()}
        summary = f"{crashes:.1f} crashes by its fault in 1,000 km, {tally.success:.0%} of missions done"
        return Verdict(step, (-round(crashes), tally.success, -error), tags, {}, summary)


def drive(policy: OnnxPolicy, config: TrainConfig) -> Tally:
    """Drive every episode of an evaluation side by side, each to its end."""
    count = config.evaluation.episodes
    world = HighwayWorld(count, config.highway.config, vehicles=JUDGED_VEHICLES, supervisor=False)
    for road in range(count):
        world.begin(road, np.random.default_rng(HELD_OUT_SEED + road))
    tally, driving = Tally(), np.ones(count, np.bool_)
    while driving.any():
        world.advance(policy.act(world.observation))
        tally.count({fact: world.step_views[fact][driving] for fact in FACTS})
        for road in np.flatnonzero(world.noteworthy() & driving).tolist():
            tally.note_mission(world.extra_info(road))
        driving &= ~(world.terminated | world.truncated)
    return tally
