"""Races of an evaluation: all tracks at once, and what is told of them."""

import sys
from dataclasses import asdict

import numpy as np
import pytest

from hotlap import progress
from hotlap.evaluation.race.evaluate import RACES, RaceLimits, race_on
from hotlap.evaluation.race.evaluation import evaluate_races
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.policies.race_drivers import policy_file
from hotlap.racer.tracks import load_track

TRACKS = ("track-01", "track-02")


@pytest.fixture(scope="module")
def racecraft() -> OnnxPolicy:
    return OnnxPolicy(policy_file("racecraft"), world="race")


def figures_on(policy: OnnxPolicy, names: tuple[str, ...], limits: RaceLimits):
    return race_on(policy, [load_track(name) for name in names], ("classic",), limits)


def test_races_on_several_tracks_at_once_are_those_on_each_alone(racecraft):
    limits = RaceLimits(laps=1, steps=400)
    at_once = figures_on(racecraft, TRACKS, limits)
    assert at_once == tuple(figures_on(racecraft, (name,), limits)[0] for name in TRACKS)
    assert [each.track for each in at_once] == list(TRACKS)


def test_somebody_who_waits_for_races_sees_how_far_they_are(racecraft, capsys, monkeypatch):
    monkeypatch.setattr(progress, "BAR_AFTER_S", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    figures_on(racecraft, ("track-01",), RaceLimits(laps=1, steps=100))
    assert f"{RACES} races" in capsys.readouterr().err


def test_slower_opponents_that_are_behind_at_the_end_count_as_passed(racecraft):
    (figures,) = figures_on(racecraft, ("track-01",), RaceLimits(laps=2))
    assert figures.finished == RACES
    assert 0 < figures.passed <= figures.slower <= 7 * RACES
    assert figures.passed == sum(8 - place for place in figures.places)  # who is behind had no faster lap


def test_nobody_is_slower_before_the_driver_has_a_lap(racecraft):
    (figures,) = figures_on(racecraft, ("track-01",), RaceLimits(laps=2, steps=100))
    assert (figures.slower, figures.passed) == (0, 0)
    evaluation = evaluate_races(racecraft, "racecraft", [load_track("track-01")], ("classic",), RaceLimits(2, 100))
    told = {measure.quantity.name: measure.estimate for measure in evaluation.measures()}
    assert told["slower_passed"] is None
    assert asdict(evaluation.tracks[0])["slower"] == 0
    assert np.mean(evaluation.tracks[0].places) > 1.0
