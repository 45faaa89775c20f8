"""What the expert reads out of an observation: itself and its mission, and the vehicles around it, in SI units."""

from typing import NamedTuple

from hotlap.highway.fleet import Float64Array
from hotlap.highway.physics import HARD_BRAKE_MPS2, TOP_SPEED_MPS
from hotlap.highway.sensors import (
    FIELDS_PER_LANE,
    LANES_AT,
    LANES_SCALE,
    MISSION_AT,
    RANGE_M,
    RELATIVE_SPEED_MPS,
    TARGET_GAP_S,
    TARGETS_AT,
    gap_seen_m,
)
from hotlap.kernel import kernel

SIGHTLESS = 0.999
"""From this share of the sensors' range on there is nobody to be seen, or a speed is beyond what they tell."""
STOP_MODE = 4


class View(NamedTuple):
    """What the driver knows about itself and its mission, in SI units; lanes are counted from where it is."""

    speed_mps: float
    accel_mps2: float
    limit_mps: float
    offset: float
    """From the middle of its lane, to the right positive; exactly 0 when it is in no lane change."""
    drift: float
    """Which way it moves sideways: negative to the left."""
    stops: bool
    target_speed_mps: float
    headway_s: float
    lanes_to_go: float


class LaneView(NamedTuple):
    """Who is ahead and behind in a lane; with nobody there the gap is beyond sight and the speed the ego's."""

    exists: bool
    gap_ahead_m: float
    ahead_mps: float
    gap_behind_m: float
    behind_mps: float


@kernel
def view_of(seen: Float64Array, at: int) -> View:
    """Read the ego and its mission out of the observation that begins at an element."""
    return View(
        speed_mps=seen[at + 3] * TOP_SPEED_MPS,
        accel_mps2=seen[at + 4] * HARD_BRAKE_MPS2,
        limit_mps=seen[at + 5] * TOP_SPEED_MPS,
        offset=seen[at + 1],
        drift=seen[at + 2],
        stops=seen[at + MISSION_AT + STOP_MODE] > 0.5,
        target_speed_mps=seen[at + TARGETS_AT] * TOP_SPEED_MPS,
        headway_s=seen[at + TARGETS_AT + 1] * TARGET_GAP_S,
        lanes_to_go=seen[at + TARGETS_AT + 2] * LANES_SCALE,
    )


@kernel
def lane_view(seen: Float64Array, at: int, side: int) -> LaneView:
    """Read a lane out of an observation: 0 is the ego's own, -1 the one to the left, 1 to the right."""
    lane = at + LANES_AT + FIELDS_PER_LANE * (0 if side == 0 else 1 if side < 0 else 2)
    speed = seen[at + 3] * TOP_SPEED_MPS
    faster = seen[lane + 4]
    # Somebody so much faster that the sensor no longer says how much may be as fast as can be.
    behind = TOP_SPEED_MPS if faster > SIGHTLESS else speed + faster * RELATIVE_SPEED_MPS
    return LaneView(
        exists=seen[lane] > 0.5,
        gap_ahead_m=gap_seen_m(seen[lane + 1]),
        ahead_mps=max(speed + seen[lane + 2] * RELATIVE_SPEED_MPS, 0.0),
        gap_behind_m=gap_seen_m(seen[lane + 3]),
        behind_mps=behind,
    )


@kernel
def is_in_sight(gap_m: float) -> bool:
    """Whether there is somebody at the end of a gap."""
    return gap_m < SIGHTLESS * RANGE_M


@kernel
def is_between_lanes(view: View) -> bool:
    """Whether a lane change is underway."""
    return view.offset != 0.0


@kernel
def is_leaving(view: View) -> bool:
    """Whether a lane change is in its first half: the lane it leaves is still its own."""
    return is_between_lanes(view) and view.offset * view.drift > 0.0


@kernel
def wished_side(view: View) -> int:
    """Which way the mission's lane lies, 0 when the ego is in it."""
    return int(view.lanes_to_go > 0.5) - int(view.lanes_to_go < -0.5)
