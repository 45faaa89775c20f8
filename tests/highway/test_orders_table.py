"""Every utterance of the tables comes out as written there."""

import tomllib
from pathlib import Path

import pytest

from hotlap.highway.orders import Situation, as_record, interpret

FOLDER = Path(__file__).parent
TABLES = (
    "utterances.toml",
    "utterances_held_out.toml",
    "utterances_cruise_control.toml",
    "utterances_unseen.toml",
)
RESULT = ("mode", "target_lane", "target_speed_mph", "gap_s", "direction", "return_lane")


def topics():
    """The rows of each topic of each table; a group may have one sentence or several that mean the same."""
    for name in TABLES:
        for topic, groups in tomllib.loads((FOLDER / name).read_text(encoding="utf-8")).items():
            said = [(group, [group["say"]] if isinstance(group["say"], str) else group["say"]) for group in groups]
            rows = [{**group, "say": say} for group, sentences in said for say in sentences]
            yield pytest.param(rows, id=f"{name.removesuffix('.toml')}-{topic}")


def is_taken_as_meant(row) -> bool:
    situation = Situation(lane=row.get("lane", 2), speed_mph=row.get("speed_mph", 58))
    record = as_record(interpret(row["say"], situation))
    meant = pytest.approx({key: row.get(key) for key in RESULT}, abs=0.001)
    return record["refused_as"] == row.get("refused") and {key: record[key] for key in RESULT} == meant


@pytest.mark.parametrize("rows", list(topics()))
def test_utterances_are_taken_as_they_are_meant(rows):
    assert [row["say"] for row in rows if not is_taken_as_meant(row)] == []


def test_tables_are_read_whole():
    assert sum(len(topic.values[0]) for topic in topics()) == 951
