"""A training in progress over the live channel: what spectators see, and that none of them can hold it up."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import ClassVar

import pytest
from starlette.websockets import WebSocketDisconnect
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from hotlap.checkpoints import RunLock
from hotlap.checkpoints.curve import LONGEST_LINE, MOST_POINTS, CurveFollower, CurvePoint, thinned
from hotlap.web import live
from hotlap.web.live import MOST_SPECTATORS, MOST_WAITING, LiveHub, RunWatch, Spectator
from hotlap.web.runs import Shelf, read_run
from web.game_server import running
from web.sample_runs import add_points, make_run, point, policy_bytes, save_step


@pytest.fixture
def run(tmp_path):
    return make_run(tmp_path / "runs", "learner")


@pytest.fixture(autouse=True)
def _look_often(monkeypatch):
    monkeypatch.setattr(live, "LOOK_SECONDS", 0.02)


def spectate(server, query: str = ""):
    return connect(f"ws://127.0.0.1:{server.port}/ws/live{query}", open_timeout=60)


def messages_until(channel, wanted: str, seconds: float = 10.0) -> list[dict]:
    """Everything up to the first message of a type."""
    got: list[dict] = []
    deadline = time.monotonic() + seconds
    while not got or got[-1]["type"] != wanted:
        got.append(json.loads(channel.recv(max(deadline - time.monotonic(), 0.01))))
    return got


def test_newcomer_sees_the_run_its_curve_and_its_newest_driver(run, tmp_path):
    add_points(run, point(100), point(200))
    save_step(run, 100)
    save_step(run, 200)
    with running(tmp_path / "game", run.parent) as server, spectate(server) as channel:
        about, curve, policy = messages_until(channel, "policy")
        assert (about["type"], about["run"]["name"], about["run"]["step"]) == ("run", "learner", 200)
        assert (curve["type"], curve["reset"]) == ("curve", True)
        assert [each["step"] for each in curve["points"]] == [100, 200]
        assert policy["policy"]["step"] == 200
        assert server.get(f"/data/policies/{policy['policy']['key']}.onnx").body == policy_bytes(200)


def test_training_is_seen_as_it_happens(run, tmp_path):
    with (
        running(tmp_path / "game", run.parent) as server,
        RunLock(run),
        spectate(server) as channel,
    ):
        messages_until(channel, "curve")
        add_points(run, point(100, reward=None))
        [new] = messages_until(channel, "curve")
        assert (new["reset"], [each["step"] for each in new["points"]]) == (False, [100])
        save_step(run, 100)
        *changes, policy = messages_until(channel, "policy")
        assert {change["run"]["state"] for change in changes} == {"training"}
        assert policy["policy"]["step"] == 100
        assert server.get(f"/data/policies/{policy['policy']['key']}.onnx").status == 200


def test_resumed_run_begins_its_curve_anew(run, tmp_path):
    add_points(run, point(100), point(200), point(300))
    with running(tmp_path / "game", run.parent) as server, spectate(server) as channel:
        messages_until(channel, "curve")
        (run / "curve.jsonl").write_text(json.dumps(point(100)) + "\n", encoding="utf-8")
        [again] = messages_until(channel, "curve")
        assert (again["reset"], [each["step"] for each in again["points"]]) == (True, [100])


TRAINER = """
import sys, time
from pathlib import Path
from typing import ClassVar
from hotlap.checkpoints import RunLock
with RunLock(Path(sys.argv[1])):
    print("training", flush=True)
    time.sleep(60)
"""


def test_trainer_killed_outright_shows_as_stopped_within_three_seconds(run, tmp_path):
    trainer = subprocess.Popen([sys.executable, "-c", TRAINER, run], stdout=subprocess.PIPE, text=True)
    try:
        assert trainer.stdout.readline() == "training\n"
        with running(tmp_path / "game", run.parent) as server, spectate(server) as channel:
            [about, _] = messages_until(channel, "curve")
            assert about["run"]["state"] == "training"
            trainer.send_signal(signal.SIGKILL)
            [about] = messages_until(channel, "run", seconds=3.0)
            assert about["run"]["state"] == "stopped"
    finally:
        trainer.kill()
        trainer.communicate()


def test_run_in_training_is_shown_before_newer_ones(run, tmp_path):
    newer = make_run(run.parent, "newer")
    os.utime(run / "run.json", (1, 1))
    with running(tmp_path / "game", run.parent) as server, RunLock(run):
        with spectate(server) as channel:
            assert messages_until(channel, "run")[-1]["run"]["name"] == "learner"
        key = read_run(newer).key
        with spectate(server, f"?run={key}") as channel:
            assert messages_until(channel, "run")[-1]["run"]["name"] == "newer"


class LeavingPage:
    """A page that is gone by the time it is sent something."""

    query_params: ClassVar[dict[str, str]] = {}

    async def accept(self) -> None:
        pass

    async def receive(self) -> None:
        await asyncio.Event().wait()

    async def send_text(self, _text: str) -> None:
        raise WebSocketDisconnect(1006)


def test_page_that_leaves_in_the_middle_of_a_message_is_no_error_and_gives_its_place_back(run):
    hub = LiveHub(Shelf(run.parent))
    asyncio.run(asyncio.wait_for(hub.serve(LeavingPage()), 10))
    assert hub._spectators == []


@pytest.mark.parametrize("query", ["", "?run=nothing", "?run=../../etc"])
def test_without_a_run_the_channel_closes_with_its_own_code(server, query):
    with spectate(server, query) as channel, pytest.raises(ConnectionClosed) as closed:
        channel.recv(60)
    assert closed.value.rcvd.code == 4404


def test_page_that_talks_is_sent_away(run, tmp_path):
    with running(tmp_path / "game", run.parent) as server, spectate(server) as channel:
        channel.send("hello")
        with pytest.raises(ConnectionClosed) as closed:
            messages_until(channel, "goodbye")
    assert closed.value.rcvd.code == 1008


def test_too_long_a_message_is_refused(run, tmp_path):
    with running(tmp_path / "game", run.parent) as server, spectate(server) as channel:
        with contextlib.suppress(ConnectionClosed):
            channel.send("x" * 100_000)
        with pytest.raises(ConnectionClosed) as closed:
            messages_until(channel, "goodbye")
    assert closed.value.rcvd.code == 1009


def test_as_many_spectators_as_allowed_see_everything_and_one_more_is_told_to_wait(run, tmp_path):
    with running(tmp_path / "game", run.parent) as server, contextlib.ExitStack() as stack:
        channels = [stack.enter_context(spectate(server)) for _ in range(MOST_SPECTATORS)]
        for channel in channels:
            messages_until(channel, "curve")
        with spectate(server) as late, pytest.raises(ConnectionClosed) as closed:
            late.recv(60)
        assert closed.value.rcvd.code == 1013
        add_points(run, point(100))
        for channel in channels:
            assert messages_until(channel, "curve")[-1]["points"][0]["step"] == 100


def test_spectator_who_never_reads_delays_nobody(run, tmp_path, in_time):
    with running(tmp_path / "game", run.parent) as server, spectate(server) as healthy:
        stalled = socket.create_connection(("127.0.0.1", server.port))
        stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        stalled.sendall(
            f"GET /ws/live HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        messages_until(healthy, "curve")
        for step in range(0, 40_000, 400):
            add_points(run, *[point(step + k) for k in range(400)])
        seen = -1
        began = time.monotonic()
        while seen < 39_999:
            message = json.loads(healthy.recv(30))
            seen = message["points"][-1]["step"] if message["type"] == "curve" else seen
        in_time(time.monotonic() - began, 10.0)
        stalled.close()


def test_mailbox_that_overflows_begins_afresh(run):
    async def overflow() -> list[dict]:
        watch = RunWatch(read_run(run), Shelf(run.parent))
        spectator = Spectator(watch)
        for step in range(1, 100):
            add_points(run, point(step))
            spectator.put(watch.look())
        got = []
        with contextlib.suppress(TimeoutError):
            while True:
                got.append(json.loads(await asyncio.wait_for(spectator.get(), 0.05)))
        return got

    got = asyncio.run(overflow())
    assert len(got) <= MOST_WAITING
    curves = [message for message in got if message["type"] == "curve"]
    assert curves[0]["reset"]
    steps = [each["step"] for message in curves for each in message["points"]]
    assert steps == list(range(1, 100))


def test_run_whose_folder_is_gone_has_stopped(run):
    with RunLock(run):
        watch = RunWatch(read_run(run), Shelf(run.parent))
        assert watch.run.state == "training"
        run.rename(run.with_name("elsewhere"))
        [message] = watch.look()
    assert json.loads(message)["run"]["state"] == "stopped"
    assert watch.look() == []


# The curve


def sent_by(curve: CurveFollower) -> list[dict]:
    """What a page gets of the points that are new."""
    return [point.as_json() for point in curve.read_on()[1]]


def test_half_written_line_waits_for_its_other_half(run):
    curve, line = CurveFollower(run), json.dumps(point(100)) + "\n"
    path: Path = run / "curve.jsonl"
    path.write_text(line[:20], encoding="utf-8")
    assert curve.read_on() == (False, [])
    with path.open("a", encoding="utf-8") as file:
        file.write(line[20:])
    assert sent_by(curve) == [point(100)]


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "[]",
        "{}",
        '{"step": "x", "seconds": 1}',
        '{"step": NaN, "seconds": 1}',
        '{"step": true, "seconds": 1}',
        "[" * 5000,
        json.dumps({"step": 1, "seconds": 1, "note": "x" * LONGEST_LINE}),
    ],
    ids=lambda line: line[:20],
)
def test_damaged_lines_are_left_out(run, line):
    (run / "curve.jsonl").write_text(f"{line}\n{json.dumps(point(5))}\n", encoding="utf-8")
    assert sent_by(CurveFollower(run)) == [point(5)]


def test_numbers_that_are_none_are_sent_as_nothing(run):
    (run / "curve.jsonl").write_text('{"step": 1, "seconds": 2, "reward": Infinity, "note": "x"}\n', encoding="utf-8")
    assert sent_by(CurveFollower(run)) == [{"step": 1, "seconds": 2, "reward": None, "note": None}]


def test_live_curve_of_a_highway_run_has_its_main_figure(run):
    add_points(run, {"step": 100, "seconds": 1.0, "reward": 3.5, "success": 0.75})
    assert sent_by(CurveFollower(run)) == [{"step": 100, "seconds": 1.0, "reward": 3.5, "success": 0.75}]


def test_evaluations_are_passed_on(run):
    tags = {"eval/track-01/clean_lap_sec": 6.7, "bad": None}
    add_points(run, {"step": 1, "seconds": 2, "evaluation": tags})
    expected = {"step": 1, "seconds": 2, "evaluation": {"eval/track-01/clean_lap_sec": 6.7}}
    assert sent_by(CurveFollower(run)) == [expected]


def test_long_curve_is_thinned_and_keeps_its_ends_and_evaluations():
    points = [CurvePoint(step, step / 1000) for step in range(10_000)]
    points[5001] = CurvePoint(5001, 5.0, evaluation={})
    kept = thinned(points)
    assert MOST_POINTS // 4 <= len(kept) <= MOST_POINTS
    assert (kept[0].step, kept[-1].step) == (0, 9999)
    assert points[5001] in kept
    assert len(thinned([CurvePoint(k, 0.0, evaluation={}) for k in range(5000)])) <= MOST_POINTS
