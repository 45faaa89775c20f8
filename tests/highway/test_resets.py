"""Roads that begin their episodes themselves: by seed, road and episode, in any batch the same."""

import numpy as np

from hotlap.highway.world import HighwayWorld
from hotlap.philox import uniform

SHORT = {"episode": {"decisions": 30}}


def actions(decision: int, count: int) -> np.ndarray:
    lanes = np.sin(decision / 5.0 + np.arange(count))
    return np.stack([np.full(count, 0.5), np.zeros(count), lanes], axis=1)


def test_reset_draws_by_seed_road_and_episode():
    world = HighwayWorld(4, vehicles=(3, 12))
    world.reset(9, first_car=20)
    size = world.batch.dice.shape[1]
    expected = [[uniform(9, 20 + road, 1, number) for number in range(size)] for road in range(4)]
    np.testing.assert_array_equal(world.batch.dice, expected)


def test_same_dice_from_a_generator_and_from_a_counter_begin_the_same_road():
    class Dice:
        def random(self, size: int) -> np.ndarray:
            return np.array([uniform(9, 0, 1, number) for number in range(size)])

    drawn, counted = HighwayWorld(1, vehicles=(3, 12)), HighwayWorld(1, vehicles=(3, 12))
    drawn.begin(0, Dice())
    counted.reset(9)
    for mine, theirs in zip((*drawn.vehicles, *drawn.roads), (*counted.vehicles, *counted.roads), strict=True):
        assert mine.tobytes() == theirs.tobytes()


def test_autoreset_is_driving_and_beginning_by_hand():
    """Beside a batch that resets itself, one whose episodes are ended and begun from outside, with the same dice."""
    options = {"config": SHORT, "vehicles": (5, 15), "supervisor": False, "stagger": True}
    itself, by_hand = HighwayWorld(6, **options), HighwayWorld(6, **options)
    itself.reset(5)
    by_hand.reset(5)
    ended = 0
    for decision in range(100):
        asked = actions(decision, 6)
        itself.advance_and_reset(asked)
        by_hand.advance(asked)
        done = by_hand.terminated | by_hand.truncated
        np.testing.assert_array_equal(itself.rollout.ended.astype(bool), done)
        np.testing.assert_array_equal(itself.out.gap_ahead_m, by_hand.out.gap_ahead_m)
        np.testing.assert_array_equal(itself.reward, by_hand.reward)
        for road in np.flatnonzero(done):
            last = by_hand.observation[road].astype(np.float32)
            np.testing.assert_array_equal(itself.rollout.final_observation.reshape(6, -1)[road], last)
            assert itself.rollout.final_length[road] == by_hand.roads.decision[road]
            assert itself.rollout.final_return[road] == by_hand.batch.episodes.episode_return[road]
            episode, size = int(by_hand.batch.episodes.episode[road]) + 1, by_hand.batch.dice.shape[1]
            by_hand.batch.dice[road] = [uniform(5, int(road), episode, number) for number in range(size)]
            by_hand.batch.begin(road)
            ended += 1
        for mine, theirs in zip((*itself.vehicles, *itself.roads), (*by_hand.vehicles, *by_hand.roads), strict=True):
            assert mine.tobytes() == theirs.tobytes()
        np.testing.assert_array_equal(itself.rollout.observation.reshape(6, -1), by_hand.observation.astype(np.float32))
    assert ended > 12


def test_a_crash_begins_the_next_episode_at_once():
    world = HighwayWorld(40, vehicles=25, supervisor=False)
    world.reset(0)
    crashes = 0
    for decision in range(120):
        world.advance_and_reset(actions(decision, 40))
        crashes += int(world.terminated.sum())
        assert not world.roads.crashed.any()
    assert crashes > 0
    assert world.batch.episodes.episode.sum() == 40 + crashes
