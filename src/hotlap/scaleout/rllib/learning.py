"""Learning by RLlib instead of SB3's loop: everything else of a run, from evaluating to stopping, stays as it is."""

from dataclasses import dataclass
from typing import Any

import torch
from stable_baselines3.common.callbacks import CallbackList

from hotlap.scaleout.cluster import check_reachable, joined, load_ray
from hotlap.scaleout.places import Cluster
from hotlap.scaleout.rllib.algorithm import MODULE, brief_runners, check_fit, make_algorithm
from hotlap.scaleout.rllib.environment import scaling_of
from hotlap.scaleout.rllib.scaling import Seen, put_together
from hotlap.scaleout.rllib.weights import Weights, for_rllib, take_weights
from hotlap.training.config import TrainConfig
from hotlap.training.session import TrainingSession


class RllibLearner:
    """`train(…, learner=RllibLearner(cluster))` makes the steps of a run on a cluster."""

    def __init__(self, cluster: Cluster, config: TrainConfig | None = None) -> None:
        if config is not None:
            check_fit(config, cluster)
        if cluster.address:
            check_reachable(cluster.address)
        load_ray("rllib", "algorithms", "ppo")
        self.cluster = cluster
        self.results: list[dict[str, Any]] = []
        """What RLlib said about each of the last iterations."""

    def __call__(self, session: TrainingSession, callbacks: CallbackList) -> None:
        """Drive and learn until the run's last step; between two iterations the run is whole, as between rollouts."""
        check_fit(session.config, self.cluster)
        with joined(self.cluster.address, _cpus(self.cluster)):
            algorithm = make_algorithm(session.config, self.cluster, session.step)
            try:
                self._learn(algorithm, session, callbacks)
            finally:
                algorithm.stop()

    def _learn(self, algorithm: Any, session: TrainingSession, callbacks: CallbackList) -> None:
        model: Any = session.model
        left, began_at = session.config.steps - session.step, session.step
        _, callback = model._setup_learn(left, callbacks, reset_num_timesteps=False)
        callback.on_training_start(locals(), globals())
        hold_still(algorithm, session)
        while session.step < session.config.steps:
            callback.on_rollout_start()
            result = iterate(algorithm, session)
            self.results = [*self.results[-99:], result]
            count_steps(model, callback, began_at + int(result["num_env_steps_sampled_lifetime"]))
            model._n_updates += session.config.ppo.n_epochs
            record(result, session)
            callback.on_rollout_end()
        callback.on_training_end()


def _cpus(cluster: Cluster) -> int:
    """CPUs that a cluster made of this machine must count, however few there are."""
    return 1 + cluster.env_runners + cluster.learners


def iterate(algorithm: Any, session: TrainingSession) -> dict[str, Any]:
    """Drive once and learn from it; what RLlib says about it."""
    hand_out(algorithm, session)
    result: dict[str, Any] = algorithm.train()
    take_in(algorithm, session)
    return result


def count_steps(model: Any, callback: Any, step: int) -> None:
    """Set the counter of the run, and of all who watch it: nobody tells them of single steps here."""
    model.num_timesteps = step
    for each in callback.callbacks:
        each.num_timesteps = step


def hold_still(algorithm: Any, session: TrainingSession) -> None:
    """Take from the learners what changes on a line of its own."""
    if session.config.network.log_std_end:
        algorithm.learner_group.foreach_learner(_without_slope)


def _without_slope(learner: Any) -> None:
    """Let no gradient reach the spread. It stays one that learns: learners that share their work wait for each."""
    learner.module[MODULE].unwrapped().pi.log_std.register_hook(torch.zeros_like)


@dataclass(frozen=True)
class Briefing:
    """What an env runner is told before it drives: the run's networks, and what the run has seen."""

    weights: Weights
    seen: Seen | None

    def __call__(self, runner: Any) -> None:
        """Tell it."""
        runner.set_state({"rl_module": self.weights})
        if self.seen is not None:
            scaling_of(runner.env).begin_with(self.seen)


def hand_out(algorithm: Any, session: TrainingSession) -> None:
    """Give the run as it is to those who learn and to those who drive."""
    weights = for_rllib(session, algorithm.learner_group.get_weights()[MODULE])
    algorithm.learner_group.set_weights({MODULE: weights})
    seen = None if session.normalizer is None else Seen.by_run(session.normalizer)
    brief_runners(algorithm, Briefing(weights, seen))


def take_in(algorithm: Any, session: TrainingSession) -> None:
    """Put what was learned and seen into the run."""
    take_weights(session, algorithm.learner_group.get_weights()[MODULE])
    if session.normalizer is not None:
        runners = algorithm.env_runner_group
        put_together(session.normalizer, runners.foreach_env_runner(_seen_since, local_env_runner=False))


def _seen_since(runner: Any) -> Seen:
    return scaling_of(runner.env).seen_since()


def record(result: dict[str, Any], session: TrainingSession) -> None:
    """What TensorBoard is told: how learning goes, and how many runners drive."""
    learned = result["learners"][MODULE]
    names = {
        "train/policy_gradient_loss": "policy_loss",
        "train/value_loss": "vf_loss",
        "train/learning_rate": "default_optimizer_learning_rate",
        "train/explained_variance": "vf_explained_var",
    }
    for tag, name in names.items():
        if name in learned:
            session.logger.record(tag, float(learned[name]))
    session.logger.record("ray/healthy_env_runners", result["fault_tolerance"]["num_healthy_workers"])
    session.logger.record("ray/env_runner_restarts", result["fault_tolerance"]["num_remote_worker_restarts"])
    session.logger.dump(session.step)
