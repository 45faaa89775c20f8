"""Races recorded from the native kernel, to be raced again elsewhere: contacts, passes, finishes, cars put back."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.episodes import write_streams
from hotlap.race.batch import RaceBatch, RaceSettings
from hotlap.race.grid import DRAWN_SLOT, Contenders, Facts
from hotlap.racer.cars import load_car
from hotlap.racer.tracks import load_track
from racer.cars import toward_the_road_ahead

CARS = 8
SEED = 5
COUNTS = ("status", "slot", "place", "finish_tick", "overtakes", "overtaken", "contacts", "faults", "put_backs")
EVENTS = ("contact_with", "fault", "passes", "losses", "places_gained", "put_back")
FIELDS = [
    *(("fleet", name) for name in ("x_u", "y_u", "vx_ups", "vy_ups", "heading_rad", "yaw_rate_rps", "speed_ups")),
    *(("contenders", name) for name in Contenders._fields if name not in COUNTS),
    *(("facts", name) for name in Facts._fields if name not in EVENTS),
]
EXACT_FIELDS = [
    *(("fleet", name) for name in ("gate", "lap", "lap_ticks", "surface")),
    *(("contenders", name) for name in COUNTS),
    *(("facts", name) for name in EVENTS),
]
Array = NDArray[Any]


@dataclass(frozen=True)
class RecordedRace:
    """What was asked for and what came of it, tick by tick."""

    actions: Array
    """(ticks, 3, cars) raw actions."""
    columns: dict[tuple[str, str], Array]
    """(ticks, elements) of each field."""
    job: dict[str, Any]
    """The race, as a page is asked for it."""


def record_race(track: str, layout: str, ticks: int, car: str | None = None) -> RecordedRace:
    """Eight cars off one grid, the first of them from the last slot: each at its own pace, all with a shaky hand."""
    settings = RaceSettings(cars=CARS, laps=1, layout=layout)
    race = RaceBatch(1, [load_track(track)], settings, 1, [load_car(car)] if car else ())
    race.alone.grip.car_count[:] = 1 if car else 0
    wanted = [CARS - 1, *[DRAWN_SLOT] * (CARS - 1)]
    race.slots.wanted[:] = wanted
    write_streams(race.episodes, SEED, 0)
    race.reset()
    groups: dict[str, Any] = {"fleet": race.fleet, "contenders": race.contenders, "facts": race.facts}
    actions, columns = np.zeros((ticks, 3, CARS)), {field: [] for field in FIELDS + EXACT_FIELDS}
    rng = np.random.default_rng(3)
    for tick in range(ticks):
        given = _shaky_actions(race, rng)
        race.set_actions(given)
        race.step()
        actions[tick] = given.T
        for (group, name), rows in columns.items():
            rows.append(getattr(groups[group], name).astype(np.float64))
    fields = {"cars": CARS, "laps": 1, "ticks": ticks, "layout": f"race-{layout}", "seed": SEED, "start": "standing"}
    job = {**fields, "wanted": wanted, "fields": FIELDS + EXACT_FIELDS, **({"car": car} if car else {})}
    return RecordedRace(actions, {field: np.stack(rows) for field, rows in columns.items()}, job)


def _shaky_actions(race: RaceBatch, rng: np.random.Generator) -> Array:
    """Towards the road ahead; one car stands still in the middle of the others, one steers where it likes."""
    actions = toward_the_road_ahead(race.alone, np.linspace(60.0, 140.0, CARS))
    actions[:, 0] += rng.normal(0.0, 0.2, CARS)
    actions[3] = [0.0, 0.0, 1.0]
    actions[5, 0] = rng.uniform(-1.0, 1.0)
    return actions
