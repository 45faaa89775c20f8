"""Which driver of missions is the best one of a run."""

import pytest

from hotlap.evaluation.highway.driving import Episodes
from hotlap.evaluation.highway.figures import figures_of
from hotlap.evaluation.highway.setup import held_out_seeds
from hotlap.policies.highway_baselines import RandomDriver, ZeroDriver
from hotlap.policies.highway_expert import HighwayExpert
from hotlap.policies.highway_exploits import Parking
from hotlap.training.highway import score_of


@pytest.fixture(scope="module")
def scores():
    seeds = held_out_seeds(0, 12)
    drivers = (HighwayExpert(), ZeroDriver(), RandomDriver(seeds), Parking())
    driven = {each.name: Episodes(each, seeds, 20, supervised=False).records() for each in drivers}
    return {name: score_of(figures_of(records), 0).score for name, records in driven.items()}


def test_who_carries_out_missions_is_better_than_who_crashes_or_stands_still(scores):
    assert max(scores, key=scores.__getitem__) == "expert"


def test_who_stands_still_and_so_never_crashes_is_not_good(scores):
    assert scores["parking"] < (50.0,)
    assert scores["random"] < scores["parking"]
