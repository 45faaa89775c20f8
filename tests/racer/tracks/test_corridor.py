"""The room beside a circuit, against a twin that looks at every pair of samples."""

import numpy as np
import pytest

from hotlap.racer.tracks.corridor import ROOM_USED, CentreSamples, find_bridges, room_beside
from hotlap.racer.tracks.walls import WALL_BEYOND_ROAD_U

# How often it goes from side to side and up and down, where it begins, and how high it is.
LINES = {
    "an eight over itself": (1.0, 2.0, 0.0, 500.0),
    "seven crossings": (2.0, 3.0, 0.0, 500.0),
    "a flat ring": (1.0, 1.0, 2.0, 30.0),
}


def closed_line(across, along, begin_rad, height_u):
    """Samples of a curve that crosses itself or comes close to itself, on a road whose width changes all the time."""
    turn = np.arange(900) / 900 * 2.0 * np.pi
    centre = np.column_stack([700.0 * np.sin(across * turn + 0.4), height_u * np.sin(along * turn + begin_rad)])
    onward = np.roll(centre, -1, axis=0) - np.roll(centre, 1, axis=0)
    half_width_u = 6.0 + 2.0 * np.sin(5.0 * turn)
    return CentreSamples(centre, onward / np.hypot(*onward.T)[:, None], half_width_u, half_width_u + 1.0)


def twin_room(samples, i, bridges, reach_u):
    """The room at one sample, from all the others at once."""
    count, others = len(samples.centre), np.arange(len(samples.centre))
    apart = np.minimum(abs(others - i), count - abs(others - i))
    offset = samples.centre - samples.centre[i]
    squared = (offset**2).sum(axis=1)
    aside = offset @ np.array([-samples.tangent[i, 1], samples.tangent[i, 0]])
    first = np.hypot(*(samples.centre[1] - samples.centre[0]))
    far = apart > int(3.0 * reach_u / first)
    on_a_bridge = np.zeros(count, bool)
    for a, b, around in [*zip(*bridges, strict=True), *zip(bridges.under, bridges.over, bridges.around, strict=True)]:
        here = min(abs(i - a), count - abs(i - a)) <= around
        on_a_bridge |= here & (np.minimum(abs(others - b), count - abs(others - b)) <= around)
    width = np.minimum(samples.left_u, samples.right_u)
    wider = np.where(far, width - width[i], 0.0)
    counts = (others != i) & (squared <= 4.0 * reach_u**2) & ~(far & on_a_bridge) & (squared > wider**2)
    sides = []
    for toward in (wider + aside, wider - aside):
        asked = counts & (toward > 0.0)
        sides.append(((squared - wider**2)[asked] / (2.0 * toward[asked])).min(initial=reach_u))
    return sides


@pytest.mark.parametrize("line", LINES)
def test_room_beside_a_road_is_what_every_pair_of_samples_leaves(line):
    samples = closed_line(*LINES[line])
    wall_u = float(samples.right_u.max()) + WALL_BEYOND_ROAD_U
    bridges = find_bridges(samples.centre, wall_u)
    assert (len(bridges.over) > 0) == (line != "a flat ring")
    room = np.column_stack(room_beside(samples))
    wanted = [twin_room(samples, i, bridges, wall_u / ROOM_USED) for i in range(0, 900, 7)]
    assert room[::7] == pytest.approx(np.array(wanted), rel=1e-9)
    assert room.min() < wall_u < room.max()
