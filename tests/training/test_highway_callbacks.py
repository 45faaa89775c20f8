"""HighwayMetricsCallback: what it tells TensorBoard about missions, crashes and speeds."""

import pytest
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from hotlap.highway.env import HighwayEnv
from hotlap.training.highway_callbacks import REWARD_PARTS, HighwayMetricsCallback
from hotlap.vector.sb3 import make_vec_env
from training.recording import RecordingLogger

FACTS = {"speed_mps": 25.0, "rules": 0, "crashed": False, "ego_fault": False, "is_free": False, "speed_error_mps": 0.0}
DONE = {"outcome": "done", "ended_mode": "cruise", "duration_s": 7.0}


class Told:
    """The callback with a logger that remembers, told about steps by hand."""

    def __init__(self) -> None:
        self.logger = RecordingLogger()
        self.callback = HighwayMetricsCallback()
        self.callback.model = type("Model", (), {"logger": self.logger, "num_timesteps": 0})()

    def step(self, *roads: dict) -> None:
        infos = [dict.fromkeys(REWARD_PARTS, 0.0) | FACTS | road for road in roads]
        self.callback.locals = {"infos": infos, "dones": [False] * len(roads)}
        assert self.callback._on_step() is True

    def end_rollout(self) -> dict[str, float]:
        before = len(self.logger.recorded)
        self.callback._on_rollout_end()
        return dict(self.logger.recorded[before:])


def test_parts_of_the_reward_are_averaged_over_roads_every_step():
    told = Told()
    told.step({"tracking": 1.0, "mission_reward": 3.0}, {"tracking": 3.0})
    assert ("reward/tracking", 2.0) in told.logger.averaged
    assert ("reward/mission", 1.5) in told.logger.averaged
    assert len(told.logger.averaged) == len(REWARD_PARTS)


def test_missions_are_counted_by_mode():
    told = Told()
    told.step(DONE, DONE | {"duration_s": 9.0}, {"outcome": "timed_out", "ended_mode": "cruise", "duration_s": 60.0})
    told.step({"outcome": "refused", "ended_mode": "overtake", "duration_s": 3.0}, {}, {})
    said = told.end_rollout()
    assert said["highway/cruise/success_rate"] == pytest.approx(2 / 3)
    assert said["highway/cruise/time_to_success_s"] == 8.0
    assert said["highway/cruise/episodes"] == 3
    assert not any(tag.startswith("highway/overtake") for tag in said)
    assert told.callback.recent_success == pytest.approx(2 / 3)
    assert told.callback.words() == ["missions done 67%"]


def test_crashes_interventions_and_speed_errors_are_rates():
    told = Told()
    told.step({"crashed": True, "ego_fault": True}, {"crashed": True})
    told.step({"rules": 3}, {"is_free": True, "speed_error_mps": -0.44704})
    said = told.end_rollout()
    metres = 4 * 25.0 * 0.2
    assert said["highway/crashes_per_1000_km"] == pytest.approx(2e6 / metres)
    assert said["highway/ego_fault_crashes_per_1000_km"] == pytest.approx(1e6 / metres)
    assert said["highway/interventions_per_hour"] == pytest.approx(3600 / 0.8)
    assert said["highway/speed_error_mph"] == pytest.approx(1.0)


def test_rollout_is_forgotten_when_it_has_been_recorded_and_recent_missions_are_not():
    told = Told()
    told.step(DONE)
    told.end_rollout()
    assert "highway/cruise/success_rate" not in told.end_rollout()
    assert told.callback.facts() == {"success": 1.0}
    other = HighwayMetricsCallback()
    other.put_counters(told.callback.counters())
    assert other.recent_success == 1.0


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("algorithm", [PPO, DQN])
def test_works_with_plain_sb3_on_native_and_on_single_environments(algorithm, native):
    rules = {"vehicles": 3, "discrete": algorithm is DQN, "missions": "lane_change"}
    env = make_vec_env("highway", 2, seed=0, **rules) if native else DummyVecEnv([lambda: Monitor(HighwayEnv(**rules))])
    options = {"n_steps": 32, "batch_size": 16, "n_epochs": 1} if algorithm is PPO else {"learning_starts": 10}
    model, logger = algorithm("MlpPolicy", env, device="cpu", seed=0, **options), RecordingLogger()
    model.set_logger(logger)
    model.learn(128, HighwayMetricsCallback())
    assert {f"reward/{part.removesuffix('_reward')}" for part in REWARD_PARTS} <= {key for key, _ in logger.averaged}
    assert "highway/crashes_per_1000_km" in dict(logger.recorded)
