"""A bridge server with an echo beside its worlds: what the same process and libraries reach when no car is driven."""

from hotlap.bridge.connection import Connection
from hotlap.bridge.messages import BridgeSession, Reply
from hotlap.bridge.polling import run_polling
from hotlap.bridge.server import BridgeServer, ServerConfig
from hotlap.bridge.serving import serve_until_signal, warm_up

ECHO_PATH = "/echo/"


class EchoSession(BridgeSession):
    """Answers every message with a text of one size."""

    def __init__(self, reply_bytes: int) -> None:
        super().__init__()
        self.reply = Reply(b"x" * reply_bytes)

    def start(self, payload: bytes) -> Reply:  # noqa: ARG002 - nothing is read
        """The same text each time."""
        return self.reply


class EchoingServer(BridgeServer):
    """A client at /echo/628 gets 628 bytes for every message; any other gets a world as from any bridge."""

    def open_session(self, connection: Connection, path: str) -> BridgeSession:
        """An echo of the asked size, or a world."""
        session = super().open_session(connection, path)
        return EchoSession(int(path.removeprefix(ECHO_PATH))) if path.startswith(ECHO_PATH) else session


async def serve_worlds_and_echoes() -> None:
    """Serve on a free port until a signal comes."""
    await serve_until_signal(EchoingServer(ServerConfig(port=0)))


if __name__ == "__main__":
    warm_up()
    run_polling(serve_worlds_and_echoes())
