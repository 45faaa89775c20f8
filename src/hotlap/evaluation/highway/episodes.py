"""Episodes as records, and `episodes.jsonl`: a line about the drive, then a line for each episode.

Writer and reader share these types. All figures of an evaluation follow from its episodes; an episode follows from its
seed and its driver, so each can be driven again.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from hotlap.errors import ConfigError, ReportError
from hotlap.highway.missions import Ending, Mode
from hotlap.whole_files import write_whole_file

Format = Literal["hotlap-episodes"]
Version = Literal[1]
FORMAT: Format = "hotlap-episodes"
VERSION: Version = 1
MOST_BYTES = 1 << 30

Count = Annotated[int, msgspec.Meta(ge=0)]
Amount = Annotated[float, msgspec.Meta(ge=0.0)]


class MissionEnd(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How one mission of an episode ended."""

    mode: Mode
    outcome: Ending
    duration_s: Amount
    reason: str = ""


class Episode(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What happened in one episode; sums are over its decisions, of 0.2 s each."""

    seed: Count
    """`env.reset(seed=…)` with it begins the same episode."""
    vehicles: Count
    supervised: bool
    decisions: Count
    metres: Amount
    crashed: bool
    ego_fault: bool
    intervened: Count
    """Decisions that the supervisor changed."""
    rules: dict[str, Count]
    """The same by rule; one decision can break several."""
    missions: list[MissionEnd]
    """Those that ended, in order."""
    free: Count
    """Decisions in which nothing but the mission decided the speed."""
    speed_error_mps: Amount
    """Sum of the distance to the mission's speed over the free decisions."""
    following: Count
    """Decisions with a vehicle ahead within three seconds."""
    gap_s: float
    """Sum of the time gaps to it."""
    jerk_squares: Amount
    """Sum of the squares of the jerk, the change of acceleration over a decision, in m²/s⁶."""
    off_lane: Count
    """Decisions in another lane than the mission's."""
    reward: float


class EpisodesHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first line of a file: what was driven, by whom, in which physics."""

    driver: str
    world: Literal["highway"]
    physics_fingerprint: str
    missions: str
    about: dict[str, Any] = {}
    format: Format = FORMAT
    version: Version = VERSION


def write_episodes(path: Path, drive: EpisodesHeader, episodes: Sequence[Episode], *, force: bool = False) -> None:
    """Write a file, whole or not at all."""
    lines = [msgspec.json.encode(record) for record in (drive, *episodes)]
    write_whole_file(path, b"\n".join(lines) + b"\n", force=force, error=ReportError)


def read_episodes(path: Path) -> tuple[EpisodesHeader, list[Episode]]:
    """Read a file back; ConfigError names the line that is none of ours."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ConfigError(f"{path}: more than {MOST_BYTES:,} bytes. Give an episodes.jsonl of one evaluation.")
        lines = path.read_bytes().splitlines()
    except OSError as problem:
        raise ConfigError(f"{path}: cannot be read ({problem.strerror}). Give an episodes.jsonl.") from problem
    if not lines:
        raise ConfigError(f"{path}: is empty. Write it with hotlap evaluate … --episodes-file FILE.")
    drive = _decoded(path, 1, lines[0], EpisodesHeader)
    return drive, [_decoded(path, number, line, Episode) for number, line in enumerate(lines[1:], 2)]


def _decoded(path: Path, number: int, line: bytes, kind: Any) -> Any:
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.DecodeError, RecursionError) as problem:
        raise ConfigError(
            f"{path}, line {number}: not of format {FORMAT}, version {VERSION} ({problem}). Write it again."
        ) from problem
