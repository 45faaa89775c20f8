"""The limit of a car on a track: against circles, against the drives of the car, against a slower way to the same."""

import json
import math

import numpy as np
import pytest

from hotlap.errors import CarError
from hotlap.policies.fastest_line import road_with_margin
from hotlap.policies.lap_tools import show_laps
from hotlap.policies.limit import MARGIN_M, limit_lap
from hotlap.policies.racing_line import cut_road
from hotlap.policies.reference import reference_lap
from hotlap.policies.speed_profile import Profile, empty_profile, fill_profile, measure_line, refill_profile
from hotlap.policies.steady_envelope import FASTEST_MPS, SPEEDS, steady_envelope
from hotlap.racer.cars.catalogue import car_ids, load_car
from hotlap.racer.cars.figures import car_figures
from hotlap.racer.tracks import build_track, circuit_ids, load_track

KMH = 1.0 / 3.6


def ring(radius_m, half_width_m=6.0):
    angle = 2.0 * np.pi * np.arange(120) / 120
    points = np.column_stack([radius_m * np.cos(angle), radius_m * np.sin(angle), np.full(120, half_width_m)])
    return build_track(points, track_id="ring", name="Ring", scale=1.0)


@pytest.mark.parametrize("car", car_ids())
def test_envelope_corners_as_hard_as_the_car_does_on_the_skid_pad(car):
    """The skid pad is driven, so its car slides a little more than the settled one."""
    figures, envelope = car_figures(load_car(car).data), steady_envelope(load_car(car).data)
    speeds = np.arange(SPEEDS) / (SPEEDS - 1) * FASTEST_MPS
    for kmh in (80, 150):
        hardest_g = np.interp(kmh * KMH, speeds, envelope.cornering_mps2) / 9.81
        assert hardest_g == pytest.approx(getattr(figures, f"lateral_g_{kmh}"), rel=0.05)


@pytest.mark.parametrize("car", car_ids())
def test_car_gains_until_its_top_speed(car):
    envelope = steady_envelope(load_car(car).data)
    speeds = np.arange(SPEEDS) / (SPEEDS - 1) * FASTEST_MPS
    top_mps = np.interp(0.0, -envelope.driving_mps2[:, 0], speeds)
    assert top_mps / KMH == pytest.approx(car_figures(load_car(car).data).top_speed_kmh, rel=0.03)


def test_lap_of_a_circle_is_driven_at_the_speed_that_the_engine_can_hold_there():
    """The hardest corner costs speed by slip and drag, so the speed settles where the driven axle makes up for it."""
    lap = limit_lap(ring(60.0), "gt")
    radius, speed = np.hypot(*lap.line.T).mean(), lap.speed_ups.mean()
    assert lap.speed_ups.std() < 0.5  # the line is round to a few centimetres
    assert 54.0 < radius < 66.0
    assert lap.seconds == pytest.approx(2.0 * math.pi * radius / speed, rel=0.01)
    envelope = steady_envelope(load_car("gt").data)
    entry = speed / FASTEST_MPS * (SPEEDS - 1)
    share = speed**2 / radius / np.interp(entry, np.arange(SPEEDS), envelope.cornering_mps2)
    held = envelope.driving_mps2[round(entry)]
    assert share == pytest.approx(np.interp(0.0, -held, np.arange(len(held)) / (len(held) - 1)), abs=0.02)


@pytest.mark.parametrize("circuit", circuit_ids())
def test_faster_cars_have_shorter_limits_and_stay_on_the_road(circuit):
    track = load_track(circuit)
    laps = [limit_lap(track, car) for car in ("formula", "gt", "street")]
    assert [lap.seconds for lap in laps] == sorted(lap.seconds for lap in laps)
    for lap in laps:
        sections = cut_road(track, 4.0)
        offset = np.sum((lap.line - sections.centre) * sections.normal, axis=1)
        assert (np.abs(offset) <= sections.half_width_u - MARGIN_M + 1e-9).all()


def test_line_is_faster_than_the_middle_of_the_road():
    track = load_track("quarry")
    road = road_with_margin(cut_road(track, 4.0), MARGIN_M)
    profile = empty_profile(len(road.x))
    measure_line(road.x, road.y, profile, 0, len(road.x))
    assert limit_lap(track, "gt").seconds < 0.9 * fill_profile(profile, steady_envelope(load_car("gt").data))


def test_correcting_a_profile_is_the_same_as_filling_it_anew():
    envelope, rng = steady_envelope(load_car("gt").data), np.random.default_rng(0)
    road = road_with_margin(cut_road(load_track("quarry"), 4.0), MARGIN_M)
    x, y = road.x.copy(), road.y.copy()
    profile = empty_profile(len(x))
    measure_line(x, y, profile, 0, len(x))
    fill_profile(profile, envelope)
    for _ in range(50):
        middle = int(rng.integers(len(x)))
        around = np.arange(middle - 4, middle + 5) % len(x)
        push = rng.uniform(-0.6, 0.6) * np.hanning(11)[1:-1]
        x[around] += road.normal_x[around] * push
        y[around] += road.normal_y[around] * push
        measure_line(x, y, profile, middle - 5, middle + 6)
        refill_profile(profile, envelope, middle - 5, middle + 6)
        anew = Profile(*(column.copy() for column in profile))
        fill_profile(anew, envelope)
        np.testing.assert_allclose(profile.speed_mps, anew.speed_mps, atol=1e-5)


def test_limit_of_the_classic_car_is_the_shortest_line_flat_out():
    lap = limit_lap("track-02", "classic")
    assert lap.seconds == pytest.approx(15.775, abs=0.01)
    assert lap.seconds <= reference_lap("track-02").seconds


def test_track_is_shown_with_the_laps_of_a_car(capsys, tmp_path):
    show_laps("quarry", "gt", picture=tmp_path / "quarry.png", as_json=True)
    facts = json.loads(capsys.readouterr().out)
    assert facts["car"] == "gt"
    assert facts["limit_lap_s"] == limit_lap("quarry", "gt").seconds
    assert (tmp_path / "quarry.png").read_bytes().startswith(b"\x89PNG")
    show_laps("quarry", "gt")
    assert "quasi-steady" in capsys.readouterr().out


def test_unknown_car_names_the_nearest():
    with pytest.raises(CarError, match='Did you mean "gt"'):
        show_laps("quarry", "gtt")
