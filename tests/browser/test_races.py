"""Races with contact in the page: the grid, the others on the road, and the result of the Python engine."""

import re
import statistics

import numpy as np
import pytest
from playwright.sync_api import expect

from browser.game_page import GamePage, keeps_to_the_middle, lap_text, middle_weights, publish, scripted_drive
from hotlap.export.race_kernel import packaged_fingerprints
from hotlap.policies.race_drivers import race_driver
from hotlap.race.world import RaceWorld
from policies.tiny_models import good_metadata, linear_nodes, model_of
from web.sample_runs import make_run

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
SEED, CARS, LAPS = 7, 4, 2
MIXED = [f"@level-{level}" for level in (5, 4, 3, 2)]
WATCHED = f"?track=track-01&car=classic&laps={LAPS}&rivals={CARS - 1}&start=last&seed={SEED}&watch=1"


def sees_the_others(step: int) -> bytes:
    """The driver that keeps to the middle, and steers away from the nearest car ahead: it sees what a race shows."""
    weights = middle_weights(50)
    weights[15, 0] = 0.8
    facts = {"layout": "race-classic", "world": "race", "physics_fingerprint": packaged_fingerprints()["race-classic"]}
    nodes, tensors = linear_nodes(weights, np.array([0.0, 2.2, 0.0]))
    model = model_of(nodes, tensors, {**good_metadata(steps=step, **facts), "cars": ["classic"]}, 50)
    return bytes(model.SerializeToString())


def results_in_python(drivers: list[str]) -> list[list[str]]:
    """The race of the seed, with a driver for each car, as the page's table shows it."""
    world = RaceWorld(1, "track-01", cars=CARS, laps=LAPS, slot="last", opponents=drivers[1:], threads=1)
    first = race_driver(drivers[0], world.batch)
    world.reset(SEED)
    while (world.contenders.status == 0).any():
        world.advance(first.act(world.observation, world.batch, world.rows))
    rows = []
    for result in world.results():
        ticks = round(60 * result["finish_s"])
        counts = [result["slot"] + 1, result["overtakes"], result["contacts"], result["faults"]]
        rows.append([str(result["place"]), lap_text(ticks), *map(str, counts)])
    return rows


def results_in_page(game: GamePage) -> list[list[str]]:
    """Place, total, slot, passes, contacts and faults of every car."""
    rows = game.page.locator("[data-testid=laps] tbody tr")
    cells = [row.locator("td").all_inner_texts() for row in rows.all()]
    return [[row[0], *row[2:]] for row in cells]


@pytest.mark.parametrize(
    ("made", "level"),
    [
        (keeps_to_the_middle, ""),
        (sees_the_others, ""),
        (keeps_to_the_middle, "1"),
        (sees_the_others, "mixed"),
    ],
)
def test_race_ends_as_the_python_engine_says(made, level, other_game, other_runs, tmp_path):
    policy = made(1000)
    if not (other_runs / made.__name__).exists():
        facts = {"world": "race", "fingerprint": packaged_fingerprints()["race-classic"]}
        folder = make_run(other_runs, made.__name__, **(facts if made is sees_the_others else {}))
        publish(folder, 1000, policy)
    listed = other_game.page.request.get(f"{other_game.address}data/policies.json").json()["policies"]
    key = next(entry["key"] for entry in listed if entry["name"] == made.__name__)
    other_game.open(f"{WATCHED}&driver={key}" + (f"&level={level}" if level else "")).hurry()
    other_game.wait_for_results()
    (tmp_path / "driver.onnx").write_bytes(policy)
    levels = MIXED if level == "mixed" else [f"@level-{level}" if level else ""] * CARS
    expected = results_in_python([f"{tmp_path / 'driver.onnx'}{each}" for each in levels])
    assert results_in_page(other_game) == expected
    assert level or sum(int(row[4]) for row in expected) > 0, "nobody touched anybody"


def test_rivals_that_follow_the_player_get_stronger_with_a_win(game):
    game.open().choose("Versus")
    game.choose("Yours")
    expect(game.page.locator(".menu-note")).to_contain_text("level 1")
    game.drive(scripted_drive(1)[0])
    game.hurry().race("Versus", "1")
    expect(game.page.locator(".hud-title")).to_have_text("Level 1")
    game.wait_for_results()
    game.page.get_by_role("button", name="Menu").click()
    expect(game.page.locator(".menu-note")).to_contain_text("level 2")


def test_player_starts_last_of_eight_and_sees_place_gaps_and_contact(game):
    game.open().choose("Race")
    game.choose("7")
    game.race("Race", "3")
    expect(game.page.locator(".hud-place")).to_have_text("P8/8")
    expect(game.page.locator(".hud-table li")).to_have_count(8)
    expect(game.page.get_by_test_id("gaps")).to_contain_text(re.compile(r"\d\.\d\d"))
    assert game.stat("cars") == 8
    game.page.keyboard.down("ArrowUp")
    expect(game.page.get_by_test_id("speed")).to_have_text(re.compile(r"^[1-9]\d+$"))


def test_player_who_starts_first_is_first_and_can_be_put_back(game):
    game.open().choose("Race")
    game.choose("First")
    game.race("Race", "3")
    expect(game.page.locator(".hud-place")).to_have_text("P1/6")
    game.page.keyboard.press("r")
    expect(game.page.locator(".hud-toast")).to_have_text(re.compile("Back to the track"))


def test_what_a_driver_expects_is_said_while_its_senses_are_shown(game):
    game.open()
    assert game.page.get_by_test_id("expects").text_content() == ""
    game.page.evaluate("localStorage['hotlap.settings'] = JSON.stringify({ showRays: true })")
    game.open(WATCHED)
    expected = game.page.get_by_test_id("expects")
    game.wait_until("document.querySelector('[data-testid=expects]').textContent !== ''")
    assert re.fullmatch(r".+ expects in 2 s: \d+ u on, \d+ u/s(, off the road)?", expected.text_content())


def test_link_to_a_race_opens_the_same_grid(game):
    game.open(WATCHED.replace("&watch=1", "").replace(f"laps={LAPS}", "laps=1")).hurry()
    expect(game.page.locator(".hud-place")).to_have_text(f"P{CARS}/{CARS}")
    game.page.keyboard.down("ArrowUp")
    game.wait_for_results()
    share = game.page.get_by_test_id("share")
    expect(share).to_be_visible()
    expect(game.page.locator("[data-testid=laps] tbody tr")).to_have_count(CARS)


def test_damaged_link_to_a_race_is_refused_in_words(game):
    game.open("?rivals=70&seed=1")
    expect(game.page.locator(".menu-note")).to_contain_text("a number in it cannot be")


def test_race_of_eight_leaves_most_of_every_frame_to_the_browser(game_apart, in_time):
    game_apart.open().choose("Race")
    game_apart.choose("7")
    game_apart.race("Race", "Free")
    game_apart.page.keyboard.down("ArrowUp")
    expect(game_apart.page.get_by_test_id("current-lap")).to_have_text(re.compile(r"^0:0[1-9]"))
    game_apart.page.evaluate("window.hotlapStats.reset()")
    game_apart.wait_until("window.hotlapStats.workMs.length > 100")
    assert game_apart.stat("cars") == 8
    in_time(statistics.median(game_apart.stat("workMs")) / 1000, 0.008)


def test_race_of_eight_with_grip_leaves_most_of_every_frame_to_the_browser(game_apart, in_time):
    game_apart.open("?track=quarry&car=gt&laps=0&rivals=7&seed=7&watch=1")
    game_apart.wait_until("hotlapStats.ticks > 600", 120_000)
    game_apart.page.evaluate("window.hotlapStats.reset()")
    game_apart.wait_until("hotlapStats.workMs.length > 60", 60_000)
    assert (game_apart.stat("cars"), game_apart.stat("renderer")) == (8, "canvas")
    in_time(statistics.median(game_apart.stat("workMs")) / 1000, 0.008)


@pytest.mark.soak
def test_ten_minutes_of_a_race_of_eight_leave_no_memory_behind(game_apart):
    game_apart.open("?track=track-01&laps=0&rivals=7&seed=7&watch=1").hurry()
    session = game_apart.page.context.new_cdp_session(game_apart.page)

    def used() -> float:
        session.send("HeapProfiler.collectGarbage")
        return session.send("Runtime.getHeapUsage")["usedSize"]

    game_apart.wait_until("hotlapStats.ticks > 3_600", 120_000)
    before = used()
    game_apart.wait_until("hotlapStats.ticks > 39_600", 240_000)
    assert used() - before < 5_000_000
