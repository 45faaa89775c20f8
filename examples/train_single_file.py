"""PPO in one file on a Gymnasium vector environment, in the manner of CleanRL.

`python examples/train_single_file.py --steps 500000 --track track-02`; every argument of `train` is an option.
"""

import gymnasium as gym
import torch
import tyro
from torch import nn
from torch.distributions import Normal

import hotlap  # noqa: F401 - registers the environments

EPOCHS, BATCH, LEARNING_RATE, GAMMA, GAE_LAMBDA, CLIP = 4, 1024, 1e-3, 0.98, 0.95, 0.2


def network(inputs: int, outputs: int) -> nn.Sequential:
    """Two hidden layers."""
    return nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs))


def train(track: str = "track-01", steps: int = 500_000, cars: int = 64, rollout: int = 64, seed: int = 0) -> None:
    """Learn, and print how much of a lap a tick gains, in percent and less penalties."""
    torch.manual_seed(seed)
    envs = gym.make_vec("hotlap/Racer-v0", cars, track=track, start="random", autoreset_mode="SameStep")
    actor, critic = network(14, 3), network(14, 1)
    log_std = nn.Parameter(torch.full((3,), -1.0))
    optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters(), log_std], LEARNING_RATE)
    seen = torch.as_tensor(envs.reset(seed=seed)[0])
    for number in range(steps // (cars * rollout)):
        ticks = []
        with torch.no_grad():
            for _ in range(rollout):
                policy = Normal(actor(seen), log_std.exp())
                action = policy.sample()
                after, reward, terminated, truncated, _ = envs.step(action.numpy())
                facts = action, policy.log_prob(action).sum(1), torch.as_tensor(100 * reward, dtype=torch.float32)
                ticks.append((seen, *facts, torch.as_tensor(GAMMA * ~(terminated | truncated), dtype=torch.float32)))
                seen = torch.as_tensor(after)
            observations, actions, before, rewards, discounts = map(torch.stack, zip(*ticks, strict=True))
            values = critic(torch.cat([observations, seen[None]]))[..., 0]
            advantages = rewards + discounts * values[1:] - values[:-1]
            for tick in reversed(range(rollout - 1)):
                advantages[tick] += GAE_LAMBDA * discounts[tick] * advantages[tick + 1]
        samples = [each.flatten(0, 1) for each in (observations, actions, before, advantages, advantages + values[:-1])]
        for rows in torch.cat([torch.randperm(cars * rollout) for _ in range(EPOCHS)]).split(BATCH):
            observation, action, old, advantage, goal = (each[rows] for each in samples)
            ratio = (Normal(actor(observation), log_std.exp()).log_prob(action).sum(1) - old).exp()
            better = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            gain = torch.minimum(ratio * better, ratio.clamp(1 - CLIP, 1 + CLIP) * better).mean()
            optimizer.zero_grad()
            (0.5 * (critic(observation)[:, 0] - goal).square().mean() - gain).backward()
            optimizer.step()
        print(f"rollout {number:3d}: {rewards.mean():7.4f} % of a lap a tick")


if __name__ == "__main__":
    tyro.cli(train)
