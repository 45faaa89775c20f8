"""Weights in RLlib's words and in ours, and what RLlib is not asked to do."""

import numpy as np
import pytest

from hotlap.errors import ClusterError, ConfigError
from hotlap.scaleout.cluster import check_reachable, require_token
from hotlap.scaleout.places import Cluster
from hotlap.scaleout.rllib.algorithm import check_fit, learning_rates
from hotlap.scaleout.rllib.weights import for_rllib, our_name, take_weights
from hotlap.settings import merged
from hotlap.training.config import TrainConfig
from hotlap.training.session import open_session

SMALL = {"cars": 2, "network": {"hidden": [4, 4]}, "ppo": {"n_steps": 4}}
BOTH = ("weight", "bias")
ENCODERS = [f"encoder.{who}_encoder.net.mlp.{layer}" for who in ("actor", "critic") for layer in (0, 2)]
LAYERS = [f"{name}.{part}" for name in (*ENCODERS, "pi.net.mlp.0", "vf.net.mlp.0") for part in BOTH]
THEIRS = [*LAYERS, "pi.log_std", "pi.log_std_clip_param_const"]


@pytest.fixture
def session():
    return open_session(merged(TrainConfig(), SMALL, "small"))


def test_every_weight_has_a_name_in_both_words(session):
    assert {our_name(name) for name in THEIRS} == {*session.model.policy.state_dict(), None}


def test_weights_go_there_and_back(session):
    like = dict.fromkeys(THEIRS, np.zeros(1))
    there = for_rllib(session, like)
    other = open_session(merged(TrainConfig(seed=5), SMALL, "small"))
    take_weights(other, there)
    for name, tensor in session.model.policy.state_dict().items():
        assert np.array_equal(other.model.policy.state_dict()[name].numpy(), tensor.numpy())


def test_a_missing_weight_is_noticed(session):
    there = for_rllib(session, dict.fromkeys(THEIRS, np.zeros(1)))
    del there["pi.net.mlp.0.bias"]
    with pytest.raises(RuntimeError, match="action_net"):
        take_weights(session, there)


def test_a_run_goes_on_along_its_line_of_learning_rates():
    config = merged(TrainConfig(), {"steps": 1000, "ppo": {"learning_rate": 3e-3, "learning_rate_end": 1e-3}}, "line")
    assert learning_rates(config, 0) == [[0, 3e-3], [1000, 1e-3]]
    assert learning_rates(config, 750) == [[0, pytest.approx(1.5e-3)], [250, 1e-3]]
    assert learning_rates(config, 1000)[0] == [0, 1e-3]


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"algorithm": "sac"}, "ppo"),
        ({"teacher": {"steps": 1000}}, "teacher"),
        ({"cars": 3}, "evenly"),
    ],
)
def test_what_rllib_cannot_do_is_refused_before_anything_is_made(changes, complaint):
    with pytest.raises(ConfigError, match=complaint):
        check_fit(merged(TrainConfig(), changes, "changes"), Cluster(env_runners=2))


def test_a_cluster_without_a_token_is_refused():
    with pytest.raises(ClusterError, match="RAY_AUTH_MODE"):
        require_token({"RAY_AUTH_MODE": "disabled"})


@pytest.mark.parametrize("address", ["nonsense", "host:", "host:0", "ray://host:1", "127.0.0.1:99999"])
def test_what_is_no_address_is_refused(address):
    with pytest.raises(ClusterError, match="HOST:PORT"):
        check_reachable(address)


def test_nobody_at_an_address_is_noticed_at_once():
    with pytest.raises(ClusterError, match="no cluster at"):
        check_reachable("127.0.0.1:1")
