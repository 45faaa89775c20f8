"""Links: an address carries a race, a lap to beat opens straight into it, and a hostile address is refused politely."""

import re

import pytest
from playwright.sync_api import expect

from browser.game_page import lap_text, scripted_drive

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]
HOSTILE = {
    "?track=..%2F..%2Fetc%2Fpasswd": "damaged",
    "?track=nowhere": "track that is not here",
    "?track=track-01&driver=nobody": "driver that is not here",
    "?track=track-01&beat=400#drive=%00%00": "damaged",
    "?track=track-01&by=" + "x" * 3000: "too long",
}


def test_lap_to_beat_is_copied_as_a_link_that_opens_straight_into_the_race(game):
    game.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    inputs, ticks = scripted_drive(1)
    game.open().hurry().drive(inputs)
    game.race("Solo", "1")
    game.wait_for_results()
    expect(game.page.get_by_test_id("delivery")).to_have_text(re.compile("board"))
    game.page.get_by_test_id("share").click()
    expect(game.page.get_by_test_id("share")).to_have_text("Link copied")
    link = game.page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(game.address + "?track=track-01&car=classic")
    game.page.goto(link)
    game.page.locator("body[data-screen=race]").wait_for()
    expect(game.page.locator(".hud-title")).to_have_text(f"Beat You: {lap_text(ticks)}")
    expect(game.page.locator(".hud-count")).to_have_class(re.compile("shown"))
    assert game.stat("cars") == 2


def test_link_to_a_track_and_a_driver_opens_that_race(game):
    game.open()
    policies = game.page.request.get(game.address + "data/policies.json").json()["policies"]
    driver = next(entry for entry in policies if entry["kind"] == "best")
    game.open(f"?track=track-01&driver={driver['key']}&laps=5")
    expect(game.page.locator(".hud-lap")).to_have_text("LAP 1/5")
    assert game.stat("cars") == 2


def test_hostile_address_is_refused_in_one_sentence_and_the_menu_works(game):
    asked: list[str] = []
    game.page.on("request", lambda request: asked.append(request.url))
    for query, reason in HOSTILE.items():
        asked.clear()
        game.open(query)
        expect(game.page.locator(".menu-note")).to_contain_text(reason)
        expect(game.page.locator(".start")).to_be_enabled()
        further = [url for url in asked if url != game.address + query]
        assert not [url for url in further if "passwd" in url or "nobody" in url or "nowhere" in url]
