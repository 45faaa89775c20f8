"""Track files: reading with care, refusing with file and line, writing whole."""

import json
import os
import time

import numpy as np
import pytest

from hotlap import whole_files
from hotlap.errors import TrackError
from hotlap.racer.tracks import (
    generate_track,
    load_track,
    read_track_file,
    track_files,
    track_ids,
    write_track_file,
)
from racer.tracks.surveys import ring_rows, write_survey

RING = [[200, 0, 20], [140, 140, 20], [0, 200, 20], [-140, 140, 20], [-200, 0, 20], [-140, -140, 20], [0, -200, 20]]
RING.append([140, -140, 20])


def written(folder, text, name="mine.json"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def with_points(points, **rest):
    """JSON with every point on a line of its own; point k stands on line k + 2."""
    head = "".join(f", {json.dumps(key)}: {json.dumps(value)}" for key, value in rest.items())
    return '{"points": [\n' + ",\n".join(json.dumps(point) for point in points) + "\n]" + head + "}"


def changed(index, point):
    return [*RING[:index], point, *RING[index + 1 :]]


BAD_TEXTS = {
    "empty": ("", "is empty", '"points"'),
    "blank": (" \n\n", "is empty", '"points"'),
    "no text": (b"\xff\xfe\x00\x01\x9d", "is not text", "UTF-8"),
    "no JSON": ('{\n"points": [\n[1, 2,]]}', "line 3: is not JSON", '"points"'),
    "cut short": (with_points(RING)[:-30], "is not JSON", '"points"'),
    "a list": (json.dumps(RING), "is not a JSON object", '"points"'),
    "deeply nested": ("[" * 100_000, "is not JSON", '"points"'),
    "giant number": ('{"points": [[' + "9" * 5_000 + ", 0, 1]]}", "is not JSON", '"points"'),
    "no points": ('{"name": "x"}', 'no list of "points"', '"points"'),
    "points in words": ('{"points": "many"}', 'no list of "points"', '"points"'),
    "misspelt key": (with_points(RING, nmae="x"), 'unknown key "nmae"', 'Did you mean "name"?'),
    "no name": (with_points(RING, name=7), "is no name", '"name": "Circuit"'),
    "endless name": (with_points(RING, name="x" * 101), "is no name", '"name": "Circuit"'),
    "two pars": (with_points(RING, par_ticks=[1, 2]), "not three times", "[2400, 3000, 3600]"),
    "pars in words": (with_points(RING, par_ticks=["a", "b", "c"]), "not three times", "[2400, 3000, 3600]"),
    "pars reversed": (with_points(RING, par_ticks=[3, 2, 1]), "not in order", "gold first"),
    "two points": (with_points(RING[:2]), "2 points are too few", "at least 4 points"),
    "two numbers": (with_points(changed(3, [1, 2])), "line 5 (point 4): [1, 2] is not a point", "half_width"),
    "a word": (with_points(changed(3, [1, 2, "x"])), "line 5 (point 4)", "three numbers"),
    "a truth": (with_points(changed(3, [1, 2, True])), "line 5 (point 4)", "three numbers"),
    "NaN": (with_points(changed(5, [float("nan"), 2, 3])), "line 7 (point 6)", "NaN and infinite"),
    "infinity": (with_points(changed(5, [1, 2, float("inf")])), "line 7 (point 6)", "NaN and infinite"),
    "zero width": (with_points(changed(2, [0, 200, 0])), "line 4 (point 3): half-width 0 u", "at least 1 u"),
    "negative width": (with_points(changed(2, [0, 200, -4])), "line 4 (point 3): half-width -4 u", "at least 1 u"),
    "repeated point": (with_points(changed(1, [200, 0, 20])), "line 3 (point 2)", "Remove one of the two"),
    "crossing": (with_points([RING[k] for k in (0, 3, 2, 1, 4, 5, 6, 7)]), "line 2 (point 1)", "Order the points"),
    "a crowd": (with_points([[k, 0, 1] for k in range(6_000)]), "6,000 control points", "at most 5,000"),
}


@pytest.mark.parametrize("case", BAD_TEXTS, ids=lambda case: case.replace(" ", "-"))
def test_bad_file_is_refused_with_file_line_and_remedy(case, tmp_path):
    text, what, remedy = BAD_TEXTS[case]
    path = written(tmp_path, text)
    with pytest.raises(TrackError) as refusal:
        load_track(path)
    message = str(refusal.value)
    assert message.startswith(str(path))
    assert what in message
    assert remedy in message


def test_missing_file_names_the_nearest_one(tmp_path):
    written(tmp_path, with_points(RING), "silverstone.json")
    with pytest.raises(TrackError, match=r'no such file. Did you mean "silverstone.json"\?'):
        load_track(tmp_path / "silverston.json")


def test_missing_folder_is_refused(tmp_path):
    with pytest.raises(TrackError, match="no such file"):
        load_track(str(tmp_path / "nowhere" / "x.json"))


def test_folder_is_not_a_track(tmp_path):
    (tmp_path / "x.json").mkdir()
    with pytest.raises(TrackError, match="is not a file"):
        load_track(tmp_path / "x.json")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_pipe_is_refused_rather_than_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(TrackError, match="is not a file"):
        load_track(tmp_path / "pipe.json")


def test_overlong_path_is_refused():
    with pytest.raises(TrackError):
        load_track("/x" * 5_000 + ".json")


def test_path_with_a_null_character_is_refused():
    with pytest.raises(TrackError):
        load_track("track\0.json")


@pytest.mark.parametrize("name", ["million.json", "million.csv"])
def test_million_points_are_refused_within_a_second(name, tmp_path, in_time):
    text = with_points([[0, 0, 1]] * 1_000_000) if name.endswith("json") else "1,2,3,4\n" * 1_000_000
    path = written(tmp_path, text, name)
    begin_s = time.process_time()
    with pytest.raises(TrackError, match=r"too large for a track. Thin it out"):
        load_track(path)
    in_time(time.process_time() - begin_s, 1.0)


def test_a_long_file_below_the_size_limit_is_refused_by_counting(tmp_path):
    path = written(tmp_path, "1,2,3,4\n" * 400_000, "long.csv")
    with pytest.raises(TrackError, match=r"400,000 lines are too many for a lap. Thin the file out"):
        load_track(path)


@pytest.mark.parametrize("end", ["\n", "\r", "\f", "\u2028"], ids=repr)
def test_rows_are_counted_whatever_ends_a_line(end, tmp_path):
    path = written(tmp_path, f"1,2,3,4{end}" * 50_000, "long.csv")
    with pytest.raises(TrackError, match=r"50,000 lines are too many for a lap"):
        load_track(path)


def test_crowd_is_counted_before_its_lines_are_looked_for(tmp_path, monkeypatch):
    """Looking for the line of each of a million empty points takes as long as reading them."""
    monkeypatch.setattr(track_files, "_lines_of_points", lambda *_: pytest.fail("looked for lines"))
    with pytest.raises(TrackError, match="1,000,000 control points are too many"):
        load_track(written(tmp_path, '{"points": [' + ",".join(["[]"] * 1_000_000) + "]}"))


def test_empty_csv_file_is_told_what_a_csv_file_looks_like(tmp_path):
    with pytest.raises(TrackError, match=r"lap.csv: is empty. .*x_m,y_m,w_tr_right_m,w_tr_left_m"):
        load_track(written(tmp_path, "\n", "lap.csv"))


def test_file_needs_nothing_but_points(tmp_path):
    track = load_track(written(tmp_path, with_points(RING)))
    assert (track.track_id, track.name, track.par_ticks) == ("mine", "mine", None)


def test_id_is_the_stem_of_the_file_whatever_it_says_inside(tmp_path):
    assert load_track(written(tmp_path, with_points(RING, id="track-01"))).track_id == "mine"


def test_file_with_a_byte_order_mark_is_read(tmp_path):
    assert load_track(written(tmp_path, b"\xef\xbb\xbf" + with_points(RING).encode())).length_u > 1000.0


@pytest.mark.parametrize("name", [*track_ids(), "generated:7:hard"])
def test_written_track_reads_back_the_same_to_the_last_bit(name, tmp_path):
    track = load_track(name)
    path = tmp_path / "copy.json"
    write_track_file(track, path)
    copy = read_track_file(path)
    assert (copy.control_points == track.control_points).all()
    assert (copy.inner_wall == track.inner_wall).all()
    assert (copy.name, copy.par_ticks) == (track.name, track.par_ticks)


def test_same_track_is_written_as_the_same_bytes(tmp_path):
    for path in (tmp_path / "a.json", tmp_path / "b.json"):
        write_track_file(generate_track(9, "easy"), path)
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_existing_file_is_only_replaced_with_force(tmp_path):
    path = written(tmp_path, "precious")
    with pytest.raises(TrackError, match=r"exists already. Use --force"):
        write_track_file(load_track("track-01"), path)
    assert path.read_text() == "precious"
    write_track_file(load_track("track-01"), path, force=True)
    assert read_track_file(path).length_u == load_track("track-01").length_u


def test_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = written(tmp_path, "precious")

    def full_disk(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(whole_files.os, "fsync", full_disk)
    with pytest.raises(TrackError, match="cannot be written"):
        write_track_file(load_track("track-01"), path, force=True)
    assert path.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [path]


def test_folder_of_a_new_file_is_made(tmp_path):
    path = tmp_path / "new" / "folder" / "x.json"
    write_track_file(load_track("track-01"), path)
    assert read_track_file(path).track_id == "x"


def test_csv_file_is_a_track_too(tmp_path):
    track = load_track(write_survey(tmp_path / "ring.csv", ring_rows()))
    assert track.track_id == "ring"
    assert track.scale == 1.0
    assert np.median(track.control_points[:, 2]) == pytest.approx(5.0, rel=0.01)
