"""The client: one request, one reply, one clear error, and a close that never fails."""

import json
import os
import signal
import socket
import subprocess
import threading
from contextlib import contextmanager

import pytest
from websockets.server import ServerProtocol

from bridge.running import frame, original_server, running_server
from hotlap.bridge.client import BridgeClient
from hotlap.bridge.spawn import spawned_bridge
from hotlap.errors import BridgeConnectionError, BridgeError, BridgeTimeoutError, ConfigError

STEP = [0.0, 1.0, 0.0]


@contextmanager
def scripted_server(*answers):
    """A server that shakes hands and then answers each message with the next of these bytes, or hangs up on None."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(10)

    def talk() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(10)
            wire = ServerProtocol()
            waiting = list(answers)
            while data := connection.recv(65_536):
                wire.receive_data(data)
                for event in wire.events_received():
                    if hasattr(event, "headers"):
                        wire.send_response(wire.accept(event))
                        connection.sendall(b"".join(wire.data_to_send()))
                    elif not waiting or (answer := waiting.pop(0)) is None:
                        return
                    else:
                        connection.sendall(answer)

    thread = threading.Thread(target=talk)
    thread.start()
    try:
        yield f"ws://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.close()
        thread.join(60)


def unmasked(payload: bytes, opcode: int = 1) -> bytes:
    """A server frame."""
    masked = frame(payload, opcode)
    head = 2 if len(payload) < 126 else 4
    return bytes([masked[0], masked[1] & 0x7F]) + masked[2:head] + payload


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def test_reset_step_and_close(server):
    with BridgeClient(server.url) as client:
        assert client.send_reset()["info"]["tick"] == 0
        assert client.send_step(STEP)["info"]["stepCount"] == 1
        assert client.send_reset({"episode": {"maxSteps": 1}}, "track-02")["type"] == "reset_result"
        assert client.send_step(STEP)["truncated"] is True


def test_localhost_finds_the_server(server):
    with BridgeClient(f"ws://localhost:{server.port}") as client:
        assert client.hello()["protocols"] == [1, 2]


def test_the_socket_sends_at_once(server):
    with BridgeClient(server.url) as client:
        assert client._socket.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0


def test_error_reply_raises_its_text_and_keeps_the_connection(server):
    with BridgeClient(server.url) as client:
        with pytest.raises(RuntimeError, match=r"^Bridge error: Call reset before step$"):
            client.send_step(STEP)
        with pytest.raises(BridgeError, match='Bridge error: Unknown track "x"'):
            client.send_reset(track_id="x")
        assert client.send_reset()["type"] == "reset_result"


def test_no_server_is_one_clear_error():
    url = f"ws://127.0.0.1:{free_port()}"
    with pytest.raises(
        ConnectionError, match=f"^Cannot connect to bridge server at {url} -- is it running?"
    ) as refused:
        BridgeClient(url)
    assert '"hotlap bridge"' in str(refused.value)


@pytest.mark.parametrize(
    "url", ["", "localhost:9876", "http://localhost:9876", "ws://", "ws://localhost:x", "wss://localhost:1"]
)
def test_what_is_no_address_is_refused(url):
    with pytest.raises(ConfigError, match="ws://"):
        BridgeClient(url)


def test_close_is_idempotent_and_everything_after_it_says_so(server):
    client = BridgeClient(server.url)
    client.send_reset()
    client.close()
    client.close()
    client.send_close()
    with pytest.raises(BridgeConnectionError, match="is closed: the client was closed"):
        client.send_step(STEP)


def test_leaving_the_with_closes_on_every_path(server):
    with pytest.raises(ZeroDivisionError), BridgeClient(server.url) as client:
        raise ZeroDivisionError
    with pytest.raises(BridgeConnectionError, match="closed"):
        client.send_reset()


def test_a_silent_server_times_out_with_the_time_it_waited():
    with scripted_server(b"") as url:
        client = BridgeClient(url, timeout_s=0.2)
        with pytest.raises(BridgeTimeoutError, match=r"did not answer reset within 0.2 s") as late:
            client.send_reset()
        assert isinstance(late.value, TimeoutError)
        with pytest.raises(BridgeConnectionError, match=r"is closed: no answer to reset within 0.2 s"):
            client.send_reset()
        client.close()


def test_a_silent_handshake_times_out():
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        pytest.raises(BridgeTimeoutError, match=r"the WebSocket handshake within 0.2 s"),
    ):
        BridgeClient(f"ws://127.0.0.1:{listener.getsockname()[1]}", timeout_s=0.2)


def test_a_trickle_is_as_late_as_silence(monkeypatch):
    with scripted_server(unmasked(b"x" * 100)[:50]) as url:
        client = BridgeClient(url, timeout_s=0.2)
        with pytest.raises(BridgeTimeoutError, match="within"):
            client.send_reset()


def test_a_server_that_hangs_up_is_one_clear_error():
    with scripted_server(None) as url:
        client = BridgeClient(url)
        with pytest.raises(BridgeConnectionError, match="is closed: the server has gone away"):
            client.send_reset()
        client.close()


def test_a_server_that_says_goodbye_is_quoted():
    goodbye = unmasked((1001).to_bytes(2, "big") + b"Server shutting down", 8)
    told = pytest.raises(BridgeConnectionError, match=r"closed it with 1001 \(going away\) Server shutting down")
    with scripted_server(goodbye) as url, BridgeClient(url) as client, told:
        client.send_reset()


@pytest.mark.parametrize("reply", [b"[]", b"5", b"{}", b'{"type": 3}'])
def test_a_reply_that_is_no_message_ends_the_connection(reply):
    told = pytest.raises(BridgeConnectionError, match="no message of the protocol")
    with scripted_server(unmasked(reply)) as url, BridgeClient(url) as client, told:
        client.send_reset()


def test_broken_frames_of_a_server_end_the_connection():
    told = pytest.raises(BridgeConnectionError, match="broke the WebSocket protocol")
    with scripted_server(b"\xff\xff\xff\xff") as url, BridgeClient(url) as client, told:
        client.send_reset()


def test_a_server_that_is_no_websocket_server_is_refused():
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(BridgeConnectionError, match="refused with HTTP 200: hello"):
            BridgeClient(f"ws://127.0.0.1:{listener.getsockname()[1]}")
        thread.join(60)


def test_pings_between_replies_are_answered_and_skipped():
    reply = unmasked(b"hi", 9) + unmasked(b'{"type":"close_result"}')
    with scripted_server(reply) as url, BridgeClient(url) as client:
        assert client.request({"type": "close"}) == {"type": "close_result"}


def test_an_interrupted_request_cannot_mix_up_replies(server, monkeypatch):
    """A Ctrl-C between request and reply leaves a reply under way; the next request must not take it for its own."""
    with BridgeClient(server.url) as client:
        client.send_reset()

        def interrupt(*_args):
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(client, "_read", interrupt)
            with pytest.raises(KeyboardInterrupt):
                client.send_step(STEP)
        with pytest.raises(BridgeConnectionError, match="an earlier request was interrupted"):
            client.send_step(STEP)


def test_an_original_server_says_no_hello_and_goes_on():
    with original_server() as url, BridgeClient(url) as client:
        assert client.hello() == {"type": "hello_result", "protocols": [1], "capabilities": []}
        assert client.send_reset()["type"] == "reset_result"
        assert client.send_step(STEP)["info"]["stepCount"] == 1


@pytest.mark.integration
def test_a_server_killed_in_mid_episode_gives_one_clear_error():
    with spawned_bridge() as bridge:
        client = BridgeClient(bridge.url)
        client.send_reset()
        client.send_step(STEP)
        bridge.process.kill()
        bridge.process.wait()
        with pytest.raises(BridgeConnectionError, match="is closed: "):
            client.send_step(STEP)
        with pytest.raises(BridgeConnectionError, match="is closed: "):
            client.send_step(STEP)
        client.close()


@pytest.mark.integration
def test_a_server_killed_in_mid_step_gives_one_clear_error():
    """Stopped first, so that it is killed with a request in its hands."""
    with spawned_bridge() as bridge:
        client = BridgeClient(bridge.url)
        client.send_reset()
        bridge.process.send_signal(signal.SIGSTOP)
        timer = threading.Timer(0.2, bridge.process.kill)
        timer.start()
        with pytest.raises(BridgeConnectionError, match="is closed: "):
            client.send_step(STEP)
        timer.join()
        client.close()


@pytest.mark.integration
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_send_clients_away_with_1001_and_exit_with_0(number):
    with spawned_bridge() as bridge:
        client = BridgeClient(bridge.url)
        client.send_reset()
        bridge.process.send_signal(number)
        assert bridge.process.wait(60) == 0
        with pytest.raises(BridgeConnectionError, match=r"1001 \(going away\) Server shutting down"):
            client.send_step(STEP)


@pytest.mark.integration
def test_the_port_of_the_environment_is_used_and_announced():
    port = free_port()
    command = ["hotlap.cli", "bridge"]
    with subprocess.Popen(
        [os.sys.executable, "-m", *command],
        env={**os.environ, "BRIDGE_PORT": str(port)},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == f"[bridge] listening on ws://127.0.0.1:{port}\n"
        with BridgeClient(f"ws://localhost:{port}") as client:
            assert client.send_reset()["type"] == "reset_result"
        process.terminate()
        assert process.wait(60) == 0


def test_numbers_survive_the_wire_to_the_last_bit():
    exact = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, 1e22, 123456789.12345679]
    reply = json.dumps({"type": "x_result", "numbers": exact}).encode()
    with scripted_server(unmasked(reply)) as url, BridgeClient(url) as client:
        read = client.request({"type": "x"})["numbers"]
    assert [value.hex() for value in read] == [value.hex() for value in exact]


def test_the_server_thread_of_these_tests_ends():
    with running_server() as server, BridgeClient(server.url) as client:
        client.send_reset()
    with pytest.raises(BridgeConnectionError):
        BridgeClient(server.url)
