"""How the trainings of a sweep did: a table by their scores, and the best one on every track."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.text import Text

from hotlap.checkpoints.names import POLICY_FILE
from hotlap.checkpoints.run_files import PolicyScore, read_best
from hotlap.errors import SweepError
from hotlap.evaluation.table import console_for_results, empty_table, print_table
from hotlap.scaleout.sweep.folder import Score, SweepFolder, TrialRecord

HEADINGS = ("state", "best at step", "score", "laps", "settings")


@dataclass(frozen=True)
class Row:
    """One training of a sweep, as far as it came."""

    record: TrialRecord
    run: Path
    best: PolicyScore | None
    """Its best policy; None before the first evaluation."""

    @property
    def score(self) -> Score:
        """What orders the trainings; those without one come last."""
        return self.best.score if self.best else ()

    def plain(self) -> dict[str, Any]:
        """As an object for JSON."""
        return {
            "run": str(self.run),
            "state": self.record.state,
            "preset": self.record.trial.preset,
            "settings": self.record.trial.point,
            "taken_over": [dict(each) for each in self.record.taken_over],
            "best": asdict(self.best) if self.best else {},
        }


def rows_of(folder: SweepFolder) -> list[Row]:
    """Every training, the best first; equals stay in the sweep's order."""
    rows = [_row(folder, record) for record in folder.records()]
    return sorted(rows, key=lambda row: row.score, reverse=True)


def _row(folder: SweepFolder, record: TrialRecord) -> Row:
    run = folder.runs / record.trial.name
    return Row(record, run, read_best(run))


def best_run(rows: list[Row]) -> Path:
    """The run whose policy has the best score."""
    for row in rows:
        if row.score and (row.run / POLICY_FILE).is_file():
            return row.run
    raise SweepError("no training of the sweep came to an evaluation. Look into its logs, or give it more steps.")


def print_rows(title: str, rows: list[Row]) -> None:
    """One line for each training."""
    table = empty_table(title, HEADINGS)
    for row in rows:
        step = row.best.step if row.best else 0
        cells = (row.record.state, f"{step:,}", _score(row.score), _laps(row.best), _settings(row))
        table.add_row(Text(row.run.name), *map(Text, cells))
    print_table(console_for_results(), table)


def _score(score: Score) -> str:
    return " ".join(f"{part:.3g}" for part in score) or "–"


def _laps(best: PolicyScore | None) -> str:
    laps = best.laps if best else {}
    return ", ".join(f"{lap:.3f} s" for lap in laps.values() if lap is not None) or "–"


def _settings(row: Row) -> str:
    return ", ".join(f"{name} {_shown(value)}" for name, value in row.record.trial.point.items())


def _shown(value: Any) -> str:
    return (
        f"{value:.4g}"
        if isinstance(value, float)
        else "+".join(map(str, value))
        if isinstance(value, list)
        else str(value)
    )
