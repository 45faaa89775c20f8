"""The static game: complete, the same as the served one, and never half written."""

import functools
import http.server
import json
import re
import threading
import urllib.request

import pytest

from hotlap import cli
from hotlap.errors import ExportError
from hotlap.export.content import content_of
from hotlap.export.site import page_files, write_site
from hotlap.racer.tracks import track_ids
from hotlap.web import play, policies
from web.game_server import built_page, running
from web.sample_runs import make_run, policy_bytes, publish_best, save_step


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A run with checkpoints, one of another physics, and a built page."""
    page = built_page(tmp_path / "page")
    monkeypatch.setattr(play, "static_folder", lambda: page)
    folder = make_run(tmp_path / "runs", "first")
    for step in (100, 200):
        save_step(folder, step)
    publish_best(folder, 200)
    publish_best(make_run(tmp_path / "runs", "old", fingerprint="feedfeedfeedfeed"), 50)
    return tmp_path / "runs"


def export(folder, root, *words: str) -> int:
    return cli.main(["export", "site", str(folder), "--root", str(root), *words])


def referenced_urls(folder) -> set[str]:
    """Every URL that the page or a document of the site leads to."""
    page = (folder / "index.html").read_text(encoding="utf-8")
    urls = {url.removeprefix("./") for url in re.findall(r'(?:src|href)="([^"]+)"', page)}
    documents = {name: json.loads((folder / "data" / name).read_bytes()) for name in ("tracks.json", "policies.json")}
    urls |= {
        f"data/tracks/{track['id']}.{kind}" for track in documents["tracks.json"]["tracks"] for kind in ("json", "bin")
    }
    urls |= {f"data/policies/{policy['key']}.onnx" for policy in documents["policies.json"]["policies"]}
    names = ("site.json", "kernel.json", "racer.wasm", "tracks.json", "policies.json", "highway.json", "highway.wasm")
    others = ("highway-scenes.bin", "orders.json", "driver.json", "driver.wasm", "race.json", "race.wasm")
    return urls | {f"data/{name}" for name in (*names, *others)}


def test_site_has_everything_it_refers_to_and_nothing_else(root, tmp_path):
    assert export(tmp_path / "site", root) == 0
    there = {
        path.relative_to(tmp_path / "site").as_posix() for path in (tmp_path / "site").rglob("*") if path.is_file()
    }
    assert there == referenced_urls(tmp_path / "site") | {"index.html"}
    assert {f"data/tracks/{track}.bin" for track in track_ids()} <= there


def test_site_with_an_address_tells_messengers_where_its_picture_is(root, tmp_path):
    page = play.static_folder() / "index.html"
    about = '<meta property="og:image" content="./preview.png" />'
    page.write_text(about + page.read_text(encoding="utf-8"), encoding="utf-8")
    assert export(tmp_path / "site", root, "--url", "https://example.org/hotlap/") == 0
    written = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert 'content="https://example.org/hotlap/preview.png"' in written


@pytest.mark.parametrize("url", ["example.org", "ftp://example.org/", 'https://example.org/"><script>', "https://a b/"])
def test_site_of_an_impossible_address_is_refused(root, tmp_path, url, capsys):
    assert export(tmp_path / "site", root, "--url", url) == 2
    assert "is not the address of a site" in capsys.readouterr().err
    assert not (tmp_path / "site").exists()


def test_site_says_that_no_server_is_there(root, tmp_path):
    export(tmp_path / "site", root)
    about = json.loads((tmp_path / "site" / "data" / "site.json").read_bytes())
    assert (about["server"], about["start"]) == (False, {"run": None, "track": "track-01"})


def trained_here(listed):
    """The drivers of the runs, without those that come with Hotlap."""
    return [policy for policy in listed["policies"] if policy["kind"] != "bundled"]


def test_without_names_the_best_driver_of_each_run_goes_along(root, tmp_path):
    export(tmp_path / "site", root)
    listed = json.loads((tmp_path / "site" / "data" / "policies.json").read_bytes())
    assert [(policy["name"], policy["kind"]) for policy in trained_here(listed)] == [("first", "best")]
    [key] = [policy["key"] for policy in trained_here(listed)]
    assert (tmp_path / "site" / "data" / "policies" / f"{key}.onnx").read_bytes() == policy_bytes(200)


def test_named_run_brings_all_its_checkpoints_and_starts_the_game(root, tmp_path):
    export(tmp_path / "site", root, "--runs", "first")
    listed = json.loads((tmp_path / "site" / "data" / "policies.json").read_bytes())
    kinds = [(policy["kind"], policy["step"]) for policy in trained_here(listed)]
    assert kinds == [("best", 200), ("checkpoint", 200), ("checkpoint", 100)]
    about = json.loads((tmp_path / "site" / "data" / "site.json").read_bytes())
    assert about["start"]["run"] == listed["runs"][0]["key"]


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_arguments) -> None:
        """Say nothing."""


def test_any_static_server_gives_the_same_bytes_as_play_does(root, tmp_path):
    export(tmp_path / "site", root)
    handler = functools.partial(QuietHandler, directory=tmp_path / "site")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as static, running(tmp_path / "game") as served:
        thread = threading.Thread(target=static.serve_forever)
        thread.start()
        try:
            for url in (
                "index.html",
                "data/kernel.json",
                "data/racer.wasm",
                "data/highway.wasm",
                "data/tracks/track-01.bin",
            ):
                with urllib.request.urlopen(f"http://127.0.0.1:{static.server_port}/{url}") as answer:
                    assert answer.read() == served.get(f"/{url}").body
        finally:
            static.shutdown()
            thread.join()


def test_folder_that_is_there_is_replaced_only_by_force(root, tmp_path, capsys):
    site = tmp_path / "site"
    site.mkdir()
    (site / "mine.txt").write_text("precious", encoding="utf-8")
    assert export(site, root) == 2
    assert "--force" in capsys.readouterr().err
    assert (site / "mine.txt").exists()
    assert export(site, root, "--force") == 0
    assert not (site / "mine.txt").exists()


def test_failed_export_leaves_nothing_behind(tmp_path):
    broken = {"a.txt": content_of("a.txt", b"a"), "b.txt": content_of("b.txt", tmp_path / "missing")}
    with pytest.raises(ExportError, match=r"site: cannot be written \(No such file"):
        write_site(tmp_path / "site", broken)
    assert list(tmp_path.iterdir()) == []


def test_page_without_index_is_no_page(tmp_path):
    with pytest.raises(ExportError, match="make frontend"):
        page_files(tmp_path)


def test_every_bundled_driver_can_race(monkeypatch):
    for driver in policies.bundled_drivers():
        assert driver.problem is None
        assert policies.PolicyCounter().content(driver)


def test_bundled_driver_is_described_by_itself_and_its_laps(tmp_path):
    path = tmp_path / "generalist.onnx"
    path.write_bytes(policy_bytes(500))
    path.with_suffix(".json").write_text('{"laps": {"track-01": 6.7}}', encoding="utf-8")
    driver = policies.bundled_driver(path)
    assert (driver.kind, driver.run, driver.name, driver.step) == ("bundled", None, "generalist", 500)
    assert driver.laps == {"track-01": 6.7}
