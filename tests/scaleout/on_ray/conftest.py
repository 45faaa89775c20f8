"""Clusters of two raylets on one machine, with a token of their own; only processes started here are ended."""

import importlib
import os
import secrets
import signal
import sys
from pathlib import Path

import pytest

OBJECT_STORE_BYTES = 100_000_000


@pytest.fixture(scope="session", autouse=True)
def _token():
    """A token that only these tests know, and a cluster whose python is this one."""
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32), "OMP_NUM_THREADS": "1"}


class TwoNodes:
    """A head and a worker with a CPU each; `pids` are the processes that make them up."""

    def __init__(self, **head):
        node = {"num_cpus": 1, "object_store_memory": OBJECT_STORE_BYTES}
        # Loaded only now: Ray looks for the token when it is imported.
        cluster = importlib.import_module("ray.cluster_utils").Cluster
        self._cluster = cluster(initialize_head=True, head_node_args={**node, **head})
        self._cluster.add_node(**node)
        self.address = self._cluster.address
        self.dashboard = self._cluster.head_node.webui_url if "include_dashboard" in head else None

    def pids(self):
        nodes = [self._cluster.head_node, *self._cluster.worker_nodes]
        return [info.process.pid for node in nodes for each in node.all_processes.values() for info in each]

    def kill(self):
        """End every process of the cluster at once, as a power cut does."""
        for pid in self.pids():
            os.kill(pid, signal.SIGKILL)
        self._cluster.shutdown()

    def close(self):
        self._cluster.shutdown()


@pytest.fixture(scope="session")
def cluster(_token):
    """Two nodes for all tests that leave them alive; they take jobs, on loopback."""
    node = TwoNodes(include_dashboard=True, dashboard_host="127.0.0.1", dashboard_port=0)
    yield node
    node.close()


@pytest.fixture
def cluster_to_kill(_token):
    """Two nodes of a test's own."""
    node = TwoNodes()
    yield node
    node.close()
