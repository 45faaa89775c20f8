"""PPO on the tensors of a world: `python examples/train_torch.py [cpu|cuda]`.

It learns to lap track-01 in 600,000 steps; `hotlap train` learns far faster.
"""

import sys

import torch
from torch import nn
from torch.distributions import Normal

import hotlap

FIRST_ACTION = (0.0, 0.6, 0.0)  # some throttle shows it the road


def network(inputs: int, outputs: int) -> nn.Sequential:
    """Two hidden layers."""
    return nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs))


def train(device: str = "cpu", updates: int = 60, cars: int = 256) -> list[float]:
    """How much of a lap a tick gains, in percent and less penalties, in each update of 64 ticks of every car."""
    torch.manual_seed(0)
    env = hotlap.make_torch_env("racer", cars, device, start="random", stagger=True)
    seen, _ = env.reset()
    actor, critic = (network(seen.shape[1], outputs).to(device) for outputs in (3, 1))
    actor[-1].weight.data *= 0.01
    actor[-1].bias.data[:] = torch.tensor(FIRST_ACTION)
    optimizer, learned = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-3), []
    for _ in range(updates):
        rollout = []
        with torch.no_grad():
            for _ in range(64):
                now, action = seen.clone(), Normal(actor(seen), 0.3).sample()  # the next step overwrites what is seen
                seen, reward, terminated, truncated, _ = env.step(action)
                rollout.append((now, action, 100.0 * reward, 0.98 * ~(terminated | truncated)))
            observations, actions, rewards, discounts = (torch.stack(each) for each in zip(*rollout, strict=True))
            values = critic(torch.cat([observations, seen[None]]))[..., 0]
            before, advantages = Normal(actor(observations), 0.3).log_prob(actions), rewards - values[:-1]
            advantages += discounts * values[1:]
            for tick in reversed(range(63)):
                advantages[tick] += 0.95 * discounts[tick] * advantages[tick + 1]
        samples = [each.flatten(0, 1) for each in (observations, actions, before, advantages, advantages + values[:-1])]
        for rows in torch.cat([torch.randperm(64 * cars, device=device) for _ in range(4)]).split(4096):
            observation, action, old, advantage, goal = (each[rows] for each in samples)
            ratio = (Normal(actor(observation), 0.3).log_prob(action) - old).sum(1).exp()
            better = (advantage - advantage.mean()) / advantage.std()
            gain = torch.minimum(ratio * better, ratio.clamp(0.8, 1.2) * better).mean()
            optimizer.zero_grad()
            (0.5 * (critic(observation)[:, 0] - goal).square().mean() - gain).backward()
            optimizer.step()
        learned.append(float(rewards.mean()))
    return learned


if __name__ == "__main__":
    for update, percent in enumerate(train(*sys.argv[1:2])):
        sys.stdout.write(f"update {update:3d}: {percent:7.4f} % of a lap a tick\n")
