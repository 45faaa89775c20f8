"""Replays in the page: the last race again from any car, its moments, a still and a clip."""

import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from browser.game_page import SMALL, GamePage, scripted_drive

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
RACE = "?track=track-01&car=classic&laps=2&rivals=3&start=last&seed=7&watch=1"


@pytest.fixture(scope="module")
def race_that_is_over(one_window, address) -> GamePage:
    """The results of a race with contact: all cars have the driver that keeps to the middle."""
    game = one_window.as_new(address)
    listed = game.page.request.get(f"{game.address}data/policies.json").json()["policies"]
    key = next(entry["key"] for entry in listed if entry["kind"] == "best")
    game.open(f"{RACE}&driver={key}").hurry()
    game.wait_for_results()
    game.page.evaluate("window.turnClock(1)")
    return game


@pytest.fixture
def replay(race_that_is_over):
    """Its replay; afterwards the results are shown again."""
    page = race_that_is_over.page
    page.get_by_role("button", name="Replay").click()
    page.locator("body[data-screen=replay]").wait_for()
    yield race_that_is_over
    if page.locator("body[data-screen=replay]").count():
        page.keyboard.press("Escape")
    page.locator("body[data-screen=results]").wait_for()
    assert race_that_is_over.complaints == []


def seconds_shown(game: GamePage) -> float:
    minutes, seconds = game.page.get_by_test_id("replay-time").inner_text().split(":")
    return 60 * int(minutes) + float(seconds)


def test_replay_shows_the_race_from_any_car_and_stops_when_asked(replay):
    replay.wait_until("document.querySelector('[data-testid=replay-time]').textContent > '0:00.500'")
    replay.page.get_by_role("button", name="Pause").click()
    shown = seconds_shown(replay)
    frames = replay.stat("frames")
    replay.wait_until(f"hotlapStats.frames > {frames + 5}")
    assert seconds_shown(replay) == shown
    replay.page.get_by_label("Speed", exact=True).select_option("0.25")
    cars = replay.page.get_by_label("Car", exact=True).locator("option")
    expect(cars).to_have_count(4)
    replay.page.get_by_label("Car", exact=True).select_option(index=2)
    replay.page.get_by_role("button", name="Play").click()
    replay.wait_until("document.querySelector('.replay-play').textContent === 'Pause'")


def test_moments_are_marked_and_can_be_gone_to(replay):
    moments = replay.page.get_by_label("Moment").locator("option")
    texts = moments.all_inner_texts()
    assert any("finishes" in text for text in texts)
    assert any("touches" in text for text in texts)
    expect(replay.page.locator(".replay-marks i")).to_have_count(len(texts) - 1)
    last = len(texts) - 1
    minutes, seconds = re.match(r"(\d+):([\d.]+)", texts[last]).groups()
    replay.page.get_by_label("Moment").select_option(index=last)
    assert seconds_shown(replay) >= 60 * int(minutes) + float(seconds) - 2.1


def test_still_has_the_ground_and_the_cars_in_one_picture(replay, tmp_path):
    replay.page.get_by_role("button", name="Pause").click()
    with replay.page.expect_download() as download:
        replay.page.get_by_role("button", name="Save a still").click()
    assert download.value.suggested_filename == "hotlap.png"
    download.value.save_as(tmp_path / "still.png")
    pixels = np.asarray(Image.open(tmp_path / "still.png").convert("RGB")).reshape(-1, 3).astype(int)
    assert len(pixels) == SMALL["width"] * SMALL["height"]
    asphalt = np.abs(pixels - [0x57, 0x5C, 0x65]).max(axis=1) < 12
    assert asphalt.mean() > 0.05, "there is no road in the picture"
    first_car = np.abs(pixels - [0x35, 0xD0, 0xFF]).max(axis=1) < 40
    assert first_car.sum() > 20, "there is no car in the picture"


def test_clip_is_a_film_with_something_in_it(replay, tmp_path):
    replay.page.get_by_label("Speed", exact=True).select_option("0.25")
    with replay.page.expect_download() as download:
        replay.page.get_by_role("button", name="Save a clip").click()
        frames = replay.stat("frames")
        replay.wait_until(f"hotlapStats.frames > {frames + 40}")
        replay.page.get_by_role("button", name="Stop").click()
    assert re.fullmatch(r"hotlap\.(mp4|webm)", download.value.suggested_filename)
    file = Path(tmp_path / "clip")
    download.value.save_as(file)
    content = file.read_bytes()
    assert content[4:8] == b"ftyp" or content[:4] == b"\x1aE\xdf\xa3"
    assert len(content) > 10_000


def test_escape_goes_back_to_the_results(replay):
    replay.page.keyboard.press("Escape")
    replay.page.locator("body[data-screen=results]").wait_for()
    expect(replay.page.locator(".replay-bar")).to_have_count(0)
    expect(replay.page.locator("[data-testid=laps] tbody tr")).to_have_count(4)


def test_drive_alone_has_a_replay_too(game):
    inputs, _ = scripted_drive(1)
    game.open().hurry().drive(inputs)
    game.race("Solo", "1")
    game.wait_for_results()
    game.page.get_by_role("button", name="Replay").click()
    moments = game.page.get_by_label("Moment").locator("option").all_inner_texts()
    assert any("ends a lap" in text for text in moments)
