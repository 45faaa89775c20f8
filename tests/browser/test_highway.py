"""The highway page as a person has it: orders by word, voice and button, drivers, supervisor, and what is kept."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from browser.game_page import FEWER_PICTURES, LAPTOP, SMALL, GamePage
from browser.highway_page import LEFTMOST, HighwayPage, always_left, highway_run, obedient, publish_driver
from hotlap.highway.missions import Mission, Mode
from hotlap.highway.physics import MOST_VEHICLES, MPH
from hotlap.highway.world import HighwayWorld
from hotlap.policies.highway_expert import HighwayExpert
from hotlap.policies.onnx_policy import OnnxPolicy

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]
SIZES = {"phone": (360, 740), "on its side": (844, 390), "small": (640, 360), "laptop": (1280, 720), "4K": (3840, 2160)}
DAYLIGHT = [0x5F, 0x8F, 0x4A]
"""The meadow of the game, by day."""
SPEAKING = """class Listener {
  start() {} stop() { this.onresult({ results: [[{ transcript: 'move one lane right' }]] }); this.onend(); }
}
window.SpeechRecognition = Listener;
window.speechSynthesis.speak = (words) => { window.spoken = words.text; };"""


@pytest.fixture(scope="module")
def highway(other_runs, other_address):
    """A server with a driver that does as it is told, and one that always asks for the left."""
    publish_driver(highway_run(other_runs, "leftist"), 500, always_left(500))
    publish_driver(highway_run(other_runs, "pupil"), 1000, obedient(1000))
    return other_runs, other_address


def open_highway(browser, address) -> HighwayPage:
    page = HighwayPage(browser.new_context(viewport=SMALL).new_page(), address)
    page.page.add_init_script(FEWER_PICTURES)
    return page


@pytest.fixture(scope="module")
def one_highway(browser, highway):
    """Opening a window costs more than most tests do in it, so they share one."""
    page = open_highway(browser, highway[1])
    yield page
    page.page.context.close()


@pytest.fixture
def page(one_highway, highway):
    """The page in a window that is as good as new, not opened yet; whatever it complains about fails the test."""
    yield one_highway.as_new(highway[1])
    assert one_highway.complaints == []


@pytest.fixture
def window(browser, highway):
    """Opens the page in a window of its own; whatever it complains about fails the test."""
    opened = []

    def new() -> HighwayPage:
        opened.append(open_highway(browser, highway[1]))
        return opened[-1]

    yield new
    for page in opened:
        page.page.context.close()
        assert page.complaints == []


@pytest.mark.parametrize("size", SIZES)
def test_page_drives_at_every_size_with_everything_in_view(page, size):
    width, height = SIZES[size]
    page.page.set_viewport_size({"width": width, "height": height})
    page.open(scene=(1, 20))
    expect(page.part("speed")).to_have_text(re.compile(r"^[3-7]\d$"))
    page.wait_until("window.hotlapStats.ticks > 5")
    buttons = [page.page.get_by_role("button", name=name) for name in ("Stop", "New road", "Missions")]
    night = page.page.locator("label").filter(has_text="Night")
    for part in (page.part("log"), page.part("mission"), page.page.get_by_label("Driver"), night, *buttons):
        box = part.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height
    assert page.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.page.locator("#road").bounding_box()["height"] >= height / 3
    colours = """() => { const road = document.querySelector('#road'); return new Set(new Uint32Array(
        road.getContext('2d').getImageData(0, 0, road.width, road.height).data.buffer)).size }"""
    assert page.page.evaluate(colours) > 50


def test_order_is_confirmed_carried_out_and_kept(page, highway):
    page.open()
    page.choose_driver("Rule-based expert")
    page.order("move one lane left")
    expect(page.part("log")).to_contain_text("Move to lane 2, to the left.")
    expect(page.part("mission")).to_have_text("Moving to lane 2")
    page.hurry()
    expect(page.part("log")).to_contain_text("Done: “move one lane left”")
    expect(page.part("mission")).to_contain_text("Holding lane 2")
    [kept] = page.page.request.get(f"{highway[1]}api/missions?limit=1").json()["missions"]
    assert (kept["text"], kept["ending"], kept["driver"]) == ("move one lane left", "done", "expert")
    assert 2.5 < kept["duration_s"] < 10


def cruise_in_python(driver) -> tuple[float, float]:
    """How long a cruise at 55 takes in scene 1 among 20 vehicles, and how far from 55 mph it ends, in m/s."""
    world, speed = HighwayWorld(1, vehicles=(0, MOST_VEHICLES), threads=1), 55 * MPH
    world.begin(0, np.random.default_rng(1), {"vehicles": 20, "mission": Mission()})
    world.give(0, Mission(Mode.CRUISE, target_speed_mps=speed))
    while not world.out.mission_ended[0]:
        world.advance(driver.act(world.observation))
    return world.extra_info(0)["duration_s"], float(world.vehicles.speed_mps[0] - speed)


@pytest.mark.parametrize("name", ["Rule-based expert", "pupil"])
def test_drive_in_the_page_is_the_drive_in_python(page, highway, name):
    page.open()
    page.choose_driver(name)
    expect(page.part("log")).to_contain_text("At the wheel: the rule" if "expert" in name else "At the wheel: pupil")
    page.page.get_by_role("button", name="Pause").click()
    page.page.evaluate("window.hotlapScene(1, 20)")
    page.page.get_by_role("button", name="Cruise 55").click()
    with page.page.expect_response(lambda answer: "api/missions" in answer.url and answer.request.method == "POST"):
        page.hurry().page.get_by_role("button", name="Go on").click()
        expect(page.part("log")).to_contain_text("Done: “cruise at 55 mph”")
    [kept] = page.page.request.get(f"{highway[1]}api/missions?limit=1").json()["missions"]
    duration_s, error_mps = cruise_in_python(HighwayExpert() if "expert" in name else OnnxPolicy(obedient(1000), None))
    assert kept["duration_s"] == pytest.approx(duration_s, abs=1e-9)
    # The policy counts in float32, in another order here and there.
    assert kept["speed_error_mps"] == pytest.approx(error_mps, abs=1e-9 if "expert" in name else 1e-4)


def test_refusal_is_shown_with_its_reason_and_the_mission_stays(page):
    page.open(scene=LEFTMOST)
    page.choose_driver("Rule-based expert")
    page.order("cruise at 50")
    expect(page.part("mission")).to_have_text("Cruising at 50 mph")
    page.order("move one lane left")
    expect(page.part("log")).to_contain_text("There is no lane to the left of lane 1.")
    expect(page.part("mission")).to_have_text("Cruising at 50 mph")
    expect(page.page.get_by_role("button", name="← Left")).to_be_disabled()


def test_trained_driver_carries_out_a_button_and_a_newer_self_takes_the_wheel(page, highway):
    page.open()
    page.choose_driver("pupil")
    expect(page.part("log")).to_contain_text("At the wheel: pupil · 1k steps.")
    page.hurry().page.get_by_role("button", name="Right →").click()
    expect(page.part("log")).to_contain_text("Done: “move one lane right”")
    publish_driver(highway[0] / "pupil", 2000, obedient(2000))
    expect(page.part("log")).to_contain_text("At the wheel: pupil · 2k steps.")
    expect(page.part("fallback")).to_be_hidden()


def test_supervisor_names_the_rule_it_uses(page):
    page.open(scene=LEFTMOST)
    page.choose_driver("leftist")
    expect(page.part("supervisor")).to_contain_text("edge: there is no lane on that side", ignore_case=True)


def test_expert_drives_visibly_when_the_policy_cannot_run(page):
    page.expect_complaints("ERR_FAILED")
    page.page.route("**/data/driver.wasm", lambda route: route.abort())
    page.open()
    expect(page.part("fallback")).to_contain_text("The rule-based expert drives")
    expect(page.part("fallback")).to_contain_text("The AI cannot drive here: data/driver.wasm could not be fetched")
    page.hurry().order("cruise at 40")
    expect(page.part("speed")).to_have_text(re.compile("^(39|40|41)$"))


def test_units_are_one_system_everywhere_and_remembered(page):
    page.open()
    page.choose_driver("Rule-based expert")
    page.page.get_by_text("km/h", exact=True).first.click()
    page.order("cruise at 80")
    expect(page.part("log")).to_contain_text("Cruise at 80 km/h.")
    expect(page.part("mission")).to_have_text("Cruising at 80 km/h")
    page.hurry()
    expect(page.part("speed")).to_have_text(re.compile("^(79|80|81)$"))
    page.open()
    expect(page.page.get_by_role("button", name="Cruise 90")).to_be_enabled()


def test_light_is_the_one_choice_of_both_pages(page):
    page.open()
    assert page.page.locator("body").get_attribute("data-light") == "day"
    assert ground(page) == DAYLIGHT
    page.page.locator("label").filter(has_text="Night").click()
    expect(page.page.locator("body")).to_have_attribute("data-light", "night")
    page.wait_until(f"window.hotlapStats.frames > {page.stat('frames') + 2}")
    assert max(ground(page)) < 40
    page.open()
    assert page.page.locator("body").get_attribute("data-light") == "night"
    GamePage.open(page)
    page.page.get_by_role("button", name="Settings").click()
    expect(page.page.get_by_role("radio", name="Night")).to_be_checked()
    page.page.locator("label").filter(has_text=re.compile("^Day$")).click()
    page.open()
    assert page.page.locator("body").get_attribute("data-light") == "day"


def ground(page: HighwayPage) -> list[float]:
    """The usual colour of the left edge of the picture, beside the road."""
    script = """() => { const road = document.querySelector('#road');
        const copy = new OffscreenCanvas(1, road.height).getContext('2d', { willReadFrequently: true });
        copy.drawImage(road, 0, 0);
        return [...copy.getImageData(0, 0, 1, road.height).data] }"""
    return np.median(np.array(page.page.evaluate(script)).reshape(-1, 4)[:, :3], axis=0).tolist()


def test_nobody_is_overtaken_on_an_empty_road_and_amber_is_for_protection(page):
    page.open(scene=LEFTMOST)
    page.choose_driver("leftist")
    expect(page.page.get_by_role("button", name="Overtake")).to_be_disabled()
    expect(page.part("supervisor")).to_contain_text("edge")
    expect(page.page.locator(".hw-guard-box.steps-in")).to_have_count(0)


def test_log_of_missions_has_failures_first_and_an_order_that_changes_another_calls_nothing_off(page):
    page.open()
    page.choose_driver("Rule-based expert")
    page.order("overtake and stay there")
    expect(page.part("log")).to_contain_text("Nobody drives ahead in this lane.")
    page.order("cruise at 40")
    page.order("cruise at 50")
    page.hurry()
    expect(page.part("log")).to_contain_text("Done: “cruise at 50”")
    expect(page.part("log")).not_to_contain_text("Called off")
    page.order("stop")
    page.order("never mind")
    expect(page.part("log")).to_contain_text("Called off: “stop”")
    page.page.get_by_role("button", name="Missions").click()
    rows = page.part("missions").get_by_role("row")
    expect(rows.filter(has_text="cruise at 50")).to_contain_text("done")
    endings = rows.evaluate_all("rows => rows.map((row) => row.classList.contains('failed'))")
    assert endings == sorted(endings, reverse=True)


def test_voice_asks_for_consent_says_where_audio_goes_and_is_understood(window):
    page = window()
    page.page.add_init_script(SPEAKING)
    page.open()
    page.choose_driver("Rule-based expert")
    talk = page.page.get_by_role("button", name="Hold to talk")
    talk.click()
    dialog = page.page.get_by_role("dialog")
    expect(dialog).to_contain_text("sends the audio to Google")
    dialog.get_by_role("button", name="I agree").click()
    page.page.get_by_text("Speak answers").click()
    talk.click()
    expect(page.part("log")).to_contain_text("Move to lane 4, to the right.")
    page.wait_until("window.spoken === 'Move to lane 4, to the right.'")


def test_browser_without_speech_says_so(window):
    page = window()
    page.page.add_init_script("delete window.SpeechRecognition; delete window.webkitSpeechRecognition;")
    page.open()
    expect(page.page.get_by_role("button", name="Hold to talk")).to_be_disabled()
    expect(page.part("order-note")).to_contain_text("no speech recognition")


def test_game_and_highway_lead_to_each_other(page, highway):
    page.page.set_viewport_size(LAPTOP)
    page.page.goto(highway[1])
    page.page.get_by_role("link", name="Highway").click()
    page.page.locator("body[data-ready]").wait_for()
    page.page.get_by_role("link", name="Race track").click()
    expect(page.page.get_by_role("button", name="Race", exact=True)).to_be_visible()
