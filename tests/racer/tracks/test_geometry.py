"""The geometry of tracks: the recorded ones, the table of the rules, and what must hold for any."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotlap.racer.tracks import build_track, generate_track, load_track, track_ids
from hotlap.racer.tracks.walls import smooth_circular
from racer.tracks.recorded_geometry import OWN_FOLDER, SHARED_FOLDER, arrays_of

AGREEMENT = 1e-9  # the recording's own promise; in truth 8e-13, what is left is the last bit of a fourth root


def assert_geometry_is_recorded(track_id, recording):
    built = arrays_of(load_track(track_id))
    for name, array in built.items():
        assert array.shape == recording[name].shape, name
        np.testing.assert_allclose(array, recording[name], rtol=0.0, atol=AGREEMENT, err_msg=name)


@pytest.mark.parametrize("track_id", track_ids())
def test_geometry_agrees_with_our_recording(track_id):
    assert_geometry_is_recorded(track_id, dict(np.load(OWN_FOLDER / f"{track_id}.npz")))


@pytest.mark.skipif(not SHARED_FOLDER.exists(), reason="the recordings of the original engine are not here")
@pytest.mark.parametrize("track_id", track_ids())
def test_geometry_agrees_with_the_original_engine(track_id):
    assert_geometry_is_recorded(track_id, dict(np.load(SHARED_FOLDER / f"{track_id}.npz")))


@pytest.mark.parametrize(
    ("track_id", "name", "length_u", "samples", "heading_rad", "counter_clockwise", "par_ticks"),
    [
        ("track-01", "Circuit", 1183.968894317472, 200, 0.23182380450040307, False, (2400, 3000, 3600)),
        ("track-02", "Speedway", 2695.5017283475427, 200, 0.4752734204060377, False, (2100, 2700, 3300)),
        ("track-03", "Gauntlet", 2914.024535766028, 516, -0.39269908169872403, True, (2700, 3300, 4200)),
    ],
)
def test_built_in_track_is_as_the_rules_say(
    track_id, name, length_u, samples, heading_rad, counter_clockwise, par_ticks
):
    track = load_track(track_id)
    assert (track.track_id, track.name, track.par_ticks) == (track_id, name, par_ticks)
    assert track.length_u == pytest.approx(length_u, abs=AGREEMENT)
    assert track.start_heading_rad == pytest.approx(heading_rad, abs=AGREEMENT)
    assert len(track.centre) == samples
    assert track.inner_is_left == counter_clockwise
    assert (track.start_x_u, track.start_y_u) == tuple(track.control_points[0, :2])


EVERY_KIND = [*track_ids(), "generated:0:easy", "generated:0:medium", "generated:0:hard"]


@pytest.mark.parametrize("track_id", EVERY_KIND)
def test_walls_and_edges_close_and_enclose_each_other(track_id):
    track = load_track(track_id)
    areas = []
    for line in (track.inner_wall, track.inner_road_edge, track.outer_road_edge, track.outer_wall):
        assert line.shape == (len(track.centre) + 1, 2)
        assert (line[0] == line[-1]).all()
        areas.append(abs(np.sum(line[:-1, 0] * line[1:, 1] - line[1:, 0] * line[:-1, 1]) / 2.0))
    assert areas == sorted(areas)


@pytest.mark.parametrize("track_id", EVERY_KIND)
def test_gates_lie_evenly_on_the_lap_and_face_forward(track_id):
    track = load_track(track_id)
    assert np.diff(track.gate_arcs_u) == pytest.approx(track.length_u / 30)
    assert track.gate_arcs_u[0] == 0.0
    np.testing.assert_allclose(track.position_at(track.gate_arcs_u), track.gate_centre, atol=1e-12)
    np.testing.assert_allclose(np.hypot(*track.gate_direction.T), 1.0, atol=1e-12)
    across = track.gate_left - track.gate_right
    left = np.column_stack([-track.gate_direction[:, 1], track.gate_direction[:, 0]])
    on_the_left = np.sum(across * left, axis=1) > 0.0
    assert (on_the_left == track.inner_is_left).all()


@pytest.mark.parametrize("track_id", EVERY_KIND)
def test_cubic_coefficients_draw_the_same_centre_line(track_id):
    track = load_track(track_id)
    coefficients = track.segment_coefficients()
    assert coefficients.shape == (len(track.control_points), 2, 4)
    segment = np.floor(track.arc_parameters[:-1]).astype(int)
    t = (track.arc_parameters[:-1] - segment)[:, np.newaxis]
    c = coefficients[segment]
    drawn = c[:, :, 0] + t * (c[:, :, 1] + t * (c[:, :, 2] + t * c[:, :, 3]))
    np.testing.assert_allclose(drawn, track.position_at(track.arc_lengths_u[:-1]), atol=1e-9)


@pytest.mark.parametrize("track_id", EVERY_KIND)
def test_centre_line_passes_through_the_control_points_with_their_widths(track_id):
    track = load_track(track_id)
    arcs_u = track.arc_lengths_u[:-1:20]
    np.testing.assert_allclose(track.position_at(arcs_u), track.control_points[:, :2], atol=1e-9)
    np.testing.assert_allclose(track.half_width_at(arcs_u), track.control_points[:, 2], atol=1e-9)


@given(st.floats(-1e5, 1e5), st.integers(-5, 5))
def test_a_lap_further_on_is_the_same_place(arc_u, laps):
    track = load_track("track-03")
    further_u = arc_u + laps * track.length_u
    np.testing.assert_allclose(track.position_at(arc_u), track.position_at(further_u), atol=1e-6)
    np.testing.assert_allclose(track.half_width_at(arc_u), track.half_width_at(further_u), atol=1e-6)


def test_half_width_is_linear_between_control_points():
    track = load_track("track-02")
    before_u, after_u = track.arc_lengths_u[40], track.arc_lengths_u[60]
    assert track.control_points[2:4, 2].tolist() == [30.0, 24.0]
    assert track.half_width_at((before_u + after_u) / 2.0)[0] == pytest.approx(27.0)


def test_last_segment_narrows_towards_the_first_point():
    track = load_track("track-02")
    middle_u = (track.arc_lengths_u[-21] + track.length_u) / 2.0
    assert track.half_width_at(middle_u)[0] == pytest.approx((28.0 + 30.0) / 2.0)


def test_mirrored_points_build_a_mirrored_track():
    points = load_track("track-03").control_points
    mirrored = build_track(points * np.array([1.0, -1.0, 1.0]), track_id="mirror", name="Mirror")
    track = load_track("track-03")
    assert mirrored.inner_is_left != track.inner_is_left
    np.testing.assert_allclose(mirrored.inner_wall, track.inner_wall * np.array([1.0, -1.0]), atol=1e-9)


def test_a_round_track_has_round_walls_at_the_right_distance():
    angle = 2.0 * math.pi * np.arange(40) / 40
    points = np.column_stack([300.0 * np.cos(angle), 300.0 * np.sin(angle), np.full(40, 20.0)])
    track = build_track(points, track_id="ring", name="Ring")
    assert track.length_u == pytest.approx(2.0 * math.pi * 300.0, rel=1e-3)
    # Smoothing over 4 samples twice pulls a circle in by 0.16 %, the spline is within 0.01 % of it.
    np.testing.assert_allclose(np.hypot(*track.inner_wall.T), 250.0, rtol=3e-3)
    np.testing.assert_allclose(np.hypot(*track.outer_wall.T), 350.0, rtol=3e-3)


def naive_box_mean(values, radius):
    """The slow twin of one smoothing pass."""
    count = len(values)
    total = 0.0
    for offset in range(-radius, radius + 1):
        total += values[offset % count]
    means = [total / (2 * radius + 1)]
    for index in range(1, count):
        total += values[(index + radius) % count]
        total -= values[(index - 1 - radius) % count]
        means.append(total / (2 * radius + 1))
    return np.array(means)


@given(st.lists(st.floats(-1e3, 1e3), min_size=21, max_size=60), st.integers(1, 10))
def test_smoothing_equals_its_slow_twin_bit_for_bit(values, radius):
    smoothed = smooth_circular(np.array(values), radius, 2)
    slow = naive_box_mean(naive_box_mean(np.array(values), radius), radius)
    assert (smoothed == slow).all()


def test_built_in_tracks_are_built_once():
    assert load_track("track-01") is load_track("track-01")
    assert load_track(load_track("track-02")) is load_track("track-02")


def test_generated_tracks_start_along_their_straight():
    track = generate_track(3, "medium")
    ahead = track.position_at(15.0)[0] - track.position_at(0.0)[0]
    assert math.atan2(ahead[1], ahead[0]) == pytest.approx(track.start_heading_rad, abs=0.1)
