"""What a command tells on stderr while it works."""

import sys
import threading

import pytest

from hotlap import progress
from hotlap.cli import main
from hotlap.progress import Verbosity, bar, say, say_more, telling, tracked, waiting


@pytest.mark.parametrize(
    ("verbosity", "told"),
    [(Verbosity.QUIET, ""), (Verbosity.USUAL, "driving\n"), (Verbosity.VERBOSE, "driving\nin detail\n")],
)
def test_lines_are_told_by_verbosity(verbosity, told, capsys):
    with telling(verbosity):
        say("driving")
        say_more("in detail")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", told)


def test_a_quiet_command_leaves_the_next_one_of_the_process_as_talkative_as_ever(capsys):
    assert main(["tracks", "list", "-q"]) == 0
    capsys.readouterr()
    say("driving")
    assert capsys.readouterr().err == "driving\n"


def test_no_bar_without_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(progress, "BAR_AFTER_S", 0.0)
    assert list(tracked("abc", 3, "letters")) == ["a", "b", "c"]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("verbosity", "shown"), [(Verbosity.USUAL, True), (Verbosity.QUIET, False)])
def test_bar_on_a_terminal_unless_quiet_was_asked_for(verbosity, shown, capsys, monkeypatch):
    monkeypatch.setattr(progress, "BAR_AFTER_S", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with telling(verbosity), bar(4, "tracks", "evaluating") as advance:
        advance(4)
    assert ("evaluating" in capsys.readouterr().err) is shown


def test_what_is_done_soon_shows_no_bar(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    list(tracked("abc", 3, "letters"))
    assert "letters" not in capsys.readouterr().err


@pytest.mark.parametrize(("verbosity", "shown"), [(Verbosity.USUAL, True), (Verbosity.QUIET, False)])
def test_seconds_are_counted_on_a_terminal_while_nobody_knows_how_far_the_work_is(
    verbosity, shown, capsys, monkeypatch
):
    monkeypatch.setattr(progress, "BAR_AFTER_S", 0.0)
    monkeypatch.setattr(progress, "REDRAWN_S", 0.001)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    said = ""
    with telling(verbosity), waiting("compiling kernels"):
        while shown and said.count("compiling kernels, 00:0") < 3:  # drawn again and again
            said += capsys.readouterr().err
    assert bool(said) is shown
    assert not capsys.readouterr().err.strip("\r ")  # and gone when the work is done


def test_no_thread_counts_without_a_terminal():
    before = threading.active_count()
    with waiting("compiling kernels"):
        assert threading.active_count() == before
