"""Who learns on a cluster: hotlap's own learner on many nodes, or RLlib, as a run's settings say."""

from stable_baselines3.common.callbacks import CallbackList

from hotlap.scaleout.nodes.learning import NodesLearner
from hotlap.scaleout.places import Cluster
from hotlap.scaleout.rllib.learning import RllibLearner
from hotlap.training.config import TrainConfig
from hotlap.training.session import TrainingSession


class ClusterLearner:
    """`train(…, learner=ClusterLearner(cluster))` makes the steps of a run on a cluster."""

    def __init__(self, cluster: Cluster, config: TrainConfig | None = None) -> None:
        """Settings that do not fit, a cluster that is not there and a missing Ray are refused now."""
        self.cluster = cluster
        self._learner = None if config is None else _learner_of(cluster, config)

    def __call__(self, session: TrainingSession, callbacks: CallbackList) -> None:
        """Drive and learn until the run's last step."""
        learner = self._learner or _learner_of(self.cluster, session.config)
        learner(session, callbacks)


def _learner_of(cluster: Cluster, config: TrainConfig) -> NodesLearner | RllibLearner:
    return (RllibLearner if config.learner == "rllib" else NodesLearner)(cluster, config)
