"""Learning curves as they come off the disk: complete, half-written, or odd."""

from hotlap.checkpoints.curve import CurvePoint, read_curve
from hotlap.evaluation.learning_pictures import series


def test_points_are_read_in_order(tmp_path):
    (tmp_path / "curve.jsonl").write_text(
        '{"step": 100, "seconds": 1.5, "reward": -0.2, "best_lap_s": null}\n'
        '{"step": 200, "seconds": 3, "reward": 1, "best_lap_s": 7.1}\n'
    )
    first, second = read_curve(tmp_path)
    assert (first.step, first.seconds, first.facts["reward"]) == (100.0, 1.5, -0.2)
    assert first.value("best_lap_s") is None
    assert second.facts["best_lap_s"] == 7.1


def test_figures_of_an_evaluation_are_facts_like_others(tmp_path):
    (tmp_path / "curve.jsonl").write_text('{"step": 5, "seconds": 2.0, "evaluation": {"eval/stop/success_rate": 0.5}}')
    assert series(read_curve(tmp_path), "eval/stop/success_rate") == ([2.0], [0.5])


def test_series_is_over_steps_where_a_time_is_missing():
    points = [CurvePoint(10.0, 1.0, {"reward": 3.0}), CurvePoint(20.0, None, {"reward": 4.0})]
    assert series(points, "reward") == ([10.0, 20.0], [3.0, 4.0])


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
    assert read_curve(tmp_path) == [CurvePoint(1.0, None)]


def test_no_run_and_no_file_have_no_curve(tmp_path):
    assert read_curve(None) == read_curve(tmp_path) == []
