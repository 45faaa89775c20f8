"""Comparing figures of any world: what is better, what is worse, what is chance, what misses a threshold."""

import numpy as np
import pytest

from hotlap.errors import ConfigError
from hotlap.evaluation.compare import regressions, suspicions
from hotlap.evaluation.measures import Change, Measure, Quantity, changes, read_measures, shortfalls, shown
from hotlap.evaluation.statistics import Estimate, exact, share

LESS = Quantity("crashes", "crashes", ".2f", -1)
MORE = Quantity("done", "done", ".2f", 1)
EITHER = Quantity("gap", "gap", ".2f", 0)
LAP = Quantity("lap", "lap, s", ".3f", -1, resolution=0.02)


def direction(quantity, before, after):
    return Change(Measure("here", quantity, before), Measure("here", quantity, after)).direction


def test_difference_beyond_its_interval_is_better_or_worse_by_what_is_wanted():
    few, many = Estimate(1.0, 0.5, 1.5), Estimate(5.0, 4.0, 6.0)
    assert direction(LESS, few, many) == "worse"
    assert direction(LESS, many, few) == "better"
    assert direction(MORE, few, many) == "better"
    assert direction(MORE, many, few) == "worse"
    assert direction(EITHER, few, many) == ""


def test_difference_within_its_interval_is_chance():
    assert direction(LESS, Estimate(1.0, 0.0, 3.0), Estimate(2.0, 0.5, 4.0)) == ""
    assert direction(LESS, exact(1.0), exact(1.0)) == ""


def test_lap_must_differ_by_more_than_a_tick():
    assert direction(LAP, exact(6.417), exact(6.433)) == ""
    assert direction(LAP, exact(6.417), exact(6.450)) == "worse"


def test_figure_that_is_gone_is_worse_and_one_that_is_new_is_nothing():
    assert direction(LAP, exact(6.4), None) == "worse"
    assert direction(LAP, None, exact(6.4)) == ""
    assert direction(LAP, None, None) == ""


def test_difference_that_one_figure_has_by_chance_is_no_regression_among_many():
    before, after = Estimate(1.0, 0.5, 1.5), Estimate(2.0, 1.5, 2.5)
    assert direction(LESS, before, after) == "worse"

    def change(place, now):
        return Change(Measure(place, LESS, before), Measure(place, LESS, now))

    one, many = [change("here", after)], [change(str(n), after if n == 7 else before) for n in range(100)]
    assert (len(regressions(one)), len(suspicions(one))) == (1, 0)
    assert (len(regressions(many)), len(suspicions(many))) == (0, 1)
    assert len(regressions([*many, change("far", Estimate(4.0, 3.5, 4.5))])) == 1
    assert len(regressions([*many, change("gone", None)])) == 1


def test_equal_drivers_are_rarely_told_apart_however_many_figures_are_looked_at():
    rng = np.random.default_rng(0)
    alarms = 0
    for _ in range(400):
        pairs = [[share(int(rng.binomial(500, 0.5)), 500) for _ in range(2)] for _ in range(60)]
        found = [Change(Measure("x", MORE, before), Measure("x", MORE, after)) for before, after in pairs]
        alarms += bool(regressions(found))
    assert alarms < 400 * 0.05


def test_measures_come_back_from_their_document():
    measures = [Measure("here", LESS, Estimate(1.0, 0.5, 1.5)), Measure("there", LAP, None)]
    assert read_measures({"measures": [each.plain() for each in measures]}, measures) == measures


@pytest.mark.parametrize(
    "document", [{}, {"measures": 3}, {"measures": [{"place": "x", "name": "y", "estimate": None}]}]
)
def test_document_of_something_else_is_refused(document):
    with pytest.raises(ConfigError, match="no evaluation of this version"):
        read_measures(document, [Measure("here", LESS, None)])


def test_measures_of_different_places_are_not_compared():
    with pytest.raises(ConfigError, match="different places"):
        changes([Measure("here", LESS, None)], [Measure("there", LESS, None)])


def test_thresholds_are_missed_by_too_little_and_by_too_much():
    measures = [Measure("here", LESS, exact(2.0)), Measure("here", MORE, exact(0.5)), Measure("there", MORE, None)]
    assert shortfalls(measures, {"crashes": 2.0, "done": 0.4}) == ["there: done –, asked for 0.4"]
    found = shortfalls(measures, {"crashes": 1.0, "done": 0.6})
    assert found[:2] == ["here: crashes 2.00, asked for 1", "here: done 0.50, asked for 0.6"]


def test_threshold_for_an_unknown_figure_is_refused_with_the_nearest():
    with pytest.raises(ConfigError, match='Did you mean "crashes"'):
        shortfalls([Measure("here", LESS, None)], {"crashs": 1.0})


def test_figure_is_shown_with_its_interval():
    assert shown(Measure("here", LESS, Estimate(1.0, 0.5, 1.5))) == "1.00 (0.50–1.50)"
    assert shown(Measure("here", LESS, exact(1.0))) == "1.00"
