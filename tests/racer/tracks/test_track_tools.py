"""What `hotlap tracks …` prints, writes and refuses."""

import json

import pytest

from hotlap.errors import TrackError
from hotlap.racer.tracks import generate_track, load_track
from hotlap.racer.tracks.track_tools import generate_tracks, import_track, list_tracks, show_track
from racer.tracks.surveys import survey_rows, write_survey


def test_list_shows_every_built_in_track(capsys):
    list_tracks()
    printed = capsys.readouterr().out
    for words in (
        "track-01    Circuit      1,184 u  clockwise",
        "track-02    Speedway",
        "counter-clockwise  12 to 24 u",
    ):
        assert words in printed


def test_list_for_machines_is_json(capsys):
    list_tracks(as_json=True)
    facts = json.loads(capsys.readouterr().out)
    assert [track["id"] for track in facts] == ["track-01", "track-02", "track-03", "quarry", "ridgeway", "thicket"]
    assert facts[0]["length_u"] == load_track("track-01").length_u


def test_show_prints_facts_and_draws_where_asked(capsys, tmp_path):
    show_track("track-03", picture=tmp_path / "t.png")
    printed = capsys.readouterr().out
    assert "Gauntlet (track-03)" in printed
    assert "gold 45 s, silver 55 s, bronze 70 s" in printed
    assert (tmp_path / "t.png").read_bytes().startswith(b"\x89PNG")


def test_show_for_machines_is_json(capsys):
    show_track("generated:5:easy", as_json=True)
    facts = json.loads(capsys.readouterr().out)
    assert facts["id"] == "generated:5:easy"
    assert facts["par_ticks"] is None
    assert facts["picture"] is None


def test_show_does_not_draw_over_another_picture(tmp_path):
    (tmp_path / "t.png").write_text("precious")
    with pytest.raises(TrackError, match="--force"):
        show_track("track-01", picture=tmp_path / "t.png")
    assert (tmp_path / "t.png").read_text() == "precious"


def test_generate_writes_the_circuit_of_the_seed(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    generate_tracks(7, kind="hard", picture=tmp_path / "seven.png")
    assert "written     generated-7-hard.json" in capsys.readouterr().out
    again = load_track(tmp_path / "generated-7-hard.json")
    assert (again.control_points == generate_track(7, "hard").control_points).all()
    assert (tmp_path / "seven.png").exists()


def test_import_writes_beside_the_survey_and_says_what_was_done(capsys, tmp_path):
    source = write_survey(tmp_path / "seaside_park.csv", survey_rows())
    import_track(source)
    printed = capsys.readouterr().out
    for words in ("rows", "1 u per metre, true scale", "to the middle of the road", "light:"):
        assert words in printed
    assert load_track(tmp_path / "seaside_park.json").name == "Seaside Park"


def test_import_takes_scale_smoothing_and_output(capsys, tmp_path):
    source = write_survey(tmp_path / "park.csv", survey_rows())
    import_track(source, output=tmp_path / "out" / "p.json", scale=5.0, smoothing="strong")
    assert "5 u per metre" in capsys.readouterr().out
    assert (tmp_path / "out" / "p.json").exists()


def test_nothing_is_written_when_one_of_the_files_is_taken(tmp_path):
    source = write_survey(tmp_path / "park.csv", survey_rows())
    (tmp_path / "p.png").write_text("precious")
    with pytest.raises(TrackError, match="exists already"):
        import_track(source, picture=tmp_path / "p.png")
    with pytest.raises(TrackError, match="exists already"):
        generate_tracks(1, output=tmp_path / "g.json", picture=tmp_path / "p.png")
    assert {path.name for path in tmp_path.iterdir()} == {"park.csv", "p.png"}
    import_track(source, picture=tmp_path / "p.png", force=True)
    assert (tmp_path / "park.json").exists()


def test_import_over_its_own_source_is_refused(tmp_path):
    source = write_survey(tmp_path / "park.csv", survey_rows())
    before = source.read_bytes()
    with pytest.raises(TrackError, match=r"ends in .json. Name it park.json"):
        import_track(source, output=source, force=True)
    assert source.read_bytes() == before


def test_output_with_another_ending_is_refused(tmp_path):
    with pytest.raises(TrackError, match=r"ends in .json"):
        generate_tracks(1, output=tmp_path / "track.txt")
    with pytest.raises(TrackError, match=r"ends in .png"):
        show_track("track-01", picture=tmp_path / "track.gif")
