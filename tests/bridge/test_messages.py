"""The protocol by table: every request, every reply, every error text, without a socket."""

import json
import math
from contextlib import nullcontext
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotlap import __version__
from hotlap.bridge.batch_messages import pack_actions
from hotlap.bridge.messages import BridgeSession, Limits
from hotlap.racer.env import RacerEnv

RESET_INFO = ["tick", "speed", "lap", "checkpoint", "stepCount"]
STEP_INFO = [
    *("progress", "speed", "wall", "offTrack", "backward", "stillness"),
    *("tick", "rawSpeed", "lap", "checkpoint", "stepCount", "wallContact", "stillnessCounter"),
]
ACTION_SHAPE = "action must be a 3-element array [steer, throttle, brake]"
ACTION_VALUE = "action elements must be finite numbers"


def ask(session: BridgeSession, message) -> dict:
    """One message, its reply as a dict."""
    payload = message if isinstance(message, bytes) else json.dumps(message).encode()
    reply = session.receive(payload)
    assert not reply.binary
    return json.loads(reply.data)


def refusal(session: BridgeSession, message) -> str:
    reply = ask(session, message)
    assert set(reply) == {"type", "message"}
    assert reply["type"] == "error"
    return reply["message"]


@pytest.fixture
def session():
    """A client that has reset."""
    session = BridgeSession()
    assert ask(session, {"type": "reset"})["type"] == "reset_result"
    return session


# The original protocol


def test_reset_answers_with_the_first_observation_and_five_facts():
    reply = ask(BridgeSession(), {"type": "reset"})
    assert list(reply) == ["type", "observation", "info"]
    assert reply["type"] == "reset_result"
    assert len(reply["observation"]) == 14
    assert list(reply["info"]) == RESET_INFO
    assert reply["info"] == {"tick": 0, "speed": 0, "lap": 1, "checkpoint": 0, "stepCount": 0}


def test_step_answers_with_everything_a_step_has(session):
    reply = ask(session, {"type": "step", "action": [0.0, 1.0, 0.0]})
    assert list(reply) == ["type", "observation", "reward", "terminated", "truncated", "info"]
    assert reply["type"] == "step_result"
    assert list(reply["info"]) == STEP_INFO
    assert reply["info"]["stepCount"] == 1
    assert (reply["terminated"], reply["truncated"]) == (False, False)
    parts = [reply["info"][key] for key in STEP_INFO[:6]]
    assert reply["reward"] == pytest.approx(math.fsum(parts), abs=1e-15)


@pytest.mark.parametrize("track_id", ["track-01", "track-02", "track-03"])
def test_steps_are_those_of_the_environment_to_the_last_bit(track_id):
    session, env = BridgeSession(), RacerEnv(track=track_id)
    rng = np.random.default_rng(5)
    first = ask(session, {"type": "reset", "trackId": track_id})
    observation, info = env.reset()
    assert np.array_equal(np.float32(first["observation"]), observation)
    assert first["info"] == info
    for _ in range(200):
        action = rng.uniform([-1, 0, 0], 1).tolist()
        reply = ask(session, {"type": "step", "action": action})
        observation, reward, terminated, truncated, info = env.step(action)
        assert np.array_equal(np.float32(reply["observation"]), observation)
        assert (reply["reward"], reply["terminated"], reply["truncated"]) == (reward, terminated, truncated)
        assert reply["info"] == {key: info[key] for key in STEP_INFO}


def test_missing_and_null_fields_of_a_reset_mean_the_defaults():
    plain = ask(BridgeSession(), {"type": "reset"})
    assert ask(BridgeSession(), {"type": "reset", "trackId": None, "config": None}) == plain
    assert ask(BridgeSession(), {"type": "reset", "trackId": "track-01", "config": {}}) == plain
    assert ask(BridgeSession(), {"type": "reset", "somethingElse": [1, 2]}) == plain


def test_partial_config_keeps_the_other_defaults():
    session = BridgeSession()
    ask(session, {"type": "reset", "config": {"weights": {"stillnessPenalty": -0.5}}})
    reply = ask(session, {"type": "step", "action": [0, 0, 0]})
    assert reply["info"]["stillness"] == -0.5
    assert reply["reward"] == -0.5


def test_config_decides_when_an_episode_is_cut_off():
    session = BridgeSession()
    ask(session, {"type": "reset", "config": {"episode": {"maxSteps": 2}}})
    first = ask(session, {"type": "step", "action": [0, 1, 0]})
    second = ask(session, {"type": "step", "action": [0, 1, 0]})
    assert (first["truncated"], second["truncated"]) == (False, True)


def test_episode_goes_on_after_its_end():
    session = BridgeSession()
    ask(session, {"type": "reset", "config": {"episode": {"maxSteps": 1}}})
    replies = [ask(session, {"type": "step", "action": [0, 1, 0]}) for _ in range(3)]
    assert [reply["info"]["stepCount"] for reply in replies] == [1, 2, 3]


def test_actions_beyond_their_range_are_clamped(session):
    other = BridgeSession()
    ask(other, {"type": "reset"})
    wild = ask(session, {"type": "step", "action": [2**1023, 1e300, -3]})
    assert wild == ask(other, {"type": "step", "action": [1, 1, 0]})


def test_close_drops_the_car_and_goes_on(session):
    assert ask(session, {"type": "close"}) == {"type": "close_result"}
    assert refusal(session, {"type": "step", "action": [0, 0, 0]}) == "Call reset before step"
    assert ask(session, {"type": "close"}) == {"type": "close_result"}
    assert ask(session, {"type": "reset"})["type"] == "reset_result"


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (b'{"type": "fly"}', "Unknown message type: fly"),
        (b"{}", "Unknown message type: undefined"),
        (b'{"type": null}', "Unknown message type: null"),
        (b'{"type": 7}', "Unknown message type: 7"),
        (b'{"type": 7.0}', "Unknown message type: 7"),
        (b'{"type": 1.5}', "Unknown message type: 1.5"),
        (b'{"type": true}', "Unknown message type: true"),
        (b'{"type": {"a": 1}}', "Unknown message type: [object Object]"),
        (b'{"type": ["step", null, 2]}', "Unknown message type: step,,2"),
        (b'{"type": "Step"}', "Unknown message type: Step"),
        (b'{"type": "\xff"}', "Unknown message type: �"),
        (b"[]", "Unknown message type: undefined"),
        (b"5", "Unknown message type: undefined"),
        (b'"step"', "Unknown message type: undefined"),
        (b"null", "Cannot read properties of null (reading 'type')"),
        (b"", "Expecting value: line 1 column 1 (char 0)"),
        (b"not json", "Expecting value: line 1 column 1 (char 0)"),
        (b'{"type": "step"', "Expecting ',' delimiter: line 1 column 16 (char 15)"),
        (b'{"type": NaN}', "NaN is not valid JSON"),
        (b'{"a": -Infinity}', "-Infinity is not valid JSON"),
        (b"[" * 60_000, "JSON is nested too deeply"),
        (b'{"type": ' + b"[" * 600 + b"]" * 600 + b"}", "JSON is nested too deeply"),
        (b'{"type": "step"}', "Call reset before step"),
        (b'{"type": "step", "action": "x"}', "Call reset before step"),
        (
            b'{"type": "reset", "trackId": "nowhere"}',
            'Unknown track "nowhere". Available: track-01, track-02, track-03',
        ),
        (b'{"type": "reset", "trackId": 3}', 'Unknown track "3". Available: track-01, track-02, track-03'),
        (b'{"type": "reset", "trackId": ""}', 'Unknown track "". Available: track-01, track-02, track-03'),
        (
            b'{"type": "reset", "trackId": "../../etc/passwd.json"}',
            'Unknown track "../../etc/passwd.json". Available: track-01, track-02, track-03',
        ),
    ],
    ids=repr,
)
def test_refused_messages_say_what_the_original_says(message, reason):
    assert refusal(BridgeSession(), message) == reason


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("[0, 0]", ACTION_SHAPE),
        ("[0, 0, 0, 0]", ACTION_SHAPE),
        ("[]", ACTION_SHAPE),
        ("null", ACTION_SHAPE),
        ('"0,0,0"', ACTION_SHAPE),
        ('{"0": 0, "1": 0, "2": 0, "length": 3}', ACTION_SHAPE),
        ("3", ACTION_SHAPE),
        ('[0, 0, "1"]', ACTION_VALUE),
        ("[0, null, 0]", ACTION_VALUE),
        ("[true, 0, 0]", ACTION_VALUE),
        ("[[0], 0, 0]", ACTION_VALUE),
        ("[1e999, 0, 0]", ACTION_VALUE),
        ("[0, -1e999, 0]", ACTION_VALUE),
        (f"[0, 0, {'9' * 400}]", ACTION_VALUE),
        (f"[0, 0, {'9' * 5000}]", ACTION_VALUE),
        (f"[0, 0, {2**1024}]", ACTION_VALUE),
    ],
)
def test_wrong_actions_say_what_is_wrong_and_move_nothing(session, action, reason):
    before = ask(session, {"type": "step", "action": [0.3, 1, 0]})
    assert refusal(session, f'{{"type": "step", "action": {action}}}'.encode()) == reason
    after = ask(session, {"type": "step", "action": [0.3, 1, 0]})
    assert after["info"]["stepCount"] == before["info"]["stepCount"] + 1


def test_action_is_missing(session):
    assert refusal(session, {"type": "step"}) == ACTION_SHAPE


@pytest.mark.parametrize(
    ("config", "part"),
    [
        ({"wieghts": {}}, 'no key "wieghts". Did you mean "weights"?'),
        ({"weights": {"progres": 1}}, 'no key "progres". Did you mean "progress"?'),
        ({"weights": {"progress": "much"}}, "config.weights.progress must be a number"),
        ({"weights": {"progress": None}}, "config.weights.progress must be a number"),
        ({"episode": {"maxSteps": 0}}, "config.episode.maxSteps must be from 1"),
        ({"episode": []}, "config.episode must be a mapping"),
        ("/etc/passwd", 'config must be an object with "weights" and "episode", not /etc/passwd'),
        ([], 'config must be an object with "weights" and "episode"'),
    ],
)
def test_wrong_config_is_refused_by_name(config, part):
    assert part in refusal(BridgeSession(), {"type": "reset", "config": config})


def test_refused_reset_leaves_the_car_where_it_is(session):
    ask(session, {"type": "step", "action": [0, 1, 0]})
    refusal(session, {"type": "reset", "trackId": "nowhere"})
    refusal(session, {"type": "reset", "config": {"x": 1}})
    refusal(session, {"type": "reset", "seed": 3, "options": {"start": "pole"}})
    assert ask(session, {"type": "step", "action": [0, 1, 0]})["info"]["stepCount"] == 2


def test_long_nonsense_is_quoted_in_short():
    assert len(refusal(BridgeSession(), {"type": "x" * 60_000})) < 600


def test_two_sessions_keep_separate_cars(session):
    other = BridgeSession()
    ask(other, {"type": "reset", "trackId": "track-02"})
    for _ in range(5):
        ask(session, {"type": "step", "action": [0, 1, 0]})
    assert ask(other, {"type": "step", "action": [0, 1, 0]})["info"]["stepCount"] == 1
    assert ask(session, {"type": "step", "action": [0, 1, 0]})["info"]["stepCount"] == 6


# Beyond the original


def test_hello_says_versions_capabilities_tracks_and_limits():
    reply = ask(BridgeSession(limits=Limits(cars=7)), {"type": "hello", "client": "a test"})
    assert reply == {
        "type": "hello_result",
        "server": "hotlap",
        "version": __version__,
        "protocols": [1, 2],
        "capabilities": ["reset-options", "lap-info", "batch", "policy"],
        "tracks": ["track-01", "track-02", "track-03"],
        "policies": [],
        "limits": {"payloadBytes": 65_536, "cars": 7},
    }


def start_of(session: BridgeSession, **reset) -> list:
    return ask(session, {"type": "reset", **reset})["observation"]


def test_same_seed_gives_the_same_start_and_another_gives_another():
    options = {"start": "random"}
    first = start_of(BridgeSession(), seed=7, options=options)
    assert start_of(BridgeSession(), seed=7, options=options) == first
    assert start_of(BridgeSession(), seed=8, options=options) != first


def test_dice_go_on_when_no_seed_is_given():
    one, two = BridgeSession(), BridgeSession()
    options = {"start": "random"}
    runs = [[start_of(one, seed=3, options=options), *(start_of(one, options=options) for _ in range(3))]]
    runs.append([start_of(two, seed=3, options=options), *(start_of(two, options=options) for _ in range(3))])
    assert runs[0] == runs[1]
    assert len({tuple(start) for start in runs[0]}) == 4


def test_dice_go_on_over_a_change_of_track():
    one, two = BridgeSession(), BridgeSession()
    for session in (one, two):
        start_of(session, seed=3, options={"start": "random"})
    again = [start_of(session, trackId="track-02", options={"start": "random"}) for session in (one, two)]
    assert again[0] == again[1]


def test_starts_are_those_of_the_environment():
    env = RacerEnv(track=["track-01", "track-03"], observation="full", start="random", action_delay=1)
    expected = [env.reset(seed=11)[0], env.reset()[0]]
    session = BridgeSession()
    wanted = {"tracks": ["track-01", "track-03"], "observation": "full"}
    options = {"start": "random", "action_delay": 1}
    seen = [start_of(session, seed=11, options=options, **wanted), start_of(session, options=options, **wanted)]
    assert np.array_equal(np.float32(seen), expected)


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({"seed": -1}, "seed must be a whole number from 0"),
        ({"seed": 1.5}, "not 1.5"),
        ({"seed": True}, "not true"),
        ({"seed": 2**63}, "seed must be"),
        ({"seed": "7"}, "seed must be"),
        ({"options": []}, "options must be an object"),
        ({"options": {"strat": "grid"}}, 'no reset option "strat". Did you mean "start"?'),
        ({"options": {"start": "gird"}}, 'no start "gird". Did you mean "grid"?'),
        ({"options": {"start": ["grid"]}}, "no start"),
        ({"options": {"start": "gate", "gate": 30}}, "gate must be a whole number from 0 to 29"),
        ({"options": {"action_delay": 2}}, "action_delay must be 0, 1"),
        ({"options": {"action_delay": [0]}}, "action_delay must be 0, 1"),
        ({"options": {"track": 1}}, "track must be a number from 0 to 0"),
        ({"tracks": []}, "tracks must be a list of 1 to 16 track ids"),
        ({"tracks": "track-01"}, "tracks must be a list of 1 to 16 track ids"),
        ({"tracks": ["track-01"] * 17}, "tracks must be a list of 1 to 16 track ids"),
        ({"tracks": ["generated:1"]}, 'Unknown track "generated:1"'),
        ({"observation": "fulll"}, 'no observation "fulll". Did you mean "full"? Known: classic, full'),
        ({"observation": 5}, 'no observation "5"'),
    ],
)
def test_wrong_fields_beyond_the_original_are_refused_by_name(fields, part):
    assert part in refusal(BridgeSession(), {"type": "reset", **fields})


def drive_a_lap(session: BridgeSession) -> list[dict]:
    """Infos until a lap is done, steered by the rays: towards the side with more room."""
    ask(session, {"type": "reset"})
    observation, infos = [0.5] * 14, []
    while not infos or infos[-1]["lap"] == 1:
        right, left = sum(observation[1:4]), sum(observation[5:8])
        reply = ask(session, {"type": "step", "action": [2 * (right - left), 0.4, 0.0]})
        observation = reply["observation"]
        infos.append(reply["info"])
        assert len(infos) < 3000, "no lap within an episode"
    return infos


def test_info_has_the_originals_keys_even_when_a_lap_is_done():
    infos = drive_a_lap(BridgeSession())
    assert all(list(info) == STEP_INFO for info in infos)


def test_after_hello_a_finished_lap_is_told():
    session = BridgeSession()
    ask(session, {"type": "hello"})
    infos = drive_a_lap(session)
    assert all(list(info) == STEP_INFO for info in infos[:-1])
    assert infos[-1]["lapTicks"] == len(infos)
    assert isinstance(infos[-1]["lapClean"], bool)


# Whatever comes, one reply goes out

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
kinds = st.sampled_from(["reset", "step", "close", "hello", "batch", "batch_reset", "policy"])
fields = st.sampled_from(
    ["action", "trackId", "config", "seed", "options", "tracks", "observation", "cars", "name", "laps", "pace"]
)


@given(st.binary(max_size=200))
def test_any_bytes_get_one_reply(payload):
    reply = json.loads(BridgeSession().receive(payload).data)
    assert reply["type"] == "error" or b'"type"' in payload


@given(st.lists(st.tuples(kinds, st.dictionaries(fields, json_values, max_size=4)), max_size=6))
def test_any_sequence_of_requests_gets_one_reply_each(requests):
    session = BridgeSession(limits=Limits(cars=3))
    for kind, values in requests:
        reply = session.receive(json.dumps({**values, "type": kind}).encode())
        if not reply.binary:
            answer = json.loads(reply.data)
            assert answer["type"] in {f"{kind}_result", "error"}


@given(st.lists(st.floats() | st.integers(), min_size=3, max_size=3))
def test_any_numbers_as_action_are_clamped_or_refused(action):
    session = BridgeSession()
    ask(session, {"type": "reset"})
    reply = ask(session, json.dumps({"type": "step", "action": action}).encode())
    if reply["type"] == "step_result":
        assert all(isinstance(value, float) and math.isfinite(value) for value in reply["observation"])
    else:
        assert reply["message"] in {
            ACTION_VALUE,
            "NaN is not valid JSON",
            "Infinity is not valid JSON",
            "-Infinity is not valid JSON",
        }


numbers = (
    st.floats() | st.integers() | st.sampled_from([0, 1, -1, 0.5, 1e308, 1e-320, 2**1023, 2**1024 - 2**970, 2**1024])
)
spaces = st.sampled_from(["", " ", "\n\t "])


def answers_both_ways(payload: bytes) -> list[list[bytes]]:
    """Two replies of a session that may read a step in one go, and two of one that may not."""
    replies = []
    for short_way in (True, False):
        session = BridgeSession()
        ask(session, {"type": "reset"})
        with nullcontext() if short_way else patch("hotlap.bridge.messages.read_step", lambda _: None):
            replies += [[session.receive(payload).data for _ in range(2)]]
    return replies


@given(st.lists(numbers | json_values, max_size=4), spaces, st.dictionaries(fields, json_values, max_size=2))
def test_the_short_way_of_a_step_and_the_general_one_give_the_same_bytes(action, space, more):
    message = json.dumps({**more, "type": "step", "action": action}, separators=("," + space, ":"))
    short, general = answers_both_ways((space + message).encode())
    assert short == general


@pytest.mark.parametrize(
    ("payload", "kind"),
    [
        (b'{"type":"step","action":[0,1,0],"action":[1,1,1]}', "step_result"),
        (b'{"type":"reset","type":"step","action":[0,1,0]}', "step_result"),
        (b'{"type":"step","type":"reset","action":[0,1,0]}', "reset_result"),
        (b'{"action":[0,1,0],"\\u0074ype":"\\u0073tep"}', "step_result"),
        (b'{"type":"step","action":[-0,1E-400,1E0]}', "step_result"),
        (b'{"type":"step","action":[0,1,0],"a":"\xff \\ud800"}', "step_result"),
        (b'{"type":"step","action":[0,1,0],"a":1e999}', "step_result"),
        (b'{"type":"step","action":[0,1,0],"a":NaN}', "error"),
        (b'{"type":"step","action":[0,1,0],"a":"\x01"}', "error"),
        (b'{"type":"step","action":[01,1,0]}', "error"),
        (b'{"type":"step","action":[0,1,0,]}', "error"),
        (b'{"type":"step","action":[0,1,0]}x', "error"),
        (b'\xef\xbb\xbf{"type":"step","action":[0,1,0]}', "error"),
    ],
)
def test_odd_spellings_of_a_step_are_read_in_both_ways_alike(payload, kind):
    short, general = answers_both_ways(payload)
    assert short == general
    assert json.loads(short[0])["type"] == kind


@given(st.binary(max_size=60).map(lambda tail: b"HLA1" + tail))
def test_any_binary_actions_move_all_cars_or_none(payload):
    session = BridgeSession()
    ask(session, {"type": "batch", "cars": 2})
    session.receive(b'{"type":"batch_reset"}')
    reply = session.receive(payload)
    ticks = session.batch.world.fleet.tick.tolist()
    assert ticks == ([1, 1] if reply.binary else [0, 0])


def test_binary_actions_of_the_right_size_are_taken():
    session = BridgeSession()
    ask(session, {"type": "batch", "cars": 2})
    session.receive(b'{"type":"batch_reset"}')
    assert session.receive(pack_actions(np.zeros((2, 3)))).binary
