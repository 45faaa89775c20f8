"""What recipes for other libraries rely on, where the library itself is too heavy to be installed for the tests."""

import gymnasium as gym
import numpy as np


def as_in_cleanrl():
    """A car in the wrappers of CleanRL's files for continuous actions, by the name that its command line takes."""
    env = gym.make("hotlap:hotlap/Racer-v0", max_episode_steps=20)
    env = gym.wrappers.FlattenObservation(env)
    env = gym.wrappers.RecordEpisodeStatistics(env)
    env = gym.wrappers.ClipAction(env)
    env = gym.wrappers.NormalizeObservation(env)
    env = gym.wrappers.TransformObservation(env, lambda seen: np.clip(seen, -10, 10), env.observation_space)
    env = gym.wrappers.NormalizeReward(env, gamma=0.99)
    return gym.wrappers.TransformReward(env, lambda reward: np.clip(reward, -10, 10))


def test_cleanrl_finds_the_return_and_the_length_of_every_episode():
    envs = gym.vector.SyncVectorEnv([as_in_cleanrl] * 2, autoreset_mode=gym.vector.AutoresetMode.SAME_STEP)
    envs.reset(seed=1)
    far_out = np.full((2, 3), 5.0, np.float32)
    for _ in range(19):
        assert "final_info" not in envs.step(far_out)[4]
    seen, _, _, truncated, infos = envs.step(far_out)
    assert truncated.all()
    assert infos["final_info"]["_episode"].all()
    assert infos["final_info"]["episode"]["l"].tolist() == [20, 20]
    assert np.isfinite(infos["final_info"]["episode"]["r"]).all()
    assert np.isfinite(seen).all()
    envs.close()
