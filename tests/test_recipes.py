"""What recipes for other libraries rely on, where the library itself is too heavy to be installed for the tests."""

import ast
import re
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

import hotlap

PAGE = (Path(__file__).parent.parent / "docs" / "recipes.md").read_text(encoding="utf-8")
RECIPES = re.findall(r"^```py\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.split(maxsplit=3)[1])
def test_recipe_is_python_and_names_what_hotlap_has(recipe):
    tree = ast.parse(recipe)
    ids = [each.value for each in ast.walk(tree) if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    assert all(gym.spec(name) for name in ids if name.startswith("hotlap/"))
    named = [
        each.attr for each in ast.walk(tree) if isinstance(each, ast.Attribute) and ast.unparse(each.value) == "hotlap"
    ]
    assert set(named) <= set(hotlap.__all__)


def test_no_recipe_is_in_a_block_that_nobody_reads():
    plain = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert RECIPES
    assert not [block for block in plain if block.startswith(("from ", "import "))]


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
