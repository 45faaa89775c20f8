"""Record the drives that later engines must repeat: `PYTHONPATH=tests python -m golden.record`.

Recording is a deliberate act: the files say what the physics is, so they are written again only when the physics is
meant to change, together with its fingerprint.

A file holds a batch of cars, each with its own driver. `action` has a row for every tick, and so has what is counted
(gates, laps, flags, …); what is measured (position, observation, reward, …) has a row for every ROWS_EVERY ticks, since
an error does not go away again. `start_…` is the fleet after its placing. `meta` (JSON) names tracks, layout, drivers.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hotlap.racer.batch import RacerBatch
from hotlap.racer.fleet import FleetState
from hotlap.racer.tracks import load_track
from racer.cars import COUNTED, FLAGS, MOTION, PARTS, PLACE, toward_the_road_ahead
from racer.twin_starts import choose_start

FOLDER = Path(__file__).parent / "trajectories"
ROWS_EVERY = 16
MEASURED = (*MOTION, *PLACE)
STARTS = ("grid", "gate", "random")
Wish = Callable[[np.ndarray, int, np.random.Generator], np.ndarray]


class Drive(NamedTuple):
    """One recording: the cars take tracks and drivers in turn."""

    name: str
    tracks: tuple[str, ...]
    ticks: int
    layout: str = "classic"


DRIVES = (
    Drive("track-01", ("track-01",), 1280),
    Drive("track-02", ("track-02",), 1280),
    Drive("track-03", ("track-03",), 1280),
    Drive("generated-hard", ("generated:7:hard",), 640),
    Drive("mixed", ("track-01", "generated:3:easy", "track-03", "generated:11:medium", "track-02"), 480),
    Drive("mixed-full", ("track-03", "generated:7:hard", "track-02"), 240, "full"),
)

# What a driver wishes, given what it takes to follow the road, the tick and dice.
DRIVERS: dict[str, Wish] = {
    "follows": lambda along, tick, rng: along + rng.normal(0.0, [0.2, 0.0, 0.0]),
    "wanders": lambda along, tick, rng: np.array([np.sin(0.05 * tick) + rng.normal(0.0, 0.3), 0.7, 0.0]),
    "floors it": lambda along, tick, rng: np.array([along[0], 1.0, 0.0]),
    "holds left": lambda along, tick, rng: np.array([-0.15, 1.0, 0.0]),
    "brakes hard": lambda along, tick, rng: np.array([along[0], *((0.0, 1.0) if tick % 150 > 110 else (1.0, 0.0))]),
    "asks too much": lambda along, tick, rng: rng.choice([-1e38, -3.0, 0.5, 1e300], 3),
    "turns back": lambda along, tick, rng: np.array([1.0, 0.4, 0.0]) if tick < 60 else along,
    "stands": lambda along, tick, rng: np.zeros(3) if tick < 400 else along,
}


def record(drive: Drive) -> dict[str, np.ndarray]:
    """Drive, and keep what a comparison needs."""
    rng = np.random.default_rng(2024)
    batch = placed(drive, rng)
    kept: dict[str, list[np.ndarray]] = {name: [] for name in (*COUNTED, *FLAGS, "last_lap_ticks", "action")}
    start = {f"start_{name}": column.copy() for name, column in zip(FleetState._fields, batch.fleet, strict=True)}
    rows = []
    for tick in range(drive.ticks):
        actions = wishes(batch, tick, rng)
        batch.set_actions(actions)
        batch.step()
        kept["action"].append(actions)
        for name, column in counted(batch).items():
            kept[name].append(column)
        if (tick + 1) % ROWS_EVERY == 0:
            rows.append(measured(batch))
    meta = {"tracks": drive.tracks, "layout": drive.layout, "drivers": list(DRIVERS)}
    stacked = {name: np.stack(columns) for name, columns in kept.items()}
    return {"meta": np.array(json.dumps(meta)), **start, **stacked, "measured": np.stack(rows)}


def placed(drive: Drive, rng: np.random.Generator) -> RacerBatch:
    """A batch with one car per driver, from every kind of start, every other one with a tick of delay."""
    batch = RacerBatch(len(DRIVERS), [load_track(name) for name in drive.tracks], layout=drive.layout, threads=1)
    for car in range(batch.count):
        track = car % len(drive.tracks)
        start = choose_start(batch.tracks[track], STARTS[car % len(STARTS)], None, rng)
        batch.place(car, track, start, delay=car % 2)
    return batch


def wishes(batch: RacerBatch, tick: int, rng: np.random.Generator) -> np.ndarray:
    """One action per car, rounded to 1/256 so that the files stay small."""
    against = [car for car, name in enumerate(DRIVERS) if name == "turns back"]
    along = toward_the_road_ahead(batch, 95.0)
    along[against] = toward_the_road_ahead(batch, 60.0, onward=-1.0)[against]
    actions = np.stack([wish(along[car], tick, rng) for car, wish in enumerate(DRIVERS.values())])
    return np.where(np.abs(actions) < 1e6, np.round(actions * 256.0) / 256.0, actions)


def counted(batch: RacerBatch) -> dict[str, np.ndarray]:
    """What must agree exactly."""
    columns = {name: getattr(batch.fleet, name) for name in COUNTED}
    columns.update({name: getattr(batch.out, name) for name in (*FLAGS, "last_lap_ticks")})
    return {name: column.copy() for name, column in columns.items()}


def measured(batch: RacerBatch) -> np.ndarray:
    """(count, k): what must agree closely: motion and place, reward and its parts, observation."""
    fleet = [getattr(batch.fleet, name) for name in MEASURED]
    out = [getattr(batch.out, name) for name in ("reward", *PARTS)]
    return np.column_stack([*fleet, *out, batch.observation])


def main() -> None:
    """Write every recording anew."""
    FOLDER.mkdir(exist_ok=True)
    for drive in DRIVES:
        np.savez_compressed(FOLDER / f"{drive.name}.npz", **record(drive))


if __name__ == "__main__":
    main()
