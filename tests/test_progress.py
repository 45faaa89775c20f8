"""What a command tells on stderr while it works."""

import sys

import pytest

from hotlap import progress
from hotlap.progress import Verbosity, bar, say, say_more, set_verbosity, tracked


@pytest.fixture(autouse=True)
def usual():
    yield
    set_verbosity(Verbosity.USUAL)


@pytest.mark.parametrize(
    ("verbosity", "told"),
    [(Verbosity.QUIET, ""), (Verbosity.USUAL, "driving\n"), (Verbosity.VERBOSE, "driving\nin detail\n")],
)
def test_lines_are_told_by_verbosity(verbosity, told, capsys):
    set_verbosity(verbosity)
    say("driving")
    say_more("in detail")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", told)


def test_no_bar_without_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(progress, "BAR_AFTER_S", 0.0)
    assert list(tracked("abc", 3, "letters")) == ["a", "b", "c"]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("verbosity", "shown"), [(Verbosity.USUAL, True), (Verbosity.QUIET, False)])
def test_bar_on_a_terminal_unless_quiet_was_asked_for(verbosity, shown, capsys, monkeypatch):
    set_verbosity(verbosity)
    monkeypatch.setattr(progress, "BAR_AFTER_S", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with bar(4, "tracks", "evaluating") as advance:
        advance(4)
    assert ("evaluating" in capsys.readouterr().err) is shown


def test_what_is_done_soon_shows_no_bar(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    list(tracked("abc", 3, "letters"))
    assert "letters" not in capsys.readouterr().err
