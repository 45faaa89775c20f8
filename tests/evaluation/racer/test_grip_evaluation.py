"""Drivers of cars with grip are measured against the reference and the limit, and their best lap is told in detail."""

import re

import pytest

from hotlap.evaluation import DriveLimits, evaluate
from hotlap.evaluation.compare import compare_document
from hotlap.evaluation.racer.report import report_page
from hotlap.evaluation.racer.table import headings
from hotlap.policies.grip_teacher import GripTeacher
from hotlap.policies.limit import limit_lap
from hotlap.racer.cars import load_car
from hotlap.racer.tracks import load_track


class Follower:
    """The teacher of cars with grip, as a driver."""

    name, layout = "follower", "grip"

    def __init__(self, track):
        self.teacher = GripTeacher([load_track(track)], [load_car("gt")])

    def reset(self, cars):
        """It remembers nothing."""

    def act(self, observation, world):
        """What it would show."""
        return self.teacher.act(world)


@pytest.fixture(scope="module")
def evaluation():
    return evaluate(Follower("quarry"), "quarry", limits=DriveLimits(laps=2), cars=("gt",))


def test_laps_are_set_against_the_reference_and_the_limit(evaluation):
    [track] = evaluation.tracks
    for figures in track.by_delay:
        assert figures.limit_lap_s == limit_lap("quarry", "gt").seconds < figures.reference_lap_s
        assert figures.flying_clean_laps == figures.flying_laps == 31
        assert 0.0 < figures.percent_over_reference < 8.0
        assert figures.percent_over_limit > figures.percent_over_reference
    assert track.plain()["delay"]["0"]["percent_over_limit"] == track.by_delay[0].percent_over_limit
    assert "% over\nlimit" in headings(track)


def test_report_shows_where_it_brakes_in_metres_and_kilometres_per_hour(evaluation):
    [track] = evaluation.tracks
    page = report_page(evaluation)
    assert len(re.findall('<circle class="braking"', page)) == len(track.telemetry.braking_points) > 3
    assert "speed, km/h" in page
    assert "u/s" not in page
    assert "% over the limit" in page


def test_best_laps_are_compared_by_sector_and_grip(evaluation):
    compared = {measure.quantity.name for measure in evaluation.measures() if "best flying lap" in measure.place}
    assert {"sector_1_s", "sector_2_s", "sector_3_s", "brakings", "mean_grip_used"} < compared
    document = compare_document(evaluation, evaluation)
    assert "sector_1_s" in str(document)
