"""The fingerprint: written down here, so that a change of physics is a deliberate act."""

import subprocess
import sys

import numpy as np
import pytest

from hotlap.racer import fingerprint
from hotlap.racer.fingerprint import CONSTANTS, fixed_drive, physics_fingerprint
from hotlap.racer.physics import PHYSICS, ROAD, RUNOFF, SHOULDER, Physics
from hotlap.worlds import ROUNDED_TO

# Another value means another world: every driver trained before is then for a world that is gone. When that is meant,
# record the drives again (tests/golden/record.py says how), write the new value here and say so in CHANGELOG.md.
FINGERPRINT = "racer-1:f22a853553a80b11"


def fresh_fingerprint() -> str:
    return physics_fingerprint.__wrapped__()


def test_fingerprint_is_the_one_written_down():
    assert physics_fingerprint() == FINGERPRINT


def test_fingerprint_is_the_same_in_another_process():
    script = "from hotlap.racer.fingerprint import physics_fingerprint; print(physics_fingerprint())"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=240, check=True)
    assert done.stdout.strip() == physics_fingerprint()


@pytest.mark.parametrize("name", Physics._fields)
def test_fingerprint_changes_with_every_number_of_the_physics(name):
    changed = PHYSICS._replace(**{name: getattr(PHYSICS, name) * (1.0 + 1e-9)})
    assert changed != PHYSICS
    assert physics_fingerprint.__wrapped__(changed) != physics_fingerprint()


def other(value):
    """A value that is a little different."""
    return tuple(map(other, value)) if isinstance(value, tuple) else value + 1


@pytest.mark.parametrize(
    ("module", "name"), [(module, name) for module, names in CONSTANTS.items() for name in names], ids=str
)
def test_fingerprint_changes_with_every_other_constant(module, name, monkeypatch):
    """The drive is left out: here only the constants must tell."""
    # Asked for before anything changes: the first answer is kept, and must be the true one.
    unchanged, drive = physics_fingerprint(), fixed_drive(PHYSICS)
    monkeypatch.setattr(fingerprint, "fixed_drive", lambda _physics: drive)
    monkeypatch.setattr(module, name, other(getattr(module, name)))
    assert fresh_fingerprint() != unchanged


# Constants that change neither the motion of a car nor what its driver sees.
WITHOUT_INFLUENCE = {
    "PHYSICS",  # hashed field by field
    "WALL_REACH_U",  # follows from the physics
    "BLOCK",  # how many rows a ray looks at together
    "FULL_CAR_SIZE",  # part of FULL_SIZE
    "RAY_COS",  # follow from RAY_COUNT
    "RAY_SIN",
    "ROAD_EDGE_INSIDE_WALL_U",  # drawn, not driven on
}


@pytest.mark.parametrize("module", CONSTANTS, ids=lambda module: module.__name__)
def test_no_constant_is_forgotten(module):
    own = {name for name, value in vars(module).items() if name.isupper() and isinstance(value, int | float | tuple)}
    imported = {"ROAD", "RUNOFF", "SHOULDER", "GATE_COUNT", "RAY_COUNT", "CELL_U", "PHYSICS"}
    assert own - imported - WITHOUT_INFLUENCE <= set(CONSTANTS[module])


@pytest.mark.parametrize("change", ["wall_slide", "runoff_pace", "max_front_angle_rad", "ray_range_u"])
def test_drive_alone_tells_a_change_of_the_physics(change):
    """A thousandth more of a number leads elsewhere, as a changed rule would."""
    changed = PHYSICS._replace(**{change: getattr(PHYSICS, change) * 1.001})
    rounded = [[np.rint(column / ROUNDED_TO) for column in fixed_drive(each)] for each in (PHYSICS, changed)]
    assert not all(np.array_equal(mine, theirs) for mine, theirs in zip(*rounded, strict=True))


def test_drive_meets_every_surface_walls_and_gates():
    facts = fixed_drive(PHYSICS)
    thirds = [facts[7 * k : 7 * k + 7] for k in range(3)]
    assert set(np.concatenate([third[5] for third in thirds])) == {ROAD, RUNOFF, SHOULDER}
    assert any(third[6].any() for third in thirds)
    assert (thirds[2][4] != thirds[0][4]).any()


def test_rounding_is_far_from_tipping_over():
    """Engines with another C library differ by about 1e-11; a value that close to a rounding edge would split them."""
    values = np.concatenate([np.ravel(column) for column in fixed_drive(PHYSICS)]) / ROUNDED_TO
    to_the_edge = np.abs(np.abs(values - np.floor(values)) - 0.5) * ROUNDED_TO
    assert to_the_edge.min() > 1e-9
