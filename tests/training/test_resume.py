"""A resumed run is the run that never stopped: weights, random state, cars, replay, statistics, curves, to the bit."""

import dataclasses
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from hotlap.checkpoints import load_checkpoint
from hotlap.checkpoints.names import CURVE_FILE
from hotlap.checkpoints.run_files import write_run_document
from hotlap.errors import CheckpointError, ConfigError, RunFolderError, RunLockedError
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.training import train as training
from hotlap.training.config import config_from_document
from hotlap.training.session import restore_session
from hotlap.training.train import resume, train
from training.tiny_runs import checkpoint_folder, scalars, state_of, steps_saved, tiny_config, weights_hash

pytestmark = pytest.mark.integration
ALGORITHMS = {
    "ppo": tiny_config("ppo"),
    "sac": tiny_config("sac", steps=160, evaluation={"every_steps": 60}),
    "ppo, raw observations, a falling spread": tiny_config(
        "ppo", normalize=False, network={"hidden": [8], "log_std_end": [-2.0, -2.0, -2.0]}
    ),
    "ppo, taught": tiny_config("ppo", racer={"observation": "full"}, teacher={"steps": 300}),
    "sac, fixed temperature, three ticks of rewards, a full replay": tiny_config(
        "sac", steps=160, normalize=False, sac={"ent_coef": "0.1", "n_steps": 3, "buffer_size": 100}
    ),
    "highway, ppo, one pedal, taught": tiny_config(
        "ppo",
        world="highway",
        highway={"pedals": "one"},
        teacher={"steps": 300},
        network={"hidden": [8], "log_std_init": [-1.0, -1.0], "initial_action": [0.0, 0.0]},
    ),
    "highway, sac, one pedal": tiny_config(
        "sac",
        world="highway",
        steps=160,
        highway={"pedals": "one"},
        network={"hidden": [8], "initial_action": [0.1, 0.0]},
    ),
    "races, past selves": tiny_config(
        "ppo",
        world="race",
        racer={"observation": "full"},
        race={"cars": 3, "learners": 1, "opponents": ["past", "line-80"], "config": {"episode": {"maxSteps": 40}}},
        checkpoint={"first_past": 60},
    ),
    "highway, dqn": tiny_config("dqn", world="highway", steps=160, evaluation={"every_steps": 60}),
}

TAGS = {
    "racer": ("reward/progress", "racer/completion_rate"),
    "race": ("reward/progress", "racer/completion_rate"),
    "highway": ("reward/tracking", "highway/crashes_per_1000_km", "eval/ego_fault_per_1000_km"),
}


@pytest.fixture(scope="module", params=ALGORITHMS)
def whole(request, tmp_path_factory) -> Path:
    """A run that was never interrupted."""
    return train(ALGORITHMS[request.param], "whole", tmp_path_factory.mktemp("runs")).run


def cut_at(whole: Path, step: int, target: Path) -> Path:
    """A copy of the run as a crash left it: the checkpoints up to a step, and files that go on behind it."""
    shutil.copytree(whole, target)
    for later in steps_saved(whole):
        if later > step:
            shutil.rmtree(checkpoint_folder(target, later))
    return target


@pytest.mark.parametrize("share", [0.5, *(pytest.param(share, marks=pytest.mark.soak) for share in (0.2, 0.8))])
def test_resumed_run_equals_the_uninterrupted_one_to_the_bit(whole, share, tmp_path):
    steps = steps_saved(whole)
    split, last = steps[int(share * len(steps))], steps[-1]
    assert 0 < split < last
    result = resume(cut_at(whole, split, tmp_path / "run"))
    assert (result.step, result.steps_made, result.stopped_by) == (last, last - split, None)
    assert weights_hash(result.run, last) == weights_hash(whole, last)
    assert weights_hash(result.run, split) != weights_hash(whole, last)
    assert state_of(result.run, last) == state_of(whole, last)


def test_run_without_a_checkpoint_begins_again_and_ends_the_same(whole, tmp_path):
    run = cut_at(whole, 0, tmp_path / "run")
    lines: list[str] = []
    result = resume(run, lines.append)
    assert "begins again at step 0" in lines[0]
    assert state_of(run, result.step) == state_of(whole, result.step)


def test_curves_in_tensorboard_have_no_gap_and_no_double_after_a_resume(whole, tmp_path):
    """The crashed run wrote on behind its last checkpoint; the resumed one writes those steps once more."""
    steps = steps_saved(whole)
    run = resume(cut_at(whole, steps[len(steps) // 3], tmp_path / "run")).run
    ours, wanted = scalars(run), scalars(whole)
    assert ours.keys() == wanted.keys()
    world = training._read_run(whole)[0].world
    assert {*TAGS[world], "rollout/ep_rew_mean", "train/learning_rate", "time/fps"} < ours.keys()
    for tag, points in ours.items():
        at = [step for step, _ in points]
        assert at == sorted(set(at)), tag
        if not tag.startswith("time/"):
            # NaN, which SB3 logs where nothing varies, is itself here.
            assert np.array_equal(points, wanted[tag], equal_nan=True), tag


def test_learning_curve_goes_on_where_the_checkpoint_was(whole, tmp_path):
    split = steps_saved(whole)[2]
    run = cut_at(whole, split, tmp_path / "run")
    lines = [{"step": step, "seconds": float(step), "reward": 0.0} for step in range(0, 4 * split, split)]
    (run / CURVE_FILE).write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"step": 9', encoding="utf-8")
    resume(run)
    kept = [json.loads(line) for line in (run / CURVE_FILE).read_text(encoding="utf-8").splitlines()]
    assert kept[:2] == lines[:2]
    assert [line["step"] for line in kept] == sorted(line["step"] for line in kept)
    assert all(line["seconds"] > split for line in kept[2:])
    assert len(kept) > 2


def test_loaded_checkpoint_acts_as_it_did(whole):
    """Save, load, same actions: torch, and the policy file beside it; the normaliser's statistics come along."""
    step = steps_saved(whole)[-1]
    checkpoint = load_checkpoint(checkpoint_folder(whole, step))
    config = training._read_run(whole)[0]
    one, two = restore_session(config, checkpoint), restore_session(config, checkpoint)
    observations = np.random.default_rng(5).uniform(0, 1, (500, one.env.observation_space.shape[0])).astype(np.float32)
    actions = []
    for session in (one, two):
        assert session.step == step
        seen = session.normalizer.normalize_obs(observations) if session.normalizer else observations
        actions.append(session.model.predict(seen, deterministic=True)[0])
    assert np.array_equal(actions[0], actions[1])
    policy = OnnxPolicy(checkpoint.files["policy.onnx"], world=config.world)
    assert np.abs(policy.act(observations) - one.controls.decoded(actions[0])).max() <= 1e-5
    if one.normalizer is not None:
        saved = checkpoint.tensors["normalizer"]
        assert np.array_equal(one.normalizer.obs_rms.mean, saved["obs_mean"])
        assert np.array_equal(one.normalizer.obs_rms.var, saved["obs_var"])
        assert one.normalizer.ret_rms.var == saved["ret_var"]
        assert one.normalizer.obs_rms.count > step


def test_finished_run_has_nothing_left_and_more_steps_let_it_go_on(tmp_path):
    config = tiny_config(steps=128)
    run = train(config, "run", tmp_path).run
    before = state_of(run, 128)
    assert resume(run).steps_made == 0
    assert state_of(run, 128) == before
    with pytest.raises(ConfigError, match=r"128 steps already; --steps 128 must be more"):
        resume(run, steps=128)
    result = resume(run, steps=256)
    assert (result.step, result.steps_made) == (256, 128)
    assert json.loads((run / "run.json").read_text(encoding="utf-8"))["config"]["steps"] == 256


def test_when_a_run_is_evaluated_or_saved_changes_nothing_else(tmp_path):
    """Evaluations and checkpoints by the clock come at other moments in every run: none may draw a random number."""
    plain = tiny_config(checkpoint_every="0", checkpoint={"first_past": 0})
    often = tiny_config(
        checkpoint_every="0.000001s",
        checkpoint={"first_past": 1},
        evaluation={"every_steps": 1, "tracks": ["track-02"]},
    )
    runs = [train(config, name, tmp_path).run for config, name in ((plain, "plain"), (often, "often"))]
    assert len(steps_saved(runs[0])) == 1
    assert steps_saved(runs[1]) == [0, 64, 128, 192, 256, 320, 384]
    assert weights_hash(runs[0], plain.steps) == weights_hash(runs[1], plain.steps)
    from_zero = resume(cut_at(runs[1], 0, tmp_path / "from-zero")).run
    assert state_of(from_zero, plain.steps) == state_of(runs[1], plain.steps)


def test_seed_decides_the_run(tmp_path):
    config = tiny_config(steps=128)
    runs = [train(dataclasses.replace(config, seed=seed), f"run-{n}", tmp_path).run for n, seed in enumerate((1, 1, 2))]
    one, same, other = (weights_hash(run, 128) for run in runs)
    assert one == same
    assert one != other


def test_damaged_newest_checkpoint_is_skipped_with_a_line(whole, tmp_path):
    steps = steps_saved(whole)
    run = cut_at(whole, steps[3], tmp_path / "run")
    flipped = checkpoint_folder(run, steps[3]) / "policy.safetensors"
    content = bytearray(flipped.read_bytes())
    content[-3] ^= 4
    flipped.write_bytes(content)
    cut = checkpoint_folder(run, steps[2]) / "counters.json"
    cut.write_bytes(cut.read_bytes()[:-20])
    (run / "checkpoints" / f".saving-step-{steps[3] + 1:012d}").mkdir()
    lines: list[str] = []
    result = resume(run, lines.append)
    assert "half written" in lines[0]
    assert "policy.safetensors is damaged" in lines[1]
    assert "counters.json" in lines[2]
    assert f"at step {steps[1]:,}" in lines[3]
    assert weights_hash(run, result.step) == weights_hash(whole, result.step)


def test_run_with_nothing_but_damaged_checkpoints_is_refused(whole, tmp_path):
    run = cut_at(whole, steps_saved(whole)[0], tmp_path / "run")
    (checkpoint_folder(run, steps_saved(run)[0]) / "manifest.json").unlink()
    with pytest.raises(CheckpointError, match="no intact checkpoint"):
        resume(run)


def test_other_physics_is_refused_with_both_fingerprints(whole, tmp_path, monkeypatch):
    run = cut_at(whole, steps_saved(whole)[0], tmp_path / "run")
    document = json.loads((run / "run.json").read_text(encoding="utf-8"))
    ours = document["physics_fingerprint"]
    document["physics_fingerprint"] = "moon-gravity"
    write_run_document(run, document)
    with pytest.raises(CheckpointError, match="moon-gravity") as refusal:
        resume(run)
    assert ours in str(refusal.value)


def test_settings_that_do_not_fit_the_checkpoint_are_refused(whole, tmp_path):
    run = cut_at(whole, steps_saved(whole)[0], tmp_path / "run")
    document = json.loads((run / "run.json").read_text(encoding="utf-8"))
    for change in ({"cars": 5}, {"network": document["config"]["network"] | {"hidden": [9]}}):
        changed = {**document, "config": document["config"] | change}
        write_run_document(run, changed)
        with pytest.raises(CheckpointError, match=f"is of another training: its {next(iter(change))} is"):
            resume(run)


def test_folder_that_is_no_run_is_refused(tmp_path):
    with pytest.raises(RunFolderError, match="is no run"):
        resume(tmp_path)
    (tmp_path / "run.json").write_text("{}", encoding="utf-8")
    with pytest.raises(CheckpointError, match="does not say how the run was made"):
        resume(tmp_path)


def test_second_trainer_of_a_run_is_refused_at_once(tmp_path):
    """While the first one trains, seen from its own callback."""
    refusals = []

    class Rival(training.BaseCallback):
        def _on_step(self) -> bool:
            if not refusals:
                with pytest.raises(RunLockedError) as refusal:
                    resume(tmp_path / "run")
                refusals.append(str(refusal.value))
            return True

    train(tiny_config(steps=64), "run", tmp_path, watchers=[Rival()])
    assert "is training this run" in refusals[0]


def test_saved_configuration_is_the_one_that_was_given(whole):
    checkpoint = load_checkpoint(checkpoint_folder(whole, steps_saved(whole)[0]))
    assert config_from_document(checkpoint.documents["config"]) in ALGORITHMS.values()
    assert config_from_document(checkpoint.documents["config"]) == training._read_run(whole)[0]
