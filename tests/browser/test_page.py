"""The page as a page: how fast it opens, what it costs, how it looks at three sizes, and every way to steer it."""

import gzip
import re
import statistics
from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.game_page import LAPTOP, SIZES, SMALL, assert_apart, assert_inside, open_window, scripted_drive

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]
PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
SHIFTS = """() => new Promise(done => {
    setTimeout(() => done(0), 500);
    const total = list => done(list.getEntries().reduce((sum, entry) => sum + entry.value, 0));
    new PerformanceObserver(total).observe({type: 'layout-shift', buffered: true});
})"""
PAD = """const buttons = Array.from({length: 17}, () => ({pressed: false, value: 0}));
buttons[7] = {pressed: true, value: 0.5};
const pad = {connected: true, axes: [0, 0], buttons};
navigator.getGamepads = () => [pad, null, null, null];"""
EMPTY_PAD = """const buttons = Array.from({length: 17}, () => ({pressed: false, value: 0}));
window.pad = {connected: true, axes: [0, 0], buttons};
navigator.getGamepads = () => [window.pad, null, null, null];"""
PAD_A, PAD_B, PAD_UP, PAD_LEFT, PAD_RIGHT = 0, 1, 12, 14, 15
TAP = """button => new Promise(done => {
    window.pad.buttons[button].pressed = true;
    requestAnimationFrame(() => requestAnimationFrame(() => {
        window.pad.buttons[button].pressed = false;
        requestAnimationFrame(() => requestAnimationFrame(done));
    }));
})"""


def test_page_paints_within_a_second_and_can_be_played_within_three(game_apart, in_time):
    game_apart.open()
    game_apart.open()
    in_time(game_apart.page.evaluate(PAINT) / 1000, 1.0)
    in_time(game_apart.stat("playableMs") / 1000, 3.0)


def test_page_does_not_move_under_the_hand(game):
    game.page.set_viewport_size(LAPTOP)
    game.open()
    assert game.page.evaluate(SHIFTS) < 0.02


def test_own_code_is_small_and_the_first_bundle_holds_neither_engine_nor_renderer():
    static = Path(str(files("hotlap.web") / "static"))
    page = (static / "index.html").read_text(encoding="utf-8")
    entry = static / re.search(r'src="\./(assets/[^"]+\.js)"', page)[1]
    style = static / re.search(r'href="\./(assets/[^"]+\.css)"', page)[1]
    code = entry.read_bytes()
    assert len(gzip.compress(code)) + len(gzip.compress(style.read_bytes())) < 60_000
    for heavy in (b"ort-wasm-simd-threaded", b"WebGLRenderer{", b"TilingSprite"):
        assert heavy not in code


@pytest.mark.parametrize(("mode", "cars", "limit_ms"), [("Versus AI", 2, 6), ("Younger selves", 9, 16)])
def test_work_per_frame_stays_small(game_apart, mode, cars, limit_ms, in_time):
    inputs, _ = scripted_drive(2)
    game_apart.open().drive(inputs)
    game_apart.race(mode, "Free")
    expect(game_apart.page.get_by_test_id("current-lap")).to_have_text(re.compile(r"^0:0[1-9]"))
    game_apart.page.evaluate("window.hotlapStats.reset()")
    game_apart.wait_until("window.hotlapStats.workMs.length > 100")
    assert game_apart.stat("cars") == cars
    in_time(statistics.median(game_apart.stat("workMs")) / 1000, limit_ms / 1000)


@pytest.mark.parametrize("size", SIZES)
def test_everything_is_on_the_screen_at_every_size(game, size):
    width, height = SIZES[size]
    game.page.set_viewport_size({"width": width, "height": height})
    game.open()
    for part in (".start", ".menu-links", ".logo", ".card:nth-child(1)", ".menu-choices"):
        assert_inside(game, part, width, height)
    if width > height:
        assert_inside(game, ".card:nth-child(3)", width, height)
    inputs, _ = scripted_drive(1)
    game.drive(inputs)
    game.race("Versus AI", "1", countdown=True)
    for part in (".hud-times", ".hud-speed", ".hud-map", ".hud-buttons", ".hud-race", ".hud-inputs"):
        assert_inside(game, part, width, height)
    assert_apart(game, ".hud-race", ".hud-times")
    assert_apart(game, ".hud-times", ".hud-right")
    game.page.set_viewport_size(SMALL)  # nobody looks at the lap, and it costs by the pixel
    game.hurry().wait_for_results()
    game.page.set_viewport_size({"width": width, "height": height})
    for part in (".results h2", ".results footer"):
        assert_inside(game, part, width, height)
    assert game.page.evaluate("document.documentElement.scrollWidth") <= width


def test_keyboard_alone_is_enough(game):
    game.open()
    game.page.keyboard.press("Enter")
    game.page.locator("body[data-screen=race]").wait_for()
    expect(game.page.locator(".hud-count")).to_have_class(re.compile("shown"))
    game.page.keyboard.press("Escape")
    expect(game.page.get_by_role("button", name="Resume")).to_be_focused()
    for _ in range(3):
        game.page.keyboard.press("Tab")
    expect(game.page.get_by_role("button", name="Quit to menu")).to_be_focused()
    game.page.keyboard.press("Enter")
    expect(game.page.get_by_role("button", name="Race")).to_be_focused()


def test_gamepad_gives_analog_throttle(game):
    game.open().page.evaluate(PAD)
    game.race("Solo", "3")
    expect(game.page.get_by_test_id("speed")).to_have_text(re.compile(r"^\d{2,3}$"))
    style = game.page.locator(".inputs-pedal.throttle i").first.get_attribute("style")
    assert "scaleY(0.5)" in style


def test_gamepad_alone_chooses_a_mode_and_goes_back_from_the_pause(game):
    game.open().page.evaluate(EMPTY_PAD)
    focused = game.page.locator(":focus")
    expect(focused).to_have_text("Race")
    for _ in range(12):
        game.page.evaluate(TAP, PAD_UP)
        if focused.get_attribute("name") == "choice-mode":
            break
    assert focused.get_attribute("name") == "choice-mode"
    for button in (PAD_UP, PAD_UP, PAD_LEFT, PAD_LEFT, PAD_RIGHT, PAD_RIGHT, PAD_A):
        game.page.evaluate(TAP, button)
    expect(game.page.get_by_role("radio", name="Solo")).to_be_checked()
    game.page.locator(".start").focus()
    game.page.evaluate(TAP, PAD_A)
    game.page.locator("body[data-screen=race]").wait_for()
    game.page.keyboard.press("Escape")
    expect(game.page.get_by_role("dialog", name="Paused")).to_be_visible()
    game.page.evaluate(TAP, PAD_B)
    expect(game.page.get_by_role("dialog", name="Paused")).to_be_hidden()


def test_controls_are_shown_until_somebody_has_driven(game):
    inputs, _ = scripted_drive(1)
    game.open().drive(inputs)
    game.race("Solo", "Free", countdown=True)
    expect(game.page.get_by_test_id("controls")).to_contain_text("W A S D or arrows")
    game.hurry()
    expect(game.page.get_by_test_id("controls")).to_be_hidden()
    assert game.speed() > 0
    game.open().race("Solo", "1", countdown=True)
    expect(game.page.get_by_test_id("controls")).to_be_hidden()


def test_fingers_steer_left_and_give_throttle_right(browser, address):
    game = open_window(browser, address, viewport={"width": 740, "height": 360}, has_touch=True).open()
    game.race("Solo", "3")
    touches = [{"x": 600, "y": 150, "id": 1}, {"x": 150, "y": 200, "id": 2}]
    session = game.page.context.new_cdp_session(game.page)
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": touches})
    touches[1]["x"] = 182
    session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": touches})
    expect(game.page.get_by_test_id("speed")).to_have_text(re.compile(r"^\d{2,3}$"))
    wheel = game.page.locator(".inputs-steer i").first.get_attribute("style")
    assert "translateX(50%)" in wheel
    game.page.context.close()
    assert game.complaints == []


def test_mute_and_settings_are_remembered(game):
    game.open()
    game.page.get_by_role("button", name="Settings").click()
    game.page.get_by_label("Name on the lap board").fill("Ada")
    game.page.locator(".toggle", has_text="Mute").click()
    game.page.get_by_role("button", name="Done").click()
    game.open()
    game.page.get_by_role("button", name="Settings").click()
    expect(game.page.get_by_label("Name on the lap board")).to_have_value("Ada")
    expect(game.page.get_by_role("switch", name="Mute")).to_be_checked()


def test_wish_for_less_motion_is_respected(game):
    game.page.emulate_media(reduced_motion="reduce")
    game.open().page.get_by_role("button", name="Settings").click()
    expect(game.page.get_by_role("switch", name="Less motion")).to_be_checked()


def test_light_and_camera_are_choices_that_stay(game):
    game.open()
    game.page.get_by_role("button", name="Settings").click()
    expect(game.page.get_by_role("radio", name="Day")).to_be_checked()
    day = game.page.evaluate("document.querySelector('#surface').style.backgroundColor")
    game.page.locator(".dialog label", has_text="Night").click()
    game.wait_until(f"document.querySelector('#surface').style.backgroundColor !== '{day}'")
    game.page.locator(".dialog label", has_text="Turns with the car").click()
    game.page.get_by_role("button", name="Done").click()
    game.open()
    game.page.get_by_role("button", name="Settings").click()
    expect(game.page.get_by_role("radio", name="Night")).to_be_checked()
    expect(game.page.get_by_role("radio", name="Turns with the car")).to_be_checked()


def test_webgl_draws_without_complaint(game):
    # The processor plays the graphics card here, and the browser grumbles about how slow that is.
    game.expect_complaints("GPU stall")
    game.open("?renderer=webgl").race("Solo", "1")
    assert game.stat("renderer") == "webgl"
