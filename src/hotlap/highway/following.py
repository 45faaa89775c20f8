"""How the expert keeps a speed and a gap: the intelligent-driver model, and the speed that a mission asks for.

It takes the weaker of two wishes of the model, a (1 - (v / v0)⁸) on a free road and a (1 - (s* / s)²) behind a vehicle,
s* = max(s0, v T + v Δv / 2√(a b)). The mission gives v0. The model sees to the part of a gap that safety asks for; the
rest opens and closes at the speed at which the mission is measured.
"""

from hotlap.highway.expert_view import is_in_sight
from hotlap.highway.mission_rules import FALLING_BACK, FOLLOWING_S, URGENT_GAP_S
from hotlap.highway.physics import HARD_BRAKE_MPS2, STANDSTILL_GAP_M
from hotlap.kernel import kernel

ACCEL_MPS2 = 1.8
BRAKE_MPS2 = 2.0
APPROACH: float = 0.5 / (ACCEL_MPS2 * BRAKE_MPS2) ** 0.5
FREE_BRAKE_MPS2 = 2.5
"""The hardest braking for a slower speed when nobody is in the way."""
SLOWEST_MPS = 0.1
DUE_HEADWAY_S, DUE_SHARE = 1.5, 0.7
"""A gap below this share of the mission's, or of the first, is made up for by the model, else in comfort."""
OPENING_BRAKE_MPS2 = 2.0
GOAL_S = 0.75
"""How soon the speed is to be the one that brings the gap about. Who learns from a gentler teacher stays where it is,
several percent off the gap: with twice the time, or with the model for the last part, it cannot tell little from none.
"""


@kernel
def free_accel_mps2(speed_mps: float, wanted_mps: float) -> float:
    """What the model wants on a free road; to stand, the brake, gently at last."""
    if wanted_mps < SLOWEST_MPS:
        return max(-FREE_BRAKE_MPS2, -speed_mps - SLOWEST_MPS)
    share = min(speed_mps / max(wanted_mps, SLOWEST_MPS), 2.0)
    square = share * share
    accel = ACCEL_MPS2 * (1.0 - square * square * square * square)
    return max(accel, -FREE_BRAKE_MPS2)


@kernel
def follow_accel_mps2(speed_mps: float, gap_m: float, front_mps: float, headway_s: float) -> float:
    """What the model wants behind a vehicle."""
    if not is_in_sight(gap_m):
        return ACCEL_MPS2
    closing = speed_mps * (speed_mps - front_mps) * APPROACH
    desired = max(STANDSTILL_GAP_M, speed_mps * headway_s + closing)
    crowding = desired / max(gap_m, 0.1)
    return max(ACCEL_MPS2 * (1.0 - crowding * crowding), -HARD_BRAKE_MPS2)


@kernel
def speed_for_gap_mps(speed_mps: float, gap_m: float, front_mps: float, headway_s: float) -> float:
    """The speed that brings the gap of a mission about, as `mission_rules.goal_speed_mps` has it."""
    goal = front_mps + (gap_m - headway_s * speed_mps) / max(FOLLOWING_S, headway_s)
    return max(goal, FALLING_BACK * front_mps) if gap_m > URGENT_GAP_S * speed_mps else goal


@kernel
def keep_gap_mps2(speed_mps: float, gap_m: float, front_mps: float, headway_s: float) -> float:
    """The acceleration for the mission's gap: what the model wants where it is due, in comfort for the rest."""
    if not is_in_sight(gap_m):
        return ACCEL_MPS2
    due = follow_accel_mps2(speed_mps, gap_m, front_mps, DUE_SHARE * min(headway_s, DUE_HEADWAY_S))
    goal = speed_for_gap_mps(speed_mps, gap_m, front_mps, headway_s)
    return min(due, max((goal - speed_mps) / GOAL_S, -OPENING_BRAKE_MPS2))
