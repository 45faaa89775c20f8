"""A page of another origin in a real browser: it can neither read from the server, nor write to it, nor listen."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from browser.game_page import blank_page
from hotlap.racer.fingerprint import physics_fingerprint
from store.driven_laps import clean_drive
from web.elsewhere import elsewhere
from web.game_server import RunningServer, running
from web.sample_runs import make_run

pytestmark = pytest.mark.browser


@pytest.fixture
def game(tmp_path) -> Iterator[RunningServer]:
    make_run(tmp_path / "runs", "learner")
    with running(tmp_path / "game", tmp_path / "runs") as server:
        yield server


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with blank_page() as page:
        yield page


FETCH = """async ([url, options]) => {
  try { const answer = await fetch(url, options); return [answer.type, answer.status, (await answer.text()).length]; }
  catch (error) { return ['failed']; }
}"""
LISTEN = """url => new Promise(resolve => {
  const socket = new WebSocket(url);
  socket.onmessage = message => resolve(JSON.parse(message.data).type);
  socket.onerror = () => resolve('failed');
})"""
EMBED = """url => new Promise(resolve => {
  const script = document.createElement('script');
  script.src = url; script.onload = () => resolve('loaded'); script.onerror = () => resolve('failed');
  document.head.append(script);
})"""


def lap_body() -> str:
    drive, ticks = clean_drive()
    lap = {"track": "track-01", "name": "Eve", "ticks": ticks, "fingerprint": physics_fingerprint()}
    return json.dumps({**lap, "drive": drive.as_json()})


def test_foreign_page_gets_nothing_and_changes_nothing(game, page):
    with elsewhere() as foreign:
        page.goto(foreign)
        for mode in ("cors", "no-cors"):
            assert page.evaluate(FETCH, [f"{game.origin}/data/policies.json", {"mode": mode}]) == ["failed"]
            sent = {"method": "POST", "mode": mode, "body": lap_body()}
            assert page.evaluate(FETCH, [f"{game.origin}/api/laps", sent]) == ["failed"]
        assert page.evaluate(LISTEN, f"ws://127.0.0.1:{game.port}/ws/live") == "failed"
        assert page.evaluate(EMBED, f"{game.origin}/assets/page-1.js") == "failed"
    assert game.get("/api/laps").json() == {"best": {}}


def test_own_page_reads_writes_and_listens(game, page):
    page.goto(f"{game.origin}/")
    assert page.title() == "Hotlap"
    kind, status, _ = page.evaluate(FETCH, ["data/policies.json", {}])
    assert (kind, status) == ("basic", 200)
    sent = {"method": "POST", "body": lap_body(), "headers": {"Content-Type": "application/json"}}
    assert page.evaluate(FETCH, ["api/laps", sent])[1] == 201
    assert page.evaluate(LISTEN, f"ws://127.0.0.1:{game.port}/ws/live") == "run"


def test_own_page_may_compile_the_physics_but_no_text_and_no_inline_script(game, page):
    page.goto(f"{game.origin}/")
    exports = page.evaluate(
        "async () => Object.keys((await WebAssembly.instantiateStreaming(fetch('data/racer.wasm'), {env: Math}))"
        ".instance.exports).sort()"
    )
    assert exports == ["__heap_base", "memory", "update", "update_grip"]
    inline = "() => { const s = document.createElement('script'); s.textContent = 'window.owned = 1';"
    assert page.evaluate(f"{inline} document.head.append(s); return window.owned ?? null; }}") is None
    assert page.get_attribute("html", "data-eval") == "refused"
