"""policy.onnx against torch: the same actions from raw observations, in one file that explains itself."""

import json

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from stable_baselines3.common.vec_env import VecNormalize

from hotlap.errors import ExportError
from hotlap.export.onnx import TOLERANCE, export_policy, verify_policy
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.training.session import open_session
from hotlap.vector.sb3 import make_vec_env
from training.tiny_runs import tiny_config

OBSERVATIONS = 10_000
CASES = [
    (algorithm, activation, normalize)
    for algorithm in ("ppo", "sac")
    for activation in ("relu", "tanh", "elu")
    for normalize in (True, False)
]


def driven_session(algorithm: str, activation: str = "relu", *, normalize: bool = True, layout: str = "classic"):
    """A policy of random weights, larger than a new one's so that actions vary, with the statistics of a drive."""
    network = {"hidden": [16, 16], "activation": activation, "initial_action": [0.0, 0.5, 0.5]}
    session = open_session(tiny_config(algorithm, normalize=normalize, network=network, racer={"observation": layout}))
    torch.manual_seed(1)
    with torch.no_grad():
        for weights in session.model.policy.parameters():
            weights.add_(0.3 * torch.randn_like(weights))
    env, rng = session.normalizer or session.env, np.random.default_rng(2)
    env.reset()
    for _ in range(100):
        env.step(rng.uniform([-1, 0, 0], 1, (session.env.num_envs, 3)).astype(np.float32))
    return session


def driven_observations(layout: str = "classic") -> np.ndarray:
    """Ten thousand observations of cars on all three tracks, driven at random, and some beyond all bounds."""
    env = make_vec_env(
        "racer", 100, seed=9, track=["track-01", "track-02", "track-03"], start="random", observation=layout
    )
    rng = np.random.default_rng(3)
    seen = [env.reset()]
    seen += [env.step(rng.uniform([-1, 0, 0], 1, (100, 3)).astype(np.float32))[0] for _ in range(98)]
    extremes = rng.uniform(-50, 50, (100, seen[0].shape[1])).astype(np.float32)
    return np.concatenate([*seen, extremes])


def torch_actions(session, observations: np.ndarray) -> np.ndarray:
    seen = observations if session.normalizer is None else session.normalizer.normalize_obs(observations)
    return session.model.predict(seen, deterministic=True)[0]


@pytest.mark.parametrize(("algorithm", "activation", "normalize"), CASES)
def test_file_does_what_torch_does(algorithm, activation, normalize):
    session = driven_session(algorithm, activation, normalize=normalize)
    observations = driven_observations()
    assert len(observations) == OBSERVATIONS
    given = OnnxPolicy(session.export_policy()).act(observations)
    wanted = torch_actions(session, observations)
    assert given.dtype == np.float32
    assert np.abs(given - wanted).max() <= TOLERANCE
    assert (wanted.std(axis=0) > 0.05).all()
    assert (given >= [-1, 0, 0]).all()
    assert (given <= 1).all()


@pytest.mark.parametrize("algorithm", ["ppo", "sac"])
def test_layout_for_any_track_is_exported_as_well(algorithm):
    session = driven_session(algorithm, layout="full")
    observations = driven_observations("full")
    given = OnnxPolicy(session.export_policy()).act(observations)
    assert np.abs(given - torch_actions(session, observations)).max() <= TOLERANCE


def test_observation_that_never_varied_is_normalised_as_in_double_precision():
    """A constant of 0.8 is no float32: divided by a spread of next to nothing, its rounding would drive the car."""
    session = driven_session("ppo")
    session.normalizer.obs_rms.mean[5], session.normalizer.obs_rms.var[5] = 0.8 + 1e-9, 0.0
    observations = driven_observations()
    observations[:, 5] = 0.8 + np.random.default_rng(0).normal(0.0, 1e-4, OBSERVATIONS)
    given = OnnxPolicy(session.export_policy()).act(observations)
    assert np.abs(given - torch_actions(session, observations)).max() <= TOLERANCE


def test_batches_of_any_size_give_the_same_rows():
    policy, observations = OnnxPolicy(driven_session("ppo").export_policy()), driven_observations()[:33]
    together = policy.act(observations)
    assert policy.act(observations[:0]).shape == (0, 3)
    for row, wanted in zip(observations, together, strict=True):
        assert np.abs(policy.act(row[None])[0] - wanted).max() <= 1e-6  # sums in another order


def test_everything_is_in_the_one_file():
    session = driven_session("ppo")
    model = onnx.load_model_from_string(session.export_policy())
    onnx.checker.check_model(model, full_check=True)
    assert all(tensor.data_location == onnx.TensorProto.DEFAULT for tensor in model.graph.initializer)
    [given], [taken] = model.graph.output, model.graph.input
    assert (taken.name, given.name) == ("observation", "action")
    for port, size in ((taken, 14), (given, 3)):
        batch, width = port.type.tensor_type.shape.dim
        assert (batch.dim_param, width.dim_value) == ("batch", size)


def test_file_says_what_it_is_for_and_how_it_was_made():
    session = driven_session("sac")
    model = onnx.load_model_from_string(session.export_policy())
    metadata = {entry.key: json.loads(entry.value) for entry in model.metadata_props}
    assert metadata == OnnxPolicy(session.export_policy()).metadata
    assert metadata["world"] == "racer"
    assert metadata["layout"] == "classic"
    assert metadata["tracks"] == ["track-01"]
    assert (metadata["algorithm"], metadata["steps"], metadata["seed"]) == ("sac", 0, 0)
    assert len(metadata["physics_fingerprint"]) >= 16


def test_plain_runtime_without_hotlap_runs_it():
    session = driven_session("ppo")
    runtime = onnxruntime.InferenceSession(session.export_policy(), providers=["CPUExecutionProvider"])
    observations = driven_observations()[:50]
    [given] = runtime.run(None, {"observation": observations})
    assert np.abs(given - torch_actions(session, observations)).max() <= TOLERANCE


def test_file_that_differs_from_torch_is_refused():
    session = driven_session("ppo")
    content = session.export_policy()
    with torch.no_grad():
        session.model.policy.action_net.bias[0] += 0.01
    with pytest.raises(ExportError, match=r"differs from torch by 0\.01"):
        verify_policy(content, session.model, session.normalizer, session.controls)


def test_weights_that_are_no_numbers_are_refused():
    session = driven_session("ppo")
    with torch.no_grad():
        session.model.policy.action_net.bias[0] = float("nan")
    with pytest.raises(ExportError, match="gives no actions"):
        session.export_policy()


def test_layer_that_cannot_be_exported_is_named():
    session = driven_session("ppo")
    session.model.policy.mlp_extractor.policy_net[1] = torch.nn.Softplus()
    with pytest.raises(ExportError, match="Softplus layer cannot be exported; use relu, tanh or elu"):
        session.export_policy()


def test_normaliser_that_leaves_observations_alone_is_left_out():
    session = driven_session("ppo", normalize=False)
    rewards_only = VecNormalize(session.env, norm_obs=False)
    content = export_policy(session.model, rewards_only, session.policy_metadata(), session.controls)
    assert content == session.export_policy()
