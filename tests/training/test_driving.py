"""Rollouts without Python: the cars, samples, statistics and episodes that a step at a time would have given."""

import numpy as np
import pytest
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.running_mean_std import RunningMeanStd

from hotlap import native_code
from hotlap.devices.torch_env import make_torch_env
from hotlap.training.driving import CompiledDriver, SteppedDriver
from hotlap.training.session import open_session
from hotlap.training.train import train
from training.tiny_runs import scalars, state_of, tiny_config

WORLDS = ["racer", "highway"]
torch = pytest.importorskip("torch")


class EveryTick(BaseCallback):
    """Wants to be called after each tick, and notes what it is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[dict] = []

    def _on_step(self) -> bool:
        names = ("new_obs", "rewards", "dones", "actions")
        self.shown.append({name: np.array(self.locals[name]) for name in names})
        return True


class NoLook(EveryTick):
    """Is content with whole rollouts."""

    whole_rollouts = True


def driven(world: str, callback: BaseCallback, rollouts: int = 3, **changes):
    """A session after some rollouts that nobody learned from."""
    config = tiny_config(world=world, **changes)
    session = open_session(config)
    steps = rollouts * config.ppo.n_steps * config.cars
    _, callback = session.model._setup_learn(steps, callback)
    for _ in range(rollouts):
        model = session.model
        assert model.collect_rollouts(model.env, callback, model.rollout_buffer, config.ppo.n_steps)
    return session


def test_later_rollouts_of_a_process_need_no_kept_kernels(monkeypatch):
    """Evaluations make one each: whoever tidies the kept kernels away must not slow down a training that goes on."""
    driven("racer", NoLook())
    monkeypatch.setattr(native_code, "kept", lambda name, _make: pytest.fail(f"{name} is loaded again"))
    driven("racer", NoLook())


@pytest.mark.parametrize("world", WORLDS)
def test_ticks_one_at_a_time_and_all_at_once_are_the_same_to_the_bit(world):
    one, all_at_once = driven(world, EveryTick()), driven(world, NoLook())
    for mine, other in zip(one.model.learner.samples, all_at_once.model.learner.samples, strict=True):
        assert mine.tobytes() == other.tobytes()
    assert one.model.learner.rollout.rewards.tobytes() == all_at_once.model.learner.rollout.rewards.tobytes()
    for name, column in one.env.world.state_columns().items():
        assert column.tobytes() == all_at_once.env.world.state_columns()[name].tobytes(), name
    assert [(each["r"], each["l"]) for each in one.model.ep_info_buffer] == [
        (each["r"], each["l"]) for each in all_at_once.model.ep_info_buffer
    ]
    assert len(one.model.ep_info_buffer) > 0


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_any_number_of_threads_drives_the_same_rollout(threads):
    sessions = []
    for count in (1, threads):
        config = tiny_config(cars=11)
        session = open_session(config)
        session.model.learner.threads = count
        callback = NoLook()
        _, callback = session.model._setup_learn(10_000, callback)
        session.model.collect_rollouts(session.model.env, callback, session.model.rollout_buffer, 16)
        sessions.append(session)
    mine, other = (session.model.learner for session in sessions)
    assert mine.samples.actions.tobytes() == other.samples.actions.tobytes()
    assert mine.samples.advantages.tobytes() == other.samples.advantages.tobytes()
    statistics = [(each.normalizer.obs_rms.mean.tobytes(), float(each.normalizer.ret_rms.var)) for each in sessions]
    assert statistics[0] == statistics[1]


@pytest.mark.parametrize("world", WORLDS)
def test_world_does_what_the_same_actions_do_step_by_step(world):
    """The kernel's episodes are those of `make_torch_env`: the same starts, rewards and ends."""
    looked = EveryTick()
    session = open_session(tiny_config(world=world, normalize=False))
    options = {"config": session.env.world.config}
    if world == "racer":
        options |= {"start": "random", "action_delay": "random"}
    else:
        options |= {"vehicles": session.env.world.vehicle_range, "supervisor": session.env.world.supervisor}
    twin = make_torch_env(world, session.env.num_envs, seed=0, stagger=True, **options)
    model = session.model
    _, callback = model._setup_learn(10_000, looked)
    session.env.world.reset(0)
    twin.reset()
    for _ in range(3):
        model.collect_rollouts(model.env, callback, model.rollout_buffer, 16)
    for tick in looked.shown:
        actions = np.clip(tick["actions"], *session.env.world.action_bounds)
        seen, rewards, terminated, truncated, _ = twin.step(torch.from_numpy(actions))
        assert np.array_equal(tick["rewards"], rewards.numpy())
        assert np.array_equal(tick["dones"], (terminated | truncated).numpy())
        assert tick["new_obs"] == pytest.approx(seen.numpy(), abs=1e-6)
    assert any(tick["dones"].any() for tick in looked.shown)


@pytest.mark.parametrize("world", WORLDS)
def test_statistics_are_those_of_all_that_was_seen_and_gained(world):
    looked = EveryTick()
    session = open_session(tiny_config(world=world))
    model, normalizer = session.model, session.normalizer
    normalizer.clip_obs = 1e9  # so that what was seen can be computed back
    _, callback = model._setup_learn(10_000, looked)
    seen, returns = RunningMeanStd(shape=normalizer.obs_rms.mean.shape), RunningMeanStd(shape=())
    seen.update(np.asarray(normalizer.old_obs, np.float64))
    before = normalizer.obs_rms.mean.copy(), normalizer.obs_rms.var.copy()
    model.collect_rollouts(model.env, callback, model.rollout_buffer, 16)
    scale = np.sqrt(before[1] + normalizer.epsilon)
    seen.update(np.concatenate([tick["new_obs"] * scale + before[0] for tick in looked.shown]))
    discounted, all_returns = np.zeros(session.env.num_envs), []
    for tick in looked.shown:
        discounted = discounted * normalizer.gamma + tick["rewards"]
        all_returns.append(discounted.copy())
        discounted[tick["dones"]] = 0.0
    returns.update(np.concatenate(all_returns))
    assert normalizer.obs_rms.mean == pytest.approx(seen.mean, abs=1e-5)
    assert normalizer.obs_rms.var == pytest.approx(seen.var, rel=1e-3, abs=1e-5)
    assert normalizer.ret_rms.var == pytest.approx(returns.var, rel=1e-6)
    assert normalizer.returns == pytest.approx(discounted)


def test_episode_that_is_cut_off_is_worth_what_its_last_observation_is():
    session = driven("racer", NoLook(), normalize=False, rollouts=2)
    driver, learner = session.model.driver, session.model.learner
    kept, shape = driver.kept, (learner.ticks, learner.cars)
    cut = kept.cut_values != 0.0
    assert cut.any()
    assert kept.ended[cut].all()
    assert learner.rollout.rewards == pytest.approx(kept.rewards + learner.rules.gamma * kept.cut_values)
    assert np.array_equal(learner.rollout.starts.reshape(-1, learner.cars)[1:], kept.ended.reshape(shape))


def test_world_in_python_is_stepped_and_gives_the_same_rollout_as_a_compiled_one():
    """From the same cars, until the first episode ends: later starts are drawn otherwise."""
    samples = []
    for kind in (CompiledDriver, SteppedDriver):
        long = {"maxSteps": 400, "stillnessTimeoutTicks": 400}
        session = open_session(tiny_config(racer={"config": {"episode": long}}))
        model = session.model
        _, callback = model._setup_learn(10_000, NoLook())
        session.env.world.batch.episodes.episode_limit[:] = 0  # no first episode is cut off before its time
        if kind is SteppedDriver:
            model.driver = SteppedDriver(model.learner, model.env, model.env.old_obs)
        for _ in range(2):
            model.collect_rollouts(model.env, callback, model.rollout_buffer, 16)
        assert isinstance(model.driver, kind)
        samples.append(model.learner)
    compiled, stepped = samples
    assert not compiled.rollout.starts.any()
    assert compiled.samples.observations == pytest.approx(stepped.samples.observations, abs=1e-5)
    assert compiled.samples.actions == pytest.approx(stepped.samples.actions, abs=1e-5)
    assert compiled.samples.returns == pytest.approx(stepped.samples.returns, abs=1e-4)


@pytest.mark.integration
def test_every_tick_of_a_world_that_is_stepped_is_shown_to_who_would_take_whole_rollouts():
    watcher = NoLook()
    session = driven("race", watcher, rollouts=2)
    assert isinstance(session.model.driver, SteppedDriver)
    assert len(watcher.shown) == 2 * session.config.ppo.n_steps


def test_watcher_of_every_tick_changes_nothing_that_is_saved(tmp_path, trained_run):
    plain = trained_run(tiny_config())
    watched = train(tiny_config(), "watched", tmp_path, watchers=[EveryTick()]).run
    assert state_of(plain, 384) == state_of(watched, 384)
    ours, theirs = scalars(plain), scalars(watched)
    assert ours.keys() == theirs.keys()
    for tag in ours:
        if not tag.startswith("time/"):
            assert ours[tag] == pytest.approx(theirs[tag], rel=1e-6), tag
