"""Levels: each beats the one below, the lowest can be beaten by people, the highest is as fast as the driver itself."""

import copy
import json

import numpy as np
import pytest

from hotlap import cli
from hotlap.errors import ConfigError, PolicyError
from hotlap.evaluation.sources import find_driver, load_policy
from hotlap.policies import CasualHuman
from hotlap.policies.bundled import BUNDLED, RACE_DRIVER
from hotlap.policies.levels import LEVELS
from hotlap.race.batch import RaceBatch, RaceSettings
from hotlap.race.grid import RACING
from hotlap.race.opponents import Opponents, seated_drivers
from hotlap.race.world import RaceWorld
from hotlap.racer.tracks import load_track

TRACKS = ("track-01", "track-02", "track-03")


class Human:
    """The casual human in a race: it looks out of the window."""

    name = "casual human"

    def __init__(self) -> None:
        self.human = CasualHuman(0)

    def act(self, observation, race, rows):
        return self.human.act(observation, race)[rows]


def finish_ticks(drivers: list, track: str, laps: int = 2) -> list[int]:
    race = RaceBatch(1, [load_track(track)], RaceSettings(len(drivers), laps, layout="full"), 1)
    race.reset()
    seats = Opponents(race, seated_drivers(drivers, len(drivers), race), 0)
    actions = np.zeros((race.count, 3))
    while (race.contenders.status == RACING).any():
        seats.write_actions(actions)
        race.set_actions(actions)
        race.step()
    assert not seats.parked
    return race.contenders.finish_tick.tolist()


def test_levels_are_at_least_150_points_apart(capsys):
    words = ["--levels", "--tracks", "track-01", "track-02", "--races", "2", "--laps", "2", "--cars", "10", "--json"]
    assert cli.main(["league", RACE_DRIVER, *words]) == 0
    table = json.loads(capsys.readouterr().out)["drivers"]
    assert [row["driver"] for row in table] == [f"{RACE_DRIVER}@level-{number}" for number in (5, 4, 3, 2, 1)]
    ratings, laps = [row["rating"] for row in table], [row["mean_lap_s"] for row in table]
    assert min(-np.diff(ratings)) >= 150.0
    assert laps == sorted(laps)


@pytest.mark.parametrize("track", TRACKS)
def test_casual_human_beats_the_lowest_level(track):
    human, level = finish_ticks([Human(), "level-1"], track)
    assert human < level


@pytest.mark.parametrize("track", TRACKS)
def test_highest_level_is_within_a_percent_of_the_driver_itself(track):
    [level], [driver] = (finish_ticks([name], track) for name in ("level-5", RACE_DRIVER))
    assert driver <= level <= 1.01 * driver


def test_level_of_a_file_is_that_of_its_driver():
    file = str(BUNDLED / f"{RACE_DRIVER}.onnx")
    assert finish_ticks([f"{file}@level-3"], "track-01", 1) == finish_ticks(["level-3"], "track-01", 1)


def test_world_carries_what_late_drivers_saw():
    world = RaceWorld(1, observation="full", cars=3, opponents=["level-1", "level-4"])
    world.begin(0, np.random.default_rng(0))
    for _ in range(100):
        world.advance(np.array([[0.0, 1.0, 0.0]]))
    twin = copy.deepcopy(world)
    for _ in range(100):
        for each in (world, twin):
            each.advance(np.array([[0.0, 1.0, 0.0]]))
    assert twin.fleet.x_u.tobytes() == world.fleet.x_u.tobytes()


def test_late_driver_of_a_new_race_remembers_nothing_of_the_last():
    world = RaceWorld(1, observation="full", cars=2, opponents="level-1")
    ways = []
    for _ in range(2):
        world.begin(0, np.random.default_rng(4))
        for _ in range(60):
            world.advance(np.array([[0.0, 1.0, 0.0]]))
        ways.append(world.fleet.x_u.tobytes())
    assert ways[0] == ways[1]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("level-0", "from 1 .slowest. to 5, not 0"),
        ("level-6", "from 1 .slowest. to 5, not 6"),
        ("nobody@level-2", 'no opponent "nobody"'),
    ],
)
def test_level_that_is_none_is_refused(name, words):
    with pytest.raises(ConfigError, match=words):
        RaceWorld(1, observation="full", cars=2, opponents=name)


def test_reactions_and_pace_only_get_better_with_the_level():
    late, throttle = zip(*(LEVELS[number] for number in range(1, 6)), strict=True)
    assert list(late) == sorted(late, reverse=True)
    assert list(throttle) == sorted(throttle)


def test_folder_of_policy_files_and_runs_is_a_field_of_opponents(tmp_path):
    policy = (BUNDLED / f"{RACE_DRIVER}.onnx").read_bytes()
    for path in (tmp_path / "first.onnx", tmp_path / "second-run" / "policy.onnx"):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(policy)
    world = RaceWorld(1, observation="full", cars=4, opponents=str(tmp_path))
    assert [driver.name for driver in world.drivers] == ["first", "second-run", "first"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match=r"has no \.onnx files"):
        RaceWorld(1, observation="full", cars=4, opponents=tmp_path / "empty")


def test_driver_is_evaluated_at_a_level(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["--track", "track-01", "--laps", "1", "--json"]
    places = {}
    for name in (RACE_DRIVER, "level-2"):
        assert cli.main(["evaluate", name, *words]) == 0
        places[name] = np.mean(json.loads(capsys.readouterr().out)["tracks"][0]["places"])
    assert places["level-2"] > places[RACE_DRIVER] + 1.0


def test_only_drivers_of_races_have_levels():
    with pytest.raises(PolicyError, match="only drivers of races have levels"):
        find_driver("all-rounder@level-3")
    with pytest.raises(PolicyError, match="a level of one, which has no file"):
        load_policy("level-3")
