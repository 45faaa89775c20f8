"""Files that appear whole or not at all, and whose error it is when they cannot."""

import pytest

from hotlap.errors import HotlapError, ReportError, TrackError
from hotlap.evaluation.highway.episodes import EpisodesHeader, write_episodes
from hotlap.whole_files import write_whole_file

HEADER = EpisodesHeader("pilot", "highway", "highway-1:0", "mixed")


class HouseError(HotlapError):
    pass


def test_file_is_written_with_its_folder_and_replaced_by_force_alone(tmp_path):
    path = tmp_path / "new" / "file.bin"
    write_whole_file(path, b"one", force=False, error=HouseError)
    with pytest.raises(HouseError, match="exists already"):
        write_whole_file(path, b"two", force=False, error=HouseError)
    assert path.read_bytes() == b"one"
    write_whole_file(path, b"two", force=True, error=HouseError)
    assert path.read_bytes() == b"two"
    assert [each.name for each in path.parent.iterdir()] == ["file.bin"]


def test_what_cannot_be_written_is_the_callers_error(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(HouseError, match="cannot be written"):
        write_whole_file(tmp_path / "file" / "inside", b"", force=True, error=HouseError)


def test_report_that_cannot_be_written_is_no_error_of_a_track(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ReportError) as caught:
        write_episodes(tmp_path / "file" / "episodes.jsonl", HEADER, [])
    assert not isinstance(caught.value, TrackError)
