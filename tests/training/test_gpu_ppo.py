"""Training on a GPU: the same files, curves and resumption; what is done with a GPU, done on the cores."""

import dataclasses

import numpy as np
import pytest
import torch
from stable_baselines3.common.callbacks import BaseCallback

from devices.cuda_on_cores import core_compiler, use_core_as_gpu
from hotlap.devices.fused_ppo import FusedPpo
from hotlap.errors import ConfigError
from hotlap.training import algorithms, gpu_ppo
from hotlap.training.config import NetworkSettings, TeacherSettings, load_preset
from hotlap.training.session import open_session, restore_session

CARS, TICKS = 16, 32


@pytest.fixture
def as_gpu(monkeypatch):
    monkeypatch.setattr(gpu_ppo.GpuPPO, "device_name", "cpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)


@pytest.fixture
def core_as_gpu(as_gpu, monkeypatch, tmp_path):
    """A core that runs the learner's own kernels, which are for a GPU."""
    use_core_as_gpu(monkeypatch, core_compiler(tmp_path))
    monkeypatch.setattr(gpu_ppo, "make_device_ppo", FusedPpo)


@pytest.fixture(params=["cores", "gpu"])
def either(request, monkeypatch):
    """What is done with a GPU, on the cores, and on a GPU where there is one."""
    if request.param == "cores":
        request.getfixturevalue("as_gpu")
    else:
        need_gpu()


@pytest.fixture(params=["core", "gpu"])
def with_own_kernels(request):
    """The learner's own kernels, on a core, and on a GPU where there is one."""
    if request.param == "core":
        request.getfixturevalue("core_as_gpu")
    else:
        need_gpu()


def need_gpu():
    if not torch.cuda.is_available():
        pytest.skip("torch finds no NVIDIA GPU here")


def taught_config(name, **teacher):
    """A preset with its teacher, and the settings of the tests."""
    preset = load_preset(name)
    ppo = dataclasses.replace(preset.ppo, n_steps=TICKS, batch_size=128, n_epochs=2)
    steps = 4 * CARS * TICKS
    teacher = dataclasses.replace(preset.teacher, **{"steps": steps, "epochs": 2, **teacher})
    network = dataclasses.replace(preset.network, hidden=(32, 32))
    return dataclasses.replace(preset, cars=CARS, ppo=ppo, teacher=teacher, network=network, steps=steps)


def config(world="racer", **changes):
    preset = load_preset(f"{world}-ppo")
    ppo = dataclasses.replace(preset.ppo, n_steps=TICKS, batch_size=128, n_epochs=2)
    teacher = dataclasses.replace(preset.teacher, steps=0)
    everybody = dataclasses.replace(preset.race, learners=preset.race.cars, opponents=())
    return dataclasses.replace(preset, cars=CARS, ppo=ppo, teacher=teacher, race=everybody, steps=10**6, **changes)


WORLDS = ["racer", "highway", "race"]


def learn(session, rollouts):
    callbacks = [session.metrics, *session.schedules]
    session.model.learn(rollouts * CARS * TICKS, callbacks, reset_num_timesteps=session.step == 0)


TAUGHT = {
    "alone": ("gt-ppo", {}),
    "a critic learns too": ("gt-ppo", {"clip_range": 1e-3}),
    "alone at first": ("gt-ppo", {"steps": CARS * TICKS}),
    "highway": ("highway-ppo", {}),
}


@pytest.mark.parametrize("case", TAUGHT)
def test_a_taught_run_that_is_resumed_equals_one_that_never_stopped(either, case):
    name, teacher = TAUGHT[case]
    check_that_a_resumed_run_equals_a_whole_one(taught_config(name, **teacher))


class Distances(BaseCallback):
    """Notes how far from its teacher the learner was in each rollout but the last; None where nobody taught."""

    def __init__(self):
        super().__init__()
        self.noted = []

    def _on_rollout_start(self):
        self.noted.append(self.logger.name_to_value.pop("teacher/loss", None))
        self.logger.name_to_count.clear()

    def _on_step(self):
        return True


def distances(settings, rollouts):
    session, found = open_session(settings), Distances()
    session.model.learn((rollouts + 1) * CARS * TICKS, [*session.schedules, found], log_interval=None)
    return found.noted[1:]


def test_a_critic_that_nobody_needs_stays_as_it_was(as_gpu):
    session = open_session(taught_config("gt-ppo"))
    policy = session.model.policy
    critic, actor = (layer.weight.detach().clone() for layer in (policy.value_net, policy.action_net))
    learn(session, 2)
    session.model.settle()
    assert torch.equal(policy.value_net.weight, critic)
    assert not torch.equal(policy.action_net.weight, actor)


def test_the_teacher_is_silent_after_its_steps(as_gpu):
    taught, *later = distances(taught_config("gt-ppo", steps=CARS * TICKS), 3)
    assert taught > 0.0
    assert later == [None, None]


@pytest.mark.parametrize("world", WORLDS)
def test_what_callbacks_watch_are_the_columns_that_a_gpu_drives(as_gpu, world):
    session = open_session(config(world))
    driven = session.env.unwrapped.world
    columns = {column.ctypes.data for group in driven.batch.groups for column in group}
    watched = session.model.watched(driven)
    assert watched
    assert [name for name, column in watched.items() if column.ctypes.data not in columns] == []


@pytest.mark.parametrize("world", WORLDS)
def test_a_resumed_run_equals_one_that_never_stopped(as_gpu, world):
    check_that_a_resumed_run_equals_a_whole_one(config(world))


@pytest.mark.parametrize("world", WORLDS)
def test_so_it_does_with_kernels_of_our_own(with_own_kernels, world):
    small = NetworkSettings(hidden=(16, 16), log_std_init=(-1.0, -0.7, -0.7)[: 2 if world == "highway" else 3])
    network = dataclasses.replace(small, initial_action=(0.0, 0.6, 0.0)[: len(small.log_std_init)])
    check_that_a_resumed_run_equals_a_whole_one(config(world, network=network))


def check_that_a_resumed_run_equals_a_whole_one(settings):
    whole = open_session(settings)
    assert isinstance(whole.model, gpu_ppo.GpuPPO)
    learn(whole, 2)
    checkpoint = whole.checkpoint(None)
    learn(whole, 2)
    resumed = restore_session(settings, checkpoint)
    learn(resumed, 2)
    assert resumed.step == whole.step == 4 * CARS * TICKS
    for name, weights in whole.model.policy.state_dict().items():
        assert torch.equal(weights, resumed.model.policy.state_dict()[name]), name
    ours, theirs = (session.checkpoint(None).tensors for session in (whole, resumed))
    for group in ("environment", "normalizer", "optimizer"):
        for name, array in ours[group].items():
            np.testing.assert_array_equal(array, theirs[group][name], err_msg=f"{group} {name}")


def test_every_episode_of_the_watched_cars_is_counted_once(as_gpu):
    settings = config()
    short = dataclasses.replace(settings.racer.config.episode, maxSteps=20)
    racer = dataclasses.replace(settings.racer, config=dataclasses.replace(settings.racer.config, episode=short))
    session = open_session(dataclasses.replace(settings, racer=racer))
    counted = []
    session.metrics._on_rollout_end = lambda: counted.append(len(session.metrics.completions))
    learn(session, 3)
    began = int(session.env.world.batch.episodes.episode.sum())
    assert counted[-1] == began - CARS > CARS


def test_a_run_of_the_gpu_goes_on_on_the_cores_and_says_so(as_gpu, monkeypatch, caplog):
    begun = open_session(config())
    learn(begun, 1)
    checkpoint = begun.checkpoint(None)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    resumed = restore_session(config(), checkpoint)
    assert not isinstance(resumed.model, gpu_ppo.GpuPPO)
    assert "learned on a GPU before and goes on on the cores" in caplog.text
    learn(resumed, 1)
    assert resumed.step == 2 * CARS * TICKS


def test_weights_changed_on_the_host_go_to_the_device_and_others_stay(as_gpu):
    session = open_session(config())
    learn(session, 1)
    device, policy = session.model.on_device, session.model.policy
    learned = device.parameters.clone()
    with torch.no_grad():
        policy.log_std.fill_(-2.0)
    session.model._changes_to_device(device)
    assert torch.equal(device.parameters[-3:], torch.full((3,), -2.0))
    assert torch.equal(device.parameters[:-3], learned[:-3])
    session.export_policy()
    assert torch.equal(policy.log_std.detach(), torch.full((3,), -2.0))
    assert torch.equal(policy.action_net.bias.detach(), device.layers["policy"][-1][1].detach())


def test_a_spread_that_a_schedule_just_set_is_not_undone_by_a_checkpoint(as_gpu):
    session = open_session(config())
    learn(session, 1)
    with torch.no_grad():
        session.model.policy.log_std.fill_(-2.0)
    session.checkpoint(None)
    assert torch.equal(session.model.policy.log_std.detach(), torch.full((3,), -2.0))
    assert torch.equal(session.model.on_device.parameters[-3:], torch.full((3,), -2.0))


class Checkpoints(BaseCallback):
    """Takes the state of the run before each rollout, as a run does once a second."""

    def __init__(self, session):
        super().__init__()
        self.session = session

    def _on_rollout_start(self):
        self.session.checkpoint(None)

    def _on_step(self):
        return True


def test_checkpoints_make_no_difference_to_what_is_learned(as_gpu):
    learned = []
    for looks in (False, True):
        session = open_session(taught_config("gt-ppo"))
        callbacks = [*session.schedules, Checkpoints(session)] if looks else session.schedules
        session.model.learn(4 * CARS * TICKS, callbacks)
        learned.append(session.model.on_device.parameters.clone())
    assert torch.equal(*learned)


def test_weights_that_are_no_numbers_are_noticed_while_they_are_on_the_device(as_gpu):
    session = open_session(config())
    learn(session, 1)
    assert session.weights_are_sound()
    session.model.on_device.parameters[-4] = torch.nan  # of the value network: the cars still drive
    learn(session, 1)
    assert not session.weights_are_sound()


def test_too_little_memory_is_told_in_a_sentence(as_gpu, monkeypatch):
    def refuse(*_arguments):
        raise torch.cuda.OutOfMemoryError

    monkeypatch.setattr("hotlap.devices.ppo.DevicePpo.prepare", refuse)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (3 << 20, 5 << 20))
    with pytest.raises(ConfigError, match=r"16 cars and 32 ticks: 3 of 5 MiB are free. Use fewer --cars"):
        learn(open_session(config()), 1)


def test_a_gpu_that_is_asked_for_and_cannot_be_used_is_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ConfigError, match=r"no NVIDIA GPU here.*--device cpu"):
        open_session(config(device="cuda"))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    race = dataclasses.replace(load_preset("race-ppo"), device="cuda")
    with pytest.raises(ConfigError, match="This teacher drives on the cores"):
        algorithms.learns_on_gpu(race)
    with pytest.raises(ConfigError, match="Opponents drive on the cores"):
        algorithms.learns_on_gpu(dataclasses.replace(race, teacher=TeacherSettings()))
    assert not algorithms.learns_on_gpu(load_preset("race-ppo"))
    with pytest.raises(ConfigError, match="Only hotlap's own learner"):
        open_session(config(device="cuda", learner="sb3"))
    assert not algorithms.learns_on_gpu(config(device="cpu"))
