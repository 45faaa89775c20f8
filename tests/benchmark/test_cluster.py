"""How a training on a cluster would grow."""

import pytest

from hotlap.benchmark.cluster import Share, Stopwatch, measure_here, model, run_cluster_benchmark
from hotlap.errors import ConfigError
from hotlap.settings import merged
from hotlap.training.config import TrainConfig


def test_the_model_divides_driving_and_leaves_learning():
    one = Share(env_runners=1, steps=1000, learn_s=1.0, drive_s=3.0)
    assert model(one, 1) == one
    assert model(one, 4).steps_per_s == pytest.approx(1000 / 1.75)
    assert model(one, 10**9).steps_per_s == pytest.approx(1000)
    two = Share(env_runners=2, steps=1000, learn_s=1.0, drive_s=1.5)
    assert model(two, 4) == model(one, 4)


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
        run_cluster_benchmark("racer-ppo", (), 1, "", as_json=True)
