"""The engine against recordings: its own, always, and those of the original engine where they are at hand."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from golden import record
from hotlap.racer.batch import RacerBatch
from hotlap.racer.config import RacerConfig
from hotlap.racer.fleet import FleetState
from hotlap.racer.projection import cell_of
from hotlap.racer.tracks import load_track, track_ids
from hotlap.racer.walls import nearest_wall, walls_near
from racer import twins
from racer.cars import PARTS, twin_track
from racer.twin_starts import choose_start

REPOSITORY = Path(__file__).parents[2]
ORIGINAL = REPOSITORY.parent / "shared" / "golden" / "racer"
OWN = sorted(record.FOLDER.glob("*.npz"))
# Absolute. Another C library and another order of the same sums make 3e-11 at most, after walls were hit.
NEAR = 1e-9
# The projection's search may meet a tie that falls the other way when the same sum is rounded differently.
ARC_TIE_U = 0.01
TICKS_PER_ARC_TIE = 10_000


@cache
def recording(path: Path) -> dict:
    """All arrays of a file, read at once."""
    with np.load(path) as arrays:
        content = dict(arrays)
    return {**content, "meta": json.loads(str(content.get("meta", "{}")))}


def near(mine: np.ndarray, theirs: np.ndarray, tolerance: float = NEAR) -> None:
    np.testing.assert_allclose(mine, theirs, rtol=0.0, atol=tolerance)


# Our own recordings


def test_own_recordings_are_there():
    assert {path.stem for path in OWN} == {drive.name for drive in record.DRIVES}


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_own_recording_is_driven_again(path):
    known = recording(path)
    tracks = [load_track(name) for name in known["meta"]["tracks"]]
    batch = RacerBatch(known["action"].shape[1], tracks, layout=known["meta"]["layout"], threads=1)
    for name, column in zip(FleetState._fields, batch.fleet, strict=True):
        column[:] = known[f"start_{name}"]
    batch.observe(0, batch.count)
    for tick, actions in enumerate(known["action"]):
        batch.set_actions(actions)
        batch.step()
        for name, column in record.counted(batch).items():
            np.testing.assert_array_equal(column, known[name][tick], err_msg=f"{name} at tick {tick}")
        if (tick + 1) % record.ROWS_EVERY == 0:
            near(record.measured(batch), known["measured"][tick // record.ROWS_EVERY])


# The original engine's

STATE = {
    "pos": ("x_u", "y_u"),
    "vel": ("vx_ups", "vy_ups"),
    "heading": "heading_rad",
    "yaw_rate": "yaw_rate_rps",
    "speed": "speed_ups",
    "inp": ("steer", "throttle", "brake", "front_angle_rad"),
    "accel_long": "accel_ups2",
    "slip_angle": "slip_rad",
    "center_dist": "centre_distance_u",
}
COUNTED = {
    "surface": "surface",
    "lap_ticks": "lap_ticks",
    "best_lap_ticks": "best_lap_ticks",
    "total_race_ticks": "race_ticks",
    "lap": "lap",
    "checkpoint": "gate",
}


def fleet_columns(batch: RacerBatch, names: dict) -> dict[str, np.ndarray]:
    """Columns of the fleet by the recordings' names, copied."""
    fleet = batch.fleet
    return {
        key: np.array(getattr(fleet, name)) if isinstance(name, str) else np.stack([getattr(fleet, n) for n in name], 1)
        for key, name in names.items()
    }


def drive_again(path: Path) -> dict[str, np.ndarray]:
    """The recorded actions driven by this engine: every array of the recording, one row per tick."""
    known = recording(path)
    batch = RacerBatch(1, [load_track(path.stem.split("__")[0])], RacerConfig.load(known["meta"]["config"]))
    batch.place(0, 0, choose_start(batch.tracks[0], "grid", None, np.random.default_rng(0)), 0)
    rows: list[dict] = [state_row(batch)]
    steps: list[dict] = []
    for action in known["action"]:
        batch.set_actions(action[None])
        batch.step()
        rows.append(state_row(batch))
        steps.append(step_row(batch))
    joined = {key: np.stack([row[key] for row in rows]) for key in rows[0]}
    return {**joined, **{key: np.stack([step[key] for step in steps]) for key in steps[0]}}


def state_row(batch: RacerBatch) -> dict:
    row = {key: column[0] for key, column in fleet_columns(batch, {**STATE, **COUNTED}).items()}
    flags = {"tick": batch.fleet.tick[0].item(), "lap_complete": batch.out.lap_complete[0].item()}
    return {**row, **flags, "arc_length": batch.fleet.arc_u[0].item(), "obs": batch.observation[0].copy()}


def step_row(batch: RacerBatch) -> dict:
    out = batch.out
    row = {"reward": out.reward[0].item(), "rew": np.array([getattr(out, name)[0] for name in PARTS])}
    row.update({name: getattr(out, name)[0].item() for name in ("terminated", "truncated", "wall_contact", "collided")})
    row.update(stillness_counter=batch.fleet.still_ticks[0].item(), step_count=batch.fleet.tick[0].item())
    return {**row, "last_lap_ticks": out.last_lap_ticks[0].item()}


def ticks_with_another_arc(path: Path) -> np.ndarray:
    """Where the projection's search met a tie that fell the other way."""
    return np.abs(driven(path)["arc_length"] - recording(path)["arc_length"]) > NEAR


driven = cache(drive_again)
TRAJECTORIES = sorted((ORIGINAL / "traj").glob("*.npz"))
TRACKS = [name for name in track_ids() if (ORIGINAL / "step" / f"{name}.npz").exists()]


@pytest.mark.parametrize("path", TRAJECTORIES, ids=lambda path: path.stem)
def test_car_drives_as_in_the_original(path):
    mine, known = driven(path), recording(path)
    for name in STATE:
        near(mine[name], known[name])


@pytest.mark.parametrize("path", TRAJECTORIES, ids=lambda path: path.stem)
def test_flags_and_counts_are_exactly_those_of_the_original(path):
    mine, known = driven(path), recording(path)
    flags = ("terminated", "truncated", "wall_contact", "collided", "stillness_counter", "step_count")
    for name in (*COUNTED, "tick", "lap_complete", *flags):
        np.testing.assert_array_equal(mine[name], known[name], err_msg=name)


@pytest.mark.parametrize("path", TRAJECTORIES, ids=lambda path: path.stem)
def test_driver_sees_and_is_paid_as_in_the_original(path):
    mine, known, tie = driven(path), recording(path), ticks_with_another_arc(path)
    near(mine["arc_length"], known["arc_length"], ARC_TIE_U)
    settled = ~(tie[1:] | tie[:-1])
    near(mine["obs"][~tie], known["obs"][~tie])
    near(mine["reward"][settled], known["reward"][settled])
    near(mine["rew"][settled], known["rew"][settled])


@pytest.mark.parametrize("path", TRAJECTORIES, ids=lambda path: path.stem)
def test_lap_times_are_those_of_the_original(path):
    mine = driven(path)
    laps = mine["last_lap_ticks"][mine["lap_complete"][1:] == 1]
    assert laps.tolist() == recording(path)["meta"]["lap_times_ticks"]


@pytest.mark.skipif(not TRAJECTORIES, reason="the original's recordings are not at hand")
def test_ties_of_the_projection_are_rare():
    ties = np.concatenate([ticks_with_another_arc(path) for path in TRAJECTORIES])
    assert ties.sum() <= len(ties) / TICKS_PER_ARC_TIE


@pytest.mark.skipif(not TRAJECTORIES, reason="the original's recordings are not at hand")
def test_recordings_of_the_original_include_laps_walls_and_ends():
    everything = [recording(path) for path in TRAJECTORIES]
    for name in ("lap_complete", "collided", "terminated", "truncated"):
        assert any(known[name].any() for known in everything), name


@pytest.mark.parametrize("name", TRACKS)
def test_single_steps_from_random_states_are_those_of_the_original(name):
    known = recording(ORIGINAL / "step" / f"{name}.npz")
    count = len(known["s_heading"])
    batch = RacerBatch(count, [load_track(name)], threads=1)
    fleet = batch.fleet
    for columns, values in (
        (("x_u", "y_u"), known["s_pos"]),
        (("vx_ups", "vy_ups"), known["s_vel"]),
        (("steer", "throttle", "brake"), known["s_inp"]),
        (("heading_rad", "yaw_rate_rps"), np.column_stack([known["s_heading"], known["s_yaw_rate"]])),
    ):
        for column, value in zip(columns, values.T, strict=True):
            getattr(fleet, column)[:] = value
    fleet.speed_ups[:], fleet.gate[:] = known["s_speed"], known["s_checkpoint"]
    fleet.lap_ticks[:], fleet.race_ticks[:], fleet.lap[:], fleet.best_lap_ticks[:] = 500, 900, 1, -1
    batch.observe(0, count)
    batch.set_actions(known["action"])
    batch.step()
    for key, column in fleet_columns(batch, STATE).items():
        near(column, known[key])
    for key, column in fleet_columns(batch, COUNTED).items():
        np.testing.assert_array_equal(column, known[key], err_msg=key)
    np.testing.assert_array_equal(batch.out.lap_complete, known["lap_complete"])
    near(fleet.arc_u, known["arc_length"])
    near(batch.observation, known["obs"])


def probed(name: str) -> tuple[dict, RacerBatch]:
    """The probes of a track, and a car put at each."""
    known = recording(ORIGINAL / "probe" / f"{name}.npz")
    batch = RacerBatch(len(known["heading"]), [load_track(name)], threads=1)
    batch.fleet.x_u[:], batch.fleet.y_u[:] = known["pos"].T
    batch.fleet.heading_rad[:] = known["heading"]
    batch.observe(0, batch.count)
    return known, batch


@pytest.mark.parametrize("name", TRACKS)
def test_place_surface_and_rays_at_the_probes_are_those_of_the_original(name):
    known, batch = probed(name)
    near(batch.fleet.centre_distance_u, known["center_dist"])
    near(batch.fleet.arc_u, known["arc_length"])
    np.testing.assert_array_equal(batch.fleet.surface, known["surface"])
    near(batch.observation[:, :9], known["rays"])


@pytest.mark.parametrize("name", TRACKS)
def test_walls_at_the_probes_are_those_of_the_original(name):
    """The twin by looking at all walls, the engine by those of the cell."""
    known, batch = probed(name)
    for i, (x, y) in enumerate(known["pos"].tolist()):
        track, run = twin_track(name), walls_near(cell_of(x, y, 0, batch.tables), 0, batch.tables)
        assert twins.nearest_on(track.inner, x, y)[0] == pytest.approx(known["dist_inner"][i], abs=NEAR)
        assert twins.nearest_on(track.outer, x, y)[0] == pytest.approx(known["dist_outer"][i], abs=NEAR)
        hit = nearest_wall(x, y, run, batch.tables)
        assert (hit.distance_u < 1.0, hit.distance_u < 2.0) == (known["hit_r1"][i], known["hit_r2"][i])
        assert (twins.wall_hit(track, x, y, 2.0) is not None) == known["hit_r2"][i]
        if known["hit_r1"][i]:
            expected = pytest.approx(tuple(known["hit_r1_pen_nx_ny"][i]), abs=NEAR)
            assert (1.0 - hit.distance_u, hit.normal_x, hit.normal_y) == expected
            assert twins.wall_hit(track, x, y, 1.0) == expected
