"""Leagues: ratings explain who beat whom, the same seeds give the same table, an interrupted league resumes."""

import errno
import json
import os

import numpy as np
import pytest

from hotlap import cli
from hotlap.errors import ConfigError, ReportError
from hotlap.evaluation.league.races import CarResult, LeagueRules, RaceResult, drive_races
from hotlap.evaluation.league.ratings import elo, elo_with_intervals, wins_in_race
from hotlap.evaluation.league.records import RaceRecords

QUICK = ["--tracks", "track-01", "--races", "2", "--laps", "1", "--cars", "3", "--json"]


def test_ratings_explain_the_share_of_wins():
    """Ten thousand meetings, three in four won: the Elo difference whose expected score is 0.75."""
    wins = np.array([[0.0, 7500.0], [2500.0, 0.0]])
    first, second = elo(wins)
    assert first - second == pytest.approx(400.0 * np.log10(3.0), abs=0.5)
    assert (first + second) / 2.0 == pytest.approx(1500.0)


def test_driver_that_always_wins_has_a_finite_rating_and_an_interval_around_it():
    races = [wins_in_race([(0, 1), (1, 2), (2, 3)], 3)] * 5 + [wins_in_race([(0, 1), (2, 2), (1, 3)], 3)] * 4
    ratings, low, high = elo_with_intervals(races)
    assert np.isfinite(ratings).all()
    assert ratings[0] > ratings[1] > ratings[2]
    assert ((low <= ratings) & (ratings <= high)).all()
    assert high[1] - low[1] > 10.0


def test_cars_of_one_driver_do_not_beat_each_other():
    wins = wins_in_race([(0, 1), (0, 2), (1, 3)], 2)
    assert wins.tolist() == [[0.0, 2.0], [0.0, 0.0]]


def league(capsys, *words) -> dict:
    assert cli.main(["league", "-q", *words, *QUICK]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    return json.loads(said.out)


def test_faster_driver_wins_and_the_same_seeds_give_the_same_table(capsys, tmp_path):
    first = league(capsys, "line-80", "line-100", "--file", str(tmp_path / "league.jsonl"))
    assert [driver["driver"] for driver in first["drivers"]] == ["line-100", "line-80"]
    assert first["drivers"][0]["wins"] >= 1
    lines = (tmp_path / "league.jsonl").read_bytes().splitlines()
    assert len(lines) == 3
    (tmp_path / "league.jsonl").write_bytes(b"\n".join(lines[:2]) + b"\n" + lines[2][: len(lines[2]) // 2])
    again = league(capsys, "line-80", "line-100", "--file", str(tmp_path / "league.jsonl"))
    assert again == first
    assert (tmp_path / "league.jsonl").read_bytes().splitlines() == lines


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["line-90"], "at least 2 different drivers"),
        (["line-90", "line-90"], "at least 2 different drivers"),
        (["line-90", "line-95", "line-80", "line-85"], "4 drivers do not fit"),
        (["line-90", "nobody"], 'no opponent "nobody"'),
    ],
)
def test_league_that_cannot_be_is_refused(words, why, capsys):
    assert cli.main(["league", *words, *QUICK]) == 2
    assert why in capsys.readouterr().err


def test_file_of_another_league_is_refused(tmp_path):
    path = tmp_path / "league.jsonl"
    rules = LeagueRules(("line-80", "line-90"), 1, 2, "classic")
    car = CarResult(0, 1, 0, "finished", 9.0, 1.1, 1, 1, 0, 0, 0, 0)
    RaceRecords(path, rules).add(RaceResult("track-01", 3, (car,)))
    assert RaceRecords(path, rules).done["track-01", 3].cars == (car,)
    with pytest.raises(ConfigError, match="other drivers or rules"):
        RaceRecords(path, LeagueRules(("line-80", "line-95"), 1, 2, "classic"))
    path.write_bytes(b"hello\n")
    with pytest.raises(ConfigError, match="no file of a league"):
        RaceRecords(path, rules)


def test_place_where_no_file_of_a_league_can_be_is_named(tmp_path, capsys):
    (tmp_path / "file").touch()
    assert cli.main(["league", "line-80", "line-90", *QUICK, "--file", str(tmp_path / "file" / "league.jsonl")]) == 2
    assert "league.jsonl: cannot be written" in capsys.readouterr().err


def test_races_are_kept_when_their_file_cannot_be_written_again(tmp_path, monkeypatch):
    """Mending a half-written last line writes the file again, and the disk refuses."""
    path, rules = tmp_path / "league.jsonl", LeagueRules(("line-80", "line-90"), 1, 2, "classic")
    race = RaceResult("track-01", 3, (CarResult(0, 1, 0, "finished", 9.0, 1.1, 1, 1, 0, 0, 0, 0),))
    RaceRecords(path, rules).add(race)
    with path.open("ab") as file:
        file.write(b'{"track": ')
    before = path.read_bytes()
    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(ReportError, match="No space left"):
        RaceRecords(path, rules)
    assert path.read_bytes() == before


def test_race_that_cannot_be_kept_is_told(tmp_path):
    rules = LeagueRules(("line-80", "line-90"), 1, 2, "classic")
    records = RaceRecords(tmp_path / "league.jsonl", rules)
    records.path = tmp_path
    with pytest.raises(ReportError, match="the same command resumes the league"):
        records.add(RaceResult("track-01", 3, ()))


def full_disk(descriptor):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_page_shows_the_table(tmp_path, capsys):
    page = tmp_path / "league.html"
    table = league(capsys, "line-80", "line-100", "--report", str(page))
    text = page.read_text(encoding="utf-8")
    for row in table["drivers"]:
        assert f"<th>{row['driver']}</th><td>{row['rating']:.0f}</td>" in text


def test_races_driven_together_are_the_races_driven_alone():
    rules = LeagueRules(("line-80", "line-100"), 1, 3, "classic")
    assert drive_races(rules, "track-01", [4, 5]) == [drive_races(rules, "track-01", [seed])[0] for seed in (4, 5)]
