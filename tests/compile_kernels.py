"""Compile every kernel before the tests, shared out to all cores: workers that start together would each compile all.

What is made is kept beside the kernels; when nothing changed, this is over at once.
"""

import multiprocessing
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hotlap.kernel_cache import kept
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
    ptx(world, entry)


LONGEST_FIRST: tuple[Callable[[], None], ...] = (
    partial(learn),
    partial(learn, world="highway"),
    partial(write_down, "racer", "update"),
    partial(write_down, "highway", "update"),
    partial(write_down, "racer", "update_grip"),
    partial(drive, "race"),
    partial(drive, "racer", car="gt"),
)


def compile_everything(workers: int) -> bytes:
    """Each in a process of its own."""
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
        for done in [pool.submit(task) for task in LONGEST_FIRST]:
            done.result()
    return b"compiled"


if __name__ == "__main__":
    kept("everything", partial(compile_everything, int(sys.argv[1])))
