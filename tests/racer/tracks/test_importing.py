"""Surveyed circuits become tracks: every way of writing them, centred, scaled, smoothed."""

import numpy as np
import pytest

from hotlap.errors import TrackError
from hotlap.racer.grip_physics import GRIP_PHYSICS
from hotlap.racer.tracks import drawn_for_classic_car, import_circuit, load_track, write_track_file
from racer.tracks.surveys import HEADER, LAPS, lap_rows, ring_rows, sharp_rows, survey_rows, write_survey


@pytest.fixture
def survey(tmp_path):
    return write_survey(tmp_path / "seaside_park.csv", survey_rows())


@pytest.mark.parametrize("smoothing", ["none", "light", "strong"])
def test_survey_becomes_a_track_of_about_its_length(survey, smoothing):
    done = import_circuit(survey, smoothing=smoothing)
    assert done.track.name == "Seaside Park"
    assert done.track.length_u / done.scale == pytest.approx(done.survey_length_m, rel=0.04)
    assert done.row_count == len(survey_rows())


def test_stronger_smoothing_takes_fewer_points_and_calmer_curves(survey):
    tracks = [import_circuit(survey, scale=5.0, smoothing=smoothing).track for smoothing in ("none", "light", "strong")]
    counts = [len(track.control_points) for track in tracks]
    assert counts[0] == len(survey_rows())
    assert counts[2] < 0.6 * counts[1]
    wiggles = [wiggle(track) for track in tracks]
    assert wiggles == sorted(wiggles, reverse=True)


def wiggle(track):
    """How much the heading turns around the lap, left and right added, every ten units."""
    tangent = track.tangent_at(np.arange(0.0, track.length_u, 10.0))
    return np.abs(np.diff(np.unwrap(np.arctan2(tangent[:, 1], tangent[:, 0])))).sum()


def test_survey_is_imported_at_true_scale(survey):
    done = import_circuit(survey)
    assert done.scale == done.track.scale == 1.0
    assert np.median(done.track.control_points[:, 2]) == pytest.approx(5.1, abs=0.2)


def test_scale_asked_for_is_kept(survey):
    done = import_circuit(survey, scale=7.5)
    assert done.scale == 7.5
    assert done.track.length_u == pytest.approx(7.5 * done.survey_length_m, rel=0.02)


def test_track_lies_around_the_origin(survey):
    points = import_circuit(survey).track.control_points[:, :2]
    assert np.abs(points.max(axis=0) + points.min(axis=0)).max() < 60.0


def test_uneven_widths_move_the_centre_line_to_the_middle_of_the_road(tmp_path):
    """Counter-clockwise, so the left edge lies inside: 8 m left and 2 m right make the middle 3 m further in."""
    rows = ring_rows(radius_m=120.0, right_m=2.0, left_m=8.0)
    done = import_circuit(write_survey(tmp_path / "ring.csv", rows), scale=4.0, smoothing="none")
    assert done.largest_shift_m == pytest.approx(3.0)
    np.testing.assert_allclose(np.hypot(*done.track.control_points[:, :2].T), 4.0 * 117.0, atol=1e-2)
    np.testing.assert_allclose(done.track.control_points[:, 2], 20.0)


@pytest.mark.parametrize(
    ("header", "separator"),
    [
        (HEADER, ","),
        (HEADER.replace(",", ";"), ";"),
        (HEADER.removeprefix("# "), ","),
        (HEADER.removeprefix("# ").upper(), ","),
        (None, ","),
        (None, "; "),
        ("# a lap, surveyed by hand\n\n" + HEADER, ", "),
    ],
)
def test_every_usual_way_of_writing_reads_the_same(tmp_path, header, separator):
    plain = import_circuit(write_survey(tmp_path / "lap.csv", ring_rows())).track
    other = import_circuit(write_survey(tmp_path / "lap.csv", ring_rows(), header, separator)).track
    assert (plain.control_points == other.control_points).all()


def test_columns_are_found_by_name(tmp_path):
    rows = ring_rows(right_m=3.0, left_m=7.0)
    plain = import_circuit(write_survey(tmp_path / "lap.csv", rows)).track
    shuffled = write_survey(tmp_path / "lap.csv", rows[:, [3, 0, 2, 1]], "w_tr_left_m,x_m,w_tr_right_m,y_m")
    assert (import_circuit(shuffled).track.control_points == plain.control_points).all()


def test_repeated_last_row_is_left_out(tmp_path):
    rows = ring_rows()
    plain = import_circuit(write_survey(tmp_path / "lap.csv", rows)).track
    closed = import_circuit(write_survey(tmp_path / "lap.csv", np.concatenate([rows, rows[:1]]))).track
    assert (plain.control_points == closed.control_points).all()


def test_import_written_and_read_back_is_the_same_track(survey, tmp_path):
    track = import_circuit(survey).track
    write_track_file(track, tmp_path / "park.json")
    read = load_track(tmp_path / "park.json")
    assert read.scale == 1.0
    assert (read.outer_wall == track.outer_wall).all()


BAD_ROWS = {
    "NaN": ("nan,0,5,5", "line 5", "Replace it by a number"),
    "infinity": ("0,inf,5,5", "line 5", "Replace it by a number"),
    "zero width": ("1,2,0,0", "line 5 (point 4): the row has no width", "2 to 15 m"),
    "negative width": ("1,2,-5,6", "line 5 (point 4): the row has a negative width", "2 to 15 m"),
    "three numbers": ("1,2,3", 'line 5 (point 4): "1,2,3" is not a row', "x_m,y_m,w_tr_right_m,w_tr_left_m"),
    "a word": ("1,2,3,wide", "line 5", "decimal points"),
    "decimal commas": ("1,5;2,5;3,5;4,5", "line 5", "decimal points"),
    "another planet": ("1e9,2,5,5", "line 5", "in metres"),
}


@pytest.mark.parametrize("case", BAD_ROWS, ids=lambda case: case.replace(" ", "-"))
def test_bad_row_is_refused_with_its_line_and_remedy(case, tmp_path):
    row, what, remedy = BAD_ROWS[case]
    path = write_survey(tmp_path / "bad.csv", ring_rows())
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:4], row, *lines[4:]]))
    with pytest.raises(TrackError) as refusal:
        import_circuit(path)
    message = str(refusal.value)
    assert message.startswith(str(path))
    assert what in message
    assert remedy in message


@pytest.mark.parametrize(
    ("text", "what", "remedy"),
    [
        ("", "is empty", "track file"),
        (HEADER, "0 points are too few", "at least 4 rows"),
        ("x_m,y_m\n1,2\n", "no column w_tr_right_m, w_tr_left_m", "Name the columns"),
        ("0,0,5,5\n100,0,5,5\n", "2 points are too few", "at least 4 rows"),
        (
            "0,0,5,5\n0,0,5,5\n9,9,5,5\n0,9,5,5\n-9,0,5,5\n",
            "line 2 (point 2): the row repeats",
            "Remove one of the two",
        ),
        ("hello", "no column", "Name the columns"),
    ],
)
def test_bad_survey_is_refused_with_remedy(text, what, remedy, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(TrackError) as refusal:
        import_circuit(path)
    assert what in str(refusal.value)
    assert remedy in str(refusal.value)


@pytest.mark.parametrize("reverse", [False, True], ids=["as drawn", "the other way"])
@pytest.mark.parametrize("lap", LAPS)
def test_what_real_circuits_have_is_imported(tmp_path, lap, reverse):
    done = import_circuit(write_survey(tmp_path / "lap.csv", lap_rows(lap, reverse=reverse)))
    assert done.smoothing == "light"
    assert done.track.length_u == pytest.approx(done.survey_length_m, rel=0.01)


@pytest.mark.parametrize("lap", LAPS)
def test_classic_car_gets_the_same_circuit_at_its_own_scale(tmp_path, lap):
    track = import_circuit(write_survey(tmp_path / "lap.csv", lap_rows(lap))).track
    large = drawn_for_classic_car(track)
    assert np.median(large.control_points[:, 2]) == pytest.approx(22.0)
    np.testing.assert_allclose(large.control_points, track.control_points * large.scale)
    assert large.track_id == track.track_id


def test_tracks_in_game_units_stay_as_they_are_for_the_classic_car():
    track = load_track("track-03")
    assert drawn_for_classic_car(track) is track


def test_noise_goes_and_hairpins_keep_their_radius(tmp_path):
    track = import_circuit(write_survey(tmp_path / "ring.csv", ring_rows(radius_m=35.0, count=44))).track
    np.testing.assert_allclose(np.hypot(*track.control_points[:, :2].T), 35.0, atol=0.05)


def test_roads_that_lie_on_each_other_are_narrowed(tmp_path):
    done = import_circuit(write_survey(tmp_path / "lap.csv", lap_rows("straights 12 m apart")))
    assert 0.5 < done.narrowed_m < 4.0


@pytest.mark.parametrize("reverse", [False, True], ids=["as drawn", "the other way"])
def test_no_car_on_a_road_that_is_wider_than_its_corner_touches_a_wall(tmp_path, reverse):
    rows = lap_rows("long lap", reverse=reverse)
    rows[:, 2:] = 10.0
    done = import_circuit(write_survey(tmp_path / "lap.csv", rows))
    track = done.track
    half_width = track.half_width_at(np.arange(len(track.centre)) / len(track.centre) * track.length_u)
    for wall in (track.inner_wall, track.outer_wall):
        beyond = np.hypot(*(wall[:-1] - track.centre).T) - half_width
        assert (beyond > GRIP_PHYSICS.contact_radius_u).all()
    assert np.median(half_width) == pytest.approx(10.0, abs=0.01)
    assert half_width.min() > 5.0
    assert done.narrowed_m == pytest.approx(20.0 - 2.0 * half_width.min(), abs=2.5)


def test_corner_hardly_rounded_is_imported_too(tmp_path):
    done = import_circuit(write_survey(tmp_path / "block.csv", sharp_rows()))
    assert done.track.length_u == pytest.approx(1200.0, rel=0.02)


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf"), 1e6])
def test_senseless_scale_is_refused(survey, scale):
    with pytest.raises(TrackError, match="1 is true scale"):
        import_circuit(survey, scale=scale)


def test_misspelt_smoothing_names_the_nearest(survey):
    with pytest.raises(TrackError, match='Did you mean "strong"'):
        import_circuit(survey, smoothing="strnog")
