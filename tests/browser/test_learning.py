"""Watching a training, and racing what it was: the run that was chosen, by its name."""

import pytest
from playwright.sync_api import expect

from browser.game_page import GamePage, run_with_checkpoints, serving

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


def test_chosen_run_is_watched_and_its_younger_selves_are_raced_by_name(browser, tmp_path):
    for name in ("first", "second"):
        run_with_checkpoints(tmp_path, name, 3)
    with serving(tmp_path) as address:
        context = browser.new_context()
        game = GamePage(context.new_page(), address).open()
        for name in ("first", "second"):
            game.open().choose("Watch it learn")
            choose_run(game, name)
            game.page.locator(".start").click()
            expect(game.page.locator(".learn strong")).to_have_text(name)
            expect(game.page.get_by_test_id("learn-driver")).to_contain_text("3k steps")
            game.open().choose("Younger selves")
            choose_run(game, name)
            game.page.locator(".start").click()
            expect(game.page.locator(".hud-title")).to_have_text(f"Younger selves of {name}")
            expect(game.page.locator(".hud-table li")).to_have_count(4)
        context.close()
    assert game.complaints == []


def choose_run(game: GamePage, name: str) -> None:
    """Pick a run by its name."""
    option = game.page.locator("select option").filter(has_text=name).first
    game.page.get_by_label("Run").select_option(option.get_attribute("value"))
