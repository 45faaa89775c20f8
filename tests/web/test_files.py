"""What pages get: the table of files, exact and nothing else."""

import gzip
import hashlib
import json

import numpy as np
import pytest

from hotlap.export.linking import packaged
from hotlap.policies.levels import LEVELS
from hotlap.racer.fingerprint import physics_fingerprint
from hotlap.racer.tables import TrackTables, build_tables
from hotlap.racer.tracks import load_track
from web.game_server import PAGE


def test_page_is_at_the_root(server):
    answer = server.get("/")
    assert (answer.status, answer.body.decode()) == (200, PAGE)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"


def test_assets_may_be_kept_for_ever_because_their_names_change(server):
    answer = server.get("/assets/page-1.js")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"


def test_physics_is_the_packaged_one_and_its_description_fits(server):
    wasm, kernel = server.get("/data/racer.wasm"), server.get("/data/kernel.json").json()
    assert wasm.body == packaged("racer.wasm")
    assert wasm.headers["content-type"] == "application/wasm"
    assert kernel["wasm"]["sha256"] == hashlib.sha256(wasm.body).hexdigest()
    assert kernel["fingerprint"] == physics_fingerprint()


def test_track_tables_are_the_kernels_to_the_bit(server):
    track = server.get("/data/tracks/track-01.json").json()
    content = server.get("/data/tracks/track-01.bin").body
    assert len(content) == track["tables"]["bytes"]
    tables = build_tables([load_track("track-01")])
    assert list(track["tables"]["fields"]) == list(TrackTables._fields)
    for name, place in track["tables"]["fields"].items():
        assert place["offset"] % 8 == 0
        sent = np.frombuffer(content, f"<{np.dtype(place['dtype']).str[1:]}", place["count"], place["offset"])
        np.testing.assert_array_equal(sent, getattr(tables, name))


def test_track_list_has_what_a_menu_shows(server):
    [track] = server.get("/data/tracks.json").json()["tracks"]
    assert (track["id"], track["name"], track["direction"]) == ("track-01", "Circuit", "clockwise")
    assert track["cars"] == ["classic"]
    assert track["reference_ticks"] == {"classic": 385}
    assert len(track["outline"]) >= 100


def test_site_says_that_a_server_is_there(server):
    assert server.get("/data/site.json").json()["server"] is True


def test_without_runs_the_lists_are_empty_and_the_page_still_works(server):
    listed = server.get("/data/policies.json").json()
    assert listed["levels"][0] == {"late_ticks": LEVELS[1].late_ticks, "throttle": LEVELS[1].throttle}
    assert {**listed, "levels": len(listed["levels"])} == {"format": 1, "runs": [], "policies": [], "levels": 5}
    assert server.get("/data/policies/0123456789abcdef.onnx").status == 404


@pytest.mark.parametrize("url", ["/", "/data/kernel.json", "/data/tracks/track-01.bin", "/data/policies.json"])
def test_browser_that_has_it_already_is_told_so(server, url):
    tag = server.get(url).headers["etag"]
    again = server.get(url, If_None_Match=tag)
    assert (again.status, again.body) == (304, b"")


def test_unknown_url_is_a_sentence_in_json(server):
    answer = server.get("/data/tracks/track-99.json")
    assert answer.status == 404
    assert set(json.loads(answer.body)) == {"error"}


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_files_can_only_be_read(server, method):
    assert server.ask(method, "/data/kernel.json").status == 405


def test_head_has_no_body(server):
    answer = server.ask("HEAD", "/data/kernel.json")
    assert (answer.status, answer.body) == (200, b"")


@pytest.mark.parametrize("url", ["/", "/assets/page-1.js", "/data/racer.wasm", "/data/tracks/track-01.bin"])
def test_browser_that_takes_gzip_gets_the_same_file_packed(server, url):
    plain, packed = server.get(url), server.get(url, Accept_Encoding="br, gzip")
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert int(packed.headers["x-decoded-length"]) == len(plain.body)
    assert packed.headers["content-type"] == plain.headers["content-type"]
    assert "accept-encoding" in (packed.headers["vary"] + plain.headers["vary"]).lower()


def test_packed_file_has_a_tag_of_its_own_and_is_not_sent_twice(server):
    url, wants = "/data/racer.wasm", {"Accept_Encoding": "gzip"}
    tag = server.get(url, **wants).headers["etag"]
    assert tag != server.get(url).headers["etag"]
    assert server.get(url, If_None_Match=tag, **wants).status == 304
    assert server.get(url, If_None_Match=tag).status == 200


@pytest.mark.parametrize(
    "headers", [{"Accept_Encoding": "gzip;q=0"}, {"Accept_Encoding": "gzip", "Range": "bytes=0-9"}]
)
def test_who_does_not_take_gzip_or_wants_a_part_gets_plain_bytes(server, headers):
    assert "content-encoding" not in server.get("/assets/page-1.js", **headers).headers


def test_networks_for_pages_come_with_their_layout(server):
    driver, wasm = server.get("/data/driver.json").json(), server.get("/data/driver.wasm")
    assert wasm.body == packaged("driver.wasm")
    assert driver["wasm"]["sha256"] == hashlib.sha256(wasm.body).hexdigest()
    assert driver["slots"][-1]["field"] == "limits"
