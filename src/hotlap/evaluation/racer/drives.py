"""Drive a policy round a track from every start there is, all at once, and keep what happened."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotlap.evaluation.racer.figures import DriveLimits, Figures, FloatArray, Targets, Trace
from hotlap.evaluation.racer.stretches import MOTION, Columns, driven_stretches
from hotlap.policies import Policy
from hotlap.progress import bar
from hotlap.racer.cars import CLASSIC
from hotlap.racer.config import EpisodeLimits, RacerConfig
from hotlap.racer.physics import GATE_COUNT, ROAD, TICKS_PER_SECOND
from hotlap.racer.tracks import Track
from hotlap.racer.world import RacerWorld

Flags = NDArray[np.bool_]
GRID = GATE_COUNT
STARTS = GATE_COUNT + 1


class Lap(NamedTuple):
    """One lap as it was counted."""

    ticks: int
    clean: bool


class Drives:
    """Cars from rest at each gate (0 to 29) and on the grid (30), once for every delay; driven on construction."""

    def __init__(
        self, policy: Policy, track: Track, delays: Sequence[int], limits: DriveLimits, car: str = CLASSIC
    ) -> None:
        self.delays = tuple(delays)
        self.limits = limits
        count = STARTS * len(self.delays)
        config = RacerConfig(episode=EpisodeLimits(maxSteps=limits.ticks_on(track, car)))
        world = RacerWorld(count, track, config, observation=policy.layout, threads=1, car=car)
        self.car = car
        self._line_up(world)
        self.laps: list[list[Lap]] = [[] for _ in range(count)]
        self.wall_ticks = np.zeros(count, np.int64)
        self.off_road_ticks = np.zeros(count, np.int64)
        self.first_lap_return = np.zeros(count)
        self.driven_ticks = np.zeros(count, np.int64)
        self._log: list[FloatArray] = []
        policy.reset(np.arange(count))
        self._drive(policy, world)

    def _line_up(self, world: RacerWorld) -> None:
        rng = np.random.default_rng(0)
        for car in range(world.count):
            start = car % STARTS
            place: dict[str, Any] = {"start": "grid"} if start == GRID else {"start": "gate", "gate": start}
            world.begin(car, rng, {**place, "track": 0, "action_delay": self.delays[car // STARTS]})

    def _drive(self, policy: Policy, world: RacerWorld) -> None:
        """Until every car has done its laps, parked for good, or run out of time."""
        driving = np.ones(world.count, np.bool_)
        with bar(world.config.episode.maxSteps, "ticks", world.tracks[0].track_id) as advance:
            for columns in driven_stretches(policy, world):
                driving = self._note(columns, driving)
                advance(len(columns["reward"]))
                if not driving.any():
                    break

    def _note(self, columns: Columns, driving: Flags) -> Flags:
        """Add some ticks to the books of the cars that drive; who still drives after them."""
        complete, ended = columns["lap_complete"] > 0, (columns["terminated"] | columns["truncated"]) > 0
        laps = np.array([len(each) for each in self.laps]) + np.cumsum(complete, axis=0)
        gone = np.logical_or.accumulate(ended | (laps >= self.limits.laps), axis=0)
        drives = driving & ~np.concatenate([np.zeros_like(gone[:1]), gone[:-1]])
        self._note_facts(columns, drives)
        on_first_lap = drives & (laps == complete)
        self.first_lap_return += np.where(on_first_lap, columns["reward"], 0.0).sum(axis=0)
        for tick, car in np.argwhere(complete & drives).tolist():
            ticks, clean = columns["last_lap_ticks"][tick, car], columns["lap_clean"][tick, car]
            self.laps[car].append(Lap(int(ticks), bool(clean)))
        still: Flags = driving & ~gone[-1]
        return still

    def _note_facts(self, columns: Columns, drives: Flags) -> None:
        """Where the cars were that drive; of those from the grid, all of it."""
        off_road, wall = columns["surface"] != ROAD, (columns["wall_contact"] | columns["collided"]) > 0
        self.driven_ticks += drives.sum(axis=0)
        self.wall_ticks += (wall & drives).sum(axis=0)
        self.off_road_ticks += (off_road & drives).sum(axis=0)
        grip_used = np.maximum(columns["grip_used_front"], columns["grip_used_rear"])
        rows = [*(columns[name] for name in MOTION), grip_used, off_road, wall]
        self._log.append(np.array([row[:, GRID::STARTS] for row in rows], np.float64))

    def trace(self, delay: int) -> Trace:
        """The drive of the car that began on the grid."""
        group = self.delays.index(delay)
        car = group * STARTS + GRID
        *motion, off_road, wall = np.concatenate(self._log, axis=1)[:, : self.driven_ticks[car], group]
        x, y, arc, speed, throttle, brake, grip_used = motion
        ends = np.cumsum([lap.ticks for lap in self.laps[car]], dtype=np.int64)
        clean = tuple(lap.clean for lap in self.laps[car])
        return Trace(
            x_u=x,
            y_u=y,
            arc_u=arc,
            speed_ups=speed,
            off_road=off_road > 0,
            wall=wall > 0,
            lap_ends=tuple(ends.tolist()),
            lap_clean=clean,
            throttle=throttle,
            brake=brake,
            grip_used=None if self.car == CLASSIC else grip_used,
        )

    def figures(self, delay: int, targets: Targets) -> Figures:
        """What the cars with this delay did, in numbers."""
        first = self.delays.index(delay) * STARTS
        cars = slice(first, first + STARTS)
        laps = self.laps[cars]
        flying = [lap.ticks for each in laps for lap in each[1:]]
        clean = [lap.ticks for each in laps for lap in each[1:] if lap.clean]
        standing = laps[GRID][0] if laps[GRID] else None
        failed = tuple(gate for gate in range(GATE_COUNT) if not laps[gate])
        best_clean_s = _seconds(min, clean)
        return Figures(
            delay=delay,
            gates=GATE_COUNT,
            gates_completed=GATE_COUNT - len(failed),
            gates_failed=failed,
            grid_completed=standing is not None,
            standing_lap_s=standing.ticks / TICKS_PER_SECOND if standing else None,
            standing_lap_clean=standing.clean if standing else None,
            flying_laps=len(flying),
            flying_clean_laps=len(clean),
            flying_best_s=_seconds(min, flying),
            flying_mean_s=_seconds(np.mean, flying),
            flying_spread_s=_seconds(np.std, flying),
            flying_best_clean_s=best_clean_s,
            flying_mean_clean_s=_seconds(np.mean, clean),
            flying_spread_clean_s=_seconds(np.std, clean),
            reference_lap_s=targets.reference_lap_s,
            percent_over_reference=percent_over(best_clean_s, targets.reference_lap_s),
            limit_lap_s=targets.limit_lap_s,
            percent_over_limit=percent_over(best_clean_s, targets.limit_lap_s),
            wall_ticks=int(self.wall_ticks[cars].sum()),
            off_road_ticks=int(self.off_road_ticks[cars].sum()),
            lap_return=float(self.first_lap_return[cars].mean()),
        )


def _seconds(summary: Callable[[list[int]], Any], ticks: list[int]) -> float | None:
    """A summary of lap lengths in seconds, where there are any."""
    return float(summary(ticks)) / TICKS_PER_SECOND if ticks else None


def percent_over(lap_s: float | None, target_s: float | None) -> float | None:
    """How much longer a lap is than the one it is measured against, in percent."""
    if lap_s is None or target_s is None:
        return None
    return 100.0 * (lap_s / target_s - 1.0)
