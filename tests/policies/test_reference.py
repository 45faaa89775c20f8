"""The reference driver: its laps to the tick, its driving from everywhere, its braking where flat out is too fast."""

import sys

import numpy as np
import pytest

from hotlap import progress
from hotlap.policies import Policy, ReferenceDriver, reference, reference_lap
from hotlap.policies.pace import brake_in_time, full_lock_radius
from hotlap.racer.tracks import build_track, load_track
from hotlap.racer.world import RacerWorld

KNOWN_TICKS = {"track-01": 385, "track-02": 947, "track-03": 1013}


def driven_laps(track, options: list[dict], ticks: int) -> list[list[tuple[int, bool]]]:
    """Let the reference driver loose in as many cars as there are start options; laps of each as (ticks, clean)."""
    world = RacerWorld(len(options), track)
    rng = np.random.default_rng(0)
    for car, each in enumerate(options):
        world.begin(car, rng, each)
    driver = ReferenceDriver(track)
    laps: list[list[tuple[int, bool]]] = [[] for _ in options]
    for _ in range(ticks):
        world.advance(driver.act(world.observation, world))
        for car in np.flatnonzero(world.out.lap_complete):
            laps[car].append((int(world.out.last_lap_ticks[car]), bool(world.out.lap_clean[car])))
    return laps


def sharp_track():
    """A narrow road with eight corners that no car takes flat out."""
    corners = [(0, 0), (1, 0), (1, 1), (2, 1), (2, 0), (3, 0), (3, 2), (0, 2)]
    points = []
    for (x, y), (u, v) in zip(corners, corners[1:] + corners[:1], strict=True):
        points += [(260 * (x + (u - x) * f), 260 * (y + (v - y) * f), 2.0) for f in (0.03, 0.3, 0.5, 0.7, 0.97)]
    return build_track(points, track_id="sharp", name="Sharp")


def as_arrays(lap):
    return {name: np.asarray(column) for name, column in lap.items()}


def test_somebody_who_waits_for_a_reference_sees_how_far_it_is(capsys, monkeypatch):
    monkeypatch.setattr(progress, "BAR_AFTER_S", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(reference, "kept_lap", lambda _name, _track, _car, make: as_arrays(make()))
    reference_lap("generated:4711:easy")
    assert "looking for the reference lap" in capsys.readouterr().err


@pytest.mark.parametrize(("track", "ticks"), KNOWN_TICKS.items())
def test_reference_lap_is_known_to_the_tick(track, ticks):
    lap = reference_lap(track)
    assert lap.ticks == ticks
    assert lap.seconds == ticks / 60.0
    assert len(lap.line) == len(lap.distance_u) == len(lap.speed_ups) == ticks


@pytest.mark.parametrize("track", KNOWN_TICKS)
def test_reference_lap_is_hardly_longer_than_the_shortest_path(track):
    lap = reference_lap(track)
    assert lap.shortest_path_u * 0.999 < lap.path_length_u < lap.shortest_path_u * 1.003
    assert lap.speed_ups.min() == pytest.approx(160.0)


def test_reference_driver_is_a_policy():
    assert isinstance(ReferenceDriver("track-01"), Policy)


def test_driver_drives_the_reference_lap_again():
    [laps] = driven_laps("track-01", [{"start": "grid"}], 1300)
    assert laps[0] == (reference_lap("track-01").standing_ticks, True)
    assert min(ticks for ticks, clean in laps[1:] if clean) == 385


def test_delay_of_a_tick_is_foreseen():
    starts = [{"start": "grid", "action_delay": delay} for delay in (0, 1)]
    prompt, late = driven_laps("track-01", starts, 1300)
    # The first tick passes before anything is done; from then on everything happens one tick later.
    assert late == [(prompt[0][0] + 1, True), *prompt[1:]]


@pytest.mark.parametrize("track", ["track-01", "generated:7:hard"])
def test_driver_gets_round_from_rest_at_every_gate(track):
    starts = [{"start": "gate", "gate": gate} for gate in range(30)]
    assert all(driven_laps(track, starts, 1400))


def test_driver_brakes_where_flat_out_leaves_the_road():
    lap = reference_lap(sharp_track())
    assert lap.style.caution is not None
    assert lap.speed_ups.min() < 140.0


def test_same_shape_under_another_name_has_the_same_reference():
    original = load_track("track-01")
    twin = build_track(original.control_points, track_id="twin", name="Twin")
    assert reference_lap(twin) is reference_lap(original)


def test_full_lock_radius_is_the_known_one():
    np.testing.assert_allclose(full_lock_radius(np.array([20.0, 80.0, 160.0])), [6.1, 12.2, 20.3], atol=0.05)


def test_limits_fall_before_a_slow_place_as_brakes_allow():
    limits = np.full(100, 160.0)
    limits[50] = 40.0
    lowered = brake_in_time(limits, 5.0)
    assert lowered[50] == 40.0
    assert lowered[51] == 160.0
    assert (np.diff(lowered[:51]) <= 0.0).all()
    assert lowered[40] == pytest.approx((40.0**2 + 2 * 45.0 * 50.0) ** 0.5)
