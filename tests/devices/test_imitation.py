"""What a teacher shows on a device is learned there as on the cores, and a GPU shows what the cores show."""

import numpy as np
import pytest
import torch

from hotlap.devices.imitation import Imitation, show_on
from hotlap.devices.ppo import TAUGHT_LOSS, DevicePpo
from hotlap.devices.statistics import Scaling
from hotlap.devices.torch_env import make_torch_env
from hotlap.learning.lessons import PpoRules
from hotlap.learning.network import NetworkShape
from hotlap.learning.ppo import PpoLearner
from hotlap.training.config import load_preset
from hotlap.training.world_training import training_of

CARS, TICKS, EPOCHS = 24, 6, 3
RULES = PpoRules(
    batch_size=CARS * TICKS, epochs=1, gamma=0.99, gae_lambda=0.95, ent_coef=0.0, vf_coef=0.5, max_grad_norm=0.5
)
SCALED = Scaling(learns=True, gamma=0.99, epsilon=1e-8, clip_observations=10.0, clip_rewards=10.0)
LOW, HIGH = torch.tensor([-1.0, 0.0, 0.0]), torch.tensor([1.0, 1.0, 1.0])


def learner(alone):
    """A learner on the cores with a teacher that often asks for all that the controls can do."""
    env = make_torch_env("racer", CARS, seed=5, track="track-01")
    env.reset()
    made = DevicePpo(env, NetworkShape(env.observation.shape[1], (16, 8), 3, "relu"), TICKS, RULES, SCALED)
    torch.manual_seed(3)
    shown = (torch.randn(CARS, 3) * 2.0).clamp(LOW, HIGH)
    made.take_teacher(Imitation(lambda out: out.copy_(shown), LOW, HIGH, EPOCHS, alone=alone))
    with torch.no_grad():
        made.parameters.normal_(0.0, 0.5)
        made.log_std.fill_(-0.7)
    return made


def test_a_lesson_moves_the_policy_as_the_learner_of_the_cores_would():
    made = learner(alone=True)
    made.drive(7)
    cores = PpoLearner(made.shape, CARS, TICKS, RULES)
    cores.weights.parameters[:] = made.parameters.numpy()
    cores.bounds.low[:], cores.bounds.high[:] = LOW.numpy(), HIGH.numpy()
    cores.samples.observations[:] = made.seen.reshape(-1).numpy()
    cores.samples.actions[:] = made.shown_actions.reshape(-1).numpy()
    distance = cores.imitate(cores.samples, CARS * TICKS, 0, 3e-3, EPOCHS)
    made.imitate(8, 3e-3)
    np.testing.assert_allclose(float(made.figures[TAUGHT_LOSS]), distance, rtol=1e-5)
    # Three steps of Adam of 3e-3 each, from sums in another order.
    np.testing.assert_allclose(made.parameters.numpy(), cores.weights.parameters, rtol=0.0, atol=1e-5)
    np.testing.assert_allclose(made.first_moments.numpy(), cores.weights.first_moments, rtol=0.0, atol=1e-5)
    assert (made.adam_steps[: made.shape.parameter_count] == cores.policy_steps).all()


def test_nothing_but_the_policy_moves_in_a_lesson_and_what_was_seen_is_taken_in():
    made = learner(alone=True)
    made.drive(7)
    before = made.parameters.clone()
    made.imitate(8, 3e-3)
    last = made.shape.parameter_count
    assert not torch.equal(made.parameters[:last], before[:last])
    assert torch.equal(made.parameters[last:], before[last:])
    torch.testing.assert_close(made.observed.mean, made.raw.double().mean((0, 1)), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("has_say", [True, False])
def test_ppo_moves_the_policy_only_where_it_has_a_say(has_say):
    made = learner(alone=False)
    made.moves[-3:] = 0.0
    made.drive(7)
    made.imitate(8, 3e-3)
    taught = made.parameters.clone()
    made.first_moments.zero_()  # what is left of the lesson would move the policy on
    made.learn(9, 3e-3, 1e-3, has_say=has_say)
    last = made.shape.parameter_count
    assert torch.equal(made.parameters[:last], taught[:last]) != has_say
    assert not torch.equal(made.parameters[last:-3], taught[last:-3])


def test_same_seed_gives_the_same_lesson():
    first, second, other = (learner(alone=True) for _ in range(3))
    for made, seed in ((first, 5), (second, 5), (other, 6)):
        for _ in range(2):
            made.drive(seed)
            made.imitate(seed, 1e-3)
    assert torch.equal(first.parameters, second.parameters)
    assert not torch.equal(first.parameters, other.parameters)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs an NVIDIA GPU")
@pytest.mark.parametrize("preset", ["gt-ppo", "highway-ppo"])
def test_a_gpu_shows_what_the_cores_show(preset):
    config = load_preset(preset)
    training = training_of(config)
    options = training.world_options(config, discrete=False)
    envs = [make_torch_env(config.world, 200, device, seed=3, **options) for device in ("cuda", "cpu")]
    teachers = [training.teacher(config, env.world) for env in envs]
    shows = [show_on(env, each.act, each.kernel) for env, each in zip(envs, teachers, strict=True)]
    outputs = 2 if config.world == "highway" else 3
    shown = [torch.zeros(200, outputs, device=env.device) for env in envs]
    for env in envs:
        env.reset()
    for _ in range(60):
        for show, out in zip(shows, shown, strict=True):
            show(out)
        torch.testing.assert_close(shown[0].cpu(), shown[1], rtol=1e-6, atol=1e-6)
        controls = shown[1] if outputs == 3 else shown[1] @ torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
        for env in envs:
            env.step(controls.to(env.device).double())
