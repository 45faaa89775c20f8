"""Models that plain stable-baselines3 saved become runs, which drive as the models do and can be trained on."""

import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from stable_baselines3 import PPO, TD3
from stable_baselines3.common.vec_env import VecNormalize

from hotlap import cli, make_vec_env
from hotlap.checkpoints.run_files import read_best
from hotlap.errors import ConfigError, PolicyError
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.training.export import export_sb3
from hotlap.training.importing import ModelFiles, import_model
from hotlap.training.train import resume, train
from hotlap.worlds import make_world
from training.tiny_runs import steps_saved, tiny_config

pytestmark = pytest.mark.integration
OBSERVATIONS = np.random.default_rng(0).uniform(0, 1, (200, 14)).astype(np.float32)


class Bomb:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> Path:
    """What a newcomer brings: a PPO with the defaults of stable-baselines3, and its normaliser."""
    folder = tmp_path_factory.mktemp("plain")
    env = VecNormalize(make_vec_env("racer", 4, seed=0, track="track-01", start="random"))
    model = PPO("MlpPolicy", env, n_steps=32, batch_size=64, seed=0, device="cpu").learn(256)
    model.save(folder / "mine.zip")
    env.save(str(folder / "stats.pkl"))
    np.save(folder / "actions.npy", model.predict(env.normalize_obs(OBSERVATIONS), deterministic=True)[0])
    return folder


def files_of(folder: Path) -> ModelFiles:
    return ModelFiles(folder / "mine.zip", folder / "stats.pkl", trust=True)


def test_imported_model_drives_as_it_did_and_says_how_well(plain, tmp_path):
    made = import_model(files_of(plain), "", "mine-*", tmp_path)
    assert (made.run.name, made.config.world, made.config.algorithm) == ("mine-1", "racer", "ppo")
    assert (made.config.network.hidden, made.config.network.activation) == ((64, 64), "tanh")
    policy = OnnxPolicy(made.run / "policy.onnx")
    assert np.abs(policy.act(OBSERVATIONS) - np.load(plain / "actions.npy")).max() <= 1e-5
    assert policy.metadata["steps"] == read_best(made.run).step == 256
    assert steps_saved(made.run) == [256]


def test_imported_model_is_resumed_and_begun_from(plain, tmp_path):
    run = import_model(files_of(plain), "", "mine", tmp_path).run
    assert resume(run, steps=300).step > 300
    config = tiny_config(begin_from="mine@256", steps=64, network={"hidden": [64, 64], "activation": "tanh"})
    assert train(config, "next", tmp_path).step == 64


@pytest.mark.parametrize(
    ("algorithm", "changes"),
    [
        ("sac", {}),
        ("ppo", {"normalize": False}),
        ("ppo", {"world": "highway"}),
        ("dqn", {"world": "highway"}),
    ],
)
def test_what_is_exported_can_be_imported_and_is_the_same_driver(algorithm, changes, tmp_path):
    run = train(tiny_config(algorithm, steps=96, **changes), "run", tmp_path).run
    model, *statistics = export_sb3(run, tmp_path / "export", newest=True, force=False)
    files = ModelFiles(model, statistics[0] if statistics else None, trust=True)
    again = import_model(files, "", "again", tmp_path).run
    world = changes.get("world", "racer")
    old, new = (OnnxPolicy(each / "policy.onnx", world) for each in (run, again))
    seen = np.random.default_rng(0).uniform(0, 1, (200, make_world(world, 1).observation.shape[1])).astype(np.float32)
    assert np.abs(old.act(seen) - new.act(seen)).max() <= 1e-5


def test_nothing_is_loaded_without_trust(plain, tmp_path, capsys):
    (tmp_path / "bomb.pkl").write_bytes(pickle.dumps(Bomb(tmp_path / "exploded")))
    words = ["import", str(plain / "mine.zip"), "--vecnormalize", str(tmp_path / "bomb.pkl"), "--root", str(tmp_path)]
    assert cli.main(words) == 2
    said = capsys.readouterr().err
    assert "loading files of stable-baselines3 runs code that is in them. Add --trust if" in said
    assert not (tmp_path / "exploded").exists()
    assert cli.main([*words, "--trust"]) == 2
    assert "is no VecNormalize of plain observations" in capsys.readouterr().err
    assert (tmp_path / "exploded").exists()
    assert not list(tmp_path.glob("mine*"))


def test_command_says_what_it_made_and_what_to_do_with_it(plain, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = [str(plain / "mine.zip"), "--vecnormalize", str(plain / "stats.pkl"), "--trust", "--name", "brought"]
    assert cli.main(["import", *words]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"imported {plain / 'mine.zip'} as runs/brought: racer ppo, ")
    assert "hotlap train PRESET --from runs/brought" in said
    assert cli.main(["import", *words]) == 2
    assert "runs/brought: exists already" in capsys.readouterr().err


def save_model(path: Path, kind=PPO, **options) -> Path:
    options = {"PPO": {"n_steps": 2, "batch_size": 4}, "TD3": {}}[kind.__name__] | options
    kind("MlpPolicy", make_vec_env("racer", 2, seed=0, **options.pop("world", {})), device="cpu", **options).save(path)
    return path


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"kind": TD3}, PolicyError, "is no PPO, SAC or DQN with plain layers"),
        ({"policy_kwargs": {"activation_fn": torch.nn.SiLU}}, PolicyError, "has SiLU between its layers"),
        (
            {"policy_kwargs": {"net_arch": {"pi": [8, 8], "vf": [16]}}},
            PolicyError,
            "policy and value networks must have the same plain layers",
        ),
        ({"policy_kwargs": {"net_arch": {"pi": [8], "vf": [16]}}}, PolicyError, "its weights fit no network here"),
        ({"use_sde": True}, PolicyError, "its weights fit no network here"),
    ],
)
def test_model_that_no_run_can_hold_is_refused_in_a_sentence(options, error, sentence, tmp_path):
    model = save_model(tmp_path / "model.zip", **options)
    with pytest.raises(error, match=sentence):
        import_model(ModelFiles(model, None, trust=True), "", "run", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["model.zip"]


def test_preset_that_does_not_fit_and_files_that_are_none_are_named(plain, tmp_path):
    with pytest.raises(ConfigError, match=r"is ppo with 14 observations, which fits no preset racer-sac\. Name one"):
        import_model(files_of(plain), "racer-sac", "run", tmp_path)
    with pytest.raises(PolicyError, match=r"nothing\.zip: is not there"):
        import_model(ModelFiles(tmp_path / "nothing.zip", None, trust=True), "", "run", tmp_path)
    (tmp_path / "text.zip").write_text("no model", encoding="utf-8")
    with pytest.raises(PolicyError, match=r"text\.zip: cannot be loaded as stable-baselines3 would"):
        import_model(ModelFiles(tmp_path / "text.zip", None, trust=True), "", "run", tmp_path)
