"""How an episode begins, and how vehicles come and go: placed by dice drawn before, always with safe gaps."""

from hotlap.highway.fleet import (
    ABSENT_X_M,
    DICE_PER_VEHICLE,
    EGO_DICE,
    NOBODY,
    PLANNED_MISSIONS,
    Roads,
    Rules,
    Scratch,
    Vehicles,
    dice_size,
)
from hotlap.highway.mission_plan import begin_planned
from hotlap.highway.mission_rules import forget_vehicle
from hotlap.highway.physics import (
    AHEAD_M,
    BEHIND_M,
    DECISIONS_PER_ARRIVAL,
    EGO_LENGTH_M,
    EGO_WIDTH_M,
    PLACE_TRIES,
    POLITE,
    SEDAN,
    SIZE_SHARES,
    SIZES,
    SPAWN_GAP_S,
    SPAWN_INSIDE_M,
    STEADY,
    TAILGATER,
    TAILGATING_PACE,
    TAILGATING_S,
    TEMPERAMENTS,
)
from hotlap.highway.road import fraction, gap_m, nearest_ahead, neighbours, sort_order
from hotlap.highway.traffic import fits_into, wanted_speed_mps
from hotlap.kernel import kernel

GOLDEN = 0.6180339887498949
PACES = tuple(each.pace for each in TEMPERAMENTS)
HEADWAYS_S = tuple(each.headway_s for each in TEMPERAMENTS)
ACCELS_MPS2 = tuple(each.accel_mps2 for each in TEMPERAMENTS)
BRAKES_MPS2 = tuple(each.brake_mps2 for each in TEMPERAMENTS)
POLITENESS = tuple(each.politeness for each in TEMPERAMENTS)
LENGTHS_M = tuple(each.length_m for each in SIZES)
WIDTHS_M = tuple(each.width_m for each in SIZES)
SIZE_PACES = tuple(each.pace for each in SIZES)
SIZE_PEPS = tuple(each.pep for each in SIZES)


@kernel
def put_driver(vehicles: Vehicles, i: int, temperament: int, kind: int) -> None:
    """Give a slot its vehicle and its driver."""
    accel = ACCELS_MPS2[temperament] * SIZE_PEPS[kind]
    vehicles.temperament[i] = temperament
    vehicles.kind[i] = kind
    vehicles.length_m[i] = LENGTHS_M[kind]
    vehicles.width_m[i] = WIDTHS_M[kind]
    vehicles.pace[i] = PACES[temperament] * SIZE_PACES[kind]
    vehicles.headway_s[i] = HEADWAYS_S[temperament]
    vehicles.max_accel_mps2[i] = accel
    vehicles.approach[i] = 0.5 / (accel * BRAKES_MPS2[temperament]) ** 0.5
    vehicles.politeness[i] = POLITENESS[temperament]
    vehicles.manner[i] = POLITE
    vehicles.cut_in[i] = 0


@kernel
def put_manner(vehicles: Vehicles, i: int, draw: float, rules: Rules) -> None:
    """Make a driver impolite, by the shares of each kind."""
    bounds = rules.tailgaters, rules.hard_brakers, rules.cutters, rules.adversaries
    total = 0.0
    for kind in range(4):
        if total <= draw < total + bounds[kind]:
            vehicles.manner[i] = TAILGATER + kind
        total += bounds[kind]
    if vehicles.manner[i] == TAILGATER:
        vehicles.headway_s[i] = TAILGATING_S
        vehicles.pace[i] *= TAILGATING_PACE


@kernel
def take_away(vehicles: Vehicles, i: int) -> None:
    """Leave a slot without a vehicle on the road."""
    vehicles.x_m[i] = ABSENT_X_M
    vehicles.lane[i] = vehicles.target_lane[i] = NOBODY
    vehicles.progress[i] = vehicles.speed_mps[i] = vehicles.accel_mps2[i] = 0.0


@kernel
def room_s(vehicles: Vehicles, first: int, i: int, lane: int, rules: Rules) -> float:
    """The shorter of the time gaps ahead of and behind a place in a lane, at the speed of whoever is behind."""
    front, rear = neighbours(vehicles, first, int(rules.slots), i, lane, True)
    ahead = gap_m(vehicles, i, front) / max(vehicles.speed_mps[i], 5.0)
    if rear < 0:
        return ahead
    return min(ahead, gap_m(vehicles, rear, i) / max(vehicles.speed_mps[rear], 5.0))


@kernel
def try_place(vehicles: Vehicles, first: int, i: int, x_m: float, lane: int, rules: Rules) -> bool:
    """Put a vehicle on the road at the speed it likes there, or of the one ahead, if the gaps are roomy and safe."""
    vehicles.x_m[i] = x_m
    vehicles.speed_mps[i] = wanted_speed_mps(vehicles, i, lane, rules)
    front = nearest_ahead(vehicles, first, int(rules.slots), i, lane, True)
    if front >= 0:
        vehicles.speed_mps[i] = min(vehicles.speed_mps[i], vehicles.speed_mps[front])
    if room_s(vehicles, first, i, lane, rules) >= SPAWN_GAP_S and fits_into(vehicles, first, int(rules.slots), i, lane):
        vehicles.lane[i] = vehicles.target_lane[i] = lane
        return True
    take_away(vehicles, i)
    return False


@kernel
def place_by_dice(vehicles: Vehicles, first: int, i: int, place: float, lane: float, rules: Rules) -> None:
    """Put a vehicle somewhere around the ego; after some tries in vain it waits for room."""
    lanes = int(rules.lanes)
    spot = int(lane * lanes)
    for _ in range(PLACE_TRIES):
        if try_place(vehicles, first, i, vehicles.x_m[first] - BEHIND_M + place * (BEHIND_M + AHEAD_M), spot, rules):
            return
        place = fraction(place + GOLDEN)
        spot = (spot + 1) % lanes


@kernel
def begin_road(vehicles: Vehicles, first: int, roads: Roads, road: int, notes: Scratch, rules: Rules) -> None:
    """Begin an episode: the ego at its lane and speed, traffic by its dice, the first mission of the plan."""
    slots = int(rules.slots)
    for k in range(slots):
        vehicles.order[first + k] = k
        if k > 0:
            take_away(vehicles, first + k)
    put_driver(vehicles, first, STEADY, SEDAN)
    vehicles.length_m[first], vehicles.width_m[first] = EGO_LENGTH_M, EGO_WIDTH_M
    vehicles.x_m[first] = vehicles.accel_mps2[first] = vehicles.progress[first] = 0.0
    vehicles.target_lane[first] = vehicles.lane[first]
    for k in range(1, roads.vehicle_count[road] + 1):
        i = first + k
        dice = road * dice_size(slots) + EGO_DICE + DICE_PER_VEHICLE * (k - 1)
        size = notes.dice[dice + 1]
        kind = int(size >= SIZE_SHARES[0]) + int(size >= SIZE_SHARES[1]) + int(size >= SIZE_SHARES[2])
        put_driver(vehicles, i, int(3.0 * notes.dice[dice]), kind)
        put_manner(vehicles, i, fraction(3.0 * notes.dice[dice]), rules)
        vehicles.side[i] = -1 if notes.dice[dice + 4] < 0.5 else 1
        place_by_dice(vehicles, first, i, notes.dice[dice + 2], notes.dice[dice + 3], rules)
    sort_order(vehicles, first, slots)
    if roads.planned[road] == PLANNED_MISSIONS:
        begin_planned(vehicles, first, roads, road, notes, rules)


@kernel
def usual_speed_mps(vehicles: Vehicles, i: int, rules: Rules) -> float:
    """How fast a driver likes to go, whatever the lane."""
    return vehicles.pace[i] * 0.5 * (rules.limit_left_mps + rules.limit_right_mps)


@kernel
def come_back_at(vehicles: Vehicles, first: int, i: int, x_m: float, rules: Rules) -> bool:
    """Let a waiting vehicle come back at a place of the road, in the lane with most room, if it fits in there."""
    lanes = int(rules.lanes)
    vehicles.x_m[i] = x_m
    vehicles.speed_mps[i] = usual_speed_mps(vehicles, i, rules)
    best, most = 0, -1.0
    for n in range(lanes):
        lane = n if vehicles.side[i] < 0 else lanes - 1 - n
        room = room_s(vehicles, first, i, lane, rules)
        if room > most:
            best, most = lane, room
    return try_place(vehicles, first, i, x_m, best, rules)


@kernel
def return_to_road(vehicles: Vehicles, first: int, i: int, rules: Rules) -> bool:
    """Let a waiting vehicle come from behind if it is faster than the ego, else from ahead, or from where it fits."""
    from_behind = usual_speed_mps(vehicles, i, rules) > vehicles.speed_mps[first]
    for _ in range(2):
        away = SPAWN_INSIDE_M - BEHIND_M if from_behind else AHEAD_M - SPAWN_INSIDE_M
        if come_back_at(vehicles, first, i, vehicles.x_m[first] + away, rules):
            return True
        from_behind = not from_behind
    return False


@kernel
def recycle(vehicles: Vehicles, first: int, roads: Roads, road: int, rules: Rules) -> None:
    """Take vehicles away that left the stretch around the ego, and let one that waits come back."""
    x = vehicles.x_m[first]
    moved = False
    for k in range(1, roads.vehicle_count[road] + 1):
        i = first + k
        if vehicles.lane[i] >= 0 and not (-BEHIND_M <= vehicles.x_m[i] - x <= AHEAD_M):
            forget_vehicle(roads, road, k, vehicles.x_m[i] < x)
            take_away(vehicles, i)
            moved = True
    for k in range(1, roads.vehicle_count[road] + 1):
        if vehicles.lane[first + k] < 0 and roads.decision[road] % DECISIONS_PER_ARRIVAL == 0:
            moved = return_to_road(vehicles, first, first + k, rules) or moved
            break
    if moved:
        sort_order(vehicles, first, int(rules.slots))
