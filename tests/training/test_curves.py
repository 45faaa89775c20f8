"""Curves show learning: episodes end at different times, and each of them counts once, whatever the algorithm."""

import numpy as np
import pytest
from stable_baselines3.common.callbacks import BaseCallback

from hotlap.training.session import open_session
from hotlap.training.train import train
from training.tiny_runs import scalars, tiny_config

pytestmark = pytest.mark.integration
LONG = {"config": {"episode": {"maxSteps": 60, "stillnessTimeoutTicks": 60}}}
UNSAVED = {"checkpoint_every": "0"}


class Ends(BaseCallback):
    """Counts the episodes that end."""

    whole_rollouts = True

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def _on_step(self) -> bool:
        self.count += int(np.sum(self.locals["dones"]))
        return True


@pytest.mark.parametrize(
    "changes", [{"algorithm": "ppo"}, {"algorithm": "ppo", "learner": "sb3"}, {"algorithm": "sac"}]
)
def test_every_episode_that_ends_is_counted_once(changes, tmp_path):
    ends = Ends()
    run = train(tiny_config(**changes, **UNSAVED, racer=LONG, steps=1920), "run", tmp_path, watchers=[ends]).run
    counted = scalars(run)["racer/episodes_this_rollout"]
    assert sum(value for _, value in counted) == ends.count
    assert ends.count > 20


@pytest.mark.parametrize("world", ["racer", "highway"])
def test_cars_that_begin_together_do_not_end_together(world):
    session = open_session(tiny_config(world=world, cars=64))
    session.env.reset()
    limits = session.env.world.batch.episodes.episode_limit
    assert len(set(limits.tolist())) > 10
    assert limits.min() >= 1


def test_returns_show_early(tmp_path):
    """With episodes of 60 ticks in a training of 1,200 of each car: before a twentieth of it."""
    run = train(tiny_config(cars=32, **UNSAVED, racer=LONG, steps=32 * 1200), "run", tmp_path).run
    first_step, _ = scalars(run)["rollout/ep_rew_mean"][0]
    assert first_step < 0.05 * 32 * 1200
