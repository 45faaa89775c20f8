"""Runs that are killed, asked to stop, or out of disk: nothing is lost but what was not yet saved."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from stable_baselines3.common.callbacks import BaseCallback

from hotlap.checkpoints import newest_checkpoint
from hotlap.errors import TrainingError
from hotlap.training import run_callback, signals
from hotlap.training.run_callback import RunCallback
from hotlap.training.train import resume, train
from small_disk import largest_file
from training import kill_many
from training.tiny_runs import state_of, steps_saved, tiny_config, weights_hash

pytestmark = pytest.mark.integration
TESTS = Path(__file__).parent.parent
# Hundreds of small rollouts, and a checkpoint after each.
LONG = (
    *("--steps", "100000000", "--cars", "4", "--network.hidden", "8", "--ppo.n-steps", "16", "--ppo.batch-size", "64"),
    *("--ppo.n-epochs", "1", "--evaluation.every-steps", "0", "--evaluation.steps", "100", "--checkpoint-every", "64"),
)


class AtStep(BaseCallback):
    """Does something once, when the run has made so many steps."""

    def __init__(self, step: int, action) -> None:
        super().__init__()
        self.step, self.action, self.is_done = step, action, False

    def _on_step(self) -> bool:
        if not self.is_done and self.model.num_timesteps >= self.step:
            self.is_done = True
            self.action()
        return True


class AtRolloutEnd(AtStep):
    """The same, when the rollout has ended and the update would begin."""

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        super()._on_step()


def send(number: int) -> None:
    os.kill(os.getpid(), number)


# In this process: where exactly a run stops


@pytest.mark.parametrize("algorithm", ["ppo", "sac"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_saves_the_run_after_the_update_and_resume_goes_on_there(algorithm, number, tmp_path, trained_run):
    config = tiny_config(algorithm, steps=256, checkpoint_every="0")
    whole = trained_run(config)
    lines: list[str] = []
    handler = signal.getsignal(number)
    stopped = train(config, "run", tmp_path, lines.append, watchers=[AtStep(100, lambda: send(number))])
    rollout_end = 128 if algorithm == "ppo" else 104
    assert (stopped.step, stopped.stopped_by) == (rollout_end, number)
    assert lines[-1] == f"stopped at step {rollout_end}; go on with: hotlap resume {tmp_path / 'run'}"
    assert steps_saved(stopped.run) == [rollout_end]
    assert signal.getsignal(number) is handler
    assert resume(stopped.run).step == 256
    assert state_of(stopped.run, 256) == state_of(whole, 256)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_in_the_last_evaluation_stops_the_run_and_resume_finishes_it(number, tmp_path, monkeypatch):
    evaluate = RunCallback.evaluate
    monkeypatch.setattr(RunCallback, "evaluate", lambda callback: (send(number), evaluate(callback)))
    stopped = train(tiny_config(), "run", tmp_path)
    assert (stopped.stopped_by, stopped.step) == (number, tiny_config().steps)
    assert steps_saved(stopped.run)[-1] == stopped.step
    monkeypatch.undo()
    resumed = resume(stopped.run)
    assert (resumed.stopped_by, resumed.steps_made) == (None, 0)
    assert resumed.best is not None


@pytest.mark.parametrize("algorithm", ["ppo", "sac"])
def test_update_that_takes_too_long_after_a_signal_is_cut_and_done_again(algorithm, tmp_path, monkeypatch, trained_run):
    """The replay is full here: rows that the cut rollout wrote already are written again with the same values."""
    full = {"sac": {"buffer_size": 80}} if algorithm == "sac" else {}
    config = tiny_config(algorithm, steps=256, checkpoint_every="0", **full)
    whole = trained_run(config)
    monkeypatch.setattr(run_callback, "RESCUED_EVERY_S", 0.0)
    stopped = train_and_dawdle(config, tmp_path, monkeypatch)
    rollout_start = 128 if algorithm == "ppo" else 144
    assert (stopped.step, stopped.stopped_by) == (rollout_start, signal.SIGTERM)
    assert steps_saved(stopped.run) == [rollout_start]
    assert resume(stopped.run).step == 256
    assert state_of(stopped.run, 256) == state_of(whole, 256)


def test_cut_update_keeps_a_checkpoint_that_is_newer_than_what_was_noted(tmp_path, monkeypatch, trained_run):
    config = tiny_config(steps=256, checkpoint_every="100")
    whole = trained_run(config)
    monkeypatch.setattr(run_callback, "RESCUED_EVERY_S", 3600.0)
    stopped = train_and_dawdle(config, tmp_path, monkeypatch)
    assert steps_saved(stopped.run) == [128]
    resume(stopped.run)
    assert state_of(stopped.run, 256) == state_of(whole, 256)


def train_and_dawdle(config, tmp_path, monkeypatch):
    """A training that is told to stop at step 150, and then takes longer over it than anybody waits."""
    monkeypatch.setattr(signals, "DEADLINE_S", 0.05)
    slept = []

    def dawdle() -> None:
        send(signal.SIGTERM)
        time.sleep(30.0)  # the deadline comes long before
        slept.append(True)

    stopped = train(config, "run", tmp_path, watchers=[AtRolloutEnd(150, dawdle)])
    assert not slept
    return stopped


def test_signal_before_the_first_step_saves_the_beginning(tmp_path, trained_run):
    class Early(BaseCallback):
        def _on_training_start(self) -> None:
            send(signal.SIGTERM)

        def _on_step(self) -> bool:
            return True

    config = tiny_config(steps=128)
    stopped = train(config, "run", tmp_path, watchers=[Early()])
    assert (stopped.step, steps_saved(stopped.run)) == (0, [0])
    resume(stopped.run)
    assert state_of(stopped.run, 128) == state_of(trained_run(config), 128)


# In processes of their own


def hotlap(*words: str, **options) -> subprocess.Popen:
    command = [sys.executable, "-m", "hotlap.cli", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def wait_for_checkpoint(run: Path, process: subprocess.Popen, beyond: int = 0) -> None:
    """Until the run has saved a step beyond one."""
    wait_until(lambda: run.exists() and any(step > beyond for step in steps_saved(run)), process)


def wait_until(it_is_so: Callable[[], bool], process: subprocess.Popen) -> None:
    """Until something is true of a process that goes on."""
    for _ in range(5000):
        if it_is_so():
            return
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    raise AssertionError("waited for 250 s")


def saved(run: Path) -> int:
    return newest_checkpoint(run, lambda _line: None).step


def stopped_command(root: Path, number: int, in_time) -> tuple[int, str, list[str]]:
    """Train until there is a checkpoint, send a signal: the exit status, and the step and the words it tells."""
    trainer = hotlap("train", "--root", str(root), "--name", "run", *LONG)
    wait_for_checkpoint(root / "run", trainer)
    trainer.send_signal(number)
    began_s = time.monotonic()
    out, err = trainer.communicate(timeout=240)
    in_time(time.monotonic() - began_s, 10.0)
    assert out == ""
    [line] = err.splitlines()
    step, command = re.fullmatch(r"stopped at step ([\d,]+); go on with: (hotlap resume .*)", line).groups()
    assert int(step.replace(",", "")) == saved(root / "run")
    return trainer.returncode, step, command.split()[1:]


def test_real_signal_ends_the_command_within_ten_seconds_and_the_one_it_tells_goes_on_there(tmp_path, in_time):
    status, step, words = stopped_command(tmp_path, signal.SIGTERM, in_time)
    assert status == 143
    again = hotlap(*words)
    wait_for_checkpoint(tmp_path / "run", again, beyond=saved(tmp_path / "run"))
    again.send_signal(signal.SIGINT)
    assert f"going on with {tmp_path / 'run'} at step {step} of 100,000,000" in again.communicate(timeout=240)[1]
    assert again.returncode == 130


def test_second_signal_ends_at_once(tmp_path, in_time):
    """The first lets the update finish, which takes for ever here; the second does not wait."""
    slow = ("--ppo.n-epochs", "100000", "--checkpoint-every", "0.001s", "--json")
    trainer = hotlap("train", "--root", str(tmp_path), "--name", "run", *LONG, *slow)
    curve = tmp_path / "run" / "curve.jsonl"
    wait_until(lambda: curve.is_file() and curve.stat().st_size > 0, trainer)  # the first rollout is over
    trainer.send_signal(signal.SIGTERM)
    with pytest.raises(subprocess.TimeoutExpired):
        trainer.wait(0.3)
    began_s = time.monotonic()
    trainer.send_signal(signal.SIGTERM)
    _, err = trainer.communicate(timeout=240)
    in_time(time.monotonic() - began_s, 1.0)
    assert "stopped at" not in err  # what the first signal alone would have led to
    assert trainer.returncode == 143
    assert saved(tmp_path / "run") >= 0


def test_signal_that_comes_twice_at_once_is_one_request(tmp_path):
    def stop_twice() -> None:
        send(signal.SIGTERM)
        send(signal.SIGTERM)

    stopped = train(tiny_config(steps=256), "run", tmp_path, watchers=[AtStep(100, stop_twice)])
    assert (stopped.step, stopped.stopped_by) == (128, signal.SIGTERM)


def test_killed_command_is_resumed_and_loses_one_interval_at_most(tmp_path):
    """A kill of the command itself, and one of the command that resumes it a moment later."""
    words = ("train", "--root", str(tmp_path), "--name", "run", *LONG)
    before = 0
    for delay_s in (0.0, 0.13):
        trainer = hotlap(*words)
        wait_for_checkpoint(tmp_path / "run", trainer, beyond=before)
        time.sleep(delay_s)
        reached = max(steps_saved(tmp_path / "run"))
        trainer.kill()
        trainer.communicate()
        assert saved(tmp_path / "run") >= reached > before
        before = saved(tmp_path / "run")
        words = ("resume", str(tmp_path / "run"))


def test_many_kills_at_random_moments_change_nothing_in_the_end(tmp_path):
    environment = os.environ | {"PYTHONPATH": str(TESTS)}
    command = [sys.executable, str(TESTS / "training" / "kill_many.py"), str(tmp_path / "runs"), "1", "7"]
    (tmp_path / "runs").mkdir()
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["kills"] >= 5
    assert result["places"] >= 3
    whole = train(kill_many.CONFIG, "whole", tmp_path).run
    assert result["step"] == steps_saved(whole)[-1]
    assert result["weights"] == weights_hash(whole, result["step"])


def test_full_disk_is_said_and_training_goes_on_with_the_checkpoint_before(tmp_path):
    """No file may grow beyond what a small checkpoint needs; the replay outgrows it, the event file later."""
    sac = {"buffer_size": 2000, "learning_starts": 1100}
    config, lines = tiny_config("sac", steps=1200, sac=sac, checkpoint_every="200"), []
    with largest_file(60_000), pytest.raises(TrainingError, match="step 1,200 could not be saved"):
        # It trains to the end, and then says that the end itself is not on the disk.
        train(config, "run", tmp_path, lines.append)
    said = "\n".join(lines)
    assert "cannot be saved (File too large)" in said
    assert "Training goes on" in said
    steps = steps_saved(tmp_path / "run")
    assert steps
    assert max(steps) < 1200
    assert resume(tmp_path / "run").step == 1200
