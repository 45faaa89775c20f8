"""The learner's own kernels do what the learner in torch does: on a GPU where there is one, and always on a core.

On a core the CUDA source itself runs, compiled by the C++ compiler, with the threads of a block taking turns.
"""

import numpy as np
import pytest
import torch

from devices.cuda_on_cores import core_compiler, use_core_as_gpu
from hotlap.devices.fused_ppo import FusedPpo, fits, make_device_ppo, shared_bytes
from hotlap.devices.ppo import EXPLAINED, DevicePpo
from hotlap.devices.statistics import Scaling
from hotlap.devices.torch_env import make_torch_env
from hotlap.learning.lessons import PpoRules
from hotlap.learning.network import NetworkShape

CARS, TICKS, EPOCHS = 70, 5, 2
RULES = PpoRules(
    batch_size=200, epochs=EPOCHS, gamma=0.98, gae_lambda=0.95, ent_coef=0.01, vf_coef=0.5, max_grad_norm=0.5
)
SCALED = Scaling(learns=True, gamma=0.98, epsilon=1e-8, clip_observations=10.0, clip_rewards=10.0)
PLAIN = Scaling(learns=False, gamma=0.98, epsilon=1e-8, clip_observations=np.inf, clip_rewards=np.inf)
SHAPES = {
    "racer": ({"track": "track-01", "start": "random", "config": {"episode": {"maxSteps": 4}}}, 64, "relu"),
    "racer full": ({"track": "track-01", "observation": "full", "stagger": True}, 32, "tanh"),
    "highway": ({"vehicles": (2, 6), "config": {"episode": {"decisions": 3}}}, 64, "elu"),
}


@pytest.fixture(scope="module")
def compiled_for_core(tmp_path_factory):
    return core_compiler(tmp_path_factory.mktemp("cuda_on_cores"))


@pytest.fixture(params=["core", "gpu"])
def device(request, monkeypatch):
    """Where the kernels run."""
    if request.param == "core":
        use_core_as_gpu(monkeypatch, request.getfixturevalue("compiled_for_core"))
        return "cpu"
    if not torch.cuda.is_available():
        pytest.skip("torch finds no NVIDIA GPU here")
    return "cuda"


def learner(device, name="racer", scaling=SCALED):
    options, units, activation = SHAPES[name]
    env = make_torch_env(name.split()[0], CARS, device, seed=5, **options)
    env.reset()
    outputs = 2 if name == "highway" else 3
    shape = NetworkShape(env.observation.shape[1], (units, units), outputs, activation)
    made = FusedPpo(env, shape, TICKS, RULES, scaling)
    torch.manual_seed(3)
    with torch.no_grad():
        made.parameters.copy_(0.2 * torch.randn(len(made.parameters)))
        made.log_std.fill_(-0.7)
    if outputs == 2:
        made.mixing = torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, -1.0]], device=env.device)
    made.rate.fill_(3e-3)
    made.clip_range.fill_(0.2)
    return made


def twin(fused):
    """The learner in torch with the same weights, statistics and rollout."""
    made = DevicePpo(fused.env, fused.shape, TICKS, RULES, fused.scaling)
    for name in ("raw", "seen", "actions", "log_probs", "rewards", "ended", "cut", "final", "rate", "clip_range"):
        getattr(made, name).copy_(getattr(fused, name))
    for ours, theirs in zip(made._state(), fused._state(), strict=True):
        ours.copy_(theirs)
    return made


def close(ours, theirs, tolerance=1e-4):
    torch.testing.assert_close(ours, theirs, rtol=tolerance, atol=tolerance * float(theirs.abs().max()))


@pytest.mark.parametrize("name", SHAPES)
def test_an_update_is_the_one_of_torch(device, name):
    fused = learner(device, name)
    fused.drive(7)
    plain = twin(fused)
    fused.learn(8, 3e-3, 0.2)
    with torch.no_grad():
        plain._finish_rollout()
    for part in ("values", "advantages", "returns"):
        close(getattr(fused, part), getattr(plain, part))
    plain.figures.zero_()
    for order in fused.order.long():
        for first in range(0, CARS * TICKS, RULES.batch_size):
            plain._step(order[first : first + RULES.batch_size])
    plain._write_figures()
    close(fused.figures, plain.figures, 1e-3)
    for ours, theirs in zip(fused._state(), plain._state(), strict=True):
        close(ours, theirs.to(ours.dtype), 2e-3)
    assert float(fused.cut.sum()) > 0.0 or name == "racer full"
    assert abs(float(fused.figures[EXPLAINED])) < 100.0


@pytest.mark.parametrize("name", SHAPES)
def test_a_rollout_strays_from_the_policy_as_its_likelihood_says(device, name):
    fused = learner(device, name)
    fused.observed.mean.fill_(0.1)
    fused.observed.variance.fill_(0.5)
    fused.drive(7)
    close(fused.seen, fused.scaled(fused.raw), 1e-6)
    with torch.no_grad():
        noise = (fused.actions - fused.forward("policy", fused.seen)) * (-fused.log_std).exp()
        likely = (-0.5 * noise * noise - fused.log_std - 0.5 * np.log(2.0 * np.pi)).sum(-1)
    close(fused.log_probs, likely)
    assert abs(float(noise.mean())) < 0.1
    assert abs(float(noise.std()) - 1.0) < 0.1
    assert len(noise.unique()) > 0.99 * noise.numel()
    mixed = fused.actions[-1] @ fused.mixing
    within = torch.minimum(torch.maximum(mixed, fused.low), fused.high)
    close(fused.env.memory.controls.T.float(), within, 1e-5)


def test_watched_columns_are_kept_tick_by_tick(device):
    fused = learner(device)
    world = fused.env.world
    columns = fused.env.columns({"lap": world.step_views["lap"], "ticks": world.out.last_lap_ticks})
    columns["reward"], columns["ended"] = fused.env.reward, fused.env.outputs["terminated"]
    fused.watch(columns, 10)
    fused.drive(3)
    for name, (column, kept) in fused.watched.items():
        assert torch.equal(kept[-1], column[:10]), name
    assert torch.equal(fused.watched["reward"][1], fused.rewards[:, :10])


def test_every_pass_sees_every_sample_once_in_an_order_of_its_own(device):
    fused = learner(device)
    orders = []
    for seed in (1, 1, 2):
        fused.drive(1)
        fused.learn(seed, 0.0, 0.2)
        orders.append(fused.order.clone().cpu())
    rows = torch.arange(CARS * TICKS, dtype=torch.int32)
    for order in [*orders[0], *orders[2]]:
        assert torch.equal(order.sort().values, rows)
        # Of a shuffle, neighbours are far apart: a third of the rows on average.
        assert float(order.diff().abs().float().mean()) > CARS * TICKS / 5
    assert torch.equal(orders[0], orders[1])
    assert not torch.equal(orders[0][0], orders[0][1])
    assert not torch.equal(orders[0], orders[2])


def test_same_seed_gives_the_same_weights(device):
    ended = []
    for seed in (5, 5, 6):
        fused = learner(device)
        for _ in range(2):
            fused.drive(seed)
            fused.learn(seed, 3e-3, 0.2)
        ended.append(fused.parameters.clone())
    assert torch.equal(ended[0], ended[1])
    assert not torch.equal(ended[0], ended[2])


def test_without_statistics_all_stays_as_it_is(device):
    fused = learner(device, scaling=PLAIN)
    fused.drive(7)
    assert torch.equal(fused.seen, fused.raw)
    plain = twin(fused)
    fused.learn(8, 3e-3, 0.2)
    with torch.no_grad():
        plain._finish_rollout()
    close(fused.advantages, plain.advantages)


def test_frozen_parameters_stay_and_lengthen_no_gradient(device):
    fused = learner(device)
    fused.moves[-3:] = 0.0
    before = fused.log_std.detach().clone()
    fused.drive(5)
    plain = twin(fused)
    plain.moves.copy_(fused.moves)
    fused.learn(5, 1e-2, 0.2)
    assert torch.equal(fused.log_std.detach(), before)
    assert float(fused.gradients[-3:].abs().max()) == 0.0


def test_other_networks_are_left_to_torch():
    assert fits(NetworkShape(14, (64, 64), 3, "relu"))
    for hidden in ((64,), (64, 32), (64, 64, 64), (128, 128), (20, 20)):
        assert not fits(NetworkShape(14, hidden, 3, "relu"))
    assert not fits(NetworkShape(300, (64, 64), 3, "relu"))
    assert shared_bytes(NetworkShape(59, (64, 64), 3, "relu")) < 114 * 1024
    env = make_torch_env("racer", 2, track="track-01")
    shape = NetworkShape(env.observation.shape[1], (64, 64), 3, "relu")
    assert type(make_device_ppo(env, shape, 2, RULES, SCALED)) is DevicePpo
