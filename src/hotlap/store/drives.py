"""A person's drive as bytes: what was asked of the car in every tick, so exactly that anybody can drive it again."""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.errors import LapError

BYTES_PER_TICK = 3
STEER_SCALE = 127
PEDAL_SCALE = 255
MOST_TICKS = 36_000
MOST_RESPAWNS = 100


@dataclass(frozen=True)
class RecordedDrive:
    """A drive from the grid: three bytes a tick (steer, throttle, brake), and before which ticks the car respawned."""

    inputs: bytes
    respawns: tuple[int, ...] = ()

    @property
    def ticks(self) -> int:
        """How long it is."""
        return len(self.inputs) // BYTES_PER_TICK

    def actions(self) -> NDArray[np.float64]:
        """(ticks, 3): exactly the numbers the car was driven with."""
        bytes_of = np.frombuffer(self.inputs, np.uint8).reshape(-1, BYTES_PER_TICK)
        steer = bytes_of[:, 0].view(np.int8).astype(np.float64) / STEER_SCALE
        pedals = bytes_of[:, 1:].astype(np.float64) / PEDAL_SCALE
        return np.column_stack([steer, pedals])

    def as_json(self) -> dict[str, Any]:
        """As pages send and get it."""
        return {"inputs": base64.b64encode(self.inputs).decode(), "respawns": list(self.respawns)}


def encode_actions(actions: NDArray[np.floating[Any]]) -> bytes:
    """The nearest inputs that can be written down for actions (ticks, 3)."""
    steer = np.clip(np.rint(actions[:, 0] * STEER_SCALE), -STEER_SCALE, STEER_SCALE).astype(np.int8)
    pedals = np.clip(np.rint(actions[:, 1:] * PEDAL_SCALE), 0, PEDAL_SCALE).astype(np.uint8)
    return np.column_stack([steer.view(np.uint8), pedals]).tobytes()


def drive_from_json(inputs: str, respawns: Sequence[int]) -> RecordedDrive:
    """A drive as a page sent it; anything that cannot be one is a LapError."""
    most_letters = 4 * MOST_TICKS * BYTES_PER_TICK // 3
    if len(inputs) > most_letters:
        raise LapError(f"a drive has at most {MOST_TICKS:,} ticks, and this one is longer. Start again from the grid.")
    try:
        content = base64.b64decode(inputs, validate=True)
    except (binascii.Error, ValueError) as problem:
        raise LapError(f"the inputs of a drive are base64, and these are not ({problem}).") from problem
    return checked_drive(RecordedDrive(content, tuple(respawns)))


def checked_drive(drive: RecordedDrive) -> RecordedDrive:
    """The drive itself when its length, values and respawns can be; otherwise a LapError."""
    if not drive.inputs or len(drive.inputs) % BYTES_PER_TICK:
        raise LapError(f"a drive has three bytes per tick, and {len(drive.inputs)} are no whole number of ticks.")
    if b"\x80" in drive.inputs[::BYTES_PER_TICK]:
        raise LapError("steer goes from -127 to 127, and this drive has -128.")
    if len(drive.respawns) > MOST_RESPAWNS:
        raise LapError(f"a drive has at most {MOST_RESPAWNS} respawns, not {len(drive.respawns)}.")
    bounds = (-1, *drive.respawns, drive.ticks)
    if any(earlier >= later for earlier, later in pairwise(bounds)):
        raise LapError(f"respawns are rising numbers of ticks from 0 to {drive.ticks - 1}, not {list(drive.respawns)}.")
    return drive
