"""Watching a training, and racing what it was: the run that was chosen, by its name."""

import pytest
from playwright.sync_api import expect

from browser.game_page import SIZES, assert_apart, assert_inside, run_with_checkpoints

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


def test_chosen_run_is_watched_and_its_younger_selves_are_raced_by_name(other_game, other_runs):
    for name in ("first", "second"):
        run_with_checkpoints(other_runs, name, 3)
    for name in ("first", "second"):
        other_game.open().choose("Watch it learn")
        other_game.choose_run(name)
        other_game.page.locator(".start").click()
        expect(other_game.page.locator(".learn strong")).to_have_text(name)
        expect(other_game.page.get_by_test_id("learn-driver")).to_contain_text("3k steps")
        other_game.open().choose("Younger selves")
        other_game.choose_run(name)
        other_game.page.locator(".start").click()
        expect(other_game.page.locator(".hud-title")).to_have_text(f"Younger selves of {name}")
        expect(other_game.page.locator(".hud-table li")).to_have_count(4)


@pytest.mark.parametrize("size", ["phone", "lying phone", "low window"])
def test_training_is_on_the_screen_beside_the_instruments(game, size):
    width, height = SIZES[size]
    game.page.set_viewport_size({"width": width, "height": height})
    game.open().race("Watch it learn", countdown=True)
    expect(game.page.locator(".learn .chart").last).to_be_visible()
    assert_inside(game, ".learn", width, height)
    for part in (".hud-times", ".hud-speed", ".hud-map", ".hud-inputs", ".hud-race"):
        assert_apart(game, ".learn", part)
