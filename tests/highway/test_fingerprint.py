"""The highway's fingerprint: written down here, so that a change of physics is a deliberate act."""

import pytest

from hotlap.highway import fingerprint, mission_rules, physics, rewards, sensors, supervisor
from hotlap.highway.fingerprint import MODULES, fixed_drive, physics_fingerprint

# Another value means another world: every driver trained before is then for a world that is gone.
FINGERPRINT = "highway-2:7ed81c01f81dd7df"


def test_fingerprint_is_the_one_written_down():
    assert physics_fingerprint() == FINGERPRINT


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (physics, "LANE_WIDTH_M"),
        (physics, "TEMPERAMENTS"),
        (sensors, "RANGE_M"),
        (sensors, "FIELDS"),
        (supervisor, "RESPONSE_S"),
        (mission_rules, "HELD_S"),
        (mission_rules, "TIME_LIMIT_S"),
    ],
)
def test_fingerprint_changes_with_a_constant(module, name, monkeypatch):
    """The drive is left out: here only the constants must tell."""
    unchanged, drive = physics_fingerprint(), fixed_drive()
    monkeypatch.setattr(fingerprint, "fixed_drive", lambda: drive)
    value = getattr(module, name)
    monkeypatch.setattr(module, name, value[:-1] if isinstance(value, tuple) else value * (1.0 + 1e-9))
    assert physics_fingerprint.__wrapped__() != unchanged


def test_fingerprint_knows_nothing_of_pay():
    assert rewards not in MODULES


def test_drive_sees_traffic_missions_and_the_supervisor_at_work():
    facts = fixed_drive()
    guarded, alone = facts[: len(facts) // 2], facts[len(facts) // 2 :]
    assert guarded[-2].sum() > 0
    assert alone[-2].sum() == 0
    assert len(set(alone[-4].tolist())) > 2
