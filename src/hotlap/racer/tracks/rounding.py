"""A closed polygon driven with rounded corners: straights and arcs, walked in even steps."""

from typing import NamedTuple

import numpy as np

from hotlap.racer.tracks.spline import FloatArray, IntArray

STRAIGHT_USED_BY_A_CORNER = 0.49
"""Part of a side that the corner at either end may turn into its arc."""


class RoundedLine(NamedTuple):
    """Points (k, 2) at even steps along the line, the radius (k,) there, infinite on straights, and the corner (k,)."""

    points: FloatArray
    radius: FloatArray
    corner: IntArray


class Corners(NamedTuple):
    """What happens at each of k corners: where its arc begins, which way, how far it turns and how tightly."""

    entry: FloatArray
    along: FloatArray
    turn_rad: FloatArray
    """Positive to the left."""
    radius: FloatArray
    straight: FloatArray
    """Length of the straight after the arc."""


def round_polygon(polygon: FloatArray, radii: FloatArray, step: float) -> RoundedLine:
    """Walk a closed polygon (k, 2) whose corner i has the radius radii[i], as far as its sides have room.

    The line begins in the middle of the side that ends in corner 0.
    """
    corners = fit_corners(polygon, radii)
    pieces = np.stack([np.abs(corners.turn_rad) * corners.radius, corners.straight], axis=1).ravel()
    ends = np.concatenate([[0.0], np.cumsum(pieces)])
    count = max(8, round(ends[-1] / step))
    distance = (np.arange(count) / count * ends[-1] - corners.straight[-1] / 2.0) % ends[-1]
    piece = np.clip(np.searchsorted(ends, distance, side="right") - 1, 0, len(pieces) - 1)
    corner, on_arc = piece // 2, piece % 2 == 0
    points = _on_corner(corners, corner, distance - ends[piece], on_arc)
    return RoundedLine(points, np.where(on_arc, corners.radius[corner], np.inf), corner)


def fit_corners(polygon: FloatArray, radii: FloatArray) -> Corners:
    """The arc of every corner, made tighter where the sides beside it are too short."""
    onward = np.roll(polygon, -1, axis=0) - polygon
    side = np.sqrt(np.sum(onward**2, axis=1))
    leaving = onward / side[:, np.newaxis]
    along = np.roll(leaving, 1, axis=0)
    sine = along[:, 0] * leaving[:, 1] - along[:, 1] * leaving[:, 0]
    turn_rad = np.arctan2(sine, np.sum(along * leaving, axis=1))
    tangent = np.maximum(np.tan(np.abs(turn_rad) / 2.0), 1e-6)
    room = STRAIGHT_USED_BY_A_CORNER * np.minimum(side, np.roll(side, 1))
    radius = np.minimum(radii, room / tangent)
    cut = radius * tangent
    return Corners(polygon - along * cut[:, np.newaxis], along, turn_rad, radius, side - cut - np.roll(cut, -1))


def _on_corner(corners: Corners, corner: IntArray, distance: FloatArray, on_arc: np.ndarray) -> FloatArray:
    """Points (k, 2) so far after the beginning of a corner's arc, or of the straight that follows it."""
    turn, radius, along = corners.turn_rad[corner], corners.radius[corner], corners.along[corner]
    left = np.column_stack([-along[:, 1], along[:, 0]])
    turned = np.where(on_arc, np.minimum(distance / radius, np.abs(turn)), np.abs(turn))
    ahead = radius * np.sin(turned)
    aside = radius * (1.0 - np.cos(turned)) * np.sign(turn)
    onto = along * np.cos(turn)[:, np.newaxis] + left * np.sin(turn)[:, np.newaxis]
    further = np.where(on_arc, 0.0, distance)
    points = corners.entry[corner] + along * ahead[:, np.newaxis] + left * aside[:, np.newaxis]
    return np.asarray(points + onto * further[:, np.newaxis])
