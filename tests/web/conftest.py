"""What the tests of the server share."""

import pytest

from web.game_server import running


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server without runs; the tests of a file share it."""
    with running(tmp_path_factory.mktemp("game")) as server:
        yield server
