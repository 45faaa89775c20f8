"""Every utterance of the tables comes out as written there."""

import tomllib
from pathlib import Path

import pytest

from hotlap.highway.orders import Situation, as_record, interpret

FOLDER = Path(__file__).parent
TABLES = ("utterances.toml", "utterances_held_out.toml")
RESULT = ("mode", "target_lane", "target_speed_mph", "gap_s", "direction", "return_lane")


def rows():
    for name in TABLES:
        for topic, utterances in tomllib.loads((FOLDER / name).read_text(encoding="utf-8")).items():
            for number, row in enumerate(utterances, 1):
                yield pytest.param(row, id=f"{topic}-{number}-{row['say'][:40]}")


@pytest.mark.parametrize("row", list(rows()))
def test_utterance_is_taken_as_it_is_meant(row):
    situation = Situation(lane=row.get("lane", 2), speed_mph=row.get("speed_mph", 58))
    record = as_record(interpret(row["say"], situation))
    assert record["refused_as"] == row.get("refused"), record
    assert {key: record[key] for key in RESULT} == pytest.approx({key: row.get(key) for key in RESULT}, abs=0.001)
