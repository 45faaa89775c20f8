"""Hotlap's learner on the nodes of a cluster: the same weights each time, and a lost node that costs no update."""

import os
import signal

import numpy as np
import onnxruntime
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from hotlap.checkpoints import newest_checkpoint
from hotlap.checkpoints.curve import read_curve
from hotlap.errors import ClusterError
from hotlap.scaleout.nodes.learning import NodesLearner
from hotlap.scaleout.places import Cluster
from hotlap.settings import merged
from hotlap.training import run_callback, signals
from hotlap.training.config import TrainConfig
from hotlap.training.session import restore_session
from hotlap.training.train import resume, train

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("ignore")]  # Ray's own warnings are not ours to mend
SMALL = {
    "steps": 6_144,
    "cars": 32,
    "network": {"hidden": [16, 16]},
    "ppo": {"n_steps": 32, "batch_size": 256, "n_epochs": 2},
    "teacher": {"steps": 2_048},
    "racer": {"observation": "full", "config": {"episode": {"maxSteps": 60}}},
    "evaluation": {"every_steps": 0, "steps": 100},
    "checkpoint": {"first_past": 100_000},
    "checkpoint_every": "100000",
}
CONFIG = merged(TrainConfig(), SMALL, "small")
COMPARED = ("policy", "optimizer", "normalizer", "environment")


def bytes_of(run):
    """Weights, moments, statistics and cars that a run ended with."""
    groups = newest_checkpoint(run, print).tensors
    return {(group, name): array.tobytes() for group in COMPARED for name, array in groups[group].items()}


class Disturbed(NodesLearner):
    """Kills a node in the third iteration and asks the run to stop once it is replaced; notes where each began."""

    def _learn(self, group, session, callback):
        original, self.made = group.answers, []
        victim = group.ray.get(group.nodes[1].__ray_call__.remote(lambda _: os.getpid()))

        def answers():
            self.made.append(session.step)
            if len(self.made) == 3:
                self.repeated = group._since
                os.kill(victim, signal.SIGKILL)
            if group.replaced:
                os.kill(os.getpid(), signal.SIGTERM)
            return original()

        group.answers = answers
        super()._learn(group, session, callback)


class Overdue(NodesLearner):
    """Asks the run to stop, and then waits for a node that does not answer."""

    def _learn(self, group, session, callback):
        original = group.answers
        self.silent = group.ray.get(group.nodes[1].__ray_call__.remote(lambda _: os.getpid()))

        def answers():
            if session.step == 2_048:
                os.kill(self.silent, signal.SIGSTOP)
                os.kill(os.getpid(), signal.SIGTERM)
            return original()

        group.answers = answers
        super()._learn(group, session, callback)


@pytest.mark.timeout(300)
def test_run_that_waits_for_a_node_for_too_long_after_a_signal_is_saved_as_it_was(tmp_path, cluster, monkeypatch):
    monkeypatch.setattr(signals, "DEADLINE_S", 0.5)
    monkeypatch.setattr(run_callback, "RESCUED_EVERY_S", 0.0)
    learner = Overdue(Cluster(cluster.address, nodes=2))
    stopped = train(CONFIG, "overdue", tmp_path, learner=learner)
    os.kill(learner.silent, signal.SIGKILL)
    assert (stopped.stopped_by, stopped.step) == (signal.SIGTERM, 2_048)
    assert newest_checkpoint(stopped.run, print).step == 2_048


@pytest.mark.timeout(300)
def test_run_with_a_killed_node_that_is_stopped_and_resumed_ends_with_the_bytes_of_an_undisturbed_one(
    tmp_path, cluster, monkeypatch
):
    monkeypatch.setattr(run_callback, "RESCUED_EVERY_S", 3_600.0)  # the nodes keep what was never fetched
    nodes = Cluster(cluster.address, nodes=2)
    run = train(CONFIG, "undisturbed", tmp_path, learner=NodesLearner(nodes)).run

    # Every finished update is kept, each is made once, and the signal saves the run after the last of them.
    learner = Disturbed(nodes)
    disturbed = train(CONFIG, "disturbed", tmp_path, learner=learner)
    assert (disturbed.stopped_by, learner.replaced, learner.repeated) == (signal.SIGTERM, 1, 2)
    assert 2_048 < disturbed.step < 6_144
    assert learner.made == list(range(0, disturbed.step, 1_024))
    assert resume(disturbed.run, learner=NodesLearner(nodes)).step == 6_144
    assert bytes_of(disturbed.run) == bytes_of(run)

    check_as_any_other(run)
    assert resume(run, steps=7_168).steps_made == 1_024  # in this process

    with pytest.raises(ClusterError, match="2 cores, and 4 nodes with 1 each need 4"):
        train(CONFIG, "crowded", tmp_path, learner=NodesLearner(Cluster(cluster.address, nodes=4)))


def check_as_any_other(run):
    """Policy, curve and TensorBoard's tags are those of a run of one process."""
    session = restore_session(CONFIG, newest_checkpoint(run, print))
    policy = onnxruntime.InferenceSession((run / "policy.onnx").read_bytes(), providers=["CPUExecutionProvider"])
    seen = session.env.reset()
    (given,) = policy.run(None, {"observation": seen})
    wanted, _ = session.model.predict(session.normalizer.normalize_obs(seen), deterministic=True)
    assert np.abs(given - wanted).max() < 1e-5
    assert session.normalizer.obs_rms.count > 6_144
    assert [point.step for point in read_curve(run)][-1] == 6_144

    log = EventAccumulator(str(run / "tensorboard"), size_guidance={"scalars": 0}).Reload()
    tags = set(log.Tags()["scalars"])
    assert {"rollout/ep_rew_mean", "train/value_loss", "teacher/loss", "racer/completion_rate"} <= tags
    assert [event.step for event in log.Scalars("teacher/loss")] == [1_024, 2_048]
    episodes = sum(event.value for event in log.Scalars("racer/episodes_this_rollout"))
    # Every car's first episode is cut off somewhere, the others after 60 ticks: in 192 ticks three or four have ended.
    assert 3 * 32 <= episodes <= 4 * 32
