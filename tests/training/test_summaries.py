"""Summaries of what others drove: counted together they say what all cars in one place say."""

import numpy as np
import pytest
from stable_baselines3.common.callbacks import BaseCallback, CallbackList

from hotlap.training import callbacks, highway_callbacks
from hotlap.training.callbacks import RacerMetricsCallback
from hotlap.training.driving import needs_samples
from hotlap.training.highway_callbacks import HighwayMetricsCallback
from hotlap.training.highway_tally import FACTS
from training.recording import RecordingLogger

TICKS, CARS = 40, 12


def racer_ticks(generator, rollouts=3):
    """Laps that cars finish and episodes that end here and there, rollout by rollout."""
    lap, step = np.ones(CARS, int), np.zeros(CARS, int)
    for _ in range(rollouts):
        names = ("lap", "stepCount", "lapTicks", "lapClean", "dones")
        columns = {name: np.zeros((TICKS, CARS), int) for name in names}
        for tick in range(TICKS):
            step += 1
            finished, ended = generator.random(CARS) < 0.05, generator.random(CARS) < 0.03
            lap += finished
            row = (lap, step, finished * generator.integers(390, 500, CARS), generator.random(CARS) < 0.5, ended)
            for name, values in zip(names, row, strict=True):
                columns[name][tick] = values
            lap[ended], step[ended] = 1, 0
        parts = {part: generator.standard_normal((TICKS, CARS)) for part in callbacks.REWARD_PARTS}
        yield columns | parts


def highway_ticks(generator, rollouts=3):
    """Decisions in which anything may happen, rollout by rollout."""
    for _ in range(rollouts):
        parts = {part: generator.standard_normal((TICKS, CARS)) for part in highway_callbacks.REWARD_PARTS}
        facts = {fact: generator.integers(0, 2, (TICKS, CARS)) for fact in FACTS}
        ended = generator.integers(0, 2, (TICKS, CARS))
        missions = {"ended_mode": ended * 0, "ended_decisions": generator.integers(1, 90, (TICKS, CARS))}
        yield parts | facts | missions | {"mission_ended": ended, "dones": ended}


def told(metrics):
    """Metrics with a logger that remembers."""
    logger = RecordingLogger()
    metrics.model = type("Model", (), {"logger": logger, "num_timesteps": 0})()
    return logger


def as_shown(columns, cars):
    """What a callback is shown of some of the cars."""
    part = {name: column[:, cars] for name, column in columns.items()}
    dones = part.pop("dones").astype(bool)
    return {"columns": part, "dones": dones, "infos": None}


@pytest.mark.parametrize(
    ("kind", "ticks"), [(RacerMetricsCallback, racer_ticks), (HighwayMetricsCallback, highway_ticks)]
)
def test_summaries_of_two_nodes_say_what_all_cars_in_one_process_say(kind, ticks):
    whole, leader = kind(), kind()
    said_by_one, said_of_nodes = told(whole), told(leader)
    for columns in ticks(np.random.default_rng(0)):
        whole.locals = as_shown(columns, slice(None))
        halves = [as_shown(columns, slice(0, 5)), as_shown(columns, slice(5, None))]
        leader.locals = {"summaries": [kind().summary(half) for half in halves], "infos": None}
        for metrics in (whole, leader):
            metrics._on_step()
            metrics._on_rollout_end()
            metrics.logger.dump()
    assert [tag for tag, _ in said_by_one.recorded] == [tag for tag, _ in said_of_nodes.recorded]
    for (tag, value), (_, other) in zip(
        said_by_one.recorded + said_by_one.averaged, said_of_nodes.recorded + said_of_nodes.averaged, strict=True
    ):
        assert other == pytest.approx(value, rel=1e-12), tag
    assert said_by_one.recorded
    assert {name: array.tolist() for name, array in whole.tensors().items()} == {
        name: array.tolist() for name, array in leader.tensors().items()
    }
    if kind is RacerMetricsCallback:  # laps in the order in which they were driven; missions one node after the other
        assert whole.counters() == leader.counters()


def test_callback_of_somebody_else_is_sent_what_was_driven():
    ours = CallbackList([RacerMetricsCallback(), HighwayMetricsCallback()])
    assert not needs_samples(ours)
    theirs = type("Theirs", (BaseCallback,), {"_on_step": lambda _: True})()
    assert needs_samples(CallbackList([ours, theirs]))
