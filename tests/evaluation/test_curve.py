"""Learning curves as they come off the disk: complete, half-written, or odd."""

from hotlap.evaluation.curve import CurvePoint, read_curve


def test_points_are_read_in_order(tmp_path):
    (tmp_path / "curve.jsonl").write_text(
        '{"step": 100, "seconds": 1.5, "reward": -0.2, "completion": 0.0, "best_lap_s": null}\n'
        '{"step": 200, "seconds": 3, "reward": 1, "completion": 1.0, "best_lap_s": 7.1}\n'
    )
    assert read_curve(tmp_path) == [CurvePoint(100.0, 1.5, -0.2, 0.0, None), CurvePoint(200.0, 3.0, 1.0, 1.0, 7.1)]


def test_lines_that_are_no_points_are_left_out(tmp_path):
    lines = [
        '{"step": 1}',
        "[]",
        '{"seconds": 2}',
        '{"step": "x"}',
        "",
        "[" * 100_000,
        '{"step": NaN}',
        '{"step": 2, "sec',
    ]
    (tmp_path / "curve.jsonl").write_text("\n".join(lines))
    assert read_curve(tmp_path) == [CurvePoint(1.0, None, None, None, None)]


def test_no_run_and_no_file_have_no_curve(tmp_path):
    assert read_curve(None) == read_curve(tmp_path) == []
