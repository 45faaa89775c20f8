"""A short training makes a driver: more reward, more laps completed, faster laps. Margins hold over three seeds."""

from pathlib import Path

import numpy as np
import pytest

from hotlap.evaluation import evaluate
from hotlap.settings import merged
from hotlap.training import racing
from hotlap.training.config import TrainConfig, load_preset
from hotlap.training.racing import RacerEvaluator
from hotlap.training.session import open_session
from hotlap.training.train import TrainingResult, train
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


def rewards_of(tags) -> list[float]:
    """The reward of a tick, rollout by rollout: the sum of its parts."""
    parts = ([value for _, value in tags[f"reward/{part}"]] for part in PARTS)
    return [sum(values) for values in zip(*parts, strict=True)]


@pytest.mark.soak
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_reward_completion_and_lap_time_improve(seed, tmp_path, monkeypatch):
    """Measured: reward a tick from -0.0008 to +0.0017, laps 8.8 to 9.0 s half-way and 7.6 to 8.0 s at the end."""
    monkeypatch.setattr(racing, "evaluate", evaluate)
    config = merged(TrainConfig(), SHORT_TRAINING | {"seed": seed}, "test")
    untrained = open_session(config)
    untrained.env.reset()
    before = RacerEvaluator(config).evaluate(untrained.export_policy(), 0)
    result = train(config, "run", tmp_path)
    tags = scalars(result.run)
    rewards = rewards_of(tags)
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


def trained_as_the_preset_says(seed: int, folder: Path, preset: str = "racer-ppo") -> TrainingResult:
    """What `make train` makes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(racing, "evaluate", evaluate)
        return train(merged(load_preset(preset), {"seed": seed}, "test"), "run", folder)


@pytest.fixture(scope="module", params=[0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (1, 2, 3, 4, 5))])
def default_run(request, tmp_path_factory) -> TrainingResult:
    return trained_as_the_preset_says(request.param, tmp_path_factory.mktemp("default"))


def steps_to(lap_s: float, result: TrainingResult) -> float:
    """When an evaluation first found such a clean lap."""
    laps = scalars(result.run)["eval/track-01/clean_lap_sec"]
    return min((step for step, found_s in laps if found_s <= lap_s), default=np.inf)


def percent_over(result: TrainingResult) -> float:
    assert result.best is not None
    return result.best.tags["eval/track-01/percent_over_reference"]


@pytest.mark.xdist_group("default run")
def test_preset_beats_the_original_and_comes_near_the_reference_with_every_seed(default_run):
    """Which line a seed finds is chance, and every kind of processor rounds its sums differently.

    Seeds 0 to 7 on two kinds: 7.333 s beaten by 0.53 M steps, 6.55 s reached by 0.8 to 2.6 M, 0.3 to 1.6 % at 4.2 M.
    """
    assert steps_to(7.332, default_run) <= 800_000
    assert steps_to(6.551, default_run) < np.inf
    assert percent_over(default_run) < 1.7
    assert default_run.best is not None
    assert default_run.best.tags["eval/track-01/completion"] == 1.0


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_preset_is_within_a_percent_of_the_reference_with_most_seeds(tmp_path):
    """In ten seconds on two quiet cores 2.5 M steps are learned."""
    results = [trained_as_the_preset_says(seed, tmp_path / str(seed)) for seed in range(8)]
    assert np.median([steps_to(6.551, result) for result in results]) <= 2_500_000
    assert np.median([percent_over(result) for result in results]) < 1.0


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_preset_of_sac_drives_six_seconds_and_six_tenths_with_most_seeds(tmp_path):
    results = [trained_as_the_preset_says(seed, tmp_path / str(seed), "racer-sac") for seed in range(4)]
    laps = [result.best.laps["track-01"] for result in results if result.best is not None]
    assert np.median(laps) < 6.601
    assert all(result.best is not None and result.best.score[:2] == (1.0, 1.0) for result in results)


@pytest.mark.xdist_group("default run")
def test_curves_of_a_default_run_have_points_and_end_where_the_driver_does(default_run):
    tags = scalars(default_run.run)
    racing_tags = [tag for tag in tags if tag.startswith("racer/")]
    assert len(racing_tags) == 5
    assert min(len(tags[tag]) for tag in racing_tags) >= 50
    assert tags["rollout/ep_rew_mean"][0][0] < 0.05 * default_run.step
    assert default_run.best is not None
    assert tags["racer/best_lap_time_sec"][-1][1] == pytest.approx(default_run.best.laps["track-01"], rel=0.1)


@pytest.mark.xdist_group("default run")
def test_reward_completion_and_lap_time_improve_in_a_default_run(default_run):
    """Measured, seed 0: reward a tick from -0.0004 to +0.0024, no lap completed before, laps of 8.5 s, then 6.45 s."""
    tags = scalars(default_run.run)
    rewards = rewards_of(tags)
    assert rewards[0] < 0.0002
    assert rewards[-1] > 0.0012
    config = load_preset("racer-ppo")
    untrained = open_session(config)
    untrained.env.reset()
    assert RacerEvaluator(config).evaluate(untrained.export_policy(), 0).score[0] < 0.5
    assert tags["eval/track-01/completion"][-1][1] > 0.95
    laps = [lap_s for _, lap_s in tags["eval/track-01/clean_lap_sec"]]
    assert laps[-1] < laps[0] - 0.4
