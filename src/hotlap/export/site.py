"""The game as a table of files: served by `hotlap play`, written to a folder by `hotlap export site` (docs/web.md)."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hotlap import __version__
from hotlap.errors import ExportError
from hotlap.export.content import Content, Files, content_of, json_content
from hotlap.export.driver_browser import driver_files
from hotlap.export.track_data import TrackData, tracks_document
from hotlap.export.world_browser import browser_of, worlds_with_pages
from hotlap.progress import tracked
from hotlap.whole_files import whole_folder

FORMAT = 1


def page_files(static: Path) -> Files:
    """The built page: every file in its folder, by its place in it."""
    if not (static / "index.html").is_file():
        raise ExportError(
            f'the page is not built: {static} has no index.html. Run "make frontend" (it needs Node 20 or later).'
        )
    paths = sorted(path for path in static.rglob("*") if path.is_file() and not path.is_symlink())
    files = {path.relative_to(static).as_posix(): path for path in paths}
    return {url: content_of(url, path) for url, path in files.items()}


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
    files = {**page_files(static), **track_files(tracks), **driver_files()}
    for world in worlds_with_pages():
        files |= browser_of(world).packaged_files()
    return {**files, "data/site.json": json_content(about)}


def with_address(files: Files, url: str) -> Files:
    """The same with full addresses where pages describe themselves to messengers, which resolve no relative ones."""
    if not url:
        return files
    if not re.fullmatch(r"https?://[^\s\"'<>?#]+", url):
        raise ExportError(f'"{url}" is not the address of a site. Name one such as https://example.org/hotlap/.')
    full = b'content="' + url.rstrip("/").encode() + b"/"
    pages = {name: page.read().replace(b'content="./', full) for name, page in files.items() if name.endswith(".html")}
    return {**files, **{name: content_of(name, page) for name, page in pages.items()}}


def write_site(folder: Path, files: Mapping[str, Content], *, force: bool = False) -> int:
    """Write every file under a folder that appears whole or not at all; how many bytes they are."""
    with whole_folder(folder, force=force, error=ExportError) as unfinished:
        written = tracked(files.items(), len(files), "files", f"writing {folder.name}")
        return sum(_write(unfinished / url, content) for url, content in written)


def _write(path: Path, content: Content) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.write_bytes(content.read())
