"""A driver that does anything: `python examples/random_driver.py`."""

import gymnasium as gym

import hotlap  # registers the environments


def drive(ticks: int = 600, seed: int = 0) -> float:
    """How much of a lap it gains, less penalties."""
    env = gym.make("hotlap/Racer-v0", track="track-01")
    env.action_space.seed(seed)
    env.reset(seed=seed)
    earned = 0.0
    for _ in range(ticks):
        _, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        earned += float(reward)
        if terminated or truncated:
            env.reset()
    return earned


if __name__ == "__main__":
    print(f"hotlap {hotlap.__version__}: ten seconds at random earn {drive():.3f} of a lap")
