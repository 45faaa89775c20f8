"""One browser, one window and two servers for all tests of the page; every test fails when the page complains."""

import pytest
from playwright.sync_api import expect, sync_playwright

from browser.game_page import LAPTOP, PATIENCE_MS, GamePage, launch, open_window, run_with_checkpoints, serving

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="package")
def playwright():
    """Closed after this folder: while one is open, tests elsewhere cannot open their own."""
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="package")
def browser(playwright):
    browser = launch(playwright)
    yield browser
    browser.close()


@pytest.fixture(scope="package")
def runs(tmp_path_factory):
    """Where the server looks for runs: one, with eight checkpoints."""
    root = tmp_path_factory.mktemp("play") / "runs"
    run_with_checkpoints(root)
    return root


@pytest.fixture(scope="package")
def address(runs):
    with serving(runs) as address:
        yield address


@pytest.fixture(scope="package")
def other_runs(tmp_path_factory):
    """Where another server looks: tests put runs of their own there, each by a name of its own."""
    root = tmp_path_factory.mktemp("other") / "runs"
    root.mkdir()
    return root


@pytest.fixture(scope="package")
def other_address(other_runs):
    with serving(other_runs) as address:
        yield address


@pytest.fixture(scope="package")
def one_window(browser, address):
    """Opening a window costs more than most tests do in it, so they share one."""
    game = open_window(browser, address)
    yield game
    game.page.context.close()


@pytest.fixture
def game(one_window, address):
    """The page in a window that is as good as new, not opened yet; whatever it complains about fails the test."""
    yield one_window.as_new(address)
    assert one_window.complaints == []


@pytest.fixture
def other_game(one_window, other_address):
    """The same with the server whose runs the tests put there."""
    yield one_window.as_new(other_address)
    assert one_window.complaints == []


@pytest.fixture
def game_apart(browser, address):
    """A large window of its own, for tests of its frames or of what is fetched first."""
    context = browser.new_context(viewport=LAPTOP)
    game = GamePage(context.new_page(), address)
    yield game
    context.close()
    assert game.complaints == []
