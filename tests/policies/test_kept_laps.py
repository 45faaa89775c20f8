"""Laps are worked out once: those read back are the same to the bit, and another road, car or driver gets its own."""

import numpy as np
import pytest

from hotlap.policies import grip_reference, kept_laps, limit, reference
from hotlap.policies.kept_laps import kept_lap
from hotlap.racer.cars.catalogue import load_car
from hotlap.racer.tracks import load_track

CLASSIC = reference._KeptTrack(load_track("track-01"))
GRIP = (load_track("quarry"), load_car("gt"))


@pytest.fixture
def laps(monkeypatch) -> dict[str, bytes]:
    """What is kept, in memory."""
    laps: dict[str, bytes] = {}

    def kept(name, make):
        if name not in laps:
            laps[name] = make()
        return laps[name]

    monkeypatch.setattr(kept_laps, "kept_file", kept)
    return laps


@pytest.mark.parametrize(
    ("lap_of", "where", "work"),
    [
        (lambda: reference._reference_of.__wrapped__(CLASSIC), reference, "_raced"),
        (lambda: limit._grip_limit.__wrapped__(*GRIP), limit, "_settled_lap"),
        (lambda: grip_reference._reference_of.__wrapped__(*GRIP), grip_reference, "_driven"),
    ],
)
def test_lap_that_was_kept_is_the_lap_that_was_driven(lap_of, where, work, laps, monkeypatch):
    calls, work_out = [], getattr(where, work)
    monkeypatch.setattr(where, work, lambda *given: calls.append(given) or work_out(*given))
    driven, kept = vars(lap_of()), vars(lap_of())
    assert len(calls) == len(laps) == 1
    assert driven.keys() == kept.keys()
    for name, value in driven.items():
        assert np.array_equal(value, kept[name]) if isinstance(value, np.ndarray) else value == kept[name], name


def test_another_road_car_kind_or_driver_gets_its_own_lap(laps, monkeypatch):
    def lap(number, track="track-01", car=None, kind="lap"):
        return kept_lap(kind, load_track(track), car, lambda: {"number": number})["number"]

    assert lap(1) == lap(2) == 1
    assert lap(3, track="track-02") == 3
    assert lap(4, car=load_car("gt")) == 4
    assert lap(5, kind="other") == 5
    monkeypatch.setattr(kept_laps, "_drivers_hash", lambda: "changed")
    assert lap(6) == 6
    assert len(laps) == 5
