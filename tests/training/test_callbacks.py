"""RacerMetricsCallback: what it tells TensorBoard, when, and what it forgets."""

import numpy as np
import pytest
from stable_baselines3 import PPO, SAC
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from hotlap.racer.env import RacerEnv
from hotlap.training.callbacks import REWARD_PARTS, RacerMetricsCallback
from hotlap.vector.sb3 import make_vec_env
from training.recording import RecordingLogger

RULES = {"start": "random", "config": {"episode": {"maxSteps": 40, "stillnessTimeoutTicks": 15}}}


class Told:
    """The callback with a logger that remembers, told about steps by hand."""

    def __init__(self) -> None:
        self.logger = RecordingLogger()
        self.callback = RacerMetricsCallback()
        self.callback.model = type("Model", (), {"logger": self.logger, "num_timesteps": 0})()

    def step(self, *cars: dict, dones: list[bool] | None = None) -> None:
        infos = [dict.fromkeys(REWARD_PARTS, 0.0) | {"lap": 1, "stepCount": 0} | car for car in cars]
        self.callback.locals = {"infos": infos, "dones": dones or [False] * len(cars)}
        assert self.callback._on_step() is True

    def end_rollout(self) -> dict[str, float]:
        """What the end of a rollout records."""
        before = len(self.logger.recorded)
        self.callback._on_rollout_end()
        self.logger.dump()
        return dict(self.logger.recorded[before:])


def test_every_part_of_the_reward_is_averaged_every_step():
    told = Told()
    values = dict(zip(REWARD_PARTS, (0.5, 0.1, -0.2, -0.3, -0.4, -0.6), strict=True))
    told.step(values)
    told.step(dict.fromkeys(REWARD_PARTS, 1.0))
    assert told.logger.averaged[: len(values)] == [(f"reward/{part}", value) for part, value in values.items()]
    assert told.logger.averaged[len(values) :] == [(f"reward/{part}", 1.0) for part in REWARD_PARTS]
    assert not told.logger.recorded


def test_reward_of_two_cars_is_their_mean():
    told = Told()
    told.step({"progress": 1.0}, {"progress": 3.0})
    assert ("reward/progress", 2.0) in told.logger.averaged


def test_empty_rollout_records_nothing():
    told = Told()
    told.step({"stepCount": 1})
    assert told.end_rollout() == {}


def test_episode_without_a_lap_is_not_completed():
    told = Told()
    told.step({"stepCount": 99}, dones=[True])
    assert told.end_rollout() == {"racer/completion_rate": 0.0, "racer/episodes_this_rollout": 1}


def test_lap_times_are_differences_of_step_counts_at_sixty_a_second():
    told = Told()
    told.step({"lap": 1, "stepCount": 1})
    told.step({"lap": 2, "stepCount": 600})
    told.step({"lap": 2, "stepCount": 601})
    told.step({"lap": 3, "stepCount": 1050})
    assert told.end_rollout() == {
        "racer/mean_lap_time_sec": 7.5,
        "racer/best_lap_time_sec": 7.5,
        "racer/first_lap_time_sec": 10.0,
    }


def test_lap_that_ends_with_the_episode_counts_for_both():
    told = Told()
    told.step({"lap": 2, "stepCount": 480}, dones=[True])
    assert told.end_rollout() == {
        "racer/completion_rate": 1.0,
        "racer/episodes_this_rollout": 1,
        "racer/first_lap_time_sec": 8.0,
    }


def test_rollout_is_forgotten_when_it_has_been_recorded():
    told = Told()
    told.step({"lap": 2, "stepCount": 480}, dones=[True])
    told.end_rollout()
    assert told.end_rollout() == {}
    told.step({"stepCount": 50}, dones=[True])
    assert told.end_rollout() == {"racer/completion_rate": 0.0, "racer/episodes_this_rollout": 1}


def test_rollouts_between_two_dumps_are_counted_together_and_once():
    """As off-policy algorithms do: many short rollouts, and a log that is written within one of them."""
    told = Told()
    told.step({"lap": 2, "stepCount": 480}, dones=[True])
    told.callback._on_rollout_end()
    told.step({"stepCount": 50}, dones=[True])
    told.callback._on_rollout_end()
    assert told.logger.name_to_value["racer/episodes_this_rollout"] == 2
    told.step({"stepCount": 60}, dones=[True])
    told.logger.dump()  # the third is not among the two that were written
    told.callback._on_rollout_end()
    assert told.logger.name_to_value["racer/episodes_this_rollout"] == 1
    assert "racer/first_lap_time_sec" not in told.logger.name_to_value


def test_what_is_left_at_the_end_of_training_is_written():
    told, written = Told(), []
    told.logger.dump = lambda step=0: written.append(dict(told.logger.name_to_value))
    told.step({"stepCount": 50}, dones=[True])
    told.callback._on_rollout_end()
    told.callback._on_training_end()
    assert [log["racer/episodes_this_rollout"] for log in written] == [1]


def test_lap_that_begins_in_one_rollout_and_ends_in_the_next_is_timed():
    told = Told()
    told.step({"lap": 2, "stepCount": 500})
    told.end_rollout()
    told.step({"lap": 3, "stepCount": 950})
    assert told.end_rollout() == {"racer/mean_lap_time_sec": 7.5, "racer/best_lap_time_sec": 7.5}


def test_new_episode_starts_from_lap_one_and_step_zero():
    told = Told()
    told.step({"lap": 3, "stepCount": 900}, dones=[True])
    told.end_rollout()
    told.step({"lap": 1, "stepCount": 1})
    told.step({"lap": 2, "stepCount": 420})
    assert told.end_rollout() == {"racer/first_lap_time_sec": 7.0}


def test_two_cars_are_told_apart():
    told = Told()
    told.step({"lap": 2, "stepCount": 420}, {"lap": 1, "stepCount": 420})
    told.step({"lap": 2, "stepCount": 480}, {"lap": 2, "stepCount": 480}, dones=[True, False])
    told.step({"lap": 1, "stepCount": 1}, {"lap": 2, "stepCount": 481}, dones=[True, False])
    told.step({"lap": 1, "stepCount": 2}, {"lap": 3, "stepCount": 900}, dones=[False, True])
    assert told.end_rollout() == {
        "racer/completion_rate": pytest.approx(2 / 3),
        "racer/episodes_this_rollout": 3,
        "racer/mean_lap_time_sec": 7.0,
        "racer/best_lap_time_sec": 7.0,
        "racer/first_lap_time_sec": pytest.approx((7.0 + 8.0) / 2),
    }


def test_laps_nobody_saw_begin_are_not_timed():
    told = Told()
    told.step({"lap": 4, "stepCount": 1700})
    told.step({"lap": 5, "stepCount": 2150})
    assert told.end_rollout() == {"racer/mean_lap_time_sec": 7.5, "racer/best_lap_time_sec": 7.5}


def test_best_clean_lap_lives_on_and_cut_laps_do_not_count():
    told = Told()
    told.step({"lap": 2, "stepCount": 300, "lapTicks": 300, "lapClean": False})
    assert told.callback.best_clean_lap_s is None
    told.step({"lap": 3, "stepCount": 780, "lapTicks": 480, "lapClean": True})
    told.end_rollout()
    told.step({"lap": 4, "stepCount": 1200, "lapTicks": 420, "lapClean": True})
    told.step({"lap": 5, "stepCount": 1800, "lapTicks": 600, "lapClean": True})
    assert told.callback.best_clean_lap_s == 7.0


def test_infos_of_another_world_are_left_alone():
    told = Told()
    told.callback.locals = {"infos": [{"gap": 3.0}], "dones": [True]}
    assert told.callback._on_step() is True
    assert told.end_rollout() == {}
    assert not told.logger.averaged


# With real models


def tiny(algorithm: str, env, **more):
    options = {"policy_kwargs": {"net_arch": [8]}, "seed": 0, "device": "cpu"}
    if algorithm == "ppo":
        return PPO("MlpPolicy", env, n_steps=25, batch_size=25, n_epochs=1, **options, **more)
    return SAC("MlpPolicy", env, learning_starts=30, buffer_size=500, batch_size=8, **options, **more)


def learn(algorithm: str, env, steps: int) -> RecordingLogger:
    """Train a little and give back what was told the logger."""
    model, logger = tiny(algorithm, env), RecordingLogger()
    model.set_logger(logger)
    model.learn(steps, RacerMetricsCallback())
    return logger


@pytest.mark.parametrize("algorithm", ["ppo", "sac"])
def test_it_works_with_plain_sb3_on_single_environments(algorithm):
    env = DummyVecEnv([lambda: Monitor(RacerEnv(**RULES)) for _ in range(2)])
    logger = learn(algorithm, env, 300)
    averaged = [key for key, _ in logger.averaged]
    assert averaged == [f"reward/{part}" for _ in range(150) for part in REWARD_PARTS]
    episodes = [value for key, value in logger.recorded if key == "racer/episodes_this_rollout"]
    assert sum(episodes) >= 6
    rates = [value for key, value in logger.recorded if key == "racer/completion_rate"]
    assert len(rates) == len(episodes)
    assert set(rates) <= {0.0, 1.0}


@pytest.mark.parametrize("algorithm", ["ppo", "sac"])
def test_native_batch_gives_the_numbers_of_single_environments(algorithm):
    single = DummyVecEnv([lambda: Monitor(RacerEnv(**RULES)) for _ in range(3)])
    native = make_vec_env("racer", 3, **RULES)
    wanted, given = (learn(algorithm, env, 450) for env in (single, native))
    kept = [(key, value) for key, value in wanted.recorded if not key.startswith("time/")]
    assert [(key, value) for key, value in given.recorded if not key.startswith("time/")] == kept
    assert given.averaged == wanted.averaged
    assert any(key == "racer/completion_rate" for key, _ in kept)


def test_laps_of_a_real_drive_are_timed_as_the_world_times_them():
    """The reference driver's actions, replayed through the callback's eyes."""
    from hotlap.policies import ReferenceDriver  # noqa: PLC0415 - loads what the other tests do not need

    env = make_vec_env("racer", 2, start="grid")
    told, driver = Told(), ReferenceDriver(env.world.tracks[0])
    env.reset()
    wanted = []
    for _ in range(1000):
        _, _, dones, infos = env.step(driver.act(env.world.observation, env.world))
        told.callback.locals = {"infos": infos, "dones": dones}
        told.callback._on_step()
        wanted += [info["lapTicks"] / 60 for info in infos if "lapTicks" in info]
    assert len(wanted) == 4
    assert [*told.callback.first_lap_times_s, *told.callback.lap_times_s] == wanted
    assert told.callback.best_clean_lap_s == min(wanted)
    assert np.all(told.callback.laps == 3)
