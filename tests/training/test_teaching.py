"""A teacher draws the learner to its line while it speaks, and not afterwards."""

import numpy as np
import pytest

from hotlap.training.disciplines import discipline_of
from hotlap.training.session import open_session
from hotlap.training.train import train
from training.tiny_runs import scalars, tiny_config

pytestmark = pytest.mark.integration
SETTINGS = {"cars": 32, "racer": {"observation": "full"}, "network": {"hidden": [32]}}


def distance_to_the_teacher(world, share):
    """How far a learner's actions are from the teacher's after a short training, on average."""
    ppo = {"n_steps": 32, "batch_size": 256, "learning_rate": 3e-3, "learning_rate_end": 1e-3, "n_epochs": 1}
    config = tiny_config("ppo", world=world, steps=16_384, teacher={"share": share}, ppo=ppo, **SETTINGS)
    session = open_session(config)
    session.model.learn(config.steps, callback=session.schedules)
    seen = session.normalizer.normalize_obs(session.env.world.observation.copy()).astype(np.float32)
    action, _ = session.model.predict(seen, deterministic=True)
    return np.abs(action - discipline_of(config).teacher(config, session.env.world)()).mean()


@pytest.mark.parametrize("world", ["racer", "highway"])
def test_taught_learner_does_rather_what_the_teacher_does(world):
    assert distance_to_the_teacher(world, 1.0) < 0.6 * distance_to_the_teacher(world, 0.0)


def test_teacher_is_silent_after_its_share(tmp_path):
    config = tiny_config("ppo", steps=640, teacher={"share": 0.5}, racer={"observation": "full"})
    result = train(config, "run", tmp_path)
    last = max(step for step, _ in scalars(result.run)["teacher/loss"])
    assert 0.4 * config.steps <= last <= 0.6 * config.steps + 64
