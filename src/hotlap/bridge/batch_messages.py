"""Binary messages of a batch: little-endian, a header of four words, then plain arrays. Both ends read and write here.

    actions   "HLA1"  cars                      float32 actions[cars][3]
    reset     "HLR1"  cars  observation_size 0
              float32 observation[cars][observation_size]
              float32 columns[len(resetColumns)][cars]      the info, one row per name in batch_result
    step      "HLS1"  cars  observation_size done
              float32 observation[cars][observation_size]   of cars that are done: of their new episode
              float32 reward[cars]
              float32 columns[len(columns)][cars]           the info, one row per name in batch_result
              uint8   flags[cars], zeros up to a multiple of 4
              uint32  done_car[done]
              float32 last_observation[done][observation_size]

JSON never begins with an H, so a binary message with JSON in it cannot be mistaken for one of these.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotlap.actions import ACTION_SIZE
from hotlap.errors import ActionError, BridgeError
from hotlap.racer.world import ACTION_SHAPE_MESSAGE, RacerWorld

ACTION_MAGIC = b"HLA1"
RESET_MAGIC = b"HLR1"
STEP_MAGIC = b"HLS1"
ACTION_HEADER = struct.Struct("<4sI")
REPLY_HEADER = struct.Struct("<4sIII")
TERMINATED, TRUNCATED, LAP_FINISHED, LAP_CLEAN = 1, 2, 4, 8
KINDS = {"f": "float", "i": "int", "b": "bool"}

Float32Array = NDArray[np.float32]


@dataclass(frozen=True)
class BatchShape:
    """How long the arrays of a batch's messages are; the answer to `batch`."""

    cars: int
    observation_size: int
    columns: tuple[tuple[str, str], ...]
    """Name and kind (float, int, bool) of every info column of a step, in order."""
    reset_columns: tuple[tuple[str, str], ...]
    """The same of a reset."""

    @classmethod
    def of_world(cls, world: RacerWorld) -> "BatchShape":
        """A step's columns are its info and the ticks of a lap just finished."""
        columns = (*_kinds(world.step_views), ("lapTicks", "int"))
        return cls(world.count, world.batch.observation_size, columns, _kinds(world.reset_views))

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> "BatchShape":
        """As a client reads it from `batch_result`."""
        named = [
            tuple((str(item["name"]), str(item["kind"])) for item in message[key])
            for key in ("columns", "resetColumns")
        ]
        return cls(int(message["cars"]), int(message["observationSize"]), *named)

    def describe(self) -> dict[str, Any]:
        """As a server says it in `batch_result`."""
        return {
            "cars": self.cars,
            "observationSize": self.observation_size,
            "actionSize": ACTION_SIZE,
            "columns": [{"name": name, "kind": kind} for name, kind in self.columns],
            "resetColumns": [{"name": name, "kind": kind} for name, kind in self.reset_columns],
        }

    def step_fields(self, done: int) -> dict[str, tuple[int, int, str, tuple[int, ...]]]:
        """First byte, one past the last, dtype and shape of each array in a step message."""
        sizes: dict[str, tuple[str, tuple[int, ...]]] = {
            "observation": ("<f4", (self.cars, self.observation_size)),
            "reward": ("<f4", (self.cars,)),
            "columns": ("<f4", (len(self.columns), self.cars)),
            "flags": ("u1", (self.cars,)),
            "done_car": ("<u4", (done,)),
            "last_observation": ("<f4", (done, self.observation_size)),
        }
        fields, first = {}, REPLY_HEADER.size
        for name, (dtype, shape) in sizes.items():
            last = first + int(np.prod(shape)) * np.dtype(dtype).itemsize
            fields[name] = (first, last, dtype, shape)
            first = last + -last % 4
        return fields


def _kinds(views: Mapping[str, NDArray[Any]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, KINDS[column.dtype.kind]) for name, column in views.items())


class StepArrays(NamedTuple):
    """The arrays of one step message, as views of its bytes."""

    observation: Float32Array
    reward: Float32Array
    columns: Float32Array
    flags: NDArray[np.uint8]
    done_car: NDArray[np.uint32]
    last_observation: Float32Array


def new_step(shape: BatchShape, done: int) -> tuple[bytearray, StepArrays]:
    """A step message to be filled in, and its arrays."""
    fields = shape.step_fields(done)
    message = bytearray(fields["last_observation"][1])
    REPLY_HEADER.pack_into(message, 0, STEP_MAGIC, shape.cars, shape.observation_size, done)
    return message, _views(message, fields)


def read_step(shape: BatchShape, message: bytes) -> StepArrays:
    """The arrays of a step message, or a BridgeError where it is none of this batch."""
    if len(message) < REPLY_HEADER.size:
        raise BridgeError(f"the server answered a step of a batch with {len(message)} bytes, too few for its header")
    magic, cars, size, done = REPLY_HEADER.unpack_from(message)
    fields = shape.step_fields(done if done <= shape.cars else 0)
    expected = (STEP_MAGIC, shape.cars, shape.observation_size, fields["last_observation"][1])
    if (magic, cars, size, len(message)) != expected:
        raise BridgeError(f"the server answered a step of a batch with {magic!r} and {len(message)} bytes")
    return _views(message, fields)


def _views(message: bytes | bytearray, fields: dict[str, tuple[int, int, str, tuple[int, ...]]]) -> StepArrays:
    arrays = {
        name: np.frombuffer(message, dtype, int(np.prod(shape)), first).reshape(shape)
        for name, (first, _last, dtype, shape) in fields.items()
    }
    return StepArrays(**arrays)


def pack_reset(shape: BatchShape, world: RacerWorld) -> bytes:
    """What every driver of a batch sees first, and the info."""
    header = REPLY_HEADER.pack(RESET_MAGIC, shape.cars, shape.observation_size, 0)
    arrays = [world.observation.ravel(), *world.reset_views.values()]
    return header + np.concatenate(arrays, dtype="<f4").tobytes()


def read_reset(shape: BatchShape, message: bytes) -> tuple[Float32Array, Float32Array]:
    """The observations (cars, size) and the info columns (columns, cars) of a reset message, as views of its bytes."""
    header = REPLY_HEADER.pack(RESET_MAGIC, shape.cars, shape.observation_size, 0)
    seen = shape.cars * shape.observation_size
    numbers = seen + shape.cars * len(shape.reset_columns)
    if not message.startswith(header) or len(message) != len(header) + 4 * numbers:
        raise BridgeError(f"the server answered batch_reset with {len(message)} bytes that are no reset of this batch")
    values = np.frombuffer(message, "<f4", offset=len(header))
    return values[:seen].reshape(shape.cars, -1), values[seen:].reshape(-1, shape.cars)


def pack_actions(actions: NDArray[Any]) -> bytes:
    """One action per car, (cars, 3)."""
    return ACTION_HEADER.pack(ACTION_MAGIC, len(actions)) + actions.astype("<f4").tobytes()


def unpack_actions(shape: BatchShape, message: bytes) -> Float32Array:
    """The actions of a message, or an ActionError where there is not one for each car of the batch."""
    expected = ACTION_HEADER.size + 4 * ACTION_SIZE * shape.cars
    if len(message) != expected or ACTION_HEADER.unpack_from(message)[1] != shape.cars:
        raise ActionError(
            f"{ACTION_SHAPE_MESSAGE} for each of {shape.cars} cars: {expected} bytes of header and float32, "
            f"not {len(message)}"
        )
    return np.frombuffer(message, "<f4", offset=ACTION_HEADER.size).reshape(shape.cars, ACTION_SIZE)
