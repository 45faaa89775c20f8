"""A mirrored policy does on the mirrored road what it does on the road, mirrored; and it can be taken elsewhere."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from hotlap.errors import ConfigError
from hotlap.export.onnx import export_policy
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.racer.sensors import FULL_SIZE, mirror_image
from hotlap.racer.tracks import build_track, load_track
from hotlap.training.config import NetworkSettings, PpoSettings, RacerSettings, TrainConfig
from hotlap.training.mirror import plain_twin
from hotlap.training.session import open_session
from hotlap.worlds import make_world

MIRROR = np.array([-1.0, 1.0, 1.0], np.float32)


@pytest.fixture(scope="module")
def session():
    config = TrainConfig(
        cars=8,
        racer=RacerSettings(tracks=("track-03",), observation="full"),
        network=NetworkSettings(hidden=(16, 12), activation="tanh", mirror=True),
        ppo=PpoSettings(n_steps=32, batch_size=64, n_epochs=2, learning_rate=3e-3),
    )
    made = open_session(config)
    made.model.learn(512, callback=made.schedules)
    for schedule in made.schedules:
        schedule.init_callback(made.model)
        schedule.on_rollout_start()
    return made


def mirrored(observation):
    order, signs = mirror_image()
    return observation[..., order] * np.array(signs, np.float32)


def test_the_mirror_of_a_mirror_is_the_road_itself():
    observation = np.random.default_rng(0).normal(size=FULL_SIZE).astype(np.float32)
    assert np.array_equal(mirrored(mirrored(observation)), observation)


def test_the_mirrored_track_looks_like_the_mirror_image_of_the_track():
    points = load_track("track-03").control_points * [-1.0, 1.0, 1.0]
    there = make_world("racer", 1, track="track-03", observation="full")
    here = make_world("racer", 1, track=build_track(points, track_id="mirrored", name="Mirrored"), observation="full")
    for world in (there, here):
        world.begin(0, np.random.default_rng(0))
    for tick in range(600):
        steer = np.sin(tick / 40.0) / 3.0
        there.advance(np.array([[steer, 0.8, 0.0]]))
        here.advance(np.array([[-steer, 0.8, 0.0]]))
        # Different only where the sum of two coordinates is rounded the other way.
        assert np.allclose(here.observation, there.observation[:, mirror_image()[0]] * mirror_image()[1], atol=1e-9)


@given(st.integers(0, 2**32 - 1))
def test_steering_changes_sides_with_the_road_and_the_pedals_do_not(session, seed):
    seen = np.random.default_rng(seed).normal(size=(16, FULL_SIZE)).astype(np.float32)
    policy = OnnxPolicy(export_policy(session.model, session.normalizer, session.policy_metadata(), session.controls))
    assert np.allclose(policy.act(mirrored(seen)), policy.act(seen) * MIRROR, atol=1e-5)


def test_a_plain_model_of_twice_the_width_acts_and_values_the_same(session):
    twin = plain_twin(session.model)
    seen = torch.randn(64, FULL_SIZE)
    with torch.no_grad():
        for wanted, given_ in zip(
            session.model.policy(seen, deterministic=True), twin.policy(seen, deterministic=True), strict=True
        ):
            assert torch.allclose(wanted, given_, atol=1e-5)


def test_a_driver_that_knows_its_place_on_the_lap_cannot_be_mirrored():
    config = TrainConfig(cars=2, network=NetworkSettings(mirror=True))
    with pytest.raises(ConfigError, match="needs racer\\.observation full"):
        open_session(config)
