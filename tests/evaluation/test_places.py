"""An evaluation place by place: what travels, and that nothing depends on where it is driven."""

import pytest

from hotlap.evaluation import places
from hotlap.evaluation.places import evaluate_here, travelling
from hotlap.evaluation.request import EvaluationConfig
from hotlap.evaluation.sources import DriverSource, find_driver
from hotlap.evaluation.world_evaluation import evaluate_driver


def test_a_policy_named_like_a_scripted_driver_travels_and_the_script_does_not(tmp_path):
    path = tmp_path / "expert.onnx"
    path.write_bytes(b"weights")
    named_alike = DriverSource("expert", "highway", lambda _seeds: None, {"kind": "policy", "path": str(path)})
    assert travelling(named_alike)[1] == b"weights"
    assert travelling(find_driver("expert"))[1] is None


def test_few_places_are_driven_in_this_process(monkeypatch):
    monkeypatch.setattr(places, "drive_on_all_cores", lambda *_: pytest.fail("processes for one place"))
    config = EvaluationConfig(track=("track-01",), laps=2, steps=200)
    (result,) = evaluate_here([(find_driver("human"), config)], lambda _line: None)
    assert [track.track for track in result.tracks] == ["track-01"]


def test_many_places_are_driven_in_this_process_too_where_it_may_use_one_core_only(monkeypatch):
    monkeypatch.setattr(places, "drive_on_all_cores", lambda *_: pytest.fail("processes for one core"))
    monkeypatch.setattr(places, "usable_cores", lambda: (3,))
    config = EvaluationConfig(track=tuple(f"generated:{seed}:easy" for seed in range(4)), laps=2, steps=100)
    (result,) = evaluate_here([(find_driver("human"), config)], lambda _line: None)
    assert len(result.tracks) == 4


@pytest.mark.integration
def test_many_places_on_all_cores_give_the_figures_of_one_process():
    tracks = tuple(f"generated:{seed}:easy" for seed in range(4))
    source, config = find_driver("all-rounder"), EvaluationConfig(track=tracks, laps=2, steps=200)
    here = evaluate_driver(source, config, lambda _line: None)
    (spread,) = evaluate_here([(source, config)], lambda _line: None)
    assert spread.plain() == here.plain()
