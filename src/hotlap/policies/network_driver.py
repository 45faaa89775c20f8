"""Small networks without a runtime: the forward pass that pages run too, to the same bits, for many cars at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.kernel import address_table, jit_is_on
from hotlap.learning import forward
from hotlap.learning.forward import CARS_SLOT, LIMITS_SLOT, Cars, Limits, Policy
from hotlap.learning.lessons import compiled
from hotlap.learning.network import NetworkShape
from hotlap.learning.products import LINE
from hotlap.policies.small_network import SmallNetwork

Floats = NDArray[np.float32]


class NetworkDriver:
    """Acts as a network says. Calls share nothing that is written, so several threads may ask one driver."""

    def __init__(self, network: SmallNetwork) -> None:
        self._policy = policy_of(network)
        self._inputs, self._actions = network.layers[0][0].shape[1], network.mixing.shape[1]
        self._room = LINE * int(self._policy.sizes.sum())
        self._limits = Limits(network.clip, self._actions, int(self._policy.sizes.max()))
        self._numbers = np.array(self._limits, np.float64)
        numbers: Any = (self._numbers,)
        self._table = address_table(self._policy, self._cars(np.zeros((0, self._inputs), np.float32)), numbers)

    def act(self, observation: Floats) -> Floats:
        """Actions (n, outputs) for observations (n, inputs)."""
        cars = self._cars(np.ascontiguousarray(observation))
        count = len(observation)
        if jit_is_on():
            table = self._table.copy()
            table[CARS_SLOT:LIMITS_SLOT] = [column.ctypes.data for column in cars]
            compiled(forward.tiles_entry)(table.ctypes.data, 0, count, 0)
        else:
            forward.drive_tiles(self._policy, cars, self._limits, 0, count)
        return cars.actions.reshape(count, self._actions)

    def _cars(self, observation: Floats) -> Cars:
        """So many cars, and room for a tile of them."""
        actions = np.empty(len(observation) * self._actions, np.float32)
        return Cars(observation.ravel(), actions, np.empty(self._room, np.float32))


def shape_of(network: SmallNetwork) -> NetworkShape:
    """Its layers, to be computed as pages do."""
    sizes = [len(biases) for _, biases in network.layers]
    inputs = network.layers[0][0].shape[1]
    return NetworkShape(inputs, tuple(sizes[:-1]), sizes[-1], network.activation, portable=True)


def policy_of(network: SmallNetwork) -> Policy:
    """A network as the kernels take it."""
    (output_low, output_high), (low, high) = network.output_bounds, network.bounds
    return Policy(
        *shape_of(network).network(0),
        parameters=np.concatenate([part.ravel() for layer in network.layers for part in layer]),
        mean=network.mean,
        scale=network.scale,
        output_low=output_low,
        output_high=output_high,
        mixing=np.ascontiguousarray(network.mixing).ravel(),
        low=low,
        high=high,
    )
