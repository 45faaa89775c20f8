"""Machines race in the page as in Python, to the bit: every car, every tick."""

import base64
from typing import Any

import numpy as np
import pytest

from browser.game_page import open_window
from hotlap.export.browser_kernel import address_slots
from hotlap.policies.race_drivers import race_driver
from hotlap.race.world import RaceWorld
from hotlap.racer.tick import MODES

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
CARS = 4
FIELDS = ("x_u", "y_u", "heading_rad", "vx_ups", "vy_ups", "yaw_rate_rps")
# Looks into the memory of the races' kernel after every tick, wherever the page laid it out.
SPY = """
const [slots, cars, drive] = [%s, %d, %d];
const instantiate = WebAssembly.instantiate.bind(WebAssembly);
window.raceRows = [];
WebAssembly.instantiate = async (module, imports) => {
  const instance = await instantiate(module, imports);
  const exports = instance.exports;
  if (!exports?.update_race) return instance;
  window.raceRows = [];
  const watched = (update) => (table, first, last, mode) => {
    update(table, first, last, mode);
    if (mode !== drive) return;
    const places = new DataView(exports.memory.buffer);
    for (const slot of slots) {
      const column = new Float64Array(exports.memory.buffer, places.getUint32(table + 8 * slot, true), cars);
      window.raceRows.push(...column);
    }
  };
  const { update_race, update_grip_race } = exports;
  const spied = { update_race: watched(update_race), update_grip_race: watched(update_grip_race) };
  return { exports: { ...exports, ...spied } };
};
"""
READ = """() => {
  const bytes = new Uint8Array(Float64Array.from(window.raceRows).buffer);
  let text = '';
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return btoa(text);
}"""


@pytest.fixture(scope="module")
def spied_game(browser, address):
    slots = [slot["field"] if slot["group"] == "fleet" else "" for slot in address_slots()]
    game = open_window(browser, address)
    game.page.add_init_script(SPY % ([slots.index(field) for field in FIELDS], CARS, MODES["drive"]))
    yield game
    game.page.context.close()
    assert game.complaints == []


def ticks_in_page(game: Any, query: str, driver: str) -> np.ndarray:
    """(ticks, fields, cars) of a race that is watched to its end."""
    listed = game.page.request.get(f"{game.address}data/policies.json").json()["policies"]
    key = next(entry["key"] for entry in listed if entry["name"] == driver)
    game.open(f"{query}&laps=1&rivals={CARS - 1}&start=last&watch=1&driver={key}").hurry()
    game.wait_for_results()
    return np.frombuffer(base64.b64decode(game.page.evaluate(READ))).reshape(-1, len(FIELDS), CARS)


def ticks_in_python(ticks: int, drivers: list[str], seed: int, **where: str) -> np.ndarray:
    """The same race in Python."""
    world = RaceWorld(1, cars=CARS, laps=1, slot="last", opponents=drivers[1:], threads=1, **where)
    first = race_driver(drivers[0], world.batch)
    world.reset(seed)
    rows = []
    for _ in range(ticks):
        world.advance(first.act(world.observation, world.batch, world.rows))
        rows.append([getattr(world.fleet, field).copy() for field in FIELDS])
    return np.array(rows)


@pytest.mark.parametrize("track", ["track-01", "track-02", "track-03"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_race_at_level_three_is_that_of_python_to_the_bit(track, seed, spied_game):
    seen = ticks_in_page(spied_game, f"?track={track}&car=classic&seed={seed}&level=3", "racecraft")
    expected = ticks_in_python(len(seen), ["racecraft@level-3"] * CARS, seed, track=track, observation="full")
    assert len(seen) > 500
    np.testing.assert_array_equal(seen, expected)


def test_race_of_mixed_levels_in_cars_with_grip_is_that_of_python_to_the_bit(spied_game):
    seen = ticks_in_page(spied_game, "?track=quarry&car=gt&seed=7&level=mixed", "quarry-specialist")
    drivers = [f"quarry-specialist@level-{level}" for level in (5, 4, 3, 2)]
    expected = ticks_in_python(len(seen), drivers, 7, track="quarry", car="gt", observation="grip")
    assert len(seen) > 500
    np.testing.assert_array_equal(seen, expected)
