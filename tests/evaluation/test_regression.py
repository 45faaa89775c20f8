"""What an evaluation is set against, and that an older version's history is no obstacle."""

import json

import pytest

from hotlap.errors import ConfigError
from hotlap.evaluation import DriveLimits, evaluate
from hotlap.evaluation.regression import find_base, history, keep, last_base, saved_base
from hotlap.policies.exploits import Parking

SHORT = DriveLimits(laps=2, steps=100)


@pytest.fixture(scope="module")
def parked():
    return evaluate(Parking(), "track-01", limits=SHORT, with_human=False)


def test_history_begins_empty_and_has_then_the_last_evaluation(parked, tmp_path):
    assert last_base(parked, tmp_path) is None
    keep(parked, tmp_path)
    base = last_base(parked, tmp_path)
    assert base.name.startswith("parking of 20")
    assert base.measures == parked.measures()


@pytest.mark.parametrize("damage", [{"measures": []}, {"measures": [{"place": "x", "name": "new", "estimate": None}]}])
def test_evaluation_of_another_version_is_passed_over(parked, tmp_path, damage):
    with history(tmp_path) as kept:
        kept.add({**parked.plain(), **damage})
    assert last_base(parked, tmp_path) is None


def test_saved_evaluation_is_read_and_one_of_another_setup_refused(parked, tmp_path):
    path = tmp_path / "base.json"
    path.write_text(json.dumps(parked.plain()))
    assert saved_base(str(path), parked).measures == parked.measures()
    path.write_text(json.dumps({**parked.plain(), "world": "highway"}))
    with pytest.raises(ConfigError, match='evaluated with world "highway"'):
        saved_base(str(path), parked)
    with pytest.raises(ConfigError, match="cannot be read"):
        saved_base(str(tmp_path / "missing.json"), parked)


def test_any_other_word_names_a_driver(parked, tmp_path):
    asked = []
    base = find_base("somebody", parked, tmp_path, lambda name: asked.append(name) or parked)
    assert (asked, base.name) == (["somebody"], "parking")
