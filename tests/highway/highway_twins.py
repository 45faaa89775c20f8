"""Slow twins of the traffic, written from the equations of the papers, with lists of plain vehicles."""

import math
from dataclasses import dataclass


@dataclass
class Driver:
    x_m: float
    speed_mps: float
    length_m: float
    lane: int
    v0_of_lane: list[float]
    headway_s: float
    a: float
    b: float
    politeness: float


def idm(driver: Driver, leader: Driver | None, lane: int) -> float:
    """Equation: dv/dt = a [1 - (v/v0)^4 - (s*(v, Δv)/s)^2], with s* = s0 + max(0, v T + v Δv / (2 sqrt(a b)))."""
    v, v0 = driver.speed_mps, driver.v0_of_lane[lane]
    free = 1.0 - math.pow(v / v0, 4)
    interaction = 0.0
    if leader is not None:
        s = leader.x_m - leader.length_m / 2 - (driver.x_m + driver.length_m / 2)
        dv = v - leader.speed_mps
        s_star = 2.0 + max(0.0, v * driver.headway_s + v * dv / (2.0 * math.sqrt(driver.a * driver.b)))
        interaction = (s_star / max(s, 0.1)) ** 2
    return min(max(driver.a * (free - interaction), -8.0), driver.a)


def neighbours(drivers: list[Driver], me: Driver, lane: int) -> tuple[Driver | None, Driver | None]:
    """The next ahead and the next behind in a lane."""
    ahead = [each for each in drivers if each is not me and each.lane == lane and each.x_m > me.x_m]
    behind = [each for each in drivers if each is not me and each.lane == lane and each.x_m < me.x_m]
    return min(ahead, key=lambda d: d.x_m, default=None), max(behind, key=lambda d: d.x_m, default=None)


def mobil_gain(drivers: list[Driver], me: Driver, lane: int) -> float | None:
    """ã_c - a_c + p (ã_n - a_n + ã_o - a_o); None when the new follower would brake harder than 3 m/s²."""
    leader, follower = neighbours(drivers, me, me.lane)
    new_leader, new_follower = neighbours(drivers, me, lane)
    gain = idm(me, new_leader, lane) - idm(me, leader, me.lane)
    if new_follower is not None:
        after = idm(new_follower, me, lane)
        if after < -3.0:
            return None
        gain += me.politeness * (after - idm(new_follower, new_leader, lane))
    if follower is not None:
        gain += me.politeness * (idm(follower, leader, me.lane) - idm(follower, me, me.lane))
    return gain
