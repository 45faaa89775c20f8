"""Runs and their drivers as pages see them: what is in the folders of runs now, read anew every two seconds."""

import hashlib
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from hotlap.checkpoints.curve import read_curve
from hotlap.checkpoints.lock import LOCK_FILE
from hotlap.checkpoints.names import CURVE_FILE, POLICY_FILE, RUN_DOCUMENT
from hotlap.checkpoints.run_files import is_run, newest_step, policies_by_step, read_best, read_run_document
from hotlap.errors import HotlapError
from hotlap.export.world_browser import RunFacts, browser_of, worlds_with_pages
from hotlap.policies.levels import LEVELS
from hotlap.racer.options import ASSISTS
from hotlap.systems import OPENED, try_lock

TRAINING, STOPPED, FINISHED = "training", "stopped", "finished"
MOST_RUNS = 200
MOST_CHECKPOINTS = 200
LISTING_SECONDS = 2.0
MOST_ANNOUNCED = 64


@dataclass(frozen=True)
class DriverEntry:
    """One policy file and what is known about it without opening it."""

    path: Path
    key: str
    kind: str
    run: str | None
    name: str
    world: str
    step: int
    layout: str
    tracks: tuple[str, ...]
    cars: tuple[str, ...]
    assists: dict[str, bool]
    fingerprint: str
    bytes: int
    laps: dict[str, float]
    score: tuple[float, ...] = ()
    """What its evaluation said: the larger is the better, the first difference decides; empty without one."""
    trained_s: float | None = None
    """For how long it had been trained, where the curve of its run says it."""
    problem: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Its entry in `policies.json`."""
        return {name: value for name, value in vars(self).items() if name != "path"}


@dataclass(frozen=True)
class Run:
    """One run as it stands."""

    folder: Path
    key: str
    name: str
    world: str
    state: str
    step: int
    steps: int
    algorithm: str
    tracks: tuple[str, ...]
    layout: str
    cars: tuple[str, ...]
    assists: str
    fingerprint: str
    started: float
    """When its folder was made: newer runs are listed first."""

    def as_json(self) -> dict[str, Any]:
        """Its entry in `policies.json`."""
        shown = ("key", "name", "world", "state", "step", "steps", "algorithm", "tracks", "layout", "cars")
        return {name: getattr(self, name) for name in shown}


@dataclass(frozen=True)
class Listing:
    """Everything there is at one moment, newest run first."""

    runs: tuple[Run, ...] = ()
    drivers: tuple[DriverEntry, ...] = ()

    def driver(self, key: str) -> DriverEntry | None:
        """A driver by its key."""
        return next((driver for driver in self.drivers if driver.key == key), None)

    def as_json(self) -> dict[str, Any]:
        """What `data/policies.json` says."""
        return {
            "format": 1,
            "runs": [run.as_json() for run in self.runs],
            "policies": [driver.as_json() for driver in self.drivers],
            "levels": [level._asdict() for _, level in sorted(LEVELS.items())],
        }


class Shelf:
    """The runs under a root and the drivers that come with Hotlap; looks at the disk at most every two seconds."""

    def __init__(
        self,
        root: Path,
        extra: Sequence[Path] = (),
        bundled: Sequence[DriverEntry] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.root = root
        self.extra = tuple(extra)
        self.bundled = tuple(bundled)
        self._clock = clock
        self._lock = threading.Lock()
        self._listing = Listing()
        self._listed_at = -LISTING_SECONDS
        self._announced: dict[str, DriverEntry] = {}

    def listing(self) -> Listing:
        """What there is, as of two seconds ago or less."""
        with self._lock:
            if self._clock() - self._listed_at >= LISTING_SECONDS:
                self._listing, self._listed_at = self._look(), self._clock()
            return self._listing

    def driver(self, key: str) -> DriverEntry | None:
        """A driver by its key, announced or listed."""
        with self._lock:
            announced = self._announced.get(key)
        return announced or self.listing().driver(key)

    def announce(self, driver: DriverEntry) -> None:
        """Know a driver before the next look at the disk: spectators are told of it at once, and fetch it at once."""
        with self._lock:
            self._announced[driver.key] = driver
            while len(self._announced) > MOST_ANNOUNCED:
                del self._announced[next(iter(self._announced))]

    def _look(self) -> Listing:
        runs = [run for run in map(read_run, self._folders()) if run is not None]
        runs.sort(key=lambda run: (run.started, run.name), reverse=True)
        drivers = [driver for run in runs[:MOST_RUNS] for driver in drivers_of(run)]
        return Listing(tuple(runs[:MOST_RUNS]), (*drivers, *self.bundled))

    def _folders(self) -> list[Path]:
        """Folders with a run in them, no links."""
        found = list(self.root.iterdir()) if self.root.is_dir() else []
        folders = {path.resolve(): path for path in (*found, *self.extra) if not path.is_symlink()}
        return [path for path in folders.values() if is_run(path)]


def read_run(folder: Path) -> Run | None:
    """A run from its documents; None when they are damaged or of another kind."""
    try:
        document = read_run_document(folder)
        config = document["config"]
        world = str(config["world"])
        facts = browser_of(world).run_facts(config) if world in worlds_with_pages() else RunFacts(world, ())
        steps = int(config["steps"])
        step = newest_step(folder)
        return Run(
            folder=folder,
            key=key_of("run", folder.name, str(document.get("hotlap"))),
            name=folder.name,
            world=world,
            state=_state(folder, step, steps),
            step=step,
            steps=steps,
            algorithm=str(config["algorithm"]),
            tracks=tuple(map(_track_name, facts.tracks)),
            layout=facts.layout,
            cars=facts.cars,
            assists=facts.assists,
            fingerprint=str(document.get("physics_fingerprint")),
            started=(folder / RUN_DOCUMENT).stat().st_mtime,
        )
    except (HotlapError, OSError, KeyError, TypeError, ValueError):
        return None


def drivers_of(run: Run) -> list[DriverEntry]:
    """The run's best driver, then those it was on the way there, from the newest to the oldest."""
    found = [driver for driver in (_best_driver(run), *_drivers_on_the_way(run)) if driver is not None]
    try:
        facts = (run.folder / CURVE_FILE).lstat()
    except OSError:
        return found
    times = _times(run.folder, facts.st_size, facts.st_mtime_ns)
    return [replace(driver, trained_s=_trained_s(times, driver.step)) for driver in found]


@lru_cache(maxsize=MOST_RUNS)
def _times(folder: Path, _size: int, _mtime_ns: int) -> tuple[tuple[float, float], ...]:
    """Steps of a run and when it had made them, read again when its curve has changed."""
    return tuple((point.step, point.seconds) for point in read_curve(folder) if point.seconds is not None)


def _trained_s(times: Sequence[tuple[float, float]], step: int) -> float | None:
    """When a run had first come to a step."""
    return next((seconds for reached, seconds in times if reached >= step), None)


def newest_driver(run: Run) -> DriverEntry | None:
    """The driver of the newest step that was kept."""
    return next(_drivers_on_the_way(run), None)


def _drivers_on_the_way(run: Run) -> Iterator[DriverEntry]:
    """One for every step whose policy was kept, newest first."""
    try:
        policies = policies_by_step(run.folder)
    except HotlapError:
        return
    for step in sorted(policies, reverse=True)[:MOST_CHECKPOINTS]:
        driver = _driver(run, "checkpoint", step, policies[step], {})
        if driver is not None:
            yield driver


def _best_driver(run: Run) -> DriverEntry | None:
    try:
        best = read_best(run.folder)
        if best is None:
            return None
        laps = {_track_name(track): float(lap) for track, lap in best.laps.items() if lap is not None}
        driver = _driver(run, "best", best.step, run.folder / POLICY_FILE, laps)
        return None if driver is None else replace(driver, score=tuple(map(float, best.score)))
    except (HotlapError, TypeError, ValueError, AttributeError):
        return None


def _driver(run: Run, kind: str, step: int, path: Path, laps: dict[str, float]) -> DriverEntry | None:
    """A driver from a file that is there; its key stands for this very content."""
    try:
        facts = path.lstat()
    except OSError:
        return None
    if not stat.S_ISREG(facts.st_mode):
        return None
    return DriverEntry(
        path=path,
        key=key_of(run.key, kind, str(step), str(facts.st_mtime_ns), str(facts.st_size)),
        kind=kind,
        run=run.key,
        name=run.name,
        world=run.world,
        step=step,
        layout=run.layout,
        tracks=run.tracks,
        cars=run.cars,
        assists=named_assists(run.assists),
        fingerprint=run.fingerprint,
        bytes=facts.st_size,
        laps=laps,
        problem=fingerprint_problem(run.world, run.layout, run.fingerprint),
    )


def named_assists(chosen: str) -> dict[str, bool]:
    """What helps a driver of a car with grip, one by one."""
    traction_control, anti_lock = ASSISTS.get(chosen, ASSISTS["off"])
    return {"traction_control": bool(traction_control), "anti_lock": bool(anti_lock)}


def fingerprint_problem(world: str, layout: str, fingerprint: str) -> str | None:
    """Why a driver of this physics cannot drive here, or None."""
    if world not in worlds_with_pages():
        return f'It was trained in the world "{world}", which this version does not have. Take a newer one.'
    ours = browser_of(world).fingerprint(layout)
    if fingerprint == ours:
        return None
    return f"It was trained in physics {fingerprint[:16]}, and this is physics {ours}. Train it again."


def is_being_trained(folder: Path) -> bool:
    """Whether a trainer holds the run's lock; the kernel frees it when the trainer dies, however it dies."""
    try:
        descriptor = os.open(folder / LOCK_FILE, os.O_RDONLY | OPENED)
    except OSError:
        return False
    try:
        # A trainer that starts in this instant waits half a second for the lock, so looking does not send it away.
        return not try_lock(descriptor, shared=True)
    finally:
        os.close(descriptor)


def _state(folder: Path, step: int, steps: int) -> str:
    if is_being_trained(folder):
        return TRAINING
    return FINISHED if step >= steps else STOPPED


def _track_name(name: str) -> str:
    """A track's id as URLs have it; of a file only its stem, since folders are nobody's business."""
    stem = Path(name).stem if "/" in name or "\\" in name else name
    return "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in stem).strip("-")


def key_of(*parts: str) -> str:
    """An id that stands for these words and tells nothing about them."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:16]
