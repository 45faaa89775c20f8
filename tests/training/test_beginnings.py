"""A run may go back to any of its checkpoints, and a new one may begin with the weights and normaliser of another."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from stable_baselines3.common.callbacks import BaseCallback

from hotlap import cli
from hotlap.checkpoints import load_checkpoint
from hotlap.checkpoints.run_files import read_best
from hotlap.errors import CheckpointError, ConfigError, HotlapError, PolicyError
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.training.beginnings import begin_with, find_beginning
from hotlap.training.runs import find_run_at
from hotlap.training.session import TrainingSession, open_session
from hotlap.training.train import resume, train
from training.tiny_runs import checkpoint_folder, state_of, steps_saved, tiny_config

pytestmark = pytest.mark.integration
ROLLOUT = 64
OBSERVATIONS = np.random.default_rng(0).uniform(0, 1, (200, 14)).astype(np.float32)


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A run with a checkpoint of every rollout, evaluated on the way."""
    return train(tiny_config(evaluation={"every_steps": 100}), "whole", tmp_path_factory.mktemp("runs")).run


class First(BaseCallback):
    """What a run begins with, before its first step."""

    def __init__(self) -> None:
        super().__init__()
        self.weights, self.counts = {}, {}

    def _on_training_start(self) -> None:
        self.weights = {name: tensor.numpy().copy() for name, tensor in self.model.policy.state_dict().items()}
        normalizer = self.model.get_vec_normalize_env()
        if normalizer is not None:
            self.counts = {"obs": normalizer.obs_rms.count, "ret": normalizer.ret_rms.count}

    def _on_step(self) -> bool:
        return True


def first_of(source: str, root: Path, **changes) -> First:
    """What a new run from a source begins with."""
    first = First()
    train(tiny_config(begin_from=source, **{"steps": ROLLOUT, **changes}), "new-*", root, watchers=[first])
    return first


def test_run_goes_back_to_a_step_and_comes_to_the_same_end(whole, tmp_path):
    run = Path(shutil.copytree(whole, tmp_path / "run"))
    steps, said = steps_saved(run), []
    result = resume(run, said.append, at=steps[1])
    assert said[:2] == [
        f"going on with {run} at step 128 of 384",
        "its later checkpoints (192, 256, 320, 384) go when the next one is saved",
    ]
    assert (result.step, result.steps_made) == (steps[-1], steps[-1] - steps[1])
    assert steps_saved(run) == steps
    assert state_of(run, steps[-1]) == state_of(whole, steps[-1])
    assert read_best(run) == read_best(whole)


def test_later_checkpoints_stay_until_the_run_that_went_back_saves(whole, tmp_path):
    run = Path(shutil.copytree(whole, tmp_path / "run"))
    steps, seen = steps_saved(run), []

    class Watch(BaseCallback):
        def _on_rollout_end(self) -> None:
            seen.append(steps_saved(run))

        def _on_step(self) -> bool:
            return True

    resume(run, at=steps[1], watchers=[Watch()])
    assert seen[0] == steps
    assert seen[1] == steps[:3]


def test_best_of_a_way_that_was_left_no_longer_counts(whole, tmp_path):
    run = Path(shutil.copytree(whole, tmp_path / "run"))
    result = resume(run, at=ROLLOUT, steps=2 * ROLLOUT)
    assert steps_saved(run) == [ROLLOUT, 2 * ROLLOUT]
    assert result.best is not None
    assert result.best.step == 2 * ROLLOUT


def test_step_that_is_not_kept_names_those_that_are(whole):
    with pytest.raises(CheckpointError, match=r"no checkpoint of step 65\. Kept: 64, 128, 192, 256, 320, 384\.$"):
        resume(whole, at=65)


def test_step_may_be_written_as_it_is_printed(whole):
    for written in ("409,600", "409_600", "409600"):
        assert find_run_at(f"{whole.name}@{written}", whole.parent) == (whole, 409600)
    assert find_run_at(str(whole), whole.parent) == (whole, None)
    with pytest.raises(HotlapError, match='"last" is no step of a run: write RUN@STEP'):
        find_run_at(f"{whole}@last", whole.parent)


@pytest.mark.parametrize("learner", ["hotlap", "sb3"])
def test_new_run_begins_with_the_very_weights_and_normaliser(whole, learner, tmp_path):
    first = first_of(f"{whole}@192", tmp_path, learner=learner, seed=7, racer={"tracks": ["track-02"]})
    saved = load_checkpoint(checkpoint_folder(whole, 192)).tensors
    assert first.weights.keys() == saved["policy"].keys()
    assert all(first.weights[name].tobytes() == array.tobytes() for name, array in saved["policy"].items())
    # The first observations of all cars are counted before the first step.
    assert first.counts["obs"] == saved["normalizer"]["obs_count"] + 4
    assert first.counts["ret"] == saved["normalizer"]["ret_count"]


def test_normaliser_is_taken_over_to_the_bit(whole):
    session = open_session(tiny_config(seed=7))
    begin_with(session, find_beginning(f"{whole}@192", whole.parent))
    saved = load_checkpoint(checkpoint_folder(whole, 192)).tensors["normalizer"]
    for name, known in (("obs", session.normalizer.obs_rms), ("ret", session.normalizer.ret_rms)):
        assert np.array(known.mean).tobytes() == saved[f"{name}_mean"].tobytes()
        assert np.array(known.var).tobytes() == saved[f"{name}_var"].tobytes()
        assert known.count == saved[f"{name}_count"]


def test_run_without_a_step_is_its_best(whole, tmp_path):
    best = read_best(whole).step
    saved = load_checkpoint(checkpoint_folder(whole, best)).tensors["policy"]
    first = first_of(str(whole), tmp_path)
    assert all(first.weights[name].tobytes() == array.tobytes() for name, array in saved.items())


@pytest.mark.parametrize(
    ("algorithm", "changes"),
    [
        ("sac", {}),
        ("sac", {"sac": {"ent_coef": "0.1"}}),
        ("dqn", {"world": "highway"}),
        ("ppo", {"world": "highway", "normalize": False}),
    ],
)
def test_every_algorithm_begins_with_the_weights_of_its_own(algorithm, changes, tmp_path):
    source = train(tiny_config(algorithm, steps=96, **{**changes, "sac": {}}), "source", tmp_path).run
    first = First()
    train(tiny_config(algorithm, steps=2, begin_from="source", **changes), "new", tmp_path, watchers=[first])
    saved = load_checkpoint(checkpoint_folder(source, steps_saved(source)[-1])).tensors["policy"]
    assert all(first.weights[name].tobytes() == saved[name].tobytes() for name in first.weights)


@pytest.mark.parametrize("normalize", [True, False])
def test_policy_file_gives_its_layers_and_its_scaling(normalize, tmp_path):
    source = train(tiny_config(steps=128, normalize=normalize), "source", tmp_path).run
    beginning = find_beginning(str(source / "policy.onnx"), tmp_path)
    assert beginning.missing.endswith("those begin untrained.")
    session = open_session(tiny_config(normalize=normalize, seed=3))
    begin_with(session, beginning)
    begun = OnnxPolicy(session.export_policy())
    assert np.abs(begun.act(OBSERVATIONS) - OnnxPolicy(source / "policy.onnx").act(OBSERVATIONS)).max() <= 1e-5


def test_policy_file_of_one_pedal_begins_a_run_with_one_pedal(tmp_path):
    two = {"log_std_init": [-1.0, -1.0], "initial_action": [0.1, 0.0]}
    config = tiny_config(steps=64, world="highway", network=two, highway={"pedals": "one"})
    source = train(config, "source", tmp_path).run
    changes = {"world": "highway", "network": two, "highway": {"pedals": "one"}}
    first = first_of(str(source / "policy.onnx"), tmp_path, **changes)
    saved = load_checkpoint(checkpoint_folder(source, 64)).tensors["policy"]
    assert first.weights["action_net.weight"].tobytes() == saved["action_net.weight"].tobytes()
    with pytest.raises(ConfigError, match="its controls is 2, and that of this training is 3"):
        first_of("source", tmp_path, world="highway")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"network": {"hidden": [16]}}, "its hidden is 8, and that of this training is 16. Add --network.hidden 8."),
        ({"network": {"activation": "elu"}}, "its activation is relu, .* Add --network.activation relu."),
        (
            {"racer": {"observation": "full"}},
            "its observation is classic, .* is full. Choose a preset whose drivers see",
        ),
        (
            {"world": "highway"},
            "its world is racer, and that of this training is highway. Choose a preset of the racer",
        ),
        ({"algorithm": "sac"}, "its algorithm is ppo, and that of this training is sac. Choose a preset of ppo"),
        ({"normalize": False}, "its normalize is True, .* Add --normalize."),
    ],
)
def test_what_does_not_fit_is_one_sentence_and_nothing_is_made(whole, changes, sentence, tmp_path):
    with pytest.raises(ConfigError, match=f"whole@128 cannot be begun from: {sentence}"):
        first_of(f"{whole}@128", tmp_path / "runs", **changes)
    assert not list((tmp_path / "runs").glob("new*"))


def test_policy_file_of_another_algorithm_sends_to_its_run(tmp_path):
    source = train(tiny_config("sac", steps=64), "source", tmp_path).run
    with pytest.raises(PolicyError, match=r"was learned by sac.* Begin from its run"):
        first_of(str(source / "policy.onnx"), tmp_path)


def test_borrowed_weights_are_saved_before_the_first_step(whole, tmp_path, monkeypatch):
    """A trainer that is killed in its first rollout resumes with the weights it began with."""

    def killed(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(TrainingSession, "reward_mean", killed)
    with pytest.raises(KeyboardInterrupt):
        first_of(f"{whole}@192", tmp_path)
    saved, theirs = (
        load_checkpoint(checkpoint_folder(run, step)).tensors["policy"]
        for run, step in ((tmp_path / "new-1", 0), (whole, 192))
    )
    assert all(saved[name].tobytes() == array.tobytes() for name, array in theirs.items())
    monkeypatch.undo()
    assert resume(tmp_path / "new-1").step == ROLLOUT
    shutil.rmtree(tmp_path / "new-1" / "checkpoints")
    with pytest.raises(
        CheckpointError, match=r"stopped before it had saved the weights of .*whole@192\. Train it again"
    ):
        resume(tmp_path / "new-1")


def test_commands_take_a_step_and_a_source(whole, tmp_path, capsys):
    shutil.copytree(whole, tmp_path / "old")
    words = ["--root", str(tmp_path), "--json"]
    assert cli.main(["resume", "old@128", "--steps", "192", *words]) == 0
    assert "at step 128 of 192" in capsys.readouterr().err
    settings = ["--steps", "64", "--cars", "4", "--ppo.n-steps", "16", "--network.hidden", "8", "--keep", "1"]
    assert cli.main(["train", "racer-ppo", "--name", "new", "--from", "old@192", *settings, *words]) == 0
    assert f"beginning with the weights of {tmp_path / 'old'}@192" in capsys.readouterr().err
    assert len(steps_saved(tmp_path / "new")) == 1
    assert cli.main(["resume", "old@5", *words]) == 2
    assert "has no checkpoint of step 5. Kept: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "ours"),
    [
        ("--timesteps", "--steps"),
        ("--total_timesteps=5", "--steps"),
        ("--n-envs", "--cars"),
        ("--run-name", "--name"),
        ("--log-dir", "--root"),
    ],
)
def test_options_of_other_stacks_are_answered_with_ours(typed, ours, capsys):
    assert cli.main(["train", typed, "5"]) == 2
    said = capsys.readouterr().err
    assert said.startswith('hotlap: "hotlap train" has no option')
    assert f'here it is "{ours}"' in said
