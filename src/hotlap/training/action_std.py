"""How far a PPO policy strays from what it thinks best: falling on a line instead of being learned."""

from typing import Any

import torch
from stable_baselines3.common.callbacks import BaseCallback

from hotlap.training.config import TrainConfig


class ActionStdSchedule(BaseCallback):
    """Takes the spread of the actions out of the learner's hands, so that it goes on exploring until late."""

    whole_rollouts = True
    needs_samples = False

    def __init__(self, config: TrainConfig) -> None:
        super().__init__()
        self.steps = config.steps
        self.first = torch.tensor(config.network.log_std_init)
        self.last = torch.tensor(config.network.log_std_end)

    def _on_training_start(self) -> None:
        self._spread().requires_grad_(False)

    def _on_rollout_start(self) -> None:
        done = min(self.num_timesteps / self.steps, 1.0)
        with torch.no_grad():
            self._spread().copy_(self.first + (self.last - self.first) * done)

    def _on_step(self) -> bool:
        return True

    def _spread(self) -> Any:
        return self.model.policy.log_std
