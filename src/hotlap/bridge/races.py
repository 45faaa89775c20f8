"""Drive by policy: the server drives a race itself and tells where the car is, tick by tick."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.bridge.requests import WorldRules
from hotlap.bridge.worlds import build_world
from hotlap.policies.policy import Policy
from hotlap.racer.physics import TICKS_PER_SECOND


@dataclass(frozen=True)
class RaceOrder:
    """What a client asked for."""

    rules: WorldRules
    seed: int | None
    options: Mapping[str, Any]
    laps: int
    """Laps to finish."""
    ticks: int
    """Ticks after which the race ends anyway."""
    realtime: bool
    """60 ticks a second, or as fast as they are read."""


class Race:
    """One car, one policy, from its start until the laps are done, time is up or the car stands still."""

    def __init__(self, name: str, driver: Policy, order: RaceOrder) -> None:
        self.name = name
        self.driver = driver
        self.order = order
        self.world = build_world(1, order.rules, threads=1)
        self.world.begin(0, np.random.default_rng(order.seed), order.options)
        driver.reset(np.zeros(1, np.int64))
        self.track_id = order.rules.tracks[int(self.world.fleet.track[0])]
        self.laps: list[dict[str, Any]] = []
        self.reward = 0.0
        self.reason: str | None = None
        self.finished = False

    def next_frame(self) -> dict[str, Any]:
        """Drive a tick and tell about it; after the last one, the result."""
        if self.reason is not None:
            self.finished = True
            return self._result()
        action = self.driver.act(self.world.observation.astype(np.float32), self.world)
        self.world.advance(np.asarray(action, np.float64).reshape(1, 3))
        self.reward += self.world.reward.item()
        self._count_lap()
        self.reason = self._why_over()
        return self._frame(action)

    def _count_lap(self) -> None:
        finished = self.world.extra_info(0)
        if finished:
            seconds = finished["lapTicks"] / TICKS_PER_SECOND
            self.laps.append({"ticks": finished["lapTicks"], "seconds": seconds, "clean": finished["lapClean"]})

    def _why_over(self) -> str | None:
        if len(self.laps) >= self.order.laps:
            return "laps"
        if self.world.terminated[0]:
            return "still"
        return "ticks" if self.world.fleet.tick[0] >= self.order.ticks else None

    def _frame(self, action: NDArray[Any]) -> dict[str, Any]:
        fleet = self.world.fleet
        return {
            "type": "race_frame",
            "tick": fleet.tick.item(),
            "x": fleet.x_u.item(),
            "y": fleet.y_u.item(),
            "heading": fleet.heading_rad.item(),
            "speed": fleet.speed_ups.item(),
            "lap": fleet.lap.item(),
            "checkpoint": fleet.gate.item(),
            "action": np.asarray(action, np.float64).ravel().tolist(),
        }

    def _result(self) -> dict[str, Any]:
        return {
            "type": "race_result",
            "name": self.name,
            "trackId": self.track_id,
            "reason": self.reason,
            "ticks": self.world.fleet.tick.item(),
            "laps": self.laps,
            "reward": self.reward,
        }
