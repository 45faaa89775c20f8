"""The nodes of a training as Ray's actors: placed, met, and replaced when one is lost."""

import uuid
from collections import deque
from collections.abc import Mapping
from itertools import chain
from typing import Any

from numpy.typing import NDArray

from hotlap.errors import ClusterError, HotlapError
from hotlap.scaleout.cluster import load_ray
from hotlap.scaleout.nodes.collective import PATIENCE_S, RayStore
from hotlap.scaleout.nodes.node import Iteration, Node, RunState
from hotlap.scaleout.nodes.shares import Groups, put_together
from hotlap.scaleout.places import Cluster
from hotlap.training.config import TrainConfig, config_document

MOST_LOSSES = 3
"""How many in a row, with no update between them, before something else must be wrong."""
START_S = 120.0
"""How long nodes take to start and to meet, at most."""
ANSWER_S = 10.0
"""How long a node that lives takes to say so, at most."""
HEARS_EVERY_S = 0.5
"""How often a signal is heard while Ray waits for nodes: it keeps what a signal raises until it has waited."""
SHARES = "shares"
"""What Ray calls the thread of a node that hands out its share of the run while the node drives on."""


class NodeGroup:
    """Nodes that iterate together; when one is lost, all make again what they made since the run was fetched last."""

    def __init__(
        self, ray: Any, config: TrainConfig, cluster: Cluster, state: RunState, *, needs_samples: bool
    ) -> None:
        self.ray, self.cluster, self._needs_samples = ray, cluster, needs_samples
        self._first = self._state = state
        self._since = 0
        """How many updates were finished since that state was fetched."""
        self._repeats = 0
        """How many of the iterations that were asked for make such updates again."""
        self.replaced = self._losses = 0
        self._document = config_document(config)
        self._errors = load_ray("exceptions")
        self._meeting = ""
        self.weights: Mapping[str, NDArray[Any]] = {}
        self.counters: dict[str, Any] = state.counters
        """Both of the last finished update."""
        self._asked: deque[list[Any]] = deque()
        check_room(ray.cluster_resources().get("CPU", 0.0), cluster)
        self.nodes = [self._start(rank) for rank in range(cluster.nodes)]
        self._begin()

    @property
    def state(self) -> RunState:
        """The run after its last finished update, fetched from the nodes: where they begin again when one is lost."""
        while self._since:
            try:
                self._state, self._since = RunState(self._fetched(), self.counters), 0
            except self._errors.RayError as problem:
                self._ask_again(problem)
        return self._state

    def _fetched(self) -> Groups:
        """The shares of all nodes, put together."""
        self._repeat()
        step = self.counters["num_timesteps"]
        shares = [node.share.options(concurrency_group=SHARES).remote(step) for node in self.nodes]
        return put_together(self._get(shares), self._first.tensors)

    def ask(self) -> None:
        """Let all nodes drive a rollout and learn from it."""
        self._asked.append([node.iterate.remote(needs_samples=self._needs_samples) for node in self.nodes])

    def answers(self) -> list[Iteration]:
        """What the nodes bring back from the first iteration they were asked for, in the order of their ranks."""
        while True:
            try:
                self._repeat()
                return self._finished(self._next())
            except self._errors.RayError as problem:
                self._ask_again(problem)

    def _finished(self, parts: list[Iteration]) -> list[Iteration]:
        """An update more."""
        self._since, self._losses = self._since + 1, 0
        self.weights, self.counters = parts[0].weights, self.counters | parts[0].counters
        return parts

    def _next(self) -> list[Iteration]:
        found: list[Iteration] = self._get(self._asked[0])
        self._asked.popleft()
        return found

    def _get(self, tasks: list[Any]) -> Any:
        """What comes of some tasks, however long it takes, unless a signal ends the waiting."""
        while True:
            try:
                return self.ray.get(tasks, timeout=HEARS_EVERY_S)
            except self._errors.GetTimeoutError:
                pass

    def _repeat(self) -> None:
        """Wait for updates that are made again; the same came of them before."""
        while self._repeats:
            self._next()
            self._repeats -= 1

    def _ask_again(self, problem: Exception) -> None:
        """Let what was asked for come to its end, replace who is lost, and ask for all since the last state again."""
        tasks, new = list(chain(*self._asked)), len(self._asked) - self._repeats
        if tasks:
            self.ray.wait(tasks, num_returns=len(tasks), timeout=PATIENCE_S)
        self._asked.clear()
        self._replace_lost(problem)
        self._begin()
        self._repeats = self._since
        for _ in range(self._since + new):
            self.ask()

    def close(self) -> None:
        """Let all nodes go."""
        RayStore(self._meeting).forget()
        for node in self.nodes:
            self.ray.kill(node)

    def _start(self, rank: int) -> Any:
        """A node with cores of its own, on another machine than the others where there is one."""
        options = {"num_cpus": self.cluster.cores, "scheduling_strategy": "SPREAD", "max_restarts": 0}
        made = self.ray.remote(**options, concurrency_groups={SHARES: 1})(Node)
        return made.remote(self._document, rank, self.cluster.nodes, self.cluster.cores)

    def _begin(self) -> None:
        """Let all nodes find each other and take over the run as it is; lost ones are replaced until all have."""
        while True:
            if self._meeting:
                RayStore(self._meeting).forget()
            self._meeting = uuid.uuid4().hex
            state = self.ray.put(self._state)
            try:
                self.ray.get([node.begin.remote(self._meeting, state) for node in self.nodes], timeout=START_S)
            except self._errors.RayError as problem:
                self._replace_lost(problem)
            else:
                return

    def _replace_lost(self, problem: Exception) -> None:
        """Put new nodes in place of those that do not answer, unless the problem is no loss."""
        cause = getattr(problem, "cause", None)
        if isinstance(cause, HotlapError):
            raise cause
        self._losses += 1
        if self._losses > MOST_LOSSES:
            raise ClusterError(f"the nodes cannot learn together: {_last_line(problem)}") from problem
        lost = [rank for rank, node in enumerate(self.nodes) if not self._lives(node)]
        for rank in lost:
            self.ray.kill(self.nodes[rank])
            self.nodes[rank] = self._start(rank)
        self.replaced += len(lost)

    def _lives(self, node: Any) -> bool:
        try:
            self.ray.get(node.__ray_ready__.remote(), timeout=ANSWER_S)
        except self._errors.RayError:
            return False
        return True


def check_room(cores: float, cluster: Cluster) -> None:
    """Refuse more nodes than a cluster has cores for: Ray would wait for more."""
    if cores < cluster.nodes * cluster.cores:
        raise ClusterError(
            f"the cluster has {cores:g} cores, and {cluster.nodes} nodes with {cluster.cores} each need "
            f"{cluster.nodes * cluster.cores}. Start more raylets, or ask for fewer with --cluster.nodes."
        )


def _last_line(problem: Exception) -> str:
    """The last line of a remote error says what it was, the others where."""
    lines = [line for line in str(problem).strip().splitlines() if line.strip()]
    return lines[-1][:300] if lines else type(problem).__name__
