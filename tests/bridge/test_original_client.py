"""A client by another library that knows only the original protocol, and says so in every word it sends."""

import json
from contextlib import contextmanager

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from hotlap.racer.env import RacerEnv


@contextmanager
def original_client(port: int, host: str = "localhost"):
    """As the original's Python client connects: it names itself a page of the server, and would take compression."""
    with connect(f"ws://{host}:{port}", origin=f"http://{host}:{port}") as socket:

        def ask(message) -> dict:
            socket.send(message if isinstance(message, str | bytes) else json.dumps(message))
            return json.loads(socket.recv(timeout=60))

        ask.socket = socket
        yield ask


def refusal(reply: dict) -> str:
    assert list(reply) == ["type", "message"]
    assert reply["type"] == "error"
    return reply["message"]


@pytest.mark.parametrize("track_id", ["track-01", "track-02", "track-03"])
def test_an_episode_is_that_of_the_world_in_this_process(server, track_id):
    rng, env = np.random.default_rng(8), RacerEnv(track=track_id)
    with original_client(server.port) as ask:
        first = ask({"type": "reset", "trackId": track_id})
        observation, info = env.reset()
        assert (np.float32(first["observation"]).tolist(), first["info"]) == (observation.tolist(), info)
        for _ in range(100):
            action = rng.uniform([-1, 0, 0], 1).tolist()
            reply = ask({"type": "step", "action": action})
            observation, reward, terminated, truncated, info = env.step(action)
            assert np.float32(reply["observation"]).tolist() == observation.tolist()
            assert [reply[key] for key in ("reward", "terminated", "truncated")] == [reward, terminated, truncated]
            assert reply["info"] == info
        assert ask({"type": "close"}) == {"type": "close_result"}


def test_every_refusal_has_the_originals_words_and_keeps_the_socket(server):
    with original_client(server.port, "127.0.0.1") as ask:
        assert refusal(ask({"type": "step", "action": [0, 0, 0]})) == "Call reset before step"
        assert refusal(ask({"type": "dance"})) == "Unknown message type: dance"
        tracks = "track-01, track-02, track-03"
        assert refusal(ask({"type": "reset", "trackId": "oval"})) == f'Unknown track "oval". Available: {tracks}'
        assert "line 1 column 1" in refusal(ask("not json"))
        assert ask(b'{"type": "reset"}')["type"] == "reset_result"
        shape = "action must be a 3-element array [steer, throttle, brake]"
        assert refusal(ask({"type": "step", "action": [0, 0]})) == shape
        assert refusal(ask({"type": "step", "action": [0, None, 0]})) == "action elements must be finite numbers"
        assert ask({"type": "step", "action": [0, 1, 0]})["info"]["stepCount"] == 1


def test_too_large_a_payload_ends_the_connection_with_1009(server):
    with original_client(server.port) as ask:
        assert ask({"type": "reset", "padding": " " * 65_000})["type"] == "reset_result"
        with pytest.raises(ConnectionClosed) as closed:
            ask({"type": "reset", "padding": " " * 65_536})
        assert closed.value.rcvd.code == 1009
