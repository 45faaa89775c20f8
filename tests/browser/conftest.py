"""One browser and one server for all tests of the page; every test fails when the page complains."""

import pytest
from playwright.sync_api import expect, sync_playwright

from browser.game_page import FEWER_PICTURES, LAPTOP, PATIENCE_MS, GamePage, launch, run_with_checkpoints, serving

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def playwright():
    """Closed after each file: while one is open, tests elsewhere cannot open their own."""
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="module")
def browser(playwright):
    browser = launch(playwright)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """Where the server looks for runs: one, with eight checkpoints."""
    root = tmp_path_factory.mktemp("play") / "runs"
    run_with_checkpoints(root)
    return root


@pytest.fixture(scope="session")
def address(runs):
    with serving(runs) as address:
        yield address


@pytest.fixture(scope="module")
def one_window(browser, address):
    """Opening a window costs more than most tests do in it, so those of a file share one."""
    context = browser.new_context(viewport=LAPTOP)
    game = GamePage(context.new_page(), address)
    game.page.add_init_script(FEWER_PICTURES)
    yield game
    context.close()


@pytest.fixture
def game(one_window):
    """The page in a window that is as good as new, not opened yet; whatever it complains about fails the test."""
    yield one_window.as_new()
    assert one_window.complaints == []


@pytest.fixture
def game_apart(browser, address):
    """The same in a window of its own, for tests of its frames, of the window itself or of what is fetched first."""
    context = browser.new_context(viewport=LAPTOP)
    game = GamePage(context.new_page(), address)
    yield game
    context.close()
    assert game.complaints == []
