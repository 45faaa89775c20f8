"""A real server on loopback for the tests: a small page, the real physics and tracks, and any runs one likes."""

import contextlib
import http.client
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hotlap.export.site import game_files
from hotlap.export.track_data import track_data
from hotlap.racer.tracks import load_track
from hotlap.store.database import Database
from hotlap.store.laps import LapBoard
from hotlap.store.missions import MissionLog
from hotlap.web.access import House
from hotlap.web.app import Game, create_app
from hotlap.web.runs import Shelf
from hotlap.web.server import bound_socket, server_for

# Tells whether text may become code; evaluating from outside would not be bound by the page's policy.
SCRIPT = """
let outcome = "allowed";
try { new Function("return 1")(); } catch { outcome = "refused"; }
document.documentElement.dataset.eval = outcome;
"""
PAGE = '<!doctype html><title>Hotlap</title><script type="module" src="./assets/page-1.js"></script>'


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class RunningServer:
    port: int
    host: str = "127.0.0.1"

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, method: str, url: str, body: bytes | None = None, **headers: str) -> Answer:
        """One request with exactly these headers and a Host; underscores stand for dashes."""
        sent = {"Host": f"127.0.0.1:{self.port}"} | {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.putrequest(method, url, skip_host=True, skip_accept_encoding=True)
            for name, value in sent.items():
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def get(self, url: str, **headers: str) -> Answer:
        return self.ask("GET", url, **headers)

    def post(self, url: str, document: Any, **headers: str) -> Answer:
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        return self.ask("POST", url, body, **({"Content_Type": "application/json"} | headers))


def built_page(folder: Path) -> Path:
    """A page as small as can be, where the real one would be built."""
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(PAGE, encoding="utf-8")
    (folder / "assets" / "page-1.js").write_text(SCRIPT, encoding="utf-8")
    return folder


def make_game(folder: Path, root: Path | None = None) -> tuple[Game, Database]:
    """A game on track-01 with its lap board in a folder of its own."""
    tracks = [track_data(load_track("track-01"))]
    site = {"server": True, "start": {"run": None, "track": "track-01"}}
    files = game_files(built_page(folder / "page"), tracks, site)
    database = Database(folder / "laps.sqlite")
    shelf = Shelf(root or folder / "runs")
    by_key = {data.key: data.track for data in tracks}
    return Game(files, by_key, shelf, LapBoard(database), MissionLog(database)), database


@contextlib.contextmanager
def running(folder: Path, root: Path | None = None, token: str | None = None) -> Iterator[RunningServer]:
    """A server in a thread of its own, until the block ends."""
    game, database = make_game(folder, root)
    listener = bound_socket("127.0.0.1", 0)
    port = listener.getsockname()[1]
    app = create_app(game, House("127.0.0.1", port, token))
    ready = threading.Event()
    server = server_for(app, ready.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        assert ready.wait(30), "the server does not start"
        yield RunningServer(port)
    finally:
        server.should_exit = True
        thread.join(60)
        listener.close()
        database.close()
        assert not thread.is_alive(), "the server does not end"
