"""Axes and colours of the pictures."""

import pytest

from hotlap.evaluation.svg import Frame, round_numbers, speed_colour


@pytest.mark.parametrize(("low", "high", "numbers"), [(0, 160, [0, 50, 100, 150]), (6.4, 7.4, [6.5, 6.75, 7.0, 7.25])])
def test_axes_have_round_numbers(low, high, numbers):
    assert round_numbers(low, high, 4) == numbers


def test_frame_puts_the_corners_of_the_data_into_the_corners_of_the_picture():
    frame = Frame(100, 50, (0.0, 10.0), (5.0, 6.0), left=10, right=5, top=4, bottom=6)
    assert (frame.x(0.0), frame.x(10.0)) == (10.0, 95.0)
    assert (frame.y(5.0), frame.y(6.0)) == (44.0, 4.0)


def test_colours_run_from_slow_to_fast():
    assert speed_colour(0.0) == "#8a5cff"
    assert speed_colour(1.0) == speed_colour(2.0) == "#ffd23f"
    assert speed_colour(0.5) not in (speed_colour(0.4), speed_colour(0.6))
