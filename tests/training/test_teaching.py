"""A teacher draws the learner to its line while it speaks, and not afterwards."""

import numpy as np
import pytest
from stable_baselines3.common.callbacks import BaseCallback

from hotlap.errors import ConfigError
from hotlap.policies.grip_plans import pace_of
from hotlap.training.config import TeacherSettings
from hotlap.training.racing import taught_pace
from hotlap.training.session import open_session
from hotlap.training.train import resume, train
from hotlap.training.world_training import training_of
from training.tiny_runs import scalars, tiny_config

pytestmark = pytest.mark.integration
SETTINGS = {"cars": 32, "racer": {"observation": "full"}, "network": {"hidden": [32]}}


def distance_to_the_teacher(world, taught_steps):
    """How far a learner's actions are from the teacher's after a short training, on average."""
    ppo = {"n_steps": 32, "batch_size": 256, "learning_rate": 3e-3, "learning_rate_end": 1e-3, "n_epochs": 1}
    config = tiny_config("ppo", world=world, steps=16_384, teacher={"steps": taught_steps}, ppo=ppo, **SETTINGS)
    session = open_session(config)
    session.model.learn(config.steps, callback=session.schedules)
    seen = session.normalizer.normalize_obs(session.env.world.observation.copy()).astype(np.float32)
    action, _ = session.model.predict(seen, deterministic=True)
    return np.abs(action - training_of(config).teacher(config, session.env.world).act()).mean()


def test_cars_with_grip_have_a_teacher_too(tmp_path):
    grip = {"observation": "grip", "car": ["gt"], "tracks": ["quarry"]}
    result = train(tiny_config("ppo", steps=640, teacher={"steps": 320}, racer=grip), "run", tmp_path)
    assert scalars(result.run)["teacher/loss"]


def test_margin_and_braking_of_a_teacher_can_be_set_apart_from_its_caution():
    apart = taught_pace(TeacherSettings(caution=0.5, margin_m=1.7, braking=0.8, spared=0.6))
    assert taught_pace(TeacherSettings(caution=0.5)) == pace_of(0.5)
    assert apart == pace_of(0.5)._replace(margin_m=1.7, braking=0.8, spared=0.6)


def test_teacher_that_hardly_brakes_is_refused():
    with pytest.raises(ConfigError, match=r"teacher\.braking must be from 0\.1 to 1, not 0\.0"):
        TeacherSettings(braking=0.0)


@pytest.mark.parametrize("world", ["racer", "highway"])
def test_taught_learner_does_rather_what_the_teacher_does(world):
    assert distance_to_the_teacher(world, 16_384) < 0.6 * distance_to_the_teacher(world, 0)


class EveryTick(BaseCallback):
    """Asks the teacher itself after every tick."""

    def __init__(self, act):
        super().__init__()
        self.act, self.noted = act, []

    def _on_step(self):
        self.noted.append(self.act())
        return True


@pytest.mark.parametrize("racer", [None, {"observation": "grip", "car": ["gt"], "tracks": ["quarry"]}])
def test_what_is_shown_in_a_rollout_is_what_the_teacher_would_do_after_each_tick(racer):
    world = {"world": "highway"} if racer is None else {"racer": racer}
    config = tiny_config("ppo", steps=640, teacher={"steps": 640}, **world)
    session = open_session(config)
    asked = EveryTick(training_of(config).teacher(config, session.env.world).act)
    session.model.learn(config.ppo.n_steps * config.cars, callback=[*session.schedules, asked])
    shown = session.model.shown.actions.reshape(config.ppo.n_steps, config.cars, -1)
    assert shown[1:] == pytest.approx(np.array(asked.noted[:-1]), abs=1e-6)  # they are kept in single precision


def taught_weights(*, tick_by_tick):
    """The policy after a short lesson; somebody who looks at every tick makes the cars stop there."""
    config = tiny_config("ppo", world="highway", steps=640, teacher={"steps": 320})
    session = open_session(config)
    watchers = [EveryTick(dict)] if tick_by_tick else []
    session.model.learn(config.steps, callback=[*session.schedules, *watchers])
    return session.model.learner.weights.parameters


def test_lessons_are_the_same_whether_somebody_looks_at_every_tick_or_not():
    assert taught_weights(tick_by_tick=True).tobytes() == taught_weights(tick_by_tick=False).tobytes()


def test_teacher_who_led_a_run_to_its_end_leads_it_to_a_later_one_too(tmp_path):
    run = train(tiny_config("ppo", steps=640, teacher={"steps": 640, "clip_range": 0.0}), "run", tmp_path).run
    resume(run, steps=1280)
    assert [step for step, _ in scalars(run)["teacher/loss"]][-1] > 640


def test_teacher_is_silent_after_its_steps(tmp_path):
    config = tiny_config("ppo", steps=640, teacher={"steps": 320}, racer={"observation": "full"})
    result = train(config, "run", tmp_path)
    last = max(step for step, _ in scalars(result.run)["teacher/loss"])
    assert 256 <= last <= 384


def largest_advantages(clip_range):
    """Of each rollout: the step at its end, and the largest advantage that the update learns from."""
    settings = {"steps": 320, "clip_range": clip_range}
    session = open_session(tiny_config("ppo", steps=640, teacher=settings, racer={"observation": "full"}))
    noted = []

    class Note(BaseCallback):
        def _on_step(self):
            return True

        def _on_rollout_end(self):
            noted.append((self.num_timesteps, np.abs(session.model.rollout_buffer.advantages).max()))

    session.model.learn(640, callback=[*session.schedules, Note()])
    return noted


def test_ppo_has_no_say_while_a_teacher_speaks_where_asked():
    alone, beside = largest_advantages(0.0), largest_advantages(1e-3)
    assert {step <= 384 for step, largest in alone if largest == 0.0} == {True}
    assert all(largest > 0.0 for step, largest in alone if step > 384)
    assert all(largest > 0.0 for _, largest in beside)


def test_nothing_but_the_policy_learns_where_a_teacher_speaks_alone_to_the_end():
    settings = {"steps": 640, "clip_range": 0.0}
    session = open_session(tiny_config("ppo", steps=640, teacher=settings, racer={"observation": "full"}))
    policy = session.model.policy
    critic, actor = (layer.weight.detach().clone() for layer in (policy.value_net, policy.action_net))
    session.model.learn(640, callback=session.schedules)
    assert bool((policy.value_net.weight == critic).all())
    assert not bool((policy.action_net.weight == actor).all())


def test_only_ppo_has_a_teacher():
    with pytest.raises(ConfigError, match="learns without a teacher"):
        tiny_config("sac", teacher={"steps": 100})
