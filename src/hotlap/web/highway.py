"""The highway over HTTP: orders are understood by the one grammar, and how missions ended is kept."""

import asyncio
from typing import Annotated, Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hotlap.errors import MissionError
from hotlap.highway.missions import Direction, Mode, Source
from hotlap.highway.orders.answers import answer
from hotlap.highway.orders.situation import Kind, Units
from hotlap.store.missions import MOST_LISTED, MissionLog, record_from_json
from hotlap.web.board import NO_STORE
from hotlap.web.bodies import read_json_body

MOST_ORDER_BYTES = 16 * 1024
MOST_RECORD_BYTES = 16 * 1024


class SentMission(msgspec.Struct, forbid_unknown_fields=True):
    """What the car is doing when the order comes, in the words of an answer."""

    mode: Mode
    target_lane: int | None = None
    target_speed_mph: float | None = None
    gap_s: float | None = None
    direction: Direction | None = None
    return_lane: int | None = None


class SentTraffic(msgspec.Struct, forbid_unknown_fields=True):
    """Who is around the car."""

    ahead: Kind | None = None
    ahead_speed_mph: float | None = None
    left_occupied: bool = False
    right_occupied: bool = False


class SentOrder(msgspec.Struct, forbid_unknown_fields=True):
    """An order with the situation it is given in."""

    text: str
    lane: int
    speed_mph: float
    lanes: int = 5
    source: Source = "text"
    time_s: Annotated[float, msgspec.Meta(ge=0.0, le=86_400.0)] = 0.0
    mission: SentMission | None = None
    traffic: SentTraffic | None = None
    units: Units = "mph"


class HighwayDesk:
    """Answers for the highway page."""

    def __init__(self, log: MissionLog) -> None:
        self.log = log

    async def order(self, request: Request) -> Response:
        """`POST api/highway/orders`: what the words ask for, or why nothing comes of them."""
        sent = _decoded(await read_json_body(request, MOST_ORDER_BYTES))
        return JSONResponse(await asyncio.to_thread(understood, sent), headers=NO_STORE)

    async def submit(self, request: Request) -> Response:
        """`POST api/missions`: keep how a mission ended."""
        body = await read_json_body(request, MOST_RECORD_BYTES)
        try:
            logged = await asyncio.to_thread(lambda: self.log.add(record_from_json(body)))
        except MissionError as problem:
            raise HTTPException(400, str(problem)) from problem
        return JSONResponse({"mission": logged.as_json()}, status_code=201, headers=NO_STORE)

    async def missions(self, request: Request) -> Response:
        """`GET api/missions`: those that ended last, newest first."""
        asked = request.query_params.get("limit", "50")
        limit = min(int(asked), MOST_LISTED) if asked.isdecimal() and len(asked) < 10 else None
        if limit is None:
            raise HTTPException(400, f"limit must be a whole number from 0 to {MOST_LISTED}")
        newest = await asyncio.to_thread(self.log.newest, limit)
        return JSONResponse({"missions": [mission.as_json() for mission in newest]}, headers=NO_STORE)


def understood(sent: SentOrder) -> dict[str, Any]:
    """An order as the page gets it back."""
    try:
        return answer(msgspec.to_builtins(sent))
    except MissionError as problem:
        raise HTTPException(422, str(problem)) from problem


def _decoded(body: bytes) -> SentOrder:
    try:
        return msgspec.json.decode(body, type=SentOrder)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as problem:
        raise HTTPException(400, f"this is not an order: {problem}") from problem
