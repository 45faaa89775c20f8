"""Hotlap's learner on two raylets with a core each, beside one process with two: `python -m benchmarks.ray_nodes`."""

import json
import os
import secrets
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import tyro
from stable_baselines3.common.callbacks import BaseCallback

from hotlap.benchmark.report import describe_machine
from hotlap.evaluation.table import console_for_results, empty_table
from hotlap.progress import say
from hotlap.scaleout.cluster import joined, load_ray
from hotlap.scaleout.nodes.collective import NodePeers
from hotlap.scaleout.nodes.learning import NodesLearner
from hotlap.scaleout.places import Cluster
from hotlap.training.config import load_preset, with_steps
from hotlap.training.train import Learner, train

SIZES = (32, 10_503, 100_000, 1_000_000)
"""Numbers that are added up: of a few sums, of the gradients of racer-ppo, and of larger networks."""
STORE_BYTES = 200_000_000


@dataclass(frozen=True)
class NodesMeasurement:
    """What to measure."""

    preset: str = "racer-ppo"
    """A preset that learns with PPO, or a .toml file."""
    nodes: int = 2
    """Raylets with one core each; as many cores are needed to mean anything."""
    iterations: int = 60
    """Iterations to take the median of, after ten that start things."""
    repeats: int = 2
    """How often each is measured, in turn; the best counts."""
    json: bool = False
    """Print one JSON object instead of a table."""


@dataclass(frozen=True)
class Rates:
    """What was measured."""

    here: list[float]
    """Steps a second in one process, each time."""
    on_nodes: list[float]
    allreduce_us: dict[int, float]
    """How long adding up so many float32 takes, in microseconds."""

    @property
    def ratio(self) -> float:
        """What the nodes reach of one process."""
        return max(self.on_nodes) / max(self.here)


class Stopwatch(BaseCallback):
    """Notes when every iteration was over."""

    whole_rollouts = True
    needs_samples = False

    def __init__(self) -> None:
        super().__init__()
        self.ended_s: list[float] = []

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        self.ended_s.append(time.monotonic())


class Adder:
    """A node that only adds up."""

    def seconds(self, meeting: str, rank: int, nodes: int) -> dict[int, float]:
        """The median time of a sum of each size."""
        peers = NodePeers(meeting, rank, nodes, load_ray("util").get_node_ip_address())
        return {size: median(self._time(peers, size) for _ in range(100)) for size in SIZES}

    def _time(self, peers: NodePeers, size: int) -> float:
        array = np.ones(size, np.float32)
        began_s = time.perf_counter()
        peers.add_up(array)
        return time.perf_counter() - began_s


@contextmanager
def raylets(count: int) -> Iterator[str]:
    """The address of a cluster of so many raylets with a core each, behind a token of its own where there is none."""
    os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex())
    made = load_ray("cluster_utils").Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": STORE_BYTES}
    )
    try:
        for _ in range(count - 1):
            made.add_node(num_cpus=1, object_store_memory=STORE_BYTES)
        yield made.address
    finally:
        made.shutdown()


def rate(wanted: NodesMeasurement, learner: Learner | None) -> float:
    """Steps a second of a whole training, callbacks and TensorBoard included, evaluations apart."""
    config = load_preset(wanted.preset)
    steps = config.cars * config.ppo.n_steps
    config = with_steps(config, steps * (10 + wanted.iterations))
    config = replace(config, evaluation=replace(config.evaluation, every_steps=0), device="cpu")
    watch = Stopwatch()
    with tempfile.TemporaryDirectory() as root:
        train(config, "measured", Path(root), say, [watch], learner)
    return steps * wanted.iterations / (watch.ended_s[-1] - watch.ended_s[-1 - wanted.iterations])


def allreduce_us(address: str, nodes: int) -> dict[int, float]:
    """Microseconds of a sum of each size over all nodes."""
    with joined(address) as ray:
        made = ray.remote(Adder).options(num_cpus=1, scheduling_strategy="SPREAD")
        adders = [made.remote() for _ in range(nodes)]
        found = ray.get([adder.seconds.remote("adders", rank, nodes) for rank, adder in enumerate(adders)])
    return {size: round(1e6 * found[0][size], 1) for size in SIZES}


def measure(wanted: NodesMeasurement) -> Rates:
    """One process and the nodes in turn."""
    here, on_nodes = [], []
    with raylets(wanted.nodes) as address:
        sums_us = allreduce_us(address, wanted.nodes)
        for _ in range(wanted.repeats):
            here.append(rate(wanted, None))
            on_nodes.append(rate(wanted, NodesLearner(Cluster(address, nodes=wanted.nodes))))
    return Rates(here, on_nodes, sums_us)


def run_nodes_benchmark(wanted: NodesMeasurement) -> int:
    """Measure and print."""
    rates = measure(wanted)
    if wanted.json:
        document: dict[str, Any] = {"machine": describe_machine(), **asdict(wanted), **asdict(rates)}
        print(json.dumps(document | {"ratio": round(rates.ratio, 3)}))
        return 0
    table = empty_table(f"{wanted.preset}, steps/s", ("best", "all"))
    for name, found in (("one process", rates.here), (f"{wanted.nodes} raylets, a core each", rates.on_nodes)):
        table.add_row(name, f"{max(found):,.0f}", ", ".join(f"{each:,.0f}" for each in found))
    console_for_results().print(table)
    print(f"ratio {rates.ratio:.2f}")
    for size, needed_us in rates.allreduce_us.items():
        print(f"a sum of {size:,} float32 over {wanted.nodes} nodes: {needed_us:,.0f} µs")
    return 0


if __name__ == "__main__":
    sys.exit(run_nodes_benchmark(tyro.cli(NodesMeasurement)))
