"""The lap board in the page: laps are delivered, persist, are kept while the server is gone, and can be raced."""

import functools
import http.server
import re
import threading

import pytest
from playwright.sync_api import expect

from browser.game_page import GamePage, lap_text, scripted_drive
from hotlap import cli

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


def drive_a_lap(game: GamePage) -> int:
    inputs, ticks = scripted_drive(1)
    game.open().hurry().drive(inputs)
    game.race("Solo", "1")
    game.wait_for_results()
    return ticks


def laps_on_the_server(game: GamePage) -> list[dict]:
    return game.page.request.get(game.address + "api/laps?track=track-01").json()["laps"]


def test_clean_lap_is_on_the_board_after_a_reload_and_can_be_watched_and_raced_as_a_ghost(game):
    ticks = drive_a_lap(game)
    placed = re.compile(rf"^{lap_text(ticks)} is number \d+ on the board\.$")
    expect(game.page.get_by_test_id("delivery")).to_have_text(placed)
    assert ticks in [lap["ticks"] for lap in laps_on_the_server(game)]
    game.open().hurry()
    game.page.get_by_role("button", name="Lap board").click()
    expect(game.page.get_by_test_id("board")).to_contain_text(lap_text(ticks))
    lap = game.page.get_by_test_id("board").locator("tr", has_text=lap_text(ticks)).first
    lap.get_by_role("button", name=re.compile("^Watch the lap")).click()
    game.page.locator("body[data-screen=race]").wait_for()
    game.wait_for_results()
    assert game.times(2) == [lap_text(ticks)]
    game.page.get_by_role("button", name="Lap board").click()
    lap.get_by_role("button", name=re.compile("^Race the ghost")).click()
    expect(game.page.locator(".hud-place")).to_have_text(re.compile("^P"))


def test_lap_is_kept_while_the_server_is_gone_and_sent_when_it_is_back(game):
    game.expect_complaints("ERR_FAILED")
    game.page.route("**/api/laps", lambda route: route.abort())
    ticks = drive_a_lap(game)
    expect(game.page.get_by_test_id("delivery")).to_contain_text("kept here")
    assert game.page.evaluate("JSON.parse(localStorage['hotlap.pending']).length") == 1
    game.page.unroute("**/api/laps")
    with game.page.expect_response(lambda answer: answer.request.method == "POST") as sent:
        game.open()
    assert sent.value.status in (200, 201)
    assert ticks in [lap["ticks"] for lap in laps_on_the_server(game)]


def test_game_on_a_static_host_keeps_its_laps_in_the_browser(one_window, runs, tmp_path):
    assert cli.main(["export", "site", str(tmp_path / "site"), "--root", str(runs)]) == 0
    quiet = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    handler = functools.partial(quiet, directory=str(tmp_path / "site"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        game = one_window.as_new(f"http://127.0.0.1:{server.server_port}/")
        ticks = drive_a_lap(game)
        expect(game.page.get_by_test_id("delivery")).to_contain_text("on this browser")
        game.open()
        game.page.get_by_role("button", name="Lap board").click()
        expect(game.page.get_by_test_id("board")).to_contain_text(lap_text(ticks))
        assert game.complaints == []
        server.shutdown()
        thread.join()
