"""Intervals: known values, what they cover, and how two of them differ."""

import math

import numpy as np
import pytest

from hotlap.evaluation.statistics import Estimate, exact, median, rate, ratio, share


@pytest.mark.parametrize(
    ("events", "low", "high"),
    [(0, 0.0, 3.6889), (1, 0.0253, 5.5716), (3, 0.6187, 8.7673), (10, 4.7954, 18.3904), (100, 81.3639, 121.6268)],
)
def test_interval_of_a_count_is_the_one_in_the_tables_of_garwood(events, low, high):
    found = rate(events, 1.0)
    assert (found.value, found.low, found.high) == pytest.approx((events, low, high), abs=2e-4)


def test_rate_is_per_unit_of_exposure():
    assert rate(3, 2.0).value == 1.5
    assert rate(3, 2.0).high == pytest.approx(8.7673 / 2.0, abs=1e-4)
    assert rate(0, 0.0) is None


@pytest.mark.parametrize(
    ("done", "ended", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (1, 1, 0.2065, 1.0)],
)
def test_interval_of_a_share_is_wilsons(done, ended, low, high):
    found = share(done, ended)
    assert (found.value, found.low, found.high) == pytest.approx((done / ended, low, high), abs=2e-4)
    assert share(0, 0) is None


def test_interval_of_a_ratio_covers_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(400):
        wholes = rng.uniform(1.0, 10.0, 60)
        parts = wholes * 0.3 + rng.normal(0.0, 1.0, 60)
        found = ratio(parts, wholes)
        hits += found.low <= 0.3 <= found.high
    # 95 % of 400 with four standard deviations to spare.
    assert 362 <= hits <= 398


def test_one_episode_says_nothing_about_the_spread():
    found = ratio([1.0], [2.0])
    assert found.plain() == {"value": 0.5, "low": None, "high": None}
    assert Estimate.read(found.plain()) == found
    assert ratio([], []) is None


def test_median_lies_between_two_of_the_values():
    found = median([float(n) for n in range(1, 101)])
    assert (found.value, found.low, found.high) == (50.5, 41.0, 61.0)
    assert median([]) is None


def test_difference_of_two_figures_adds_their_uncertainty_as_squares():
    difference = Estimate(5.0, 2.0, 9.0).less(Estimate(1.0, -3.0, 4.0))
    assert difference.value == 4.0
    assert difference.low == pytest.approx(4.0 - math.hypot(3.0, 3.0))
    assert difference.high == pytest.approx(4.0 + math.hypot(4.0, 4.0))
    assert exact(2.0).less(exact(2.0)) == exact(0.0)
