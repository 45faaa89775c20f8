"""One server for all tests that do not need their own."""

import pytest

from bridge.running import running_server
from hotlap.bridge.serving import warm_up


@pytest.fixture(scope="session", autouse=True)
def _compiled_kernels():
    """Compiling may take longer than a client waits."""
    warm_up()


@pytest.fixture(scope="module")
def server():
    with running_server() as running:
        yield running
