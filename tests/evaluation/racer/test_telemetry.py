"""The telemetry of a lap in a car with grip, out of a lap made up by hand."""

import numpy as np
import pytest

from hotlap.evaluation.racer.figures import Trace
from hotlap.evaluation.racer.telemetry import lap_telemetry, telemetry_lines

LENGTH_M = 600.0


def lap(grip: bool = True) -> Trace:
    """Ten seconds: flat out for six, two brakings from 180 to 72 km/h with a moment between them."""
    ticks = 600
    brake = np.zeros(ticks)
    brake[360:420] = brake[500:540] = 1.0
    brake[400:410] = 0.0
    speed = np.where(np.arange(ticks) < 360, 50.0, 20.0)
    arc = np.arange(ticks) * LENGTH_M / ticks
    nothing = np.zeros(ticks, bool)
    return Trace(
        x_u=arc,
        y_u=arc,
        arc_u=arc,
        speed_ups=speed,
        off_road=nothing,
        wall=nothing,
        lap_ends=(),
        lap_clean=(),
        throttle=1.0 - brake,
        brake=brake,
        grip_used=np.where(brake > 0, 0.95, 0.5) if grip else None,
    )


def test_lap_is_told_by_sectors_brakings_and_grip():
    found = lap_telemetry(lap(), LENGTH_M)
    assert found.sectors_s == pytest.approx((200 / 60, 200 / 60, 200 / 60))
    assert [point.at_m for point in found.braking_points] == [360.0, 500.0]
    assert found.braking_share == pytest.approx(90 / 600)
    assert found.limit_share == pytest.approx(90 / 600)
    assert found.full_throttle_share == pytest.approx(510 / 600)
    assert (found.top_speed_kmh, found.lowest_speed_kmh) == pytest.approx((180.0, 72.0))
    assert "2 times" in telemetry_lines(found)[0]


def test_classic_car_and_a_missing_lap_have_none():
    assert lap_telemetry(lap(grip=False), LENGTH_M) is None
    assert lap_telemetry(None, LENGTH_M) is None


def test_driver_that_never_brakes_has_no_braking_points():
    never = lap()
    never.brake[:] = 0.0
    assert lap_telemetry(never, LENGTH_M).braking_points == ()
