"""Keeps a run: guards it against NaN, measures it, saves it, stops it when asked, all between two rollouts."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from hotlap.checkpoints import Checkpoint, prune_checkpoints, save_checkpoint
from hotlap.errors import CheckpointWriteError, TrainingError
from hotlap.training.callbacks import RacerMetricsCallback
from hotlap.training.curve import Curve
from hotlap.training.judge import Judge, Verdict
from hotlap.training.session import Session, arrays_are_finite, parameters_are_finite, restore_session, reward_mean
from hotlap.training.signals import StopSignals

NAN_BATCH = "nan-batch.npz"


@dataclass
class Keeping:
    """When something was last done, in steps and on the monotonic clock."""

    saved_step: int = -1
    saved_at: float = field(default_factory=time.monotonic)
    judged_step: int = 0
    best: Verdict | None = None


class RunKeeper(BaseCallback):
    """The callback that owns the run folder while the run is trained."""

    def __init__(self, session: Session, run: Path, stop: StopSignals, report: Callable[[str], None]) -> None:
        super().__init__()
        self.session = session
        self.run = run
        self.judge = Judge(session.config)
        self.metrics = RacerMetricsCallback()
        self.stop = stop
        self.report = report
        self.curve = Curve(run, session.step)
        self.kept = Keeping(saved_step=session.step or -1, judged_step=session.step, best=self.judge.best_so_far(run))
        self.rescue: Checkpoint | None = None
        self.stopped = False
        self._policy: tuple[int, bytes] = (-1, b"")

    def _on_rollout_start(self) -> None:
        """The run is whole here: the last update is done, the next rollout not begun."""
        if not parameters_are_finite(self.model):
            raise TrainingError(
                f"the update at step {self.session.step} left weights that are not numbers; {self._advice()}"
            )
        if self.stop.requested:
            self.stop.settle()
            self.save()
            self.stopped = True
            return
        self._judge_if_due()
        self._save_if_due()
        if not self.session.state.algorithm.replays:
            self.rescue = self.session.checkpoint(policy=None)

    def _on_step(self) -> bool:
        if self.stopped:
            return False
        observations, rewards = self.locals["new_obs"], self.locals["rewards"]
        if not arrays_are_finite(observations, rewards):
            np.savez(self.run / NAN_BATCH, observations=observations, rewards=rewards, actions=self.locals["actions"])
            batch = self.run / NAN_BATCH
            raise TrainingError(f"the world gave something that is not a number, kept in {batch}; {self._advice()}")
        return True

    def _on_rollout_end(self) -> None:
        completion = self.logger.name_to_value.get("racer/completion_rate")
        reward = reward_mean(self.model.ep_info_buffer)
        self.curve.add(self.session.step, reward, completion, self.metrics.best_clean_lap_s)

    def finish(self) -> None:
        """The end of training: measure once more, save, publish the best."""
        if self.kept.judged_step != self.session.step or self.kept.best is None:
            self.measure()
        self.save()

    def rescue_now(self) -> None:
        """Save the run as it was before the update that had to be cut."""
        if self.rescue is None:
            return
        restored = restore_session(self.session.config, self.rescue)
        save_checkpoint(self.run, restored.checkpoint(restored.export_policy()))

    def measure(self) -> None:
        """Drive the policy as evaluation does; the best so far is the run's policy."""
        verdict = self.judge.judge(self._exported(), self.session.step)
        self.kept.judged_step = self.session.step
        for tag, value in verdict.tags.items():
            self.logger.record(tag, value)
        self.curve.note(verdict)
        if self.kept.best is None or verdict.score >= self.kept.best.score:
            self.kept.best = verdict
            self.save()
            self.judge.publish(self.run, verdict, self._exported())

    def save(self) -> None:
        """A checkpoint of this very step, then room for the next ones."""
        if self.kept.saved_step == self.session.step:
            return
        try:
            save_checkpoint(self.run, self.session.checkpoint(self._exported()))
        except CheckpointWriteError as error:
            self.report(f"could not save: {error} Training goes on; the checkpoint before is kept.")
            self.kept.saved_at = time.monotonic()
            if self.stop.requested:
                raise
            return
        self.kept.saved_step, self.kept.saved_at = self.session.step, time.monotonic()
        best = () if self.kept.best is None else (self.kept.best.step,)
        prune_checkpoints(self.run, self.session.config.checkpoint.keep_last, best)

    def _exported(self) -> bytes:
        """The policy of this step, exported once."""
        if self._policy[0] != self.session.step:
            self._policy = (self.session.step, self.session.export_policy())
        return self._policy[1]

    def _judge_if_due(self) -> None:
        every = self.session.config.evaluation.every_steps
        if every and self.session.step - self.kept.judged_step >= every:
            self.measure()

    def _save_if_due(self) -> None:
        settings = self.session.config.checkpoint
        by_steps = settings.every_steps and self.session.step - max(self.kept.saved_step, 0) >= settings.every_steps
        by_time = settings.every_seconds and time.monotonic() - self.kept.saved_at >= settings.every_seconds
        if self.session.step > 0 and (by_steps or by_time):
            self.save()

    def _advice(self) -> str:
        return f"the last good checkpoint is kept. Try a smaller learning rate, or: hotlap resume {self.run}"
