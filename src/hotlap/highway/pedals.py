"""Throttle and brake as the two ends of one pedal, with the same acceleration per unit on both sides."""

from hotlap.actions import Action
from hotlap.highway.physics import HARD_BRAKE_MPS2, MAX_ACCEL_MPS2

BRAKING = HARD_BRAKE_MPS2 / MAX_ACCEL_MPS2
"""How much more the brake can do than the throttle; the pedal goes from -BRAKING to 1."""


def two_pedals(pedal: float, lane: float) -> Action:
    """Throttle, brake and lane request for a pedal that is throttle above 0 and brake below."""
    return max(pedal, 0.0), max(-pedal / BRAKING, 0.0), lane
