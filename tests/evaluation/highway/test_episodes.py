"""`episodes.jsonl`: what was written is read, and anything else is refused by its line."""

import pytest

from hotlap.errors import ConfigError, ReportError
from hotlap.evaluation.highway.episodes import Episode, EpisodesHeader, MissionEnd, read_episodes, write_episodes
from hotlap.highway.missions import Ending, Mode

DRIVE = EpisodesHeader("pilot", "highway", "highway-1:0", "mixed", {"algorithm": "ppo"})
EPISODE = Episode(
    seed=2**40, vehicles=8, supervised=True, decisions=900, metres=4800.5, crashed=False, ego_fault=False,
    intervened=3, rules={"distance": 3}, missions=[MissionEnd(Mode.CRUISE, Ending.DONE, 7.2)], free=100,
    speed_error_mps=12.5, following=40, gap_s=60.0, jerk_squares=400.0, off_lane=20, reward=180.25,
)  # fmt: skip


def test_episodes_come_back_as_they_were_written(tmp_path):
    path = tmp_path / "episodes.jsonl"
    write_episodes(path, DRIVE, [EPISODE, EPISODE])
    assert read_episodes(path) == (DRIVE, [EPISODE, EPISODE])
    with pytest.raises(ReportError, match="--force"):
        write_episodes(path, DRIVE, [EPISODE])


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('"version":1', '"version":2', 1),
        ('"hotlap-episodes"', '"other"', 1),
        ('"metres":4800.5', '"metres":-1', 2),
        ('"seed":1099511627776', '"seed":"x"', 2),
        ('"mode":"cruise"', '"mode":"fly"', 2),
        ('"reward":180.25', '"reward":180.25,"more":1', 2),
        ('"free":100,', "", 2),
    ],
)
def test_line_of_another_kind_is_named(tmp_path, old, new, line):
    path = tmp_path / "episodes.jsonl"
    write_episodes(path, DRIVE, [EPISODE])
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(ConfigError, match=f"line {line}: not of format"):
        read_episodes(path)


def test_empty_and_missing_files_are_refused(tmp_path):
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(ConfigError, match="is empty"):
        read_episodes(tmp_path / "empty.jsonl")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_episodes(tmp_path / "missing.jsonl")
