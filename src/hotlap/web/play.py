"""What `hotlap play` and `hotlap export site` do: gather runs, tracks and files, then serve or write them."""

import json
import os
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from hotlap.errors import ConfigError, WebError
from hotlap.export.content import Files, content_of, json_content
from hotlap.export.order_reader import order_reader_files
from hotlap.export.site import game_files, with_address, write_site
from hotlap.export.track_data import TrackData, track_data
from hotlap.export.world_browser import browser_of
from hotlap.progress import tracked
from hotlap.racer.tracks import circuit_ids, load_track, track_ids
from hotlap.store.database import DATABASE_FILE, Database
from hotlap.store.laps import LapBoard
from hotlap.store.missions import MissionLog
from hotlap.training.runs import find_run
from hotlap.web.access import House, chosen_token
from hotlap.web.app import Game, create_app
from hotlap.web.options import PlayOptions
from hotlap.web.policies import PolicyCounter, bundled_drivers
from hotlap.web.runs import Listing, Run, Shelf, read_run
from hotlap.web.server import bound_socket, serve

TOKEN_VARIABLE = "HOTLAP_TOKEN"  # noqa: S105 - the name of a variable
MOST_TOKEN_BYTES = 1024


def play(options: PlayOptions) -> int:
    """Serve the game until Ctrl-C; 0."""
    token = chosen_token(given_token(options.token_file), options.host)
    tracks = loaded_tracks(options.tracks)
    shelf, run = gathered_runs(options.run_folder, options.root)
    site = {"server": True, "start": {"run": run.key if run else None, "track": tracks[0].key}}
    page = browser_of(run.world).page if run else ""
    content = game_files(static_folder(), tracks, site)
    listener = bound_socket(options.host, options.port)
    database = None
    try:
        database = Database(options.database or options.root / DATABASE_FILE)
        house = House(options.host, listener.getsockname()[1], token)
        by_key = {data.key: data.track for data in tracks if data.track.scale is None}
        game = Game(content, by_key, shelf, LapBoard(database), MissionLog(database))
        serve(create_app(game, house), listener, lambda: _announce(house.link(page), opens=not options.no_open))
    finally:
        listener.close()
        if database is not None:
            database.close()
    return 0


@dataclass(frozen=True)
class SiteOptions:
    """How a static site is written."""

    url: str = ""
    """Where it will be; "" for anywhere."""
    force: bool = False
    """Whether a folder that is already there is replaced."""
    as_json: bool = False
    """Whether what was written is printed for machines."""


def export_site(folder: Path, runs: Sequence[str], tracks: Sequence[str], root: Path, options: SiteOptions) -> None:
    """Write the static game: the page, the physics, the tracks, and drivers of the chosen runs, or the best of each."""
    chosen_tracks = loaded_tracks(tracks)
    listing = chosen_drivers(runs, root)
    start = listing.runs[0].key if runs and listing.runs else None
    site = {"server": False, "start": {"run": start, "track": chosen_tracks[0].key}}
    files = with_address(game_files(static_folder(), chosen_tracks, site), options.url)
    content = {**files, **order_reader_files(), **policy_files(listing)}
    total = write_site(folder, content, force=options.force)
    if options.as_json:
        print(json.dumps({"written": str(folder), "files": len(content), "bytes": total}))
        return
    print(f"{folder}: {len(content)} files, {total / 1e6:.1f} MB. Any static host will do; to look at it here:")
    print(f"  python -m http.server --directory {folder}")


def chosen_drivers(runs: Sequence[str], root: Path) -> Listing:
    """Every driver of the named runs; without names the best driver of every run; and those that come with Hotlap."""
    if runs:
        folders = [find_run(name, root) for name in runs]
        return Shelf(root / "nowhere", folders, bundled_drivers()).listing()
    listing = Shelf(root, (), bundled_drivers()).listing()
    return Listing(listing.runs, tuple(driver for driver in listing.drivers if driver.kind != "checkpoint"))


def policy_files(listing: Listing) -> Files:
    """The list of drivers that can race, and their files."""
    counter = PolicyCounter()
    able = [driver for driver in listing.drivers if driver.problem is None]
    content: Files = {
        f"data/policies/{driver.key}.onnx": content_of("policy.onnx", counter.content(driver))
        for driver in tracked(able, len(able), "drivers", "packing drivers")
    }
    return {**content, "data/policies.json": json_content(Listing(listing.runs, tuple(able)).as_json())}


def gathered_runs(name: str | None, root: Path) -> tuple[Shelf, Run | None]:
    """The shelf of runs, with the named one on it wherever it is, and that one."""
    if name is None:
        return Shelf(root, (), bundled_drivers()), None
    folder = find_run(name, root)
    run = read_run(folder)
    if run is None:
        raise WebError(f'{folder}: its run.json is damaged or of another version. Run "hotlap runs" to see the others.')
    return Shelf(root, [folder], bundled_drivers()), run


def loaded_tracks(extra: Sequence[str]) -> list[TrackData]:
    """The tracks asked for, which come first, then the built-in ones."""
    names = dict.fromkeys([*extra, *track_ids(), *circuit_ids()])
    tracks = [track_data(load_track(name)) for name in tracked(names, len(names), "tracks", "laying out tracks")]
    keys = [data.key for data in tracks]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise ConfigError(f'two tracks would both be called "{twice}". Rename the file of one of them.')
    return tracks


def static_folder() -> Path:
    """Where the built page is."""
    return Path(str(files("hotlap.web") / "static"))


def given_token(token_file: Path | None) -> str | None:
    """The token from a file, or from the environment; never from the command line, which every user can read."""
    if token_file is None:
        return os.environ.get(TOKEN_VARIABLE) or None
    try:
        with token_file.open(encoding="ascii") as file:
            return file.read(MOST_TOKEN_BYTES).strip()
    except (OSError, UnicodeDecodeError) as problem:
        raise ConfigError(
            f"{token_file}: cannot be read as a token ({problem}). Put one line of text there."
        ) from problem


def _announce(link: str, *, opens: bool) -> None:
    print(f"playing at {link}  (Ctrl-C ends it)", flush=True)
    if opens:
        webbrowser.open(link)
