"""Who may talk to the server: every route, every method, every lie about where one comes from."""

import contextlib
import json
import logging
import os
import socket
import sys
import threading

import pytest
from starlette.routing import Mount, Route, WebSocketRoute
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from hotlap.errors import ConfigError
from hotlap.web import http_connection
from hotlap.web.access import SECURITY_HEADERS, House, chosen_token
from hotlap.web.app import create_app
from web.game_server import make_game, running

TOKEN = "0123456789abcdef" * 2  # 128 bits
EXAMPLES = {"lap_id": "0" * 24, "key": "0" * 16, "url": "data/kernel.json"}


@pytest.fixture(scope="module")
def locked(tmp_path_factory):
    """A server that asks for a token."""
    with running(tmp_path_factory.mktemp("locked"), token=TOKEN) as server:
        yield server


def every_route(routes) -> list:
    """All routes, those of mounted applications too."""
    found = []
    for route in routes:
        found += every_route(route.routes) if isinstance(route, Mount) else [route]
    return found


def requests_of(app) -> list[tuple[str, str]]:
    """One request for every method of every route; a route of an unknown kind fails the test."""
    requests = []
    for route in every_route(app.routes):
        assert isinstance(route, Route | WebSocketRoute), f"how is {route} guarded?"
        path = route.path.replace(":path", "").format(**EXAMPLES)
        methods = ["WEBSOCKET"] if isinstance(route, WebSocketRoute) else sorted(route.methods)
        requests += [(method, path) for method in methods]
    return requests


@pytest.fixture(scope="module")
def all_requests(tmp_path_factory):
    game, database = make_game(tmp_path_factory.mktemp("walk"))
    yield requests_of(create_app(game, House("127.0.0.1", 1)))
    database.close()


def status_of(server, method: str, path: str, **headers: str) -> int:
    """The status of a request, or of a WebSocket's refused upgrade (101 when it is let in)."""
    if method != "WEBSOCKET":
        return server.ask(method, path, **headers).status
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec_WebSocket_Version": "13"}
    key = {"Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ=="}
    return server.ask("GET", path, **upgrade, **key, **headers).status


def test_walk_finds_the_routes_there_are(all_requests):
    assert {
        ("POST", "/api/laps"),
        ("GET", "/api/laps"),
        ("WEBSOCKET", "/ws/live"),
        ("GET", "/data/kernel.json"),
    } <= set(all_requests)
    assert len(all_requests) >= 7


def test_no_route_answers_to_another_host(server, all_requests):
    assert {status_of(server, *request, Host="evil.example") for request in all_requests} == {403}


def test_no_route_answers_to_another_origin(server, all_requests):
    assert {status_of(server, *request, Origin="http://evil.example") for request in all_requests} == {403}


def test_no_route_answers_to_a_page_of_another_site(server, all_requests):
    lies = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors"}
    assert {status_of(server, *request, **lies) for request in all_requests} == {403}


def test_no_route_answers_without_the_token(locked, all_requests):
    assert {status_of(locked, *request) for request in all_requests} == {401}


def test_no_route_answers_to_a_wrong_token(locked, all_requests):
    lies = {"Authorization": f"Bearer {TOKEN[:-1]}0", "Cookie": f"hotlap-{locked.port}={TOKEN[:-1]}"}
    assert {status_of(locked, *request, **lies) for request in all_requests} == {401}


def test_every_route_answers_to_the_token(locked, all_requests):
    statuses = {status_of(locked, *request, Authorization=f"Bearer {TOKEN}") for request in all_requests}
    assert not statuses & {401, 403}


def test_every_answer_carries_the_security_headers(server, all_requests):
    for method, path in [*all_requests, ("GET", "/nowhere"), ("PUT", "/")]:
        if method != "WEBSOCKET":
            answer = server.ask(method, path)
            assert {name: answer.headers.get(name.lower()) for name in SECURITY_HEADERS} == SECURITY_HEADERS
    refused = server.get("/", Host="evil.example")
    assert refused.headers["x-content-type-options"] == "nosniff"


def test_policy_allows_no_inline_script_and_no_foreign_source():
    policy = dict(part.split(" ", 1) for part in SECURITY_HEADERS["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"].split() == ["'self'", "'wasm-unsafe-eval'"]
    assert not [
        source for sources in policy.values() for source in sources.split() if source in ("*", "'unsafe-inline'")
    ]
    assert "http" not in " ".join(policy.values())


def test_no_answer_lets_other_origins_read(server):
    answer = server.get("/data/kernel.json", Origin=server.origin)
    assert answer.status == 200
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


# The matrix: {port} stands for the server's own.
OWN_HOSTS = ["127.0.0.1:{port}", "localhost:{port}", "[::1]:{port}", "LOCALHOST:{port}"]
FOREIGN_HOSTS = [
    "127.0.0.1",
    "127.0.0.1:80",
    "evil.example",
    "evil.example:{port}",
    "localhost.evil.example:{port}",
    "127.0.0.1.nip.io:{port}",
    "evil-localhost:{port}",
    "0.0.0.0:{port}",
    "[::]:{port}",
    "127.1:{port}",
    "2130706433:{port}",
    "localhost:{port}.evil.example",
    "localhost.:{port}",
    "",
]
OWN_ORIGINS = ["http://127.0.0.1:{port}", "http://localhost:{port}", "http://[::1]:{port}"]
FOREIGN_ORIGINS = [
    "null",
    "http://evil.example",
    "https://127.0.0.1:{port}",
    "http://127.0.0.1",
    "http://127.0.0.1:1",
    "http://127.0.0.1:{port}.evil.example",
    "http://127.0.0.1:{port}@evil.example",
    "http://evil.example#http://127.0.0.1:{port}",
    "http://127.0.0.1:{port}/",
    "http://localhost.evil.example:{port}",
    "http://evil-localhost:{port}",
    "HTTP://127.0.0.1:{port}",
    "http://LOCALHOST:{port}",
    "http://0.0.0.0:{port}",
    "http://[::]:{port}",
    "http://127.0.0.1:{port}, http://evil.example",
    "file://",
    "chrome-extension://abcdefgh",
    "",
]
KINDS = [("GET", "/data/kernel.json"), ("WEBSOCKET", "/ws/live")]


@pytest.mark.parametrize(("method", "path"), KINDS)
@pytest.mark.parametrize("host", OWN_HOSTS)
def test_own_hosts_are_let_in(server, method, path, host):
    assert status_of(server, method, path, Host=host.format(port=server.port)) in (200, 101)


@pytest.mark.parametrize(("method", "path"), KINDS)
@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_foreign_hosts_are_refused(server, method, path, host):
    assert status_of(server, method, path, Host=host.format(port=server.port)) in (400, 403)


@pytest.mark.parametrize(("method", "path"), KINDS)
@pytest.mark.parametrize("origin", OWN_ORIGINS)
def test_own_origins_are_let_in(server, method, path, origin):
    assert status_of(server, method, path, Origin=origin.format(port=server.port)) in (200, 101)


@pytest.mark.parametrize(("method", "path"), KINDS)
@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
def test_foreign_origins_are_refused(server, method, path, origin):
    assert status_of(server, method, path, Origin=origin.format(port=server.port)) == 403


def test_foreign_websocket_is_refused_by_a_real_client_too(server):
    url = f"ws://127.0.0.1:{server.port}/ws/live"
    with pytest.raises(InvalidStatus) as refused:
        connect(url, origin="http://evil.example")
    assert refused.value.response.status_code == 403


def test_two_host_headers_are_refused(server):
    request = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nHost: evil.example\r\n\r\n"
    assert raw(server, request.encode()).split(b" ")[1] in (b"400", b"403")


def raw(server, request: bytes) -> bytes:
    """What the server says to exactly these bytes, until it hangs up or falls silent."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(request)
        return connection.recv(65536)


# The token


@pytest.mark.parametrize("page", ["", "highway.html"])
def test_link_with_the_token_is_traded_for_a_cookie(locked, page):
    answer = locked.get(f"/{page}?token={TOKEN}")
    assert (answer.status, answer.headers["location"]) == (303, f"./{page}")
    cookie = answer.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict"} <= set(cookie.split("; "))
    pair = cookie.split(";")[0]
    assert locked.get("/", Cookie=pair).status == 200
    assert status_of(locked, "WEBSOCKET", "/ws/live", Cookie=pair) == 101


@pytest.mark.parametrize("url", ["/?token=wrong", "/?token=", "/?token={0}&token={0}", "/data/kernel.json?token={0}"])
def test_other_ways_to_show_a_token_are_refused(locked, url):
    assert locked.get(url.format(TOKEN)).status == 401


def test_token_is_never_logged(tmp_path, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    with running(tmp_path, token=TOKEN) as server:
        server.get(f"/?token={TOKEN}")
        server.get("/", Cookie=f"hotlap-{server.port}={TOKEN}")
        server.get(f"/nowhere?token={TOKEN}", Authorization=f"Bearer {TOKEN}")
    printed = capfd.readouterr()
    assert TOKEN not in caplog.text + printed.out + printed.err


def test_loopback_needs_no_token_and_the_world_gets_a_strong_one():
    assert chosen_token(None, "127.0.0.1") is None
    fresh = {chosen_token(None, "0.0.0.0") for _ in range(3)}  # noqa: S104 - not bound
    assert len(fresh) == 3
    assert all(len(token) >= 43 for token in fresh)


@pytest.mark.parametrize("weak", ["", "secret", "0123456789abcdef", "x" * 21, "ünïcödé" * 10])
def test_weak_token_is_refused(weak):
    with pytest.raises(ConfigError, match="128 bits"):
        chosen_token(weak, "127.0.0.1")


# Paths

TRAVERSALS = [
    *(
        f"{up * 8}etc/passwd"
        for up in ("../", "..%2f", "%2e%2e/", "%2e%2e%2f", "..\\", "..%5c", "%252e%252e%252f", "....//")
    ),
    *("/etc/passwd", "%2fetc%2fpasswd", "file:///etc/passwd", "C:%5cWindows%5cwin.ini", "%00", "index.html%00.js"),
    *("assets/../index.html", "assets/%2e%2e/index.html", "./index.html", "assets//page-1.js", "assets/page-1.js/"),
    *("con", "aux.json", "nul", "~root", "%c0%ae%c0%ae/", "%ff%fe", "assets", "assets/", "data", "data/tracks"),
]
PREFIXES = ["/", "/assets/", "/data/", "/data/tracks/", "/data/policies/", "/api/laps/"]


def test_no_path_from_a_request_reaches_the_file_system(server):
    """Every pattern on every prefix: refused, and no file was opened on the way that is not ours."""
    opened: list[str] = []
    watching = threading.Event()

    def watch(event: str, arguments: tuple) -> None:
        if watching.is_set() and event == "open":
            opened.append(os.fsdecode(arguments[0]) if isinstance(arguments[0], str | bytes) else str(arguments[0]))

    server.get("/")  # the first connection of a process loads modules of Python
    sys.addaudithook(watch)
    watching.set()
    try:
        for prefix in PREFIXES:
            for pattern in TRAVERSALS:
                answer = server.get(prefix + pattern)
                assert answer.status in (400, 404), (prefix, pattern, answer.status)
                assert b"root:" not in answer.body
    finally:
        watching.clear()
    assert len(PREFIXES) * len(TRAVERSALS) >= 150
    assert not [path for path in opened if "laps.sqlite" not in path and not path.isdecimal()]


def test_track_ids_in_questions_are_looked_up_too(server):
    for pattern in TRAVERSALS:
        assert server.get(f"/api/laps?track={pattern}").status == 404


# Patience


def test_half_open_connections_are_hung_up_on(tmp_path, monkeypatch):
    monkeypatch.setattr(http_connection, "REQUEST_SECONDS", 0.2)
    with running(tmp_path) as server:
        sockets = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(50)]
        for number, connection in enumerate(sockets):
            connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "[: number % 30])
        assert server.get("/").status == 200
        assert [connection.recv(1) for connection in sockets] == [b""] * 50
        for connection in sockets:
            connection.close()


def test_second_request_that_never_ends_is_hung_up_on_too(tmp_path, monkeypatch):
    monkeypatch.setattr(http_connection, "REQUEST_SECONDS", 0.1)
    monkeypatch.setattr(http_connection, "IDLE_SECONDS", 0.1)
    with running(tmp_path) as server, socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(f"HEAD / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\nGET / HT".encode())
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        assert connection.recv(65536) == b""


def opened(server, count: int, request: bytes = b"") -> list[socket.socket]:
    """Connections that say this and nothing more."""
    connections = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(count)]
    for connection in connections:
        with contextlib.suppress(OSError):  # it may have had to give way already
            connection.sendall(request)
    return connections


WEBSOCKET = (
    "GET /ws/live?run=none HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
BODY = (
    "POST /api/laps HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    "Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{{"
)
HEAD = "HEAD / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
MANY = 200
"""Answers of 135 kB each: more than the buffers of two sockets hold."""
GREEDY = "GET /data/tracks/track-01.bin HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n" * MANY
FLOODS = {
    "silent": "",
    "half a head": "GET / HT",
    "half a body": BODY,
    "done": HEAD,
    "closed": WEBSOCKET,
    "deaf": GREEDY,
}


@pytest.mark.parametrize("flood", FLOODS)
def test_more_connections_than_there_may_be_lock_nobody_out(server, flood):
    connections = opened(server, 300, FLOODS[flood].format(port=server.port).encode())
    try:
        assert [server.get("/").status for _ in range(20)] == [200] * 20
    finally:
        for connection in connections:
            connection.close()


@pytest.mark.parametrize("request_text", [BODY, BODY.replace("POST /api/laps", "GET /")])
def test_body_that_never_ends_is_hung_up_on(tmp_path, monkeypatch, request_text):
    monkeypatch.setattr(http_connection, "REQUEST_SECONDS", 0.2)
    with running(tmp_path) as server, socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(request_text.format(port=server.port).encode())
        answers = iter(lambda: connection.recv(65536), b"")
        assert sum(map(len, answers)) < 65536  # and then nothing: recv gives up after a minute where nobody hangs up


def test_answer_that_nobody_takes_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(http_connection, "REQUEST_SECONDS", 0.3)
    with running(tmp_path) as server:
        [deaf] = opened(server, 1, GREEDY.format(port=server.port).encode())
        assert server.get("/").status == 200
        for _ in range(2):  # the buffers of both sockets fill, then the time of the first is over too
            [later] = opened(server, 1)
            assert later.recv(1) == b""
            later.close()
        taken = 0
        with contextlib.suppress(ConnectionResetError):
            while chunk := deaf.recv(1 << 20):
                taken += len(chunk)
        assert 0 < taken < MANY * 135_000
        deaf.close()


def test_endless_headers_are_refused(server):
    answer = raw(server, b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"x" * 100_000)
    assert answer.split(b" ")[1] == b"400"


def test_slow_websocket_is_not_hung_up_on(tmp_path, monkeypatch):
    monkeypatch.setattr(http_connection, "REQUEST_SECONDS", 0.2)
    run = tmp_path / "runs" / "a-run"
    run.mkdir(parents=True)
    config = {
        "world": "racer",
        "steps": 10,
        "algorithm": "ppo",
        "racer": {"tracks": ["track-01"], "observation": "classic"},
    }
    (run / "run.json").write_text(json.dumps({"config": config, "physics_fingerprint": "x"}), encoding="utf-8")
    with running(tmp_path, tmp_path / "runs") as server, connect(f"ws://127.0.0.1:{server.port}/ws/live") as live:
        assert json.loads(live.recv(60))["type"] == "run"
        assert json.loads(live.recv(60))["type"] == "curve"
        with pytest.raises(TimeoutError):
            live.recv(0.6)
