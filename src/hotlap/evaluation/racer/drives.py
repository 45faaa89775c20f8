"""Drive a policy round a track from every start there is, all at once, and keep what happened."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotlap.evaluation.racer.figures import DriveLimits, Figures, FloatArray, Targets, Trace
from hotlap.policies import Policy
from hotlap.progress import bar
from hotlap.racer.cars import CLASSIC
from hotlap.racer.config import EpisodeLimits, RacerConfig
from hotlap.racer.physics import GATE_COUNT, ROAD, TICKS_PER_SECOND
from hotlap.racer.tracks import Track
from hotlap.racer.world import RacerWorld

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
        self._on_first_lap = np.ones(count, np.bool_)
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
            while driving.any():
                world.advance(policy.act(world.observation, world))
                self._note(world, driving)
                if world.out.lap_complete.any():
                    self._note_laps(world, driving)
                driving &= ~(world.terminated | world.truncated)
                advance(1)

    def _note_laps(self, world: RacerWorld, driving: NDArray[np.bool_]) -> None:
        """Keep the laps that just ended; who has driven enough of them stops."""
        for car in np.flatnonzero(driving & (world.out.lap_complete > 0)):
            self.laps[car].append(Lap(int(world.out.last_lap_ticks[car]), bool(world.out.lap_clean[car])))
            self._on_first_lap[car] = False
            driving[car] = len(self.laps[car]) < self.limits.laps

    def _note(self, world: RacerWorld, driving: NDArray[np.bool_]) -> None:
        """Add one tick to the books of the cars that are still driving; of those from the grid, all of it."""
        fleet, out = world.fleet, world.out
        off_road, wall = fleet.surface != ROAD, (out.wall_contact | out.collided) > 0
        self.driven_ticks += driving
        self.wall_ticks += wall & driving
        self.off_road_ticks += off_road & driving
        np.add(self.first_lap_return, world.reward, out=self.first_lap_return, where=driving & self._on_first_lap)
        motion = (fleet.x_u, fleet.y_u, fleet.arc_u, fleet.speed_ups, fleet.throttle, fleet.brake)
        grip = world.grip
        grip_used = np.maximum(grip.grip_used_front[GRID::STARTS], grip.grip_used_rear[GRID::STARTS])
        row = [*(column[GRID::STARTS] for column in motion), grip_used, off_road[GRID::STARTS], wall[GRID::STARTS]]
        self._log.append(np.array(row, np.float64))

    def trace(self, delay: int) -> Trace:
        """The drive of the car that began on the grid."""
        group = self.delays.index(delay)
        car = group * STARTS + GRID
        *motion, off_road, wall = np.stack(self._log[: self.driven_ticks[car]], axis=1)[:, :, group]
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
