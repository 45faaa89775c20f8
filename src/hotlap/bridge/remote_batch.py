"""A batch of cars in a bridge server: n cars a round trip, arrays in and arrays out."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.actions import checked_actions
from hotlap.bridge.batch_messages import BatchShape, StepArrays, pack_actions, read_reset, read_step
from hotlap.bridge.client import BridgeClient
from hotlap.bridge.json_text import encode
from hotlap.bridge.remote import track_names
from hotlap.errors import BridgeError
from hotlap.racer.cars import CLASSIC
from hotlap.racer.config import RacerConfig
from hotlap.racer.options import RacerOptions, checked_layout, load_cars, observation_bounds
from hotlap.racer.world import ACTION_HIGH, ACTION_LOW, ACTION_SHAPE_MESSAGE
from hotlap.worlds import check_world_options

DTYPES = {"float": np.float32, "int": np.int64, "bool": np.bool_}


class RemoteBatch:
    """Cars that the server begins again as soon as they are done; every array handed out is the caller's own."""

    def __init__(self, bridge_url: str, count: int, **options: Any) -> None:
        """Options are those of `RacerOptions`; tracks and cars are named by their ids."""
        check_world_options("racer", options, ())
        given = RacerOptions(**options)
        layout = checked_layout(given.observation, load_cars(given.car))
        self.observation_bounds = observation_bounds(layout)
        self.action_bounds = (ACTION_LOW, ACTION_HIGH)
        order = {
            "type": "batch",
            "cars": int(count),
            "tracks": track_names(given.track),
            "config": dataclasses.asdict(RacerConfig.load(given.config)),
            "observation": layout,
            "options": {name: options[name] for name in ("start", "action_delay") if name in options},
        }
        if given.car != CLASSIC:
            order.update(car=given.car, assists=given.assists)
        self.client = BridgeClient(bridge_url)
        try:
            self.shape = self._open(order)
        except BaseException:
            self.client.close()
            raise

    def _open(self, order: Mapping[str, Any]) -> BatchShape:
        if "batch" not in self.client.hello().get("capabilities", ()):
            raise BridgeError(f"Bridge error: {self.client.url} knows no batch; it speaks the original protocol.")
        shape = BatchShape.from_message(self.client.request(order))
        if (shape.cars, shape.observation_size) != (order["cars"], len(self.observation_bounds[0])):
            raise BridgeError(f"Bridge error: asked for {order['cars']} cars, the server made {shape}.")
        return shape

    @property
    def count(self) -> int:
        """How many cars there are."""
        return self.shape.cars

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, NDArray[Any]]]:
        """A new episode for every car: observations (cars, size), and info by name; car i draws from seed + i."""
        given = {"seed": seed, "options": options or None}
        message = {"type": "batch_reset", **{key: value for key, value in given.items() if value is not None}}
        reply = self.client.batch_reply(encode(message), "batch_reset", binary=False)
        observation, columns = read_reset(self.shape, reply)
        return observation.astype(np.float32), _named(self.shape.reset_columns, columns)

    def step(self, actions: NDArray[Any]) -> StepArrays:
        """One tick of every car with actions (cars, 3)."""
        message = pack_actions(checked_actions(actions, self.count, ACTION_SHAPE_MESSAGE))
        return read_step(self.shape, self.client.batch_reply(message, "a batch step", binary=True))

    def columns(self, arrays: StepArrays) -> dict[str, NDArray[Any]]:
        """The info of a step by name; `lapTicks` counts only where the flags say so."""
        return _named(self.shape.columns, arrays.columns)

    def close(self) -> None:
        """Drop the cars and the connection; a second time does nothing."""
        self.client.close()


def _named(names: tuple[tuple[str, str], ...], columns: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
    """Columns by name, in their own kinds."""
    return {name: column.astype(DTYPES[kind]) for (name, kind), column in zip(names, columns, strict=True)}
