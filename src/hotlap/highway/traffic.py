"""Traffic: the intelligent-driver model lengthwise, MOBIL lane changes, and gaps that stay safe.

Treiber, Hennecke and Helbing, "Congested traffic states in empirical observations and microscopic simulations",
Physical Review E 62 (2000); Kesting, Treiber and Helbing, "General lane-changing model MOBIL for car-following models",
Transportation Research Record 1999 (2007).
"""

from typing import NamedTuple

from hotlap.highway.distances import ego_stopping_m, is_safe, safe_accel_mps2, stopping_m
from hotlap.highway.fleet import NOBODY, Rules, Scratch, Vehicles
from hotlap.highway.physics import (
    ADVERSARY,
    BRAKE_CHECK_M,
    BRAKES_APART_TICKS,
    BRAKES_EVERY_TICKS,
    BRAKES_FOR_TICKS,
    CHANGE_GAIN_MPS2,
    CUT_IN_TICKS,
    CUTS_IN_FROM_M,
    CUTS_IN_TO_M,
    CUTTER,
    HARD_BRAKE_MPS2,
    HARD_BRAKER,
    MOST_LANES_AND_SHOULDER,
    POLITE,
    SAFE_BRAKE_MPS2,
    STANDSTILL_GAP_M,
    THINKING_TICKS,
)
from hotlap.highway.road import clamp, gap_m, is_in_lane, lane_limit_mps, neighbours
from hotlap.kernel import kernel

TOO_BAD = -1e9


@kernel
def idm_accel_mps2(vehicles: Vehicles, i: int, wanted_mps: float, gap: float, front_speed_mps: float) -> float:
    """The intelligent-driver model: a (1 - (v / v0)⁴ - (s* / s)²), s* = s0 + max(0, v T + v Δv / 2√(a b))."""
    speed = vehicles.speed_mps[i]
    closing = speed * (speed - front_speed_mps) * vehicles.approach[i]
    desired = STANDSTILL_GAP_M + max(0.0, speed * vehicles.headway_s[i] + closing)
    share = speed / wanted_mps
    crowding = desired / max(gap, 0.1)
    accel = vehicles.max_accel_mps2[i] * (1.0 - share * share * share * share - crowding * crowding)
    return clamp(accel, -HARD_BRAKE_MPS2, vehicles.max_accel_mps2[i])


@kernel
def wanted_speed_mps(vehicles: Vehicles, i: int, lane: int, rules: Rules) -> float:
    """How fast a driver would go in a lane if nobody were there."""
    return vehicles.pace[i] * lane_limit_mps(lane, rules)


@kernel
def accel_behind(vehicles: Vehicles, i: int, front: int, lane: int, rules: Rules) -> float:
    """What the model wants in a lane behind a vehicle, or behind NOBODY."""
    front_speed = vehicles.speed_mps[front] if front >= 0 else vehicles.speed_mps[i]
    return idm_accel_mps2(
        vehicles, i, wanted_speed_mps(vehicles, i, lane, rules), gap_m(vehicles, i, front), front_speed
    )


@kernel
def safely_behind(vehicles: Vehicles, i: int, front: int, lane: int, rules: Rules) -> float:
    """What the model wants behind a vehicle, and no more than keeps the gap safe."""
    wanted = accel_behind(vehicles, i, front, lane, rules)
    if front < 0:
        return wanted
    return safe_accel_mps2(gap_m(vehicles, i, front), vehicles.speed_mps[i], vehicles.speed_mps[front], wanted)


@kernel
def is_close_behind(vehicles: Vehicles, first: int, i: int) -> bool:
    """Whether the ego is near behind a vehicle, in its lane."""
    gap = gap_m(vehicles, first, i)
    return (0.0 < gap < BRAKE_CHECK_M) and is_in_lane(vehicles, first, vehicles.target_lane[i])


@kernel
def rude_accel_mps2(vehicles: Vehicles, first: int, i: int, tick: int, accel_mps2: float) -> float:
    """What becomes of an impolite driver's acceleration: now and then it brakes as hard as it can.

    That is no danger to who follows with a safe gap. Also counts down for how long one that cut in answers for it.
    """
    phase = (tick + BRAKES_APART_TICKS * (i - first)) % BRAKES_EVERY_TICKS
    manner = vehicles.manner[i]
    if vehicles.cut_in[i] > 0:
        vehicles.cut_in[i] = 0 if leaves_safe_gap(vehicles, first, first, i) else vehicles.cut_in[i] - 1
    if manner == HARD_BRAKER and phase < BRAKES_FOR_TICKS:
        return -HARD_BRAKE_MPS2
    if (
        manner == ADVERSARY
        and phase % (4 * BRAKES_FOR_TICKS) < BRAKES_FOR_TICKS
        and is_close_behind(vehicles, first, i)
    ):
        return -HARD_BRAKE_MPS2
    return accel_mps2


@kernel
def write_accelerations(vehicles: Vehicles, first: int, road: int, tick: int, notes: Scratch, rules: Rules) -> None:
    """The acceleration of every vehicle of a road but the ego, from front to back.

    A vehicle keeps its distance to the next one of the traffic in each of its lanes, and to the ego where that is
    between: so the traffic's own gaps stay safe even behind an ego that drives like mad.
    """
    slots = int(rules.slots)
    lanes = road * MOST_LANES_AND_SHOULDER
    for lane in range(MOST_LANES_AND_SHOULDER):
        notes.front[lanes + lane] = NOBODY
        notes.ego_front[lanes + lane] = 0
    for k in range(slots):
        i = first + vehicles.order[first + k]
        here, there = vehicles.lane[i], vehicles.target_lane[i]
        if here < 0:
            break
        if i == first:
            notes.ego_front[lanes + here] = 1
            notes.ego_front[lanes + there] = 1
            continue
        # The lane it is going to decides how fast it would like to be.
        accel = safely_behind(vehicles, i, notes.front[lanes + there], there, rules)
        if here != there:
            accel = min(accel, safely_behind(vehicles, i, notes.front[lanes + here], there, rules))
        if notes.ego_front[lanes + here] | notes.ego_front[lanes + there]:
            accel = min(accel, safely_behind(vehicles, i, first, there, rules))
        if vehicles.manner[i] != POLITE:
            accel = rude_accel_mps2(vehicles, first, i, tick, accel)
        vehicles.accel_mps2[i] = accel
        notes.front[lanes + here] = i
        notes.front[lanes + there] = i
        notes.ego_front[lanes + here] = 0
        notes.ego_front[lanes + there] = 0


@kernel
def leaves_safe_gap(vehicles: Vehicles, first: int, rear: int, front: int) -> bool:
    """Whether the gap between two vehicles of a road is safe; the ego's brakes need a moment."""
    if rear < 0 or front < 0:
        return True
    speed = vehicles.speed_mps[rear]
    stopping = ego_stopping_m(speed, vehicles.accel_mps2[rear]) if rear == first else stopping_m(speed)
    return is_safe(gap_m(vehicles, rear, front), stopping, vehicles.speed_mps[front])


@kernel
def fits_into(vehicles: Vehicles, first: int, slots: int, me: int, lane: int) -> bool:
    """Whether a vehicle can be in a lane with safe gaps ahead and behind, to the traffic and to the ego."""
    front, rear = neighbours(vehicles, first, slots, me, lane, False)
    if not (leaves_safe_gap(vehicles, first, me, front) and leaves_safe_gap(vehicles, first, rear, me)):
        return False
    if not is_in_lane(vehicles, first, lane) or me == first:
        return True
    ego_is_ahead = vehicles.x_m[first] > vehicles.x_m[me]
    return leaves_safe_gap(vehicles, first, me if ego_is_ahead else first, first if ego_is_ahead else me)


class Staying(NamedTuple):
    """What MOBIL has to know of the lane a driver is in."""

    own_mps2: float
    """a_c: how the driver accelerates there."""
    relief_mps2: float
    """ã_o - a_o: what it brings the one that follows when the driver leaves."""


@kernel
def staying(vehicles: Vehicles, first: int, me: int, rules: Rules) -> Staying:
    """How it is in the lane a driver is in, for itself and for the one that follows."""
    here = vehicles.lane[me]
    front, rear = neighbours(vehicles, first, int(rules.slots), me, here, True)
    relief = 0.0
    if rear >= 0:
        relief = accel_behind(vehicles, rear, front, here, rules) - accel_behind(vehicles, rear, me, here, rules)
    return Staying(own_mps2=accel_behind(vehicles, me, front, here, rules), relief_mps2=relief)


@kernel
def change_gain_mps2(vehicles: Vehicles, first: int, me: int, lane: int, now: Staying, rules: Rules) -> float:
    """MOBIL: what a change to a lane brings, ã_c - a_c + p (ã_n - a_n + ã_o - a_o), or TOO_BAD when it is unsafe.

    c is the driver, n the one that would follow, o the one that follows now; a tilde means after the change.
    """
    front, rear = neighbours(vehicles, first, int(rules.slots), me, lane, True)
    others = 0.0
    if rear >= 0:
        after = accel_behind(vehicles, rear, me, lane, rules)
        if after < -SAFE_BRAKE_MPS2:
            return TOO_BAD
        others += after - accel_behind(vehicles, rear, front, lane, rules)
    others += now.relief_mps2
    return accel_behind(vehicles, me, front, lane, rules) - now.own_mps2 + vehicles.politeness[me] * others


@kernel
def try_cut_in(vehicles: Vehicles, first: int, me: int, rules: Rules) -> bool:
    """Move over close ahead of the ego, if it drives in a lane beside; the others are still left a safe gap."""
    lane = vehicles.lane[first]
    close = CUTS_IN_FROM_M < gap_m(vehicles, first, me) < CUTS_IN_TO_M
    beside = abs(lane - vehicles.lane[me]) == 1 and lane == vehicles.target_lane[first] and lane < int(rules.lanes)
    if not (close and beside):
        return False
    front, rear = neighbours(vehicles, first, int(rules.slots), me, lane, False)
    if not (leaves_safe_gap(vehicles, first, me, front) and leaves_safe_gap(vehicles, first, rear, me)):
        return False
    vehicles.target_lane[me] = lane
    vehicles.cut_in[me] = CUT_IN_TICKS
    return True


@kernel
def consider_change(vehicles: Vehicles, first: int, me: int, rules: Rules) -> None:
    """Begin a lane change if it is worth it and the gaps there are safe; the favourite side wins a tie."""
    if vehicles.manner[me] >= CUTTER and try_cut_in(vehicles, first, me, rules):
        return
    here, lanes = vehicles.lane[me], int(rules.lanes)
    best, most = NOBODY, CHANGE_GAIN_MPS2
    now = staying(vehicles, first, me, rules)
    for n in range(2):
        lane = here + (vehicles.side[me] if n == 0 else -vehicles.side[me])
        if 0 <= lane < lanes:
            gain = change_gain_mps2(vehicles, first, me, lane, now, rules)
            if gain > most:
                best, most = lane, gain
    if best >= 0 and fits_into(vehicles, first, int(rules.slots), me, best):
        vehicles.target_lane[me] = best


@kernel
def consider_changes(vehicles: Vehicles, first: int, tick: int, rules: Rules) -> None:
    """Let those drivers think about changing lanes whose turn it is, one after the other."""
    k = 1 + tick % THINKING_TICKS
    while k < int(rules.slots):
        i = first + k
        if vehicles.lane[i] >= 0 and vehicles.lane[i] == vehicles.target_lane[i]:
            consider_change(vehicles, first, i, rules)
        k += THINKING_TICKS
