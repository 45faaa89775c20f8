"""Where closed lines cross themselves or each other, found through a grid in time linear in their length."""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hotlap.racer.tracks.spline import FloatArray, IntArray

BoolArray: TypeAlias = NDArray[np.bool_]


MOST_CANDIDATE_PAIRS = 4_000_000


class Crossing(NamedTuple):
    """Segment `index_a` of line `line_a` meets segment `index_b` of line `line_b`."""

    line_a: int
    index_a: int
    line_b: int
    index_b: int


class _Segments(NamedTuple):
    """Every segment of every line, in one list of m."""

    start: FloatArray
    end: FloatArray
    line: IntArray
    number: IntArray
    line_length: IntArray


def find_crossing(lines: list[FloatArray]) -> Crossing | None:
    """The first place where the closed lines ((N, 2) each, not repeating their first point) cross or touch."""
    crossings = find_crossings(lines)
    return crossings[0] if crossings else None


def find_crossings(lines: list[FloatArray]) -> list[Crossing]:
    """Every place where the closed lines cross or touch, in the order of the lines."""
    segments = _segments_of(lines)
    pairs = _candidate_pairs(segments)
    if pairs is None:
        raise OverflowError("the lines are so crowded that they cannot be searched")
    first, second = pairs
    strangers = _not_neighbours(segments, first, second)
    first, second = first[strangers], second[strangers]
    meeting = _meet(segments, first, second)
    first, second = first[meeting], second[meeting]
    pairs_met = sorted(set(zip(first.tolist(), second.tolist(), strict=True)))
    return [_crossing_at(segments, a, b) for a, b in pairs_met]


def _crossing_at(segments: _Segments, a: int, b: int) -> Crossing:
    return Crossing(int(segments.line[a]), int(segments.number[a]), int(segments.line[b]), int(segments.number[b]))


def _segments_of(lines: list[FloatArray]) -> _Segments:
    counts = [len(line) for line in lines]
    return _Segments(
        start=np.concatenate(lines),
        end=np.concatenate([np.roll(line, -1, axis=0) for line in lines]),
        line=np.repeat(np.arange(len(lines)), counts),
        number=np.concatenate([np.arange(count) for count in counts]),
        line_length=np.repeat(np.array(counts), counts),
    )


def _candidate_pairs(segments: _Segments) -> tuple[IntArray, IntArray] | None:
    """Pairs of segments that share a cell of the grid, the lower first; None when there are too many to look at."""
    cells, owners = _cells_of(segments)
    order = np.argsort(cells)
    cells, owners = cells[order], owners[order]
    position = np.arange(len(cells))
    last = np.append(np.flatnonzero(np.diff(cells)), len(cells) - 1)
    partners = np.repeat(last, np.diff(last, prepend=-1)) - position
    if int(partners.sum()) > MOST_CANDIDATE_PAIRS:
        return None
    first = np.repeat(position, partners)
    rank = np.arange(len(first)) - np.repeat(np.cumsum(partners) - partners, partners)
    one, other = owners[first], owners[first + 1 + rank]
    return np.minimum(one, other), np.maximum(one, other)


def _cells_of(segments: _Segments) -> tuple[IntArray, IntArray]:
    """Cell keys and the segments in them. Cells are as large as the mean segment; longer ones are cut to pieces."""
    step = segments.end - segments.start
    length_u = np.sqrt(np.sum(step**2, axis=1))
    cell_u = max(float(length_u.mean()), 1e-9)
    pieces = np.maximum(1, np.ceil(length_u / cell_u)).astype(np.int64)
    owner = np.repeat(np.arange(len(step)), pieces)
    rank = np.arange(len(owner)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    low = segments.start[owner] + step[owner] * (rank / pieces[owner])[:, np.newaxis]
    high = segments.start[owner] + step[owner] * ((rank + 1) / pieces[owner])[:, np.newaxis]
    origin = segments.start.min(axis=0)
    cell_a, cell_b = (np.floor((corner - origin) / cell_u).astype(np.int64) for corner in (low, high))
    return _keys_of_corners(cell_a, cell_b, owner)


def _keys_of_corners(cell_a: IntArray, cell_b: IntArray, owner: IntArray) -> tuple[IntArray, IntArray]:
    """One key for each different cell among the four at the corners of a piece's box, and the piece's owner."""
    wide, tall = cell_a[:, 0] != cell_b[:, 0], cell_a[:, 1] != cell_b[:, 1]
    both = wide & tall
    columns = np.concatenate([cell_a[:, 0], cell_b[wide, 0], cell_a[tall, 0], cell_b[both, 0]])
    rows = np.concatenate([cell_a[:, 1], cell_a[wide, 1], cell_b[tall, 1], cell_b[both, 1]])
    return columns * 2**31 + rows, np.concatenate([owner, owner[wide], owner[tall], owner[both]])


def _not_neighbours(segments: _Segments, first: IntArray, second: IntArray) -> BoolArray:
    """Consecutive segments of one line always share a point; that is no crossing."""
    apart = np.abs(segments.number[first] - segments.number[second])
    nearby = (apart <= 1) | (apart == segments.line_length[first] - 1)
    return np.asarray(~((segments.line[first] == segments.line[second]) & nearby))


def _meet(segments: _Segments, first: IntArray, second: IntArray) -> BoolArray:
    """Whether the segments have a point in common: their boxes overlap and each straddles the other's line."""
    a, b, c, d = segments.start[first], segments.end[first], segments.start[second], segments.end[second]
    boxes = np.all((np.minimum(a, b) <= np.maximum(c, d)) & (np.minimum(c, d) <= np.maximum(a, b)), axis=1)
    straddles = (_side(a, b, c) * _side(a, b, d) <= 0.0) & (_side(c, d, a) * _side(c, d, b) <= 0.0)
    return np.asarray(boxes & straddles)


def _side(start: FloatArray, end: FloatArray, point: FloatArray) -> FloatArray:
    """Positive where the point lies left of the line from start to end; only the sign is meant."""
    along, towards = end - start, point - start
    return np.sign(along[:, 0] * towards[:, 1] - along[:, 1] * towards[:, 0])


def encloses(polygon: FloatArray, point: FloatArray) -> bool:
    """Whether the point (2,) is inside the polygon (N, 2): a ray to the right crosses it an odd number of times."""
    following = np.roll(polygon, -1, axis=0)
    spans = (polygon[:, 1] > point[1]) != (following[:, 1] > point[1])
    start, end = polygon[spans], following[spans]
    meets_x = start[:, 0] + (point[1] - start[:, 1]) / (end[:, 1] - start[:, 1]) * (end[:, 0] - start[:, 0])
    return int(np.count_nonzero(meets_x > point[0])) % 2 == 1
