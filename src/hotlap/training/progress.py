"""The bar a person watches while a car learns; silent when nobody does."""

import sys
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback
from tqdm import tqdm

from hotlap.progress import shows_bars
from hotlap.training.session import TrainingSession


class ProgressBar(BaseCallback):
    """Steps per second, reward, what the world counts and the time left, on stderr, on a terminal only."""

    whole_rollouts = True
    needs_samples = False

    def __init__(self, session: TrainingSession) -> None:
        super().__init__()
        self.session = session
        self._bar: Any = None

    def _on_training_start(self) -> None:
        self._bar = tqdm(
            total=self.session.config.steps,
            initial=self.session.step,
            unit="step",
            unit_scale=True,
            dynamic_ncols=True,
            disable=not shows_bars(),
            file=sys.stderr,
        )

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        if not self._bar.disable:
            self._bar.set_postfix_str(self.facts(), refresh=False)
            self._bar.update(self.session.step - self._bar.n)

    def facts(self) -> str:
        """What is worth knowing, in a few words."""
        reward = self.session.reward_mean()
        facts = [] if reward is None else [f"reward {reward:.2f}"]
        return ", ".join([*facts, *self.session.metrics.words()])

    def close(self) -> None:
        """Leave the terminal as it was."""
        if self._bar is not None:
            self._bar.close()
