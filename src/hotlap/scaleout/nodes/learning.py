"""Learning on many nodes instead of in this process: everything else of a run, from evaluating to stopping, stays."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import CallbackList

from hotlap.errors import ConfigError
from hotlap.scaleout.cluster import check_reachable, joined, load_ray
from hotlap.scaleout.nodes.group import NodeGroup
from hotlap.scaleout.nodes.node import AHEAD, COUNTED, SHOWN, Iteration, RunState, Samples
from hotlap.scaleout.places import Cluster
from hotlap.training.algorithms import learns_on_gpu
from hotlap.training.config import TrainConfig
from hotlap.training.driving import needs_samples
from hotlap.training.session import TrainingSession
from hotlap.training.teaching import Teaching
from hotlap.worlds import registered


class NodesLearner:
    """`train(…, learner=NodesLearner(cluster))` makes the steps of a run on the nodes of a cluster."""

    def __init__(self, cluster: Cluster, config: TrainConfig | None = None) -> None:
        if config is not None:
            check_fit(config, cluster)
        if cluster.address:
            check_reachable(cluster.address)
        load_ray()
        self.cluster = cluster
        self.replaced = 0
        """How many nodes were lost and replaced."""

    def __call__(self, session: TrainingSession, callbacks: CallbackList) -> None:
        """Drive and learn until the run's last step; between two iterations the run is whole, as between rollouts."""
        check_fit(session.config, self.cluster)
        model: Any = session.model
        # Those who teach are where the cars are.
        here = CallbackList([each for each in callbacks.callbacks if not isinstance(each, Teaching)])
        _, callback = model._setup_learn(session.config.steps - session.step, here, reset_num_timesteps=False)
        with joined(self.cluster.address, self.cluster.nodes * self.cluster.cores) as ray:
            group = NodeGroup(ray, session.config, self.cluster, state_of(session), needs_samples=needs_samples(here))
            try:
                self._learn(group, session, callback)
            except SystemError as problem:  # what Ray makes of an exception that a signal raises while it waits
                raise problem.__cause__ or problem from None
            finally:
                self.replaced = group.replaced
                group.close()

    def _learn(self, group: NodeGroup, session: TrainingSession, callback: Any) -> None:
        """The nodes always know what comes next, and never wait for this process."""
        callback.on_training_start(locals(), globals())
        left = -(-(session.config.steps - session.step) // (session.config.cars * session.config.ppo.n_steps))
        for _ in range(min(left, AHEAD)):
            group.ask()
        for to_come in reversed(range(left)):
            callback.on_rollout_start()
            parts = group.answers()
            if to_come >= AHEAD:
                group.ask()
            session.logger.record("ray/nodes_replaced", group.replaced)
            show(parts, session, callback)
            take_in_when_asked(group, session)
        model: Any = session.model
        model.settle()
        callback.on_training_end()


def check_fit(config: TrainConfig, cluster: Cluster) -> None:
    """Refuse what cannot be learned by so many nodes."""
    if config.algorithm != "ppo":
        raise ConfigError(f"--on ray trains with ppo, not {config.algorithm}. Leave --on ray away, or choose ppo.")
    if config.learner == "sb3":
        raise ConfigError("--on ray learns with hotlap's learner or RLlib's, not with sb3. Leave --on ray away.")
    if registered(config.world).parallel_env:  # cars that meet cannot be shared out
        raise ConfigError(f"the world {config.world} is driven by one process only. Leave --on ray away.")
    if learns_on_gpu(config):
        raise ConfigError("--on ray learns on cores, and this run would learn on a GPU. Add --device cpu.")
    check_shares(config, cluster.nodes)


def check_shares(config: TrainConfig, nodes: int) -> None:
    """Refuse cars and batches that cannot be shared evenly."""
    for count, what in ((config.cars, "cars"), (config.ppo.batch_size, "samples of a batch")):
        if count % nodes:
            raise ConfigError(
                f"{count:,} {what} cannot be shared evenly by {nodes:,} nodes. Choose another --cluster.nodes."
            )


def state_of(session: TrainingSession) -> RunState:
    """The run as it is."""
    return RunState(session.state.tensors(), session.state.counters())


def show(parts: Sequence[Iteration], session: TrainingSession, callback: Any) -> None:
    """Let callbacks see the rollout of all nodes as they see one of this process, and write the log."""
    model: Any = session.model
    model.num_timesteps = parts[0].counters["num_timesteps"]
    model.ep_info_buffer.extend(episode for part in parts for episode in part.episodes)
    sums = np.sum([part.sums for part in parts], axis=0)
    summaries = [part.summary for part in parts]
    samples = [part.samples for part in parts if part.samples is not None]
    callback.update_locals({"summaries": summaries, "sums": sums, "infos": None, **side_by_side(samples)})
    callback.on_step()
    callback.on_rollout_end()
    for tag, value in means([part.log for part in parts]).items():
        session.logger.record(tag, value)
    model.dump_logs()


def side_by_side(samples: Sequence[Samples]) -> dict[str, Any]:
    """The rollouts of nodes as one of all their cars; nothing where they sent none."""
    if not samples:
        return {}
    shown = {name: np.concatenate([part.shown[name] for part in samples], axis=1) for name in SHOWN}
    columns = {name: np.concatenate([part.columns[name] for part in samples], axis=1) for name in samples[0].columns}
    return {**shown, "columns": columns}


def means(logs: Sequence[dict[str, Any]]) -> dict[str, float]:
    """What all nodes say about an update, on average; what is not for TensorBoard is left out."""
    found: dict[str, list[float]] = {}
    for log in logs:
        for tag, (value, _count, excluded) in log.items():
            if value is not None and "tensorboard" not in excluded:
                found.setdefault(tag, []).append(float(value))
    return {tag: sum(values) / len(values) for tag, values in found.items()}


def take_in_when_asked(group: NodeGroup, session: TrainingSession) -> None:
    """Take in the weights, which are looked at after every update, and the rest when the run is saved or exported."""
    model: Any = session.model
    session.state.begin_with(group.weights, {})
    for name in COUNTED:
        setattr(model, name, group.counters[name])
    model.bring_home = lambda: take_in(group.state, session)


def take_in(state: RunState, session: TrainingSession) -> None:
    """Put what the nodes drove and learned into the run; what callbacks counted is its own."""
    own = session.state
    tensors = {name: dict(group) for name, group in state.tensors.items()}
    tensors["environment"] |= session.metrics.tensors()
    counted = {name: state.counters[name] for name in COUNTED}
    own.restore(tensors, own.counters() | counted)
