"""`hotlap play` as a person uses it: started, opened, ended, and told what is wrong."""

import contextlib
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from hotlap import cli
from hotlap.errors import ConfigError
from hotlap.web import play
from hotlap.web.server import bound_socket
from web.game_server import RunningServer, built_page
from web.sample_runs import make_run, publish_best

pytestmark = pytest.mark.integration

# The same command line with a small page instead of the built one; says at the end what was imported.
PLAY = """
import sys
from pathlib import Path
from hotlap.web import play
play.static_folder = lambda: Path(sys.argv[1])
from hotlap.cli import main
status = main(["play", "--no-open", *sys.argv[2:]])
heavy = {"torch", "stable_baselines3", "tensorboard", "onnx", "onnxruntime", "matplotlib"} & set(sys.modules)
print("imported:", *sorted(heavy))
sys.exit(status)
"""


@contextlib.contextmanager
def playing(folder: Path, *words: str) -> Iterator[tuple[subprocess.Popen, str]]:
    """`hotlap play` in a process of its own, and the link it printed."""
    page = folder / "page"
    if not page.exists():
        built_page(page)
    given = [sys.executable, "-c", PLAY, str(page), *words]
    process = subprocess.Popen(given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder)
    try:
        line = process.stdout.readline()
        link = re.search(r"http://\S+", line)
        assert link, line + process.stderr.read()
        yield process, link[0]
    finally:
        process.kill()
        process.communicate()


def server_at(link: str) -> RunningServer:
    return RunningServer(int(re.search(r":(\d+)/", link)[1]))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_play_serves_tracks_and_laps_without_torch_until_it_is_asked_to_end(tmp_path, number):
    make_run(tmp_path / "runs", "first")
    with playing(tmp_path, "first", "--port", "0") as (process, link):
        server = server_at(link)
        assert server.get("/").status == 200
        assert server.get("/data/tracks.json").status == 200
        assert len(server.get("/data/policies.json").json()["runs"]) == 1
        assert server.get("/api/laps").json() == {"best": {}}
        process.send_signal(number)
        out, err = process.communicate(timeout=240)
        assert (process.returncode, err) == (0, "")
        # The drivers that come along are read for what they say about themselves, which takes onnx and no more.
        assert out.split()[0] == "imported:"
        assert set(out.split()) <= {"imported:", "onnx"}


def test_second_server_on_the_same_port_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(play, "static_folder", lambda: built_page(tmp_path / "page"))
    with contextlib.closing(bound_socket("127.0.0.1", 0)) as first:
        port = str(first.getsockname()[1])
        assert cli.main(["play", "--no-open", "--port", port, "--root", str(tmp_path / "runs")]) == 2
    said = capsys.readouterr().err
    assert f"cannot listen on 127.0.0.1:{port}" in said
    assert "--port" in said


def test_beyond_loopback_the_link_holds_a_fresh_token(tmp_path):
    with playing(tmp_path, "--port", "0", "--host", "0.0.0.0") as (_, link):  # noqa: S104 - that is the point
        server = server_at(link)
        assert server.get("/").status == 401
        answer = server.get(link.removeprefix(server.origin))
        assert answer.status == 303
        cookie = answer.headers["set-cookie"].split(";")[0]
        assert server.get("/", Cookie=cookie).status == 200


def test_page_that_is_not_built_says_how_to_build_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(play, "static_folder", lambda: tmp_path / "nothing")
    assert cli.main(["play", "--no-open", "--root", str(tmp_path)]) == 2
    assert "make frontend" in capsys.readouterr().err


def test_unknown_run_is_refused_with_the_nearest_name(tmp_path, monkeypatch, capsys):
    make_run(tmp_path, "racer-ppo-1")
    assert cli.main(["play", "racer-pop-1", "--no-open", "--root", str(tmp_path)]) == 2
    assert 'Did you mean "racer-ppo-1"?' in capsys.readouterr().err


def test_run_elsewhere_can_be_played_by_its_folder(tmp_path):
    folder = make_run(tmp_path / "elsewhere", "far")
    publish_best(folder, 10)
    shelf, chosen = play.gathered_runs(str(folder), tmp_path / "runs")
    assert [(run.name, run.key) for run in shelf.listing().runs] == [("far", chosen.key)]


@pytest.mark.parametrize(("world", "page"), [("racer", "/"), ("race", "/"), ("highway", "/highway.html")])
def test_run_is_opened_in_the_page_of_its_world(world, page, tmp_path, monkeypatch, capsys):
    make_run(tmp_path, "mine", world=world)
    monkeypatch.setattr(play, "static_folder", lambda: built_page(tmp_path / "page"))
    monkeypatch.setattr(play, "serve", lambda _app, _listener, announce: announce())
    assert cli.main(["play", "mine", "--no-open", "--port", "0", "--root", str(tmp_path)]) == 0
    assert urlsplit(re.search(r"http://\S+", capsys.readouterr().out)[0]).path == page


def test_token_comes_from_a_file_or_the_environment(tmp_path, monkeypatch):
    path = tmp_path / "token"
    path.write_text("0123456789abcdef0123456789abcdef\n", encoding="ascii")
    assert play.given_token(path) == "0123456789abcdef0123456789abcdef"
    monkeypatch.setenv("HOTLAP_TOKEN", "from-the-environment")
    assert play.given_token(None) == "from-the-environment"
    monkeypatch.delenv("HOTLAP_TOKEN")
    assert play.given_token(None) is None
    with pytest.raises(ConfigError, match="cannot be read"):
        play.given_token(tmp_path / "missing")


def test_tracks_asked_for_come_first_and_may_not_share_a_name(tmp_path):
    tracks = play.loaded_tracks(["generated:7:easy"])
    assert [data.key for data in tracks][:2] == ["generated-7-easy", "track-01"]
    assert tracks[0].document["references"]["classic"]["ticks"] > 0
    copy = tmp_path / "track-01.json"
    assert cli.main(["tracks", "generate", "3", "--output", str(copy)]) == 0
    with pytest.raises(ConfigError, match="track-01"):
        play.loaded_tracks([str(copy)])
