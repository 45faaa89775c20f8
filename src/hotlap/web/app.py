"""The ASGI application: files, drivers, lap board, highway and live channel, behind one guard."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from hotlap.errors import PolicyError
from hotlap.export.content import Content, Files, content_of, json_content
from hotlap.racer.tracks import Track
from hotlap.store.drives import RecordedDrive
from hotlap.store.laps import LapBoard
from hotlap.store.missions import MissionLog
from hotlap.store.referee import laps_of
from hotlap.web.access import Guard, House
from hotlap.web.board import BoardDesk
from hotlap.web.highway import HighwayDesk
from hotlap.web.live import LiveHub
from hotlap.web.packing import VARY, Packer, takes_gzip
from hotlap.web.policies import CLASSIC_LAYOUTS, PolicyCounter
from hotlap.web.runs import Shelf

if TYPE_CHECKING:
    from hotlap.policies.onnx_policy import OnnxPolicy

UNCHANGING = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"
ASSETS = "assets/"
MOST_KNOWN_DRIVERS = 16
"""How many drivers a lap is compared with: each takes some milliseconds."""


@dataclass(frozen=True)
class Game:
    """What a server has to offer."""

    files: Files
    """Everything that does not change: the page, the physics, the tracks."""
    tracks: Mapping[str, Track]
    """The tracks laps may be driven on, by their key."""
    shelf: Shelf
    """The runs and their drivers."""
    board: LapBoard
    missions: MissionLog
    counter: PolicyCounter = field(default_factory=PolicyCounter)

    def known_drivers(self) -> "Iterator[OnnxPolicy]":
        """The drivers that pages race: the best of each run and those that come with Hotlap."""
        from hotlap.policies.onnx_policy import OnnxPolicy  # noqa: PLC0415 - onnxruntime: for the first lap

        listed = [driver for driver in self.shelf.listing().drivers if driver.kind != "checkpoint"]
        able = [driver for driver in listed if driver.layout in CLASSIC_LAYOUTS and driver.problem is None]
        for driver in able[:MOST_KNOWN_DRIVERS]:
            try:
                yield OnnxPolicy(self.counter.content(driver))
            except PolicyError:
                continue  # it cannot have driven the lap either


def create_app(game: Game, house: House) -> Starlette:
    """The application for one server; every route is behind the guard."""
    return Starlette(
        routes=routes(game),
        middleware=[Middleware(Guard, house=house)],
        exception_handlers={HTTPException: _refused, Exception: _failed},
        lifespan=lambda _app: _warm_kernel(game),
    )


def routes(game: Game) -> list[BaseRoute]:
    """All there is. Ids and names in a URL are looked up in tables; none becomes part of a path."""
    desk, hub, library = BoardDesk(game.tracks, game.board, game.known_drivers), LiveHub(game.shelf), Library(game)
    highway = HighwayDesk(game.missions)
    return [
        Route("/api/laps", desk.laps, methods=["GET"]),
        Route("/api/laps", desk.submit, methods=["POST"]),
        Route("/api/laps/{lap_id}", desk.lap, methods=["GET"]),
        Route("/api/highway/orders", highway.order, methods=["POST"]),
        Route("/api/missions", highway.missions, methods=["GET"]),
        Route("/api/missions", highway.submit, methods=["POST"]),
        Route("/data/policies.json", library.policies, methods=["GET"]),
        Route("/data/policies/{key}.onnx", library.policy, methods=["GET"]),
        WebSocketRoute("/ws/live", hub.serve),
        Route("/{url:path}", library.file, methods=["GET"]),
    ]


class Library:
    """Hands out files and drivers."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._tags: dict[str, str] = {}
        self._packer = Packer()

    async def file(self, request: Request) -> Response:
        """Anything in the table of files."""
        url = request.path_params["url"] or "index.html"
        content = self.game.files.get(url)
        if content is None:
            raise HTTPException(404, "there is nothing here")
        caching = UNCHANGING if url.startswith(ASSETS) else ASK_AGAIN
        return await asyncio.to_thread(self._file_response, request, url, content, caching)

    def _file_response(self, request: Request, url: str, content: Content, caching: str) -> Response:
        """A file, packed for those who take it so."""
        tag = file_tag(content.body) if isinstance(content.body, Path) else self._bytes_tag(url, content.body)
        headers = {"ETag": tag, "Cache-Control": caching, **VARY}
        packed = None
        if takes_gzip(request):
            packed = self._packer.packed(url, tag, content)
            headers |= packed.headers
        if _has(request, headers["ETag"]):
            return Response(status_code=304, headers=headers)
        if packed is None and isinstance(content.body, Path):
            return FileResponse(content.body, media_type=content.media_type, headers=headers)
        body = content.read() if packed is None else packed.body
        return Response(body, media_type=content.media_type, headers=headers)

    def _bytes_tag(self, url: str, body: bytes) -> str:
        """The tag of bytes that do not change, found once."""
        if url not in self._tags:
            self._tags[url] = entity_tag(body)
        return self._tags[url]

    async def policies(self, request: Request) -> Response:
        """`data/policies.json`: runs and drivers as of now."""
        listing = await asyncio.to_thread(self.game.shelf.listing)
        content = json_content(listing.as_json())
        return _bytes_response(request, content, entity_tag(content.read()), ASK_AGAIN)

    async def policy(self, request: Request) -> Response:
        """`data/policies/KEY.onnx`: one driver, checked."""
        key = request.path_params["key"]
        driver = await asyncio.to_thread(self.game.shelf.driver, key)
        if driver is None:
            raise HTTPException(404, "no such driver; checkpoints of a running training come and go")
        try:
            body = await asyncio.to_thread(self.game.counter.content, driver)
        except PolicyError as problem:
            raise HTTPException(409, str(problem)) from problem
        return _bytes_response(request, content_of("policy.onnx", body), f'"{key}"', UNCHANGING)


def entity_tag(body: bytes) -> str:
    """A tag by which a browser can ask whether it has this already."""
    return f'"{hashlib.sha256(body).hexdigest()[:16]}"'


def file_tag(path: Path) -> str:
    """A tag that changes when the file does."""
    facts = path.stat()
    return f'"{facts.st_mtime_ns:x}-{facts.st_size:x}"'


def _bytes_response(request: Request, content: Content, tag: str, caching: str) -> Response:
    headers = {"ETag": tag, "Cache-Control": caching}
    if _has(request, tag):
        return Response(status_code=304, headers=headers)
    return Response(content.read(), media_type=content.media_type, headers=headers)


def _has(request: Request, tag: str) -> bool:
    """Whether the browser says that it has the content of this tag."""
    return tag in request.headers.get("if-none-match", "")


async def _refused(_request: Request, problem: Exception) -> Response:
    """A refusal in one sentence."""
    assert isinstance(problem, HTTPException)  # noqa: S101 - registered for nothing else
    return JSONResponse({"error": problem.detail}, status_code=problem.status_code, headers=problem.headers)


async def _failed(_request: Request, _problem: Exception) -> Response:
    """A bug: told without its inside; the log has the rest."""
    return JSONResponse({"error": "the server failed at this; its log says why"}, status_code=500)


@asynccontextmanager
async def _warm_kernel(game: Game) -> AsyncIterator[None]:
    """Load the compiled physics while the first page loads, so that the first lap is checked at once."""
    track = next(iter(game.tracks.values()))
    warming = asyncio.create_task(asyncio.to_thread(laps_of, track, RecordedDrive(bytes(3))))
    yield
    await warming
