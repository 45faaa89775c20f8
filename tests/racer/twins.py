"""Slow twins of the racer's kernels, written from the rules in words: no grids, no tables, no shortcuts, own numbers.

A car is a dictionary with the names of `FleetState`; what a tick says about it has the names of `StepOutputs`.
"""

import math

import numpy as np

from racer.twin_track import ROAD, RUNOFF, SHOULDER, TwinTrack, project, surface_at

DT = 1.0 / 60.0
GRIP = {ROAD: 1.0, RUNOFF: 0.5, SHOULDER: 0.7}
PACE = {ROAD: 1.0, RUNOFF: 0.4, SHOULDER: 0.85}
GATES = 30
LOOKAHEADS_U = (8, 16, 28, 42, 60, 80, 105, 135, 170, 210, 255, 305)
DEFAULT_WEIGHTS = {
    "progress": 1.0,
    "speedBonus": 0.0,
    "wallPenalty": -0.002,
    "offTrackPenalty": -0.001,
    "backwardPenalty": 0.0,
    "stillnessPenalty": -0.001,
    "stillnessSpeedThreshold": 2.0,
}
DEFAULT_LIMITS = {"maxSteps": 3000, "stillnessTimeoutTicks": 180}


def clamp(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


def wrap(angle: float) -> float:
    while angle > math.pi:
        angle -= 2.0 * math.pi
    while angle < -math.pi:
        angle += 2.0 * math.pi
    return angle


def nearest_on(line: np.ndarray, x: float, y: float) -> tuple[float, float, float]:
    """Distance to a polyline, and the nearest point of it."""
    start, along = line[:-1], np.diff(line, axis=0)
    squared = (along**2).sum(axis=1)
    share = ((np.array([x, y]) - start) * along).sum(axis=1) / np.where(squared < 1e-10, 1.0, squared)
    share = np.where(squared < 1e-10, 0.0, np.clip(share, 0.0, 1.0))
    spots = start + along * share[:, None]
    distances = np.hypot(spots[:, 0] - x, spots[:, 1] - y)
    i = int(np.argmin(distances))
    return float(distances[i]), float(spots[i, 0]), float(spots[i, 1])


def wall_hit(track: TwinTrack, x: float, y: float, radius: float) -> tuple[float, float, float] | None:
    """Penetration and normal where a wall is nearer than the radius; the outer wall only where strictly nearer."""
    inner, outer = nearest_on(track.inner, x, y), nearest_on(track.outer, x, y)
    distance, near_x, near_y = outer if outer[0] < inner[0] else inner
    if distance >= radius:
        return None
    if distance < 1e-10:
        return radius - distance, 0.0, 1.0
    return radius - distance, (x - near_x) / distance, (y - near_y) / distance


def step_car(car: dict, action: tuple[float, float, float]) -> dict:
    """The car after a tick without walls, in the eight points of the rules."""
    new = dict(car)
    s, h, surface = car["speed_ups"], car["heading_rad"], car["surface"]
    # 1, 2: smoothed inputs, front angle
    for name, raw, rate in zip(("steer", "throttle", "brake"), action, (24.0, 6.0, 10.0), strict=True):
        new[name] = car[name] + (raw - car[name]) * (1.0 - math.exp(-rate * DT))
    delta = -new["steer"] * 0.37 * (1.0 / (1.0 + 0.025 * s))
    # 3, 4: heading, yaw rate
    heading = h + delta * s * DT
    if s > 1.0:
        rear = np.array([math.cos(h), math.sin(h)]) * (-0.75 + s * DT)
        front = 0.75 * np.array([math.cos(h), math.sin(h)])
        front += s * DT * np.array([math.cos(h + delta), math.sin(h + delta)])
        heading = math.atan2(front[1] - rear[1], front[0] - rear[0])
    new["heading_rad"], new["front_angle_rad"] = heading, delta
    new["yaw_rate_rps"] = wrap(heading - h) / DT
    # 5: forces
    force = new["throttle"] * 55_000.0 * PACE[surface]
    resistance = new["brake"] * 50_000.0 + 2.0 * s**2 / PACE[surface] + 150.0
    if s > 1.0:
        force -= resistance
    elif s > 0.01:
        force -= min(resistance, s / DT * 800.0)
    new["accel_ups2"] = force / 800.0
    forward = clamp(s + force / 800.0 * DT, 0.0, 160.0)
    # 6, 7: traction, velocity
    ahead, left = np.array([math.cos(heading), math.sin(heading)]), np.array([-math.sin(heading), math.cos(heading)])
    lateral = car["vx_ups"] * left[0] + car["vy_ups"] * left[1]
    traction = (0.85 - 0.30 * min(s / 160.0, 1.0)) * GRIP[surface]
    velocity = forward * ahead + lateral * (1.0 - traction) * left
    speed = math.hypot(*velocity)
    if speed > 160.0:
        velocity, speed = velocity * (160.0 / speed), 160.0
    if velocity[0] * ahead[0] + velocity[1] * ahead[1] < 0.0 and speed < 1.0:
        velocity, speed = np.zeros(2), 0.0
    # 8: position, slip
    new["vx_ups"], new["vy_ups"], new["speed_ups"] = float(velocity[0]), float(velocity[1]), speed
    new["x_u"], new["y_u"] = car["x_u"] + new["vx_ups"] * DT, car["y_u"] + new["vy_ups"] * DT
    new["slip_rad"] = abs(wrap(math.atan2(velocity[1], velocity[0]) - heading)) if speed > 1.0 else 0.0
    return new


def respond(car: dict, hit: tuple[float, float, float]) -> dict:
    """The car after touching a wall where it is."""
    penetration, nx, ny = hit
    new = dict(car)
    velocity, normal = np.array([car["vx_ups"], car["vy_ups"]]), np.array([nx, ny])
    into = float(velocity @ normal)
    push = penetration + (0.5 if into >= 0.0 else 0.8)
    new["x_u"], new["y_u"] = car["x_u"] + nx * push, car["y_u"] + ny * push
    if into >= 0.0:
        return new
    s = car["speed_ups"]
    tangential = velocity - normal * into
    velocity = 0.7 * tangential + normal * (0.08 * s)
    new["vx_ups"], new["vy_ups"], new["speed_ups"] = float(velocity[0]), float(velocity[1]), math.hypot(*velocity)
    ratio = math.hypot(*tangential) / s if s > 1e-6 else 0.0
    impact = math.acos(clamp(ratio, 0.0, 1.0)) / (math.pi / 2.0)
    if impact > 0.5:
        k = 2.0 * (impact - 0.5)
        tangent = np.array([-ny, nx])
        if tangential @ tangent < 0.0:
            tangent = -tangent
        turn = wrap(math.atan2(tangent[1], tangent[0]) - car["heading_rad"])
        new["heading_rad"] = car["heading_rad"] + turn * 0.4 * k
        new["yaw_rate_rps"] = car["yaw_rate_rps"] * (1.0 - 0.5 * k)
    return new


def sweep(track: TwinTrack, before: dict, after: dict) -> tuple[dict, bool]:
    """Test the way in steps of at most 0.75; respond at the first hit and drop the rest of the way."""
    p, q = np.array([before["x_u"], before["y_u"]]), np.array([after["x_u"], after["y_u"]])
    k = max(1, math.ceil(math.dist(p, q) / 0.75))
    for i in range(1, k + 1):
        x, y = p + (q - p) * i / k if i < k else q
        hit = wall_hit(track, float(x), float(y), 1.0)
        if hit:
            return respond({**after, "x_u": float(x), "y_u": float(y)}, hit), True
    return after, False


def crosses(track: TwinTrack, gate: int, before: dict, after: dict) -> bool:
    """Whether the straight way of a tick crosses a gate between its ends, forwards."""
    left, right, direction = track.gates[gate]
    p, q = np.array([before["x_u"], before["y_u"]]), np.array([after["x_u"], after["y_u"]])
    move, chord = q - p, right - left
    denominator = move[0] * chord[1] - move[1] * chord[0]
    if abs(denominator) < 1e-10:
        return False
    reach = left - p
    t = (reach[0] * chord[1] - reach[1] * chord[0]) / denominator
    u = (reach[0] * move[1] - reach[1] * move[0]) / denominator
    return bool(0.0 <= t <= 1.0 and 0.0 <= u <= 1.0 and move @ direction > 0.0)


def race(track: TwinTrack, before: dict, after: dict, touched: bool) -> tuple[dict, dict]:
    """Gates, laps and lap ticks; a lap is clean when no tick of it was off the road or at a wall."""
    new = dict(after)
    new["race_ticks"] += 1
    new["lap_ticks"] += 1
    new["lap_off_road_ticks"] += int(after["surface"] != ROAD)
    new["lap_wall_ticks"] += int(touched)
    out = {"lap_complete": False, "lap_clean": False, "last_lap_ticks": None}
    gate = (after["gate"] + 1) % GATES
    if not crosses(track, gate, before, after):
        return new, out
    new["gate"] = gate
    if gate != after["finish_gate"]:
        return new, out
    clean = new["lap_off_road_ticks"] == 0 and new["lap_wall_ticks"] == 0
    out = {"lap_complete": True, "lap_clean": clean, "last_lap_ticks": new["lap_ticks"]}
    best = new["best_lap_ticks"]
    new["best_lap_ticks"] = new["lap_ticks"] if best == -1 else min(best, new["lap_ticks"])
    new["lap"] += 1
    new["lap_ticks"] = new["lap_off_road_ticks"] = new["lap_wall_ticks"] = 0
    return new, out


def ray(track: TwinTrack, x: float, y: float, angle: float) -> float:
    """Distance to the nearest hit on either wall, at most 200."""
    d = math.cos(angle), math.sin(angle)
    start = np.concatenate([track.inner[:-1], track.outer[:-1]])
    along = np.concatenate([np.diff(track.inner, axis=0), np.diff(track.outer, axis=0)])
    rel_x, rel_y = start[:, 0] - x, start[:, 1] - y
    denominator = d[0] * along[:, 1] - d[1] * along[:, 0]
    usable = np.abs(denominator) >= 1e-10
    safe = np.where(usable, denominator, 1.0)
    t = (rel_x * along[:, 1] - rel_y * along[:, 0]) / safe
    u = (rel_x * d[1] - rel_y * d[0]) / safe
    hits = t[usable & (t >= 0.0) & (u >= 0.0) & (u <= 1.0)]
    return min(float(hits.min()), 200.0) if len(hits) else 200.0


def ray_angles(heading: float) -> list[float]:
    return [heading - math.pi / 2.0 + i * math.pi / 8.0 for i in range(9)]


def grazes_a_corner(track: TwinTrack, x: float, y: float, angle: float) -> bool:
    """Whether a ray passes a corner of a wall so closely that rounding decides between hit and miss."""
    corners = np.concatenate([track.inner, track.outer]) - (x, y)
    aside = math.cos(angle) * corners[:, 1] - math.sin(angle) * corners[:, 0]
    return bool((np.abs(aside) < 1e-9).any())


def classic(track: TwinTrack, car: dict) -> np.ndarray:
    """The fourteen observations."""
    rays = [ray(track, car["x_u"], car["y_u"], angle) / 200.0 for angle in ray_angles(car["heading_rad"])]
    yaw = clamp(car["yaw_rate_rps"] / 5.0, -1.0, 1.0)
    lap_share, aside = car["arc_u"] / track.length, min(1.0, car["centre_distance_u"] / 80.0)
    return np.array([*rays, car["speed_ups"] / 160.0, yaw, car["steer"], lap_share, aside])


class FullRoad:
    """The road as the full layout knows it: everything linear between the projection's samples, round the lap."""

    def __init__(self, track: TwinTrack):
        self.length = track.length
        self.arcs = [*track.sample_arcs, track.length]
        points = np.vstack([track.sample_points, track.sample_points[:1]])
        headings = np.unwrap([track.direction(arc) for arc in [*track.sample_arcs, 0.0]])
        widths = [track.half_width(arc) for arc in [*track.sample_arcs, 0.0]]
        self.columns = (points[:, 0], points[:, 1], headings, np.array(widths))

    def at(self, arc: float) -> tuple[float, float, float, float]:
        """Position, heading and half-width at a distance along the lap."""
        x, y, heading, width = (float(np.interp(arc % self.length, self.arcs, column)) for column in self.columns)
        return x, y, heading, width


def full(road: FullRoad, car: dict) -> np.ndarray:
    """The full layout: the car against its road, then curvature, width and place of the road ahead."""
    x, y, heading, width = road.at(car["arc_u"])
    dx, dy, h = car["x_u"] - x, car["y_u"] - y, car["heading_rad"]
    offset = dy * math.cos(heading) - dx * math.sin(heading)
    sideways = car["vy_ups"] * math.cos(h) - car["vx_ups"] * math.sin(h)
    row = [car["speed_ups"] / 160.0, offset / 40.0, math.sin(h - heading), math.cos(h - heading)]
    row += [(width - offset) / 40.0, (width + offset) / 40.0]
    row += [math.atan2(sideways, max(car["speed_ups"], 1.0)), car["yaw_rate_rps"] / 8.0]
    row += [car["steer"], car["throttle"], car["brake"]]
    last_heading, last_ahead = heading, 0.0
    for ahead in LOOKAHEADS_U:
        x, y, heading, width = road.at(car["arc_u"] + ahead)
        dx, dy = x - car["x_u"], y - car["y_u"]
        row.append(wrap(heading - last_heading) / (ahead - last_ahead) * 50.0)
        row.append(width / 40.0)
        row.append((dx * math.cos(h) + dy * math.sin(h)) / 150.0)
        row.append((dy * math.cos(h) - dx * math.sin(h)) / 150.0)
        last_heading, last_ahead = heading, ahead
    return np.array(row)


def reward(track: TwinTrack, before: dict, after: dict, contact: bool, weights: dict) -> dict:
    """The six parts in their order, and their sum."""
    gained = after["arc_u"] - before["arc_u"]
    if abs(gained) > track.length / 2.0:
        gained -= math.copysign(track.length, gained)
    parts = {
        "progress": gained / track.length * weights["progress"] + gained / 1000.0 * weights.get("distanceBonus", 0.0),
        "speed": after["speed_ups"] / 160.0 * weights["speedBonus"],
        "wall": weights["wallPenalty"] if contact else 0.0,
        "off_track": weights["offTrackPenalty"] if after["surface"] != ROAD else 0.0,
        "backward": weights["backwardPenalty"] if gained < 0.0 else 0.0,
        "stillness": weights["stillnessPenalty"] if after["speed_ups"] < weights["stillnessSpeedThreshold"] else 0.0,
    }
    return {**parts, "reward": sum(parts.values())}


def episode(car: dict, weights: dict, limits: dict) -> tuple[dict, dict]:
    """Count the step; over when still or off the road for too long, cut off when too many."""
    still_ticks = car["still_ticks"] + 1 if car["speed_ups"] < weights["stillnessSpeedThreshold"] else 0
    new = {**car, "tick": car["tick"] + 1, "still_ticks": still_ticks}
    longest_off = limits.get("offTrackTimeoutTicks", 0)
    lost = longest_off > 0 and car["lap_off_road_ticks"] >= longest_off
    terminated = lost or still_ticks >= limits["stillnessTimeoutTicks"]
    return new, {"terminated": terminated, "truncated": new["tick"] >= limits["maxSteps"]}


def look(track: TwinTrack, car: dict) -> dict:
    """The car with its place on the track."""
    distance, arc = project(track, car["x_u"], car["y_u"])
    return {**car, "centre_distance_u": distance, "arc_u": arc, "surface": surface_at(track, distance, arc)}


def tick(
    track: TwinTrack,
    car: dict,
    action: tuple[float, float, float],
    weights: dict | None = None,
    limits: dict | None = None,
) -> tuple[dict, dict]:
    """One tick in the order of the rules of a car that was looked at: the car after it, and what is said about it."""
    weights, limits = {**DEFAULT_WEIGHTS, **(weights or {})}, {**DEFAULT_LIMITS, **(limits or {})}
    asked = (clamp(action[0], -1.0, 1.0), clamp(action[1], 0.0, 1.0), clamp(action[2], 0.0, 1.0))
    held = (car["held_steer"], car["held_throttle"], car["held_brake"])
    driven = step_car(car, held if car["delay"] else asked)
    if car["delay"]:
        driven["held_steer"], driven["held_throttle"], driven["held_brake"] = asked
    moved, collided = sweep(track, car, driven)
    placed = look(track, moved)
    contact = wall_hit(track, placed["x_u"], placed["y_u"], 2.0) is not None
    new, out = race(track, car, placed, contact or collided)
    out.update(reward(track, car, new, contact, weights), wall_contact=contact, collided=collided)
    new, ends = episode(new, weights, limits)
    return new, {**out, **ends}
