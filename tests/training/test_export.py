"""Taking a policy elsewhere: the ONNX file of a run, and the two files that plain stable-baselines3 loads."""

import functools
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from stable_baselines3 import PPO, SAC
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

from hotlap import cli
from hotlap.errors import ExportError
from hotlap.highway.env import HighwayEnv
from hotlap.highway.pedals import two_pedals
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.training.export import export_onnx, export_sb3
from hotlap.training.train import train
from training.tiny_runs import checkpoint_folder, steps_saved, tiny_config

pytestmark = pytest.mark.integration
OBSERVATIONS = np.random.default_rng(0).uniform(0, 1, (200, 14)).astype(np.float32)

# What someone does who has never heard of hotlap.
PLAIN_SB3 = """
import sys
class Nobody:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "hotlap":
            raise ImportError("there is no hotlap here")
sys.meta_path.insert(0, Nobody())
import json, gymnasium, numpy as np
from pathlib import Path
from stable_baselines3 import PPO, SAC
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

class Still(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1, 1, (14,), np.float32)
    action_space = gymnasium.spaces.Box(np.float32([-1, 0, 0]), np.float32([1, 1, 1]))

def loaded(algorithm, folder):
    model = algorithm.load(folder / "model.zip", device="cpu")
    normalizer = VecNormalize.load(str(folder / "vecnormalize.pkl"), DummyVecEnv([Still]))
    actions, _ = model.predict(normalizer.normalize_obs(np.load("observations.npy")), deterministic=True)
    return {"actions": actions.tolist(), "rate": model.lr_schedule(1.0)}

results = {"ppo": loaded(PPO, Path("ppo")), "sac": loaded(SAC, Path("sac"))}
print(json.dumps({**results, "hotlap": "hotlap" in sys.modules}))
"""


@functools.cache
def trained(algorithm: str, root: Path) -> Path:
    return train(tiny_config(algorithm, steps=256, evaluation={"every_steps": 100}), f"a-{algorithm}", root).run


@pytest.fixture(scope="module")
def root(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module", params=["ppo", "sac"])
def run(request, root):
    return trained(request.param, root)


def test_plain_sb3_loads_the_exports_and_acts_the_same(root, tmp_path):
    runs = {algorithm: trained(algorithm, root) for algorithm in ("ppo", "sac")}
    for algorithm, run in runs.items():
        files = [tmp_path / algorithm / name for name in ("model.zip", "vecnormalize.pkl")]
        assert export_sb3(run, tmp_path / algorithm, newest=False, force=False) == files
    np.save(tmp_path / "observations.npy", OBSERVATIONS)
    command = [sys.executable, "-c", PLAIN_SB3]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    assert not results.pop("hotlap")
    for algorithm, rate in (("ppo", 2e-3), ("sac", 7.3e-4)):
        wanted = OnnxPolicy(runs[algorithm] / "policy.onnx").act(OBSERVATIONS)
        assert np.abs(np.array(results[algorithm]["actions"]) - wanted).max() <= 1e-5
        assert results[algorithm]["rate"] == pytest.approx(rate)


@pytest.mark.parametrize(("algorithm", "pedals"), [("ppo", "two"), ("sac", "one")])
def test_export_of_a_highway_driver_drives_the_highway_env(algorithm, pedals, tmp_path):
    two = {"log_std_init": [-1.0, -1.0], "initial_action": [0.1, 0.0]}
    config = tiny_config(algorithm, steps=256, world="highway", network=two, highway={"pedals": "one"})
    run, folder = train(config, "highway", tmp_path).run, tmp_path / "export"
    export_sb3(run, folder, newest=False, force=False)
    env = HighwayEnv(pedals=pedals)
    model = {"ppo": PPO, "sac": SAC}[algorithm].load(folder / "model.zip", device="cpu")
    assert model.action_space == env.action_space
    normalizer = VecNormalize.load(
        str(folder / "vecnormalize.pkl"), DummyVecEnv([functools.partial(HighwayEnv, pedals=pedals)])
    )
    observation, _ = env.reset(seed=0)
    policy = OnnxPolicy(run / "policy.onnx", world="highway")
    for _ in range(20):
        action, _ = model.predict(normalizer.normalize_obs(observation), deterministic=True)
        given = np.clip(two_pedals(*action) if pedals == "one" else action, [0, 0, -1], 1)
        assert np.abs(given - policy.act(observation[None])[0]).max() <= 1e-5
        observation = env.step(action)[0]


def test_onnx_export_is_the_best_or_the_newest_policy(run, tmp_path):
    best, newest = tmp_path / "best.onnx", tmp_path / "new" / "newest.onnx"
    export_onnx(run, best, newest=False, force=False)
    export_onnx(run, newest, newest=True, force=False)
    assert best.read_bytes() == (run / "policy.onnx").read_bytes()
    last = checkpoint_folder(run, steps_saved(run)[-1])
    assert newest.read_bytes() == (last / "policy.onnx").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["best.onnx", "new"]


def test_nothing_is_written_over_without_being_asked(run, tmp_path):
    target = tmp_path / "mine.onnx"
    target.write_text("mine", encoding="utf-8")
    with pytest.raises(ExportError, match=r"exists already. Use --force to replace it, or choose another name"):
        export_onnx(run, target, newest=False, force=False)
    assert target.read_text(encoding="utf-8") == "mine"
    export_onnx(run, target, newest=False, force=True)
    assert target.read_bytes() == (run / "policy.onnx").read_bytes()


def test_forced_export_leaves_other_files_of_a_folder_alone(run, tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    (tmp_path / "model.zip").write_text("old", encoding="utf-8")
    with pytest.raises(ExportError, match=r"model\.zip: exists already"):
        export_sb3(run, tmp_path, newest=False, force=False)
    export_sb3(run, tmp_path, newest=True, force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.zip", "thesis.txt", "vecnormalize.pkl"]
    assert (tmp_path / "thesis.txt").read_text(encoding="utf-8") == "years of work"


def test_place_that_cannot_be_written_is_named(run, tmp_path):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(ExportError, match=r"cannot be written .* Choose a place where you may write"):
        export_onnx(run, tmp_path / "file" / "policy.onnx", newest=False, force=False)
    with pytest.raises(ExportError, match="is a folder"):
        export_onnx(run, tmp_path, newest=False, force=True)


def test_command_exports_in_both_formats(run, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["export", "policy", run.name, "--root", str(run.parent), "--format", "onnx"]) == 0
    assert capsys.readouterr().out == f"wrote {run.name}.onnx: raw observations in, final actions out\n"
    assert OnnxPolicy(tmp_path / f"{run.name}.onnx").layout == "classic"
    assert cli.main(["export", "policy", str(run), "--format", "sb3", "--output", "sb3"]) == 0
    assert "only files that you trust" in capsys.readouterr().out
    assert (tmp_path / "sb3" / "model.zip").is_file()
    assert cli.main(["export", "policy", "a-ppa", "--root", str(run.parent)]) == 2
    assert f'no run "a-ppa" under {run.parent}. Did you mean' in capsys.readouterr().err or run.name == "a-sac"
