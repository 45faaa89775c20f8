"""The gates a car must pass in order: thirty chords from wall to wall, evenly spaced along the lap."""

import math

import numpy as np

from hotlap.racer.physics import GATE_COUNT
from hotlap.racer.tracks.spline import FloatArray

FEWEST_SAMPLES_SEARCHED = 5


def gate_arcs(length_u: float) -> FloatArray:
    """Arc (30,) of every gate; gate 0 is the start line."""
    return np.arange(GATE_COUNT, dtype=np.float64) * (length_u / GATE_COUNT)


def nearest_wall_points(centres: FloatArray, arcs_u: FloatArray, length_u: float, wall: FloatArray) -> FloatArray:
    """The wall sample (30, 2) nearest to every gate's centre, among the samples about as far along the lap.

    `wall` is (N, 2), without the closing point.
    """
    count = len(wall)
    reach = max(FEWEST_SAMPLES_SEARCHED, math.ceil(count / GATE_COUNT))
    middle = np.floor(arcs_u / length_u * count + 0.5).astype(np.int64)
    index = (middle[:, np.newaxis] + np.arange(-reach, reach + 1)) % count
    squared_distance = np.sum((wall[index] - centres[:, np.newaxis, :]) ** 2, axis=2)
    nearest = np.argmin(squared_distance, axis=1)
    found: FloatArray = wall[index[np.arange(len(index)), nearest]]
    return found
