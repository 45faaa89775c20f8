"""A crowd of spectators in a process of its own: comes and goes when told to, and takes all that a page would take."""

import asyncio
import contextlib
import json
import sys
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect

COME, GO = "come", "go"
HERE, GONE = "here", "gone"
MOST_BYTES = 16 * 2**20


async def main(address: str, count: int) -> None:
    """Obey the words on stdin, one a line, and say on stdout when each is done; the end of stdin is the end."""
    places: list[asyncio.Task[None]] = []
    while word := (await asyncio.to_thread(sys.stdin.readline)).strip():
        if word == COME:
            sockets = await asyncio.gather(*[_seat(address) for _ in range(count)])
            places = [asyncio.create_task(_watch(socket, address)) for socket in sockets]
        elif word == GO:
            await _leave(places)
            places = []
        sys.stdout.write(f"{HERE if word == COME else GONE}\n")
        sys.stdout.flush()
    await _leave(places)


async def _seat(address: str) -> ClientConnection:
    """A seat is taken when the first news has come."""
    socket = await connect(f"ws://{urlsplit(address).netloc}/ws/live", compression=None, max_size=MOST_BYTES)
    await socket.recv()
    return socket


async def _watch(socket: ClientConnection, address: str) -> None:
    """Read the news, and fetch every new driver as a page does."""
    async with socket:
        async for text in socket:
            message = json.loads(text)
            if message["type"] == "policy":
                await _fetch(address, f"/data/policies/{message['policy']['key']}.onnx")


async def _fetch(address: str, path: str) -> bytes:
    place = urlsplit(address)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {place.netloc}\r\nConnection: close\r\n\r\n".encode("ascii"))
        return await reader.read(-1)
    finally:
        writer.close()


async def _leave(places: list[asyncio.Task[None]]) -> None:
    """Everybody goes; who had to leave before everybody was told to is an error."""
    for place in places:
        if place.done():
            place.result()
            raise RuntimeError("a spectator was sent away by the server")
        place.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.gather(*places)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):  # whoever started it is interrupted too, and says so
        asyncio.run(main(sys.argv[1], int(sys.argv[2])))
