"""`hotlap evaluate --traces` and `hotlap export laps`: what Minari reads is what was driven, to the bit."""

import json

import minari
import numpy as np
import pytest

from hotlap import cli
from hotlap.export.reference_laps import shape_of
from hotlap.racer.fingerprint import physics_fingerprint
from hotlap.racer.tracks import load_track
from hotlap.store.database import DATABASE_FILE, Database
from hotlap.store.drives import RecordedDrive
from hotlap.store.laps import Course, Lap, LapBoard, lap_id
from store.driven_laps import clean_drive

HIGHWAY = ["--vehicles", "6", "--episodes", "3", "--orders", "0", "--no-baselines"]


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Opens a data set by its id, as Minari's users do."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    return minari.load_dataset


def replays(data, number):
    """Whether an episode comes out the same in the environment that the data set recovers."""
    env, episode = data.recover_environment(), data[number]
    about = next(iter(data.storage.get_episode_metadata([number])))
    seen, _ = env.reset(seed=about.get("seed"), options=about["options"])
    observations, rewards, flags = [seen], [], []
    for action in episode.actions:
        seen, reward, terminated, _, _ = env.step(action)
        observations.append(seen)
        rewards.append(reward)
        flags.append(terminated)
    same = np.array_equal(observations, episode.observations) and np.array_equal(rewards, episode.rewards)
    return same and np.array_equal(flags, episode.terminations) and episode.truncations[-1] != episode.terminations[-1]


def test_traces_of_the_highway_replay_in_the_environment_and_name_the_mission(load, tmp_path, capsys):
    assert cli.main(["evaluate", "random", *HIGHWAY, "--traces", str(tmp_path / "wild-v0"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    data = load("wild-v0")
    assert data.total_episodes == 3
    assert all(replays(data, number) for number in range(3))
    episode = data[0]
    assert {"mission_mode", "mission_lane", "mission_speed_mps"} <= episode.infos.keys()
    assert all(len(column) == len(episode.rewards) + 1 for column in episode.infos.values())
    crashed = sum(bool(each.terminations[-1]) for each in data)
    assert crashed == document["densities"]["6"]["alone"]["crashes"]


def test_laps_of_the_reference_replay_from_every_start(load, tmp_path):
    words = ["--track", "track-01", "--laps", "2", "--traces", str(tmp_path / "reference-v0")]
    assert cli.main(["evaluate", "reference", *words]) == 0
    data = load("reference-v0")
    assert data.total_episodes == 62
    assert all(replays(data, number) for number in (0, 30, 31, 61))
    assert all(data.observation_space.contains(seen) for seen in data[0].observations)
    assert all(data.action_space.contains(action) for action in data[0].actions)


def test_driver_cloned_from_traces_does_what_the_driver_did(load, tmp_path):
    words = ["--vehicles", "0", "--episodes", "2", "--orders", "0", "--no-baselines", "--missions", "hold"]
    assert cli.main(["evaluate", "motorist", *words, "--traces", str(tmp_path / "hold-v0")]) == 0
    data = load("hold-v0")
    seen = np.concatenate([np.c_[each.observations[:-1], np.ones(len(each.actions))] for each in data])
    done = np.concatenate([each.actions for each in data])
    weights, *_ = np.linalg.lstsq(seen, done, rcond=None)
    left = np.square(done - seen @ weights).mean(axis=0)
    assert (left <= 0.5 * done.var(axis=0) + 1e-6).all()


def on_the_board(root, drive, ticks, driven_by="keys", name="Ada"):
    """Put a lap on the board of a folder of runs."""
    track = load_track("track-01")
    course = Course("track-01", shape_of(track), physics_fingerprint())
    database = Database(root / DATABASE_FILE)
    lap = Lap(lap_id(course, drive), "track-01", name, ticks, 1, "2026-01-01T00:00:00Z", driven_by)
    LapBoard(database).add(course, lap, drive)
    database.close()


def test_laps_of_people_are_written_and_those_of_machines_are_not(load, tmp_path, capsys):
    drive, ticks = clean_drive()
    on_the_board(tmp_path, drive, ticks)
    other, other_ticks = clean_drive(laps=2)
    on_the_board(tmp_path, other, other_ticks, driven_by="machine", name="robot")
    words = ["export", "laps", str(tmp_path / "laps-v0"), "--root", str(tmp_path)]
    assert cli.main(words) == 0
    assert f"1 episodes of {drive.ticks:,} steps" in capsys.readouterr().out
    data = load("laps-v0")
    assert replays(data, 0)
    assert np.array_equal(data[0].actions, drive.actions())
    assert data[0].infos["lap"][-1] == 2


def test_drive_with_a_respawn_is_recorded_from_there(load, tmp_path):
    drive, _ = clean_drive()
    stopped = RecordedDrive(drive.inputs[:300] + drive.inputs, (100,))
    on_the_board(tmp_path, stopped, 500)
    assert cli.main(["export", "laps", str(tmp_path / "laps-v0"), "--root", str(tmp_path)]) == 0
    data = load("laps-v0")
    assert data.total_steps == stopped.ticks - 100
    assert data[0].infos["speed"][0] == 0.0
    assert "options" not in next(iter(data.storage.get_episode_metadata([0])))


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["evaluate", "expert", "--traces", "traces"], 'Call the folder "traces-v0"'),
        (["evaluate", "expert", "zero", "--traces", "traces-v0"], "--traces is about one driver"),
        (["evaluate", "expert", "--traces", "taken-v0"], "exists already. Use --force"),
        (["evaluate", "expert", "--traces", "taken-v0", "--force"], "is no data set of Minari"),
        (["export", "laps", "laps-v0"], 'Drive some with "hotlap play"'),
        (["export", "laps", "laps-v0", "--track", "track-9"], 'no track "track-9"'),
    ],
)
def test_what_cannot_be_written_is_refused_before_anything_is_driven(words, complaint, tmp_path, capsys):
    (tmp_path / "taken-v0").mkdir()
    assert cli.main(words) == 2
    printed = capsys.readouterr()
    assert complaint in printed.err
    assert "driving" not in printed.err
    assert [path.name for path in tmp_path.iterdir() if path.name != "runs"] == ["taken-v0"]
