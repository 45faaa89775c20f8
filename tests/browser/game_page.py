"""The game in a real browser, as a person has it before them: what the tests of the page share."""

import base64
import contextlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

from hotlap.checkpoints import Checkpoint, save_checkpoint, write_document
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.racer.world import RacerWorld
from policies.tiny_models import good_metadata, linear_nodes, model_of
from store.driven_laps import clean_drive
from web.sample_runs import make_run

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
RAY_WEIGHTS = {0: 0.3, 1: 0.6, 2: 1.2, 3: 2.0}
LAP_MS = 90_000
PATIENCE_MS = 30_000
"""How long a page may take for what it does at once on a quiet machine."""
LAPTOP = {"width": 1280, "height": 720}
SMALL = {"width": 640, "height": 360}
"""The smallest window that has room for everything: the processor draws, and fewer pixels are less work."""
SIZES = {
    "phone": (360, 740),
    "lying phone": (844, 390),
    "low window": (640, 360),
    "laptop": (1280, 720),
    "4k": (3840, 2160),
}
HURRIED = 10
# The page's own clock, which tests turn faster: a lap of ten seconds is a lap of ten seconds, shown in one.
CLOCK = """
const [frame, real] = [window.requestAnimationFrame.bind(window), performance.now.bind(performance)];
let [pace, from, shown] = [1, 0, 0];
const turned = (now) => shown + (now - from) * pace;
performance.now = () => turned(real());
window.requestAnimationFrame = (draw) => frame((now) => draw(turned(now)));
window.turnClock = (faster) => { const now = real(); [shown, from, pace] = [turned(now), now, faster]; };
"""
# Twenty pictures a second, for tests that do not look at frames: at sixty the processor, which draws, does little else.
FEWER_PICTURES = """
window.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 50);
window.cancelAnimationFrame = clearTimeout;
"""
ASK_EVERY_MS = 50


def launch(playwright: Playwright, *flags: str) -> Browser:
    """The system's Chromium, drawing with the processor."""
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    assert chromium, "no Chromium: run make setup-browser"
    return playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu", *flags])


@contextlib.contextmanager
def blank_page() -> Iterator[Page]:
    """A page in a browser of its own."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser.new_page()
        browser.close()


@contextlib.contextmanager
def serving(root: Path) -> Iterator[str]:
    """`hotlap play` with the built page; its address."""
    command = [sys.executable, "-m", "hotlap.cli", "play", "--no-open", "--port", "0", "--root", str(root)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        link = re.search(r"http://\S+", line)
        assert link, line + process.stderr.read()
        yield link[0]
    finally:
        process.terminate()
        process.communicate(timeout=240)


def middle_weights(size: int, gain: float = 1.6) -> np.ndarray:
    """How a driver acts on the rays and its speed, the first of so many numbers that it sees."""
    weights = np.zeros((size, 3))
    for ray, weight in RAY_WEIGHTS.items():
        weights[ray, 0], weights[8 - ray, 0] = weight * gain, -weight * gain
    weights[9, 1] = -3.0
    return weights


def keeps_to_the_middle(step: int, pace: float = 2.2, gain: float = 1.6) -> bytes:
    """A driver written by hand: it steers to where there is more room, and lets the throttle go as it gets faster."""
    model = model_of(*linear_nodes(middle_weights(14, gain), np.array([0.0, pace, 0.0])), good_metadata(steps=step))
    return bytes(model.SerializeToString())


def of_another_kind(policy: bytes) -> bytes:
    """The same driver with one more operator, which changes nothing: only onnxruntime knows such a graph."""
    model = onnx.load_from_string(policy)
    model.graph.node[-1].output[0] = "nearly"
    model.graph.node.append(onnx.helper.make_node("Identity", ["nearly"], ["action"]))
    return bytes(model.SerializeToString())


def laps_in_python(policy: bytes, track: str, laps: int) -> list[int]:
    """The ticks of the first laps from the grid, acting one tick late as in the page."""
    driver = OnnxPolicy(policy)
    world = RacerWorld(1, track, observation=driver.layout, action_delay=1, threads=1)
    world.begin(0, np.random.default_rng(0))
    done: list[int] = []
    while len(done) < laps:
        world.advance(driver.act(world.observation))
        if world.out.lap_complete[0]:
            done.append(int(world.out.last_lap_ticks[0]))
    return done


def scripted_drive(laps: int) -> tuple[str, int]:
    """The inputs of a drive that ends with a clean lap, as the page takes them, and that lap's ticks."""
    drive, ticks = clean_drive("track-01", laps)
    return base64.b64encode(drive.inputs).decode(), ticks


def lap_text(ticks: int) -> str:
    """M:SS.mmm, as the page writes it."""
    thousandths = round(ticks * 1000 / 60)
    return f"{thousandths // 60_000}:{thousandths % 60_000 / 1000:06.3f}"


class GamePage:
    """A page of the game, and what was said on its console."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.complaints: list[str] = []
        self.expected: tuple[str, ...] = ()
        self.hurried = False
        page.add_init_script(CLOCK)
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _hear(self, message: Any) -> None:
        if message.type in ("error", "warning") and not any(text in message.text for text in self.expected):
            self.complaints.append(message.text)

    def as_new(self, address: str) -> "GamePage":
        """The same window as if it were a new one: nothing open, kept, intercepted, held or complained about."""
        self.address = address
        self.page.unroute_all(behavior="ignoreErrors")
        self.page.context.set_offline(False)
        self.page.emulate_media(reduced_motion="no-preference")
        self.page.keyboard.up("ArrowUp")
        self.page.goto("about:blank")
        self.page.set_viewport_size(SMALL)
        session = self.page.context.new_cdp_session(self.page)
        session.send("Storage.clearDataForOrigin", {"origin": address.rstrip("/"), "storageTypes": "all"})
        session.detach()
        self.complaints, self.expected = [], ()
        return self

    def expect_complaints(self, *texts: str) -> None:
        """The test breaks something: the browser may complain with these words, whenever it notices."""
        self.expected += texts

    def open(self, query: str = "") -> "GamePage":
        """Load the page and wait until it can be played."""
        self.page.goto(self.address + query)
        self.hurried = False
        self.page.locator("body[data-ready]").wait_for(timeout=PATIENCE_MS)
        return self

    def hurry(self) -> "GamePage":
        """From now on time in the page runs many times as fast, until it is loaded again."""
        self.page.evaluate(f"window.turnClock({HURRIED})")
        self.hurried = True
        return self

    def choose(self, label: str) -> None:
        """Pick a mode, a number of laps or a track by what is written on it."""
        self.page.locator(".menu label").filter(has_text=re.compile(rf"^{re.escape(label)}")).first.click()

    def choose_driver(self, name: str) -> None:
        """Pick a driver by its name."""
        option = self.page.locator("select option").filter(has_text=name).first
        self.page.get_by_label("Driver").select_option(option.get_attribute("value"))

    def choose_run(self, name: str) -> None:
        """Pick a run by its name."""
        option = self.page.locator("select option").filter(has_text=name).first
        self.page.get_by_label("Run").select_option(option.get_attribute("value"))

    def race(self, mode: str = "Solo", laps: str = "1", *, countdown: bool = False) -> None:
        """Start a race from the menu; without countdown it is started once more at once, unless in a hurry."""
        self.choose(mode)
        if mode != "Watch it learn":
            self.choose(laps)
        self.page.locator(".start").click()
        self.page.locator("body[data-screen=race]").wait_for()
        if countdown or self.hurried:
            return
        expect(self.page.locator(".hud-count")).to_have_class(re.compile("shown"))
        self.page.keyboard.press("r")
        expect(self.page.locator(".hud-count")).not_to_have_class(re.compile("shown"))

    def drive(self, inputs: str) -> None:
        """Let recorded inputs take the wheel from the next start on."""
        self.page.evaluate("inputs => window.hotlapDrive(inputs)", inputs)

    def wait_for_results(self) -> None:
        """Until the race is over and its results are shown."""
        self.page.locator("body[data-screen=results]").wait_for(timeout=LAP_MS)

    def times(self, column: int) -> list[str]:
        """The lap times of a column of the results, without what is said about them."""
        cells = self.page.locator(f"[data-testid=laps] tbody td:nth-child({column})")
        return [re.match(r"[\d:.–]+", text)[0] for text in cells.all_inner_texts()]

    def wait_until(self, expression: str, timeout_ms: int = PATIENCE_MS) -> None:
        """Until a JavaScript expression is true; asked from outside, since the page's policy allows no `eval` in it."""
        for _ in range(timeout_ms // ASK_EVERY_MS):
            if self.page.evaluate(expression):
                return
            self.page.wait_for_timeout(ASK_EVERY_MS)
        raise AssertionError(f"{expression} was not true within {timeout_ms} ms")

    def stat(self, name: str) -> Any:
        """A number of `window.hotlapStats`."""
        return self.page.evaluate(f"window.hotlapStats.{name}")

    def speed(self) -> int:
        """What the speedometer says."""
        return int(self.page.get_by_test_id("speed").inner_text())


def open_window(browser: Browser, address: str, **options: Any) -> GamePage:
    """A small window of its own, for tests that do not look at frames; its context is the caller's to close."""
    context = browser.new_context(**{"viewport": SMALL, **options})
    game = GamePage(context.new_page(), address)
    game.page.add_init_script(FEWER_PICTURES)
    return game


def run_with_checkpoints(root: Path, name: str = "learner", count: int = 8) -> Path:
    """A run whose checkpoints drive ever faster, and whose best is the newest."""
    folder = make_run(root, name)
    for number in range(1, count + 1):
        save_policy(folder, number * 1000, keeps_to_the_middle(number * 1000, pace=1.0 + 0.15 * number))
    publish(folder, count * 1000, keeps_to_the_middle(count * 1000))
    return folder


def publish(folder: Path, step: int, policy: bytes) -> None:
    """The best driver so far, as the trainer publishes it."""
    (folder / "policy.onnx").write_bytes(policy)
    best = {"step": step, "score": [1.0], "tags": {}, "laps": {"track-01": 10.05}, "summary": ""}
    write_document(folder / "best.json", best)


def save_policy(folder: Path, step: int, policy: bytes) -> None:
    """A checkpoint as the trainer saves them."""
    tensors = {"policy": {"bias": np.zeros(3)}}
    save_checkpoint(folder, Checkpoint(step, tensors, files={"policy.onnx": policy}))


def assert_inside(game: GamePage, part: str, width: int, height: int) -> None:
    box = game.page.locator(part).first.bounding_box()
    assert box, part
    assert box["x"] >= 0, part
    assert box["y"] >= 0, part
    assert box["x"] + box["width"] <= width + 0.5, part
    assert box["y"] + box["height"] <= height + 0.5, part


def assert_apart(game: GamePage, part: str, other: str) -> None:
    one, two = (game.page.locator(name).first.bounding_box() for name in (part, other))
    beside = one["x"] + one["width"] <= two["x"] or two["x"] + two["width"] <= one["x"]
    assert beside or one["y"] + one["height"] <= two["y"] or two["y"] + two["height"] <= one["y"], (part, other)
