"""A short training makes a driver: more reward, more laps completed, faster laps. Margins hold over three seeds."""

import pytest

from hotlap.evaluation import evaluate
from hotlap.settings import merged
from hotlap.training import racing
from hotlap.training.config import TrainConfig
from hotlap.training.racing import RacerEvaluator
from hotlap.training.session import open_session
from hotlap.training.train import train
from training.tiny_runs import scalars

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
PARTS = ("progress", "speed", "wall", "offTrack", "backward", "stillness")
# Ten seconds on two quiet cores; written out, so that tuning a preset does not move this test.
SHORT_TRAINING = {
    "steps": 400_000,
    "cars": 256,
    "racer": {"config": {"weights": {"offTrackPenalty": -0.01, "wallPenalty": -0.01}, "episode": {"maxSteps": 1200}}},
    "network": {"hidden": [64, 64]},
    "ppo": {"n_steps": 64, "batch_size": 4096, "n_epochs": 8, "learning_rate": 2e-3, "gamma": 0.98, "gae_lambda": 0.99},
    "evaluation": {"every_steps": 200_000},
}


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.soak), pytest.param(2, marks=pytest.mark.soak)])
def test_reward_completion_and_lap_time_improve(seed, tmp_path, monkeypatch):
    """Measured: reward a tick from -0.0008 to +0.0017, laps 8.8 to 9.0 s half-way and 7.6 to 8.0 s at the end."""
    monkeypatch.setattr(racing, "evaluate", evaluate)
    config = merged(TrainConfig(), SHORT_TRAINING | {"seed": seed}, "test")
    untrained = open_session(config)
    untrained.env.reset()
    before = RacerEvaluator(config).evaluate(untrained.export_policy(), 0)
    result = train(config, "run", tmp_path)
    tags = scalars(result.run)
    rewards = [
        sum(values) for values in zip(*([value for _, value in tags[f"reward/{part}"]] for part in PARTS), strict=True)
    ]
    assert rewards[0] < 0.0002
    assert rewards[-1] > 0.0012
    completion = [value for _, value in tags["eval/track-01/completion"]]
    assert before.score[0] < 0.5
    assert completion[-1] > 0.95
    half_way, end = (value for _, value in tags["eval/track-01/clean_lap_sec"])
    assert end < half_way - 0.4
    assert end < 8.6
    assert result.best is not None
    assert result.best.laps["track-01"] == pytest.approx(end)
