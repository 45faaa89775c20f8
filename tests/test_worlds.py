"""A world is known to the whole house by one registration: a toy one is trained, evaluated, spread out and listed."""

import ast
import json
from pathlib import Path

import numpy as np
import pytest

import hotlap
from hotlap import cli
from hotlap.errors import ConfigError
from hotlap.evaluation.places import drive_place
from hotlap.evaluation.request import EvaluationConfig
from hotlap.evaluation.sources import find_driver
from hotlap.evaluation.world_evaluation import evaluate_driver, evaluation_of
from hotlap.web.runs import Shelf
from hotlap.worlds import WORLDS, Registration, make_world, register_world
from toy_world import TOY

PACKAGE = Path(hotlap.__file__).parent
PRESET = """
world = "toy"
steps = 256
cars = 4
checkpoint_every = "0"
[network]
hidden = [8]
[ppo]
n_steps = 16
batch_size = 32
[evaluation]
every_steps = 0
"""


@pytest.fixture(autouse=True)
def toy():
    """The toy is registered for the length of a test."""
    register_world(TOY)
    yield
    del WORLDS["toy"]


@pytest.fixture
def trained(tmp_path, capsys):
    """A run of the toy, and what `hotlap train` printed."""
    preset = tmp_path / "toy.toml"
    preset.write_text(PRESET, encoding="utf-8")
    status = cli.main(["train", str(preset), "--root", str(tmp_path / "runs"), "--name", "walker", "--json"])
    assert status == 0
    return tmp_path / "runs" / "walker", json.loads(capsys.readouterr().out)


def test_registered_world_is_made_by_name_alone_and_in_a_vector_env():
    assert make_world("toy", 3).count == 3
    env = hotlap.make_vec_env("toy", 2, seed=0)
    env.reset()
    assert env.step(np.ones((2, 3), np.float32))[1].tolist() == [1.0, 1.0]


def test_registered_world_is_trained_and_its_driver_evaluated(trained, capsys):
    run, result = trained
    assert (result["finished"], result["evaluation"]["world"]) == (True, "toy")
    assert json.loads((run / "best.json").read_bytes())["tags"].keys() == {"eval/distance"}
    assert cli.main(["evaluate", str(run), "full-throttle", "--episodes", "1", "--root", str(run.parent)]) == 0
    assert "full-throttle got 8.64 far" in capsys.readouterr().out


def test_registered_world_is_split_and_joined_as_if_it_were_driven_here():
    source, config = find_driver("full-throttle"), EvaluationConfig(episodes=3)
    parts = evaluation_of("toy").split(config, source)
    spread_out = evaluation_of("toy").joined([drive_place(source, None, part) for part in parts], config)
    assert len(parts) == 3
    assert spread_out == evaluate_driver(source, config, lambda _words: None)


def test_option_of_another_world_is_refused():
    with pytest.raises(ConfigError, match="laps is an option of the racer"):
        evaluate_driver(find_driver("full-throttle"), EvaluationConfig(laps=3), lambda _words: None)


def test_run_of_a_world_without_a_page_is_listed_and_says_so(trained):
    listing = Shelf(trained[0].parent).listing()
    assert [(run.name, run.world) for run in listing.runs] == [("walker", "toy")]
    assert 'trained in the world "toy"' in listing.drivers[0].problem


def test_part_that_a_world_lacks_is_named():
    with pytest.raises(ConfigError, match="the world toy is registered without browser"):
        TOY.part("browser")


def test_name_stands_for_one_world():
    with pytest.raises(ConfigError, match='there is a world "racer" already'):
        register_world(Registration("racer", "toy_world:ToyWorld"))


def test_nobody_chooses_by_the_name_of_a_world():
    """Comparisons with a world's name, and tables by it, are what a registration is there for."""
    own = {"racer", "highway", "benchmark", "cli.py"}  # a world's own folder, and verbs that measure a certain world
    found = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if not own & set(path.relative_to(PACKAGE).parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if _names_worlds(node)
    ]
    assert not found


def _names_worlds(node: ast.AST) -> bool:
    """Whether a comparison or the keys of a table are names of worlds."""
    if isinstance(node, ast.Compare):
        values = [node.left, *node.comparators]
        return any(isinstance(value, ast.Constant) and value.value in WORLDS for value in values)
    keys = node.keys if isinstance(node, ast.Dict) else []
    return any(isinstance(key, ast.Constant) and key.value in WORLDS for key in keys)
