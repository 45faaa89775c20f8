"""Sums over nodes: the same bytes for all of them, however large the arrays are."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch.distributed as dist

from hotlap.scaleout.nodes import collective
from hotlap.scaleout.nodes.collective import GATHERED_BYTES, NodePeers


@pytest.mark.parametrize("nodes", [2, 3])
@pytest.mark.parametrize("size", [1, 10_503, GATHERED_BYTES // 4])
def test_all_nodes_get_the_same_bytes_of_a_sum(nodes, size, monkeypatch):
    store = dist.HashStore()
    monkeypatch.setattr(collective, "RayStore", lambda _meeting: store)
    parts = np.random.default_rng(0).standard_normal((nodes, size)).astype(np.float32)

    def add_up(rank):
        mine = parts[rank].copy()
        NodePeers("here", rank, nodes, "127.0.0.1").add_up(mine)
        return mine

    with ThreadPoolExecutor(nodes) as pool:
        sums = list(pool.map(add_up, range(nodes)))
    assert len({found.tobytes() for found in sums}) == 1
    assert sums[0] == pytest.approx(parts.sum(axis=0), abs=1e-5)
