"""The order evaluation: sentences over the whole grammar, driven on held-out roads, and what is counted."""

import sys
from dataclasses import replace
from functools import cache

import pytest

from hotlap import progress
from hotlap.errors import ConfigError
from hotlap.evaluation import HighwaySetup
from hotlap.evaluation.highway.evaluate import SCRIPTED, evaluate_highway
from hotlap.evaluation.highway.order_evaluation import FIRST_ROAD, OrderEvaluation, evaluate_orders
from hotlap.evaluation.highway.order_figures import order_figures
from hotlap.evaluation.highway.order_sentences import KINDS, SpokenOrder, spoken
from hotlap.evaluation.highway.setup import HELD_OUT_SEED, MOST_EPISODES, held_out_seeds
from hotlap.highway.missions import Ending
from hotlap.highway.orders import Refused, Situation, Traffic, interpret
from hotlap.highway.orders.results import RefusalKind
from hotlap.policies.highway_expert import HighwayExpert

AHEAD = Situation(lane=2, speed_mph=58.0, traffic=Traffic("truck", 45.0))


@cache
def evaluated(name):
    return evaluate_orders(SCRIPTED[name], (4,), 2)


def figures_of(name):
    return {each.kind: each for each in order_figures(evaluated(name))}


@pytest.mark.parametrize("kind", KINDS)
def test_every_sentence_of_the_evaluation_is_understood_or_refused_for_a_reason_of_the_road(kind):
    for seed in range(60):
        for text in spoken(kind, seed).texts:
            answer = interpret(text, AHEAD)
            assert not isinstance(answer, Refused) or answer.kind is not RefusalKind.NOT_UNDERSTOOD, text


def test_same_seed_says_the_same_and_seeds_differ():
    assert spoken("speed", 7) == spoken("speed", 7)
    assert len({spoken("speed", seed).texts for seed in range(20)}) > 10


def test_order_evaluation_has_seeds_of_its_own():
    assert held_out_seeds(FIRST_ROAD, 1)[0] > HELD_OUT_SEED + MOST_EPISODES


def test_expert_does_what_it_is_told_to_the_mph():
    figures = figures_of("expert")
    for kind in ("speed", "speed_change", "stop", "pull_over"):
        assert figures[kind].estimates["order_done_percent"].value == 100.0
    assert figures["speed"].estimates["order_speed_error_mph"].value < 0.5
    assert all(each.estimates["order_own_fault_percent"].value == 0.0 for each in figures.values() if each.tried)


def test_driver_that_touches_nothing_does_nothing_it_is_told():
    figures = figures_of("zero")
    for kind in ("lane", "lanes", "stop", "pull_over"):
        assert figures[kind].estimates["order_done_percent"].value == 0.0


def test_same_driver_and_orders_give_the_same_results():
    assert evaluate_orders(SCRIPTED["expert"], (4,), 2) == evaluated("expert")


def test_somebody_who_waits_for_orders_sees_how_far_they_are(capsys, monkeypatch):
    monkeypatch.setattr(progress, "BAR_AFTER_S", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    OrderEvaluation(HighwayExpert(), [(SpokenOrder("speed", ("cruise at 60",)), 1)], 3)
    assert "orders among 3 vehicles" in capsys.readouterr().err


def test_order_that_is_refused_is_not_counted_as_possible():
    [result] = OrderEvaluation(HighwayExpert(), [(SpokenOrder("speed", ("cruise at 400",)), 1)], 0).results()
    assert result.ending is Ending.REFUSED
    [figures] = order_figures([result])
    assert (figures.tried, figures.refused) == (0, 1)
    assert figures.estimates["order_done_percent"] is None


def test_second_sentence_takes_the_place_of_the_first():
    change = SpokenOrder("change_of_mind", ("cruise at 60", "stop"), after_s=2.0)
    evaluation = OrderEvaluation(HighwayExpert(), [(change, 1)], 0)
    [result] = evaluation.results()
    assert (result.text, result.ending) == ("stop", Ending.DONE)
    assert evaluation.world.step_views["speed_mps"][0] < 0.2


def test_driver_that_was_too_slow_gets_no_excuse():
    result = replace(evaluated("zero")[0], ending=Ending.TIMED_OUT)
    [figures] = order_figures([result])
    assert (figures.tried, figures.estimates["order_done_percent"].value) == (1, 0.0)


def test_orders_are_part_of_an_evaluation_and_of_its_measures():
    setup = HighwaySetup(vehicles=(4,), episodes=1, orders=1)
    evaluation = evaluate_highway(SCRIPTED["expert"], setup, with_baselines=False)
    places = {measure.place for measure in evaluation.measures()}
    assert {f"orders: {kind.replace('_', ' ')}" for kind in KINDS} <= places
    assert [each["kind"] for each in evaluation.plain()["orders"]] == list(KINDS)


@pytest.mark.parametrize("orders", [-1, 10_001])
def test_number_of_orders_that_cannot_be_is_refused(orders):
    with pytest.raises(ConfigError, match="from 0 to 10000"):
        HighwaySetup(orders=orders)
