"""Circuits that cross themselves and squeeze past themselves: a car belongs to the stretch it is driving on."""

import numpy as np
import pytest

from hotlap.racer.physics import WALL_REACH_U
from hotlap.racer.projection import nearest_sample, piece_of
from hotlap.racer.starts import Start
from hotlap.racer.tables import build_tables
from hotlap.racer.tracks import drawn_for_classic_car, import_circuit
from hotlap.racer.tracks.corridor import find_bridges
from hotlap.racer.walls import nearest_wall, walls_near
from hotlap.racer.world import RacerWorld
from racer.tracks.surveys import LAPS, lap_rows, write_survey
from racer.tracks.test_checks import corridor_turns


@pytest.fixture(scope="module")
def circuits(tmp_path_factory):
    folder = tmp_path_factory.mktemp("surveys")
    return {lap: import_circuit(write_survey(folder / "lap.csv", lap_rows(lap))).track for lap in LAPS}


@pytest.mark.parametrize("lap", LAPS)
def test_circuit_is_a_strip_of_convex_quads_at_both_scales(circuits, lap):
    assert (corridor_turns(circuits[lap]) > 0.0).all()
    assert (corridor_turns(drawn_for_classic_car(circuits[lap])) > 0.0).all()


@pytest.mark.parametrize("lap", LAPS)
def test_road_lies_between_its_walls(circuits, lap):
    track = circuits[lap]
    half_width = track.half_width_at(np.arange(len(track.centre)) / len(track.centre) * track.length_u)
    for wall in (track.inner_wall, track.outer_wall):
        offset = np.hypot(*(wall[:-1] - track.centre).T)
        assert (offset > 0.93 * half_width).all()
        assert (offset <= half_width + 30.001).all()


def places_between_the_walls(track, count, rng):
    """Points across the strip, with the arc they belong to."""
    sample = rng.integers(0, len(track.centre), count)
    left, right = (track.inner_wall, track.outer_wall) if track.inner_is_left else (track.outer_wall, track.inner_wall)
    share = rng.uniform(0.02, 0.98, count)[:, None]
    return sample, left[sample] * share + right[sample] * (1.0 - share)


@pytest.mark.parametrize("lap", LAPS)
def test_car_finds_itself_on_its_own_stretch(circuits, lap):
    """The slow twin: the nearest sample among those within 100 m along the lap of where the car belongs."""
    track, rng = circuits[lap], np.random.default_rng(0)
    tables = build_tables([track])
    samples = tables.coarse_count[0]
    coarse = np.column_stack([tables.coarse_x_u, tables.coarse_y_u])[:samples]
    for place, (x, y) in zip(*places_between_the_walls(track, 200, rng), strict=True):
        arc = place / len(track.centre) * track.length_u
        distance = float(np.hypot(*(track.centre[place] - (x, y))))
        here = np.arange(round(arc / 2.0) - 50, round(arc / 2.0) + 51) % samples
        expected = here[np.argmin(np.sum((coarse[here] - (x, y)) ** 2, axis=1))]
        assert nearest_sample(x, y, piece_of(arc, distance, 0, tables), 0, tables) == expected


@pytest.mark.parametrize("lap", ["hairpins of 10 m, 20 m apart", "straights 12 m apart", "figure of eight"])
def test_cell_knows_every_wall_of_its_stretch_within_reach_of_a_tick(circuits, lap):
    track, rng = circuits[lap], np.random.default_rng(1)
    tables = build_tables([track])
    count = len(track.centre)
    for place, (x, y) in zip(*places_between_the_walls(track, 150, rng), strict=True):
        distance = float(np.hypot(*(track.centre[place] - (x, y))))
        cell = piece_of(place / count * track.length_u, distance, 0, tables)
        found = nearest_wall(x, y, walls_near(cell, 0, tables), tables).distance_u
        expected = own_wall_distance(track, place, x, y)
        assert found == pytest.approx(expected) if expected < WALL_REACH_U else found >= WALL_REACH_U


def own_wall_distance(track, place, x, y):
    around = np.arange(place - 20, place + 21) % len(track.centre)
    nearest = np.inf
    for wall in (track.inner_wall, track.outer_wall):
        start, end = wall[around], wall[around + 1]
        along, towards = end - start, np.array([x, y]) - start
        share = np.clip(np.sum(towards * along, axis=1) / np.sum(along**2, axis=1), 0.0, 1.0)
        nearest = min(nearest, np.hypot(*(towards - along * share[:, None]).T).min())
    return nearest


@pytest.mark.parametrize("lap", ["figure of eight", "flat figure of eight"])
def test_car_drives_over_and_under_the_bridge(circuits, lap):
    """From 60 u before the crossing to 60 u after it, on either level, straight on: no wall, no other stretch."""
    track = drawn_for_classic_car(circuits[lap])
    bridges = find_bridges(track.centre, 60.0)
    assert len(bridges.over) == 1
    spacing = track.length_u / len(track.centre)
    for level in (int(bridges.over[0]), int(bridges.under[0])):
        world = RacerWorld(1, track)
        first = level - round(60.0 / spacing)
        x, y = track.centre[first]
        heading = float(np.arctan2(*track.tangent[first][::-1]))
        gate = int(first * spacing / track.length_u * 30)
        world.batch.place(0, 0, Start(float(x), float(y), heading, 60.0, gate), 0)
        arcs = [first * spacing]
        while arcs[-1] < (level + 60.0 / spacing) * spacing:
            world.advance(np.array([[0.0, 0.3, 0.0]]))
            arcs.append(float(world.fleet.arc_u[0]))
            assert not world.out.collided[0]
            assert 0.0 < arcs[-1] - arcs[-2] < 3.0
            assert world.fleet.surface[0] == 0


def test_car_put_somewhere_by_hand_is_found(circuits):
    world = RacerWorld(1, circuits["long lap"])
    world.begin(0, np.random.default_rng(0))
    world.fleet.x_u[0], world.fleet.y_u[0] = world.tracks[0].position_at(2500.0)[0]
    world.look()
    assert world.fleet.arc_u[0] == pytest.approx(2500.0, abs=0.01)
    assert world.fleet.centre_distance_u[0] < 0.01


def test_classic_car_drives_a_circuit_at_its_own_scale(circuits):
    world = RacerWorld(1, circuits["long lap"])
    assert world.tracks[0].scale == pytest.approx(22.0 / np.median(circuits["long lap"].control_points[:, 2]))


def test_rays_see_the_walls_of_the_own_stretch_only(circuits):
    """Where the roads of the figure of eight cross, the ray ahead looks through the walls of the other level."""
    track = drawn_for_classic_car(circuits["figure of eight"])
    first = int(find_bridges(track.centre, 60.0).over[0]) - 10
    world = RacerWorld(1, track)
    heading = float(np.arctan2(*track.tangent[first][::-1]))
    gate = int(first / len(track.centre) * 30)
    world.batch.place(0, 0, Start(*track.centre[first].tolist(), heading, 30.0, gate), 0)
    assert world.observation[0, 4] == 1.0
