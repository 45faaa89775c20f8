"""axe looks at every screen and finds nothing serious."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.game_page import GamePage, scripted_drive

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
AXE = Path(__file__).parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
FINDINGS = """async () => {
  const { violations, passes } = await axe.run(document);
  if (passes.length < 5) return ['axe looked at next to nothing'];
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}"""


def serious(game: GamePage) -> list[str]:
    """What axe finds on what is shown now."""
    if not game.page.evaluate("'axe' in window"):
        game.page.evaluate(AXE.read_text(encoding="utf-8"))
    return game.page.evaluate(FINDINGS)


def test_menu_of_every_mode_and_its_dialogs(game):
    game.open()
    for mode in ("Versus AI", "Race", "Solo", "Spectate", "Younger selves", "Watch it learn"):
        game.choose(mode)
        assert serious(game) == [], mode
    for name in ("Settings", "Lap board"):
        game.page.get_by_role("button", name=name).click()
        expect(game.page.get_by_role("dialog")).to_be_visible()
        assert serious(game) == [], name
        game.page.keyboard.press("Escape")
        expect(game.page.get_by_role("dialog")).to_be_hidden()


def test_race_its_pause_results_and_replay(game):
    inputs, _ = scripted_drive(1)
    game.open().drive(inputs)
    game.race("Versus AI", "1")
    assert serious(game) == []
    game.page.keyboard.press("Escape")
    expect(game.page.get_by_role("dialog", name="Paused")).to_be_visible()
    assert serious(game) == []
    game.hurry().page.keyboard.press("Escape")
    game.wait_for_results()
    assert serious(game) == []
    game.page.get_by_role("button", name="Replay").click()
    game.page.get_by_role("button", name="Pause").click()
    assert serious(game) == []


def test_results_of_a_race_with_contact(game):
    game.open("?track=track-01&laps=1&rivals=3&seed=7&watch=1").hurry()
    game.wait_for_results()
    assert serious(game) == []


def test_highway_by_day_and_by_night(game):
    game.page.goto(game.address + "highway.html")
    game.page.locator("body[data-ready]").wait_for()
    for light in ("day", "night"):
        expect(game.page.locator("body")).to_have_attribute("data-light", light)
        assert serious(game) == [], light
        game.page.locator("label").filter(has_text="Night").click()
