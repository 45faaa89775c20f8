"""`hotlap trends`: evaluations and missions by driver, branch and commit; and the monitor that looks at both."""

import json
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from hotlap import cli
from hotlap.highway.missions import Ending, Mission, Mode, Outcome
from hotlap.store.database import DATABASE_FILE, Database
from hotlap.store.evaluations import EvaluationHistory
from hotlap.store.missions import MissionLog, record_of
from hotlap.store.revision import UNKNOWN, current_revision

STORE = Path("runs") / DATABASE_FILE
QUICK = ["--vehicles", "4", "--episodes", "2", "--orders", "0", "--no-baselines", "--root", "runs"]


def git(*words):
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    subprocess.run(["git", *identity, *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    """The current folder as a repository with a commit on main, and a folder for runs."""
    (tmp_path / "runs").mkdir()
    git("init", "--initial-branch", "main")
    git("commit", "--allow-empty", "--message", "first")


def missions(endings, driver="expert"):
    database = Database(STORE)
    for ending in endings:
        MissionLog(database).add(record_of(Outcome(Mission(Mode.CRUISE), ending, "", 5.0), driver))
    database.close()


def shown(capsys, *words):
    code = cli.main(["trends", "--json", *words])
    return code, json.loads(capsys.readouterr().out)


def test_revision_is_the_branch_and_commit_or_nothing(tmp_path):
    assert current_revision() == UNKNOWN
    git("init", "--initial-branch", "feature/x")
    assert current_revision() == UNKNOWN
    git("commit", "--allow-empty", "--message", "first")
    branch, commit = current_revision()
    assert branch == "feature/x"
    assert len(commit) == 12


def test_commit_without_a_branch_takes_the_name_that_a_ci_gives(repository, monkeypatch):
    git("checkout", "--detach")
    monkeypatch.setenv("GITHUB_REF_NAME", "nightly")
    assert current_revision().branch == "nightly"


def test_page_draws_every_figure_and_names_drivers_branches_and_commits(repository, tmp_path, capsys):
    for driver in ("expert", "cruise", "expert"):
        assert cli.main(["evaluate", driver, *QUICK]) == 0
    missions([Ending.DONE, Ending.CRASHED])
    assert cli.main(["trends", "--report", "trends.html"]) == 0
    assert current_revision().commit in capsys.readouterr().out
    page = (tmp_path / "trends.html").read_text(encoding="utf-8")
    tree = ET.fromstring(page.removeprefix("<!DOCTYPE html>\n"))  # noqa: S314 - our own page
    titles = {title.text for title in tree.iter("{http://www.w3.org/2000/svg}title")}
    assert {"speed error mph", "jerk rms mps3", "reward per decision"} <= titles
    for words in ("main", current_revision().commit, "expert", "cruise", "4 vehicles", "50%"):
        assert words in page
    assert "<script" not in page


def test_only_what_is_asked_for_is_shown(repository, capsys):
    missions([Ending.DONE])
    git("checkout", "-b", "other")
    git("commit", "--allow-empty", "--message", "second")
    missions([Ending.DONE, Ending.DONE], "pilot")
    assert [each["missions"] for each in shown(capsys)[1]["missions"]] == [1, 2]
    assert [each["driver"] for each in shown(capsys, "--branch", "other")[1]["missions"]] == ["pilot"]
    assert [each["driver"] for each in shown(capsys, "--driver", "expert")[1]["missions"]] == ["expert"]
    commit = current_revision().commit[:7]
    assert [each["branch"] for each in shown(capsys, "--commit", commit)[1]["missions"]] == ["other"]


def test_missions_that_got_worse_from_one_commit_to_the_next_fail_the_check(repository, capsys):
    missions([Ending.DONE] * 40)
    git("commit", "--allow-empty", "--message", "second")
    missions([Ending.DONE] * 20 + [Ending.TIMED_OUT] * 20)
    assert cli.main(["trends"]) == 0
    assert cli.main(["trends", "--check"]) == 1
    assert "expert: missions done 50%" in capsys.readouterr().err


def test_missions_that_differ_by_chance_pass_the_check(repository):
    missions([Ending.DONE] * 5)
    git("commit", "--allow-empty", "--message", "second")
    missions([Ending.DONE] * 4 + [Ending.TIMED_OUT])
    assert cli.main(["trends", "--check"]) == 0


def test_newest_evaluation_that_failed_fails_the_check(repository, capsys):
    assert cli.main(["evaluate", "expert", *QUICK]) == 0
    assert cli.main(["trends", "--check"]) == 0
    database = Database(STORE)
    [entry] = EvaluationHistory(database).newest()
    EvaluationHistory(database).add(entry.document, passed=False)
    database.close()
    assert cli.main(["trends", "--check"]) == 1
    assert "failed" in capsys.readouterr().err


def test_monitor_sets_an_evaluation_against_a_branch_or_a_commit(repository, capsys):
    assert cli.main(["evaluate", "expert", *QUICK]) == 0
    main = current_revision().commit
    git("checkout", "-b", "other")
    git("commit", "--allow-empty", "--message", "second")
    assert cli.main(["evaluate", "expert", *QUICK, "--against", "branch:other"]) == 3
    for base in ("branch:main", f"commit:{main[:7]}", f"commit:{main}"):
        assert cli.main(["evaluate", "expert", *QUICK, "--against", base]) == 0
    assert cli.main(["evaluate", "expert", *QUICK, "--against", "commit:0000000"]) == 3
    assert "no figure is worse" in capsys.readouterr().err


def test_folder_without_anything_is_refused(tmp_path, capsys):
    assert cli.main(["trends"]) == 2
    assert "nothing was evaluated or driven there yet" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
