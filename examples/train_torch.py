"""Thirty lines of policy gradient on tensors: `python examples/train_torch.py [cpu|cuda]`."""

import sys

import torch

import hotlap


def train(device: str = "cpu", cars: int = 256, updates: int = 60, steps: int = 32) -> list[float]:
    """Advantage actor-critic on track-01: the mean reward of a step in each update."""
    torch.manual_seed(0)
    env = hotlap.make_torch_env("racer", cars, device, start="random", stagger=True)
    seen, _ = env.reset()
    body = torch.nn.Sequential(torch.nn.Linear(seen.shape[1], 64), torch.nn.Tanh(), torch.nn.Linear(64, 4)).to(device)
    optimizer, rewards = torch.optim.Adam(body.parameters(), lr=3e-3), []
    for _ in range(updates):
        log_probs, values, paid, alive = [], [], [], []
        for _ in range(steps):
            out = body(seen.clone())
            policy = torch.distributions.Normal(out[:, :3], 0.4)
            action = policy.sample()
            seen, reward, terminated, truncated, _ = env.step(action)
            log_probs.append(policy.log_prob(action).sum(1))
            values.append(out[:, 3])
            paid.append(100.0 * reward.clone())
            alive.append(1.0 - (terminated | truncated).float())
        goal, loss = body(seen)[:, 3].detach(), torch.zeros((), device=device)
        for t in reversed(range(steps)):
            goal = paid[t] + 0.98 * alive[t] * goal
            loss += (0.5 * (goal - values[t]) ** 2 - log_probs[t] * (goal - values[t]).detach()).mean() / steps
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        rewards.append(float(torch.stack(paid).mean()))
    return rewards


if __name__ == "__main__":
    for update, reward in enumerate(train(*sys.argv[1:2])):
        sys.stdout.write(f"update {update:3d}: {reward:7.4f} % of a lap a tick\n")
