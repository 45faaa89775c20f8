"""docs/bridge.md tells the truth: its examples are what the server takes and gives."""

import json
import re
from pathlib import Path

import pytest

from bridge.test_races import RaySteering
from hotlap.bridge.access import LOOPBACK_NAMES
from hotlap.bridge.messages import BridgeSession, Limits

PAGE = (Path(__file__).parents[2] / "docs" / "bridge.md").read_text(encoding="utf-8")
FENCED = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)]
INLINE = [json.loads(text) for text in re.findall(r'`(\{"type".*?\})`', PAGE, re.DOTALL) if "…" not in text]
REQUESTS = ("reset", "step", "close", "hello", "batch", "batch_reset", "policy")


def example(kind: str) -> dict:
    [found] = [message for message in FENCED + INLINE if message["type"] == kind]
    return found


def session() -> BridgeSession:
    return BridgeSession({"champion": RaySteering()})


def shape(value):
    """Names and kinds without the numbers."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    return float if isinstance(value, int | float) and not isinstance(value, bool) else type(value)


@pytest.mark.parametrize("kind", REQUESTS)
def test_every_request_of_the_page_is_taken(kind):
    client = session()
    for earlier in {"step": ["reset"], "batch_reset": ["batch"]}.get(kind, []):
        client.receive(json.dumps(example(earlier)).encode())
    reply = client.receive(json.dumps(example(kind)).encode())
    assert reply.binary or json.loads(reply.data)["type"] == f"{kind}_result"


@pytest.mark.parametrize("kind", ["reset", "step", "close", "hello", "policy"])
def test_every_reply_of_the_page_has_the_names_of_the_real_one(kind):
    client = session()
    client.receive(b'{"type":"reset"}')
    reply = json.loads(client.receive(json.dumps(example(kind)).encode()).data)
    assert shape(example(f"{kind}_result")) == shape(reply)


def test_frames_and_result_of_a_race_have_the_names_of_the_real_ones():
    client = session()
    client.receive(b'{"type":"policy","name":"champion","laps":1}')
    frames = [json.loads(reply.data) for reply in client.race_frames(4000)]
    assert shape(example("race_frame")) == shape(frames[0])
    assert shape(example("race_result")) == shape(frames[-1])
    assert shape(example("race_result")["laps"][0]) == shape(frames[-1]["laps"][0])


def test_batch_columns_of_the_page_are_among_the_real_ones():
    reply = json.loads(session().receive(json.dumps(example("batch")).encode()).data)
    shown = example("batch_result")
    assert set(shown) == set(reply)
    assert all(column in reply["columns"] for column in shown["columns"])
    assert all(column in reply["resetColumns"] for column in shown["resetColumns"])


def test_every_kind_of_message_is_on_the_page():
    assert set(session()._answers) == set(REQUESTS)


def test_limits_of_the_page_are_those_of_the_server():
    limits = Limits()
    rows = dict(re.findall(r"^\| ([a-z ]+) \| ([^|]+) \|", PAGE[PAGE.index("## Limits") :], re.MULTILINE))
    assert rows["message from a client"].strip() == f"{limits.payload_bytes:,} bytes"
    assert rows["open connections"].strip() == str(limits.connections)
    assert rows["sockets in handshake or closing"].strip() == str(limits.unsettled)
    assert rows["handshake"].strip() == f"{limits.handshake_s:g} s"
    assert rows["idle"].startswith(f"{limits.idle_s:g} s")
    assert rows["replies left unread"].strip().endswith(f"{limits.stall_s:g} s")
    assert rows["answer to a close"].strip() == f"{limits.linger_s:g} s"
    assert rows["cars in a batch"].strip() == str(limits.cars)
    assert all(f"`{name}`" in PAGE for name in LOOPBACK_NAMES)
