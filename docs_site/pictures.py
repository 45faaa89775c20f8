"""`make pictures`: pictures of the worlds and of the pages, into docs/images/."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from PIL import Image

import hotlap
from docs_site.page_pictures import IMAGES, record_pages

COLOURS = 32


def drive(env: Any, act: Callable[[np.ndarray], Any], warm_up: int, frames: int, every: int) -> list[Image.Image]:
    """Pictures of a drive, one for so many steps."""
    seen, _ = env.reset(seed=3)
    taken = []
    for step in range(warm_up + frames * every):
        seen = env.step(act(seen))[0]
        if step >= warm_up and (step - warm_up) % every == 0:
            taken.append(Image.fromarray(env.render()))
    return taken


def save_gif(pictures: list[Image.Image], name: str, width: int, frame_ms: int) -> None:
    """A small moving picture that repeats."""
    height = round(pictures[0].height * width / pictures[0].width)
    small = [
        each.resize((width, height), Image.Resampling.LANCZOS).quantize(COLOURS, Image.Quantize.MAXCOVERAGE)
        for each in pictures
    ]
    small[0].save(IMAGES / name, save_all=True, append_images=small[1:], duration=frame_ms, loop=0, optimize=True)


def record_worlds() -> None:
    """A driver of each world, as `render_mode="rgb_array"` shows it."""
    for make, driver, name, (warm_up, frames, every), frame_ms in (
        (partial(hotlap.RacerEnv, "track-03"), "all-rounder", "racer.gif", (120, 32, 6), 100),
        (hotlap.HighwayEnv, "motorist", "highway.gif", (30, 32, 1), 150),
    ):
        policy = hotlap.load_policy(driver)
        options = {"observation": policy.layout} if "racer" in name else {}
        env = make(render_mode="rgb_array", **options)
        pictures = drive(env, lambda seen, policy=policy: policy.act(seen[None])[0], warm_up, frames, every)
        save_gif(pictures, name, 400, frame_ms)


if __name__ == "__main__":
    record_worlds()
    record_pages()
