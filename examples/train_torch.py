"""How a training loop uses the tensors of a world: `python examples/train_torch.py [cpu|cuda]`.

Plain advantage actor-critic; `hotlap train` learns far faster.
"""

import sys

import torch

import hotlap


def train(device: str = "cpu", cars: int = 256, updates: int = 100, steps: int = 32) -> list[float]:
    """Advantage actor-critic on track-01: percent of a lap gained in a tick, less penalties, in each update."""
    torch.manual_seed(0)
    env = hotlap.make_torch_env("racer", cars, device, start="random", stagger=True)
    seen, _ = env.reset()
    actor, critic = (
        torch.nn.Sequential(torch.nn.Linear(seen.shape[1], 64), torch.nn.Tanh(), torch.nn.Linear(64, size)).to(device)
        for size in (3, 1)
    )
    optimizer, gained = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=3e-3), []
    for _ in range(updates):
        log_probs, values, rewards, alive = [], [], [], []
        for _ in range(steps):
            now = seen.clone()  # the next step overwrites what this one returned
            policy = torch.distributions.Normal(actor(now), 0.3)
            action = policy.sample()
            seen, reward, terminated, truncated, _ = env.step(action)
            log_probs.append(policy.log_prob(action).sum(1))
            values.append(critic(now)[:, 0])
            rewards.append(100.0 * reward)
            alive.append(1.0 - (terminated | truncated).float())
        goal, goals = critic(seen)[:, 0].detach(), []
        for reward, lives in zip(reversed(rewards), reversed(alive), strict=True):
            goal = reward + 0.98 * lives * goal
            goals.insert(0, goal)
        missing = torch.stack(goals) - torch.stack(values)
        advantage = (missing - missing.mean()).detach() / missing.std().detach()
        loss = 0.5 * (missing**2).mean() - (torch.stack(log_probs) * advantage).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        gained.append(float(torch.stack(rewards).mean()))
    return gained


if __name__ == "__main__":
    for update, percent in enumerate(train(*sys.argv[1:2])):
        sys.stdout.write(f"update {update:3d}: {percent:7.4f} % of a lap a tick\n")
