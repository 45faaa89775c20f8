"""The documentation works as it is built: a folder of pages, opened without a server."""

import shutil
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

REPOSITORY = Path(__file__).parents[2]
ASKED = [
    "train on my own track",
    "observations",
    "resume a training",
    "use my own algorithm",
    "how fast is it",
    "fairness of a lap",
]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site of the written pages, built with the settings of the real one."""
    folder = tmp_path_factory.mktemp("documentation")
    shutil.copytree(REPOSITORY / "docs", folder / "docs", ignore=shutil.ignore_patterns("curves", "images", "api.md"))
    here = {"docs_dir": str(folder / "docs"), "site_dir": str(folder / "site"), "nav": None, "hooks": []}
    build(load_config(str(REPOSITORY / "mkdocs.yml"), **here))
    return folder / "site"


@pytest.fixture
def page(browser):
    context = browser.new_context()
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("asked", ASKED)
def test_search_in_a_folder_finds_the_answer_first(asked, site, page):
    page.goto((site / "index.html").as_uri())
    page.locator("input.md-search__input").press_sequentially(asked)
    first = page.locator(".md-search-result__item").first
    expect(first.locator("h1")).to_have_text("Questions and answers")
    expect(first.locator("h2").first).to_contain_text(asked, ignore_case=True)
    first.locator("a").first.click()
    assert page.url.startswith((site / "questions.html").as_uri())


def test_pages_fetch_nothing_from_elsewhere(site, page):
    fetched = []
    page.on("request", lambda request: fetched.append(request.url))
    page.goto((site / "index.html").as_uri())
    expect(page.locator("h1")).to_have_text("Hotlap¶")
    assert [url for url in fetched if not url.startswith("file:")] == []
