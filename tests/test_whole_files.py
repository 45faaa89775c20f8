"""Files and folders that appear whole or not at all, and whose error it is when they cannot."""

import os
from pathlib import Path

import pytest

from hotlap.errors import HotlapError, ReportError, TrackError
from hotlap.evaluation.highway.episodes import EpisodesHeader, write_episodes
from hotlap.whole_files import whole_folder, write_whole_file

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


# Folders


def fill(folder, text, *, force=False):
    with whole_folder(folder, force=force, error=HouseError) as unfinished:
        assert not (folder / "b.txt").exists()
        (unfinished / "b.txt").write_text(text, encoding="utf-8")


def test_folder_appears_with_all_its_files_and_is_replaced_by_force_alone(tmp_path):
    folder = tmp_path / "new" / "folder"
    fill(folder, "one")
    (folder / "older.txt").touch()
    with pytest.raises(HouseError, match="exists already"):
        fill(folder, "two")
    (folder / "b.txt").unlink()
    fill(folder, "two", force=True)
    assert [path.name for path in folder.iterdir()] == ["b.txt"]
    assert (folder / "b.txt").read_text(encoding="utf-8") == "two"
    assert list(folder.parent.iterdir()) == [folder]


def give_up(folder, problem):
    with whole_folder(folder, force=True, error=HouseError) as unfinished:
        (unfinished / "half.txt").touch()
        raise problem


@pytest.mark.parametrize("problem", [KeyboardInterrupt, HouseError])
def test_folder_that_was_not_filled_leaves_the_old_one_and_nothing_beside_it(tmp_path, problem):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "older.txt").touch()
    with pytest.raises(problem):
        give_up(tmp_path / "folder", problem)
    assert [path.name for path in tmp_path.rglob("*")] == ["folder", "older.txt"]


def test_old_folder_comes_back_when_the_new_one_cannot_take_its_name(tmp_path, monkeypatch):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "older.txt").touch()
    rename = os.rename

    def refuse_the_new_one(source, target):
        if Path(source).name == "unfinished":
            raise PermissionError
        rename(source, target)

    monkeypatch.setattr(Path, "rename", refuse_the_new_one)
    with (
        pytest.raises(HouseError, match="cannot be written"),
        whole_folder(tmp_path / "folder", force=True, error=HouseError),
    ):
        pass
    assert [path.name for path in tmp_path.rglob("*")] == ["folder", "older.txt"]


def test_folder_is_refused_in_the_place_of_a_file(tmp_path):
    (tmp_path / "file").touch()
    for folder, why in ((tmp_path / "file", "is a file"), (tmp_path / "file" / "inside", "cannot be written")):
        with pytest.raises(HouseError, match=why):
            fill(folder, "one", force=True)
