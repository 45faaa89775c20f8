"""Circuits out of seeds: always drivable, always the same, and as hard as asked."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hotlap.errors import TrackError, UnknownTrackError
from hotlap.racer.tracks import DIFFICULTIES, build_track, generate_track, load_track
from hotlap.racer.tracks.generate import LARGEST_SEED, _generated
from hotlap.racer.tracks.outlines import grow_cells, outline


@settings(max_examples=60)
@given(st.integers(0, LARGEST_SEED), st.sampled_from(DIFFICULTIES))
def test_any_seed_is_a_circuit_that_passes_every_check(seed, difficulty):
    track = generate_track(seed, difficulty)
    again = build_track(track.control_points, track_id="again", name="Again")
    assert (again.inner_wall == track.inner_wall).all()
    assert 800.0 < track.length_u < 6_000.0
    assert track.control_points[:, 2].min() >= 12.0


@pytest.mark.soak
@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_thousand_seeds_are_circuits(difficulty):
    lengths = {generate_track(seed, difficulty).length_u for seed in range(1_000)}
    assert len(lengths) == 1_000


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_same_seed_is_the_same_circuit_and_other_seeds_are_others(difficulty):
    first = [generate_track(seed, difficulty).control_points.tobytes() for seed in range(20)]
    _generated.cache_clear()
    again = [generate_track(seed, difficulty).control_points.tobytes() for seed in range(20)]
    assert first == again
    assert len(set(first)) == 20


def test_difficulties_of_one_seed_are_different_circuits():
    assert len({generate_track(3, difficulty).length_u for difficulty in DIFFICULTIES}) == 3


def test_harder_circuits_are_narrower_and_turn_more():
    narrowest, turned = [], []
    for difficulty in DIFFICULTIES:
        tracks = [generate_track(seed, difficulty) for seed in range(12)]
        narrowest.append(np.mean([track.control_points[:, 2].min() for track in tracks]))
        turned.append(np.mean([total_turning(track) for track in tracks]))
    assert narrowest == sorted(narrowest, reverse=True)
    assert turned == sorted(turned)


def total_turning(track):
    """How far the driver turns the wheel's way around a lap, in radians, left and right added."""
    heading = np.unwrap(np.arctan2(track.tangent[:, 1], track.tangent[:, 0]))
    return np.abs(np.diff(heading)).sum()


def test_circuits_run_both_ways_round():
    assert {generate_track(seed).inner_is_left for seed in range(20)} == {True, False}


def test_generated_track_answers_to_its_name():
    assert load_track("generated:7:hard") is generate_track(7, "hard")
    assert load_track("generated:7") is generate_track(7, "medium")
    assert generate_track(7, "hard").track_id == "generated:7:hard"


@pytest.mark.parametrize(
    "name", ["generated", "generated:", "generated:x", "generated:-1", "generated:7:hrad", "generated:7:hard:1"]
)
def test_malformed_name_says_how_to_write_it(name):
    with pytest.raises(UnknownTrackError, match=r"Write generated:SEED or generated:SEED:easy\|medium\|hard"):
        load_track(name)


def test_misspelt_difficulty_names_the_nearest():
    with pytest.raises(TrackError, match='Did you mean "hard"'):
        generate_track(1, "hrad")
    with pytest.raises(UnknownTrackError, match='Did you mean "hard"'):
        load_track("generated:1:hrad")


@pytest.mark.parametrize("seed", [-1, LARGEST_SEED + 1, 1.5, float("nan")])
def test_seed_out_of_range_is_refused(seed):
    with pytest.raises(TrackError, match="whole number from 0"):
        generate_track(seed)


@given(st.integers(0, 2**32), st.integers(1, 25), st.floats(0.0, 1.0))
def test_outline_visits_no_grid_point_twice(seed, count, slenderness):
    cells = grow_cells(np.random.default_rng(seed), count, slenderness)
    path = [tuple(point) for point in outline(cells)]
    assert len(cells) == count
    assert len(set(path)) == len(path)
    edges = sum((x + dx, y + dy) not in cells for x, y in cells for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)))
    assert len(path) == edges
