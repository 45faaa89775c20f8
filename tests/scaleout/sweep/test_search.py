"""The points a sweep tries."""

import math

import numpy as np
import pytest

from hotlap.errors import ConfigError
from hotlap.scaleout.sweep.search import SearchRange, nested, parse_search, points

TABLE = {
    "ppo": {"n_epochs": {"grid": [4, 8]}, "learning_rate": {"loguniform": [1e-4, 1e-2]}},
    "cars": {"choice": [8, 16]},
}


def test_a_search_names_settings_by_their_dotted_path():
    assert list(parse_search(TABLE)) == ["ppo.n_epochs", "ppo.learning_rate", "cars"]


def test_every_combination_of_the_grids_gets_so_many_draws():
    found = list(points(parse_search(TABLE), 3, seed=0))
    assert [point["ppo.n_epochs"] for point in found] == [4, 4, 4, 8, 8, 8]
    assert all(1e-4 <= point["ppo.learning_rate"] <= 1e-2 and point["cars"] in (8, 16) for point in found)
    assert len({point["ppo.learning_rate"] for point in found}) == 6


def test_a_search_without_draws_is_not_repeated():
    assert len(list(points(parse_search({"cars": {"grid": [1, 2]}}), 5, seed=0))) == 2


def test_the_same_seed_gives_the_same_points_and_others_do_not():
    search = parse_search(TABLE)
    assert list(points(search, 2, seed=1)) == list(points(search, 2, seed=1))
    assert list(points(search, 2, seed=1)) != list(points(search, 2, seed=2))


def test_loguniform_draws_every_decade_alike():
    rng = np.random.default_rng(0)
    draws = [SearchRange("loguniform", (1e-4, 1.0)).draw(rng) for _ in range(4000)]
    decades = np.bincount([-math.ceil(math.log10(draw)) for draw in draws])
    assert abs(decades - 1000).max() < 4 * math.sqrt(750)  # four standard deviations of a binomial count


def test_a_neighbour_stays_within_its_range():
    rng = np.random.default_rng(0)
    assert {SearchRange("uniform", (0.9, 1.0)).near(0.95, rng) for _ in range(20)} == {0.9, 1.0}
    assert {SearchRange("grid", (1, 2, 3)).near(2, rng) for _ in range(20)} == {1, 3}
    assert {SearchRange("choice", (1, 2, 3)).near(3, rng) for _ in range(20)} == {2, 3}


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ({"cars": 8}, "write a range"),
        ({"cars": {"grid": []}}, "something in it"),
        ({"cars": {"grid": [1], "choice": [2]}}, "exactly one of"),
        ({"ppo": {"gamma": {"uniform": [0.9]}}}, "lowest and the highest"),
        ({"ppo": {"gamma": {"uniform": [1.0, 0.9]}}}, "lowest and the highest"),
        ({"ppo": {"gamma": {"loguniform": [0, 1]}}}, "above 0"),
        ({"ppo": {"gamma": {"uniform": [True, 2]}}}, "lowest and the highest"),
    ],
)
def test_a_range_that_is_none_is_refused_by_name(table, complaint):
    with pytest.raises(ConfigError, match=complaint):
        parse_search(table)


def test_dotted_settings_become_tables():
    assert nested({"ppo.gamma": 0.9, "ppo.n_steps": 8, "seed": 1}) == {"ppo": {"gamma": 0.9, "n_steps": 8}, "seed": 1}
