"""The regression monitor: what an evaluation is set against, and the history it is kept in."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hotlap.errors import ConfigError
from hotlap.evaluation.measures import Evaluation, Measure, changes, read_measures
from hotlap.settings import read_json
from hotlap.store.database import DATABASE_FILE, Database
from hotlap.store.evaluations import EvaluationHistory, setup_text

LAST = "last"
PLACES = ("branch:", "commit:")
MOST_BYTES = 1 << 26


@dataclass(frozen=True)
class Base:
    """What an evaluation is set against."""

    name: str
    measures: list[Measure]


@contextmanager
def history(root: Path) -> Iterator[EvaluationHistory]:
    """The history of the evaluations that concern the runs of a folder."""
    database = Database(root / DATABASE_FILE)
    try:
        yield EvaluationHistory(database)
    finally:
        database.close()


def saved_base(against: str, result: Evaluation) -> Base:
    """From a file that `hotlap evaluate --json` printed."""
    path = Path(against)
    document = read_json(path, MOST_BYTES)
    if not isinstance(document, Mapping):
        raise ConfigError(f"{path}: no evaluation. Give what hotlap evaluate --json printed.")
    _refuse_another_setup(str(path), document, result)
    return Base(f"{document.get('driver')} ({path})", read_measures(document, result.measures()))


def last_base(result: Evaluation, root: Path, **where: str) -> Base | None:
    """The last one of the same world and setup that passed what was asked of it; None the first time of this version.

    `where` may name a branch or a commit.

    One that failed is no measure for the next: a driver that got worse must not make it pass.
    """
    with history(root) as kept:
        last = kept.last(result.world, setup_text({"setup": result.setup()}), **where)
    if last is None:
        return None
    try:
        measures = read_measures(last.document, result.measures())
        changes(measures, result.measures())
    except ConfigError:
        return None  # a version with other figures: the history begins anew
    return Base(f"{last.driver} of {last.made_at}", measures)


def is_of_history(against: str | None) -> bool:
    """Whether an evaluation is to be set against one that was kept: "last", "branch:NAME" or "commit:DIGITS"."""
    return against is not None and (against == LAST or against.startswith(PLACES))


def find_base(against: str, result: Evaluation, root: Path, evaluate: Callable[[str], Evaluation]) -> Base | None:
    """What to set an evaluation against: one of the history, a saved one, or a driver evaluated in the same way."""
    if is_of_history(against):
        kind, _, name = against.partition(":")
        return last_base(result, root, **({kind: name} if name else {}))
    if Path(against).suffix.lower() == ".json":
        return saved_base(against, result)
    other = evaluate(against)
    return Base(other.driver, other.measures())


def keep(result: Evaluation, root: Path, *, passed: bool = True) -> None:
    """Add an evaluation to the history, and whether it passed what was asked of it."""
    with history(root) as kept:
        kept.add(result.plain(), passed=passed)


def _refuse_another_setup(where: str, document: Mapping[str, Any], result: Evaluation) -> None:
    for key, ours in (("world", result.world), ("setup", result.setup())):
        if document.get(key) != ours:
            theirs = json.dumps(document.get(key))
            raise ConfigError(
                f"{where}: evaluated with {key} {theirs}, and this with {json.dumps(ours)}. Do both in the same way."
            )
