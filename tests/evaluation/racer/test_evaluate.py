"""Evaluation: known drivers give known figures, and the same figures every time."""

import io
from functools import cache

import numpy as np
import pytest

from hotlap.errors import ConfigError, PolicyError, UnknownTrackError
from hotlap.evaluation import DriveLimits, RacerEvaluation, evaluate
from hotlap.evaluation.racer import yardsticks
from hotlap.evaluation.racer.drives import percent_over
from hotlap.evaluation.racer.yardsticks import ORIGINAL_DRIVER
from hotlap.policies import CasualHuman, ReferenceDriver
from hotlap.policies.bundled import BUNDLED
from hotlap.policies.centre_line import CentreLineDriver
from hotlap.policies.exploits import Cutting, Parking
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.racer.tracks import load_track
from hotlap.racer.world import RacerWorld
from policies.tiny_models import good_metadata, linear_model

SHORT = DriveLimits(laps=2, steps=2500)


@cache
def reference_on(track: str) -> RacerEvaluation:
    return evaluate(ReferenceDriver(track), track, with_human=False)


def test_reference_driver_gets_the_figures_known_to_the_tick():
    [track] = reference_on("track-01").tracks
    prompt, late = track.by_delay
    assert (prompt.delay, late.delay) == (0, 1)
    assert (prompt.gates, prompt.gates_completed, prompt.grid_completed) == (30, 30, True)
    assert prompt.standing_lap_s == 488 / 60
    assert late.standing_lap_s == 489 / 60
    assert prompt.flying_best_clean_s == late.flying_best_clean_s == prompt.reference_lap_s == 385 / 60
    assert prompt.percent_over_reference == late.percent_over_reference == 0.0
    assert (prompt.wall_ticks, prompt.off_road_ticks) == (0, 0)
    assert prompt.flying_laps == prompt.flying_clean_laps == 31 * 3


def test_parked_car_completes_nothing():
    [track] = evaluate(Parking(), "track-01", with_human=False).tracks
    for figures in track.by_delay:
        assert figures.gates_completed == 0
        assert figures.gates_failed == tuple(range(30))
        assert not figures.grid_completed
        assert figures.standing_lap_s is figures.standing_lap_clean is figures.flying_best_s is None
        assert figures.percent_over_reference is None
        # An episode ends after 180 ticks at rest, each of which costs a thousandth.
        assert figures.lap_return == pytest.approx(-0.18)
    assert len(track.traces[0].x_u) == 180


def test_figures_are_those_of_cars_driven_one_by_one():
    policy = CentreLineDriver("track-01", 150.0)
    [track] = evaluate(policy, "track-01", limits=SHORT, with_human=False).tracks
    flying, returns, off_road = [], [], 0
    for start in [{"start": "gate", "gate": gate} for gate in range(30)] + [{"start": "grid"}]:
        world = RacerWorld(1, "track-01")
        world.begin(0, np.random.default_rng(0), start)
        laps, earned = [], 0.0
        while len(laps) < 2:
            world.advance(policy.act(world.observation, world))
            earned += 0.0 if laps else float(world.reward[0])
            off_road += int(world.fleet.surface[0] != 0)
            if world.out.lap_complete[0]:
                laps.append(int(world.out.last_lap_ticks[0]) / 60)
        flying.append(laps[1])
        returns.append(earned)
    figures = track.by_delay[0]
    assert figures.standing_lap_s == laps[0]
    assert figures.flying_best_s == min(flying)
    assert figures.flying_mean_s == pytest.approx(np.mean(flying))
    assert figures.flying_spread_s == pytest.approx(np.std(flying))
    assert figures.off_road_ticks == off_road
    assert figures.lap_return == pytest.approx(np.mean(returns))


def test_cut_laps_are_told_from_clean_ones():
    [track] = evaluate(Cutting(load_track("track-01")), "track-01", limits=SHORT, with_human=False).tracks
    figures = track.by_delay[0]
    assert figures.flying_laps == 31
    assert figures.flying_clean_laps == 0
    assert figures.flying_best_s < figures.reference_lap_s
    assert figures.flying_best_clean_s is figures.percent_over_reference is None
    assert figures.standing_lap_clean is False
    assert figures.off_road_ticks > 0


def test_same_driver_gives_the_same_figures_again():
    first, again = (evaluate(CasualHuman(4), "track-01", limits=SHORT, with_human=False).plain() for _ in range(2))
    other = evaluate(CasualHuman(5), "track-01", limits=SHORT, with_human=False).plain()
    assert first == again
    assert first != other


def test_every_track_has_its_yardsticks():
    [track] = evaluate(Parking(), "track-03").tracks
    assert track.reference.lap_s == 1013 / 60
    assert track.reference.shortest_path_s == pytest.approx(16.861, abs=2e-3)
    assert (track.original.standing_lap_s, track.original.flying_best_s) == (19.517, 17.817)
    assert track.human.gates_completed == 30
    assert track.human.percent_over_reference > 20.0


def test_original_driver_never_finished_the_second_track():
    assert ORIGINAL_DRIVER["track-01"].flying_best_s == 7.333
    assert not ORIGINAL_DRIVER["track-02"].finishes
    assert ORIGINAL_DRIVER["track-02"].flying_best_s is None


def test_several_tracks_of_any_kind_are_evaluated_in_order():
    result = evaluate(lambda _track: Parking(), ["track-02", "generated:3:easy"], with_human=False)
    assert [track.track for track in result.tracks] == ["track-02", "generated:3:easy"]
    assert result.tracks[1].original is None
    assert result.tracks[1].reference is not None


@pytest.mark.parametrize("layout", ["classic", "full"])
def test_policy_sees_the_layout_it_was_made_for(layout):
    policy = OnnxPolicy(linear_model(good_metadata(layout=layout)).SerializeToString())
    [track] = evaluate(policy, "track-01", limits=DriveLimits(steps=200), with_human=False).tracks
    assert track.traces[0].speed_ups.max() > 50.0


def test_trace_holds_the_drive_from_the_grid():
    [track] = reference_on("track-01").tracks
    trace = track.traces[0]
    assert trace.lap_ends[0] == 488
    assert len(trace.x_u) == trace.lap_ends[-1]
    assert len(trace.standing().x_u) == 488
    assert len(trace.flying().x_u) == 385
    assert trace.flying().speed_ups.min() == pytest.approx(160.0)
    assert not trace.off_road.any()


def test_time_limit_ends_the_drive():
    [track] = evaluate(CentreLineDriver("track-01", 20.0), "track-01", limits=DriveLimits(steps=300)).tracks
    assert track.by_delay[0].gates_completed == 0
    assert len(track.traces[0].x_u) == 300


@pytest.mark.parametrize("limits", [{"laps": 1}, {"steps": 99}, {"steps": 2_000_000}])
def test_limits_that_leave_nothing_to_measure_are_refused(limits):
    with pytest.raises(ConfigError, match="laps"):
        DriveLimits(**limits)


def test_unknown_track_is_refused_with_the_nearest():
    with pytest.raises(UnknownTrackError, match="track-01"):
        evaluate(Parking(), "trak-01")


def test_shortcomings_say_where_and_how_much():
    assert reference_on("track-01").below(0.0) == []
    shortcomings = evaluate(Parking(), "track-01", with_human=False).below(3.0)
    assert shortcomings[0] == "track-01, delay 0: 0 of 31 starts completed"
    slow = evaluate(CentreLineDriver("track-01", 90.0), "track-01", limits=SHORT, with_human=False).below(3.0)
    assert len(slow) == 2
    assert "more than 3 %" in slow[0]


def test_percent_over_the_reference():
    assert percent_over(6.6, 6.0) == pytest.approx(10.0)
    assert percent_over(None, 6.0) is percent_over(6.0, None) is None


def test_drivers_have_time_for_all_laps_however_long_the_track():
    track = load_track("track-01")
    assert DriveLimits().ticks_on(track) == 6000
    assert DriveLimits(laps=40).ticks_on(track) == round(40 * track.length_u / 60.0 * 60)
    assert DriveLimits(laps=40, steps=500).ticks_on(track) == 500


def test_driver_without_python_in_between_drives_the_laps_of_the_runtime():
    driver = OnnxPolicy(BUNDLED / "all-rounder.onnx")
    stepped = OnnxPolicy(BUNDLED / "all-rounder.onnx")
    assert driver.network is not None
    stepped.network = None
    [one], [other] = (evaluate(policy, "track-01", with_human=False).tracks for policy in (driver, stepped))
    for compiled, plain in zip(one.by_delay, other.by_delay, strict=True):
        assert compiled.flying_laps == plain.flying_laps == 93
        assert compiled.lap_return == pytest.approx(plain.lap_return)
        assert compiled.flying_mean_s == plain.flying_mean_s
    assert one.traces[0].lap_ends == other.traces[0].lap_ends
    assert np.abs(one.traces[0].x_u - other.traces[0].x_u).max() < 0.01


def test_driver_that_answers_with_nan_is_named():
    driver = OnnxPolicy(BUNDLED / "all-rounder.onnx")
    *before, (weights, biases) = driver.network.layers
    driver.network = driver.network._replace(layers=(*before, (weights, biases * np.nan)))
    with pytest.raises(PolicyError, match='"all-rounder" answers with NaN'):
        evaluate(driver, "track-01", with_human=False)


def test_humans_drive_that_was_kept_is_the_one_that_was_driven():
    drive = yardsticks._driven_by_human(load_track("track-01"), SHORT)
    content = io.BytesIO()
    np.savez(content, **yardsticks._as_columns(drive))
    with np.load(io.BytesIO(content.getvalue()), allow_pickle=False) as columns:
        kept = yardsticks._from_columns(dict(columns))
    assert kept.figures == drive.figures
    for name, value in vars(drive.trace).items():
        assert np.array_equal(value, vars(kept.trace)[name]), name
    assert kept.trace.lap_ends == drive.trace.lap_ends
