"""A bridge server that does nothing but answer: what the same libraries reach when no car is driven."""

import sys

from hotlap.bridge.command import serve_until_signal
from hotlap.bridge.connection import Connection
from hotlap.bridge.eager import run_eagerly
from hotlap.bridge.messages import Reply, Session
from hotlap.bridge.server import BridgeServer, ServerConfig


class EchoSession(Session):
    """Answers every message with a text of one size."""

    def __init__(self, reply_bytes: int) -> None:
        super().__init__()
        self.reply = Reply(b"x" * reply_bytes)

    def receive(self, payload: bytes) -> Reply:  # noqa: ARG002 - nothing is read
        """The same text each time."""
        return self.reply


class EchoServer(BridgeServer):
    """Every client gets an echo instead of a world."""

    reply_bytes = 0

    def open_session(self, connection: Connection) -> Session:
        """An echo of the asked size."""
        super().open_session(connection)
        return EchoSession(self.reply_bytes)


async def serve_echo(reply_bytes: int) -> None:
    """Serve on a free port until a signal comes."""
    server = EchoServer(ServerConfig(port=0))
    server.reply_bytes = reply_bytes
    await serve_until_signal(server)


if __name__ == "__main__":
    run_eagerly(serve_echo(int(sys.argv[-1])))
