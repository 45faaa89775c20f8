"""A slow twin of the car with grip, written from the rules in words with vectors and dictionaries of its own."""

import math

import numpy as np

DT = 1.0 / 240.0
GRIP = {0: 1.0, 1: 0.6, 2: 0.95}


def moved_towards(value, wanted, up, down):
    step = wanted - value
    return value + (min(step, up * DT) if step > 0.0 else max(step, -down * DT))


def unit(angle):
    return np.array([math.cos(angle), math.sin(angle)])


def left_of(vector):
    return np.array([-vector[1], vector[0]])


def axle_limit(car, share, downforce, transfer, speed, grip):
    """The largest force of an axle that carries a share of the weight at rest."""
    at_rest = car["mass_kg"] * 9.81 * share
    load = max(at_rest + downforce * speed**2 + transfer, 0.0)
    mu = car["friction"] * grip * (1.0 - car["load_sensitivity"] * (load / at_rest - 1.0))
    return max(mu * load, 1.0)


def slip_angle(velocity, wheel):
    """Between where a wheel points and where it goes, as if it rolled with 2 m/s at least; positive pushes left."""
    along, across = float(velocity @ wheel), float(velocity @ left_of(wheel))
    return -math.atan(across / max(abs(along), 2.0))


def side_demand(car, slip, limit):
    return limit * math.sin(car["shape_factor"] * math.atan(car["stiffness_factor"] * slip))


def limited(force, side, limit, helped):
    most = 0.98 * limit
    if helped:
        most = min(most, math.sqrt(limit**2 - side**2))
    return math.copysign(min(abs(force), most), force)


def substep(car, state, action, surface, traction_control=False, anti_lock=False):
    new, m, inertia = dict(state), car["mass_kg"], car["yaw_inertia_kgm2"]
    lf, lr = car["front_axle_m"], car["rear_axle_m"]
    wheelbase = lf + lr
    # 1: hands and feet
    rate = car["wheel_rate_rps"]
    new["wheel_angle_rad"] = moved_towards(
        state["wheel_angle_rad"], -action[0] * car["max_wheel_angle_rad"], rate, rate
    )
    new["throttle"] = moved_towards(state["throttle"], action[1], 6.0, 12.0)
    new["brake"] = moved_towards(state["brake"], action[2], 12.0, 15.0)
    # 2, 3: loads and the largest forces
    speed, yaw = state["forward_mps"], state["yaw_rate_rps"]
    transfer = m * state["forward_accel_mps2"] * car["centre_height_m"] / wheelbase
    limits = (
        axle_limit(car, lr / wheelbase, car["downforce_front"], -transfer, speed, GRIP[surface]),
        axle_limit(car, lf / wheelbase, car["downforce_rear"], transfer, speed, GRIP[surface]),
    )
    # 5: slip, from how the contacts move
    velocity = np.array([speed, state["sideways_mps"]])
    arms = (np.array([lf, 0.0]), np.array([-lr, 0.0]))
    wheels = (unit(new["wheel_angle_rad"]), unit(0.0))
    contacts = [velocity + yaw * left_of(arm) for arm in arms]
    sides = [
        side_demand(car, slip_angle(contact, wheel), limit)
        for contact, wheel, limit in zip(contacts, wheels, limits, strict=True)
    ]
    # 4: engine and brakes
    drive = new["throttle"] * min(car["drive_force_n"], car["power_kw"] * 1000.0 / max(speed, 1.0))
    forwards = 1.0 if speed >= 0.0 else -1.0
    enough = max(m * abs(speed) / DT + forwards * drive - car["rolling_force_n"], 0.0)
    brake = min(new["brake"] * car["brake_force_n"], enough)
    total, used = np.zeros(2), []
    twist = 0.0
    for k, (share, bias) in enumerate(
        (
            (car["drive_share_front"], car["brake_share_front"]),
            (1.0 - car["drive_share_front"], 1.0 - car["brake_share_front"]),
        )
    ):
        rolls = 1.0 if float(contacts[k] @ wheels[k]) >= 0.0 else -1.0
        asked = drive * share - brake * bias * rolls
        along = limited(asked, sides[k], limits[k], traction_control if asked > 0.0 else anti_lock)
        across = sides[k] * math.sqrt(1.0 - (along / limits[k]) ** 2)
        arm = arms[k][0]
        ends = abs(float(contacts[k] @ left_of(wheels[k]))) / (DT * (1.0 / m + arm**2 / inertia))
        across = math.copysign(min(abs(across), ends), across)
        force = along * wheels[k] + across * left_of(wheels[k])
        total += force
        twist += arm * force[1]
        used.append(min(math.hypot(along, across) / limits[k], 1.0))
    # 6: Newton, then the frame turns with the car
    rolling = min(car["rolling_force_n"], m * abs(speed) / DT)
    ground = 0.35 * m * abs(speed) if surface == 1 else 0.0
    total[0] -= math.copysign(car["drag"] * speed**2 + rolling + ground, speed) if speed else 0.0
    velocity = velocity + total / m * DT
    yaw += twist / inertia * DT
    turn = 2.0 * math.atan(0.5 * yaw * DT)
    new["forward_mps"], new["sideways_mps"] = float(velocity @ unit(turn)), float(velocity @ left_of(unit(turn)))
    new["yaw_rate_rps"] = yaw
    new["forward_accel_mps2"] += (total[0] / m - state["forward_accel_mps2"]) * (1.0 - math.exp(-DT / 0.027))
    new["sideways_accel_mps2"] = float(total[1]) / m
    new["grip_used_front"], new["grip_used_rear"] = used
    new = slowly(car, new)
    new["heading_rad"] += 2.0 * math.atan(0.5 * new["yaw_rate_rps"] * DT)
    ahead = unit(new["heading_rad"])
    way = new["forward_mps"] * ahead + new["sideways_mps"] * left_of(ahead)
    new["x_m"] += float(way[0]) * DT
    new["y_m"] += float(way[1]) * DT
    return new


def energy(car, state):
    speed2 = state["forward_mps"] ** 2 + state["sideways_mps"] ** 2
    return 0.5 * car["mass_kg"] * speed2 + 0.5 * car["yaw_inertia_kgm2"] * state["yaw_rate_rps"] ** 2


def slowly(car, state):
    """Below 4 m/s more and more, below 1 m/s all of the kinematic bicycle, without gain of energy."""
    speed = math.hypot(state["forward_mps"], state["sideways_mps"])
    share = min(max((4.0 - speed) / 3.0, 0.0), 1.0)
    yaw = state["forward_mps"] * math.tan(state["wheel_angle_rad"]) / (car["front_axle_m"] + car["rear_axle_m"])
    new = dict(state)
    new["sideways_mps"] = (1.0 - share) * state["sideways_mps"] + share * car["rear_axle_m"] * yaw
    new["yaw_rate_rps"] = (1.0 - share) * state["yaw_rate_rps"] + share * yaw
    if share and energy(car, new) > energy(car, state):
        kept = math.sqrt(energy(car, state) / energy(car, new))
        for name in ("forward_mps", "sideways_mps", "yaw_rate_rps"):
            new[name] *= kept
    return new


def tick(car, state, action, surface, traction_control=False, anti_lock=False):
    """One tick: four substeps."""
    for _ in range(4):
        state = substep(car, state, action, surface, traction_control, anti_lock)
    return state
