"""The lap board over HTTP: every lap that comes in is driven again before it counts."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Annotated

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hotlap.errors import LapError
from hotlap.export.reference_laps import shape_of
from hotlap.racer.fingerprint import physics_fingerprint
from hotlap.racer.tracks import Track
from hotlap.store.database import utc_now
from hotlap.store.driven_by import driven_by
from hotlap.store.drives import MOST_TICKS, drive_from_json
from hotlap.store.laps import Course, Lap, LapBoard, Placed, lap_id, plain_name
from hotlap.store.referee import check_lap
from hotlap.web.bodies import read_json_body

if TYPE_CHECKING:
    from hotlap.policies.onnx_policy import OnnxPolicy

MOST_WAITING = 8
RETRY_SECONDS = 2
NO_STORE = {"Cache-Control": "no-store"}


class SentDrive(msgspec.Struct, forbid_unknown_fields=True):
    """The drive of a submitted lap."""

    inputs: str
    respawns: list[int] = []


class SentLap(msgspec.Struct, forbid_unknown_fields=True):
    """A submitted lap."""

    track: str
    name: str
    ticks: Annotated[int, msgspec.Meta(ge=1, le=2 * MOST_TICKS)]
    fingerprint: str
    drive: SentDrive


class BoardDesk:
    """Answers for the lap board: one lap is checked at a time, a few may wait, the others are asked to come back."""

    def __init__(
        self, tracks: Mapping[str, Track], board: LapBoard, known: "Callable[[], Iterable[OnnxPolicy]]"
    ) -> None:
        self.tracks = tracks
        self.board = board
        self.known = known
        """The drivers whose laps are recognised."""
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def laps(self, request: Request) -> Response:
        """`GET api/laps`: the board of a track, or the best lap of each."""
        wanted = request.query_params.get("track")
        if wanted is not None:
            laps = await asyncio.to_thread(self.board.fastest, self._course(wanted))
            return JSONResponse({"track": wanted, "laps": [lap.as_json() for lap in laps]}, headers=NO_STORE)
        courses = {track: self._course(track) for track in self.tracks}
        best = {track: await asyncio.to_thread(self.board.fastest_by_hand, course) for track, course in courses.items()}
        return JSONResponse({"best": {track: lap.as_json() for track, lap in best.items() if lap}}, headers=NO_STORE)

    async def lap(self, request: Request) -> Response:
        """`GET api/laps/ID`: one lap with its drive."""
        found = await asyncio.to_thread(self.board.find, request.path_params["lap_id"])
        if found is None:
            raise HTTPException(404, "no such lap; it may have been too slow to be kept")
        lap, drive = found
        return JSONResponse({**lap.as_json(), "drive": drive.as_json()}, headers=NO_STORE)

    async def submit(self, request: Request) -> Response:
        """`POST api/laps`: check a lap and put it on the board."""
        sent = _decoded(await read_json_body(request))
        course = self._course(sent.track)
        if sent.fingerprint != course.fingerprint:
            raise HTTPException(409, "the lap was driven in another physics than the server's; load the page again")
        placed = await self._checked(sent, course)
        answer = {"lap": placed.lap.as_json(), "rank": placed.rank}
        return JSONResponse(answer, status_code=201 if placed.is_new else 200, headers=NO_STORE)

    async def _checked(self, sent: SentLap, course: Course) -> Placed:
        if self._waiting >= MOST_WAITING:
            raise HTTPException(429, "too many laps at once; try again", headers={"Retry-After": str(RETRY_SECONDS)})
        self._waiting += 1
        try:
            async with self._turn:
                return await asyncio.to_thread(self._placed, sent, course)
        except LapError as problem:
            raise HTTPException(422, str(problem)) from problem
        finally:
            self._waiting -= 1

    def _placed(self, sent: SentLap, course: Course) -> Placed:
        drive = drive_from_json(sent.drive.inputs, sent.drive.respawns)
        track = self.tracks[sent.track]
        finished = check_lap(track, drive, sent.ticks)
        lap = Lap(
            id=lap_id(course, drive),
            track=sent.track,
            name=plain_name(sent.name),
            ticks=finished.ticks,
            lap=finished.number,
            set_at=utc_now(),
            driven_by=driven_by(track, drive, finished.ticks, self.known()),
        )
        return self.board.add(course, lap, drive)

    def _course(self, track: str) -> Course:
        if track not in self.tracks:
            raise HTTPException(404, "no such track; data/tracks.json lists them")
        return Course(track, shape_of(self.tracks[track]), physics_fingerprint())


def _decoded(body: bytes) -> SentLap:
    try:
        return msgspec.json.decode(body, type=SentLap)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as problem:
        raise HTTPException(400, f"this is not a lap: {problem}") from problem
