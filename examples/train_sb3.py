"""Your own stable-baselines3 model on a batch of cars: `python examples/train_sb3.py`.

`hotlap train` does this and more (checkpoints, evaluation, policy.onnx); this is for those who bring their own loop.
"""

from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecNormalize

import hotlap


def train(steps: int = 300_000, cars: int = 64) -> PPO:
    """PPO with the usual settings for many short rollouts."""
    env = VecNormalize(hotlap.make_vec_env("racer", cars, seed=0, start="random"), gamma=0.98)
    model = PPO("MlpPolicy", env, n_steps=64, batch_size=1024, n_epochs=4, gamma=0.98, learning_rate=1e-3, seed=0)
    return model.learn(steps)


if __name__ == "__main__":
    model = train()
    episodes = [episode["r"] for episode in model.ep_info_buffer]
    print(f"an episode of 50 seconds earns {sum(episodes) / len(episodes):.2f} laps, less penalties")
