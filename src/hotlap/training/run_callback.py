"""Keeps a run: guards it against NaN, evaluates it, saves it, stops it when asked, all between two rollouts."""

import io
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from hotlap.checkpoints import (
    Checkpoint,
    PastPolicies,
    discard_checkpoints_after,
    has_checkpoint,
    prune_checkpoints,
    save_checkpoint,
    write_file,
)
from hotlap.checkpoints.curve import CurveWriter
from hotlap.checkpoints.names import NAN_BATCH, POLICY_FILE
from hotlap.checkpoints.run_files import PolicyScore, publish_best, read_best
from hotlap.errors import CheckpointWriteError, ExportError, TrainingError
from hotlap.training.session import TrainingSession
from hotlap.training.signals import StopRequestedError, StopSignals
from hotlap.training.world_training import PolicyEvaluator

ROLLOUT_ARRAYS = ("observations", "actions", "rewards", "values", "log_probs", "advantages", "returns")
RESCUED_EVERY_S = 1.0
FROM_THE_WORLD = ("new_obs", "rewards", "sums")


class RunCallback(BaseCallback):
    """The callback that owns the run folder while the run is trained. Nothing it does draws a random number."""

    whole_rollouts = True
    needs_samples = False

    def __init__(
        self,
        session: TrainingSession,
        evaluator: PolicyEvaluator,
        run: Path,
        stop: StopSignals,
        report: Callable[[str], None],
    ) -> None:
        super().__init__()
        self.session = session
        self.evaluator = evaluator
        self.run = run
        self.stop = stop
        self.report = report
        self.best = _best_until(run, session.step)
        self.curve = CurveWriter(run, session.step, report)
        self.past = PastPolicies(run, session.config.checkpoint.first_past, session.step)
        self.every = session.config.save_interval
        self.saved_step: int | None = session.step or None
        self._tried_step, self._tried_s = session.step, time.monotonic()
        self._exported: tuple[int, bytes | None] = (-1, None)
        self._rescue: Checkpoint | None = None
        self._rescued_s = -RESCUED_EVERY_S

    def _on_rollout_start(self) -> None:
        """The run is whole here: the last update is done, the next rollout not begun."""
        self.check_weights()
        if self._rescue_is_due():
            self._note_rescue()
        if not self.stop.requested and self._evaluation_is_due():
            self.evaluate()
        if not self.stop.requested and self.past.is_due(self.session.step):
            self.keep_for_good()
        if not self.stop.requested and (self._save_is_due() or self._has_only_borrowed()):
            self.save()
        if self.stop.requested:
            self.stop.settle()
            self.save_or_raise()
            raise StopRequestedError

    def _on_step(self) -> bool:
        # What was seen may be clipped before it is shown; hotlap's learner adds it up as it was.
        if not all(bool(np.isfinite(self.locals[name]).all()) for name in FROM_THE_WORLD if name in self.locals):
            batch = self._keep_batch(self._last_step())
            raise TrainingError(f"the world gave something that is not a number{batch}. {self._advice()}")
        return True

    def _on_rollout_end(self) -> None:
        self.curve.add(self.session.step, {"reward": self.session.reward_mean(), **self.session.metrics.facts()})

    def finish(self) -> None:
        """The end of training: evaluate once more, save, publish the best."""
        self.check_weights()
        self._note_rescue()
        if self.session.state.evaluated_step != self.session.step or self.best is None:
            self.evaluate()
        self.stop.settle()
        self.save_or_raise()

    def _rescue_is_due(self) -> bool:
        """Once a second and before evaluations; a replay changes under whoever noted it, so every time with one."""
        late = time.monotonic() - self._rescued_s >= RESCUED_EVERY_S
        return late or self._evaluation_is_due() or self.session.state.algorithm.replays

    def _note_rescue(self) -> None:
        self._rescue, self._rescued_s = self.session.checkpoint(policy=None), time.monotonic()

    def rescue(self) -> None:
        """Save the run as it was before what had to be cut short."""
        if self._rescue is None or self._is_saved(self._rescue.step):
            return
        self.session.state.restore(self._rescue.tensors, self._rescue.documents["counters"])
        policy = self._policy()
        self._write(replace(self._rescue, files={POLICY_FILE: policy} if policy else {}))

    def check_weights(self, *, broke: bool = False) -> None:
        """Stop when an update left weights nobody can compute with, or broke on them; nothing of it is saved."""
        if self.session.weights_are_sound() and not broke:
            return
        buffer = getattr(self.session.model, "rollout_buffer", None)
        rollout = {name: getattr(buffer, name) for name in ROLLOUT_ARRAYS if buffer is not None}
        batch = self._keep_batch(rollout or self._last_step())
        update = f"the update at step {self.session.step:,}"
        raise TrainingError(f"{update} left weights that are not numbers, or too large{batch}. {self._advice()}")

    def evaluate(self) -> None:
        """Drive the policy as evaluation does; the best so far is the run's policy."""
        self.session.state.evaluated_step = self.session.step
        policy = self._policy()
        if policy is None:
            return
        score = self.evaluator.evaluate(policy, self.session.step)
        self.session.logger.write_now(score.tags, score.step)
        self.curve.add_evaluation(score.step, score.tags, score.score)
        if self.best is not None and score.score < self.best.score:
            return
        # The checkpoint first, and the one of the best before goes only with a later save.
        self.save()
        try:
            publish_best(self.run, score, policy)
            self.best = score
        except CheckpointWriteError as error:
            self.report(f"{error} Training goes on.")

    def keep_for_good(self) -> None:
        """A past policy, for those who want to see it learn later; on a full disk training goes on."""
        try:
            self.past.keep(self.session.step, self._policy())
        except CheckpointWriteError as error:
            self.report(f"{error} Training goes on.")

    def save(self) -> None:
        """A checkpoint of this very step, and room for the next; on a full disk training goes on."""
        step = self.session.step
        if self._is_saved(step):
            return
        self._tried_step, self._tried_s = step, time.monotonic()
        try:
            self._write(self.session.checkpoint(self._policy()))
            prune_checkpoints(
                self.run, self.session.config.checkpoint.keep_last, () if self.best is None else (self.best.step,)
            )
        except CheckpointWriteError as error:
            self.report(f"{error} Training goes on.")

    def _write(self, checkpoint: Checkpoint) -> None:
        """Make a checkpoint the newest of the run: later ones are of a way that was left with `resume RUN@STEP`."""
        save_checkpoint(self.run, checkpoint)
        self.saved_step = checkpoint.step
        discard_checkpoints_after(self.run, checkpoint.step)

    def save_or_raise(self) -> None:
        """The last save: what it could not keep is an error."""
        self.save()
        if not self._is_saved(self.session.step):
            raise TrainingError(
                f"step {self.session.step:,} could not be saved, and training ended there. {self._advice()}"
            )

    def _is_saved(self, step: int | None) -> bool:
        """Whether a checkpoint of this step or a later one was written and is still there: somebody may remove it."""
        saved = self.saved_step
        return step is not None and saved is not None and step <= saved and has_checkpoint(self.run, saved)

    def _policy(self) -> bytes | None:
        """The policy file of this step, made once; None, with a line that says why, where it cannot be made."""
        if self._exported[0] != self.session.step:
            try:
                policy = self.session.export_policy()
            except ExportError as error:
                self.report(f"step {self.session.step:,} gets no policy file: {error}")
                policy = None
            self._exported = (self.session.step, policy)
        return self._exported[1]

    def _evaluation_is_due(self) -> bool:
        every = self.session.config.evaluation.every_steps
        return every > 0 and self.session.step - self.session.state.evaluated_step >= every

    def _save_is_due(self) -> bool:
        return self.every.is_over(self.session.step - self._tried_step, time.monotonic() - self._tried_s)

    def _has_only_borrowed(self) -> bool:
        """Whether the run is still what it took from another, and not saved: a resume could not find it again."""
        return self.session.step == 0 and bool(self.session.config.begin_from)

    def _last_step(self) -> dict[str, Any]:
        """What went into the world and what came out, before it was normalised."""
        normalizer, actions = self.session.normalizer, self.locals["actions"]
        if normalizer is None or self.locals.get("columns") is not None:
            return {"observations": self.locals["new_obs"], "rewards": self.locals["rewards"], "actions": actions}
        return {"observations": normalizer.old_obs, "rewards": normalizer.old_reward, "actions": actions}

    def _keep_batch(self, arrays: dict[str, Any]) -> str:
        """Write the numbers that went wrong into the run folder; where they are, as half a sentence."""
        content = io.BytesIO()
        np.savez(content, **arrays)
        try:
            write_file(self.run / NAN_BATCH, content.getvalue())
        except CheckpointWriteError:
            return ""
        return f", kept in {self.run / NAN_BATCH}"

    def _advice(self) -> str:
        """What is left of the run, and what to do."""
        if not self._is_saved(self.saved_step):
            return "There is no checkpoint. Train again with other settings."
        return f"Step {self.saved_step:,} is saved; go on from there with: hotlap resume {self.run}"


def _best_until(run: Path, step: int) -> PolicyScore | None:
    """The best policy of a run, unless it is of a step that the run went back before."""
    best = read_best(run)
    return best if best is not None and best.step <= step else None
