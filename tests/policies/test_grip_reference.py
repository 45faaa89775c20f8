"""Reference laps of cars with grip: really driven, clean, near the limit, the same every time."""

import itertools
import sys

import numpy as np
import pytest

from hotlap import progress
from hotlap.errors import TrackError
from hotlap.policies import grip_reference
from hotlap.policies.grip_driver import slip_for
from hotlap.policies.grip_laps import DrivenLap, drive_laps, room_for_trace
from hotlap.policies.grip_reference import (
    FastestLineDriver,
    corner_shares,
    grip_reference_lap,
    packaged_styles,
    style_key,
)
from hotlap.policies.limit import limit_lap
from hotlap.racer.cars.catalogue import car_ids, load_car
from hotlap.racer.physics import PHYSICS, ROAD
from hotlap.racer.projection import cell_of_car, locate
from hotlap.racer.tables import build_tables
from hotlap.racer.tracks import circuit_ids, load_track

BUILT_IN = list(itertools.product(circuit_ids(), car_ids()))


@pytest.mark.parametrize(("circuit", "car"), BUILT_IN)
def test_reference_is_at_most_three_percent_above_the_limit(circuit, car):
    assert style_key(load_track(circuit), load_car(car)) in packaged_styles()
    limit_s, reference_s = limit_lap(circuit, car).seconds, grip_reference_lap(circuit, car).seconds
    assert limit_s < reference_s <= 1.03 * limit_s


@pytest.mark.parametrize(("circuit", "car"), BUILT_IN)
def test_reference_is_clean_by_the_rules_of_the_world(circuit, car):
    """Every tenth tick, projected as the world does it, from the place before."""
    track, lap = load_track(circuit), grip_reference_lap(circuit, car)
    tables = build_tables([track])
    samples = np.column_stack([tables.coarse_x_u, tables.coarse_y_u])[: tables.coarse_count[0]]
    for x, y in lap.line[::10]:
        nearest = int(np.argmin(np.sum((samples - (x, y)) ** 2, axis=1)))
        arc = nearest / len(samples) * track.length_u
        place = locate(x, y, cell_at(arc, tables), 0, tables, PHYSICS)
        assert place.surface == ROAD


def cell_at(arc, tables):
    class Fleet:
        track, arc_u, centre_distance_u = [0], [arc], [0.0]

    return cell_of_car(Fleet, 0, tables)


def test_lap_is_driven_the_same_without_the_compiler():
    driver = FastestLineDriver(load_track("quarry"), load_car("gt"))
    style = packaged_styles()[style_key(load_track("quarry"), load_car("gt"))]
    compiled = driver.drive(style).driven
    trace = room_for_trace(driver.most_ticks)
    plain = drive_laps(driver.plan(style), driver.edges, style.manner, driver.car.data, trace, driver.most_ticks)
    assert plain == DrivenLap(compiled.ticks, pytest.approx(compiled.off_road_m))
    np.testing.assert_allclose(trace, driver.trace, atol=1e-6)


def test_driver_brakes_for_corners_and_uses_the_road():
    lap = grip_reference_lap("ridgeway", "gt")
    assert lap.speed_mps.max() > 3.0 * lap.speed_mps.min()
    assert len(lap.line) == lap.ticks


def test_slip_of_a_tyre_is_its_curve_turned_round():
    car = load_car("gt").data
    for share in (-0.9, -0.2, 0.0, 0.5, 0.97):
        slip = slip_for(share, car)
        assert np.sin(car.shape_factor * np.arctan(car.stiffness_factor * slip)) == pytest.approx(share)


def test_corners_share_the_whole_line_between_them():
    speed = 40.0 + 20.0 * np.cos(np.linspace(0.0, 6.0 * np.pi, 300, endpoint=False))
    shares = corner_shares(speed)
    assert len(shares) == 3
    np.testing.assert_allclose(shares.sum(axis=0), 1.0)


def test_search_finds_a_clean_lap_where_nothing_is_packaged_and_shows_how_far_it_is(monkeypatch, capsys):
    monkeypatch.setattr(grip_reference, "MOST_RUNS", 120)
    monkeypatch.setattr(progress, "BAR_AFTER_S", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    driver = FastestLineDriver(load_track("quarry"), load_car("street"))
    found = grip_reference.search_style(driver)
    assert found.driven.off_road_m == 0.0
    assert found.driven.ticks / 60.0 < 1.06 * limit_lap("quarry", "street").seconds
    assert "looking for the reference lap" in capsys.readouterr().err


def test_track_without_a_clean_lap_is_said_to_have_none(monkeypatch):
    monkeypatch.setattr(grip_reference, "packaged_styles", dict)
    lost = grip_reference._Lap(np.inf, DrivenLap(0, np.inf), next(iter(packaged_styles().values())))
    monkeypatch.setattr(grip_reference, "search_style", lambda _: lost)
    monkeypatch.setattr(FastestLineDriver, "drive", lambda *_: lost)
    with pytest.raises(TrackError, match='no clean lap of the car "gt"'):
        grip_reference._driven(load_track("quarry"), load_car("gt"))
