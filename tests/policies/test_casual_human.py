"""The casual human: keys, late, seeded, and able to get round."""

import numpy as np
import pytest

from hotlap.policies import CasualHuman, Habits, Policy
from hotlap.racer.tracks import track_ids
from hotlap.racer.world import RacerWorld


def drive(human: CasualHuman, track: str, ticks: int, count: int = 1):
    """Actions (ticks, count, 3), and the laps of every car as (ticks, clean)."""
    world = RacerWorld(count, track)
    rng = np.random.default_rng(0)
    for car in range(count):
        world.begin(car, rng, {"start": "gate", "gate": car % 30})
    actions, laps = [], [[] for _ in range(count)]
    for _ in range(ticks):
        actions.append(human.act(world.observation, world))
        world.advance(actions[-1])
        for car in np.flatnonzero(world.out.lap_complete):
            laps[car].append((int(world.out.last_lap_ticks[car]), bool(world.out.lap_clean[car])))
    return np.stack(actions), laps


def test_casual_human_is_a_policy():
    assert isinstance(CasualHuman(), Policy)


def test_keys_are_down_or_up():
    actions, _ = drive(CasualHuman(1), "track-03", 900)
    assert set(np.unique(actions[:, :, 0])) == {-1.0, 0.0, 1.0}
    assert set(np.unique(actions[:, :, 1:])) == {0.0, 1.0}


def test_steering_keys_are_held_for_a_moment():
    actions, _ = drive(CasualHuman(1), "track-03", 900)
    changes = np.flatnonzero(np.diff(actions[:, 0, 0]))
    assert len(changes) > 20
    assert np.diff(changes).min() >= 3


def test_same_seed_drives_the_same_and_another_does_not():
    first, again, other = (drive(CasualHuman(seed), "track-01", 1200)[0] for seed in (5, 5, 6))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_one_of_many_drives_as_it_would_alone():
    alone, _ = drive(CasualHuman(5), "track-01", 700, count=1)
    together, _ = drive(CasualHuman(5), "track-01", 700, count=8)
    np.testing.assert_array_equal(alone[:, 0], together[:, 0])


def test_reaction_takes_a_quarter_of_a_second():
    """The car is turned round at tick 100; the hands go on as before for fifteen ticks."""

    def steering(turned: bool) -> np.ndarray:
        human = CasualHuman(3, Habits(own_turn_felt=0.0, seconds_between_slips=1e6))
        world = RacerWorld(1, "track-01")
        world.begin(0, np.random.default_rng(0))
        keys = []
        for tick in range(130):
            if tick == 100:
                before = world.fleet.heading_rad[0]
            if turned and tick >= 100:
                world.fleet.heading_rad[0] = before + 1.0
                world.fleet.vx_ups[0] = 60.0 * np.cos(before + 1.0)
                world.fleet.vy_ups[0] = 60.0 * np.sin(before + 1.0)
                world.batch.observe(0, 1)
            keys.append(human.act(world.observation, world)[0])
            world.advance(keys[-1][np.newaxis])
        return np.array(keys)

    differs = (steering(True) != steering(False)).any(axis=1)
    assert not differs[:115].any()
    assert differs[115:].any()


def test_reset_gives_a_car_a_newcomer():
    human = CasualHuman(2)
    world = RacerWorld(2, "track-01")
    rng = np.random.default_rng(0)
    for car in range(2):
        world.begin(car, rng)
    keys = np.zeros((2, 3))
    while not keys[:, 0].all():
        keys = human.act(world.observation, world)
        world.advance(keys)
    world.begin(0, rng)
    human.reset(np.array([0]))
    keys = human.act(world.observation, world)
    assert keys[0].tolist() == [0.0, 1.0, 0.0], "a newcomer sees the straight road ahead and nothing else"
    assert keys[1, 0] != 0.0, "the other one is in a bend"


@pytest.mark.parametrize("track", track_ids())
def test_gets_round_every_built_in_track_from_every_gate(track):
    _, laps = drive(CasualHuman(0), track, 2600, count=30)
    assert all(laps)


def test_is_neither_great_nor_hopeless():
    _, laps = drive(CasualHuman(0), "track-01", 2700, count=30)
    flying = [ticks / 60.0 for each in laps for ticks, _ in each[1:]]
    clean = [is_clean for each in laps for _, is_clean in each[1:]]
    assert 9.0 < np.mean(flying) < 11.0
    assert 0.5 < np.mean(clean) < 1.0
