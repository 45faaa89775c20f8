"""A page of another origin, for tests of what it may not do."""

import contextlib
import http.server
import threading
from collections.abc import Iterator


class EmptyPage(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """An empty page without any policy of its own."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>elsewhere</title>")

    def log_message(self, *_arguments) -> None:
        """Say nothing."""


@contextlib.contextmanager
def elsewhere() -> Iterator[str]:
    """A web server of somebody else on the same machine."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), EmptyPage) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()
