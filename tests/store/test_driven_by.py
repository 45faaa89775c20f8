"""What drove a lap, told by its inputs."""

from importlib.resources import files

import numpy as np
import pytest

from hotlap.policies.casual_human import CasualHuman
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.policies.reference import ReferenceDriver
from hotlap.racer.tracks import load_track
from hotlap.racer.world import RacerWorld
from hotlap.store.driven_by import ANALOGUE, KEYS, MACHINE, driven_by, is_by_keys
from hotlap.store.drives import RecordedDrive, encode_actions
from hotlap.store.referee import laps_of

TRACK = load_track("track-01")


@pytest.fixture(scope="module")
def all_rounder():
    return OnnxPolicy((files("hotlap.web") / "data" / "bundled" / "all-rounder.onnx").read_bytes())


def a_drive(driver, laps: int = 1, shake: float = 0.0) -> tuple[RecordedDrive, int]:
    """What a driver drives from the grid, its steering shaken by a share of full lock; and its last lap in ticks."""
    world = RacerWorld(1, TRACK, observation=driver.layout)
    world.begin(0, np.random.default_rng(0))
    driver.reset(np.zeros(1, np.int64))
    rng, inputs = np.random.default_rng(1), bytearray()
    while world.fleet.lap[0] <= laps:
        action = np.asarray(driver.act(world.observation.astype(np.float32), world), np.float64)
        action[:, 0] += rng.uniform(-shake, shake)
        inputs += encode_actions(action)
        world.advance(RecordedDrive(bytes(inputs[-3:])).actions())
    return RecordedDrive(bytes(inputs)), int(world.out.last_lap_ticks[0])


@pytest.mark.parametrize("laps", [1, 2])
def test_lap_of_a_known_driver_is_a_machines(all_rounder, laps):
    drive, ticks = a_drive(all_rounder, laps)
    assert laps_of(TRACK, drive)[-1].ticks == ticks
    assert driven_by(TRACK, drive, ticks, [all_rounder]) == MACHINE


def test_lap_of_a_known_driver_with_a_trembling_wheel_is_still_a_machines(all_rounder):
    assert driven_by(TRACK, *a_drive(all_rounder, shake=0.03), [all_rounder]) == MACHINE


def test_lap_of_another_driver_is_not_this_ones(all_rounder):
    assert driven_by(TRACK, *a_drive(ReferenceDriver("track-01")), [all_rounder]) == ANALOGUE


def test_lap_by_keys_is_known_by_pedals_and_wheel():
    drive, ticks = a_drive(CasualHuman())
    assert driven_by(TRACK, drive, ticks, []) == KEYS


@pytest.mark.parametrize(
    ("inputs", "by_keys"),
    [
        ([(0, 255, 0), (9, 255, 0), (18, 255, 0), (9, 0, 255), (0, 0, 0)], True),
        ([(120, 255, 0), (127, 255, 0), (126, 255, 0)], False),  # keys let go turn further
        ([(0, 254, 0)], False),
        ([(0, 255, 1)], False),
    ],
)
def test_keys_know_no_half_pedals_and_no_small_turns(inputs, by_keys):
    assert is_by_keys(bytes(np.array(inputs, np.uint8))) is by_keys
