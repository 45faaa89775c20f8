"""What goes wrong elsewhere must not end the game, and is said in words."""

import re

import pytest
from playwright.sync_api import expect

from browser.game_page import LAPTOP, keeps_to_the_middle, launch, of_another_kind, open_window, publish, save_policy
from policies.tiny_models import good_metadata, linear_model
from web.sample_runs import make_run

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]


def test_damaged_memory_is_treated_as_empty(game):
    damage = (
        """for (const key of ['settings', 'laps', 'pending', 'flying-laps']) localStorage['hotlap.' + key] = '{"x":';"""
    )
    game.open().page.evaluate(damage)
    game.open().race("Solo", "1")
    game.page.keyboard.down("ArrowUp")
    expect(game.page.get_by_test_id("speed")).to_have_text(re.compile(r"^\d{2,3}$"))


def test_without_onnxruntime_one_can_drive_alone_and_is_told_why(other_game, other_runs):
    publish(make_run(other_runs, "stranded"), 1000, of_another_kind(keeps_to_the_middle(1000)))
    other_game.expect_complaints("ERR_FAILED")
    other_game.page.route("**/assets/ort*", lambda route: route.abort())
    other_game.open().choose_driver("stranded")
    other_game.race("Versus AI", "3")
    expect(other_game.page.locator(".hud-notice")).to_contain_text("onnxruntime did not load")
    other_game.page.keyboard.down("ArrowUp")
    expect(other_game.page.get_by_test_id("speed")).to_have_text(re.compile(r"^\d{2,3}$"))


def test_without_the_kernel_of_networks_one_can_drive_alone_and_is_told_why(game):
    game.expect_complaints("ERR_FAILED")
    game.page.route("**/data/driver.wasm", lambda route: route.abort())
    game.open().race("Versus AI", "3")
    expect(game.page.locator(".hud-notice")).to_contain_text("data/driver.wasm could not be fetched")
    expect(game.page.locator(".hud-notice")).to_contain_text("On the track instead: You")


def test_driver_of_another_physics_is_refused_with_the_reason(other_game, other_runs):
    folder = make_run(other_runs, "stranger", fingerprint="0" * 64)
    model = linear_model(good_metadata(physics_fingerprint="0" * 64))
    publish(folder, 1000, bytes(model.SerializeToString()))
    option = other_game.open().page.locator("select option", has_text="stranger")
    expect(option).to_be_disabled()
    expect(option).to_contain_text("physics")


def test_lost_driver_file_is_said_and_the_race_goes_on(game):
    game.expect_complaints("404")
    game.page.route("**/data/policies/*.onnx", lambda route: route.fulfill(status=404, body="{}"))
    game.open().race("Versus AI", "3")
    expect(game.page.locator(".hud-notice")).to_contain_text("could not be loaded")
    expect(game.page.locator(".hud-notice")).to_contain_text("On the track instead: You")
    game.page.get_by_role("button", name="Close this message").click()
    expect(game.page.locator(".hud-notice")).to_have_count(0)


def test_server_that_is_gone_leaves_the_race_alone(game):
    game.expect_complaints("ERR_INTERNET_DISCONNECTED")
    game.open().race("Solo", "3")
    game.page.context.set_offline(True)
    game.page.keyboard.down("ArrowUp")
    expect(game.page.get_by_test_id("speed")).to_have_text(re.compile(r"^\d{2,3}$"))
    game.page.keyboard.press("Escape")
    game.page.get_by_role("button", name="Quit to menu").click()
    expect(game.page.get_by_role("button", name="Race")).to_be_visible()


def test_page_that_gets_no_world_says_so_and_offers_to_reload(game):
    game.expect_complaints("500")
    game.page.route("**/data/kernel.json", lambda route: route.fulfill(status=500, body=""))
    game.page.goto(game.address)
    expect(game.page.get_by_role("alert")).to_contain_text("data/kernel.json could not be fetched")
    expect(game.page.get_by_role("button", name="Reload")).to_be_visible()


def test_without_webgl_a_canvas_draws_the_race(playwright, address):
    browser = launch(playwright, "--disable-3d-apis")
    game = open_window(browser, address, viewport=LAPTOP).open()
    assert not game.page.evaluate("Boolean(document.createElement('canvas').getContext('webgl'))")
    game.race("Solo", "1")
    assert game.stat("renderer") == "canvas"
    colours = """part => {
        const copy = new OffscreenCanvas(800, 400).getContext('2d');
        copy.drawImage(document.querySelector(part), -100, -150);
        return new Set(new Uint32Array(copy.getImageData(0, 0, 800, 400).data.buffer)).size;
    }"""
    assert game.page.evaluate(colours, ".backdrop") > 100
    assert game.page.evaluate(colours, "#scene") > 20
    browser.close()
    assert game.complaints == []


def test_newer_self_takes_the_wheel_while_one_watches(other_game, other_runs):
    folder = make_run(other_runs, "watched")
    save_policy(folder, 1000, keeps_to_the_middle(1000))
    other_game.open().choose("Watch it learn")
    other_game.choose_run("watched")
    other_game.race("Watch it learn", countdown=True)
    driver = other_game.page.get_by_test_id("learn-driver")
    expect(driver).to_contain_text("1k steps")
    save_policy(folder, 2000, keeps_to_the_middle(2000, pace=2.0))
    expect(driver).to_contain_text("2k steps")
