"""A browser for each file of tests: starting one costs more than most of them."""

import pytest

from browser.game_page import blank_page


@pytest.fixture(scope="module")
def page():
    with blank_page() as page:
        yield page
