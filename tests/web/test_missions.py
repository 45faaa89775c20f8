"""The highway over HTTP: what orders are understood as, which missions are kept, what is turned away."""

import pytest

from hotlap.highway.orders import Situation, as_record, interpret
from hotlap.store.missions import MOST_MISSIONS
from web.game_server import running

HERE = {"lane": 2, "speed_mph": 58.0}
ENDED = {"mode": "lane_change", "ending": "done", "duration_s": 4.2, "driver": "expert", "text": "move left"}


def test_orders_are_understood_as_the_command_line_does(server):
    answer = server.post("/api/highway/orders", {"text": "move one lane left", **HERE})
    assert answer.status == 200
    said = answer.json()
    assert said["sentence"] == "Move to lane 2, to the left."
    assert {**as_record(interpret("move one lane left", Situation(2, 58.0)))}.items() <= said.items()


def test_refusal_is_an_answer_with_its_reason(server):
    said = server.post("/api/highway/orders", {"text": "drive at 900", **HERE}).json()
    assert said["mode"] is None
    assert said["refused"] == said["sentence"]
    assert said["refused"]


def test_situation_decides_what_an_order_means(server):
    mission = {"mode": "cruise", "target_speed_mph": 50.0}
    faster = server.post("/api/highway/orders", {"text": "faster by five", **HERE, "mission": mission}).json()
    assert faster["target_speed_mph"] == 55.0
    beside = {"left_occupied": True}
    refused = server.post("/api/highway/orders", {"text": "move left", **HERE, "traffic": beside}).json()
    assert refused["refused_as"] == "unsafe"


def test_calling_off_is_told_apart_from_holding(server):
    assert server.post("/api/highway/orders", {"text": "never mind", **HERE}).json()["cancels"]


def test_endless_order_is_refused_in_words(server):
    said = server.post("/api/highway/orders", {"text": "left " * 2048, **HERE}).json()
    assert "longer than" in said["refused"]


@pytest.mark.parametrize(
    ("order", "status"),
    [
        (b"{", 400),
        ({"text": "left"}, 400),
        ({"text": "left", **HERE, "extra": 1}, 400),
        ({"text": 7, **HERE}, 400),
        ({"text": "left", **HERE, "lane": 9}, 422),
        ({"text": "left", **HERE, "speed_mph": 900.0}, 422),
        ({"text": "left", **HERE, "mission": {"mode": "cruise", "target_speed_mph": 900.0}}, 422),
        ({"text": "x" * 20_000, **HERE}, 413),
    ],
)
def test_what_is_no_order_is_turned_away_with_the_reason(server, order, status):
    answer = server.post("/api/highway/orders", order)
    assert answer.status == status
    assert answer.json()["error"]


def test_mission_that_ended_is_kept_and_listed(server):
    answer = server.post("/api/missions", ENDED)
    assert answer.status == 201
    [newest] = server.get("/api/missions?limit=1").json()["missions"]
    assert newest == answer.json()["mission"]
    assert newest["text"] == "move left"


@pytest.mark.parametrize(
    "wrong",
    [{"mode": "fly"}, {"ending": "won"}, {"duration_s": -1.0}, {"target_lane": 9}, {"driver": ""}, {"extra": 1}],
)
def test_mission_that_cannot_be_is_not_kept(server, wrong):
    before = server.get("/api/missions").body
    answer = server.post("/api/missions", {**ENDED, **wrong})
    assert (answer.status, server.get("/api/missions").body) == (400, before)
    assert "mission" in answer.json()["error"]


@pytest.mark.parametrize("limit", ["-1", "many", "1e3", "9" * 30])
def test_strange_limit_is_refused(server, limit):
    assert server.get(f"/api/missions?limit={limit}").status == 400


def test_list_has_a_bound(server):
    for _ in range(3):
        server.post("/api/missions", ENDED)
    assert len(server.get("/api/missions?limit=2").json()["missions"]) == 2
    assert len(server.get("/api/missions?limit=999999").json()["missions"]) <= 200
    assert MOST_MISSIONS == 10_000


def test_other_sites_can_neither_order_nor_log(server):
    for url, body in (("/api/highway/orders", {"text": "left", **HERE}), ("/api/missions", ENDED)):
        assert server.post(url, body, Origin="http://evil.example").status == 403
        assert server.ask("POST", url, b"{}", Content_Type="text/plain").status == 415


def test_missions_survive_the_server(tmp_path):
    with running(tmp_path) as server:
        server.post("/api/missions", ENDED)
    (tmp_path / "page").rename(tmp_path / "old")
    with running(tmp_path) as server:
        assert len(server.get("/api/missions").json()["missions"]) == 1
