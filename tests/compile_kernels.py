"""Compile every kernel before the tests, shared out to all cores: workers that start together would each compile all.

What is made is kept beside the kernels; when nothing changed, this is over at once.
"""

import hashlib
import multiprocessing
import os
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hotlap.kernel_cache import kept
from hotlap.racer.cars import load_car
from hotlap.racer.tracks import load_track
from hotlap.worlds import make_world


def drive(world: str, **options: Any) -> None:
    """A reset and a step of a world."""
    cars = make_world(world, 2, **options)
    for car in range(2):
        cars.begin(car, np.random.default_rng(car))
    cars.advance(np.zeros((2, 3), np.float32))


def learn(**changes: Any) -> None:
    """A training of two rollouts."""
    from hotlap.training.train import train  # noqa: PLC0415 - torch is for those who learn
    from training.tiny_runs import tiny_config  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as root:
        train(tiny_config(steps=128, **changes), "run", Path(root))


def write_down(world: str, function: str) -> None:
    """A world's function for pages and GPUs."""
    from hotlap.export.ptx import ptx  # noqa: PLC0415
    from hotlap.export.wasm import wasm_object  # noqa: PLC0415
    from hotlap.export.world_browser import browser_of  # noqa: PLC0415

    entry = browser_of(world).entries[function]
    wasm_object(function, entry)
    if function in ("update", "update_grip"):
        ptx(world, entry)


def drive_on_pages() -> None:
    """The small functions of pages: the forward pass of a network, and where cars are drawn on the highway."""
    from hotlap.export.driver_browser import built_driver_wasm  # noqa: PLC0415

    built_driver_wasm()
    write_down("highway", "pose")


def work_out_lines() -> None:
    """The fastest line of a car with grip, and who drives along such lines."""
    from hotlap.policies.grip_reference import FastestLineDriver, packaged_styles, style_key  # noqa: PLC0415
    from hotlap.policies.grip_teacher import GripTeacher  # noqa: PLC0415
    from hotlap.policies.limit import limit_lap  # noqa: PLC0415

    limit_lap("track-01", "gt")
    track, car = load_track("quarry"), load_car("gt")
    FastestLineDriver(track, car).drive(packaged_styles()[style_key(track, car)])
    GripTeacher([track], [car]).act(make_world("racer", 2, track=track, car=car))


LONGEST_FIRST: tuple[Callable[[], None], ...] = (
    partial(drive, "race", car="gt"),
    partial(drive, "race"),
    partial(learn, world="highway"),
    partial(learn),
    partial(learn, algorithm="sac"),
    partial(write_down, "highway", "update"),
    partial(write_down, "race", "update_race"),
    partial(write_down, "race", "update_grip_race"),
    partial(write_down, "racer", "update"),
    partial(write_down, "racer", "update_grip"),
    partial(drive, "racer", car="gt"),
    work_out_lines,
    drive_on_pages,
)


def compile_everything() -> bytes:
    """Each in a process of its own."""
    with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
        for done in [pool.submit(task) for task in LONGEST_FIRST]:
            done.result()
    return b"compiled"


if __name__ == "__main__":
    this_list = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]
    kept(f"everything-{this_list}", compile_everything)
