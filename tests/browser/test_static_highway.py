"""The highway page from `hotlap export site`, without a server: Hotlap's own Python reads orders inside the page."""

import contextlib
import functools
import http.server
import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from browser.game_page import LAPTOP, serving
from browser.highway_page import HighwayPage
from hotlap import cli
from hotlap.web.access import SECURITY_HEADERS

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
START_MS = 120_000
"""How long Python may take to start in a page, on a machine that others use too."""
SCENE = (1, 20)
SENTENCES = [
    "cruise at 65, keep two seconds",
    "go fifty-five",
    "cruise at 100 km/h",
    "keep 25 m/s",
    "faster by five",
    "slow down a bit",
    "move one lane left",
    "move two lanes right",
    "take lane 4",
    "lane 9",
    "go to the leftmost lane and do 70",
    "move left and then right",
    "overtake",
    "pass this truck",
    "pass on the right and stay there",
    "keep three seconds behind the car ahead",
    "tailgate him",
    "pull over",
    "pull over to the left",
    "stop",
    "stop and go 60",
    "do not stop",
    "never mind",
    "no, I said 60",
    "drive at 200",
    "go backwards",
    "take the next exit",
    "if it rains slow down",
    "what is my speed?",
    "sing a song",
    "cruse at 65",
    "dreißig",
    "follow the car ahead",
    "Please, um, hold your lane.",
]
# What a page shows of an order: what it answers, and the mission.
GIVEN = """async ([text, scene, vehicles]) => {
  window.hotlapScene(scene, vehicles);
  const log = document.querySelector('[data-testid=log]');
  log.replaceChildren();
  document.querySelector('#order').value = text;
  document.querySelector('.hw-order').requestSubmit();
  while (log.children.length < 2) await new Promise((done) => setTimeout(done, 10));
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return [log.children[1].textContent, document.querySelector('[data-testid=mission]').textContent];
}"""


class StaticHost(http.server.SimpleHTTPRequestHandler):
    """Any static host, as strict as `hotlap play` is; it notes what is asked for, and withholds what it is told to."""

    asked: list[str] = []  # noqa: RUF012 - one of them, cleared by each test
    withheld = ""

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if self.withheld and self.withheld in self.path:
            self.send_error(503)
        else:
            super().do_GET()

    def end_headers(self) -> None:
        for name, value in SECURITY_HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_arguments) -> None:
        """Say nothing."""


@contextlib.contextmanager
def hosted(folder) -> Iterator[str]:
    handler = functools.partial(StaticHost, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as static:
        thread = threading.Thread(target=static.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{static.server_port}/"
        finally:
            static.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("static")
    assert cli.main(["export", "site", str(folder / "site"), "--root", str(folder / "runs")]) == 0
    with hosted(folder / "site") as address:
        yield address


@pytest.fixture
def page(browser, site):
    StaticHost.asked.clear()
    context = browser.new_context(viewport=LAPTOP)
    opened = HighwayPage(context.new_page(), site)
    yield opened
    StaticHost.withheld = ""
    context.close()
    assert opened.complaints == []


def python_files() -> list[str]:
    return [path for path in StaticHost.asked if "py" in path or "orders.json" in path]


def test_python_is_fetched_when_somebody_types_and_carries_the_order_out(page):
    page.open()
    expect(page.part("order-note")).to_contain_text("Python in this page reads your words")
    page.page.get_by_role("button", name="Cruise 55").click()
    expect(page.part("mission")).to_have_text("Cruising at 55 mph")
    assert python_files() == []
    page.page.get_by_label("Order", exact=True).focus()
    expect(page.part("order-note")).to_contain_text("Starting Python")
    page.choose_driver("Rule-based expert")
    page.order("move one lane left")
    expect(page.part("log")).to_contain_text("Move to lane 2, to the left.", timeout=START_MS)
    expect(page.part("order-note")).not_to_contain_text("Python")
    page.hurry()
    expect(page.part("log")).to_contain_text("Done: “move one lane left”")
    # The worker, Pyodide's script, loader and WebAssembly, the library, the grammar: each once.
    assert len(python_files()) == len(set(python_files())) == 6


def test_orders_are_read_as_the_server_reads_them(page, browser, tmp_path):
    with serving(tmp_path / "runs") as address:
        context = browser.new_context(viewport=LAPTOP)
        pages = [page, HighwayPage(context.new_page(), address)]
        for each in pages:
            each.open(scene=SCENE)
            each.page.get_by_role("button", name="Pause").click()
        given = [[each.page.evaluate(GIVEN, [text, *SCENE]) for text in SENTENCES] for each in pages]
        context.close()
    assert given[0] == given[1]
    answers = [answer for answer, _ in given[0]]
    assert sum(answer.startswith(("Cruise", "Move", "Stop", "Overtake")) for answer in answers) > 10
    assert pages[1].complaints == []


def test_python_that_cannot_be_fetched_is_one_sentence_and_buttons_and_another_try_work(page):
    page.open()
    page.expect_complaints("503")
    StaticHost.withheld = "orders.json"
    page.order("move one lane left")
    expect(page.part("log")).to_contain_text("it did not start: ")
    expect(page.part("log")).to_contain_text("the server answered 503. The buttons work.")
    page.page.get_by_role("button", name="Cruise 55").click()
    expect(page.part("mission")).to_have_text("Cruising at 55 mph")
    StaticHost.withheld = ""
    page.order("move one lane left")
    expect(page.part("mission")).to_have_text("Moving to lane 2", timeout=START_MS)
