"""What comes over the wire before the first race, and what the player sees of it."""

import pytest
from playwright.sync_api import expect

from browser.game_page import keeps_to_the_middle, lap_text, laps_in_python, of_another_kind, publish
from web.sample_runs import make_run

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

MOST_BYTES = 1_000_000
MOST_SECONDS = 3.0
NINE_MEGABITS = {"offline": False, "latency": 40, "downloadThroughput": 9e6 / 8, "uploadThroughput": 1e6 / 8}


@pytest.fixture(scope="module")
def foreigner(other_runs):
    """A driver whose graph is not one of Hotlap's own, in a run of this name."""
    policy = of_another_kind(keeps_to_the_middle(1000))
    publish(make_run(other_runs, "foreigner"), 1000, policy)
    return policy


def test_first_race_with_a_machine_takes_less_than_a_megabyte(game_apart):
    session = game_apart.page.context.new_cdp_session(game_apart.page)
    session.send("Network.enable")
    received: list[float] = []
    session.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
    asked: list[str] = []
    game_apart.page.on("request", lambda request: asked.append(request.url))
    game_apart.open().race("Versus AI", "1", countdown=True)
    expect(game_apart.page.get_by_test_id("current-lap")).not_to_have_text("0:00.000")
    assert game_apart.stat("cars") == 2
    assert not [url for url in asked if "/ort" in url]
    assert len(received) > 10
    assert sum(received) < MOST_BYTES


def test_first_race_with_a_machine_begins_soon_at_nine_megabits(game_apart, in_time):
    session = game_apart.page.context.new_cdp_session(game_apart.page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", NINE_MEGABITS)
    game_apart.page.goto(f"{game_apart.address}?track=track-01&car=classic&laps=1&rivals=1&seed=1")
    game_apart.page.locator("body[data-screen=race]").wait_for()
    game_apart.wait_until("window.hotlapStats.cars === 2")
    in_time(game_apart.page.evaluate("performance.now()") / 1000, MOST_SECONDS)


def test_driver_of_another_kind_of_graph_is_driven_by_onnxruntime(other_game, foreigner):
    other_game.open().choose_driver("foreigner")
    with other_game.page.expect_request("**/ort*"):
        other_game.hurry().race("Spectate", "3", countdown=True)
    other_game.wait_for_results()
    assert other_game.times(2) == [lap_text(ticks) for ticks in laps_in_python(foreigner, "track-01", 3)]


@pytest.mark.usefixtures("foreigner")
def test_who_waits_sees_names_and_sizes_and_may_begin_alone(other_game):
    # A network as slow as a bad phone's, for the 14 MB alone.
    other_game.page.route("**/assets/ort*.wasm", lambda _route: None)
    other_game.open()
    other_game.choose("Versus AI")
    other_game.choose_driver("foreigner")
    other_game.page.locator(".start").click()
    waiting = other_game.page.get_by_role("status").filter(has_text="Loading")
    expect(waiting).to_be_visible()
    other_game.page.get_by_role("button", name="Start without the AI").click()
    notice = other_game.page.locator(".hud-notice")
    expect(notice).to_contain_text("The AI was still loading. On the track instead: You")
    expect(waiting).to_be_hidden()
    assert other_game.stat("cars") == 1


def test_slow_download_is_shown_by_name_and_size(game):
    game.page.route("**/data/policies/*.onnx", lambda _route: None)
    game.open()
    slowly = """() => {
        const usual = window.fetch;
        window.fetch = async (url, ...rest) => {
            if (!String(url).includes("track-03.bin")) return usual(url, ...rest);
            const body = new ReadableStream({ start(pieces) { pieces.enqueue(new Uint8Array(40_000)); } });
            return new Response(body, { headers: { "X-Decoded-Length": "120000" } });
        };
    }"""
    game.page.evaluate(slowly)
    game.choose("Gauntlet")
    game.choose("Solo")
    game.page.locator(".start").click()
    row = game.page.locator(".progress li").filter(has_text="the physics of the track")
    expect(row).to_contain_text("40 kB of 120 kB")
    expect(game.page.get_by_role("button", name="Start without the AI")).to_be_hidden()
