"""PPO in one file on a Gymnasium vector environment, in the manner of CleanRL.

`python examples/train_single_file.py --steps 500000 --track track-02`
"""

from dataclasses import dataclass

import gymnasium as gym
import torch
import tyro
from torch import nn
from torch.distributions import Normal

import hotlap  # noqa: F401 - registers the environments


@dataclass
class Args:
    """Every number of the training."""

    env_id: str = "hotlap/Racer-v0"
    track: str = "track-01"
    steps: int = 500_000
    envs: int = 64
    rollout: int = 64
    epochs: int = 4
    batch: int = 1024
    learning_rate: float = 1e-3
    gamma: float = 0.98
    gae_lambda: float = 0.95
    clip: float = 0.2
    seed: int = 0


class Agent(nn.Module):
    """Two networks: what to do, and what it is worth."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.actor, self.critic = (
            nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, size))
            for size in (outputs, 1)
        )
        self.log_std = nn.Parameter(torch.full((outputs,), -1.0))

    def forward(self, seen: torch.Tensor) -> tuple[Normal, torch.Tensor]:
        """The distribution of the actions, and the value."""
        return Normal(self.actor(seen), self.log_std.exp()), self.critic(seen)[..., 0]


def train(args: Args) -> list[float]:
    """What a tick earned in each rollout."""
    torch.manual_seed(args.seed)
    modes = {"start": "random", "autoreset_mode": "SameStep"}
    envs = gym.make_vec(args.env_id, num_envs=args.envs, track=args.track, **modes)
    agent = Agent(envs.single_observation_space.shape[0], envs.single_action_space.shape[0])
    optimizer, earned = torch.optim.Adam(agent.parameters(), args.learning_rate), []
    seen = torch.as_tensor(envs.reset(seed=args.seed)[0])
    for _ in range(args.steps // (args.envs * args.rollout)):
        ticks = []
        with torch.no_grad():
            for _ in range(args.rollout):
                policy, value = agent(seen)
                action = policy.sample()
                after, reward, terminated, truncated, _ = envs.step(action.numpy())
                going = torch.as_tensor(~(terminated | truncated)).float()
                ticks.append((seen, action, policy.log_prob(action).sum(1), value, torch.as_tensor(reward), going))
                seen = torch.as_tensor(after)
            observations, actions, before, values, rewards, goings = map(torch.stack, zip(*ticks, strict=True))
            advantages, following, gained = torch.zeros_like(values), agent(seen)[1], 0.0
            for t in reversed(range(args.rollout)):
                error = 100 * rewards[t] + args.gamma * goings[t] * following - values[t]
                gained = error + args.gamma * args.gae_lambda * goings[t] * gained
                advantages[t], following = gained, values[t]
        flat = [each.flatten(0, 1).float() for each in (observations, actions, before, advantages, advantages + values)]
        for rows in torch.cat([torch.randperm(args.envs * args.rollout) for _ in range(args.epochs)]).split(args.batch):
            observation, action, old, advantage, goal = (each[rows] for each in flat)
            policy, value = agent(observation)
            ratio = (policy.log_prob(action).sum(1) - old).exp()
            better = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            gain = torch.minimum(ratio * better, ratio.clamp(1 - args.clip, 1 + args.clip) * better).mean()
            optimizer.zero_grad()
            (0.5 * (value - goal).square().mean() - gain).backward()
            optimizer.step()
        earned.append(float(rewards.mean()))
    return earned


if __name__ == "__main__":
    for number, reward in enumerate(train(tyro.cli(Args))):
        print(f"rollout {number:3d}: {100 * reward:7.4f} % of a lap a tick")
