"""The lap board over HTTP: real laps get on it, everything else is told why not."""

import base64
import json
import socket
import threading

import pytest

from hotlap.racer.fingerprint import physics_fingerprint
from hotlap.store.drives import RecordedDrive
from hotlap.web import bodies
from hotlap.web.bodies import MOST_BYTES
from store.driven_laps import clean_drive, wide_drive
from web.game_server import running


def sent_lap(driven: RecordedDrive, lap_ticks: int, /, **changes) -> dict:
    lap = {"track": "track-01", "name": "Ada", "ticks": lap_ticks, "fingerprint": physics_fingerprint()}
    return {**lap, "drive": driven.as_json(), **changes}


def clean_lap(**changes) -> dict:
    return sent_lap(*clean_drive(), **changes)


def test_real_lap_gets_on_the_board_and_can_be_driven_again(server):
    drive, ticks = clean_drive(laps=2)
    answer = server.post("/api/laps", sent_lap(drive, ticks, name="  Ada\t Lovelace "), Origin=server.origin)
    assert answer.status == 201
    placed = answer.json()
    assert (placed["rank"], placed["lap"]["ticks"], placed["lap"]["lap"]) == (1, ticks, 2)
    assert placed["lap"]["name"] == "Ada Lovelace"
    board = server.get("/api/laps?track=track-01").json()
    assert placed["lap"] in board["laps"]
    again = server.get(f"/api/laps/{placed['lap']['id']}").json()
    assert base64.b64decode(again["drive"]["inputs"]) == drive.inputs
    assert again["drive"]["respawns"] == []


def test_lap_sent_again_is_harmless(server):
    lap = clean_lap()
    first, second = server.post("/api/laps", lap), server.post("/api/laps", lap)
    assert (first.status, second.status) == (201, 200)
    assert first.json() == second.json()


def test_best_lap_of_every_track_is_one_question(server):
    server.post("/api/laps", sent_lap(*clean_drive(laps=2)))
    best = server.get("/api/laps").json()["best"]
    assert best["track-01"]["ticks"] == clean_drive(laps=2)[1]


def with_drive(change, lap_ticks: int = 0) -> dict:
    """The clean lap with its inputs changed, and its time by so many ticks."""
    drive, ticks = clean_drive()
    return sent_lap(change(drive.inputs), ticks + lap_ticks)


# How a lap is tampered with, by the status it deserves.
TAMPERED = {
    "a faster time": (422, lambda: with_drive(RecordedDrive, -1)),
    "a slower time": (422, lambda: with_drive(RecordedDrive, +1)),
    "a lap over the grass": (422, lambda: sent_lap(*wide_drive())),
    "inputs cut off": (422, lambda: with_drive(lambda inputs: RecordedDrive(inputs[:-3]), -1)),
    "nothing driven": (422, lambda: with_drive(lambda inputs: RecordedDrive(bytes(len(inputs))))),
    "full throttle all the way": (
        422,
        lambda: with_drive(lambda inputs: RecordedDrive(b"\0\xff\0" * (len(inputs) // 3))),
    ),
    "a respawn": (422, lambda: with_drive(lambda inputs: RecordedDrive(inputs, (100,)))),
    "respawns out of order": (422, lambda: with_drive(lambda inputs: RecordedDrive(inputs, (9, 3)))),
    "no base64": (422, lambda: clean_lap(drive={"inputs": "!!!!", "respawns": []})),
    "another track": (404, lambda: clean_lap(track="track-99")),
    "a path for a track": (404, lambda: clean_lap(track="../../etc/passwd")),
    "another physics": (409, lambda: clean_lap(fingerprint="0" * 16)),
    "no ticks": (400, lambda: clean_lap(ticks=0)),
    "ticks as text": (400, lambda: clean_lap(ticks="488")),
    "an unknown field": (400, lambda: clean_lap(admin=True)),
    "a name that is no text": (400, lambda: clean_lap(name=["Ada"])),
    "a respawn that is no number": (400, lambda: clean_lap(drive={"inputs": "", "respawns": ["1"]})),
    "no drive": (400, lambda: {"track": "track-01", "name": "Ada", "ticks": 400, "fingerprint": "x"}),
    "a list": (400, list),
    "no JSON": (400, lambda: b"lap=1"),
    "broken text": (400, lambda: b'{"track": "\xff\xfe"}'),
    "brackets without end": (400, lambda: b"[" * 100_000),
}


@pytest.mark.parametrize(("status", "sent"), TAMPERED.values(), ids=TAMPERED)
def test_tampered_lap_is_refused_with_a_sentence(server, status, sent):
    before = server.get("/api/laps?track=track-01").json()
    answer = server.post("/api/laps", sent())
    assert answer.status == status
    assert len(answer.json()["error"]) > 10
    assert server.get("/api/laps?track=track-01").json() == before


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_other_kinds_of_body_are_refused_so_that_no_form_can_send_a_lap(server, kind):
    assert server.post("/api/laps", clean_lap(), Content_Type=kind).status == 415


def test_foreign_page_can_neither_read_nor_write(server):
    foreign = {"Origin": "http://evil.example"}
    assert server.post("/api/laps", clean_lap(), **foreign).status == 403
    assert server.get("/api/laps", **foreign).status == 403


def test_too_large_a_body_is_refused_before_it_is_read(server):
    announced = f"POST /api/laps HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(f"{announced}Content-Length: {MOST_BYTES + 1}\r\n\r\n".encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 413")


def test_too_large_a_body_in_chunks_is_refused_too(server):
    announced = f"POST /api/laps HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(f"{announced}Transfer-Encoding: chunked\r\n\r\n".encode() + chunk * 5)
        assert connection.recv(100).startswith(b"HTTP/1.1 413")


def test_body_that_never_comes_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(bodies, "BODY_SECONDS", 0.2)
    with running(tmp_path) as server, socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        announced = f"POST /api/laps HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{announced}Content-Length: 100\r\n\r\n{{".encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 408")


def test_client_that_leaves_in_the_middle_of_its_body_is_no_news(tmp_path, caplog, capfd):
    with running(tmp_path) as server, socket.create_connection(("127.0.0.1", server.port), 10) as leaver:
        head = f"POST /api/laps HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
        leaver.sendall(f"{head}Content-Length: 99\r\n\r\n{{".encode())
        assert server.get("/api/laps").status == 200  # by now the body is being read
    assert not caplog.records
    assert "Traceback" not in capfd.readouterr().err


def test_longest_drive_fits_into_a_body(server):
    longest = RecordedDrive(b"\0\xff\0" * 36_000)
    assert len(json.dumps(sent_lap(longest, 500))) < MOST_BYTES
    assert server.post("/api/laps", sent_lap(longest, 500)).status == 422


def test_many_laps_at_once_are_judged_or_asked_to_come_back(tmp_path):
    longest = sent_lap(RecordedDrive(b"\0\xff\0" * 36_000), 500)
    with running(tmp_path) as server:
        answers = []
        threads = [
            threading.Thread(target=lambda: answers.append(server.post("/api/laps", longest))) for _ in range(24)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {answer.status for answer in answers} <= {422, 429}
        assert all(answer.headers["retry-after"] == "2" for answer in answers if answer.status == 429)
        assert server.get("/api/laps").status == 200


def test_laps_survive_a_restart(tmp_path):
    with running(tmp_path / "game") as server:
        server.post("/api/laps", clean_lap())
    (tmp_path / "game" / "laps.sqlite").rename(tmp_path / "laps.sqlite")
    (tmp_path / "again").mkdir()
    (tmp_path / "laps.sqlite").rename(tmp_path / "again" / "laps.sqlite")
    with running(tmp_path / "again") as server:
        [lap] = server.get("/api/laps?track=track-01").json()["laps"]
    assert lap["ticks"] == clean_drive()[1]


def test_unknown_lap_is_not_found(server):
    assert server.get("/api/laps/nothing").status == 404
    assert server.get("/api/laps?track=track-99").status == 404
