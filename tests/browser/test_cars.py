"""Cars with grip on circuits at true scale, in the page."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from browser.game_page import lap_text, publish
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.racer.batch import LAYOUTS
from hotlap.racer.fingerprint import fingerprint_of_layout
from hotlap.racer.world import RacerWorld
from policies.tiny_models import good_metadata, linear_nodes, model_of
from web.sample_runs import make_run

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def straight_on(throttle: float) -> bytes:
    """A driver of the gt who never steers: enough to compare two machines tick by tick."""
    layout = "grip"
    weights = np.zeros((LAYOUTS[layout], 3))
    metadata = good_metadata(layout=layout, tracks=["ridgeway"], physics_fingerprint=fingerprint_of_layout(layout))
    nodes, tensors = linear_nodes(weights, np.array([0.0, throttle, 0.0]))
    model = model_of(nodes, tensors, {**metadata, "cars": ["gt"]}, LAYOUTS[layout])
    return bytes(model.SerializeToString())


def speed_in_python(policy: bytes, ticks: int) -> float:
    """How fast the gt is after so many ticks from the grid, in km/h."""
    driver = OnnxPolicy(policy)
    world = RacerWorld(1, "ridgeway", observation=driver.layout, action_delay=1, threads=1, car="gt")
    world.begin(0, np.random.default_rng(0))
    for _ in range(ticks):
        world.advance(driver.act(world.observation))
    return 3.6 * float(world.fleet.speed_ups[0])


@pytest.mark.parametrize("car", ["GT", "Formula", "Street"])
def test_machine_that_comes_with_the_game_races_every_car_with_grip(game, car):
    game.open().choose(car)
    game.choose("Ridgeway")
    expect(game.page.locator(".card")).to_have_count(3)
    expect(game.page.locator(".card").first).to_contain_text("km")
    game.choose_driver("grand-tourer")
    game.race("Versus AI", "3")
    game.page.keyboard.down("ArrowUp")
    expect(game.page.get_by_test_id("speed")).to_have_text(re.compile(r"^(8|9|1\d)\d$"))
    expect(game.page.locator(".hud-speed small")).to_have_text("km/h")
    assert game.stat("cars") == 2


def test_machine_that_comes_with_the_game_races_the_gt_on_quarry(game):
    game.open().choose("GT")
    game.choose("Quarry")
    expect(game.page.locator("select option", has_text="quarry-specialist")).to_have_count(1)
    game.race("Versus AI", "3")
    game.wait_until("document.querySelector('[data-testid=speed]') !== null")
    assert game.stat("cars") == 2


def test_car_and_its_circuit_are_remembered(game):
    game.open().choose("Street")
    game.choose("Ridgeway")
    game.open()
    expect(game.page.get_by_role("radio", name="Street")).to_be_checked()
    expect(game.page.locator(".card input:checked")).to_have_value("ridgeway")
    game.choose("Classic")
    expect(game.page.locator(".card input:checked")).to_have_value("track-01")


def test_driver_of_the_gt_is_offered_to_the_gt_alone_and_drives_as_in_python(other_game, other_runs):
    policy = straight_on(0.6)
    facts = {"observation": "grip", "tracks": ["ridgeway"], "car": ["gt"]}
    publish(make_run(other_runs, "gripper", fingerprint=fingerprint_of_layout("grip"), racer=facts), 1000, policy)
    page = other_game.open().page
    expect(page.locator("select option", has_text="gripper")).to_have_count(0)
    other_game.choose("GT")
    other_game.choose("Ridgeway")
    other_game.choose_driver("gripper")
    other_game.race("Spectate", "3", countdown=True)
    other_game.wait_until("Number(document.querySelector('[data-testid=speed]').textContent) > 60")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Paused")).to_be_visible()
    shown = page.get_by_test_id("current-lap").inner_text()
    minutes, seconds = shown.split(":")
    ticks = round((60 * int(minutes) + float(seconds)) * 60)
    assert lap_text(ticks) == shown
    assert other_game.speed() == pytest.approx(speed_in_python(policy, ticks), abs=0.6)
