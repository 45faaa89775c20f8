"""`make pictures`: moving pictures of the worlds, and screenshots of the real pages, into docs/images/."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urljoin

import numpy as np
from PIL import Image
from playwright.sync_api import Page, sync_playwright

import hotlap

IMAGES = Path(__file__).parent.parent / "docs" / "images"
COLOURS = 32
TICKS = 420
"""How far a race is when its picture is taken, 60 ticks a second."""
PATIENCE_MS = 120_000
LAUNCH = ["--no-sandbox", "--disable-gpu", "--mute-audio"]


def drive(env: Any, act: Callable[[np.ndarray], Any], warm_up: int, frames: int, every: int) -> list[Image.Image]:
    """Pictures of a drive, one for so many steps."""
    seen, _ = env.reset(seed=3)
    taken = []
    for step in range(warm_up + frames * every):
        seen = env.step(act(seen))[0]
        if step >= warm_up and (step - warm_up) % every == 0:
            taken.append(Image.fromarray(env.render()))
    return taken


def save_gif(pictures: list[Image.Image], name: str, width: int, frame_ms: int) -> None:
    """A small moving picture that repeats."""
    height = round(pictures[0].height * width / pictures[0].width)
    small = [
        each.resize((width, height), Image.Resampling.LANCZOS).quantize(COLOURS, Image.Quantize.MAXCOVERAGE)
        for each in pictures
    ]
    small[0].save(IMAGES / name, save_all=True, append_images=small[1:], duration=frame_ms, loop=0, optimize=True)


def record_worlds() -> None:
    """A driver of each world, as `render_mode="rgb_array"` shows it."""
    for make, driver, name, (warm_up, frames, every), frame_ms in (
        (partial(hotlap.RacerEnv, "track-03"), "all-rounder", "racer.gif", (120, 32, 6), 100),
        (hotlap.HighwayEnv, "motorist", "highway.gif", (30, 32, 1), 150),
    ):
        policy = hotlap.load_policy(driver)
        options = {"observation": policy.layout} if "racer" in name else {}
        env = make(render_mode="rgb_array", **options)
        pictures = drive(env, lambda seen, policy=policy: policy.act(seen[None])[0], warm_up, frames, every)
        save_gif(pictures, name, 400, frame_ms)


@contextmanager
def served_pages() -> Iterator[str]:
    """`hotlap play` on a free port, with no runs but the drivers that come with Hotlap; its address."""
    with TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "hotlap.cli", "play", "--no-open", "--port", "0", "--root", folder]
        server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own command
        try:
            line = server.stdout.readline() if server.stdout else ""
            yield re.findall(r"http://\S+", line)[0]
        finally:
            server.terminate()
            server.wait()


def shoot(page: Page, url: str, name: str, act: Callable[[Page], None]) -> None:
    """A screenshot of a page after something was done on it."""
    page.goto(url)
    act(page)
    path = IMAGES / name
    page.screenshot(path=path)
    picture = Image.open(path).convert("RGB")
    picture.resize((960, 540), Image.Resampling.LANCZOS).quantize(128).save(path, optimize=True)


def record_pages() -> None:
    """The two pages in a real browser."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with served_pages() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=LAUNCH)
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        shoot(page, url, "game.png", watch_the_game)
        shoot(page, urljoin(url, "highway.html"), "highway-page.png", watch_the_highway)
        browser.close()


def watch_the_game(page: Page) -> None:
    """Some seconds after the start of the race that the menu offers first."""
    page.locator("body[data-ready]").wait_for(timeout=PATIENCE_MS)
    page.locator(".start").click()
    while page.evaluate("window.hotlapStats.ticks") < TICKS:
        page.wait_for_timeout(100)


def watch_the_highway(page: Page) -> None:
    """Some seconds after an order was given."""
    page.locator("body[data-ready]").wait_for(timeout=PATIENCE_MS)
    page.get_by_label("Order", exact=True).fill("cruise at 65, keep two seconds")
    page.get_by_role("button", name="Send").click()
    page.wait_for_timeout(6_000)


if __name__ == "__main__":
    record_worlds()
    record_pages()
