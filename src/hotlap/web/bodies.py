"""Reading what pages send: never more than asked for, never longer than it should take."""

import asyncio

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

MOST_BYTES = 256 * 1024
BODY_SECONDS = 10.0


async def read_json_body(request: Request, most_bytes: int = MOST_BYTES) -> bytes:
    """The body of a request that says it is JSON; too much, too slow or something else is refused."""
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "send JSON, with Content-Type: application/json")
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await _read(request, most_bytes)
    except TimeoutError as slow:
        raise HTTPException(408, f"the body took longer than {BODY_SECONDS:g} seconds") from slow
    except ClientDisconnect as gone:
        raise HTTPException(400, "the client left before its body was whole") from gone  # which nobody reads


async def _read(request: Request, most_bytes: int) -> bytes:
    announced = request.headers.get("content-length", "0")
    body = bytearray()
    if announced.isdecimal() and int(announced) <= most_bytes:
        async for chunk in request.stream():
            body += chunk
            if len(body) > most_bytes:
                break
        else:
            return bytes(body)
    raise HTTPException(413, f"a body has at most {most_bytes:,} bytes", headers={"Connection": "close"})
