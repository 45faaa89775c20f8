"""What a lap of a car with grip was made of: sectors, where it braked and how hard, and how much grip it used."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hotlap.racer.physics import TICKS_PER_SECOND
from hotlap.units import KMH_PER_MPS

if TYPE_CHECKING:
    from hotlap.evaluation.racer.figures import Trace

SECTORS = 3
BRAKING = 0.1
"""A brake pedal beyond this counts as braking."""
APART_TICKS = 20
"""A foot off the brake for less than this is still the same braking."""
FULL_THROTTLE = 0.95
AT_THE_LIMIT = 0.9


@dataclass(frozen=True)
class BrakingPoint:
    """One braking: where along the lap it began, and the speeds it was between."""

    at_m: float
    from_kmh: float
    to_kmh: float


@dataclass(frozen=True)
class LapTelemetry:
    """One flying lap."""

    sectors_s: tuple[float, ...]
    """Seconds in each third of the lap."""
    braking_points: tuple[BrakingPoint, ...]
    braking_share: float
    """Share of the lap with a foot on the brake."""
    full_throttle_share: float
    mean_grip_used: float
    """Of the axle that was used more, 0 to 1, over the lap."""
    limit_share: float
    """Share of the lap at nine tenths of the grip or more."""
    top_speed_kmh: float
    lowest_speed_kmh: float

    def plain(self) -> dict[str, Any]:
        """As an object for JSON."""
        return asdict(self)


def telemetry_lines(lap: LapTelemetry) -> list[str]:
    """The same in words."""
    sectors = ", ".join(f"{seconds:.2f}" for seconds in lap.sectors_s)
    speeds = f"{lap.lowest_speed_kmh:.0f} to {lap.top_speed_kmh:.0f} km/h"
    brakings = f"braking {lap.braking_share:.0%} of the lap, {len(lap.braking_points)} times"
    limit = f"at the limit (90 % and more) {lap.limit_share:.0%} of the lap"
    return [
        f"sectors {sectors} s; {speeds}; full throttle {lap.full_throttle_share:.0%}, {brakings}",
        f"grip used {lap.mean_grip_used:.0%} on average; {limit}",
    ]


def lap_telemetry(lap: "Trace | None", length_u: float) -> LapTelemetry | None:
    """The telemetry of a lap; None where there is none, or where its car has no tyres."""
    if lap is None or lap.grip_used is None or len(lap.x_u) == 0:
        return None
    speed_kmh = lap.speed_ups * KMH_PER_MPS
    third = np.minimum((lap.arc_u / length_u * SECTORS).astype(int), SECTORS - 1)
    return LapTelemetry(
        sectors_s=tuple(float((third == k).sum()) / TICKS_PER_SECOND for k in range(SECTORS)),
        braking_points=tuple(_braking_points(lap)),
        braking_share=float((lap.brake > BRAKING).mean()),
        full_throttle_share=float((lap.throttle > FULL_THROTTLE).mean()),
        mean_grip_used=float(lap.grip_used.mean()),
        limit_share=float((lap.grip_used >= AT_THE_LIMIT).mean()),
        top_speed_kmh=float(speed_kmh.max()),
        lowest_speed_kmh=float(speed_kmh.min()),
    )


def _braking_points(lap: "Trace") -> list[BrakingPoint]:
    """Each time the foot goes to the brake and stays, up to where it leaves it for a while."""
    ticks = np.flatnonzero(lap.brake > BRAKING)
    if len(ticks) == 0:
        return []
    parts = np.split(ticks, np.flatnonzero(np.diff(ticks) > APART_TICKS) + 1)
    return [
        BrakingPoint(
            at_m=float(lap.arc_u[part[0]]),
            from_kmh=float(lap.speed_ups[part[0]]) * KMH_PER_MPS,
            to_kmh=float(lap.speed_ups[part[-1]]) * KMH_PER_MPS,
        )
        for part in parts
    ]
