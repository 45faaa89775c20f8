"""A race in which every car is an agent of PettingZoo: `python examples/race_pettingzoo.py`.

Needs `pip install "hotlap[pettingzoo]"`.
"""

import numpy as np

import hotlap


def towards_room(observation: np.ndarray) -> np.ndarray:
    """Steer to the side with more room between the walls, at half throttle."""
    return np.array([4.0 * (observation[2] - observation[6]), 0.5, 0.0], np.float32)


def race(cars: int = 4, ticks: int = 600, seed: int = 0) -> dict[str, int]:
    """The place of every car at the end."""
    env = hotlap.parallel_env("race", cars=cars, track="track-01", laps=1)
    observations, infos = env.reset(seed=seed)
    places = {agent: info["place"] for agent, info in infos.items()} if "place" in infos["car_0"] else {}
    for _ in range(ticks):
        if not env.agents:
            break
        observations, _, _, _, infos = env.step({agent: towards_room(observations[agent]) for agent in env.agents})
        places |= {agent: info["place"] for agent, info in infos.items()}
    return places


if __name__ == "__main__":
    for agent, place in sorted(race().items(), key=lambda item: item[1]):
        print(f"{place}. {agent}")
