"""Some ticks of all cars of an evaluation at a time: without Python in between where a driver is a small network."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.learning.driving import Scales
from hotlap.learning.lessons import PpoRules
from hotlap.learning.ppo import PpoLearner
from hotlap.learning.rollouts import Rollouts, new_kept
from hotlap.policies import Policy
from hotlap.policies.network_driver import shape_of
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.policies.small_network import SmallNetwork
from hotlap.racer.world import RacerWorld

Array = NDArray[Any]
Columns = Mapping[str, Array]
"""What happened, (ticks, cars) each."""
MOTION = ("x_u", "y_u", "arc_u", "speed_ups", "throttle", "brake")
TICKS = 120
NOTHING_IS_LEARNED = PpoRules(1, 0, 1.0, 1.0, 0.0, 0.0, 1.0)


def watched_columns(world: RacerWorld) -> dict[str, Array]:
    """What an evaluation looks at after every tick."""
    fleet, out, grip = world.fleet, world.out, world.grip
    motion = {name: getattr(fleet, name) for name in MOTION}
    ends = ("reward", "terminated", "truncated", "lap_complete", "last_lap_ticks", "lap_clean")
    facts = {name: getattr(out, name) for name in (*ends, "wall_contact", "collided")}
    tyres = {name: getattr(grip, name) for name in ("grip_used_front", "grip_used_rear")}
    return {**motion, **facts, **tyres, "surface": fleet.surface}


def driven_stretches(policy: Policy, world: RacerWorld) -> Iterator[Columns]:
    """Drive on and on; who is done is driven too, and counts no more."""
    watched = watched_columns(world)
    if isinstance(policy, OnnxPolicy) and policy.network is not None:
        learner, rollouts = _as_a_rollout(policy.network, world, watched)
        while True:
            rollouts.drive(0, TICKS)
            policy.check_actions(learner.samples.actions)
            yield rollouts.columns
    columns = {name: np.empty((TICKS, *column.shape), column.dtype) for name, column in watched.items()}
    while True:
        for tick in range(TICKS):
            world.advance(policy.act(world.observation, world))
            for name, column in watched.items():
                columns[name][tick] = column
        yield columns


def _as_a_rollout(
    network: SmallNetwork, world: RacerWorld, watched: Mapping[str, Array]
) -> tuple[PpoLearner, Rollouts]:
    """A rollout in which nothing strays and nobody learns: to the bit what the policy's `act` would do."""
    learner = PpoLearner(shape_of(network), world.count, TICKS, NOTHING_IS_LEARNED)
    for parts, layer in zip(learner.layers(learner.weights.parameters)["policy"], network.layers, strict=True):
        for part, values in zip(parts, layer, strict=True):
            part[...] = values
    learner.bounds.low[:], learner.bounds.high[:] = network.output_bounds
    scales = Scales(network.mean, network.scale, network.mixing.ravel(), *network.bounds)
    return learner, Rollouts(learner, world.batch, new_kept(learner), scales, watched, clip=network.clip)
