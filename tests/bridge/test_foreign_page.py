"""A page in a real browser tries to reach a bridge on the same machine: only the bridge's own origin gets in."""

from http import HTTPStatus

import pytest

from bridge.running import running_server
from browser.game_page import blank_page
from web.elsewhere import elsewhere

pytestmark = pytest.mark.browser
RESET = """url => new Promise(resolve => {
  const socket = new WebSocket(url);
  socket.onopen = () => socket.send('{"type":"reset"}');
  socket.onmessage = message => resolve(JSON.parse(message.data).type);
  socket.onerror = () => resolve('failed');
})"""


@pytest.fixture
def page():
    with blank_page() as page:
        yield page


def test_page_of_another_origin_is_refused_and_one_of_its_own_is_not(page):
    with running_server() as server, elsewhere() as foreign:
        refusals = []
        refusal = server.server.refusal
        server.server.refusal = lambda headers: refusals.append(refusal(headers)) or refusals[-1]
        page.goto(foreign)
        for name in ("127.0.0.1", "localhost"):
            assert page.evaluate(RESET, f"ws://{name}:{server.port}") == "failed"
        assert [(said.status, said.reason) for said in refusals] == [
            (HTTPStatus.FORBIDDEN, "pages of other origins may not connect")
        ] * 2
        page.goto(f"http://127.0.0.1:{server.port}/")  # no page is there, and its answer still has the origin
        assert page.evaluate(RESET, server.url) == "reset_result"
