"""Circuits out of seeds: always the same, as long and as tight as circuits are, never crossing."""

import numpy as np
import pytest

from hotlap.errors import TrackError, UnknownTrackError
from hotlap.racer.tracks import circuit_ids, generate_circuit, load_track
from hotlap.racer.tracks.circuit_generator import _generated
from hotlap.racer.tracks.crossings import find_crossing
from racer.tracks.test_checks import corridor_turns

SEEDS = range(12)


def radius(track):
    """Radius of the centre line every two metres, from the turn of its tangent over six."""
    arcs = np.arange(0.0, track.length_u, 2.0)
    heading = np.unwrap(np.arctan2(*track.tangent_at(arcs).T[::-1]))
    turn = np.abs(heading[3:] - heading[:-3])
    return 6.0 / np.maximum(turn, 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_circuit_is_as_long_wide_and_tight_as_promised(seed):
    track = generate_circuit(seed)
    assert track.scale == 1.0
    assert 2_000.0 <= track.length_u <= 6_000.0
    assert track.control_points[:, 2].min() >= 4.5
    assert track.control_points[:, 2].max() <= 7.5
    assert radius(track).min() > 10.5  # arcs of 12 m and more, measured over chords of a smoothed line
    assert find_crossing([track.centre]) is None
    assert (corridor_turns(track) > 0.0).all()


@pytest.mark.parametrize("style", ["rugged", "chicanes", "flowing"])
@pytest.mark.parametrize("seed", SEEDS)
def test_circuit_of_another_style_is_as_narrow_wide_and_tight_as_surveyed_ones_are(seed, style):
    track = generate_circuit(seed, style)
    assert 2_000.0 <= track.length_u <= 6_000.0
    assert track.control_points[:, 2].min() >= 3.7
    assert track.control_points[:, 2].max() <= 10.5
    assert radius(track).min() > 8.5  # arcs of 10 m and more
    assert find_crossing([track.centre]) is None
    assert (corridor_turns(track) > 0.0).all()


def test_roads_of_rugged_circuits_change_their_width_within_a_few_car_lengths():
    def change(style):
        widths = [generate_circuit(seed, style).control_points[:, 2] for seed in SEEDS]
        return np.median([np.abs(np.roll(width, -10) - width).max() for width in widths])

    assert change("rugged") > 2.0 * change("circuit")


def test_chicanes_turn_away_and_back_as_tightly_as_surveyed_ones_do():
    """Seven of twelve surveys have a chicane of 15 to 30 m radius; without this style there is none below 31 m."""

    def tightest_m(style):
        return [chicane_radius_m(generate_circuit(seed, style)) for seed in SEEDS]

    assert np.median(tightest_m("chicanes")) < 20.0
    assert np.median(tightest_m("rugged")) > 30.0


def chicane_radius_m(track):
    """The larger of the radii of two opposite bends within 60 m, where that is least."""
    arcs = np.arange(0.0, track.length_u, 2.0)
    headings = np.unwrap(np.arctan2(*track.tangent_at(arcs).T[::-1]))
    bend = np.convolve(np.gradient(headings, 2.0), np.ones(5) / 5.0, "same")
    pairs = [
        np.where(bend * np.roll(bend, -step) < 0.0, np.minimum(abs(bend), abs(np.roll(bend, -step))), 1e-6)
        for step in range(3, 30)
    ]
    return 1.0 / np.max(pairs)


@pytest.mark.parametrize("seed", SEEDS)
def test_fanned_circuit_widens_towards_a_tight_corner_and_keeps_its_verge(seed):
    track = generate_circuit(seed, "fanned")
    assert 2_000.0 <= track.length_u <= 6_000.0
    assert track.control_points[:, 2].min() >= 1.0
    assert track.control_points[:, 2].max() <= 13.5
    assert find_crossing([track.centre]) is None
    assert (corridor_turns(track) > 0.0).all()
    edges = track.half_width_at(np.arange(len(track.centre)) / len(track.centre) * track.length_u)
    for wall in (track.inner_wall, track.outer_wall):
        assert (np.hypot(*(wall[:-1] - track.centre).T) >= edges + 1.0).all()


def test_roads_are_wider_at_tight_corners_where_they_are_fanned_and_nowhere_else():
    """At Austin the road is 27 m wide where the first hairpin begins, and 16 m behind it."""

    def widening(style):
        return np.median([width_at_tight_corners(generate_circuit(seed, style)) for seed in SEEDS])

    assert widening("fanned") > 1.5
    assert widening("rugged") < 1.25


def width_at_tight_corners(track):
    """How much wider the road is where it is widest within 40 m of a tight corner than it is in the middle."""
    arcs = np.arange(0.0, track.length_u, 2.0)
    tight = np.convolve(np.pad(radius(track) < 26.0, 20, "wrap"), np.ones(41), "valid") > 0
    widths = track.half_width_at(arcs)[: len(tight)]
    return widths[tight].max() / np.median(widths)


def test_bends_of_flowing_circuits_tighten_and_those_of_others_begin_at_once():
    """Suzuka's first bend is gentle for 136 m before it is tight; in other styles most tight bends begin at once."""

    def typical_m(style):
        return np.median([tightening_m(generate_circuit(seed, style)) for seed in SEEDS])

    assert typical_m("flowing") > 40.0
    assert max(typical_m("rugged"), typical_m("chicanes")) < 20.0


def tightening_m(track, gentle_m=350.0, tight_m=70.0):
    """The longest stretch that bends one way, ever gently, and then tightly."""
    arcs = np.arange(0.0, track.length_u, 2.0)
    heading = np.unwrap(np.arctan2(*track.tangent_at(arcs).T[::-1]))
    curvature = (heading[3:] - heading[:-3]) / 6.0
    longest = 0.0
    for way in (1.0, -1.0):
        gentle = 0.0
        for bend in way * curvature:
            if bend > 1.0 / tight_m:
                longest, gentle = max(longest, gentle), 0.0
            else:
                gentle = gentle + 2.0 if bend > 1.0 / gentle_m else 0.0
    return longest


def test_circuits_have_straights_and_tight_corners():
    longest, tightest = [], []
    for seed in SEEDS:
        bends = radius(generate_circuit(seed))
        straight = np.flatnonzero(np.concatenate([[True], bends < 1_000.0, [True]]))
        longest.append(2.0 * np.diff(straight).max())
        tightest.append(bends.min())
    assert np.median(longest) > 250.0
    assert np.median(tightest) < 25.0


def test_same_seed_is_the_same_circuit_and_another_is_not():
    first = generate_circuit(5).control_points
    _generated.cache_clear()
    assert (generate_circuit(5).control_points == first).all()
    assert generate_circuit(6).length_u != generate_circuit(5).length_u


def test_circuit_is_loaded_by_name():
    assert load_track("generated:5:circuit") is generate_circuit(5)
    with pytest.raises(UnknownTrackError, match='Did you mean "circuit"'):
        load_track("generated:5:circut")
    assert load_track("generated:5:rugged") is generate_circuit(5, "rugged")
    with pytest.raises(TrackError, match='Did you mean "rugged"'):
        generate_circuit(5, "ruged")


@pytest.mark.parametrize("seed", [-1, 1.5, 2**63])
def test_senseless_seed_is_refused(seed):
    with pytest.raises(TrackError, match="Use one, like 7"):
        generate_circuit(seed)


@pytest.mark.parametrize("name", circuit_ids())
def test_built_in_circuits_are_at_true_scale_with_run_off(name):
    track = load_track(name)
    assert track.scale == 1.0
    arcs = np.arange(len(track.centre)) / len(track.centre) * track.length_u
    for wall in (track.inner_wall, track.outer_wall):
        assert (np.hypot(*(wall[:-1] - track.centre).T) > track.half_width_at(arcs) + 5.0).all()


def test_there_are_three_circuits_a_fast_a_twisty_and_a_short_one():
    lengths = {name: load_track(name).length_u for name in circuit_ids()}
    assert set(lengths) == {"ridgeway", "thicket", "quarry"}
    assert max(lengths, key=lengths.get) == "ridgeway"
    assert min(lengths, key=lengths.get) == "quarry"
