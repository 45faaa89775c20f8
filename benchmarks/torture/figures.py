"""The 23 figures of reliability: what each must be, and what an attack found."""

from dataclasses import dataclass

LIMITS: dict[int | str, tuple[str, str]] = {
    1: ("kill -9 at any moment", "0 checkpoints that cannot be loaded, at most one rollout lost"),
    2: ("order of syncs and renames", "every save"),
    3: ("full disk at any byte", "the checkpoint before still loads"),
    4: ("SIGTERM and SIGINT", "saved and ended within 10 s, all of them"),
    5: ("exact resume", "the same weights to the bit"),
    6: ("flipped bits", "all found"),
    7: ("code in checkpoints", "0 executions"),
    8: ("bombs of up to 1 MB", "at most 5 s and 512 MB each"),
    9: ("mutated track files", "a track or a TrackError, nothing over 1 s"),
    10: ("paths that lead elsewhere", "0 files opened outside"),
    11: ("malformed bridge messages", "all answered, at most 20 MB more memory"),
    12: ("foreign origins", "all refused"),
    13: ("hosts and tokens", "every route guarded"),
    14: ("500 half-open connections", "closed within 10 s, a healthy client's p99 at most 50 ms later"),
    15: ("64 spectators", "p99 at most 20 ms, nothing lost"),
    16: ("8 viewers of a training", "at most 5 % of its speed"),
    17: ("hostile actions", "refused or clipped, never a state that is no number"),
    18: ("environments' contracts", "both checkers without a warning"),
    19: ("two trainers in one run", "one winner"),
    20: ("clock that jumps", "nothing missed, nothing doubled"),
    21: ("actions of the ONNX file", "within 1e-5 of torch on 10,000 observations"),
    22: ("audits of dependencies", "nothing high or critical"),
    23: ("killed Ray worker", "back within 10 s"),
    "7b": ("hostile state columns", "refused before a kernel sees them"),
    "11b": ("8 clients with 4,096 cars each", "a healthy client's p99 below 100 ms, SIGTERM within 5 s"),
    "14b": ("300 connections of six kinds", "a healthy client is never refused"),
}
ELSEWHERE: dict[int | str, str] = {
    15: "not measured here: make soak",
    16: "not measured here: python -m benchmarks.spectators",
    22: "not measured here: make audit",
    23: "not measured here: make test-ray",
}


@dataclass(frozen=True)
class Figure:
    """What an attack found."""

    number: int | str
    found: str
    held: bool


def table(figures: list[Figure]) -> str:
    """All figures beside their limits, one line each; those that no attack measured say where they are."""
    by_number = {figure.number: figure for figure in figures}
    rows = [("", "figure", "limit", "found", "held")]
    for number, (name, limit) in LIMITS.items():
        figure = by_number.get(number)
        found = figure.found if figure else ELSEWHERE.get(number, "not measured this time")
        held = "" if figure is None else "yes" if figure.held else "NO"
        rows.append((str(number), name, limit, found, held))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(lines)
