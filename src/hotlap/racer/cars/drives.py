"""What a car can do, found by driving it on an endless plain of road."""

import math
from collections.abc import Callable, Iterator

from hotlap.racer.fleet import Controls
from hotlap.racer.grip_car import Assists, CarData, GripState, advance_grip_car
from hotlap.racer.physics import ROAD, TICKS_PER_SECOND
from hotlap.units import KMH_PER_MPS

KMH = 1.0 / KMH_PER_MPS
"""One kilometre an hour, in m/s."""
NO_ASSISTS = Assists(traction_control=0.0, anti_lock=0.0)
FULL_THROTTLE = Controls(steer=0.0, throttle=1.0, brake=0.0)
FULL_BRAKE = Controls(steer=0.0, throttle=0.0, brake=1.0)
TOP_SPEED_GAIN_MPS2 = 0.1 * KMH
"""A car that gains less than 0.1 km/h in a second has reached its top speed."""
LONGEST_RUN_S = 240.0
SKID_PAD_S = 12.0
LOW_SPEED_MPS = 20.0 * KMH
SPUN_RAD = math.radians(45.0)
BALANCE_RAD = math.radians(0.5)


def rolling(speed_mps: float) -> GripState:
    """A car that rolls straight on."""
    return GripState(**{**dict.fromkeys(GripState._fields, 0.0), "forward_mps": speed_mps})


def driven(state: GripState, car: CarData, asked: Callable[[GripState], Controls]) -> Iterator[GripState]:
    """The states of a drive, tick after tick, without end."""
    while True:
        state = advance_grip_car(state, asked(state), ROAD, NO_ASSISTS, car)
        yield state


def spins_at_low_speed(car: CarData) -> bool:
    """Whether the car goes sideways at 20 km/h with half the lock and no pedal."""
    drive = driven(rolling(LOW_SPEED_MPS), car, lambda _: Controls(steer=0.5, throttle=0.0, brake=0.0))
    for _ in range(3 * TICKS_PER_SECOND):
        state = next(drive)
        if abs(math.atan2(state.sideways_mps, state.forward_mps)) > SPUN_RAD:
            return True
    return False


def flat_out(car: CarData) -> list[float]:
    """Speed in m/s at each tick of a start from rest, up to the top speed."""
    speeds = [0.0]
    for state in driven(rolling(0.0), car, lambda _: FULL_THROTTLE):
        speeds.append(state.forward_mps)
        second_ago = speeds[-TICKS_PER_SECOND] if len(speeds) > TICKS_PER_SECOND else -1.0
        if speeds[-1] - second_ago < TOP_SPEED_GAIN_MPS2 or len(speeds) > LONGEST_RUN_S * TICKS_PER_SECOND:
            return speeds
    return speeds


def time_to(speed_mps: float, speeds: list[float]) -> float | None:
    """Seconds until a speed is reached, between two ticks; None where it never is."""
    for tick in range(1, len(speeds)):
        before, after = speeds[tick - 1], speeds[tick]
        if after >= speed_mps:
            return (tick - 1 + (speed_mps - before) / (after - before)) / TICKS_PER_SECOND
    return None


def braking_distance(speed_mps: float, car: CarData) -> float:
    """Metres from a speed to standing, the foot moving to the brake at the start."""
    for state in driven(rolling(speed_mps), car, lambda _: FULL_BRAKE):
        if state.forward_mps <= 0.01:
            return state.x_m
    return math.inf


def skid_pad(speed_mps: float, car: CarData, throttle: float = 0.0, brake: float = 0.0) -> list[GripState]:
    """The wheels turned slowly further and further at one speed, which is held by hand; up to where the car spins."""
    states = []
    state = rolling(speed_mps)
    for tick in range(int(SKID_PAD_S * TICKS_PER_SECOND)):
        steer = -tick / (SKID_PAD_S * TICKS_PER_SECOND)
        controls = Controls(steer=steer, throttle=throttle, brake=brake)
        state = advance_grip_car(state, controls, ROAD, NO_ASSISTS, car)
        size = math.hypot(state.forward_mps, state.sideways_mps)
        if size == 0.0 or abs(math.atan2(state.sideways_mps, state.forward_mps)) > SPUN_RAD:
            break
        held = speed_mps / size
        state = state._replace(forward_mps=state.forward_mps * held, sideways_mps=state.sideways_mps * held)
        states.append(state)
    return states


def balance(states: list[GripState], car: CarData) -> str:
    """Which axle of a skid pad's last state slides more: the front pushes straight on, the rear comes round."""
    last = states[-1]
    front = math.atan2(last.sideways_mps + car.front_axle_m * last.yaw_rate_rps, last.forward_mps)
    rear = math.atan2(last.sideways_mps - car.rear_axle_m * last.yaw_rate_rps, last.forward_mps)
    more = abs(last.wheel_angle_rad - front) - abs(rear)
    if abs(more) < BALANCE_RAD:
        return "neutral"
    return "understeer" if more > 0.0 else "oversteer"
