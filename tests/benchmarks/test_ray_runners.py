"""How a training on RLlib grows with env runners."""

import pytest
from benchmarks.ray_runners import RunnersMeasurement, Stopwatch, measure_here

from hotlap.errors import ConfigError
from hotlap.settings import merged
from hotlap.training.config import TrainConfig


def test_a_stopwatch_times_every_call_and_passes_everything_on():
    watch = Stopwatch(lambda a, *, b: a - b)
    assert [watch(3, b=1), watch(1, b=3)] == [2, -2]
    assert len(watch.seconds) == 2


def test_without_ray_the_time_of_an_iteration_is_learning_and_driving():
    small = {"cars": 4, "network": {"hidden": [4]}, "ppo": {"n_steps": 16, "n_epochs": 1}}
    share = measure_here(merged(TrainConfig(), small, "small"), 2)
    assert (share.env_runners, share.steps) == (0, 64)
    assert share.learn_s > 0.0 < share.drive_s


def test_nothing_to_measure_is_refused():
    with pytest.raises(ConfigError, match="nothing to measure"):
        RunnersMeasurement(runners=())
