"""Binary batches without sockets: layout, sizes, refusals, and the same cars as the batch in this process."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotlap.bridge.batch_messages import (
    LAP_FINISHED,
    TERMINATED,
    TRUNCATED,
    BatchShape,
    new_step,
    pack_actions,
    read_reset,
    read_step,
    unpack_actions,
)
from hotlap.bridge.messages import BridgeSession, Limits, Reply
from hotlap.bridge.worlds import CARS_AT_ONCE
from hotlap.errors import ActionError, BridgeError
from hotlap.racer.world import RacerWorld


def ask(session: BridgeSession, **message) -> dict:
    return json.loads(session.receive(json.dumps(message).encode()).data)


def open_batch(cars: int, **fields) -> tuple[BridgeSession, BatchShape]:
    session = BridgeSession()
    return session, BatchShape.from_message(ask(session, type="batch", cars=cars, **fields))


def reset(session: BridgeSession, shape: BatchShape, **fields):
    reply = session.receive(json.dumps({"type": "batch_reset", **fields}).encode())
    assert reply.binary
    return read_reset(shape, reply.data)


def test_batch_result_says_how_to_read_its_frames():
    reply = ask(BridgeSession(), type="batch", cars=3, observation="full")
    assert (reply["type"], reply["cars"], reply["observationSize"], reply["actionSize"]) == ("batch_result", 3, 59, 3)
    assert [item["name"] for item in reply["resetColumns"]] == ["tick", "speed", "lap", "checkpoint", "stepCount"]
    kinds = {item["name"]: item["kind"] for item in reply["columns"]}
    assert len(kinds) == 14
    assert (kinds["progress"], kinds["lap"], kinds["wallContact"], kinds["lapTicks"]) == ("float", "int", "bool", "int")


def test_frames_are_laid_out_as_written_down():
    """Read by hand, as a client in another language would."""
    session, _ = open_batch(2, config={"episode": {"maxSteps": 1}})
    first = session.receive(b'{"type":"batch_reset","seed":0}').data
    assert first[:16] == b"HLR1" + np.array([2, 14, 0], "<u4").tobytes()
    assert len(first) == 16 + 4 * 2 * 14 + 4 * 5 * 2
    reply = bytes(session.receive(b"HLA1" + np.array([2], "<u4").tobytes() + np.zeros(6, "<f4").tobytes()).data)
    assert reply[:16] == b"HLS1" + np.array([2, 14, 2], "<u4").tobytes()
    sizes = [4 * 2 * 14, 4 * 2, 4 * 14 * 2, 2, 2, 4 * 2, 4 * 2 * 14]
    observation, reward, columns, flags, gap, done, last = np.split(
        np.frombuffer(reply, "u1", offset=16), np.cumsum(sizes)[:-1]
    )
    assert np.array_equal(observation, np.frombuffer(first, "u1", 4 * 2 * 14, 16))
    assert np.allclose(reward.view("<f4"), -0.001)
    assert columns.view("<f4").reshape(14, 2)[6].tolist() == [1, 1]
    assert flags.tolist() == [TRUNCATED, TRUNCATED]
    assert gap.tolist() == [0, 0]
    assert done.view("<u4").tolist() == [0, 1]
    assert last.view("<f4").shape == (28,)


def test_batch_drives_as_a_world_in_this_process():
    config = {"episode": {"maxSteps": 40, "stillnessTimeoutTicks": 10}}
    session, shape = open_batch(5, tracks=["track-01", "track-02"], config=config, options={"start": "random"})
    world = RacerWorld(5, ["track-01", "track-02"], config, start="random")
    rng = [np.random.default_rng(9 + car) for car in range(5)]
    for car in range(5):
        world.begin(car, rng[car])
    first, columns = reset(session, shape, seed=9)
    assert np.array_equal(first, world.observation.astype(np.float32))
    assert np.array_equal(columns[3], world.reset_views["checkpoint"])
    action_dice = np.random.default_rng(1)
    ended = 0
    for _ in range(120):
        actions = action_dice.uniform([-1, 0, 0], 1, (5, 3)).astype(np.float32)
        actions[0] = 0.0
        arrays = read_step(shape, session.receive(pack_actions(actions)).data)
        world.advance(actions)
        assert np.array_equal(arrays.reward, world.reward.astype(np.float32))
        for row, column in zip(arrays.columns, world.step_views.values(), strict=False):
            assert np.array_equal(row, column.astype(np.float32))
        done = np.flatnonzero(world.terminated | world.truncated)
        assert arrays.done_car.tolist() == done.tolist()
        assert np.array_equal((arrays.flags & TERMINATED) != 0, world.terminated)
        assert np.array_equal((arrays.flags & TRUNCATED) != 0, world.truncated)
        assert np.array_equal(arrays.last_observation, world.observation[done].astype(np.float32))
        for car in done:
            world.begin(car, rng[car])
        assert np.array_equal(arrays.observation, world.observation.astype(np.float32))
        ended += len(done)
    assert ended > 10


def test_finished_laps_are_flagged_with_their_ticks():
    session, shape = open_batch(1)
    observation, _ = reset(session, shape)
    for tick in range(1, 3000):
        right, left = observation[0, 1:4].sum(), observation[0, 5:8].sum()
        arrays = read_step(shape, session.receive(pack_actions(np.array([[2 * (right - left), 0.4, 0.0]]))).data)
        observation = arrays.observation
        if arrays.flags[0] & LAP_FINISHED:
            assert arrays.columns[-1, 0] == tick
            return
    pytest.fail("no lap within an episode")


@pytest.mark.parametrize(
    ("message", "part"),
    [
        ({"type": "batch_reset"}, "No batch."),
        ({"type": "batch", "cars": 0}, "cars must be a whole number from 1 to 8, not 0"),
        ({"type": "batch", "cars": 9}, "cars must be a whole number from 1 to 8, not 9"),
        ({"type": "batch", "cars": 2.0}, "cars must be a whole number"),
        ({"type": "batch", "cars": True}, "cars must be a whole number"),
        ({"type": "batch", "cars": 2, "trackId": "x"}, 'Unknown track "x"'),
        ({"type": "batch", "cars": 2, "options": {"gate": 3}}, "gate belongs into batch_reset"),
        ({"type": "batch", "cars": 2, "options": {"start": "gird"}}, 'Did you mean "grid"?'),
        ({"type": "batch", "cars": 2, "config": {"x": 1}}, 'no key "x"'),
    ],
)
def test_wrong_batches_are_refused_by_name(message, part):
    assert part in ask(BridgeSession(limits=Limits(cars=8)), **message)["message"]


def test_actions_without_a_batch_or_before_its_reset_are_refused():
    session = BridgeSession()
    actions = pack_actions(np.zeros((2, 3)))
    assert "No batch." in json.loads(session.receive(actions).data)["message"]
    ask(session, type="batch", cars=2)
    assert "batch_reset" in json.loads(session.receive(actions).data)["message"]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_actions_that_are_no_numbers_are_refused_and_move_nothing(value):
    session, shape = open_batch(2)
    reset(session, shape)
    reply = session.receive(pack_actions(np.array([[0, 1, 0], [0, value, 0]])))
    assert json.loads(reply.data) == {"type": "error", "message": "action elements must be finite numbers"}
    assert session.batch.world.fleet.tick.tolist() == [0, 0]


def test_options_for_each_car_are_taken():
    session, shape = open_batch(3)
    options = [{"start": "gate", "gate": gate} for gate in (4, 9, 14)]
    _, columns = reset(session, shape, options=options)
    assert columns[3].tolist() == [4, 9, 14]
    reply = ask(session, type="batch_reset", options=options[:2])
    assert "one object or a list of 3" in reply["message"]


def test_reset_refused_half_way_asks_for_another():
    session, shape = open_batch(2)
    reset(session, shape)
    reply = ask(session, type="batch_reset", options=[{}, {"start": "nowhere"}])
    assert "no start" in reply["message"]
    assert "batch_reset" in json.loads(session.receive(pack_actions(np.zeros((2, 3)))).data)["message"]


def test_close_drops_the_batch():
    session, shape = open_batch(2)
    reset(session, shape)
    assert ask(session, type="close") == {"type": "close_result"}
    assert "No batch." in ask(session, type="batch_reset")["message"]


SHAPE = BatchShape(3, 14, (("progress", "float"),), (("tick", "int"),))


@given(st.binary(max_size=400), st.sampled_from([b"", b"HLS1", b"HLS1\x03\0\0\0\x0e\0\0\0", b"HLR1"]))
def test_any_reply_is_read_or_refused(tail, head):
    for read in (read_step, read_reset):
        try:
            read(SHAPE, head + tail)
        except BridgeError:
            continue


@given(st.integers(0, 3))
def test_a_step_frame_reads_back_as_written(done):
    message, arrays = new_step(SHAPE, done)
    for k, array in enumerate(arrays):
        array[...] = np.arange(array.size).reshape(array.shape) + k
    for written, read in zip(arrays, read_step(SHAPE, bytes(message)), strict=True):
        assert np.array_equal(written, read)


@given(st.lists(st.tuples(*[st.floats(width=32)] * 3), min_size=3, max_size=3))
def test_actions_read_back_as_written(actions):
    read = unpack_actions(SHAPE, pack_actions(np.array(actions, np.float32)))
    assert read.tobytes() == np.array(actions, "<f4").tobytes()


@pytest.mark.parametrize("cars", [0, 1, 2, 4])
def test_actions_for_another_number_of_cars_are_refused(cars):
    with pytest.raises(ActionError, match="for each of 3 cars"):
        unpack_actions(SHAPE, pack_actions(np.zeros((cars, 3))))


@pytest.mark.parametrize("episode", [{}, {"maxSteps": 1}])
def test_no_piece_of_work_begins_more_than_a_few_cars(episode, monkeypatch):
    """A client that opens, resets and steps 4,096 cars without end leaves room for the others."""
    begun = []
    begin = RacerWorld.begin
    monkeypatch.setattr(RacerWorld, "begin", lambda *arguments: (begun.append(1), begin(*arguments)))
    session, _ = open_batch(1000, config={"episode": episode})
    for payload in (b'{"type":"batch_reset","seed":0}', pack_actions(np.zeros((1000, 3)))):
        pieces, work = [], session.start(payload)
        while not isinstance(work, Reply):
            begun.clear()
            try:
                next(work)
            except StopIteration as finished:
                work = finished.value
            pieces.append(len(begun))
        assert work.binary
        assert max(pieces) <= CARS_AT_ONCE
        assert sum(pieces) == (1000 if episode or payload.startswith(b"{") else 0)
