"""The reader of orders as data: a Python that has nothing but this and its own library reads every order alike."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

from hotlap.export.order_reader import order_reader_files
from hotlap.highway.orders.answers import answer_json

UTTERANCES = Path(__file__).parents[1] / "highway" / "utterances.toml"
HERE = {"source": "text", "time_s": 0.0, "units": "mph", "lane": 2, "speed_mph": 58.0, "lanes": 5}
CRUISE = {"mode": "cruise", "target_speed_mph": 55.0, "gap_s": 2.0}
MISSION = {**CRUISE, "target_lane": None, "direction": None, "return_lane": None}
TRAFFIC = {"ahead": "truck", "ahead_speed_mph": 50.0, "left_occupied": True, "right_occupied": False}
BARE_PYTHON = """
import sys
sys.path.insert(0, sys.argv[1])
from hotlap.highway.orders.answers import answer_json
print("\\n".join(answer_json(line) for line in sys.stdin))
"""


def sentences() -> list[str]:
    groups = [group for topic in tomllib.loads(UTTERANCES.read_text(encoding="utf-8")).values() for group in topic]
    return [say for group in groups for say in ([group["say"]] if isinstance(group["say"], str) else group["say"])]


def orders() -> list[str]:
    """Every sentence of the table, without a mission and without knowing who is around, and with both."""
    alone, amid = {"mission": None, "traffic": None}, {"mission": MISSION, "traffic": TRAFFIC}
    sent = [{**HERE, **around, "text": text} for text in sentences() for around in (alone, amid)]
    return [json.dumps(order) for order in [*sent, {**HERE, **alone, "text": "stop", "lane": 9}]]


def test_reader_needs_nothing_but_what_is_packed_and_reads_alike(tmp_path):
    document = json.loads(order_reader_files()["data/orders.json"].read())
    for name, source in document["sources"].items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(source, encoding="utf-8")
    command = [sys.executable, "-I", "-S", "-X", "utf8", "-c", BARE_PYTHON, str(tmp_path)]
    said = subprocess.run(command, input="\n".join(orders()), capture_output=True, text=True, check=True, timeout=240)
    answers = said.stdout.splitlines()
    assert answers == [answer_json(order) for order in orders()]
    assert any('"refused": "' in answer for answer in answers)
    assert "the lane must be from 0" in json.loads(answers[-1])["error"]
