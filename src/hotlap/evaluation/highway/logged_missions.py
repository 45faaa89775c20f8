"""What `hotlap missions` does: the log of missions as a list, failures first, and how each driver did."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from hotlap.errors import MissionError, StoreError
from hotlap.evaluation.highway.mission_filter import MissionFilter
from hotlap.evaluation.table import NONE, console_for_results, empty_table, print_table
from hotlap.highway.missions import Ending
from hotlap.highway.physics import MPH
from hotlap.store.database import DATABASE_FILE, Database
from hotlap.store.missions import MOST_MISSIONS, LoggedMission, MissionLog

FAILURES = (Ending.CRASHED, Ending.TIMED_OUT, Ending.REFUSED, Ending.CANCELLED)
"""Endings short of done, the worst first; a list begins with them."""


def list_missions(root: Path, wanted: MissionFilter, *, as_json: bool) -> None:
    """Print the missions that are asked for, failures first and the newest first among each."""
    chosen = [mission for mission in logged_missions(root / DATABASE_FILE) if wanted.takes(mission)]
    shown = sorted(chosen, key=_rank)[: max(wanted.limit, 0)]
    if as_json:
        sys.stdout.write(json.dumps([mission.as_json() for mission in shown], indent=2) + "\n")
        return
    console = console_for_results()
    if not chosen:
        console.print("No such missions are logged. `hotlap drive` and the page log theirs.", markup=False)
        return
    print_table(console, _table(shown))
    for line in _by_driver(chosen):
        console.print(line, markup=False)


def logged_missions(path: Path) -> list[LoggedMission]:
    """Every mission of the log, newest first; none where there is no log yet."""
    if not path.is_file():
        return []
    database = Database(path)
    try:
        return MissionLog(database).newest(MOST_MISSIONS)
    except MissionError as problem:
        raise StoreError(f"{path}: the log of missions is damaged ({problem}). Move that file away.") from problem
    finally:
        database.close()


def _rank(mission: LoggedMission) -> tuple[int, int]:
    ending = mission.record.ending
    return (FAILURES.index(ending) if ending in FAILURES else len(FAILURES), -mission.id)


def _table(missions: Sequence[LoggedMission]) -> Table:
    table = empty_table("", ("ending", "s", "mph off", "changed", "driver", "when", "order"))
    for mission in missions:
        record = mission.record
        error = record.speed_error_mps
        off = NONE if error is None else f"{error / MPH:+.1f}"
        changed = sum(record.interventions.values())
        ending = f"{record.ending.value}: {record.reason}" if record.reason else record.ending.value
        numbers = (f"{record.duration_s:.1f}", off, f"{changed}")
        table.add_row(
            f"{mission.id} {record.mode.value}", ending, *numbers, record.driver, mission.ended_at, record.text or NONE
        )
    return table


def _by_driver(missions: Sequence[LoggedMission]) -> list[str]:
    """One line for each driver: how many of its missions were done."""
    drivers = sorted({mission.record.driver for mission in missions})
    lines = []
    for driver in drivers:
        endings = [mission.record.ending for mission in missions if mission.record.driver == driver]
        done = endings.count(Ending.DONE)
        lines.append(f"{driver}: {done} of {len(endings)} done, {endings.count(Ending.CRASHED)} crashed")
    return lines
