"""One training on a cluster: the same kind of run, and a lost runner that does not end it."""

import os
import signal
import time

import numpy as np
import onnxruntime
import pytest

from hotlap.checkpoints import newest_checkpoint
from hotlap.cli import main
from hotlap.scaleout.places import Cluster
from hotlap.scaleout.rllib.environment import scaling_of
from hotlap.scaleout.rllib.learning import RllibLearner
from hotlap.settings import merged
from hotlap.training.algorithms import falling
from hotlap.training.config import TrainConfig
from hotlap.training.session import restore_session
from hotlap.training.train import resume, train

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("ignore")]  # Ray's own warnings are not ours to mend
SMALL = {
    "steps": 12_288,
    "cars": 32,
    "network": {"hidden": [16, 16], "log_std_end": [-2.0, -3.0, -4.0]},
    "ppo": {"n_steps": 32, "batch_size": 256, "n_epochs": 2},
    "evaluation": {"every_steps": 0, "steps": 100},
    "checkpoint_every": "0",
}


def known_to(runner):
    """How many observations a runner scales by."""
    return scaling_of(runner.env)._known.observations.count


class Assassin(RllibLearner):
    """Kills one of two runners; the other drives on until there is a new one, and what was learned is noted."""

    def _learn(self, algorithm, session, callbacks):
        original, runners, self.trained = algorithm.train, algorithm.env_runner_group, []

        def train_once():
            result = original()
            self.trained.append(result["learners"]["default_policy"]["num_module_steps_trained_lifetime"])
            return result

        def train_and_kill():
            self.last_began_at = session.step
            if len(self.trained) != 3:
                return train_once()
            pids = runners.foreach_env_runner(lambda runner: os.getpid(), local_env_runner=False)
            os.kill(pids[0], signal.SIGKILL)
            killed_s, result = time.monotonic(), train_once()
            assert runners.num_healthy_remote_workers() == 1
            while runners.num_healthy_remote_workers() < 2:
                result = train_once()
            self.back_after_s = time.monotonic() - killed_s
            self.known = runners.foreach_env_runner(known_to, local_env_runner=False)
            return result

        algorithm.train = train_and_kill
        super()._learn(algorithm, session, callbacks)


@pytest.mark.timeout(600)
def test_a_killed_env_runner_is_replaced_and_no_step_of_the_learner_is_lost(tmp_path, capsys, cluster, in_time):
    config, address = merged(TrainConfig(), SMALL, "small"), cluster.address
    learner = Assassin(Cluster(address, env_runners=2))
    result = train(config, "far", tmp_path, learner=learner)
    assert result.stopped_by is None
    assert result.step >= config.steps
    runners = learner.results[-1]["fault_tolerance"]
    assert (runners["num_remote_worker_restarts"], runners["num_healthy_workers"]) == (1, 2)
    in_time(learner.back_after_s, 30.0)
    assert min(learner.known) > 3 * config.cars * config.ppo.n_steps  # the new one was told what the others know
    # Each iteration learned from a whole batch, in each epoch, also the one in which a runner died.
    batch = config.cars * config.ppo.n_steps * config.ppo.n_epochs
    learned = [after - before for before, after in zip(learner.trained, learner.trained[1:], strict=False)]
    assert min(learned) >= batch

    # What it leaves is a run as any other: its policy is verified, evaluated by the same command, resumed here.
    run = tmp_path / "far"
    session = restore_session(config, newest_checkpoint(run, print))
    policy = onnxruntime.InferenceSession((run / "policy.onnx").read_bytes(), providers=["CPUExecutionProvider"])
    first, last = (np.array(end) for end in (config.network.log_std_init, config.network.log_std_end))
    line = first + (last - first) * min(learner.last_began_at / config.steps, 1.0)
    assert session.model.policy.log_std.tolist() == pytest.approx(line, abs=1e-6)
    seen = session.env.reset()
    (given,) = policy.run(None, {"observation": seen})
    wanted, _ = session.model.predict(session.normalizer.normalize_obs(seen), deterministic=True)
    assert abs(given - wanted).max() < 1e-5
    assert main(["evaluate", str(run), "--steps", "200", "--json"]) == 0
    assert main(["resume", str(run), "--steps", str(result.step + 2048)]) == 0
    capsys.readouterr()

    # And resumed there, with a learner of its own: along the line of learning rates, with all that was seen before.
    there, steps = RllibLearner(Cluster(address, env_runners=1, learners=1)), result.step + 4096
    began_at = newest_checkpoint(run, print).step
    resume(run, steps=steps, learner=there)
    rate = there.results[0]["learners"]["default_policy"]["default_optimizer_learning_rate"]
    assert rate <= falling(config.ppo.learning_rate, config.ppo.learning_rate_end)(1.0 - began_at / steps) * (1 + 1e-6)
    assert restore_session(config, newest_checkpoint(run, print)).normalizer.obs_rms.count > began_at
