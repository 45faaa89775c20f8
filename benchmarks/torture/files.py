"""Attacks by files: bombs for every loader, tracks with random damage."""

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.torture.figures import Figure
from benchmarks.torture.runs import TESTS, environment
from hotlap.errors import HotlapError, TrackError
from hotlap.racer.batch import RacerBatch
from hotlap.racer.tracks import load_track

LONGEST_S = 5.0
ALLOWED_BYTES = 512 << 20
Outcomes = dict[str, dict[str, Any]]
TRACKS = Path(load_track.__code__.co_filename).parent / "data"


def bombs(_seconds: float, _seed: int) -> list[Figure]:
    """Every bomb for policies and settings, each under a limit on memory."""
    found = visited([str(TESTS / "policies" / "bomb_visit.py")], write_policies)
    found |= visited(["-m", "benchmarks.torture.files"], write_settings)
    slowest_s = max(case["seconds"] for case in found.values())
    broken = [name for name, case in found.items() if not case["outcome"].startswith("refused")]
    text = f"{len(found)} bombs, the slowest refused after {slowest_s:.2f} s, {len(broken)} not refused {broken or ''}"
    return [Figure(8, text.strip(), not broken and slowest_s <= LONGEST_S)]


def visited(words: list[str], write: Callable[[Path], None]) -> Outcomes:
    """What a process of its own found in a folder of bombs."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder))
        command = [sys.executable, *words, folder]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment())
    found: Outcomes = json.loads(done.stdout.splitlines()[-1])
    return found


def write_policies(folder: Path) -> None:
    """The ONNX bombs of the tests."""
    from policies.onnx_bombs import BOMBS  # noqa: PLC0415 - the tests are on the path by now

    for name, build in BOMBS.items():
        (folder / f"{name}.onnx").write_bytes(build().SerializeToString())


def write_settings(folder: Path) -> None:
    """The TOML and JSON bombs of the tests."""
    from settings_bombs import JSON_BOMBS, TOML_BOMBS  # noqa: PLC0415

    for suffix, bombs_of_kind in ((".toml", TOML_BOMBS), (".json", JSON_BOMBS)):
        for name, text in bombs_of_kind.items():
            (folder / f"{name}{suffix}").write_text(text, encoding="utf-8")


def visit_settings(folder: Path) -> Outcomes:
    """Load every settings file of a folder under a limit on memory."""
    from hotlap.racer.config import RacerConfig  # noqa: PLC0415 - before the limit is set
    from hotlap.training.config import load_preset  # noqa: PLC0415

    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ALLOWED_BYTES, used + ALLOWED_BYTES))
    loaders: dict[str, Callable[[Path], object]] = {
        ".toml": lambda path: load_preset(str(path)),
        ".json": RacerConfig.load,
    }
    return {path.name: outcome(loaders[path.suffix], path) for path in sorted(folder.iterdir())}


def outcome(load: Callable[[Path], object], path: Path) -> dict[str, Any]:
    """Whether a file was refused with one of our errors, and how long that took."""
    began_s = time.monotonic()
    try:
        load(path)
        said = "accepted"
    except HotlapError as refusal:
        said = f"refused: {refusal}"
    except BaseException as problem:  # noqa: BLE001 - any other error is what we are looking for
        said = repr(problem)
    return {"outcome": said, "seconds": time.monotonic() - began_s}


def tracks(seconds: float, seed: int) -> list[Figure]:
    """Damage the built-in tracks at random; what is accepted must be drivable."""
    dice, end_s = random.Random(seed), time.monotonic() + seconds
    originals = [path.read_bytes() for path in sorted(TRACKS.glob("*.json"))]
    count, accepted, slowest_s, broken = 0, 0, 0.0, []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fuzzed.json"
        while time.monotonic() < end_s:
            path.write_bytes(mutated(dice.choice(originals), dice))
            began_s, track = time.process_time(), None
            try:
                track = load_track(str(path))
            except TrackError:
                pass
            except Exception as problem:  # noqa: BLE001 - any other error is what we are looking for
                broken.append(repr(problem)[:80])
            slowest_s, count = max(slowest_s, time.process_time() - began_s), count + 1
            if track is not None and accepted < count // 20 + 1:
                accepted += 1
                broken += [] if drives(track) else ["not a number"]
    text = f"{count:,} files, {accepted} of them driven, slowest {slowest_s:.2f} s, broken: {broken[:2] or 'none'}"
    return [Figure(9, text.strip(), not broken and slowest_s <= 1.0)]


def mutated(text: bytes, dice: random.Random) -> bytes:
    """A few bytes changed, removed or doubled."""
    changed = bytearray(text)
    for _ in range(dice.choice([1, 1, 2, 8])):
        place = dice.randrange(len(changed))
        kind = dice.randrange(4)
        if kind == 0:
            changed[place] = dice.choice(b'0123456789.-e,[]{}"')
        elif kind == 1:
            del changed[place : place + dice.choice([1, 4, 40])]
        elif kind == 2:
            changed[place:place] = changed[place : place + dice.choice([1, 4, 40])]
        else:
            changed[place:place] = dice.choice([b"1e308", b"-1", b"NaN", b"0", b"null", b"[[", b"\xff"])
    return bytes(changed)


def drives(track: object) -> bool:
    """Whether a hundred ticks on a track leave nothing but numbers."""
    batch = RacerBatch(1, [track])  # type: ignore[list-item]
    batch.actions.throttle[:] = 1.0
    for _ in range(100):
        batch.step()
    return bool(np.isfinite(batch.observation).all())


if __name__ == "__main__":
    print(json.dumps(visit_settings(Path(sys.argv[1]))))
