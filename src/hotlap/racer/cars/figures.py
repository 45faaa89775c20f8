"""The figures of a car: what its numbers mean on the road."""

from dataclasses import dataclass

from hotlap.racer.cars.drives import KMH, balance, braking_distance, flat_out, skid_pad, time_to
from hotlap.racer.grip_car import GRAVITY_MPS2, CarData

BALANCE_KMH = 150
PEDAL_LEVELS = 10
SETTLING_TICKS = 30


@dataclass(frozen=True)
class CarFigures:
    """What a car does; the keys of `hotlap cars show --json`. None where it never gets that fast."""

    top_speed_kmh: float
    zero_to_100_s: float | None
    zero_to_200_s: float | None
    braking_100_to_0_m: float
    lateral_g_80: float
    lateral_g_150: float
    lateral_g_250: float | None
    balance_at_the_limit: str


def car_figures(car: CarData) -> CarFigures:
    """Drive a car flat out, to a stop, and round skid pads."""
    speeds = flat_out(car)
    top_kmh = speeds[-1] / KMH
    at_the_limit = balance(skid_pad(min(BALANCE_KMH, top_kmh) * KMH, car), car)
    return CarFigures(
        top_speed_kmh=top_kmh,
        zero_to_100_s=time_to(100.0 * KMH, speeds),
        zero_to_200_s=time_to(200.0 * KMH, speeds),
        braking_100_to_0_m=braking_distance(100.0 * KMH, car),
        lateral_g_80=sideways_g(80.0, car),
        lateral_g_150=sideways_g(150.0, car),
        lateral_g_250=sideways_g(250.0, car) if top_kmh >= 250.0 else None,
        balance_at_the_limit=at_the_limit,
    )


def sideways_g(speed_kmh: float, car: CarData) -> float:
    """The most that the car holds sideways at a speed, in g."""
    return max(abs(state.sideways_accel_mps2) for state in skid_pad(speed_kmh * KMH, car)) / GRAVITY_MPS2


def grip_envelope(speed_kmh: float, car: CarData) -> list[tuple[float, float]]:
    """Forward and sideways g at the limit, from the hardest braking to the hardest driving, at one speed."""
    points = []
    for level in range(-PEDAL_LEVELS, PEDAL_LEVELS + 1):
        pedal = level / PEDAL_LEVELS
        states = skid_pad(speed_kmh * KMH, car, throttle=max(pedal, 0.0), brake=max(-pedal, 0.0))[SETTLING_TICKS:]
        limit = max(states, key=lambda state: abs(state.sideways_accel_mps2))
        points.append((limit.forward_accel_mps2 / GRAVITY_MPS2, abs(limit.sideways_accel_mps2) / GRAVITY_MPS2))
        if abs(level) == PEDAL_LEVELS:
            straight = (states[0].forward_accel_mps2 / GRAVITY_MPS2, 0.0)
            points.insert(0 if level < 0 else len(points), straight)
    return points
