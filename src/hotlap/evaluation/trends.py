"""What `hotlap trends` does: evaluations and missions over time, by driver, branch and commit; tables and a page."""

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hotlap.errors import ConfigError, ReportError
from hotlap.evaluation.compare import regressions
from hotlap.evaluation.highway.logged_missions import logged_missions
from hotlap.evaluation.history_filter import HistoryFilter
from hotlap.evaluation.measures import Change, Measure, Quantity, shown
from hotlap.evaluation.regression import history
from hotlap.evaluation.statistics import share
from hotlap.evaluation.table import console_for_results, empty_table, print_table
from hotlap.evaluation.trends_page import trends_page
from hotlap.exit_codes import BELOW_WHAT_WAS_ASKED, DONE
from hotlap.highway.missions import Ending
from hotlap.progress import say
from hotlap.store.database import DATABASE_FILE
from hotlap.store.evaluations import MOST_EVALUATIONS, KeptEvaluation
from hotlap.store.missions import LoggedMission
from hotlap.whole_files import refuse_to_overwrite, write_whole_file

MISSIONS_DONE = Quantity("missions_done", "missions done", ".0%", 1)


@dataclass(frozen=True)
class MissionGroup:
    """The missions of one driver at one commit."""

    driver: str
    branch: str
    commit: str
    missions: Sequence[LoggedMission]
    """Oldest first."""

    @property
    def done(self) -> Measure:
        """The share that was done of those that could be."""
        tried = [each.record.ending for each in self.missions if each.record.ending is not Ending.REFUSED]
        return Measure(self.driver, MISSIONS_DONE, share(tried.count(Ending.DONE), len(tried)))

    @property
    def crashed(self) -> int:
        """How many ended in a crash."""
        return sum(each.record.ending is Ending.CRASHED for each in self.missions)

    def plain(self) -> dict[str, Any]:
        """As an object for JSON."""
        facts = {"driver": self.driver, "branch": self.branch, "commit": self.commit}
        return {**facts, "missions": len(self.missions), "crashed": self.crashed, **self.done.plain()}


def show_trends(
    root: Path, wanted: HistoryFilter, report: Path | None, *, check: bool, as_json: bool, force: bool
) -> int:
    """Print, and write the page; with `check`, 1 when the newest of a driver failed or its missions got worse."""
    if not (root / DATABASE_FILE).is_file():
        raise ConfigError(f"{root}: nothing was evaluated or driven there yet. Run hotlap evaluate or hotlap drive.")
    if report is not None:
        refuse_to_overwrite(report, force=force, error=ReportError)
    evaluations, groups = kept_evaluations(root, wanted), mission_groups(root, wanted)
    if as_json:
        sys.stdout.write(json.dumps(_document(evaluations, groups), indent=2) + "\n")
    else:
        _print(evaluations, groups)
    if report is not None:
        write_whole_file(report, trends_page(evaluations, groups).encode(), force=True, error=ReportError)
        say(f"report written to {report}")
    found = what_got_worse(evaluations, groups)
    for each in found:
        say(each)
    return BELOW_WHAT_WAS_ASKED if check and found else DONE


def kept_evaluations(root: Path, wanted: HistoryFilter) -> list[KeptEvaluation]:
    """Those asked for, oldest first."""
    with history(root) as kept:
        entries = kept.newest(MOST_EVALUATIONS)
    return [each for each in reversed(entries) if wanted.takes(each.driver, each.branch, each.commit_id)]


def mission_groups(root: Path, wanted: HistoryFilter) -> list[MissionGroup]:
    """The missions asked for, by driver and commit, in the order they were driven in."""
    groups: dict[tuple[str, str, str], list[LoggedMission]] = {}
    for mission in reversed(logged_missions(root / DATABASE_FILE)):
        key = (mission.record.driver, *mission.revision)
        if wanted.takes(*key):
            groups.setdefault(key, []).append(mission)
    return [MissionGroup(*key, missions) for key, missions in groups.items()]


def what_got_worse(evaluations: Iterable[KeptEvaluation], groups: Sequence[MissionGroup]) -> list[str]:
    """The regression monitor over both stores: a newest evaluation that failed, missions worse than a commit before."""
    newest = {(each.world, each.setup, each.driver): each for each in evaluations}
    found = [f"{each.driver}, evaluated {each.made_at}: failed" for each in newest.values() if not each.passed]
    for driver in dict.fromkeys(group.driver for group in groups):
        own = [group.done for group in groups if group.driver == driver]
        found += [f"worse than at the commit before: {each}" for each in regressions(_last_change(own))]
    return found


def _last_change(measures: Sequence[Measure]) -> list[Change]:
    return [Change(*measures[-2:])] if len(measures) > 1 else []


def _document(evaluations: Sequence[KeptEvaluation], groups: Sequence[MissionGroup]) -> dict[str, Any]:
    kept = [{**vars(each), "setup": json.loads(each.setup)} for each in evaluations]
    return {"evaluations": kept, "missions": [each.plain() for each in groups]}


def _print(evaluations: Sequence[KeptEvaluation], groups: Sequence[MissionGroup]) -> None:
    console = console_for_results()
    table = empty_table("Evaluations, oldest first", ("made at", "branch", "commit", "world", ""))
    for each in evaluations:
        outcome = "" if each.passed else "failed"
        table.add_row(each.driver, each.made_at, each.branch, each.commit_id, each.world, outcome)
    driven = empty_table("Missions, by driver and commit", ("branch", "commit", "missions", "done", "crashed"))
    for group in groups:
        counted = (str(len(group.missions)), shown(group.done), str(group.crashed))
        driven.add_row(group.driver, group.branch, group.commit, *counted)
    for part in (table, driven):
        if part.row_count:
            print_table(console, part)
