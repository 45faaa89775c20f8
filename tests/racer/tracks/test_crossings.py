"""The search for crossings against its slow twin."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hotlap.racer.tracks.crossings import encloses, find_crossing

COORDINATES = st.one_of(st.integers(-6, 6).map(float), st.floats(-6.0, 6.0))
LINES = st.lists(st.lists(st.tuples(COORDINATES, COORDINATES), min_size=4, max_size=9), min_size=1, max_size=2)


def side(start, end, point):
    return np.sign((end[0] - start[0]) * (point[1] - start[1]) - (end[1] - start[1]) * (point[0] - start[0]))


def meet(a, b, c, d):
    boxes = all(min(a[k], b[k]) <= max(c[k], d[k]) and min(c[k], d[k]) <= max(a[k], b[k]) for k in (0, 1))
    return boxes and side(a, b, c) * side(a, b, d) <= 0 and side(c, d, a) * side(c, d, b) <= 0


def naive_crossing(lines):
    """Every pair of segments, in order."""
    segments = [(k, i, line[i], line[(i + 1) % len(line)]) for k, line in enumerate(lines) for i in range(len(line))]
    for position, (line_a, a, *ends_a) in enumerate(segments):
        for line_b, b, *ends_b in segments[position + 1 :]:
            neighbours = line_a == line_b and (b - a == 1 or b - a == len(lines[line_a]) - 1)
            if not neighbours and meet(*ends_a, *ends_b):
                return line_a, a, line_b, b
    return None


@given(LINES)
def test_search_finds_the_first_crossing_that_the_slow_twin_finds(lines):
    arrays = [np.array(line) for line in lines]
    found = find_crossing(arrays)
    assert (None if found is None else tuple(found)) == naive_crossing(arrays)


def test_bow_tie_crosses_itself():
    found = find_crossing([np.array([[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]])])
    assert found == (0, 0, 0, 2)


def test_square_does_not_cross_itself():
    assert find_crossing([np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])]) is None


def test_point_inside_a_ring_is_told_from_one_outside():
    angle = np.linspace(0.0, 2.0 * np.pi, 60, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    assert encloses(ring, np.array([0.3, -0.5]))
    assert not encloses(ring, np.array([0.9, -0.9]))
