"""Checkpoints made to hurt: they are refused, and nothing in them runs."""

import copy
import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hotlap.checkpoints import Checkpoint, load_checkpoint, save_checkpoint
from hotlap.errors import CheckpointError
from hotlap.training.session import restore_session
from hotlap.training.train import train
from training.tiny_runs import checkpoint_folder, steps_saved, tiny_config

pytestmark = pytest.mark.integration
TESTS = Path(__file__).parent.parent
CONFIGS = {name: tiny_config(name, steps=128) for name in ("ppo", "sac")}
CONFIGS["highway"] = tiny_config("ppo", world="highway", steps=128)


@pytest.fixture(scope="module")
def honest(tmp_path_factory) -> dict[str, Checkpoint]:
    """An intact checkpoint of each algorithm."""
    root = tmp_path_factory.mktemp("runs")
    runs = {name: train(config, name, root).run for name, config in CONFIGS.items()}
    return {name: load_checkpoint(checkpoint_folder(run, steps_saved(run)[-1])) for name, run in runs.items()}


def changed(checkpoint: Checkpoint, group: str, name: str, array) -> Checkpoint:
    tensors = {key: dict(part) for key, part in checkpoint.tensors.items()}
    tensors[group][name] = array
    return Checkpoint(checkpoint.step, tensors, checkpoint.documents, checkpoint.files)


def with_element(array, place: int, value) -> np.ndarray:
    array = np.array(array)
    array.flat[place] = value
    return array


# Group, name, and what takes the place of the honest array.
LIES = [
    ("environment", "fleet.track", lambda array: with_element(array, 0, 1)),
    ("environment", "fleet.track", lambda array: with_element(array, 1, 2**31 - 1)),
    ("environment", "fleet.track", lambda array: with_element(array, 1, -(2**31))),
    ("environment", "fleet.gate", lambda array: with_element(array, 2, 30)),
    ("environment", "fleet.finish_gate", lambda array: with_element(array, 3, -1)),
    ("environment", "fleet.x_u", lambda array: array[:-1]),
    ("environment", "fleet.x_u", lambda array: array.astype(np.float32)),
    ("environment", "fleet.x_u", lambda array: np.array(0.0)),
    ("environment", "last_obs", lambda array: array[:, :-1]),
    ("environment", "last_obs", lambda array: array.astype(np.float64)),
    ("environment", "laps", lambda array: np.zeros(9, np.int64)),
    ("environment", "episode_returns", lambda array: np.zeros((4, 4))),
    ("rng", "numpy_place", lambda array: np.array([10**9, 0])),
    ("rng", "numpy_place", lambda array: np.array([-5, 0])),
    ("rng", "numpy_keys", lambda array: array[:5]),
    ("rng", "python_words", lambda array: with_element(array, 624, 9999)),
    ("rng", "torch", lambda array: array[:100]),
    ("rng", "torch", lambda array: np.full_like(array, 255)),
    ("rng", "cars", lambda array: array[:2]),
    ("rng", "cars", lambda array: array[:, :3]),
    ("policy", "log_std", lambda array: np.zeros((300, 300), np.float32)),
    ("optimizer", "policy.1.exp_avg", lambda array: np.zeros((7, 7), np.float32)),
    ("optimizer", "policy.999.exp_avg", lambda array: np.zeros(7, np.float32)),
    ("optimizer", "policy", lambda array: np.zeros(7, np.float32)),
    ("normalizer", "obs_mean", lambda array: np.zeros(3)),
    ("normalizer", "ret_var", lambda array: np.zeros(3)),
    ("normalizer", "returns", lambda array: np.zeros(99)),
]


@pytest.mark.parametrize(("group", "name", "lie"), LIES)
def test_arrays_that_lie_are_refused(honest, group, name, lie):
    array = honest["ppo"].tensors[group].get(name, np.zeros(1))
    with pytest.raises(CheckpointError, match="does not fit this run"):
        restore_session(CONFIGS["ppo"], changed(honest["ppo"], group, name, lie(array)))


@pytest.mark.parametrize(
    "column", ["order", "lane", "target_lane", "vehicle_count", "kind", "planned", "mission_vehicle"]
)
@pytest.mark.parametrize("value", [2**31 - 1, -(2**31), 10_000])
def test_highway_state_that_would_write_outside_its_arrays_is_refused(honest, column, value):
    array = with_element(honest["highway"].tensors["environment"][f"fleet.{column}"], 0, value)
    with pytest.raises(CheckpointError, match=f"{column} must be from"):
        restore_session(CONFIGS["highway"], changed(honest["highway"], "environment", f"fleet.{column}", array))


@pytest.mark.parametrize("group", ["policy", "optimizer", "environment", "rng", "normalizer", "replay"])
def test_missing_file_is_refused(honest, group):
    algorithm = "sac" if group == "replay" else "ppo"
    whole = honest[algorithm]
    tensors = {key: part for key, part in whole.tensors.items() if key != group}
    with pytest.raises(CheckpointError, match="does not fit this run"):
        restore_session(CONFIGS[algorithm], Checkpoint(whole.step, tensors, whole.documents, whole.files))


COUNTER_LIES = [
    ("ppo", "num_timesteps", "many"),
    ("ppo", "num_timesteps", -1),
    ("ppo", "num_timesteps", None),
    ("ppo", "_n_updates", 1.5),
    ("ppo", "evaluated_step", [1]),
    ("ppo", "episodes", [{"r": "x", "l": 1}]),
    ("ppo", "episodes", [{}]),
    ("ppo", "completions", 7),
    ("ppo", "best_clean_lap_s", "fast"),
    ("ppo", "log", {"train/loss": 3}),
    ("ppo", "log", [[1, 2, 3]]),
    ("sac", "replay", {"pos": 10**9, "full": False}),
    ("sac", "replay", {"pos": -1, "full": True}),
    ("sac", "replay", {"pos": 3, "full": True}),
    ("sac", "replay", {}),
]


@pytest.mark.parametrize(("algorithm", "name", "value"), COUNTER_LIES)
def test_counters_that_lie_are_refused(honest, algorithm, name, value):
    whole = honest[algorithm]
    documents = copy.deepcopy(dict(whole.documents))
    documents["counters"] = documents["counters"] | {name: value}
    with pytest.raises(CheckpointError, match="does not fit this run"):
        restore_session(CONFIGS[algorithm], Checkpoint(whole.step, whole.tensors, documents, whole.files))


def test_checkpoint_without_counters_is_refused(honest):
    whole = honest["ppo"]
    with pytest.raises(CheckpointError, match=r"no counters\.json"):
        restore_session(CONFIGS["ppo"], Checkpoint(whole.step, whole.tensors, {}, whole.files))


class Payload:
    """Unpickled, it would leave a file behind."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def watched_resume(*runs: Path) -> tuple[list[str], list[list[str]]]:
    """What a hook noted (code, commands, pickles, sockets) while runs were resumed, and what each of them said."""
    script = """
import json, sys
from pathlib import Path
from hotlap.errors import HotlapError
from hotlap.training.train import resume
seen = []
def watch(event, arguments):
    if event.startswith(("subprocess", "os.system", "os.exec", "os.posix_spawn", "socket.connect")):
        seen.append(event)
    if event == "pickle.find_class" and arguments[0] in ("os", "posix"):  # numba has pickles of its own
        seen.append(str(arguments))
sys.addaudithook(watch)
said = []
for run in sys.argv[1:]:
    lines = []
    try:
        resume(Path(run), lines.append)
    except HotlapError as refusal:
        lines.append(str(refusal))
    said.append(lines)
print(json.dumps([seen, said]))
"""
    environment = os.environ | {"PYTHONPATH": str(TESTS)}
    command = [sys.executable, "-c", script, *map(str, runs)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_nothing_in_a_hostile_run_is_executed(honest, tmp_path):
    """Pickles in every slot, a link for a file, and a pickle for what stands beside the checkpoints."""
    config = CONFIGS["ppo"]
    run = train(config, "run", tmp_path).run
    proof = tmp_path / "executed"
    bomb = pickle.dumps(Payload(proof))
    whole = honest["ppo"]
    step = whole.step
    for number, name in enumerate(whole.tensors):
        evil = checkpoint_folder(run, step + number + 1)
        save_checkpoint(run, Checkpoint(step + number + 1, whole.tensors, whole.documents, {"policy.onnx": bomb}))
        (evil / f"{name}.safetensors").write_bytes(bomb)
    linked, beside = (shutil.copytree(run, tmp_path / name) for name in ("linked", "beside"))
    victim = linked / evil.relative_to(run) / "policy.safetensors"
    victim.unlink()
    victim.symlink_to("/etc/passwd")
    shutil.rmtree(beside / evil.relative_to(run))
    (beside / "best.json").write_bytes(bomb)
    seen, (pickles, link, best) = watched_resume(run, linked, beside)
    assert not seen
    assert sum("skipped" in line for line in pickles) == len(whole.tensors), pickles
    assert "is a link" in link[-1]
    assert "best.json" in best[-1]
    assert not proof.exists()
