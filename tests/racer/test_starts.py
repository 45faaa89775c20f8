"""How cars begin: by draws that are an argument, the same in any batch, and again and again without Python."""

import numpy as np
import pytest

from hotlap.philox import uniform
from hotlap.racer.batch import RacerBatch
from hotlap.racer.physics import PHYSICS
from hotlap.racer.starts import DRAWS, START_KINDS
from hotlap.racer.tick import AUTORESET, RESET
from hotlap.racer.tracks import load_track
from hotlap.racer.world import RacerWorld
from racer.twin_starts import start_by_draws

TRACKS = ["track-01", "generated:3:easy", "track-03"]
OPTIONS = {"track": TRACKS, "start": "random", "action_delay": "random"}
SHORT = {"episode": {"maxSteps": 40}}
STATE = ("x_u", "y_u", "heading_rad", "speed_ups")


def actions(tick: int, count: int) -> np.ndarray:
    """Full throttle, everybody turning another way."""
    return np.stack([np.sin(tick / 9.0 + np.arange(count)), np.ones(count), np.zeros(count)], axis=1)


@pytest.mark.parametrize("kind", START_KINDS)
def test_start_is_the_one_its_twin_computes_from_the_draws(kind):
    world, rng = RacerWorld(60, TRACKS, start=kind, action_delay="random"), np.random.default_rng(3)
    for car in range(world.count):
        world.begin(car, rng)
    for car, draws in enumerate(world.batch.draws):
        track = int(draws[0] * len(TRACKS))
        start = start_by_draws(load_track(TRACKS[track]), kind, None, draws)
        found = [getattr(world.fleet, name)[car] for name in STATE]
        np.testing.assert_allclose(found, start[:4], rtol=0.0, atol=1e-12)
        assert (world.fleet.track[car], world.fleet.delay[car]) == (track, int(draws[5] * 2))
        assert world.fleet.gate[car] == world.fleet.finish_gate[car] == start.gate


def test_options_leave_nothing_to_the_draws():
    world = RacerWorld(40, **OPTIONS)
    for car in range(world.count):
        world.begin(car, np.random.default_rng(car), {"track": 2, "gate": 7, "action_delay": 1, "start": "gate"})
    assert set(world.fleet.track) == {2}
    assert set(world.fleet.gate) == {7}
    assert set(world.fleet.delay) == {1}
    np.testing.assert_allclose(
        np.stack([world.fleet.x_u, world.fleet.y_u], 1), [load_track(TRACKS[2]).gate_centre[7]] * 40
    )


def test_reset_draws_by_seed_car_and_episode():
    world = RacerWorld(50, **OPTIONS)
    world.reset(9, first_car=100)
    expected = [[uniform(9, 100 + car, 1, number) for number in range(DRAWS)] for car in range(50)]
    np.testing.assert_array_equal(world.batch.draws, expected)
    assert set(world.batch.episodes.episode) == {1}
    np.testing.assert_array_equal(world.rollout.observation.reshape(50, -1), world.observation.astype(np.float32))


def test_cars_of_two_batches_begin_and_end_as_those_of_one():
    whole, left, right = (
        RacerWorld(12, config=SHORT, **OPTIONS),
        *(RacerWorld(6, config=SHORT, **OPTIONS) for _ in "lr"),
    )
    whole.reset(4)
    left.reset(4)
    right.reset(4, first_car=6)
    for tick in range(130):
        asked = actions(tick, 12)
        whole.advance_and_reset(asked)
        left.advance_and_reset(asked[:6])
        right.advance_and_reset(asked[6:])
    for group in ("fleet", "out", "rollout", "episodes"):
        for mine, *halves in zip(*(getattr(each.batch, group) for each in (whole, left, right)), strict=True):
            assert mine.tobytes() == np.concatenate(halves).tobytes()


def test_autoreset_is_driving_and_beginning_by_hand():
    """Beside a batch that resets itself, one whose episodes are ended and begun from outside, with the same draws."""
    itself, by_hand = (RacerWorld(9, config=SHORT, stagger=True, **OPTIONS) for _ in range(2))
    itself.reset(5)
    by_hand.reset(5)
    ended = 0
    for tick in range(150):
        asked = actions(tick, 9)
        itself.advance_and_reset(asked)
        by_hand.advance(asked)
        done = by_hand.terminated | by_hand.truncated
        np.testing.assert_array_equal(itself.rollout.ended.astype(bool), done)
        np.testing.assert_array_equal(itself.rollout.reward, by_hand.reward.astype(np.float32))
        np.testing.assert_array_equal(itself.truncated, by_hand.truncated)
        for car in np.flatnonzero(done):
            last = by_hand.observation[car].astype(np.float32)
            np.testing.assert_array_equal(itself.rollout.final_observation.reshape(9, -1)[car], last)
            assert itself.rollout.final_length[car] == by_hand.fleet.tick[car]
            assert itself.rollout.final_return[car] == by_hand.batch.episodes.episode_return[car]
            episode = int(by_hand.batch.episodes.episode[car]) + 1
            by_hand.batch.draws[car] = [uniform(5, int(car), episode, number) for number in range(DRAWS)]
            by_hand.batch.begin(car)
            ended += 1
        assert all(a.tobytes() == b.tobytes() for a, b in zip(itself.fleet, by_hand.fleet, strict=True))
        np.testing.assert_array_equal(itself.rollout.observation.reshape(9, -1), by_hand.observation.astype(np.float32))
    assert ended > 9


def test_first_episodes_are_staggered_and_later_ones_are_not():
    world = RacerWorld(200, config=SHORT, stagger=True, start="random")
    world.reset(1)
    ends = np.zeros(81, int)
    for tick in range(1, 81):
        world.advance_and_reset(actions(tick, 200))
        ends[tick] = world.rollout.ended.sum()
    assert (ends[1:41] > 0).mean() > 0.9
    assert ends[1:41].sum() == 200
    np.testing.assert_array_equal(ends[41:], ends[1:41])


def test_compiled_resets_are_the_plain_ones_bit_for_bit():
    compiled, plain = (RacerWorld(3, config={"episode": {"maxSteps": 4}}, **OPTIONS) for _ in range(2))
    compiled.reset(2)
    plain.reset(2)
    plain.batch._interpreted_update(0, 0, 3, RESET)
    for tick in range(9):
        asked = actions(tick, 3)
        compiled.advance_and_reset(asked)
        plain.batch.set_actions(asked)
        plain.batch._interpreted_update(0, 0, 3, AUTORESET)
    for mine, theirs in zip(compiled.batch.groups, plain.batch.groups, strict=True):
        assert all(a.tobytes() == b.tobytes() for a, b in zip(mine, theirs, strict=True))


def test_respawned_car_rests_on_its_last_gate_and_its_race_goes_on():
    batch = RacerBatch(1, [load_track("track-01")])
    batch.begin(0)
    for tick in range(200):
        batch.set_actions(actions(tick, 1))
        batch.step()
    before = {name: column[0].item() for name, column in batch.fleet._asdict().items()}
    batch.respawn(0)
    after = {name: column[0].item() for name, column in batch.fleet._asdict().items()}
    track = batch.tracks[0]
    assert (after["x_u"], after["y_u"]) == tuple(track.gate_centre[before["gate"]])
    assert (after["speed_ups"], after["steer"], after["still_ticks"]) == (0.0, 0.0, 0)
    for clock in ("lap_ticks", "race_ticks"):
        assert after[clock] == before[clock] + 30
    assert after["lap_off_road_ticks"] > before["lap_off_road_ticks"]
    assert (after["gate"], after["lap"], after["tick"]) == (before["gate"], before["lap"], before["tick"])


def test_slowest_and_fastest_draws_stand_and_drive_flat_out():
    world = RacerWorld(2, start="random")
    for car in range(2):
        world.begin(car, np.random.default_rng(0))
    world.batch.draws[0, 4], world.batch.draws[1, 4] = 0.19, np.nextafter(1.0, 0.0)
    for car in range(2):
        world.batch.begin(car)
    assert world.fleet.speed_ups[0] == 0.0
    assert world.fleet.speed_ups[1] == pytest.approx(PHYSICS.max_speed_ups)
