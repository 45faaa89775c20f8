"""The bar a person watches while a car learns; silent when nobody does."""

import sys
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback
from tqdm import tqdm

from hotlap.training.callbacks import RacerMetricsCallback


class ProgressBar(BaseCallback):
    """Steps per second, reward, completion, best lap and the time left, on stderr, on a terminal only."""

    def __init__(self, total: int, metrics: RacerMetricsCallback) -> None:
        super().__init__()
        self.total = total
        self.metrics = metrics
        self._bar: Any = None

    def _on_training_start(self) -> None:
        self._bar = tqdm(
            total=self.total,
            initial=self.num_timesteps,
            unit="step",
            unit_scale=True,
            dynamic_ncols=True,
            disable=not sys.stderr.isatty(),
            file=sys.stderr,
        )

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        self._bar.update(self.num_timesteps - self._bar.n)
        if not self._bar.disable:
            self._bar.set_postfix_str(self._facts(), refresh=False)

    def _facts(self) -> str:
        logged = self.logger.name_to_value
        facts = []
        if self.model.ep_info_buffer:
            facts.append(f"reward {np.mean([episode['r'] for episode in self.model.ep_info_buffer]):.2f}")
        if "racer/completion_rate" in logged:
            facts.append(f"completion {logged['racer/completion_rate']:.0%}")
        if self.metrics.best_clean_lap_s is not None:
            facts.append(f"best clean lap {self.metrics.best_clean_lap_s:.3f} s")
        return ", ".join(facts)

    def _on_training_end(self) -> None:
        self.close()

    def close(self) -> None:
        """Leave the terminal as it was."""
        if self._bar is not None:
            self._bar.close()
