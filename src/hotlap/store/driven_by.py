"""What drove a lap, told by its inputs: keys, something that knows more than on and off, or a driver known here."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from hotlap.racer.tracks import Track
from hotlap.store.drives import STEER_SCALE, RecordedDrive, encode_actions
from hotlap.store.referee import replayed
from hotlap.store.same_drive import is_same_drive, lap_inputs

if TYPE_CHECKING:
    from hotlap.policies.onnx_policy import OnnxPolicy

KEYS, ANALOGUE, MACHINE = "keys", "analogue", "machine"
SLOWEST_KEY_TURN = 3
"""How far keys turn the page's wheel in a tick at the least, in steps of 1/127; only where it stops it may be less."""
KEY_STOPS = (-STEER_SCALE, 0, STEER_SCALE)


def driven_by(track: Track, drive: RecordedDrive, ticks: int, known: "Iterable[OnnxPolicy]") -> str:
    """The class of the lap of so many ticks that ends a drive."""
    if is_by_keys(drive.inputs[-3 * ticks :]):
        return KEYS
    return MACHINE if any(would_drive_so(policy, track, drive, ticks) for policy in known) else ANALOGUE


def is_by_keys(inputs: bytes) -> bool:
    """Whether pedals are all or nothing, and the wheel turns as fast as keys turn it, or stops where they stop it."""
    raw = np.frombuffer(inputs, np.uint8).reshape(-1, 3)
    steer = raw[:, 0].view(np.int8).astype(np.int64)
    turned = np.abs(np.diff(steer))
    by_keys = (turned == 0) | (turned >= SLOWEST_KEY_TURN) | np.isin(steer[1:], KEY_STOPS)
    return bool(np.isin(raw[:, 1:], (0, 255)).all() and by_keys.all())


def would_drive_so(policy: "OnnxPolicy", track: Track, drive: RecordedDrive, ticks: int) -> bool:
    """Whether a driver that sees what was seen in each tick of the lap asks for what was asked for, or nearly."""
    first = drive.ticks - ticks - 1
    seen = [batch.observation[0].copy() for tick, batch in replayed(track, drive, policy.layout) if tick >= first][:-1]
    wanted = encode_actions(np.asarray(policy.act(np.array(seen, np.float32)), np.float64))
    return is_same_drive(lap_inputs(wanted, ticks), lap_inputs(drive.inputs, ticks))
