"""The server on real sockets: framing, limits, flow control, bad and slow clients, and an orderly end."""

import asyncio
import json
import socket
import time

import numpy as np
import pytest

from bridge.running import (
    close_code,
    frame,
    handshake,
    open_raw,
    raw_socket,
    read_all,
    read_frame,
    running_server,
)
from hotlap.bridge.batch_messages import pack_actions
from hotlap.bridge.client import BridgeClient
from hotlap.bridge.messages import Limits
from hotlap.bridge.server import BridgeServer, ServerConfig
from hotlap.errors import BridgeConnectionError, BridgeError, ConfigError

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def eventually(condition, seconds: float = 10.0) -> bool:
    """Whether something becomes true in time; looks every hundredth of a second."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


def reply_to(connection: socket.socket, payload: bytes, opcode: int = TEXT) -> dict:
    connection.sendall(frame(payload, opcode))
    kind, data = read_frame(connection)
    assert kind == TEXT
    return json.loads(data)


# Framing


def test_json_is_taken_from_text_and_from_binary_frames(server):
    with open_raw(server.port) as connection:
        assert reply_to(connection, b'{"type":"reset"}')["type"] == "reset_result"
        assert reply_to(connection, b'{"type":"step","action":[0,1,0]}', BINARY)["info"]["stepCount"] == 1


def test_a_message_in_fragments_is_one_message(server):
    with open_raw(server.port) as connection:
        parts = [b"", b'{"type"', b"", b':"cl', b'ose"}', b""]
        for k, part in enumerate(parts):
            connection.sendall(frame(part, TEXT if k == 0 else 0, fin=k == len(parts) - 1))
        assert json.loads(read_frame(connection)[1]) == {"type": "close_result"}


def test_a_message_byte_by_byte_is_one_message(server):
    with open_raw(server.port) as connection:
        for byte in frame(b'{"type":"close"}'):
            connection.sendall(bytes([byte]))
        assert json.loads(read_frame(connection)[1]) == {"type": "close_result"}


def test_messages_sent_at_once_are_answered_in_order(server):
    with open_raw(server.port) as connection:
        step = frame(b'{"type":"step","action":[0,1,0]}')
        connection.sendall(frame(b'{"type":"reset"}') + step * 500)
        assert json.loads(read_frame(connection)[1])["type"] == "reset_result"
        counts = [json.loads(read_frame(connection)[1])["info"]["stepCount"] for _ in range(500)]
        assert counts == list(range(1, 501))


def test_pings_are_answered(server):
    with open_raw(server.port) as connection:
        connection.sendall(frame(b"are you there", PING))
        assert read_frame(connection) == (PONG, b"are you there")


def test_the_close_of_a_client_is_answered_with_its_code(server):
    with open_raw(server.port) as connection:
        connection.sendall(frame((1000).to_bytes(2, "big") + b"bye", CLOSE))
        kind, payload = read_frame(connection)
        assert (kind, close_code(payload)) == (CLOSE, (1000, "bye"))
        assert connection.recv(1) == b""


@pytest.mark.parametrize("first", [b"", b'{"type":"reset"}'])
def test_too_large_a_message_closes_with_1009(server, first):
    with open_raw(server.port) as connection:
        if first:
            assert reply_to(connection, first)["type"] == "reset_result"
        connection.sendall(frame(b" " * 65_537))
        kind, payload = read_frame(connection)
        assert (kind, close_code(payload)[0]) == (CLOSE, 1009)


def test_too_large_a_message_in_fragments_closes_with_1009(server):
    with open_raw(server.port) as connection:
        connection.sendall(frame(b" " * 40_000, fin=False) + frame(b" " * 40_000, 0))
        kind, payload = read_frame(connection)
        assert (kind, close_code(payload)[0]) == (CLOSE, 1009)


def test_the_largest_message_is_answered(server):
    with open_raw(server.port) as connection:
        message = b'{"type":"close"}'
        assert reply_to(connection, message + b" " * (65_536 - len(message))) == {"type": "close_result"}


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\x81\x05hello", 1002),  # not masked
        (bytes([0xC1, 0x80]) + bytes(4), 1002),  # compressed, which nobody agreed on
        (bytes([0x83, 0x80]) + bytes(4), 1002),  # an opcode that does not exist
        (frame(b"x", 0), 1002),  # a continuation of nothing
        (frame(b"x", PING, fin=False), 1002),  # a control frame in fragments
        (frame(b"x" * 126, PING), 1002),  # a control frame too long
        (frame(b"a", fin=False) + frame(b"b"), 1002),  # a new message inside another
        (frame(b"\x03", CLOSE), 1002),  # half a close code
        (frame((999).to_bytes(2, "big"), CLOSE), 1002),  # a close code that does not exist
        (frame((1000).to_bytes(2, "big") + b"\xff", CLOSE), 1007),  # a reason that is no UTF-8
        (bytes([0x81, 0xFF]) + (2**63).to_bytes(8, "big"), 1009),  # eight exabytes
    ],
)
def test_broken_frames_close_the_connection_with_a_reason(server, data, code):
    with open_raw(server.port) as connection:
        connection.sendall(data)
        kind, payload = read_frame(connection)
        assert (kind, close_code(payload)[0]) == (CLOSE, code)
        assert connection.recv(1) == b""


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", b"426"),
        (b"POST / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", b"405"),
        (b"GET / HTTP/1.0\r\nHost: 127.0.0.1:%d\r\n\r\n", b"505"),
        (b"GET /" + b"x" * 9000, b"414"),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 9000, b"431"),
        (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200, b"431"),
    ],
)
def test_what_is_no_websocket_gets_an_http_answer(server, request_bytes, status):
    with raw_socket(server.port) as connection:
        connection.sendall(request_bytes.replace(b"%d", str(server.port).encode()))
        assert connection.recv(65_536).split(b" ", 2)[1] == status


@pytest.mark.parametrize(
    "nonsense", [b"\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\r\n", b"hello\r\n\r\n", b"\xff\xfe\r\n\r\n"]
)
def test_what_is_no_http_is_cut_off(server, nonsense):
    with raw_socket(server.port) as connection:
        connection.sendall(nonsense)
        assert read_all(connection) == b""


@pytest.mark.parametrize("early", [frame(b'{"type":"close"}'), b"\x83\x80", frame(b"", CLOSE), b"\x81\x05hello"])
def test_frames_sent_along_with_the_handshake_do_no_harm(server, early):
    with raw_socket(server.port) as connection:
        connection.sendall(handshake(server.port) + early)
        connection.shutdown(socket.SHUT_WR)
        read_all(connection)
    with BridgeClient(server.url) as client:
        assert client.hello()["server"] == "hotlap"


def test_errors_keep_the_connection_open(server):
    with open_raw(server.port) as connection:
        for nonsense in (b"not json", b"null", b'{"type":"fly"}', b'{"type":"step"}', b"\xff\xfe"):
            assert reply_to(connection, nonsense)["type"] == "error"
        assert reply_to(connection, b'{"type":"reset"}')["type"] == "reset_result"


def test_a_bug_is_logged_and_answered_and_keeps_the_connection(server, monkeypatch, caplog):
    with BridgeClient(server.url) as client:
        client.send_reset()
        monkeypatch.setattr("hotlap.bridge.worlds.SingleCar.drive", lambda *_, **__: 1 / 0)
        with pytest.raises(BridgeError, match="Internal error"):
            client.send_step([0, 1, 0])
        monkeypatch.undo()
        assert client.send_step([0, 1, 0])["info"]["stepCount"] == 1
    assert "ZeroDivisionError" in caplog.text


# Clients beside each other


def test_two_clients_at_once_keep_separate_worlds(server):
    with BridgeClient(server.url) as one, BridgeClient(server.url) as two:
        one.send_reset(track_id="track-01")
        two.send_reset(track_id="track-03")
        for count in range(1, 50):
            assert one.send_step([0.1, 1, 0])["info"]["stepCount"] == count
            if count % 2:
                two.send_step([-0.1, 1, 0])
        assert two.send_step([-0.1, 1, 0])["info"]["stepCount"] == 26
        one.send_close()
        assert two.send_step([-0.1, 1, 0])["info"]["stepCount"] == 27


def test_one_connection_too_many_is_refused_and_room_is_made_again():
    with running_server(limits=Limits(connections=3)) as server:
        clients = [BridgeClient(server.url) for _ in range(3)]
        with pytest.raises(BridgeConnectionError, match=r"503.*all 3 connections are in use"):
            BridgeClient(server.url)
        clients.pop().close()
        assert eventually(lambda: server.counts()[0] == 2)
        clients.append(BridgeClient(server.url))
        for client in clients:
            assert client.send_reset()["type"] == "reset_result"
            client.close()
        assert eventually(lambda: server.counts() == (0, 0))


def test_half_open_sockets_are_closed_in_time_while_a_healthy_client_drives():
    with running_server(limits=Limits(handshake_s=0.3)) as server, BridgeClient(server.url) as client:
        client.send_reset()
        half_open = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(100)]
        for connection in half_open[::2]:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: 127")
        assert server.counts()[0] == 1
        assert eventually(lambda: client.send_step([0, 1, 0]) and server.counts() == (1, 0))
        for connection in half_open:
            connection.settimeout(5)
            assert read_all(connection) == b""
            connection.close()


def test_too_many_half_open_sockets_push_out_the_oldest():
    with running_server(limits=Limits(unsettled=5)) as server:
        half_open = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(12)]
        assert eventually(lambda: server.counts() == (0, 5))
        with BridgeClient(server.url) as client:
            assert client.send_reset()["type"] == "reset_result"
        for connection in half_open:
            connection.close()
        assert eventually(lambda: server.counts() == (0, 0))


def test_an_idle_client_is_sent_away_with_1001():
    with running_server(limits=Limits(idle_s=0.2)) as server, open_raw(server.port) as connection:
        kind, payload = read_frame(connection)
        assert (kind, close_code(payload)) == (CLOSE, (1001, "Idle for 0.2 s"))


def test_idle_zero_means_never():
    with running_server(limits=Limits(idle_s=0.0)) as server, BridgeClient(server.url) as client:
        assert server.call(lambda: [connection.deadline_s for connection in server.server.open]) == [float("inf")]
        assert client.send_reset()["type"] == "reset_result"


def test_a_client_that_does_not_answer_the_close_is_cut_off():
    limits = Limits(idle_s=0.2, linger_s=0.2)
    with running_server(limits=limits) as server, open_raw(server.port) as connection:
        assert read_frame(connection)[0] == CLOSE
        assert connection.recv(1) == b""


def test_a_stalled_reader_delays_nobody_and_is_dropped(in_time):
    """It asks for large replies and never reads: its memory stays bounded, others go on, and its time runs out."""
    limits = Limits(stall_s=1.0)
    with running_server(limits=limits) as server, BridgeClient(server.url) as healthy:
        healthy.send_reset()
        with open_raw(server.port) as stalled:
            stalled.sendall(frame(b'{"type":"batch","cars":4096,"observation":"full"}'))
            stalled.sendall(frame(b'{"type":"batch_reset"}') * 200)
            late = []
            while server.counts()[0] == 2 and len(late) < 20_000:
                began = time.perf_counter()
                healthy.send_step([0, 1, 0])
                late.append(time.perf_counter() - began)
        assert server.counts()[0] == 1
        assert healthy.send_step([0, 1, 0])["type"] == "step_result"
        # A batch_reset of 4096 cars is the longest single piece of work there is, some 60 ms of it on a slow machine.
        in_time(np.percentile(late, 99), 0.25)


def test_work_sent_at_once_waits_for_its_replies_to_be_read():
    """Two thousand replies of a megabyte each are never in memory together."""
    with running_server() as server, open_raw(server.port) as connection:
        connection.sendall(frame(b'{"type":"batch","cars":4096,"observation":"full"}'))
        assert read_frame(connection)[0] == TEXT
        connection.sendall(frame(b'{"type":"batch_reset"}') * 400)
        assert eventually(lambda: server.call(lambda: any(not c._transport.is_reading() for c in server.server.open)))
        waiting = server.call(lambda: [c._transport.get_write_buffer_size() for c in server.server.open])
        assert max(waiting) < 3_000_000


def test_batches_over_the_socket_answer_in_binary(server):
    with open_raw(server.port) as connection:
        assert reply_to(connection, b'{"type":"batch","cars":1024}')["cars"] == 1024
        connection.sendall(frame(b'{"type":"batch_reset","seed":1}'))
        kind, first = read_frame(connection)
        assert (kind, first[:4]) == (BINARY, b"HLR1")
        connection.sendall(frame(pack_actions(np.zeros((1024, 3))), BINARY))
        kind, step = read_frame(connection)
        assert (kind, step[:4]) == (BINARY, b"HLS1")


# The end


def test_closing_sends_clients_away_with_1001():
    with running_server(limits=Limits(linger_s=0.1)) as server:
        connection = socket.create_connection(("127.0.0.1", server.port), 10)
        connection.sendall(handshake(server.port))
        assert b"101" in connection.recv(4096)
    kind, payload = read_frame(connection)
    assert (kind, close_code(payload)) == (CLOSE, (1001, "Server shutting down"))
    connection.close()


def test_a_taken_port_is_refused_with_what_to_do(server):
    async def start_another() -> None:
        await BridgeServer(ServerConfig(port=server.port)).start()

    with pytest.raises(BridgeConnectionError, match=f"cannot listen on 127.0.0.1 port {server.port}.*--port"):
        asyncio.run(start_another())


@pytest.mark.parametrize("port", [-1, 65_536])
def test_a_port_that_cannot_be_is_refused(port):
    with pytest.raises(ConfigError, match="port must be from 1 to 65535"):
        ServerConfig(port=port)
