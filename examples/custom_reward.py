"""A reward of your own, and how to see whether it cheats: `python examples/custom_reward.py`.

A reward is a weighted sum of facts. An evaluation reports the facts themselves, so a driver that found a way to collect
reward without driving well is seen at once. Train with weights of your own:
`hotlap.train(racer={"config": {"weights": {"speedBonus": 0.001}}})`.
"""

import gymnasium as gym

import hotlap  # noqa: F401 - registers the environments

REWARDS = {
    "honest": {"progress": 1.0, "offTrackPenalty": -0.001},
    "speed only": {"progress": 0.0, "speedBonus": 0.01, "offTrackPenalty": 0.0, "wallPenalty": 0.0},
}
CIRCLE, LAP = "circles on the spot", "follows the road"


def earned(weights: dict[str, float], how: str, ticks: int = 600) -> float:
    """What ten seconds earn under these weights."""
    env = gym.make("hotlap/Racer-v0", track="track-01", config={"weights": weights})
    seen, _ = env.reset(seed=0)
    total = 0.0
    for _ in range(ticks):
        steer = 1.0 if how == CIRCLE else 4.0 * (seen[2] - seen[6])
        seen, reward, _, _, _ = env.step([steer, 0.5, 0.0])
        total += float(reward)
    return total


if __name__ == "__main__":
    for name, weights in REWARDS.items():
        print(f"{name:>10}: " + ", ".join(f"{how} {earned(weights, how):.3f}" for how in (LAP, CIRCLE)))
