"""Drive by policy: a server streams a race of a policy it was started with, and of no other file."""

import json
import socket
import time

import numpy as np
import onnx
import pytest

from bridge.running import frame, open_raw, read_frame, running_server
from hotlap.bridge.client import BridgeClient
from hotlap.bridge.drivers import load_drivers
from hotlap.bridge.messages import BridgeSession
from hotlap.errors import ActionError, BridgeError, ConfigError, HotlapError
from hotlap.racer.env import RacerEnv
from policies.tiny_models import linear_model


class RaySteering:
    """Steers to the side with more room at part throttle: enough for clean laps of track-01."""

    name = "rays"
    layout = "classic"

    def __init__(self, throttle: float = 0.4) -> None:
        self.throttle = throttle

    def reset(self, cars) -> None:
        assert cars.tolist() == [0]

    def act(self, observation, world):
        right, left = observation[:, 1:4].sum(1), observation[:, 5:8].sum(1)
        steer = np.clip(2 * (right - left), -1, 1)
        return np.stack([steer, np.full_like(steer, self.throttle), np.zeros_like(steer)], 1)


class Broken(RaySteering):
    def act(self, observation, world):
        return np.full((1, 3), np.nan, np.float32)


DRIVERS = {"rays": RaySteering(), "parked": RaySteering(0.0), "broken": Broken()}


@pytest.fixture(scope="module")
def racing_server():
    with running_server(drivers=DRIVERS) as running:
        yield running


def test_a_race_is_told_tick_by_tick_and_ends_with_its_laps(racing_server):
    with BridgeClient(racing_server.url) as client:
        assert client.hello()["policies"] == ["broken", "parked", "rays"]
        *frames, result = client.race("rays", laps=2, pace="fast", trackId="track-01")
        assert [told["tick"] for told in frames] == list(range(1, len(frames) + 1))
        assert set(frames[0]) == {"type", "tick", "x", "y", "heading", "speed", "lap", "checkpoint", "action"}
        assert (result["type"], result["name"], result["trackId"], result["reason"]) == (
            "race_result",
            "rays",
            "track-01",
            "laps",
        )
        assert result["ticks"] == len(frames)
        assert [lap["ticks"] for lap in result["laps"]] == [
            next(told["tick"] for told in frames if told["lap"] == 2),
            len(frames) - next(told["tick"] for told in frames if told["lap"] == 2),
        ]
        assert all(lap["seconds"] == lap["ticks"] / 60 for lap in result["laps"])
        assert client.send_reset()["type"] == "reset_result"


def test_a_race_is_what_the_same_driver_does_in_this_process(racing_server):
    env, driver = RacerEnv("track-02", start="random", action_delay=1), RaySteering()
    observation, _ = env.reset(seed=6)
    options = {"start": "random", "action_delay": 1}
    order = {"trackId": "track-02", "seed": 6, "options": options, "ticks": 200, "pace": "fast"}
    with BridgeClient(racing_server.url) as client:
        *frames, result = client.race("rays", **order)
    for told in frames:
        action = driver.act(observation[None], None)[0]
        observation, *_ = env.step(action)
        assert told["action"] == action.tolist()
        assert (told["x"], told["y"]) == (env.world.fleet.x_u[0], env.world.fleet.y_u[0])
    assert (result["reason"], len(frames)) == ("ticks", 200)


def test_a_car_that_stands_still_ends_its_race(racing_server):
    with BridgeClient(racing_server.url) as client:
        *frames, result = client.race("parked", pace="fast")
    assert (result["reason"], len(frames), result["laps"]) == ("still", 180, [])


def test_realtime_is_sixty_ticks_a_second(racing_server, in_time):
    with BridgeClient(racing_server.url) as client:
        began = time.monotonic()
        frames = list(client.race("rays", ticks=31))
        seconds = time.monotonic() - began
    assert len(frames) == 32
    assert seconds > 0.48  # no machine is faster than real time
    in_time(seconds, 2.0)


def test_a_race_can_be_left_and_the_connection_used_on(racing_server):
    with BridgeClient(racing_server.url) as client:
        race = client.race("rays", pace="fast", laps=1000, ticks=216_000)
        assert next(race)["tick"] == 1
        race.close()
        assert client.send_reset()["type"] == "reset_result"
        assert client.send_step([0, 1, 0])["info"]["stepCount"] == 1


def test_during_a_race_only_close_is_taken():
    session = BridgeSession(DRIVERS)
    assert json.loads(session.receive(b'{"type":"policy","name":"rays"}').data)["type"] == "policy_result"
    for message in (b'{"type":"reset"}', b'{"type":"hello"}', b"HLA1"):
        assert "A race is running" in json.loads(session.receive(message).data)["message"]
    assert json.loads(session.receive(b'{"type":"close"}').data) == {"type": "close_result"}
    assert session.race_frames(5) == []
    assert json.loads(session.receive(b'{"type":"reset"}').data)["type"] == "reset_result"


def test_a_driver_that_breaks_ends_its_race_with_an_error(racing_server):
    with BridgeClient(racing_server.url) as client:
        with pytest.raises(BridgeError, match="action elements must be finite numbers"):
            list(client.race("broken", pace="fast"))
        assert client.send_reset()["type"] == "reset_result"


def test_a_reader_that_stalls_in_a_race_stops_only_its_own(racing_server):
    with BridgeClient(racing_server.url) as healthy, open_raw(racing_server.port) as stalled:
        stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stalled.sendall(frame(b'{"type":"policy","name":"rays","pace":"fast","laps":1000,"ticks":216000}'))
        healthy.send_reset()
        for count in range(1, 300):
            assert healthy.send_step([0, 1, 0])["info"]["stepCount"] == count
        waiting = racing_server.call(lambda: [c._transport.get_write_buffer_size() for c in racing_server.server.open])
        assert max(waiting) < 1_000_000
        kind, first = read_frame(stalled)
        assert (kind, json.loads(first)["type"]) == (1, "policy_result")


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({}, 'no name "null". Known: broken, parked, rays'),
        ({"name": "ray"}, 'no name "ray". Did you mean "rays"?'),
        ({"name": "../policy.onnx"}, 'no name "../policy.onnx"'),
        ({"name": "/etc/passwd"}, 'no name "/etc/passwd"'),
        ({"name": ["rays"]}, "no name"),
        ({"name": "rays", "pace": "slow"}, 'no pace "slow". Known: fast, realtime'),
        ({"name": "rays", "laps": 0}, "laps must be a whole number from 1 to 1000"),
        ({"name": "rays", "ticks": 1e9}, "ticks must be a whole number from 1 to 216000"),
        ({"name": "rays", "trackId": "x"}, 'Unknown track "x"'),
        ({"name": "rays", "options": {"start": "x"}}, "no start"),
    ],
)
def test_wrong_races_are_refused_by_name(fields, part):
    session = BridgeSession(DRIVERS)
    assert part in json.loads(session.receive(json.dumps({"type": "policy", **fields}).encode()).data)["message"]
    assert session.race is None


def test_a_server_without_policies_says_so():
    message = json.loads(BridgeSession().receive(b'{"type":"policy","name":"rays"}').data)["message"]
    assert message == 'no name "rays". Known: none'


@pytest.mark.parametrize("word", ["rays", "=x.onnx", "rays=", "a/b=x.onnx", "a b=x.onnx", "", "x" * 65 + "=y"])
def test_policies_are_given_as_name_and_file(word):
    with pytest.raises(ConfigError, match="NAME=FILE"):
        load_drivers([word])


def test_a_policy_file_that_is_none_is_refused_at_the_start(tmp_path):
    with pytest.raises(HotlapError):
        load_drivers([f"ghost={tmp_path / 'none.onnx'}"])
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"not a model")
    with pytest.raises(HotlapError):
        load_drivers([f"broken={broken}"])


def test_no_policies_load_nothing():
    assert load_drivers([]) == {}


def test_action_errors_of_a_race_are_those_of_the_world():
    session = BridgeSession(DRIVERS)
    session.receive(b'{"type":"policy","name":"broken"}')
    [reply] = session.race_frames(10)
    assert json.loads(reply.data) == {"type": "error", "message": "action elements must be finite numbers"}
    assert issubclass(ActionError, HotlapError)


def test_a_policy_from_an_onnx_file_drives_a_lap(tmp_path):
    file = tmp_path / "policy.onnx"
    onnx.save(linear_model(bias=(0.0, 0.4, 0.0), steer_gain=3.0), file)
    with running_server(drivers=load_drivers([f"champion={file}"])) as server, BridgeClient(server.url) as client:
        *_, result = client.race("champion", laps=1, pace="fast")
    assert (result["name"], result["reason"], len(result["laps"])) == ("champion", "laps", 1)
