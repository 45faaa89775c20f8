"""Driving in the page: keys, the clock, laps and the finish agree with the Python engine."""

import base64
import re

import pytest
from playwright.sync_api import expect

from browser.game_page import lap_text, laps_in_python, scripted_drive
from store.driven_laps import slow_drive

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

# What is shown with each beat, noted by the page itself: whoever asks from outside may come too late for one.
NOTE_BEATS = """() => {
    const [beats, shown] = [window.beats = [], (where) => document.querySelector(where).innerText];
    new MutationObserver(() => {
        if (!document.querySelector('.hud-count.shown')) return;
        const seen = ['.hud-count', '[data-testid=current-lap]', '[data-testid=speed]'].map(shown);
        if (`${seen}` !== `${beats.at(-1)}`) beats.push(seen);
    }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
}"""


def test_held_key_moves_the_car(game):
    game.open().race("Solo", "3")
    assert game.speed() == 0
    game.page.keyboard.down("ArrowUp")
    expect(game.page.get_by_test_id("speed")).to_have_text(re.compile(r"^[1-9]\d+$"))


def test_scripted_drive_gives_the_lap_times_of_the_python_engine(game):
    inputs, ticks = scripted_drive(2)
    game.open().hurry().drive(inputs)
    game.race("Solo", "3")
    expect(game.page.get_by_test_id("last-lap")).to_have_text(re.compile(re.escape(lap_text(ticks))))
    assert scripted_drive(1)[1] > ticks
    expect(game.page.get_by_test_id("best-lap")).to_have_text(f"BEST {lap_text(ticks)}")


def test_machine_repeats_the_laps_of_the_python_evaluation(game):
    game.open()
    policies = game.page.request.get(game.address + "data/policies.json").json()["policies"]
    driver = next(entry for entry in policies if entry["kind"] == "best")
    content = game.page.request.get(f"{game.address}data/policies/{driver['key']}.onnx").body()
    game.page.get_by_label("Driver").select_option(driver["key"])
    game.hurry().race("Spectate", "3", countdown=True)
    game.wait_for_results()
    assert game.times(2) == [lap_text(ticks) for ticks in laps_in_python(content, "track-01", 3)]


def test_driver_that_comes_with_the_game_repeats_its_laps(game):
    game.open()
    policies = game.page.request.get(game.address + "data/policies.json").json()["policies"]
    bundled = [entry for entry in policies if entry["kind"] == "bundled" and "track-01" in entry["tracks"]]
    assert bundled, "no driver comes with the game"
    content = game.page.request.get(f"{game.address}data/policies/{bundled[0]['key']}.onnx").body()
    game.page.get_by_label("Driver").select_option(bundled[0]["key"])
    game.hurry().race("Spectate", "3", countdown=True)
    game.wait_for_results()
    assert game.times(2) == [lap_text(ticks) for ticks in laps_in_python(content, "track-01", 3)]


def test_slower_computer_still_gives_sixty_ticks_a_second(game_apart, in_time):
    game_apart.open().race("Versus AI", "Free", countdown=True)
    expect(game_apart.page.get_by_test_id("current-lap")).not_to_have_text("0:00.000")
    session = game_apart.page.context.new_cdp_session(game_apart.page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    measure = """async () => {
        const [ticks, from] = [hotlapStats.ticks, performance.now()];
        await new Promise(done => setTimeout(done, 8000));
        return 1000 * (hotlapStats.ticks - ticks) / (performance.now() - from);
    }"""
    ticks_per_s = game_apart.page.evaluate(measure)
    # A frame at either end may fall on this side or that: half a second of ticks at most, of 480.
    assert ticks_per_s < 67
    in_time(1 / ticks_per_s, 1 / 53)


def test_countdown_holds_cars_and_clock_for_four_beats(game):
    game.open()
    game.page.evaluate(NOTE_BEATS)
    game.race("Solo", "1", countdown=True)
    game.page.keyboard.down("ArrowUp")
    expect(game.page.get_by_test_id("current-lap")).not_to_have_text("0:00.000")
    beats = game.page.evaluate("window.beats")
    assert beats == [[beat, "0:00.000", "0"] for beat in ("3", "2", "1", "GO")]


def test_pause_stops_the_clock_and_resuming_lets_it_go_on(game):
    game.open().race("Solo", "3")
    game.page.keyboard.press("Escape")
    dialog = game.page.get_by_role("dialog", name="Paused")
    expect(dialog).to_be_visible()
    shown = game.page.get_by_test_id("current-lap").inner_text()
    ticks = game.stat("ticks")
    game.page.wait_for_timeout(300)
    assert game.stat("ticks") > ticks
    assert game.page.get_by_test_id("current-lap").inner_text() == shown
    game.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(game.page.get_by_test_id("current-lap")).not_to_have_text(shown)


def test_r_twice_restarts_without_a_countdown(game):
    game.open().race("Solo", "3")
    game.page.keyboard.down("ArrowUp")
    expect(game.page.get_by_test_id("speed")).to_have_text(re.compile(r"^\d{2,3}$"))
    game.page.keyboard.up("ArrowUp")
    game.page.keyboard.press("r")
    expect(game.page.locator(".hud-count")).to_have_text("Back to the track")
    game.page.keyboard.press("r")
    expect(game.page.locator(".hud-count")).not_to_have_class(re.compile("shown"))
    expect(game.page.get_by_test_id("speed")).to_have_text("0")
    assert game.stat("phase") == "racing"


def test_r_puts_the_car_back_on_the_road(game):
    game.open().race("Solo", "3")
    game.page.keyboard.down("ArrowUp")
    expect(game.page.get_by_test_id("speed")).to_have_text(re.compile(r"^\d{2,3}$"))
    game.page.keyboard.up("ArrowUp")
    game.page.keyboard.press("r")
    expect(game.page.locator(".hud-count")).to_have_text("Back to the track")
    expect(game.page.get_by_test_id("speed")).to_have_text("0")
    expect(game.page.get_by_test_id("current-lap")).to_have_class(re.compile("spoiled"))


def test_stuck_car_is_put_back_on_the_track(game):
    game.open().race("Solo", "3")
    expect(game.page.locator(".hud-count")).to_have_text("Back to the track")
    expect(game.page.locator(".hud-count")).not_to_have_class(re.compile("shown"))
    assert game.stat("phase") == "racing"


def test_flying_lap_as_fast_as_the_reference_earns_gold_and_a_standing_one_no_medal(game):
    for laps, medals in (("1", []), ("3", ["gold medal"])):
        game.open().hurry().drive(scripted_drive(int(laps))[0])
        game.race("Solo", laps)
        game.wait_for_results()
        shown = game.page.locator(".subline .medal")
        assert [medal.get_attribute("aria-label") for medal in shown.all()] == medals


def test_race_waits_for_a_beginner_who_is_more_than_five_seconds_behind(game):
    drive, ticks = slow_drive()
    game.open().hurry().drive(base64.b64encode(drive.inputs).decode())
    game.race("Versus AI", "1")
    game.wait_for_results()
    assert game.times(2) == [lap_text(ticks)]
    behind = re.fullmatch(r"AI wins by ([\d.]+) s", game.page.get_by_test_id("headline").inner_text())
    assert float(behind[1]) > 5.0


def test_tap_of_a_key_at_speed_is_a_small_correction(game):
    game.open().race("Solo", "Free")
    game.page.keyboard.down("ArrowUp")
    game.wait_until("Number(document.querySelector('[data-testid=speed]').textContent) > 100")
    game.page.evaluate("window.turnClock(0.02)")  # a tick takes most of a second, and a tap as long as one likes
    game.page.keyboard.down("ArrowLeft")
    wheel = "document.querySelector('.hud-inputs i').style.transform"
    game.wait_until(f"!{wheel}.includes('(0%')")  # a page that was late makes up for ticks before it sees the key
    game.wait_until(f"hotlapStats.ticks >= {game.stat('ticks') + 2}")
    assert -80 < int(re.fullmatch(r"translateX\((-?\d+)%\)", game.page.evaluate(wheel))[1]) < 0


def test_race_against_the_machine_ends_with_a_comparison(game):
    inputs, ticks = scripted_drive(1)
    game.open().hurry().drive(inputs)
    game.race("Versus AI", "1")
    game.wait_for_results()
    assert game.times(2) == [lap_text(ticks)]
    expect(game.page.get_by_test_id("headline")).to_have_text(re.compile("^You win"))
    expect(game.page.get_by_test_id("loss")).to_have_text(re.compile(r"^You (lost|gained) \d\.\d\d s in turn \d$"))
    expect(game.page.locator(".chart")).to_have_count(2)
    expect(game.page.locator(".line-map .map-line")).to_have_count(2)
    game.page.get_by_role("button", name=re.compile("^T1")).click()
    expect(game.page.get_by_role("button", name=re.compile("^T1"))).to_have_attribute("aria-pressed", "true")


def test_younger_selves_race_nine_cars_at_once(game):
    game.open().race("Younger selves", "1", countdown=True)
    expect(game.page.locator(".hud-table li")).to_have_count(9)
    game.wait_until("window.hotlapStats.cars === 9")
    expect(game.page.locator(".hud-table li").first).to_contain_text("k")
