"""The game as a table of files: served by `hotlap play`, written to a folder by `hotlap export site` (docs/web.md)."""

import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hotlap import __version__
from hotlap.errors import ExportError
from hotlap.export.browser_kernel import kernel_document
from hotlap.export.highway_kernel import highway_document, scene_dice
from hotlap.export.linking import packaged
from hotlap.export.track_data import TrackData, tracks_document

FORMAT = 1
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


def page_files(static: Path) -> Files:
    """The built page: every file in its folder, by its place in it."""
    if not (static / "index.html").is_file():
        raise ExportError(
            f'the page is not built: {static} has no index.html. Run "make frontend" (it needs Node 20 or later).'
        )
    paths = sorted(path for path in static.rglob("*") if path.is_file() and not path.is_symlink())
    files = {path.relative_to(static).as_posix(): path for path in paths}
    return {url: content_of(url, path) for url, path in files.items()}


def racer_files(wasm: bytes) -> Files:
    """The racer's physics and how to lay out its memory."""
    return {
        "data/kernel.json": json_content(kernel_document(wasm)),
        "data/racer.wasm": content_of("racer.wasm", wasm),
    }


def highway_files(wasm: bytes) -> Files:
    """The same of the highway, and the dice of its scenes."""
    return {
        "data/highway.json": json_content(highway_document(wasm)),
        "data/highway.wasm": content_of("highway.wasm", wasm),
        "data/highway-scenes.bin": content_of("scenes.bin", scene_dice()),
    }


def packaged_highway() -> Files:
    """The highway's files as they come with the package: serving them takes no compiler, not even the native one."""
    names = ("highway.json", "highway.wasm", "highway-scenes.bin")
    return {f"data/{name}": content_of(name, packaged(name)) for name in names}


def track_files(tracks: Sequence[TrackData]) -> Files:
    """The list of tracks, and each one's lines and tables."""
    files = {"data/tracks.json": json_content(tracks_document(tracks))}
    for data in tracks:
        files[f"data/tracks/{data.key}.json"] = json_content(data.document)
        files[f"data/tracks/{data.key}.bin"] = content_of("tables.bin", data.tables)
    return files


def game_files(static: Path, tracks: Sequence[TrackData], site: Mapping[str, Any]) -> Files:
    """Everything that does not change while a server runs; `site` is what `data/site.json` says beyond the version."""
    about = {"format": FORMAT, "hotlap": __version__, **site}
    files = {**page_files(static), **racer_files(packaged("racer.wasm")), **packaged_highway(), **track_files(tracks)}
    return {**files, "data/site.json": json_content(about)}


def write_site(folder: Path, files: Mapping[str, Content], *, force: bool = False) -> int:
    """Write every file under a folder that appears whole or not at all; how many bytes they are."""
    if folder.exists() and not force:
        raise ExportError(f"{folder} exists already. Name another folder, or replace it with --force.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        unfinished.chmod(0o755)
        total = sum(_write(unfinished / url, content) for url, content in files.items())
        if folder.exists():
            shutil.rmtree(folder)
        unfinished.rename(folder)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    return total


def _write(path: Path, content: Content) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.write_bytes(content.read())
