"""Tensors that are the memory of the kernels: the same numbers as the batch, on the cores and as a GPU is driven."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

import hotlap
from hotlap.devices import gpu_memory
from hotlap.devices.driver import THREADS_AT_HAND, lanes_per_car
from hotlap.devices.gpu_memory import GpuMemory
from hotlap.devices.torch_env import TorchEnv
from hotlap.errors import ActionError, ConfigError, EnvironmentStateError, StateError
from hotlap.native_code import native_entry
from hotlap.worlds import Registration, make_world, registered

COUNT = 7
OPTIONS = {
    "racer": {"start": "random", "action_delay": "random", "config": {"episode": {"maxSteps": 30}}},
    "highway": {"vehicles": (2, 6), "config": {"episode": {"decisions": 20}}},
}


RACE = {"config": {"episode": {"maxSteps": 30}}, "start": "spread"}
RACES = {"classic": {**RACE, "cars": 4}, "gt": {**RACE, "cars": 4, "car": "gt", "track": "quarry"}}


def actions(step: int, count: int = COUNT) -> torch.Tensor:
    phase = torch.arange(count) + step / 7.0
    return torch.stack([torch.sin(phase), torch.full((count,), 0.8), 0.2 * torch.cos(phase)], dim=1).float()


class CoresAsGpu:
    """Launches that call the native kernel, over the tensors' own memory."""

    def __init__(self, number: int) -> None:
        self.number, self.closed = number, False

    def kernel(self, text, name):
        return text

    def launch(self, kernel, addresses, work, stream):
        assert stream == 0
        kernel(addresses, 0, work.cars, work.mode)

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def as_gpu(monkeypatch):
    """What is done with a GPU, done on the cores."""
    monkeypatch.setattr(gpu_memory, "Gpu", CoresAsGpu)
    monkeypatch.setattr(gpu_memory, "libdevice", bytes)
    monkeypatch.setattr(gpu_memory, "ptx", lambda _name, entry, _library: native_entry(entry))
    monkeypatch.setattr(gpu_memory, "begin_using", lambda _device: None)
    monkeypatch.setattr(gpu_memory, "current_stream", lambda _device: 0)
    monkeypatch.setattr("hotlap.devices.torch_env.HostMemory", GpuMemory)


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("memory", ["host", "gpu"])
def test_same_numbers_as_the_batch_bit_for_bit(name, memory, request):
    if memory == "gpu":
        request.getfixturevalue("as_gpu")
    drive_as_the_batch_does(name, COUNT, OPTIONS[name])


@pytest.mark.parametrize("car", RACES)
@pytest.mark.parametrize(("memory", "learners"), [("host", 4), ("gpu", 4), ("host", 1), ("host", 2)])
def test_races_have_the_same_numbers_as_their_batch(car, memory, learners, request):
    if memory == "gpu":
        request.getfixturevalue("as_gpu")
    drive_as_the_batch_does("race", 8, {**RACES[car], "learners": learners})


def drive_as_the_batch_does(name, count, options):
    """The same drive with tensors and with the batch, to the bit, beyond the end of every episode."""
    env, world = hotlap.make_torch_env(name, count, seed=3, **options), make_world(name, count, **options)
    seen, _ = env.reset()
    world.reset(3)
    ended = 0
    for step in range(50):
        assert seen.numpy().tobytes() == world.rollout.observation.tobytes()
        asked = actions(step, count)
        seen, reward, terminated, truncated, info = env.step(asked)
        world.advance_and_reset(asked.numpy())
        assert reward.numpy().tobytes() == world.rollout.reward.tobytes()
        assert (terminated.numpy() == world.terminated).all()
        assert (truncated.numpy() == world.truncated).all()
        for key, values in info.items():
            assert values.numpy().tobytes() == getattr(world.rollout, key).tobytes()
        ended += int((terminated | truncated).sum())
    assert ended >= count
    for column, mine in env.state().items():
        assert mine.tobytes() == world.state_columns()[column].tobytes()


@pytest.mark.parametrize("name", OPTIONS)
def test_nothing_is_copied_on_the_cores(name):
    env = hotlap.make_torch_env(name, COUNT, **OPTIONS[name])
    first, _ = env.reset()
    later = env.step(actions(0))
    assert first.data_ptr() == later[0].data_ptr() == env.world.rollout.observation.ctypes.data
    assert later[0].dtype == later[1].dtype == torch.float32
    assert later[2].dtype == torch.bool


@pytest.mark.parametrize("memory", ["host", "gpu"])
def test_state_put_back_drives_on_and_a_hostile_one_is_refused(memory, request):
    if memory == "gpu":
        request.getfixturevalue("as_gpu")
    env = hotlap.make_torch_env("highway", COUNT, **OPTIONS["highway"])
    env.reset()
    for step in range(15):
        env.step(actions(step))
    saved, ends = env.state(), []
    for _ in range(2):
        env.put_state(saved)
        for step in range(30):
            env.step(actions(step))
        ends.append(env.observation.numpy().tobytes())
    assert ends[0] == ends[1]
    with pytest.raises(StateError, match="order"):
        env.put_state({**saved, "order": np.full_like(saved["order"], 2**31 - 1)})


def test_same_seed_begins_the_same_and_another_one_differs():
    env = hotlap.make_torch_env("racer", COUNT, start="random")
    first = env.reset(seed=1)[0].clone()
    other = env.reset(seed=2)[0].clone()
    assert torch.equal(env.reset(seed=1)[0], first)
    assert not torch.equal(other, first)


def test_action_that_is_no_number_counts_as_nothing_on_a_gpu(as_gpu):
    env, calm = (hotlap.make_torch_env("racer", COUNT, start="random") for _ in range(2))
    for each, value in ((env, torch.nan), (calm, 0.0)):
        each.reset()
        for _ in range(5):
            each.step(torch.full((COUNT, 3), value))
    assert torch.equal(env.observation, calm.observation)
    with pytest.raises(ActionError, match="shape"):
        env.step(torch.zeros(COUNT, 2))


def test_choices_are_taken_on_a_gpu_as_on_the_cores(as_gpu):
    options = {**OPTIONS["highway"], "discrete": True}
    env, world = hotlap.make_torch_env("highway", COUNT, **options), make_world("highway", COUNT, **options)
    env.reset(seed=5)
    world.reset(5)
    for step in range(25):
        chosen = (torch.arange(COUNT) + step) % 5
        env.step(chosen)
        world.advance_and_reset(chosen.numpy())
    assert env.observation.numpy().tobytes() == world.rollout.observation.tobytes()


def test_steps_at_the_wrong_moment_and_wrong_devices_are_refused():
    env = TorchEnv(make_world("racer", 2))
    with pytest.raises(EnvironmentStateError, match="before reset"):
        env.step(torch.zeros(2, 3))
    env.reset()
    with pytest.raises(ActionError, match="finite"):
        env.step(torch.full((2, 3), torch.nan))
    env.close()
    env.close()
    with pytest.raises(EnvironmentStateError, match="closed"):
        env.step(torch.zeros(2, 3))
    with pytest.raises(ConfigError, match='"cpu" or "cuda"'):
        hotlap.make_torch_env("racer", 2, device="abacus")
    with pytest.raises(ConfigError, match='"cpu" or "cuda"'):
        hotlap.make_torch_env("racer", 2, device="meta")


@pytest.mark.skipif(torch.cuda.is_available(), reason="here is a GPU")
def test_missing_gpu_is_named():
    with pytest.raises(ConfigError, match="no NVIDIA GPU"):
        hotlap.make_torch_env("racer", 2, device="cuda")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs an NVIDIA GPU")
@pytest.mark.parametrize("name", OPTIONS)
def test_gpu_drives_as_the_cores_do(name):
    """Sines differ in their last digit, so numbers agree closely and flags exactly."""
    on_gpu, on_cores = (hotlap.make_torch_env(name, COUNT, device, **OPTIONS[name]) for device in ("cuda", "cpu"))
    on_gpu.reset()
    on_cores.reset()
    for step in range(60):
        mine, theirs = on_gpu.step(actions(step).cuda()), on_cores.step(actions(step))
        torch.testing.assert_close(mine[0].cpu(), theirs[0], rtol=0.0, atol=1e-6)
        assert torch.equal(mine[2].cpu(), theirs[2])
        assert torch.equal(mine[3].cpu(), theirs[3])


@pytest.mark.parametrize(("count", "lanes"), [(1, 32), (1024, 32), (4096, 8), (16384, 2), (131_072, 1)])
def test_cars_have_as_many_threads_as_are_at_hand(count, lanes):
    assert lanes_per_car(count) == lanes
    assert lanes == 1 or lanes * count <= THREADS_AT_HAND


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs an NVIDIA GPU")
@pytest.mark.parametrize("car", RACES)
def test_gpu_races_as_the_cores_do(car):
    """Contact makes much of a last digit: numbers agree closely for half a second, flags exactly."""
    options = {**RACES[car], "learners": 4}
    on_gpu, on_cores = (hotlap.make_torch_env("race", 64, device, **options) for device in ("cuda", "cpu"))
    on_gpu.reset()
    on_cores.reset()
    for step in range(28):
        mine, theirs = on_gpu.step(actions(step, 64).cuda()), on_cores.step(actions(step, 64))
        torch.testing.assert_close(mine[0].cpu(), theirs[0], rtol=0.0, atol=1e-5)
        assert torch.equal(mine[2].cpu(), theirs[2])
        assert torch.equal(mine[3].cpu(), theirs[3])


def test_cars_that_end_before_the_others_of_their_grid_wait_for_them(as_gpu):
    env = hotlap.make_torch_env("race", 4, learners=4, **{**RACES["classic"], "laps": 1})
    env.reset()
    env.memory.column(env.world.contenders.status)[0] = 1
    terminated = env.step(torch.zeros(4, 3))[2]
    assert env.outputs["terminated"].tolist() == [1, 0, 0, 0]
    assert not terminated.any()


def test_what_drives_on_the_cores_only_is_refused_a_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    own = Registration("own", "nobody:Own")
    monkeypatch.setattr("hotlap.devices.torch_env.registered", lambda name: own if name == "own" else registered(name))
    with pytest.raises(ConfigError, match=r'world own drives on the cores only\. Use device="cpu"\.'):
        TorchEnv(SimpleNamespace(name="own", count=2), "cuda")
    with pytest.raises(ConfigError, match=r"opponents drive on the cores only: let all 4 cars learn \(learners=4\)\."):
        hotlap.make_torch_env("race", 2, "cuda", cars=4, learners=2)
