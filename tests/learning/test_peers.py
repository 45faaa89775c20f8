"""Learners that learn together: the steps that one learner with all their samples would take."""

import threading

import numpy as np
import pytest

from hotlap.learning.lessons import Lesson, PpoRules
from hotlap.learning.losses import Samples
from hotlap.learning.network import NetworkShape
from hotlap.learning.ppo import PpoLearner

SHAPE = NetworkShape(5, (8, 8), 2, "tanh")
CARS, TICKS = 16, 24
FILLED = ("observations", "actions", "log_probs", "values", "advantages", "returns")


class ThreadPeers:
    """The slow obvious twin of a collective: threads wait for each other and add up in the order of their ranks."""

    def __init__(self, rank, barrier, given):
        self.rank, self.count = rank, barrier.parties
        self.barrier, self.given = barrier, given

    def add_up(self, array):
        self.given[self.rank] = array.copy()
        self.barrier.wait(60)
        array[...] = np.sum(self.given, axis=0)
        self.barrier.wait(60)


def learner(cars, batch_size, epochs=1):
    rules = PpoRules(batch_size, epochs, 0.98, 0.95, 0.001, 0.5, 0.5)
    made = PpoLearner(SHAPE, cars, TICKS, rules, seed=3, threads=1)
    made.weights.parameters[:] = np.random.default_rng(0).normal(0.0, 0.3, made.weights.parameters.size)
    made.bounds.low[:], made.bounds.high[:] = -1.0, 1.0
    made.begin_rollout(0)
    return made


def samples(cars):
    generator = np.random.default_rng(7)
    made = learner(cars, 2).samples
    return made._replace(**{name: generator.normal(0.2, 1.3, getattr(made, name).size) for name in FILLED})


def filled(made, whole: Samples, first: int):
    """A learner with the samples of some cars, from the first on, of (ticks, cars)."""
    for name in FILLED:
        rows = getattr(whole, name).reshape(TICKS, CARS, -1)[:, first : first + made.cars]
        getattr(made.samples, name)[:] = rows.ravel()
    return made


def together(learners, act):
    """Each acts in a thread of its own."""
    barrier, given = threading.Barrier(len(learners)), [None] * len(learners)
    for rank, each in enumerate(learners):
        each.peers = ThreadPeers(rank, barrier, given)
    threads = [threading.Thread(target=act, args=(each,)) for each in learners]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def update(made):
    made.update(0, 1e-3, 0.2, learns_spread=True)


def imitate(made):
    made.imitate(made.samples, made.ticks * made.cars, 0, 1e-3, epochs=3)


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("act", [update, imitate])
def test_learners_with_a_part_of_a_batch_each_take_the_steps_of_one_with_the_whole(act, count):
    """Passes over one batch each, in which the order of samples means nothing; what is left is rounding."""
    whole, share = samples(CARS), CARS // count
    alone = filled(learner(CARS, TICKS * CARS, epochs=3), whole, 0)
    act(alone)
    nodes = [filled(learner(share, TICKS * share, epochs=3), whole, share * rank) for rank in range(count)]
    together(nodes, act)
    moved = alone.weights.parameters - learner(CARS, 2).weights.parameters
    assert np.abs(moved).max() > 1e-3
    for node in nodes:
        assert node.weights.parameters == pytest.approx(alone.weights.parameters, abs=2e-6)
        assert node.weights.parameters.tobytes() == nodes[0].weights.parameters.tobytes()
        assert node.weights.second_moments.tobytes() == nodes[0].weights.second_moments.tobytes()


def test_advantages_of_every_batch_are_scaled_over_all_learners():
    """Also of the last one, which is smaller, and whatever order each learner takes its samples in."""
    whole = samples(CARS)
    nodes = [filled(learner(CARS // 2, 80, epochs=2), whole, CARS // 2 * rank) for rank in range(2)]
    seen = {}

    def noted(node):
        lesson, order = Lesson(node, node.samples, 1e-3, learns_spread=True), node.samples.order
        order[:] = node.generator(1, 0).permutation(len(order))
        lesson.share_scales(len(order))
        seen[node.peers.rank] = lesson.scales

    together(nodes, noted)
    assert seen[0] == seen[1]
    assert list(seen[0]) == [0, 80, 160]
    for first, (mean, scale) in seen[0].items():
        drawn = np.concatenate([node.samples.advantages[node.samples.order[first : first + 80]] for node in nodes])
        assert mean == pytest.approx(drawn.astype(np.float64).mean(), abs=1e-9)
        assert scale == pytest.approx(1.0 / drawn.astype(np.float64).std(ddof=1), rel=1e-6)


def test_learners_of_different_ranks_draw_different_noise_and_orders():
    nodes = [learner(4, 8) for _ in range(2)]
    nodes[1].peers = ThreadPeers(1, threading.Barrier(2), [])
    for purpose in range(2):
        drawn = [node.generator(purpose, 5).random() for node in nodes]
        assert drawn[0] != drawn[1]


def test_number_of_threads_can_be_set_afterwards():
    whole = samples(CARS)
    one, three = (filled(learner(CARS, 128, epochs=2), whole, 0) for _ in range(2))
    three.use_threads(3)
    update(one)
    update(three)
    assert three.threads == 3
    assert one.weights.parameters.tobytes() == three.weights.parameters.tobytes()
