"""What `hotlap drive` prints and refuses."""

import json
import re
import shlex
from pathlib import Path

from hotlap.cli import main

PAGE = (Path(__file__).parents[2] / "docs" / "orders.md").read_text(encoding="utf-8")

KEYS = {
    "mode", "target_lane", "target_speed_mph", "gap_s", "direction", "return_lane", "note", "refused", "refused_as",
}  # fmt: skip


def explained(capsys, text: str, *options: str) -> dict:
    assert main(["drive", "--explain", text, "--json", *options]) == 0
    return json.loads(capsys.readouterr().out)


def test_every_key_is_always_there(capsys):
    assert set(explained(capsys, "cruise at 65, keep two seconds", "--lane", "3", "--speed-mph", "58")) == KEYS
    assert set(explained(capsys, "banana")) == KEYS


def test_order_is_explained_for_machines(capsys):
    record = explained(capsys, "cruise at 60, keep two seconds", "--lane", "2", "--speed-mph", "50")
    assert {key: value for key, value in record.items() if value is not None} == {
        "mode": "cruise",
        "target_speed_mph": 60.0,
        "gap_s": 2.0,
    }


def test_lane_and_speed_of_the_car_count(capsys):
    assert explained(capsys, "move left", "--lane", "5")["target_lane"] == 3
    assert explained(capsys, "faster by five", "--speed-mph", "40")["target_speed_mph"] == 45


def test_refusal_names_its_reason_and_nothing_else(capsys):
    record = explained(capsys, "move left", "--lane", "1")
    assert record["refused"] == "There is no lane to the left of lane 1."
    assert record["refused_as"] == "impossible"
    assert all(record[key] is None for key in KEYS - {"refused", "refused_as"})


def test_order_is_explained_in_one_sentence(capsys):
    assert main(["drive", "pass this truck", "--explain"]) == 0
    assert capsys.readouterr().out == "Overtake on the left through lane 2, then to lane 3.\n"
    assert main(["drive", "--explain", "lane 9"]) == 0
    assert capsys.readouterr().out.startswith("Refused: ")


def test_lane_that_does_not_exist_is_the_users_mistake(capsys):
    assert main(["drive", "--explain", "move left", "--lane", "7"]) == 2
    assert "from 1 (leftmost) to 5, or 6, the shoulder, not 7" in capsys.readouterr().err


def test_page_shows_what_is_printed(capsys):
    [example] = re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    [line] = [line for line in PAGE.splitlines() if line.startswith("$ hotlap drive") and "--json" in line]
    assert main(shlex.split(line)[2:]) == 0
    assert capsys.readouterr().out == example


def test_page_names_every_key():
    assert set(re.findall(r"^\| `(\w+)` \| ", PAGE, re.MULTILINE)) >= KEYS
