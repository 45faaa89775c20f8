"""What goes wrong while training: numbers that are none, clocks that jump, policies that cannot be exported."""

import json
import shutil
import time
from types import SimpleNamespace

import numpy as np
import pytest
from stable_baselines3 import PPO, SAC
from stable_baselines3.common.callbacks import BaseCallback

from hotlap.checkpoints import list_past_policies, load_checkpoint, past_step
from hotlap.errors import CheckpointError, ExportError, RunFolderError, TrainingError
from hotlap.racer.fleet import Rules
from hotlap.racer.physics import Physics
from hotlap.racer.world import RacerWorld
from hotlap.training import run_callback as keeping
from hotlap.training.ppo import HotlapPPO
from hotlap.training.run_callback import NAN_BATCH
from hotlap.training.session import TrainingSession
from hotlap.training.train import resume, train
from training.tiny_runs import checkpoint_folder, scalars, steps_saved, tiny_config, weights_hash

pytestmark = pytest.mark.integration
ROLLOUT = 64
DAY_S = 86_400


def poison(monkeypatch, place: str, value: float, tick: int) -> None:
    """Make the world give a number that is none, in one place, once."""
    advance, count = RacerWorld.advance, [0]

    def poisoned(world: RacerWorld, actions) -> None:
        advance(world, actions)
        count[0] += 1
        if count[0] == tick:
            getattr(world, place).flat[3] = value

    monkeypatch.setattr(RacerWorld, "advance", poisoned)


@pytest.fixture(scope="module", params=[("ppo", True), ("ppo", False), ("sac", True), ("sac", False)], ids=str)
def undisturbed(request, tmp_path_factory):
    """A run in which nothing goes wrong, of SB3, with a normaliser or without: its configuration, and where it is."""
    algorithm, normalize = request.param
    changes = {"learner": "sb3", "normalize": normalize, "steps": 3 * ROLLOUT, "checkpoint_every": str(ROLLOUT)}
    config = tiny_config(algorithm, **changes)
    return config, train(config, "whole", tmp_path_factory.mktemp("runs")).run


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of the normaliser, which meets the infinity first
@pytest.mark.parametrize("place", ["observation", "reward"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_world_that_gives_no_number_stops_training_and_keeps_the_last_good_step(
    undisturbed, place, value, tmp_path, monkeypatch
):
    config, whole = undisturbed
    value = value if config.normalize else -value
    with monkeypatch.context() as patch:
        poison(patch, place, value, tick=40)
        with pytest.raises(TrainingError, match=r"not a number, kept in .*nan-batch.npz. Step 128 is saved"):
            train(config, "run", tmp_path)
    batch = np.load(tmp_path / "run" / NAN_BATCH)
    kept = batch[f"{place}s"]
    assert np.array_equal(kept.flat[3], np.float32(value), equal_nan=True)
    assert np.isfinite(np.delete(kept.ravel(), 3)).all()
    assert batch["actions"].shape == (4, 3)
    assert steps_saved(tmp_path / "run") == [64, 128]
    assert weights_hash(tmp_path / "run", 128) == weights_hash(whole, 128)
    assert resume(tmp_path / "run").step == config.steps


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of numpy, about the losses it averages
@pytest.mark.parametrize(("algorithm", "rate"), [("ppo", 1e6), ("ppo", 1e3), ("sac", 1e6)])
def test_update_that_destroys_the_weights_stops_training_and_keeps_the_last_good_step(algorithm, rate, tmp_path):
    settings = {"learning_rate": rate, "learning_rate_end": rate}
    config = tiny_config(algorithm, ppo=settings, sac=settings, checkpoint_every="8")
    with pytest.raises(
        TrainingError, match=r"left weights that are not numbers, or too large, kept in .*nan-batch.npz"
    ):
        train(config, "run", tmp_path)
    assert {"observations", "actions", "rewards"} <= set(np.load(tmp_path / "run" / NAN_BATCH).files)
    for step in steps_saved(tmp_path / "run"):
        weights = load_checkpoint(checkpoint_folder(tmp_path / "run", step)).tensors["policy"]
        assert all(np.abs(array).max() < 1e5 for array in weights.values())


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("algorithm", "learner"), [(HotlapPPO, "hotlap"), (PPO, "sb3"), (SAC, "sb3")])
def test_weights_that_break_in_the_middle_of_an_update_are_told_from_a_bug(algorithm, learner, tmp_path, monkeypatch):
    """In SB3 torch raises a ValueError of its own there, which is ours to explain."""
    update = algorithm.train

    def broken(model, *args, **kwargs) -> None:
        if model.num_timesteps > 128:
            next(iter(model.policy.parameters())).data.fill_(np.nan)
        update(model, *args, **kwargs)

    monkeypatch.setattr(algorithm, "train", broken)
    name = algorithm.__name__.lower().removeprefix("hotlap")
    config = tiny_config(name, learner=learner, checkpoint_every=str(ROLLOUT))
    with pytest.raises(TrainingError, match=r"not numbers, or too large, kept in .* Step 128 is saved"):
        train(config, "run", tmp_path)
    monkeypatch.setattr(algorithm, "train", lambda *_args, **_kwargs: int("no number"))
    with pytest.raises(ValueError, match="invalid literal"):
        train(config, "bug", tmp_path)


class Poison(BaseCallback):
    """From a step on, the numbers that a compiled world counts with are none."""

    whole_rollouts = True

    def __init__(self, step: int, group: int, number: int, value: float) -> None:
        super().__init__()
        self.step, self.place, self.value = step, (group, number), value

    def _on_rollout_start(self) -> None:
        if self.num_timesteps >= self.step:
            group, number = self.place
            self.training_env.unwrapped.world.batch.groups[-1][group][number] = self.value

    def _on_step(self) -> bool:
        return True


REWARD, OBSERVATION = (0, Rules._fields.index("speed_bonus")), (1, Physics._fields.index("centre_distance_scale_u"))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize(("place", "value"), [(REWARD, np.nan), (REWARD, np.inf), (OBSERVATION, -1e-320)])
def test_compiled_world_that_gives_no_number_stops_training_too(place, value, normalize, tmp_path):
    config = tiny_config(normalize=normalize, checkpoint_every=str(ROLLOUT))
    with pytest.raises(TrainingError, match=r"not a number, kept in .*nan-batch.npz. Step 128 is saved"):
        train(config, "run", tmp_path, watchers=[Poison(128, *place, value)])
    assert {"observations", "rewards", "actions"} == set(np.load(tmp_path / "run" / NAN_BATCH).files)
    assert steps_saved(tmp_path / "run") == [64, 128]
    assert resume(tmp_path / "run").step == config.steps


def test_run_that_fails_before_its_first_checkpoint_says_that_there_is_none(tmp_path):
    with pytest.raises(TrainingError, match=r"There is no checkpoint\."):
        train(tiny_config(), "run", tmp_path, watchers=[Poison(0, *REWARD, np.nan)])


def test_policy_that_cannot_be_exported_is_said_and_saved_without_its_file(tmp_path, monkeypatch, trained_run):
    def refuse(session: TrainingSession) -> bytes:
        raise ExportError("differs from torch")

    config = tiny_config(steps=128)
    with monkeypatch.context() as patch:
        patch.setattr(TrainingSession, "export_policy", refuse)
        lines: list[str] = []
        run = train(config, "run", tmp_path, lines.append).run
    assert lines == [
        "step 64 gets no policy file: differs from torch",
        "step 128 gets no policy file: differs from torch",
    ]
    assert not list(run.glob("checkpoints/*/policy.onnx"))
    assert weights_hash(run, 128) == weights_hash(trained_run(config), 128)


@pytest.mark.parametrize("algorithm", ["ppo", "sac"])
def test_clock_that_jumps_by_days_disturbs_no_speed(algorithm, tmp_path, monkeypatch):
    real_ns, calls = time.time_ns, [0]

    def jumping_ns() -> int:
        calls[0] += 1
        return real_ns() + (-1) ** calls[0] * DAY_S * 10**9

    monkeypatch.setattr(time, "time_ns", jumping_ns)
    monkeypatch.setattr(time, "time", lambda: jumping_ns() / 1e9)
    run = train(tiny_config(algorithm, steps=192), "run", tmp_path).run
    assert calls[0] > 4
    rates = [value for _, value in scalars(run)["time/fps"]]
    assert rates
    assert all(0 < rate < 1e6 for rate in rates)
    seconds = [json.loads(line)["seconds"] for line in (run / "curve.jsonl").read_text(encoding="utf-8").splitlines()]
    assert seconds == sorted(seconds)
    assert all(0 <= second < DAY_S / 2 for second in seconds)


def test_checkpoints_by_time_follow_the_steady_clock(tmp_path, monkeypatch):
    """Ten seconds a rollout and a checkpoint every thirty, while the clock on the wall jumps to and fro."""
    now_s = [0.0]
    monkeypatch.setattr(keeping, "time", SimpleNamespace(monotonic=lambda: now_s[0]))
    real_s = time.time()
    monkeypatch.setattr(time, "time", lambda: real_s + DAY_S * (-1) ** int(now_s[0] / 10))

    class TenSeconds(BaseCallback):
        def _on_rollout_start(self) -> None:
            now_s[0] += 10.0

        def _on_step(self) -> bool:
            return True

    config = tiny_config(steps=12 * ROLLOUT, checkpoint_every="30s")
    run = train(config, "run", tmp_path, watchers=[TenSeconds()]).run
    assert steps_saved(run) == [rollout * ROLLOUT for rollout in (2, 5, 8, 11, 12)]


def test_only_the_last_checkpoints_and_the_best_are_kept(tmp_path):
    config = tiny_config(checkpoint={"keep_last": 2}, evaluation={"every_steps": 128})
    run = train(config, "run", tmp_path).run
    best = json.loads((run / "best.json").read_text(encoding="utf-8"))["step"]
    assert {best, 320, 384} <= set(steps_saved(run))
    assert len(steps_saved(run)) <= 4  # the best before this one goes with the next save
    assert (run / "policy.onnx").read_bytes() == (run / f"checkpoints/step-{best:012d}/policy.onnx").read_bytes()


def test_past_policies_stay_when_their_checkpoints_go_also_over_a_resume(tmp_path, trained_run):
    config = tiny_config(checkpoint={"keep_last": 1, "first_past": ROLLOUT})
    run = train(config, "run", tmp_path).run
    assert [past_step(path) for path in list_past_policies(run)] == [64, 128, 256]
    assert 128 not in steps_saved(run)
    resume(run, steps=20 * ROLLOUT)
    assert [past_step(path) for path in list_past_policies(run)] == [64, 128, 256, 512, 1024]
    whole = trained_run(tiny_config(checkpoint={"first_past": 0}))
    policies = {past_step(path): path.read_bytes() for path in list_past_policies(run)}
    assert policies[256] == (checkpoint_folder(whole, 256) / "policy.onnx").read_bytes()
    assert not list_past_policies(whole)


def test_truly_bad_selves_of_the_first_thousands_of_steps_are_kept_unless_asked_otherwise(tmp_path):
    run = train(tiny_config(steps=48 * ROLLOUT, checkpoint_every="0"), "run", tmp_path).run
    assert [past_step(path) for path in list_past_policies(run)] == [1024, 2048]


class AtFirstStep(BaseCallback):
    """Does something once, when the run is under way."""

    def __init__(self, action) -> None:
        super().__init__()
        self.action = action

    def _on_step(self) -> bool:
        action, self.action = self.action, lambda: None
        action()
        return True


def test_trainer_whose_folder_was_made_again_stops_and_leaves_the_new_run_alone(tmp_path):
    def start_over() -> None:
        (tmp_path / "run").rename(tmp_path / "away")
        shutil.copytree(other, tmp_path / "run")

    other = train(tiny_config(seed=7), "other", tmp_path).run
    with pytest.raises(RunFolderError, match="was removed or replaced"):
        train(tiny_config(seed=1), "run", tmp_path, watchers=[AtFirstStep(start_over)])
    assert steps_saved(tmp_path / "run") == steps_saved(other)
    assert weights_hash(tmp_path / "run", 384) == weights_hash(other, 384)


def test_folder_that_was_removed_is_not_called_saved(tmp_path):
    remove = AtFirstStep(lambda: shutil.rmtree(tmp_path / "run"))
    with pytest.raises(RunFolderError, match="was removed or replaced"):
        train(tiny_config(), "run", tmp_path, watchers=[remove])
    assert not (tmp_path / "run").exists()


def test_checkpoint_of_another_training_is_refused_by_name(tmp_path):
    run = train(tiny_config(seed=1), "run", tmp_path).run
    other = train(tiny_config(seed=2, steps=448), "other", tmp_path).run
    shutil.copytree(checkpoint_folder(other, 448), checkpoint_folder(run, 448))
    with pytest.raises(CheckpointError, match=r"step-000000000448: is of another training: its seed is 2"):
        resume(run, steps=1000)
    shutil.rmtree(checkpoint_folder(run, 448))
    assert resume(run, steps=448).step == 448
