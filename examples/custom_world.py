"""A world of your own in one file, learned by SB3: `python examples/custom_world.py`.

This registration names the two parts that environments need: a batch of cars, and what their drivers see. One that
names its `training` and `evaluation` too has every command as well; docs/architecture.md lists the parts.
"""

import numpy as np
from stable_baselines3 import PPO

import hotlap
from hotlap.worlds import ObservationSpec, Registration, register_world


class ParkingWorld:
    """Cars on a line that are paid for standing still at 0: a tick pushes a car by its first action."""

    name = "parking"
    observation_bounds = (np.full(2, -20.0, np.float32), np.full(2, 20.0, np.float32))
    action_bounds = (-np.ones(3, np.float32), np.ones(3, np.float32))
    action_choices = np.zeros((0, 3), np.float32)  # an action is any point within the bounds
    episode_ticks = 60

    def __init__(self, count: int) -> None:
        self.count, self.tick, self.reward = count, np.zeros(count, np.int64), np.zeros(count)
        self.observation = np.zeros((count, 2))  # where it is, and how fast it goes
        self.terminated, self.truncated, self.nothing = np.zeros((3, count), np.bool_)

    def begin(self, car: int, rng: np.random.Generator, _options: object = None) -> None:
        """A new episode of one car."""
        self.observation[car], self.tick[car] = (rng.uniform(-1, 1), 0.0), 0

    def advance(self, actions: np.ndarray) -> None:
        """One tick of every car."""
        place, speed = self.observation.T
        speed += 0.1 * np.clip(actions[:, 0], -1, 1)
        place += 0.1 * speed
        self.reward[:] = -np.abs(place) - 0.1 * np.abs(speed)
        self.tick += 1
        self.truncated[:] = self.tick >= self.episode_ticks

    def step_columns(self) -> dict[str, np.ndarray]:
        """What every info says; that of a noteworthy car says more."""
        return {"place": self.observation[:, 0].copy()}

    reset_columns, noteworthy, extra_info = step_columns, lambda self: self.nothing, lambda *_: {}


register_world(Registration("parking", batch=f"{__name__}:ParkingWorld", observation=f"{__name__}:SEEN"))
SEEN = ObservationSpec({"place-and-speed": 2}, lambda _layout: "parking-1")


def train(steps: int = 60_000, cars: int = 16) -> float:
    """What an episode earns after training; doing nothing earns about -30."""
    env = hotlap.make_vec_env("parking", cars, seed=0)
    model = PPO("MlpPolicy", env, n_steps=60, batch_size=240, gamma=0.95, learning_rate=2e-3, seed=0).learn(steps)
    return float(np.mean([episode["r"] for episode in model.ep_info_buffer]))


if __name__ == "__main__":
    print(f"an episode earns {train():.1f}")
