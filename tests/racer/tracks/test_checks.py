"""Tracks that cannot be driven are refused, with the place and the remedy."""

import math

import numpy as np
import pytest

from hotlap.errors import TrackError
from hotlap.racer.tracks import build_track, load_track


def ring(count=24, radius_u=200.0, half_width_u=20.0):
    angle = 2.0 * math.pi * np.arange(count) / count
    return np.column_stack([radius_u * np.cos(angle), radius_u * np.sin(angle), np.full(count, half_width_u)])


def changed(row, column, value):
    points = ring()
    points[row, column] = value
    return points


def figure_of_eight():
    angle = 2.0 * math.pi * np.arange(40) / 40
    return np.column_stack([600.0 * np.sin(angle), 300.0 * np.sin(2.0 * angle), np.full(40, 15.0)])


def wasp_waist():
    """A lap whose two sides come within 60 u of each other: each wall stands 50 u from its centre line."""
    angle = 2.0 * math.pi * np.arange(60) / 60
    y = np.sin(angle) * (30.0 + 400.0 * np.cos(angle) ** 2)
    return np.column_stack([700.0 * np.cos(angle), y, np.full(60, 20.0)])


def hairpin_of_radius_nine():
    return np.array([[-300, 0, 25], [0, 0, 25], [300, 0, 25], [309, 9, 25], [300, 18, 25], [0, 18, 25], [-300, 18, 25]])


def ring_with_too_few_samples():
    """A lap of 60,000 u with 200 samples: smoothing over nine of them pulls the walls off the road."""
    return ring(16, 9_500.0, 20.0)


BAD_POINTS = {
    "no points": ([], "too few", "at least 4 points"),
    "one point": ([[0.0, 0.0, 20.0]], "1 points are too few", "at least 4 points"),
    "three points": (ring(3), "3 points are too few", "at least 4 points"),
    "a single number": (7.0, "shape", "three numbers"),
    "two columns": (ring()[:, :2], "shape", "x, y, half-width"),
    "words": ([["a", "b", "c"]] * 5, "not all three numbers", "x, y, half-width"),
    "rows of different lengths": ([[1, 2, 3], [1, 2]] * 4, "not all three numbers", "x, y, half-width"),
    "a giant whole number": ([[10**400, 0, 1]] * 5, "not all three numbers", "x, y, half-width"),
    "too many points": (ring(5_001, 5_000.0), "5,001 control points", "at most 5,000"),
    "NaN": (changed(4, 0, math.nan), "point 5", "NaN and infinite"),
    "infinite width": (changed(2, 2, math.inf), "point 3", "NaN and infinite"),
    "far away": (changed(9, 1, 2e6), "point 10", "smaller scale"),
    "zero width": (changed(3, 2, 0.0), "half-width 0 u", "at least 1 u"),
    "negative width": (changed(3, 2, -20.0), "half-width -20 u", "at least 1 u"),
    "narrower than the car": (changed(3, 2, 0.5), "half-width 0.5 u", "at least 1 u"),
    "absurdly wide": (changed(3, 2, 101.0), "half-width 101 u", "at most 100 u"),
    "repeated point": (np.insert(ring(), 6, ring()[5], axis=0), "point 7", "Remove one of the two"),
    "closed by hand": (np.concatenate([ring(), ring()[:1]]), "last point repeats the first", "Leave it out"),
    "too short": (ring(12, 20.0, 2.0), "too short", "at least 200 u"),
    "too long": (ring(4_000, 50_000.0), "too long", "at most 250,000 u"),
    "figure of eight": (figure_of_eight(), "centre line crosses itself", "figure of eight"),
    "on one line": ([[0, 0, 9], [300, 0, 9], [600, 0, 9], [900, 0, 9]], "point", "."),
    "wasp waist": (wasp_waist(), "run into each other", "30 u beyond the road"),
    "folding walls": (hairpin_of_radius_nine(), "folds", "corner wider"),
    "too few samples": (ring_with_too_few_samples(), "wall", "more control points"),
}


@pytest.mark.parametrize("case", BAD_POINTS, ids=lambda case: case.replace(" ", "-"))
def test_bad_points_are_refused_with_what_and_remedy(case):
    points, what, remedy = BAD_POINTS[case]
    with pytest.raises(TrackError) as refusal:
        build_track(points, track_id="bad", name="Bad")
    message = str(refusal.value)
    assert message.startswith('track "bad"')
    assert what in message
    assert remedy in message


@pytest.mark.parametrize("points", [ring(), ring(4, 250.0), ring(2_000, 3_000.0), ring(24, 200.0, 1.0)])
def test_sensible_rings_are_built(points):
    assert len(build_track(points, track_id="ring", name="Ring").control_points) == len(points)


def test_largest_track_allowed_is_built():
    angle = 2.0 * math.pi * np.arange(5_000) / 5_000
    radius_u = 25_000.0 * (1.0 + 0.1 * np.sin(7.0 * angle))
    points = np.column_stack([radius_u * np.cos(angle), radius_u * np.sin(angle), np.full(5_000, 20.0)])
    assert len(build_track(points, track_id="vast", name="Vast").centre) == 60_000


def test_points_given_are_copied():
    points = ring()
    track = build_track(points, track_id="ring", name="Ring")
    points[:] = 0.0
    assert track.control_points[0].tolist() == [200.0, 0.0, 20.0]


def corridor_turns(track):
    """The four turns of every quad left, right, next right, next left."""
    left, right = (track.inner_wall, track.outer_wall) if track.inner_is_left else (track.outer_wall, track.inner_wall)
    corners = np.stack([left[:-1], right[:-1], right[1:], left[1:]], axis=1)
    sides = np.roll(corners, -1, axis=1) - corners
    following = np.roll(sides, -1, axis=1)
    return sides[:, :, 0] * following[:, :, 1] - sides[:, :, 1] * following[:, :, 0]


@pytest.mark.parametrize("name", ["track-01", "track-02", "track-03", "generated:5:easy", "generated:5:hard"])
def test_corridor_of_a_drivable_track_is_a_strip_of_convex_quads(name):
    assert (corridor_turns(load_track(name)) > 0.0).all()
