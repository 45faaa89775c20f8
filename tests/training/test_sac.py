"""Hotlap's updates of SAC against SB3's own, which autograd computes: the same draws, samples, losses and weights."""

from copy import deepcopy

import numpy as np
import pytest
import torch
from stable_baselines3 import SAC
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import VecNormalize
from tests.training.tiny_runs import tiny_config

import hotlap
from hotlap.training.algorithms import ALGORITHMS
from hotlap.training.sac import HotlapSAC

CARS, BATCH = 8, 48
CLOSE = 2e-6
"""Adam divides by roots of squares: in sixteen steps last digits of float32 grow to about this."""


def driven(kind, *, normalize=True, ent_coef="auto_0.1", n_steps=1, **network):
    """A learner with some ticks in its replay, the ends of episodes among them."""
    env = hotlap.make_vec_env("racer", CARS, seed=0, start="random")
    options = {"buffer_size": 100 * CARS, "learning_starts": 10_000, "device": "cpu"}
    options |= {"ent_coef": ent_coef, "n_steps": n_steps}
    model = kind("MlpPolicy", VecNormalize(env) if normalize else env, seed=1, policy_kwargs=network, **options)
    model.set_logger(Logger(None, []))
    model.learn(60 * CARS)
    random = np.random.default_rng(0)
    model.replay_buffer.dones[:] = random.random(model.replay_buffer.dones.shape) < 0.2
    model.replay_buffer.timeouts[:] = random.random(model.replay_buffer.dones.shape) < 0.5
    return model


def learn(model, rounds=2, gradient_steps=8, batch=BATCH):
    """Some rounds of updates from the same draws each time; what was logged of the last."""
    np.random.seed(3)  # noqa: NPY002 - SB3 draws from the global one
    torch.manual_seed(3)
    for _ in range(rounds):
        model.train(gradient_steps, batch)
    return dict(model.logger.name_to_value)


def weights_of(model):
    """Every weight, target and temperature."""
    found = {name: tensor.numpy().copy() for name, tensor in model.policy.state_dict().items()}
    return found | ({} if model.log_ent_coef is None else {"temperature": model.log_ent_coef.detach().numpy().copy()})


def moments_of(model):
    """Adam's counts and moments, by optimiser and parameter."""
    found = {}
    for name, optimizer in ALGORITHMS["sac"].optimizers(model).items():
        for number, state in optimizer.state_dict()["state"].items():
            found |= {(name, number, key): torch.as_tensor(value).numpy().copy() for key, value in state.items()}
    return found


def check_close(found, wanted):
    assert found.keys() == wanted.keys()
    for name, array in wanted.items():
        assert np.abs(found[name] - array).max() < CLOSE, name


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"normalize": False},
        {"ent_coef": "0.2"},
        {"n_steps": 3},
        {"net_arch": [24], "activation_fn": torch.nn.Tanh},
        {"net_arch": [16, 16, 16], "activation_fn": torch.nn.ELU},
    ],
    ids=str,
)
def test_updates_are_those_of_sb3_to_the_accuracy_of_floats(options):
    options = {"net_arch": [32, 32], **options}
    ours, theirs = driven(HotlapSAC, **options), driven(SAC, **options)
    before = weights_of(theirs)
    logged, wanted = learn(ours), learn(theirs)
    check_close(weights_of(ours), weights_of(theirs))
    check_close(moments_of(ours), moments_of(theirs))
    assert logged == pytest.approx(wanted, rel=1e-4, abs=1e-6)
    moved = [name for name, array in weights_of(theirs).items() if np.abs(array - before[name]).max() > 10 * CLOSE]
    assert len(moved) == len(before)


def test_batches_of_several_tiles_are_learned_as_sb3_learns_them():
    ours, theirs = driven(HotlapSAC, net_arch=[16]), driven(SAC, net_arch=[16])
    for model in (ours, theirs):
        learn(model, batch=300)
    check_close(weights_of(ours), weights_of(theirs))


def test_any_number_of_threads_learns_the_same_bytes():
    models = [driven(HotlapSAC, net_arch=[16]) for _ in range(2)]
    for threads, model in enumerate(models, start=1):
        model.learner.use_threads(threads)
    logged = [learn(model, batch=300) for model in models]
    one, two = map(weights_of, models)
    assert {name: array.tobytes() for name, array in one.items()} == {
        name: array.tobytes() for name, array in two.items()
    }
    assert logged[0] == logged[1]


def test_spread_at_its_limit_gets_no_gradient_as_with_sb3():
    models = [driven(kind, net_arch=[16]) for kind in (HotlapSAC, SAC)]
    for model in models:
        with torch.no_grad():
            model.actor.log_std.bias.copy_(torch.tensor([5.0, 0.0, -3.0]))
        learn(model, rounds=1, gradient_steps=1)
    check_close(*map(weights_of, models))
    assert models[0].actor.log_std.bias[0].item() == 5.0


def test_learner_that_takes_over_weights_and_moments_goes_on_with_the_same_bytes():
    first, second = (driven(HotlapSAC, net_arch=[16]) for _ in range(2))
    learn(first)
    second.policy.load_state_dict(first.policy.state_dict())
    with torch.no_grad():
        second.log_ent_coef.copy_(first.log_ent_coef)
    for name, optimizer in ALGORITHMS["sac"].optimizers(first).items():
        ALGORITHMS["sac"].optimizers(second)[name].load_state_dict(deepcopy(optimizer.state_dict()))
    for model in (first, second):
        learn(model)
    wanted = weights_of(first)
    assert {name: array.tobytes() for name, array in weights_of(second).items()} == {
        name: array.tobytes() for name, array in wanted.items()
    }
    assert moments_of(second)["critic", 0, "step"] == 32


@pytest.mark.parametrize(("learner", "kind"), [("hotlap", HotlapSAC), ("sb3", SAC)])
def test_learner_of_a_preset_says_who_computes_sac(learner, kind):
    config = tiny_config("sac", learner=learner)
    env = hotlap.make_vec_env("racer", config.cars, seed=0)
    assert type(ALGORITHMS["sac"].make(config, env)) is kind
