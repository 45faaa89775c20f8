"""Every preset trains, saves, is evaluated, and leaves a policy for its world."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tyro

from hotlap.commands.training import Train
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.settings import merged
from hotlap.training.config import TrainConfig, load_preset, preset_names
from hotlap.training.track_sets import expand_tracks
from hotlap.training.train import train
from hotlap.worlds import make_world

pytestmark = pytest.mark.integration
TESTS = Path(__file__).parents[1]
CARS = 4
SMALL = {
    "steps": 80,
    "cars": CARS,
    "ppo": {"n_steps": 10, "batch_size": 20, "n_epochs": 1},
    "sac": {"learning_starts": 20, "batch_size": 8, "buffer_size": 100},
    "dqn": {"learning_starts": 20, "batch_size": 8, "buffer_size": 100},
    "evaluation": {"every_steps": 0, "episodes": 1, "steps": 100},
}


def small(name: str) -> TrainConfig:
    """A preset with everything as it is but the sizes."""
    config = merged(load_preset(name), SMALL, name)
    tracks = tuple(expand_tracks(config.racer.tracks)[:1])
    return dataclasses.replace(config, racer=dataclasses.replace(config.racer, tracks=tracks))


@pytest.mark.parametrize("name", preset_names())
def test_preset_leaves_a_policy_that_drives_in_its_world(name, tmp_path):
    config = small(name)
    result = train(config, "run", tmp_path)
    assert result.step == config.steps
    assert result.best.summary
    policy = OnnxPolicy(result.run / "policy.onnx", world=config.world)
    racer = {"observation": policy.layout, "car": config.racer.car} if config.world == "racer" else {}
    if config.world == "race":
        racer = {"observation": policy.layout.removeprefix("race-"), "car": config.racer.car, "cars": 2}
    world = make_world(config.world, 2, **racer)
    for car in range(2):
        world.begin(car, np.random.default_rng(car))
    actions = policy.act(world.observation)
    assert actions.shape == (2, 3)
    world.advance(actions)
    assert policy.metadata["algorithm"] == config.algorithm


def test_highway_presets_are_one_for_each_algorithm():
    algorithms = {load_preset(name).algorithm for name in preset_names() if name.startswith("highway-")}
    assert algorithms == {"ppo", "sac", "dqn"}


def test_ppo_learns_without_loading_the_compiler_of_torch(tmp_path):
    """It would take longer to load than a short training."""
    script = (
        "import sys, pathlib; from training.tiny_runs import tiny_config; from hotlap.training.train import train; "
        "train(tiny_config(), 'run', pathlib.Path(sys.argv[1])); sys.exit('torch._dynamo' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], cwd=TESTS, check=False)
    assert done.returncode == 0


def test_more_steps_are_led_by_the_teacher_who_leads_the_preset_and_fewer_too():
    for steps in (1_000_000, 22_000_000):
        config = Train.default_for(["highway-ppo", "--steps", str(steps)]).config
        assert (config.steps, config.teacher.steps) == (steps, steps)
    told = tyro.cli(
        Train,
        default=Train.default_for(["highway-ppo", "--steps", "22000000"]),
        args=["highway-ppo", "--teacher.steps", "5"],
    )
    assert (told.config.steps, told.config.teacher.steps) == (22_000_000, 5)
    assert Train.default_for(["racer-sac", "--steps", "7"]).config.teacher.steps == 0
