"""Pictures of the real pages: the game, the highway page, a training to watch and a report, into docs/images/."""

import contextlib
import io
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from browser.game_page import GamePage, launch, serving

IMAGES = Path(__file__).parent.parent / "docs" / "images"
WINDOW = {"width": 1280, "height": 720}
STILL_WIDTH, MOVING_WIDTH = 960, 480
FRAMES, FRAME_MS = 32, 100
RUN, STEPS = "first", 1_000_000
RACE = "?track=track-03&car=classic&laps=3&rivals=7&start=last&seed=7&watch=1"
NIGHT = "?track=quarry&car=gt&laps=3&rivals=7&seed=7&watch=1"


def record_pages() -> None:
    """Train a driver for the pages to show, then take every picture."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        root = Path(folder)
        with contextlib.closing(launch(playwright)) as browser, serving(root) as address:
            record_training(browser, address, root)
            record_game(browser, address)
            record_highway(browser, address)
            record_report(browser, root)


def record_training(browser: Browser, address: str, root: Path) -> None:
    """A training in progress, as the game shows it."""
    training = hotlap("train", "racer-ppo", "--steps", str(STEPS), "--root", str(root), "--name", RUN)
    with opened(browser, address) as game:
        game.wait_until(f"fetch('data/policies.json').then(r => r.text()).then(t => t.includes('{RUN}'))", 300_000)
        game.race("Watch it learn", countdown=True)
        wait_for(training)
        game.page.wait_for_timeout(3000)
        save_still(game, "live.webp")


def record_game(browser: Browser, address: str) -> None:
    """The menu, a race with contact and its results, and a night race of cars with grip."""
    with opened(browser, address) as game:
        game.choose("Race")
        save_still(game, "menu.webp")
        game.open(RACE)
        game.wait_until("hotlapStats.ticks > 420", 60_000)
        save_moving(game, "race.webp")
        game.open(RACE.replace("laps=3", "laps=1")).hurry()
        game.wait_for_results()
        save_still(game, "results.webp")
        game.open().page.get_by_role("button", name="Settings").click()
        game.page.get_by_role("dialog").get_by_text("Night").click()
        game.open(NIGHT)
        game.wait_until("hotlapStats.ticks > 1200", 90_000)
        save_still(game, "night.webp")


def record_highway(browser: Browser, address: str) -> None:
    """An order in words, and the car that carries it out."""
    with opened(browser, address, "highway.html") as page:
        page.page.get_by_role("textbox").fill("move one lane left")
        page.page.keyboard.press("Enter")
        save_moving(page, "highway-page.webp")


def record_report(browser: Browser, root: Path) -> None:
    """The report of an evaluation."""
    file = root / "report.html"
    wait_for(hotlap("evaluate", str(root / RUN), "--report", str(file)))
    page = browser.new_page(viewport=WINDOW)
    page.goto(file.as_uri())
    save(Image.open(io.BytesIO(page.screenshot())), "report.webp")
    page.close()


@contextlib.contextmanager
def opened(browser: Browser, address: str, query: str = "") -> Iterator[GamePage]:
    """A page with a clock that can be stopped; whatever it complains about is an error."""
    context = browser.new_context(viewport=WINDOW)
    game = GamePage(context.new_page(), address).open(query)
    yield game
    context.close()
    if game.complaints:
        raise SystemExit(f"the page complained: {game.complaints}")


def hotlap(*words: str) -> subprocess.Popen[bytes]:
    """A command of Hotlap, in a process of its own."""
    command = [sys.executable, "-m", "hotlap.cli", *words]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: S603 - its own words


def wait_for(process: subprocess.Popen[bytes]) -> None:
    """Until it is done; without what it makes there is nothing to show."""
    if process.wait() != 0:
        raise SystemExit(f"{process.args!r} failed")


def shot(game: GamePage) -> Image.Image:
    """What is seen now."""
    return Image.open(io.BytesIO(game.page.screenshot())).convert("RGB")


def save_still(game: GamePage, name: str) -> None:
    """A picture of a page."""
    game.page.wait_for_timeout(1000)
    save(shot(game), name)


def save(picture: Image.Image, name: str) -> None:
    """A small picture."""
    scaled(picture, STILL_WIDTH).save(IMAGES / name, quality=78, method=5)


def save_moving(game: GamePage, name: str) -> None:
    """A small moving picture that repeats; time in the page stands still while it is taken."""
    frames = [scaled(next_shot(game), MOVING_WIDTH) for _ in range(FRAMES)]
    frames[0].save(
        IMAGES / name, save_all=True, append_images=frames[1:], duration=FRAME_MS, loop=0, quality=50, method=3
    )


def next_shot(game: GamePage) -> Image.Image:
    """What is seen a tenth of a second later, in the time of the page."""
    game.page.evaluate("window.turnClock(1)")
    game.page.wait_for_timeout(FRAME_MS)
    game.page.evaluate("window.turnClock(0)")
    return shot(game)


def scaled(picture: Image.Image, width: int) -> Image.Image:
    """The same picture, so wide."""
    return picture.resize((width, round(picture.height * width / picture.width)), Image.Resampling.LANCZOS)
