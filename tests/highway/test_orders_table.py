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


def rows():
    for name in TABLES:
        for topic, groups in tomllib.loads((FOLDER / name).read_text(encoding="utf-8")).items():
            for number, group in enumerate(groups, 1):
                # A group may have one sentence or several that mean the same.
                for say in [group["say"]] if isinstance(group["say"], str) else group["say"]:
                    yield pytest.param({**group, "say": say}, id=f"{topic}-{number}-{say[:40]}")


@pytest.mark.parametrize("row", list(rows()))
def test_utterance_is_taken_as_it_is_meant(row):
    situation = Situation(lane=row.get("lane", 2), speed_mph=row.get("speed_mph", 58))
    record = as_record(interpret(row["say"], situation))
    assert record["refused_as"] == row.get("refused"), record
    assert {key: record[key] for key in RESULT} == pytest.approx({key: row.get(key) for key in RESULT}, abs=0.001)
