"""One node of a training: a process with cars, tiles and a learner of its own, and the weights of all."""

import dataclasses
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback, CallbackList

from hotlap.scaleout.cluster import load_ray
from hotlap.scaleout.nodes.collective import NodePeers
from hotlap.scaleout.nodes.shares import Groups, share_of
from hotlap.training.config import TrainConfig, config_from_document
from hotlap.training.session import open_session

SHARED = ("policy", "optimizer")
"""Groups of a state that the first node brings back for all."""
AHEAD = 2
"""How many iterations nodes have been asked for at a time."""
COUNTED = ("num_timesteps", "_n_updates")
SHOWN = ("new_obs", "rewards", "dones", "actions")
"""What callbacks see of a rollout beside columns and sums: (ticks, cars) or longer."""
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class RunState:
    """A run after its last finished update, whole."""

    tensors: Groups
    counters: dict[str, Any]


@dataclass(frozen=True)
class Samples:
    """A rollout as callbacks see it."""

    shown: Arrays
    columns: Arrays


@dataclass(frozen=True)
class Iteration:
    """What a node brings back from a rollout and an update: so little that Ray needs no object store for it."""

    weights: Arrays
    """Those of all nodes, from the first."""
    counters: dict[str, int]
    log: dict[str, Any]
    episodes: list[dict[str, Any]]
    sums: NDArray[np.float64]
    summary: Any
    """What the metrics of the run need of the rollout."""
    samples: Samples | None
    """The whole rollout, where callbacks look at it or something in it is no number."""


def node_config(config: TrainConfig, nodes: int) -> TrainConfig:
    """A node's share of the cars and of every batch."""
    batch = min(config.ppo.batch_size, config.cars * config.ppo.n_steps) // nodes
    ppo = dataclasses.replace(config.ppo, batch_size=batch)
    return dataclasses.replace(config, cars=config.cars // nodes, ppo=ppo, device="cpu")


class Watch(BaseCallback):
    """Keeps what a rollout shows, for callbacks elsewhere."""

    whole_rollouts = True

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[dict[str, Any]] = []

    def _on_rollout_start(self) -> None:
        self.seen.clear()

    def _on_step(self) -> bool:
        # A single tick comes as SB3 would show it, several with a dimension more.
        several = self.locals["infos"] is None
        shown = {name: self.locals[name] if several else self.locals[name][None] for name in SHOWN}
        self.seen.append(shown | {name: self.locals[name] for name in ("columns", "sums")})
        return True

    def samples(self) -> Samples:
        """The whole rollout, ticks first."""
        columns = [part["columns"] for part in self.seen]
        return Samples(
            {name: _all_ticks([part[name] for part in self.seen]) for name in SHOWN},
            {name: _all_ticks([part[name] for part in columns]) for name in columns[0]},
        )


def _all_ticks(parts: list[NDArray[Any]]) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


class Node:
    """Drives and learns together with others; Ray makes an actor of it."""

    def __init__(self, document: dict[str, Any], rank: int, nodes: int, cores: int) -> None:
        self.rank, self.nodes, self.cores = rank, nodes, cores
        self.session = open_session(node_config(config_from_document(document), nodes))
        model: Any = self.session.model
        model.learner.use_threads(cores)
        self.model = model
        self.watch = Watch()
        self.kept: deque[tuple[int, Groups]] = deque(maxlen=AHEAD + 1)
        """The steps of the last updates, and this node's share of the run after each."""
        watching = CallbackList([*self.session.schedules, self.watch])
        _, self.callback = self.model._setup_learn(self.session.config.steps, watching, reset_num_timesteps=False)

    def begin(self, meeting: str, state: RunState) -> None:
        """Find the other nodes, and take a share of the run as it is; whatever was before is forgotten."""
        address = load_ray("util").get_node_ip_address()
        self.model.learner.peers = peers = NodePeers(meeting, self.rank, self.nodes, address)
        peers.keep_to_own_cores(self.cores)
        own, metrics = self.session.state, self.session.metrics
        share = share_of(state.tensors, own.tensors(), self.rank, self.nodes)
        share["environment"] |= metrics.tensors()
        own.restore(share, {**state.counters, **metrics.counters(), "log": {}})
        self.kept.clear()
        self.callback.on_training_start({}, {})

    def iterate(self, *, needs_samples: bool) -> Iteration:
        """Drive all cars for a rollout and learn from it, together with the others."""
        model = self.model
        model.collect_rollouts(model.get_env(), self.callback, model.rollout_buffer, model.n_steps)
        model._update_current_progress_remaining(model.num_timesteps, self.session.config.steps)
        model.train()
        self.kept.append((model.num_timesteps, self.session.state.tensors()))
        return self._iteration(needs_samples=needs_samples)

    def share(self, step: int) -> Groups:
        """This node's share of the run after an update; what all nodes share only from the first."""
        tensors = dict(self.kept)[step]
        return {name: group for name, group in tensors.items() if self.rank == 0 or name not in SHARED}

    def _iteration(self, *, needs_samples: bool) -> Iteration:
        logger, model, samples = self.session.logger, self.model, self.watch.samples()
        log, sums = logger.pending(), self.watch.seen[-1]["sums"]
        logger.put_pending({})
        return Iteration(
            weights=dict(self.kept[-1][1]["policy"]) if self.rank == 0 else {},
            counters={name: int(getattr(model, name)) for name in COUNTED},
            log=log,
            episodes=model.driver.episodes,
            sums=sums,
            summary=self.session.metrics.summary({"columns": samples.columns, "dones": samples.shown["dones"]}),
            samples=samples if needs_samples or not np.isfinite(sums).all() else None,
        )
