"""What a driver knows about the cars when its action takes hold: now, or one tick on where actions are delayed."""

from typing import NamedTuple

import numpy as np

from hotlap.policies.policy import FloatArray
from hotlap.racer.batch import RacerBatch
from hotlap.racer.fleet import FleetState
from hotlap.racer.world import RacerWorld


class Sight(NamedTuple):
    """Motion and place of every car, one element each."""

    x_u: FloatArray
    y_u: FloatArray
    heading_rad: FloatArray
    motion_rad: FloatArray
    """Direction of the velocity; of the nose when the car stands."""
    speed_ups: FloatArray
    steer: FloatArray
    arc_u: FloatArray


class Foresight:
    """Looks at a world; where actions wait for a tick, it drives that tick ahead in a fleet of ghosts."""

    def __init__(self) -> None:
        self._ghosts: RacerBatch | None = None

    def look(self, world: RacerWorld) -> Sight:
        """The cars as they will be when an action given now is carried out."""
        if not world.fleet.delay.any():
            return _sight(world.fleet)
        ghosts = self._ghosts_of(world)
        late = world.fleet.delay > 0
        for name in FleetState._fields:
            getattr(ghosts.fleet, name)[:] = getattr(world.fleet, name)
        ghosts.fleet.delay[:] = 0
        held = (world.fleet.held_steer, world.fleet.held_throttle, world.fleet.held_brake)
        ghosts.set_actions(np.stack(held, axis=1))
        ghosts.step()
        now, next_tick = _sight(world.fleet), _sight(ghosts.fleet)
        return Sight(*(np.where(late, after, before) for before, after in zip(now, next_tick, strict=True)))

    def _ghosts_of(self, world: RacerWorld) -> RacerBatch:
        """A second fleet of the same size on the same tracks."""
        ghosts = self._ghosts
        if ghosts is None or ghosts.count != world.count or ghosts.tracks != world.tracks:
            self._ghosts = ghosts = RacerBatch(world.count, world.tracks, world.config, world.layout, threads=1)
        return ghosts


def _sight(fleet: FleetState) -> Sight:
    moving = fleet.speed_ups > 1.0
    return Sight(
        x_u=fleet.x_u,
        y_u=fleet.y_u,
        heading_rad=fleet.heading_rad,
        motion_rad=np.where(moving, np.arctan2(fleet.vy_ups, fleet.vx_ups), fleet.heading_rad),
        speed_ups=fleet.speed_ups,
        steer=fleet.steer,
        arc_u=fleet.arc_u,
    )
