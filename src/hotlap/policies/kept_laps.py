"""Laps that take seconds to work out, kept beside the compiled kernels: by road, car and the sources of the drivers."""

import functools
import hashlib
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.kernel_cache import kept_file
from hotlap.racer.cars.catalogue import Car
from hotlap.racer.tracks import Track

Columns = Mapping[str, NDArray[Any]]


def kept_lap(kind: str, track: Track, car: Car | None, work_out: Callable[[], Mapping[str, Any]]) -> Columns:
    """The numbers of a lap as they were worked out once, by name; None is the classic car."""

    def make() -> bytes:
        content = io.BytesIO()
        np.savez(content, **work_out())
        return content.getvalue()

    numbers = b"" if car is None else np.array(car.data).tobytes()
    driven = hashlib.sha256(track.control_points.tobytes() + repr(track.scale).encode() + numbers).hexdigest()
    with np.load(
        io.BytesIO(kept_file(f"{kind}-{driven[:32]}-{_drivers_hash()}.npz", make)), allow_pickle=False
    ) as columns:
        return dict(columns)


def _drivers_hash() -> str:
    """A hash of what works laps out; the folder itself is named by the kernels."""
    return sources_hash(Path(__file__).parent)


@functools.cache
def sources_hash(folder: Path) -> str:
    """A hash of the files of a folder."""
    sources = [path.read_bytes() for path in sorted(folder.glob("*.*")) if path.is_file()]
    return hashlib.sha256(b"\0".join(sources)).hexdigest()[:16]
