"""What episodes of the highway come to, each figure with its 95 % interval."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hotlap.evaluation.highway.episodes import Episode
from hotlap.evaluation.measures import Measure, Quantity
from hotlap.evaluation.statistics import Estimate, median, rate, ratio, share
from hotlap.highway.missions import MODE_NAMES, Ending
from hotlap.highway.physics import DECISION_S, MPH
from hotlap.highway.supervisor import RULE_NAMES
from hotlap.units import SECONDS_PER_HOUR

KM_IN_A_RATE = 1000.0
COUNTED = (Ending.DONE, Ending.TIMED_OUT, Ending.CRASHED)
"""A mission that ended so was a try; one that was refused, or called off, was none."""

EGO_FAULT = Quantity("ego_fault_per_1000_km", "own fault / 1,000 km", ".2f", -1)
CRASHES = Quantity("crashes_per_1000_km", "all crashes / 1,000 km", ".2f", -1)
INTERVENTIONS = Quantity("interventions_per_hour", "interventions / hour", ",.0f", -1)
SPEED_ERROR = Quantity("speed_error_mph", "speed error, mph", ".2f", -1)
GAP = Quantity("gap_kept_s", "gap kept, s", ".2f", 0)
JERK = Quantity("jerk_rms_mps3", "jerk, rms m/s³", ".2f", -1)
OFF_LANE = Quantity("off_lane_percent", "off its lane, % of time", ".1f", -1)
REWARD = Quantity("reward_per_decision", "reward per decision", ".3f", 1)
SUCCESS = {mode: Quantity(f"{mode}_done_percent", f"{mode.replace('_', ' ')} done, %", ".1f", 1) for mode in MODE_NAMES}
TIME = {mode: Quantity(f"{mode}_time_s", f"{mode.replace('_', ' ')}, median s", ".1f", -1) for mode in MODE_NAMES}
TIMED_MODES = ("cruise", "lane_change", "overtake", "stop")
"""A hold is over after its time, so there is nothing to learn from how long it took."""


@dataclass(frozen=True)
class ModeFigures:
    """How missions of one mode ended."""

    done: int
    tried: int
    """Done, timed out, or ended by a crash."""
    refused: int
    """Those that could not be: the vehicle to overtake got away, say."""


@dataclass(frozen=True)
class HighwayFigures:
    """A driver at one density, with or without the supervisor."""

    episodes: int
    km: float
    hours: float
    crashes: int
    ego_fault: int
    rules: Mapping[str, int]
    """Decisions changed by each rule of the supervisor."""
    modes: Mapping[str, ModeFigures]
    estimates: Mapping[str, Estimate | None]
    """Every quantity by name."""

    def interventions_in_words(self) -> str:
        """How often in an hour each rule of the supervisor changed a decision."""
        used = [f"{rule} {count / self.hours:,.0f}" for rule, count in self.rules.items() if count]
        return "Interventions / hour by rule, supervised: " + (", ".join(used) or "none") + "."

    def measures(self, place: str) -> list[Measure]:
        """Every quantity, in the order of the tables."""
        return [Measure(place, quantity, self.estimates[quantity.name]) for quantity in QUANTITIES]

    def plain(self) -> dict[str, Any]:
        """As an object for JSON."""
        return {
            "episodes": self.episodes,
            "km": self.km,
            "hours": self.hours,
            "crashes": self.crashes,
            "ego_fault": self.ego_fault,
            "rules": dict(self.rules),
            "modes": {mode: vars(figures).copy() for mode, figures in self.modes.items()},
            "estimates": {name: None if each is None else each.plain() for name, each in self.estimates.items()},
        }


QUANTITIES = (
    EGO_FAULT,
    CRASHES,
    INTERVENTIONS,
    *(quantity for mode in TIMED_MODES for quantity in (SUCCESS[mode], TIME[mode])),
    SUCCESS["hold"],
    SPEED_ERROR,
    GAP,
    JERK,
    OFF_LANE,
    REWARD,
)


def figures_of(episodes: Sequence[Episode]) -> HighwayFigures:
    """All figures of some episodes; nothing else is needed for them."""
    metres = math.fsum(each.metres for each in episodes)
    seconds = DECISION_S * sum(each.decisions for each in episodes)
    modes = {mode: _mode_figures(mode, episodes) for mode in MODE_NAMES}
    return HighwayFigures(
        episodes=len(episodes),
        km=metres / 1000.0,
        hours=seconds / SECONDS_PER_HOUR,
        crashes=sum(each.crashed for each in episodes),
        ego_fault=sum(each.ego_fault for each in episodes),
        rules={rule: sum(each.rules.get(rule, 0) for each in episodes) for rule in RULE_NAMES},
        modes=modes,
        estimates={**_rates(episodes), **_missions(modes, episodes)},
    )


def _rates(episodes: Sequence[Episode]) -> dict[str, Estimate | None]:
    """What is counted and averaged over the whole drive; episodes are what varies."""
    thousands_km = math.fsum(each.metres for each in episodes) / 1000.0 / KM_IN_A_RATE
    decisions = [each.decisions for each in episodes]
    hours = [each.decisions * DECISION_S / SECONDS_PER_HOUR for each in episodes]
    squares = ratio([each.jerk_squares for each in episodes], decisions)
    error = ratio([each.speed_error_mps / MPH for each in episodes], [each.free for each in episodes])
    gap = ratio([each.gap_s for each in episodes], [each.following for each in episodes])
    return {
        EGO_FAULT.name: rate(sum(each.ego_fault for each in episodes), thousands_km),
        CRASHES.name: rate(sum(each.crashed for each in episodes), thousands_km),
        INTERVENTIONS.name: _not_negative(ratio([each.intervened for each in episodes], hours)),
        SPEED_ERROR.name: _not_negative(error),
        GAP.name: gap,
        JERK.name: _root(squares),
        OFF_LANE.name: _not_negative(ratio([100.0 * each.off_lane for each in episodes], decisions)),
        REWARD.name: ratio([each.reward for each in episodes], decisions),
    }


def _missions(modes: Mapping[str, ModeFigures], episodes: Sequence[Episode]) -> dict[str, Estimate | None]:
    found: dict[str, Estimate | None] = {}
    for mode, figures in modes.items():
        times = [
            end.duration_s
            for each in episodes
            for end in each.missions
            if (end.mode, end.outcome) == (mode, Ending.DONE)
        ]
        found[SUCCESS[mode].name] = _percent(share(figures.done, figures.tried))
        found[TIME[mode].name] = median(times)
    return found


def _mode_figures(mode: str, episodes: Sequence[Episode]) -> ModeFigures:
    outcomes = [end.outcome for each in episodes for end in each.missions if end.mode == mode]
    return ModeFigures(
        done=outcomes.count(Ending.DONE),
        tried=sum(outcome in COUNTED for outcome in outcomes),
        refused=outcomes.count(Ending.REFUSED),
    )


def _not_negative(estimate: Estimate | None) -> Estimate | None:
    return None if estimate is None else Estimate(estimate.value, max(estimate.low, 0.0), estimate.high)


def _percent(estimate: Estimate | None) -> Estimate | None:
    return None if estimate is None else Estimate(100 * estimate.value, 100 * estimate.low, 100 * estimate.high)


def _root(estimate: Estimate | None) -> Estimate | None:
    """Of a mean square, with the ends of its interval."""
    if estimate is None:
        return None
    return Estimate(*(math.sqrt(max(each, 0.0)) for each in (estimate.value, estimate.low, estimate.high)))
