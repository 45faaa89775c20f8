"""What is behind a URL of the site: bytes or a file, with the media type that its name asks for."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OTHER_TYPE = "application/octet-stream"
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}


@dataclass(frozen=True)
class Content:
    """What is behind one URL: bytes, or a file that holds them."""

    body: bytes | Path
    media_type: str

    def read(self) -> bytes:
        """The bytes."""
        return self.body if isinstance(self.body, bytes) else self.body.read_bytes()


Files = dict[str, Content]
"""Relative URL -> content."""


def content_of(url: str, body: bytes | Path) -> Content:
    """A content with the media type that its name asks for."""
    return Content(body, MEDIA_TYPES.get(Path(url).suffix, OTHER_TYPE))


def json_content(document: Any) -> Content:
    """JSON as pages get it: UTF-8, no spaces, no NaN."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Content(text.encode(), MEDIA_TYPES[".json"])
