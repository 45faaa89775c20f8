"""A cluster made of this machine: nobody else hears of it, and nothing of it is left."""

import importlib

import pytest

from hotlap.scaleout.cluster import joined

pytestmark = pytest.mark.ray
LOOPBACK = {"127.0.0.1", "::1", "::ffff:127.0.0.1"}


@pytest.mark.timeout(120)
def test_a_cluster_of_this_machine_listens_to_this_machine_only_and_ends_with_its_last_process():
    with joined(cpus=1) as ray:
        psutil = importlib.import_module("psutil")  # Ray brings it along, and has to be loaded first
        assert ray.get(ray.remote(lambda: 6 * 7).remote()) == 42
        family = [psutil.Process(), *psutil.Process().children(recursive=True)]
        sockets = [each.laddr.ip for one in family for each in one.net_connections("tcp") if each.status == "LISTEN"]
    assert len(sockets) > 3
    assert set(sockets) <= LOOPBACK
    assert not psutil.wait_procs(family[1:], timeout=30)[1]
