"""The fingerprint of the racing world: a driver is valid only in the physics, with the senses, that it was trained with."""

import hashlib
import json
from functools import cache

from hotlap.racer import sensors
from hotlap.racer.physics import GATE_COUNT, PHYSICS, RAY_COUNT, TICKS_PER_SECOND

RULES_VERSION = 1
"""Rises whenever a kernel is changed so that the same inputs lead elsewhere; the recorded drives tell."""


@cache
def physics_fingerprint() -> str:
    """Sixteen hexadecimal digits that change with any number or rule a driver may depend on."""
    facts = {
        "rules": RULES_VERSION,
        "physics": PHYSICS._asdict(),
        "ticks_per_second": TICKS_PER_SECOND,
        "gates": GATE_COUNT,
        "classic": [sensors.CLASSIC_SIZE, RAY_COUNT],
        "full": [sensors.FULL_SIZE, list(sensors.LOOKAHEADS_U)],
        "full_scales": [
            sensors.OFFSET_SCALE_U,
            sensors.YAW_SCALE_RPS,
            sensors.CURVATURE_SCALE_U,
            sensors.AHEAD_SCALE_U,
        ],
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]
