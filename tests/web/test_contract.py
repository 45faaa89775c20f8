"""docs/web.md is the contract with the page: what it shows is what pages get, key for key."""

import json
import re
from pathlib import Path

import pytest

from hotlap.racer.fingerprint import physics_fingerprint
from hotlap.web.access import SECURITY_HEADERS
from store.driven_laps import clean_drive
from web.game_server import running
from web.sample_runs import make_run, publish_best

PAGE = (Path(__file__).parents[2] / "docs" / "web.md").read_text(encoding="utf-8")


def example(heading: str) -> dict:
    """The JSON shown below a heading."""
    section = PAGE.split(f"\n## {heading}")[1]
    return json.loads(re.search(r"```json\n(.*?)```", section, re.DOTALL)[1])


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("contract")
    publish_best(make_run(folder / "runs", "racer-ppo-1"), 100)
    with running(folder / "game", folder / "runs") as server:
        yield server


@pytest.mark.parametrize(
    ("heading", "url"),
    [
        ("data/site.json", "/data/site.json"),
        ("data/kernel.json", "/data/kernel.json"),
        ("data/race.json", "/data/race.json"),
        ("data/highway.json", "/data/highway.json"),
        ("data/tracks.json", "/data/tracks.json"),
        ("data/tracks/ID.json", "/data/tracks/track-01.json"),
        ("data/policies.json", "/data/policies.json"),
        ("data/driver.json", "/data/driver.json"),
    ],
)
def test_documents_have_the_keys_the_page_is_promised(server, heading, url):
    promised, given = example(heading), server.get(url).json()
    assert list(promised) == list(given)
    for key, value in promised.items():
        if isinstance(value, list) and value and isinstance(value[0], dict) and key != "slots":
            assert list(value[0]) == list(given[key][0]), key
        elif isinstance(value, dict) and key not in ("rules", "physics"):
            assert set(value) == set(given[key]), key


@pytest.mark.parametrize(("name", "numbers"), [("kernel", ["numbers"]), ("race", [])])
def test_slots_look_as_promised(server, name, numbers):
    promised, given = example(f"data/{name}.json")["slots"], server.get(f"/data/{name}.json").json()["slots"]
    assert all(slot in given for slot in promised)
    assert [slot["group"] for slot in promised] == [*dict.fromkeys(slot["group"] for slot in given), *numbers]


def test_laps_have_the_fields_the_page_is_promised(server):
    promised = json.loads(re.search(r"LAP:\s`(\{.*?\})`", PAGE, re.DOTALL)[1])
    drive, ticks = clean_drive()
    lap = {"track": "track-01", "name": "Ada", "ticks": ticks, "fingerprint": physics_fingerprint()}
    given = server.post("/api/laps", {**lap, "drive": drive.as_json()}).json()["lap"]
    assert list(promised) == list(given)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", given["set_at"])


def test_content_security_policy_is_the_one_written_down():
    written = re.search(r"    default-src 'none';.*?'none'\n", PAGE, re.DOTALL)[0]
    assert " ".join(written.split()) == SECURITY_HEADERS["Content-Security-Policy"]
