"""The contracts of Gymnasium and of stable-baselines3 over every racing id, layout, start, delay and render mode."""

import itertools
import warnings

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env as check_for_gymnasium
from stable_baselines3.common.env_checker import check_env as check_for_sb3

import hotlap

IDS = [name for name in gym.registry if name.startswith("hotlap/Racer")]
SETTINGS = list(
    itertools.product(IDS, ["classic", "full"], ["grid", "gate", "random"], [0, 1, "random"], [None, "rgb_array"])
)


def made(setting) -> gym.Env:
    name, observation, start, delay, render_mode = setting
    return gym.make(name, observation=observation, start=start, action_delay=delay, render_mode=render_mode)


def test_importing_the_package_registers_the_racer():
    assert hotlap.__version__
    assert "hotlap/Racer-v0" in IDS


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_gymnasium_finds_nothing_to_complain_about(setting):
    check_for_gymnasium(made(setting).unwrapped)


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_sb3_finds_nothing_to_complain_about(setting):
    with warnings.catch_warnings():
        # Throttle and brake go from 0 to 1: the action space is frozen with the physics, so this advice is not taken.
        warnings.filterwarnings("ignore", message="We recommend you to use a symmetric and normalized Box action space")
        check_for_sb3(made(setting).unwrapped)


def test_environment_can_be_made_again_from_its_spec():
    env = gym.make("hotlap/Racer-v0", track="track-03", start="random", config={"episode": {"maxSteps": 5}})
    again = gym.make(gym.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert env.reset(seed=3)[0].tobytes() == again.reset(seed=3)[0].tobytes()
