"""Who may connect: the matrix of hosts, origins and tokens."""

import logging

import pytest
from websockets.datastructures import Headers

from bridge.running import handshake, raw_socket, running_server
from hotlap.bridge.access import Access, check_token, is_loopback, token_bits
from hotlap.bridge.client import BridgeClient
from hotlap.bridge.server import ServerConfig
from hotlap.errors import BridgeConnectionError, ConfigError

TOKEN = "kA3xS9Q0v7d1fZp2mB4nTq"  # noqa: S105 - 22 letters, 132 bits
LOCAL = Access("127.0.0.1", 9876)
EVIL_ORIGINS = [
    "http://evil.example",
    "null",
    "",
    "file://",
    "http://127.0.0.1",
    "http://127.0.0.1:9877",
    "http://127.0.0.1:98760",
    "http://127.0.0.1:9876.evil.example",
    "http://127.0.0.1:9876@evil.example",
    "http://evil.example/http://127.0.0.1:9876",
    "http://evil127.0.0.1:9876",
    "http://localhost.evil.example:9876",
    "http://127.0.0.1:9876/",
    "http://127.0.0.1:9876 ",
    "HTTP://127.0.0.1:9876",
    "http://LOCALHOST:9876",
    "https://127.0.0.1:9876",
    "ws://127.0.0.1:9876",
    "http://0.0.0.0:9876",
    "http://[::1]",
    "http://[::ffff:127.0.0.1]:9876",
    "http://2130706433:9876",
    "http://127.1:9876",
]


def headers(**values: str) -> Headers:
    return Headers({name.replace("_", "-"): value for name, value in values.items()})


@pytest.mark.parametrize("host", ["127.0.0.1:9876", "localhost:9876", "LocalHost:9876", "[::1]:9876"])
def test_a_program_on_this_machine_is_let_in(host):
    assert LOCAL.refusal(headers(Host=host)) is None


@pytest.mark.parametrize("origin", ["http://127.0.0.1:9876", "http://localhost:9876", "http://[::1]:9876"])
def test_a_page_of_this_very_server_is_let_in(origin):
    assert LOCAL.refusal(headers(Host="127.0.0.1:9876", Origin=origin)) is None


@pytest.mark.parametrize("origin", EVIL_ORIGINS)
def test_a_page_of_another_origin_is_refused(origin):
    refusal = LOCAL.refusal(headers(Host="127.0.0.1:9876", Origin=origin))
    assert refusal is not None
    assert refusal.status == 403


def test_two_origins_are_refused():
    two = Headers([("Host", "127.0.0.1:9876"), ("Origin", "http://127.0.0.1:9876"), ("Origin", "http://evil.example")])
    assert LOCAL.refusal(two).status == 403


@pytest.mark.parametrize(
    "host", ["evil.example:9876", "127.0.0.1", "127.0.0.1:80", "localhost.:9876", "0.0.0.0:9876", ""]
)
def test_another_host_name_is_refused(host):
    assert LOCAL.refusal(headers(Host=host)).status == 403


def test_a_request_without_host_or_with_two_is_refused():
    assert LOCAL.refusal(Headers()).status == 403
    assert LOCAL.refusal(Headers([("Host", "localhost:9876"), ("Host", "localhost:9876")])).status == 403


def test_on_port_80_names_need_no_port():
    assert Access("127.0.0.1", 80).refusal(headers(Host="localhost", Origin="http://localhost")) is None


@pytest.mark.parametrize(
    "shown",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        f"Bearer {TOKEN[:-1]}",
        f"Bearer {TOKEN}x",
        f"bearer {TOKEN}",
        f"Basic {TOKEN}",
        TOKEN,
        f"Bearer {TOKEN.swapcase()}",
        f"Bearer  {TOKEN}",
        "Bearer ÿÿÿÿ",
    ],
)
@pytest.mark.parametrize("bound", ["127.0.0.1", "192.0.2.7", "0.0.0.0"])  # noqa: S104 - nothing is bound here
def test_a_wrong_token_is_refused(bound, shown):
    access = Access(bound, 9876, TOKEN)
    given = {"Host": "127.0.0.1:9876"} | ({} if shown is None else {"Authorization": shown})
    refusal = access.refusal(headers(**given))
    assert refusal.status == 401
    assert TOKEN not in refusal.reason


def test_two_tokens_are_refused():
    both = Headers([("Host", "localhost:9876"), *[("Authorization", f"Bearer {TOKEN}")] * 2])
    assert Access("127.0.0.1", 9876, TOKEN).refusal(both).status == 401


@pytest.mark.parametrize(
    ("bound", "host"),
    [
        ("127.0.0.1", "localhost:9876"),
        ("192.0.2.7", "192.0.2.7:9876"),
        ("192.0.2.7", "127.0.0.1:9876"),
        ("2001:db8::1", "[2001:db8::1]:9876"),
        ("car.example", "CAR.example:9876"),
        ("0.0.0.0", "any.name.example:1234"),  # noqa: S104
        ("::", "any.name.example:1234"),
    ],
)
def test_the_right_token_is_let_in(bound, host):
    shown = headers(Host=host, Authorization=f"Bearer {TOKEN}")
    assert Access(bound, 9876, TOKEN).refusal(shown) is None


def test_the_right_token_opens_no_other_host_and_no_other_origin():
    right = {"Authorization": f"Bearer {TOKEN}"}
    assert Access("192.0.2.7", 9876, TOKEN).refusal(headers(Host="evil.example:9876", **right)).status == 403
    everywhere = Access("0.0.0.0", 9876, TOKEN)  # noqa: S104
    assert everywhere.refusal(headers(Host="car.example:9876", Origin="http://evil.example", **right)).status == 403
    assert everywhere.refusal(headers(Host="car.example:9876", Origin="http://car.example:9876", **right)) is None


@pytest.mark.parametrize(
    ("host", "only_here"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),  # noqa: S104
        ("::", False),
        ("", False),
        ("192.168.1.2", False),
        ("localhost.example", False),
    ],
)
def test_any_host_but_loopback_needs_a_token(host, only_here):
    assert is_loopback(host) == only_here
    if only_here:
        assert check_token(None, host) is None
        return
    with pytest.raises(ConfigError, match="needs a token"):
        ServerConfig(host=host)


@pytest.mark.parametrize(
    ("token", "bits"),
    [
        ("0" * 31, 124),
        ("0" * 32, 128),
        ("G" + "0" * 20, 126),
        ("G" + "0" * 21, 132),
        ("", 0),
        ("a b" * 20, 0),
        ("ä" * 40, 0),
    ],
)
def test_a_token_has_at_least_128_bits(token, bits):
    assert token_bits(token) == bits
    if bits >= 128:
        assert check_token(token, "127.0.0.1") == token
        return
    with pytest.raises(ConfigError, match="at least 128 bits") as refused:
        check_token(token, "127.0.0.1")
    assert not token or token not in str(refused.value)


def test_configurations_do_not_show_their_token():
    assert TOKEN not in repr(ServerConfig(token=TOKEN)) + repr(Access("127.0.0.1", 1, TOKEN))


def answer_to(port: int, request: bytes) -> bytes:
    with raw_socket(port) as connection:
        connection.sendall(request)
        return connection.recv(65_536)


# HTTP strips spaces around a header, so on the wire that one is the server's own origin.
@pytest.mark.parametrize("origin", [origin for origin in EVIL_ORIGINS if origin == origin.strip()])
def test_evil_origins_are_refused_over_a_socket(server, origin):
    evil = origin.replace("9876", str(server.port))
    answer = answer_to(server.port, handshake(server.port, Origin=evil))
    assert answer.startswith(b"HTTP/1.1 403 ")
    assert b"Connection: close" in answer


def test_own_origin_and_no_origin_are_let_in_over_a_socket(server):
    for more in ({}, {"Origin": f"http://localhost:{server.port}"}):
        assert answer_to(server.port, handshake(server.port, **more)).startswith(b"HTTP/1.1 101 ")


def test_rebound_host_is_refused_over_a_socket(server):
    assert answer_to(server.port, handshake(server.port, "evil.example")).startswith(b"HTTP/1.1 403 ")


def test_compression_is_not_offered_even_when_asked_for(server):
    asked = handshake(server.port, Sec_WebSocket_Extensions="permessage-deflate; client_max_window_bits")
    answer = answer_to(server.port, asked)
    assert answer.startswith(b"HTTP/1.1 101 ")
    assert b"extensions" not in answer.lower()


def test_token_is_asked_for_and_never_logged(caplog, monkeypatch):
    monkeypatch.delenv("BRIDGE_TOKEN", raising=False)
    caplog.set_level(logging.DEBUG)
    logging.getLogger("websockets").setLevel(logging.DEBUG)
    with running_server(token=TOKEN) as server:
        with pytest.raises(BridgeConnectionError, match="401") as refused:
            BridgeClient(server.url)
        assert TOKEN not in str(refused.value)
        with pytest.raises(BridgeConnectionError, match="401"):
            BridgeClient(server.url, token=TOKEN[::-1])
        with BridgeClient(server.url, token=TOKEN) as client:
            assert client.hello()["server"] == "hotlap"
        monkeypatch.setenv("BRIDGE_TOKEN", TOKEN)
        with BridgeClient(server.url) as client:
            assert client.send_reset()["info"]["tick"] == 0
    assert TOKEN not in caplog.text
    assert TOKEN[::-1] not in caplog.text
