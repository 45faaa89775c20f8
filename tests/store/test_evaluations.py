"""The history of evaluations: which one is the last of its kind, and what is forgotten."""

import pytest

import hotlap.store.evaluations as evaluations_module
from hotlap.errors import StoreError
from hotlap.store.database import Database
from hotlap.store.evaluations import EvaluationHistory, setup_text


@pytest.fixture
def history(tmp_path):
    database = Database(tmp_path / "hotlap.sqlite")
    yield EvaluationHistory(database)
    database.close()


def document(driver="pilot", world="highway", episodes=10, value=1.0):
    return {"world": world, "driver": driver, "setup": {"episodes": episodes}, "figures": [value]}


def test_last_evaluation_is_of_the_same_world_and_setup_whoever_drove(history):
    for kept in (document(value=1.0), document("rival", value=2.0), document(world="racer"), document(episodes=11)):
        history.add(kept)
    last = history.last("highway", setup_text(document()))
    assert (last.driver, last.document["figures"]) == ("rival", [2.0])
    assert history.last("highway", setup_text(document(episodes=12))) is None


def test_evaluation_that_failed_is_kept_but_is_not_the_last(history):
    history.add(document(value=1.0))
    history.add(document(value=2.0), passed=False)
    assert history.last("highway", setup_text(document())).document["figures"] == [1.0]
    assert [kept.passed for kept in history.newest()] == [False, True]


def test_setup_is_the_same_whatever_the_order_of_its_keys():
    one, other = {"setup": {"a": 1, "b": 2}}, {"setup": {"b": 2, "a": 1}}
    assert setup_text(one) == setup_text(other)


def test_newest_evaluations_come_first_and_the_oldest_are_forgotten(history, monkeypatch):
    monkeypatch.setattr(evaluations_module, "MOST_EVALUATIONS", 3)
    for value in range(5):
        history.add(document(value=value))
    assert [kept.document["figures"] for kept in history.newest()] == [[4], [3], [2]]


def test_damaged_evaluation_is_named(history):
    history.add(document())
    with history.database.transaction() as db:
        db.execute("UPDATE evaluations SET document = x'00'")
    with pytest.raises(StoreError, match="evaluation 1 of the history is damaged"):
        history.newest()
