"""The report: one well-formed page that asks nobody for anything."""

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from hotlap.evaluation import DriveLimits, evaluate
from hotlap.evaluation.racer.report import report_page
from hotlap.policies import CasualHuman
from hotlap.policies.exploits import Cutting, Parking
from hotlap.racer.tracks import build_track, load_track

TRACK = load_track("track-01")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def evaluation():
    return evaluate(
        CasualHuman(1), TRACK, limits=DriveLimits(laps=2, steps=2500), about={"layout": "classic", "steps": 1_000}
    )


def tree_of(page: str) -> ET.Element:
    """The page parsed strictly, as XML: every tag closed, every attribute quoted, everything escaped."""
    return ET.fromstring(page.removeprefix("<!DOCTYPE html>\n"))  # noqa: S314 - our own page


def test_page_is_well_formed_and_has_every_picture(evaluation):
    tree = tree_of(report_page(evaluation))
    titles = [title.text for title in tree.iter(f"{SVG}title")]
    assert titles == [
        "The line driven on Circuit, coloured by speed",
        "Colours of speeds in u/s",
        "Speed over distance on Circuit",
        "Starts from which a lap was completed",
    ]
    assert len(list(tree.iter("tr"))) == 6


def test_page_asks_nobody_for_anything(evaluation):
    page = report_page(evaluation)
    assert "<script" not in page
    assert not re.findall(r"\b(?:src|href|srcset|action|data)\s*=", page)
    assert "@import" not in page
    assert set(re.findall(r"url\((.)", page)) == {"#"}
    assert set(re.findall(r"https?://[^\"' )]+", page)) == {"http://www.w3.org/2000/svg"}


def test_two_tracks_on_one_page_share_no_ids():
    tracks = [TRACK, load_track("track-02")]
    parked = evaluate(Parking(), tracks, with_human=False)
    ids = [element.get("id") for element in tree_of(report_page(parked)).iter() if element.get("id")]
    assert len(ids) == len(set(ids)) == 4


def test_line_is_coloured_by_speed(evaluation):
    tree = tree_of(report_page(evaluation))
    [driven] = [group for group in tree.iter(f"{SVG}g") if group.get("class") == "driven"]
    assert len({stroke.get("stroke") for stroke in driven}) > 2


def test_cut_lap_shows_where_it_left_the_road():
    cut = evaluate(Cutting(TRACK), TRACK, limits=DriveLimits(laps=2), with_human=False)
    tree = tree_of(report_page(cut))
    assert len([dot for dot in tree.iter(f"{SVG}circle") if dot.get("class") == "off-road"]) > 100


def test_driver_that_never_gets_round_has_a_report_too():
    parked = evaluate(Parking(), TRACK, with_human=False)
    tree = tree_of(report_page(parked))
    dots = [dot.get("class") for dot in tree.iter(f"{SVG}circle")]
    assert dots.count("failed") == 62
    assert dots.count("stopped") == 1


def test_learning_curve_is_drawn_where_a_run_has_one(evaluation, tmp_path):
    assert "How it learned" not in report_page(evaluation, tmp_path)
    lines = [f'{{"step": {k}, "seconds": {k}, "completion": {k / 10}, "best_lap_s": {9 - k / 5}}}' for k in range(10)]
    (tmp_path / "curve.jsonl").write_text("\n".join(lines))
    page = report_page(evaluation, tmp_path)
    tree_of(page)
    assert "How it learned" in page
    assert "original driver 7.333 s" in page


def test_hostile_names_stay_text(evaluation):
    nasty = '"><script>alert(1)</script>&'
    track = build_track(TRACK.control_points, track_id=nasty, name=nasty)
    hostile = replace(
        evaluation,
        driver=nasty,
        about={"algorithm": nasty, "tracks": [nasty]},
        tracks=[replace(evaluation.tracks[0], track=nasty, name=nasty, course=track)],
    )
    page = report_page(hostile)
    tree_of(page)
    assert "<script" not in page
