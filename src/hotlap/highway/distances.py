"""Safe distances: who keeps them can stop behind the vehicle ahead, however hard that one brakes.

Every vehicle can brake with the same b. A vehicle that brakes with b from speed v stops after v² / 2b, and while two
vehicles brake equally hard the gap between them only shrinks if the rear one is faster. So a gap is safe when it is
one now, and still is when both have stopped:

    gap ≥ margin   and   gap + v_front² / 2b ≥ stopping distance of the rear + margin

Braking with b keeps a safe gap safe, whatever the vehicle ahead does: hence traffic that chooses, tick by tick, no more
acceleration than keeps its gap safe never touches anything. If B keeps a safe gap to C and A to B, A has one to C: when
B leaves the lane nothing is lost.

The ego's brakes take a moment to bite, so its stopping distance begins with that.
"""

import math

from hotlap.highway.physics import BRAKE_JERK_MPS3, HARD_BRAKE_MPS2, SAFE_MARGIN_M, TICK_S
from hotlap.kernel import kernel


@kernel
def moved_m(speed_mps: float, accel_mps2: float) -> float:
    """The way of one tick at a constant acceleration; a vehicle that stops on the way stays."""
    after = speed_mps + accel_mps2 * TICK_S
    if after >= 0.0:
        return 0.5 * (speed_mps + after) * TICK_S
    return -0.5 * speed_mps * speed_mps / accel_mps2


@kernel
def stopping_m(speed_mps: float) -> float:
    """The way to a stop with the brakes already biting: v² / 2b."""
    return speed_mps * speed_mps / (2.0 * HARD_BRAKE_MPS2)


@kernel
def ego_stopping_m(speed_mps: float, accel_mps2: float) -> float:
    """The ego's way to a stop from an acceleration, braking harder in every tick until it brakes as hard as it can."""
    way = 0.0
    accel = accel_mps2 - BRAKE_JERK_MPS3 * TICK_S
    while accel > -HARD_BRAKE_MPS2 and (speed_mps > 0.0 or accel > 0.0):
        way += moved_m(speed_mps, accel)
        speed_mps = max(speed_mps + accel * TICK_S, 0.0)
        accel -= BRAKE_JERK_MPS3 * TICK_S
    return way + stopping_m(speed_mps)


@kernel
def is_safe(gap_m: float, rear_stopping_m: float, front_speed_mps: float) -> bool:
    """Whether a gap is safe: one now, and still one when both have stopped."""
    return (gap_m >= SAFE_MARGIN_M) & (gap_m + stopping_m(front_speed_mps) >= rear_stopping_m + SAFE_MARGIN_M)


@kernel
def is_safe_after(gap_m: float, front_speed_mps: float, way_m: float, rear_stopping_m: float) -> bool:
    """Whether a gap is still safe after a tick in which the rear one goes `way_m` and the front one may brake hard."""
    room = gap_m - SAFE_MARGIN_M - way_m
    front_way = moved_m(front_speed_mps, -HARD_BRAKE_MPS2)
    return (room + front_way >= 0.0) & (room + stopping_m(front_speed_mps) >= rear_stopping_m)


@kernel
def safe_accel_mps2(gap_m: float, speed_mps: float, front_speed_mps: float, wanted_mps2: float) -> float:
    """The acceleration nearest to the wanted one that leaves a vehicle of the traffic a safe gap after a tick.

    With u the speed after the tick, (v + u) dt / 2 + u² / 2b must not exceed the room there is when the front vehicle
    has stopped, and (v + u) dt / 2 not the room after the tick.
    """
    wanted_after = max(speed_mps + wanted_mps2 * TICK_S, 0.0)
    way = moved_m(speed_mps, wanted_mps2)
    if is_safe_after(gap_m, front_speed_mps, way, stopping_m(wanted_after)):
        return wanted_mps2
    b = HARD_BRAKE_MPS2
    room = gap_m - SAFE_MARGIN_M
    at_last = room + stopping_m(front_speed_mps) - 0.5 * speed_mps * TICK_S
    square = 0.25 * TICK_S * TICK_S + 2.0 * at_last / b
    after = b * (math.sqrt(max(square, 0.0)) - 0.5 * TICK_S)
    after_tick = 2.0 * (room + moved_m(front_speed_mps, -b)) / TICK_S - speed_mps
    # A hair less, so that rounding never leaves a gap a hair too short.
    after = min(after, after_tick) - 1e-9
    if after <= 0.0:
        return -b
    return max(min((after - speed_mps) / TICK_S, wanted_mps2), -b)
