"""The shortest on-road line: against a slow twin, against plain geometry, and on any track."""

import numpy as np
import pytest

from hotlap.policies.racing_line import (
    CrossSections,
    cut_road,
    line_at_offsets,
    shortest_offsets,
    taut_string,
    with_margin,
)
from hotlap.racer.tracks import load_track

TRACKS = ["track-01", "track-02", "track-03", "generated:3:easy", "generated:5:medium", "generated:7:hard"]


def relaxed_offsets(road: CrossSections, rounds: int) -> np.ndarray:
    """The slow twin: move every other point to where its two neighbours pull it, again and again."""
    offsets = np.zeros(len(road.centre))
    for sweep in range(rounds):
        points = road.centre + road.normal * offsets[:, np.newaxis]
        before, after = np.roll(points, 1, axis=0), np.roll(points, -1, axis=0)
        along = after - before
        across = before - road.centre
        straight = (across[:, 0] * along[:, 1] - across[:, 1] * along[:, 0]) / (
            road.normal[:, 0] * along[:, 1] - road.normal[:, 1] * along[:, 0]
        )
        half = np.arange(len(offsets)) % 2 == sweep % 2
        offsets[half] = np.clip(straight, -road.half_width_u, road.half_width_u)[half]
    return offsets


def test_agrees_with_relaxing_a_string_for_a_long_time():
    road = cut_road(load_track("track-01"), spacing_u=12.0)
    shortest, relaxed = shortest_offsets(road), relaxed_offsets(road, 20_000)
    # The relaxation is done to far below a thousandth of a unit after so many rounds.
    np.testing.assert_allclose(shortest, relaxed, atol=1e-3)


@pytest.mark.parametrize(("track", "seconds"), [("track-01", 6.416), ("track-02", 15.775), ("track-03", 16.860)])
def test_length_is_the_known_one(track, seconds):
    road = cut_road(load_track(track))
    # Two thousandths of a second are what sections two units apart add to the exact line.
    assert line_at_offsets(road, shortest_offsets(road)).length_u / 160.0 == pytest.approx(seconds, abs=2e-3)


@pytest.mark.parametrize("track", TRACKS)
def test_stays_on_the_road_and_is_shorter_than_the_middle(track):
    road = cut_road(load_track(track))
    offsets = shortest_offsets(road)
    assert np.isfinite(offsets).all()
    assert (np.abs(offsets) <= road.half_width_u).all()
    middle = line_at_offsets(road, np.zeros(len(offsets)))
    assert line_at_offsets(road, offsets).length_u < middle.length_u


@pytest.mark.parametrize("track", TRACKS)
def test_no_small_change_makes_it_shorter(track):
    road = cut_road(load_track(track), spacing_u=8.0)
    offsets = shortest_offsets(road)
    length = line_at_offsets(road, offsets).length_u
    rng = np.random.default_rng(1)
    for _ in range(50):
        changed = np.clip(offsets + rng.normal(0.0, 0.5, len(offsets)), -road.half_width_u, road.half_width_u)
        assert line_at_offsets(road, changed).length_u >= length - 1e-9


def test_string_through_a_straight_corridor_is_straight():
    x = np.arange(20.0)
    left, right = np.column_stack([x, np.full(20, 3.0)]), np.column_stack([x, np.full(20, -3.0)])
    assert taut_string(left, right, np.array([0.0, 1.0])) == [(0, 0.0, 1.0)]


def test_string_turns_at_the_inner_edge_of_a_corner():
    left = np.array([[0.0, 1.0], [4.0, 1.0], [4.0, 1.0], [4.0, 5.0]])
    right = np.array([[0.0, -1.0], [4.0, -1.0], [6.0, 1.0], [6.0, 5.0]])
    corners = taut_string(left, right, np.array([0.0, 0.0]))
    assert [corner[1:] for corner in corners] == [(0.0, 0.0), (4.0, 1.0)]


def test_margin_keeps_the_line_off_the_edge():
    road = cut_road(load_track("track-03"))
    offsets = shortest_offsets(road)
    line = with_margin(road, offsets, 1.0)
    assert line.length_u > with_margin(road, offsets, 0.0).length_u
    nearest = [np.hypot(*(road.centre - point).T).min() for point in line.points]
    # Sections are two units apart, so the nearest one is up to one unit along: that adds 1 / (2 * 23).
    assert max(nearest) <= road.half_width_u.max() - 1.0 + 0.03


def test_lookup_by_arc_goes_once_round():
    road = cut_road(load_track("track-02"))
    line = with_margin(road, shortest_offsets(road), 0.5)
    assert (np.diff(line.distance_at_arc_u) > 0.0).all()
    assert (line.distance_at_arc_u[0], line.distance_at_arc_u[-1]) == (0.0, line.length_u)
