"""Sets of tracks by name, with ranges of generated ones written out."""

from collections.abc import Iterable

from hotlap.errors import ConfigError

MOST_TRACKS = 10_000


def expand_tracks(names: Iterable[str]) -> list[str]:
    """Track names with `generated:FIRST-LAST:DIFFICULTY` written out."""
    found: list[str] = []
    for name in names:
        found += _seed_range(name) if name.startswith("generated:") and "-" in name.split(":")[1] else [name]
    if len(found) > MOST_TRACKS:
        raise ConfigError(f"{len(found):,} tracks are more than the {MOST_TRACKS:,} a run may have. Name fewer.")
    return found


def _seed_range(name: str) -> list[str]:
    _, seeds, *difficulty = name.split(":")
    first, _, last = seeds.partition("-")
    if not (first.isdecimal() and last.isdecimal() and int(first) <= int(last)):
        raise ConfigError(f'"{name}" is no range of tracks; write generated:0-99:medium.')
    if int(last) - int(first) >= MOST_TRACKS:
        raise ConfigError(f'"{name}" are more than the {MOST_TRACKS:,} tracks a run may have. Name fewer.')
    return [":".join(["generated", str(seed), *difficulty]) for seed in range(int(first), int(last) + 1)]
