"""What an evaluation finds, as plain values: per track and per delay, next to what others do there."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.errors import ConfigError
from hotlap.evaluation.measures import Measure, document
from hotlap.evaluation.racer.quantities import measures_of, telemetry_measures
from hotlap.evaluation.racer.telemetry import LapTelemetry
from hotlap.evaluation.request import EvaluationOptions
from hotlap.racer.cars import CLASSIC
from hotlap.racer.physics import TICKS_PER_SECOND
from hotlap.racer.tracks import Track

FloatArray = NDArray[np.float64]
LEAST_TICKS = 6000
UNHURRIED_UPS = 60.0
UNHURRIED_MPS = 20.0
"""Whoever drives at least so fast has time for all laps: the classic car, and cars with grip."""


@dataclass(frozen=True)
class DriveLimits:
    """When a car has driven enough."""

    laps: int = EvaluationOptions.laps
    """Laps each car drives: a standing one, the rest flying; 2 or more."""
    steps: int | None = EvaluationOptions.steps
    """Ticks each car has for them, 60 a second, 100 or more; by default 6,000, and more on long tracks."""

    def __post_init__(self) -> None:
        """Refuse limits that leave nothing to measure."""
        if self.laps < 2 or not 100 <= (self.steps or LEAST_TICKS) <= 1_000_000:
            raise ConfigError(
                f"cannot evaluate {self.laps} laps in {self.steps} steps: use 2 laps or more, 100 to 1000000 steps."
            )

    def ticks_on(self, track: Track, car: str = CLASSIC) -> int:
        """Ticks each car has on a track."""
        unhurried_s = self.laps * track.length_u / (UNHURRIED_UPS if car == CLASSIC else UNHURRIED_MPS)
        return self.steps or max(LEAST_TICKS, round(unhurried_s * TICKS_PER_SECOND))


@dataclass(frozen=True)
class Figures:
    """How a driver did on one track with one delay, over the grid start and a start from rest at every gate.

    Times are seconds, None where there is no such lap. A lap is clean when the car's centre never left the road and no
    wall was touched; otherwise it is cut. The first lap is the standing one, those after it are flying.
    """

    delay: int
    """Ticks between deciding and acting."""
    gates: int
    """Gates there are to start from."""
    gates_completed: int
    """Gates from which a lap was completed."""
    gates_failed: tuple[int, ...]
    """The others, by number."""
    grid_completed: bool
    """Whether a lap was completed from the grid."""
    standing_lap_s: float | None
    """The first lap from the grid."""
    standing_lap_clean: bool | None
    """Whether it was clean."""
    flying_laps: int
    """Flying laps driven, over all starts."""
    flying_clean_laps: int
    """How many of them were clean."""
    flying_best_s: float | None
    """The fastest, clean or cut."""
    flying_mean_s: float | None
    """Their mean."""
    flying_spread_s: float | None
    """Their standard deviation."""
    flying_best_clean_s: float | None
    """The fastest clean one."""
    flying_mean_clean_s: float | None
    """Mean of the clean ones."""
    flying_spread_clean_s: float | None
    """Standard deviation of the clean ones."""
    reference_lap_s: float | None
    """The reference lap of the track."""
    percent_over_reference: float | None
    """How much longer the fastest clean flying lap is, in percent."""
    limit_lap_s: float | None
    """The limit of a car with grip on the track."""
    percent_over_limit: float | None
    """How much longer the fastest clean flying lap is than that, in percent."""
    wall_ticks: int
    """Ticks with a wall within two units, over all starts and laps."""
    off_road_ticks: int
    """Ticks with the car's centre off the road, over all starts and laps."""
    lap_return: float
    """Reward under the default rules from the start to the end of the first lap, or of the drive; mean over starts."""

    def plain(self) -> dict[str, Any]:
        """As an object for JSON, where `lap_return` is called `return`."""
        values = asdict(self)
        values["return"] = values.pop("lap_return")
        values["gates_failed"] = list(self.gates_failed)
        return values

    def below(self, percent: float) -> list[str]:
        """What falls short of completing every start and a clean flying lap within so many percent of the reference."""
        lacks = []
        if not self.grid_completed or self.gates_completed < self.gates:
            lacks.append(f"{self.gates_completed + self.grid_completed} of {self.gates + 1} starts completed")
        over = self.percent_over_reference
        if over is None:
            lacks.append("no clean flying lap to set against a reference")
        elif over > percent:
            lacks.append(f"{over:.2f} % over the reference, more than {percent:g} %")
        return lacks


@dataclass(frozen=True, eq=False)
class Trace:
    """One car's drive, tick by tick; every array (ticks,)."""

    x_u: FloatArray
    y_u: FloatArray
    arc_u: FloatArray
    speed_ups: FloatArray
    off_road: NDArray[np.bool_]
    wall: NDArray[np.bool_]
    lap_ends: tuple[int, ...]
    """Ticks driven when each lap ended."""
    lap_clean: tuple[bool, ...]
    """Whether each was clean."""
    throttle: FloatArray
    brake: FloatArray
    """The pedals as smoothed."""
    grip_used: FloatArray | None = None
    """Share of the grip in use, of the axle that uses more; None for the classic car."""

    def part(self, first: int, last: int) -> "Trace":
        """The ticks from `first` up to `last` alone."""
        return Trace(
            x_u=self.x_u[first:last],
            y_u=self.y_u[first:last],
            arc_u=self.arc_u[first:last],
            speed_ups=self.speed_ups[first:last],
            off_road=self.off_road[first:last],
            wall=self.wall[first:last],
            lap_ends=(),
            lap_clean=(),
            throttle=self.throttle[first:last],
            brake=self.brake[first:last],
            grip_used=None if self.grip_used is None else self.grip_used[first:last],
        )

    def standing(self) -> "Trace":
        """The first lap, or all there is when it was never finished."""
        return self.part(0, self.lap_ends[0] if self.lap_ends else len(self.x_u))

    def flying(self) -> "Trace | None":
        """The fastest clean lap after the first; failing that the fastest cut one."""
        laps = [
            (not clean, end - begin, begin)
            for begin, end, clean in zip(self.lap_ends, self.lap_ends[1:], self.lap_clean[1:], strict=False)
        ]
        if not laps:
            return None
        _, ticks, begin = min(laps)
        return self.part(begin, begin + ticks)


@dataclass(frozen=True)
class OriginalDriver:
    """What the driver shipped with the original game did on a track."""

    finishes: bool
    standing_lap_s: float | None = None
    flying_best_s: float | None = None


@dataclass(frozen=True)
class Targets:
    """What laps are measured against, in seconds; None where there is no such lap."""

    reference_lap_s: float | None = None
    limit_lap_s: float | None = None


@dataclass(frozen=True)
class ReferenceFigures:
    """The reference lap of a track."""

    lap_s: float
    """Flying and clean."""
    standing_lap_s: float | None = None
    """The same driver's first lap from rest on the grid; the classic car only."""
    shortest_path_s: float | None = None
    """Shortest on-road path at top speed: no lap of the classic car can be faster."""


@dataclass(frozen=True, eq=False)
class TrackEvaluation:
    """A driver on one track, and what there is to compare it with."""

    track: str
    """Its id, as `load_track` knows it."""
    name: str
    """What people call it."""
    length_u: float
    by_delay: tuple[Figures, ...]
    """Without delay, then with one tick between deciding and acting."""
    reference: ReferenceFigures | None
    human: Figures | None
    """The casual human, without delay."""
    original: OriginalDriver | None
    traces: Mapping[int, Trace] = field(repr=False)
    """The drive from the grid, by delay."""
    course: Track = field(repr=False)
    """The track itself, for the map."""
    human_trace: Trace | None = field(default=None, repr=False)
    car: str = CLASSIC
    """The car that was driven."""
    limit_lap_s: float | None = None
    """The quasi-steady lap of a car with grip on its fastest line: nothing is faster."""
    telemetry: LapTelemetry | None = None
    """Of the best flying lap from the grid without delay; cars with grip only."""

    def plain(self) -> dict[str, Any]:
        """As an object for JSON."""
        return {
            "name": self.name,
            "length_u": self.length_u,
            "delay": {str(figures.delay): figures.plain() for figures in self.by_delay},
            "reference": None if self.reference is None else asdict(self.reference),
            "human": None if self.human is None else self.human.plain(),
            "original": None if self.original is None else asdict(self.original),
            "car": self.car,
            "limit_lap_s": self.limit_lap_s,
            "telemetry": None if self.telemetry is None else self.telemetry.plain(),
        }


@dataclass(frozen=True, eq=False)
class RacerEvaluation:
    """A driver on every track asked for."""

    driver: str
    about: Mapping[str, Any]
    """What is known about it: where it came from, its layout, how it was trained."""
    tracks: Sequence[TrackEvaluation]
    limits: DriveLimits = field(default_factory=DriveLimits)
    """How far every car drove."""
    world: str = "racer"

    def setup(self) -> dict[str, Any]:
        """What was driven."""
        return {"tracks": [track.track for track in self.tracks], **asdict(self.limits)}

    def measures(self) -> list[Measure]:
        """Every figure of every track and delay."""
        return [
            measure
            for track in self.tracks
            for figures in track.by_delay
            for measure in measures_of(f"{track.track}, {late(figures.delay)}", figures)
        ] + [
            measure
            for track in self.tracks
            if track.car != CLASSIC
            for measure in telemetry_measures(f"{track.track}, best flying lap", track.telemetry)
        ]

    def plain(self) -> dict[str, Any]:
        """As an object for JSON."""
        return document(self, tracks={track.track: track.plain() for track in self.tracks})

    def below(self, percent: float) -> list[str]:
        """What falls short of completing every start and a clean flying lap within so many percent of the reference."""
        return [
            f"{track.track}, delay {figures.delay}: {lack}"
            for track in self.tracks
            for figures in track.by_delay
            for lack in figures.below(percent)
        ]


def late(delay: int) -> str:
    """A delay in words."""
    return "no delay" if delay == 0 else f"{delay} tick late"
