"""What a training on many nodes is made of: shares of the state, of cars and of batches, and what is refused."""

import numpy as np
import pytest

from hotlap.commands.training import learner_on
from hotlap.errors import ClusterError, ConfigError
from hotlap.scaleout.nodes.group import check_room
from hotlap.scaleout.nodes.learning import NodesLearner, check_fit, means
from hotlap.scaleout.nodes.node import node_config
from hotlap.scaleout.nodes.shares import put_together, share_of
from hotlap.scaleout.places import Cluster
from hotlap.settings import merged
from hotlap.training.config import TrainConfig, load_preset
from hotlap.training.session import open_session

SMALL = {"cars": 32, "ppo": {"n_steps": 32, "batch_size": 256}}


def begun(config):
    """A session whose cars stand on the road."""
    session = open_session(config)
    session.model._setup_learn(config.steps, None, reset_num_timesteps=False)
    return session


def driven(session, actions):
    """What the cars see and get under some actions, tick by tick."""
    return [np.concatenate([seen, rewards[:, None]], axis=1) for seen, rewards, *_ in map(session.env.step, actions)]


@pytest.mark.parametrize("preset", ["racer-ppo", "racer-generalist", "gt-ppo", "highway-ppo"])
def test_cars_of_nodes_drive_as_the_same_cars_of_one_process_and_their_states_are_put_together_again(preset):
    config = merged(load_preset(preset), {"cars": 6, "ppo": {"n_steps": 8, "batch_size": 48}}, "small")
    config = merged(config, {} if config.world == "highway" else {"racer": {"tracks": ["track-01"]}}, "one track")
    whole, nodes = begun(config), [begun(node_config(config, 3)) for _ in range(3)]
    state, counters = whole.state.tensors(), whole.state.counters()
    for rank, node in enumerate(nodes):
        node.state.restore(share_of(state, node.state.tensors(), rank, 3), counters)
    controls = np.random.default_rng(0).uniform(0.0, 1.0, (5, 6, whole.env.action_space.shape[0])).astype(np.float32)
    apart = [driven(node, controls[:, 2 * rank : 2 * rank + 2]) for rank, node in enumerate(nodes)]
    assert np.array_equal(driven(whole, controls), np.concatenate(apart, axis=1))

    again = put_together([node.state.tensors() for node in nodes], state)
    wanted = whole.state.tensors()
    assert {group: set(arrays) for group, arrays in again.items()} == {key: set(value) for key, value in wanted.items()}
    for group in ("environment", "normalizer", "policy"):
        for name, array in wanted[group].items():
            assert again[group][name].tobytes() == array.tobytes(), name
    assert again["rng"]["cars"].tobytes() == wanted["rng"]["cars"].tobytes()


def test_nodes_share_cars_and_batches_evenly():
    config = merged(TrainConfig(seed=3), SMALL, "small")
    share = node_config(config, 4)
    assert (share.cars, share.ppo.batch_size, share.ppo.n_steps, share.seed) == (8, 64, 32, 3)
    whole = merged(config, {"ppo": {"batch_size": 4096}}, "a batch of all samples")
    assert node_config(whole, 4).ppo.batch_size * 4 == 32 * 32


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"cars": 33}, "33 cars cannot be shared evenly by 4 nodes"),
        ({"cars": 3}, "3 cars cannot be shared evenly by 4 nodes"),
        ({"ppo": {"batch_size": 254}}, "254 samples of a batch cannot be shared evenly by 4 nodes"),
        ({"algorithm": "sac"}, "--on ray trains with ppo, not sac"),
        ({"learner": "sb3"}, "not with sb3"),
        ({"world": "race"}, "the world race is driven by one process only"),
    ],
)
def test_settings_that_nodes_cannot_share_are_refused_in_a_sentence(changes, sentence):
    with pytest.raises(ConfigError, match=sentence):
        check_fit(merged(merged(TrainConfig(), SMALL, "small"), changes, "changes"), Cluster(nodes=4))


def test_nodes_refuse_settings_before_they_look_for_ray():
    with pytest.raises(ConfigError, match="trains with ppo"):
        NodesLearner(Cluster(), TrainConfig(algorithm="sac"))


def test_rllib_without_a_cluster_is_refused():
    with pytest.raises(ConfigError, match=r"--learner rllib learns on a cluster only\. Add --on ray"):
        learner_on("here", Cluster(), TrainConfig(learner="rllib"))


def test_more_nodes_than_a_cluster_has_cores_for_are_refused():
    check_room(4.0, Cluster(nodes=2, cores=2))
    with pytest.raises(ClusterError, match="the cluster has 3 cores, and 2 nodes with 2 each need 4"):
        check_room(3.0, Cluster(nodes=2, cores=2))


def test_nodes_must_be_at_least_one():
    with pytest.raises(ConfigError, match=r"cluster\.nodes"):
        Cluster(nodes=0)


def test_logs_of_nodes_are_averaged():
    logs = [{"train/loss": [1.0, 0, []], "teacher/loss": [4.0, 2, []]}, {"train/loss": [2.0, 0, []]}]
    logs[1] |= {"train/n_updates": [1, 0, ["tensorboard"]], "train/std": [None, 0, []]}
    assert means(logs) == {"train/loss": 1.5, "teacher/loss": 4.0}
