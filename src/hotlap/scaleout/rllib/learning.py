"""Learning by RLlib instead of SB3's loop: everything else of a run, from judging to stopping, stays as it is."""

from typing import Any

from stable_baselines3.common.callbacks import CallbackList

from hotlap.scaleout.cluster import check_reachable, joined, load_ray
from hotlap.scaleout.rllib.algorithm import MODULE, check_fit, make_algorithm
from hotlap.scaleout.rllib.places import Cluster
from hotlap.scaleout.rllib.weights import for_rllib, statistics_for_rllib, take_statistics, take_weights
from hotlap.training.config import TrainConfig
from hotlap.training.session import Session

FILTER = "MeanStdFilter"
CONNECTOR = "env_to_module_connector"


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

    def __call__(self, session: Session, callbacks: CallbackList) -> None:
        """Drive and learn until the run's last step; between two iterations the run is whole, as between rollouts."""
        check_fit(session.config, self.cluster)
        with joined(self.cluster.address, _cpus(self.cluster)):
            algorithm = make_algorithm(session.config, self.cluster, session.step)
            try:
                self._learn(algorithm, session, callbacks)
            finally:
                algorithm.stop()

    def _learn(self, algorithm: Any, session: Session, callbacks: CallbackList) -> None:
        model: Any = session.model
        begun, began_at = session.config.steps - session.step, session.step
        _, callback = model._setup_learn(begun, callbacks, reset_num_timesteps=False)
        put_weights(algorithm, session)
        put_statistics(algorithm, session)
        callback.on_training_start(locals(), globals())
        while session.step < session.config.steps:
            callback.on_rollout_start()
            result = algorithm.train()
            self.results = [*self.results[-99:], result]
            model.num_timesteps = began_at + int(result["num_env_steps_sampled_lifetime"])
            model._n_updates += session.config.ppo.n_epochs
            pull(algorithm, session)
            record(result, session)
            callback.on_rollout_end()
        callback.on_training_end()


def _cpus(cluster: Cluster) -> int:
    """CPUs that a cluster made of this machine must count, however few there are."""
    return 1 + cluster.env_runners + cluster.learners


def put_weights(algorithm: Any, session: Session) -> None:
    """Begin with the run's own networks."""
    theirs = algorithm.learner_group.get_weights()[MODULE]
    algorithm.learner_group.set_weights({MODULE: for_rllib(session, theirs)})
    algorithm.env_runner_group.sync_weights(from_worker_or_learner_group=algorithm.learner_group)


def put_statistics(algorithm: Any, session: Session) -> None:
    """Go on with what the run has seen; a run that only begins has seen nothing."""
    if session.normalizer is None or session.step == 0:
        return
    mean, deviation, count = statistics_for_rllib(session)
    seen = load_ray("rllib", "utils", "filter").RunningStat(mean.shape)
    seen.num_pushes, seen.mean_array, seen.sum_sq_diff_array = count, mean, deviation**2 * (count - 1)
    state = algorithm.env_runner.get_state(components=[CONNECTOR])[CONNECTOR]
    state[FILTER][None]["running_stats"] = [seen.to_state()]
    algorithm.env_runner_group.foreach_env_runner(lambda runner: runner.set_state({CONNECTOR: state}))


def pull(algorithm: Any, session: Session) -> None:
    """Put what was learned and seen into the run."""
    take_weights(session, algorithm.learner_group.get_weights()[MODULE])
    if session.normalizer is None:
        return
    state = algorithm.env_runner.get_state(components=[CONNECTOR])[CONNECTOR][FILTER][None]
    seen = load_ray("rllib", "utils", "filter").RunningStat.from_state(state["running_stats"][0])
    take_statistics(session, seen.mean, seen.std, seen.n)


def record(result: dict[str, Any], session: Session) -> None:
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
