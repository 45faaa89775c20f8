"""Sums over the nodes of a training: torch's gloo, whose processes find each other through Ray's own store."""

import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from numpy.typing import NDArray

from hotlap.scaleout.cluster import load_ray
from hotlap.systems import keep_threads_to_cores, let_others_run, usable_cores

NAMESPACE = b"hotlap"
PATIENCE_S = 60.0
"""How long a node waits for the others before it gives an update up."""
POLLING_S = 0.005
GATHERED_BYTES = 1 << 18
"""Up to so many from all nodes together, every node is sent all and adds up itself: half as many messages in a row."""


class RayStore(dist.Store):  # type: ignore[name-defined, misc]
    """Where nodes leave their addresses for each other: the cluster's own key-value store, behind its token."""

    def __init__(self, meeting: str) -> None:
        super().__init__()
        self._prefix = f"{meeting}/"
        self._kv = load_ray("experimental", "internal_kv")

    def set(self, key: str, value: Any) -> None:
        """Leave a value."""
        data = value.encode() if isinstance(value, str) else bytes(value)
        self._kv._internal_kv_put(self._key(key), data, overwrite=True, namespace=NAMESPACE)

    def get(self, key: str) -> bytes:
        """A value, as soon as somebody has left it."""
        end_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < end_s:
            found: bytes | None = self._kv._internal_kv_get(self._key(key), namespace=NAMESPACE)
            if found is not None:
                return found
            time.sleep(POLLING_S)
        raise TimeoutError(f"no other node has left {key}")

    def wait(self, keys: Sequence[str], _timeout: timedelta | None = None) -> None:
        """Until all of them are there."""
        for key in keys:
            self.get(key)

    def forget(self) -> None:
        """Remove all that was left for this meeting."""
        self._kv._internal_kv_del(self._key(""), del_by_prefix=True, namespace=NAMESPACE)

    def _key(self, key: str) -> bytes:
        return f"{self._prefix}{key}".encode()


class NodePeers:
    """The nodes that learn together since they met: a `hotlap.learning.peers.Peers`."""

    def __init__(self, meeting: str, rank: int, count: int, address: str) -> None:
        self.rank, self.count = rank, count
        self._store = RayStore(meeting)
        gloo: Any = dist.ProcessGroupGloo
        options = gloo._Options()
        options._devices = [gloo.create_device(hostname=address)]
        options._timeout = timedelta(seconds=PATIENCE_S)
        self._group = gloo(self._store, rank, count, options)
        self._store.set(f"machine-{rank}", address)

    def add_up(self, array: NDArray[Any]) -> None:
        """Put the sum over all nodes in place of an array that each of them has; all get the same bytes."""
        if self.count * array.nbytes > GATHERED_BYTES:
            _wait_for(self._group.allreduce([torch.from_numpy(array)]))
            return
        gathered = np.empty((self.count, *array.shape), array.dtype)
        rows = [torch.from_numpy(row) for row in gathered]
        _wait_for(self._group.allgather([rows], [torch.from_numpy(array)]))
        np.add.reduce(gathered, axis=0, out=array)

    def keep_to_own_cores(self, cores: int) -> None:
        """Where nodes fill a machine together, each keeps to cores of its own: a thread that moves makes all wait."""
        machines = [self._store.get(f"machine-{rank}") for rank in range(self.count)]
        here = [rank for rank, machine in enumerate(machines) if machine == machines[self.rank]]
        usable = usable_cores()
        if len(here) * cores == len(usable):
            first = here.index(self.rank) * cores
            keep_threads_to_cores(usable[first : first + cores])


def _wait_for(work: Any) -> None:
    """A core that was left may come back only after milliseconds: keep it, and let gloo's threads in between."""
    while not work.is_completed():
        let_others_run()
    work.wait()
