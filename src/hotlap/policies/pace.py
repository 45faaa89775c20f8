"""How fast a line can be driven: what full lock allows in each bend, and braking in time for it."""

import numpy as np

from hotlap.policies.policy import FloatArray
from hotlap.policies.racing_line import RacingLine
from hotlap.racer.physics import PHYSICS, Physics

BEND_WINDOW_U = 8.0
BRAKING_UPS2 = 45.0
SLOWEST_UPS = 10.0


def full_lock_radius(speed_ups: FloatArray, physics: Physics = PHYSICS) -> FloatArray:
    """Radius (k,) of the circle the car drives at each speed with the wheel held over."""
    step_u = speed_ups * physics.tick_s
    front = physics.max_front_angle_rad / (1.0 + physics.steer_fade_per_ups * speed_ups)
    turn = np.arctan2(step_u * np.sin(front), 2.0 * physics.half_wheelbase_u + step_u * (np.cos(front) - 1.0))
    return np.asarray(step_u / turn)


def bend_radius(line: RacingLine, window_u: float = BEND_WINDOW_U) -> FloatArray:
    """Radius (k,) of the line around each of its points, averaged over a window; infinite where it is straight."""
    count = len(line.points)
    reach = max(1, round(window_u / line.length_u * count))
    onward = np.roll(line.points, -reach, axis=0) - line.points
    coming = line.points - np.roll(line.points, reach, axis=0)
    cross = coming[:, 0] * onward[:, 1] - coming[:, 1] * onward[:, 0]
    turn = np.abs(np.arctan2(cross, np.sum(coming * onward, axis=1)))
    return np.asarray(reach * line.length_u / count / np.maximum(turn, 1e-9))


def speed_limits(line: RacingLine, caution: float | None) -> FloatArray:
    """Highest sensible speed (k,) at each point of a line; without caution there is none."""
    if caution is None:
        return np.full(len(line.points), np.inf)
    speeds = np.linspace(SLOWEST_UPS, PHYSICS.max_speed_ups, 151)
    limits = np.interp(bend_radius(line), full_lock_radius(speeds) * caution, speeds, right=np.inf)
    return brake_in_time(limits, line.length_u / len(line.points))


def brake_in_time(limits_ups: FloatArray, spacing_u: float) -> FloatArray:
    """Lower limits (k,) before slow places, so that the brakes can do it; twice round, since the line is closed."""
    lowered = limits_ups.tolist()
    count = len(lowered)
    for k in range(2 * count - 1, -1, -1):
        after = lowered[(k + 1) % count]
        lowered[k % count] = min(lowered[k % count], (after * after + 2.0 * BRAKING_UPS2 * spacing_u) ** 0.5)
    return np.array(lowered)
