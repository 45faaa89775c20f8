"""The examples run: each is called as its `__main__` does, with little to learn."""

import importlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from bridge.running import running_server
from hotlap.worlds import WORLDS

EXAMPLES = Path(__file__).parent.parent / "examples"
ONE_SCREEN = 60
DOING_NOTHING_EARNS = -30.0
QUICK = {"steps": 512, "cars": 16, "teacher": {"steps": 0}, "ppo": {"n_steps": 16}, "evaluation": {"steps": 200}}


def example(name: str):
    """An example as a module."""
    return importlib.import_module(f"examples.{name}")


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.*")), ids=lambda path: path.name)
def test_example_fits_on_one_screen(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= ONE_SCREEN or path.suffix == ".ipynb"


def test_random_driver_earns_the_same_with_the_same_seed():
    drive = example("random_driver").drive
    assert drive(100, seed=1) == drive(100, seed=1) != drive(100, seed=2)


def test_model_of_ones_own_learns_on_a_batch_of_cars():
    model = example("train_sb3").train(steps=1024, cars=16)
    assert model.num_timesteps == 1024


def test_single_file_learns_the_same_from_the_same_seed(capsys):
    train = example("train_single_file").train
    printed = []
    for seed in (0, 0, 1):
        train(steps=1024, cars=16, rollout=16, seed=seed)
        printed.append(capsys.readouterr().out.splitlines())
    assert len(printed[0]) == 4
    assert printed[0] == printed[1] != printed[2]


def test_race_of_agents_gives_every_car_a_place():
    assert sorted(example("race_pettingzoo").race(cars=3, ticks=120).values()) == [1, 2, 3]


def test_track_of_ones_own_is_trained_on(tmp_path):
    run = example("custom_track").train_on_bean(tmp_path, **QUICK)
    assert "bean.json" in (run / "run.json").read_text(encoding="utf-8")


def test_car_with_rain_tyres_needs_more_room_to_stop(tmp_path):
    module = example("custom_car")
    wet = module.write_wet_gt(tmp_path / "wet.toml")
    assert module.braking_distance_m(wet) > 1.3 * module.braking_distance_m("gt")


def test_reward_for_speed_alone_pays_for_circles_and_the_honest_one_does_not():
    module = example("custom_reward")
    assert module.earned(module.REWARDS["speed only"], module.CIRCLE) > 0.9 * module.earned(
        module.REWARDS["speed only"], module.LAP
    )
    assert (
        module.earned(module.REWARDS["honest"], module.CIRCLE)
        < 0.1
        < module.earned(module.REWARDS["honest"], module.LAP)
    )


def test_world_of_ones_own_is_learned():
    try:
        assert example("custom_world").train(steps=9600) > 0.9 * DOING_NOTHING_EARNS
    finally:
        del WORLDS["parking"]


def test_gate_lets_a_good_driver_pass_and_stops_a_bad_one():
    shortfalls = example("ci_gate").shortfalls
    assert shortfalls("all-rounder", "track-01", 10.0) == []
    assert len(shortfalls("all-rounder", "track-01", 0.001)) == 2


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node")
def test_javascript_drives_a_car_over_the_bridge():
    script = EXAMPLES / "bridge_client.mjs"
    with running_server() as bridge:
        words = ["node", "--no-warnings", "--experimental-websocket", str(script), bridge.url, "120"]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "lap 1, gate" in done.stdout


def test_notebook_runs_from_top_to_bottom(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((EXAMPLES / "first_driver.ipynb").read_text(encoding="utf-8"))
    names = {}
    for cell in notebook["cells"]:
        assert not cell.get("outputs"), "the notebook is kept without outputs"
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)  # noqa: S102 - our own words
    assert names["info"]["rawSpeed"] > 50.0
