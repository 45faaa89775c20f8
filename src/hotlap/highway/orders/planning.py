"""From wishes to a mission on this road, or a refusal with the reason."""

from hotlap.highway.missions import Direction, Mission, Mode
from hotlap.highway.orders.amounts import capped_note, leader_mph, one_gap_s, one_speed_mph
from hotlap.highway.orders.meaning import LaneWish, Wishes
from hotlap.highway.orders.results import RefusalError, RefusalKind, Understood
from hotlap.highway.orders.situation import Situation, lane_name
from hotlap.highway.physics import MPH


def make_plan(wishes: Wishes, situation: Situation) -> Understood:
    """The one mission that the wishes amount to: an overtake before a stop, that before a lane, that before a speed."""
    if wishes.overtake_at is not None and wishes.stops:
        raise RefusalError(RefusalKind.NOT_UNDERSTOOD, "That is an overtake and a stop; say one at a time.")
    if wishes.overtake_at is not None:
        return _overtake(wishes, situation)
    if wishes.stops:
        return _stop(wishes, situation)
    if wishes.back_at is not None and any(wish.start < wishes.back_at for wish in wishes.lanes):
        raise RefusalError(RefusalKind.NOT_UNDERSTOOD, "That is one move and another back; say one at a time.")
    if wishes.comes_back and not wishes.lanes:
        return _come_back(situation)
    return _drive(wishes, situation)


def _overtake(wishes: Wishes, situation: Situation) -> Understood:
    """Past the vehicle ahead, in the lane and on the side that were named, else on the left where that is free."""
    lane, side, return_lane = overtake_lanes(wishes, situation)
    speed_mph = one_speed_mph([change for change in wishes.speeds if change.unit != "bit"], None, situation)
    gap_s = one_gap_s([change for change in wishes.gaps if change.operation != "restore"], speed_mph, situation)
    mission = Mission(Mode.OVERTAKE, lane, _mps(speed_mph), gap_s, side, return_lane)
    return Understood(mission, capped_note(speed_mph, lane, situation))


def _stop(wishes: Wishes, situation: Situation) -> Understood:
    """A stop in the lane that was named, on the shoulder, or wherever the car is."""
    if any(change.operation == "set" and change.amount != 0 for change in wishes.speeds):
        raise RefusalError(RefusalKind.NOT_UNDERSTOOD, "That is a stop and a speed; say one at a time.")
    if wishes.pulls_over and any(wish.side == "left" for wish in wishes.lanes):
        reason = 'The car pulls over to the right only; say "stop in the leftmost lane" to stop there.'
        raise RefusalError(RefusalKind.UNSUPPORTED, reason)
    lane = situation.shoulder if wishes.pulls_over else one_lane(wishes.lanes, situation)
    mission = Mission(Mode.STOP, lane, 0.0, direction=direction_to(lane, situation))
    return Understood(mission, on_shoulder=lane == situation.shoulder)


def _come_back(situation: Situation) -> Understood:
    """Back to the lane that the present mission started from."""
    lane = None if situation.mission is None else situation.mission.return_lane
    if lane is None or lane >= situation.lanes:
        raise RefusalError(RefusalKind.NOT_UNDERSTOOD, "Say which lane to go back to, by its side or its number.")
    return Understood(Mission(Mode.LANE_CHANGE, lane, direction=direction_to(lane, situation)))


def _drive(wishes: Wishes, situation: Situation) -> Understood:
    """A lane, a speed, a gap, or all of them; from the shoulder, in the lane beside it."""
    lane = one_lane(wishes.lanes, situation)
    if lane is None and wishes.changes and situation.lane == situation.shoulder:
        lane = situation.lanes - 1
    direction = direction_to(lane, situation)
    speed_mph = one_speed_mph(wishes.speeds, lane, situation)
    gap_s = one_gap_s(wishes.gaps, speed_mph, situation)
    if speed_mph == 0:
        return Understood(Mission(Mode.STOP, lane, 0.0, direction=direction))
    if speed_mph is None and wishes.follows:
        speed_mph = leader_mph(situation)
    mode = _driving_mode(wishes, direction)
    if mode is Mode.LANE_CHANGE:
        refuse_occupied(direction, situation)
    note = capped_note(speed_mph, situation.lane if lane is None else lane, situation)
    return Understood(Mission(mode, lane, _mps(speed_mph), gap_s, direction), note)


def _mps(speed_mph: float | None) -> float | None:
    return None if speed_mph is None else speed_mph * MPH


def _driving_mode(wishes: Wishes, direction: Direction | None) -> Mode:
    """A lane change where the car is to move over, a cruise where a speed or gap is set, else a hold."""
    pace = any(change.reference != "now" or change.operation != "restore" for change in wishes.changes)
    moves = any(wish.role in ("move", "bare") and wish.kind != "own" for wish in wishes.lanes)
    if moves or (direction is not None and not pace):
        return Mode.LANE_CHANGE
    return Mode.CRUISE if pace else Mode.HOLD


def resolve_lane(wish: LaneWish, situation: Situation, start: int | None = None) -> int:
    """The number of the lane that was meant, seen from the car's lane or from `start`."""
    start = situation.lane if start is None else start
    last = situation.lanes - 1
    if wish.kind == "own":
        if situation.lane == situation.shoulder:
            raise RefusalError(RefusalKind.UNSAFE, "The shoulder is for stopping only; name a lane to drive in.")
        return situation.lane
    if wish.kind == "middle":
        return min((last // 2, (last + 1) // 2), key=lambda lane: abs(lane - start))
    if wish.kind == "somewhere":
        raise RefusalError(RefusalKind.NOT_UNDERSTOOD, 'Say which way: "move left" or "move right".')
    if wish.kind in ("number", "from_left", "from_right"):
        return _numbered_lane(wish, last)
    if wish.kind == "edge" or wish.role in ("at", "stay"):
        return 0 if wish.side == "left" else last
    if wish.kind == "named":  # "the left lane" is the next one, and in the leftmost lane that one
        return max(0, start - 1) if wish.side == "left" else min(last, start + 1)
    return _shifted_lane(wish, start, last)


def _numbered_lane(wish: LaneWish, last: int) -> int:
    lane = last + 1 - wish.count if wish.kind == "from_right" else wish.count - 1
    if lane != int(lane) or not 0 <= lane <= last:
        reason = f"The lanes are 1 (leftmost) to {last + 1}; there is no such lane."
        raise RefusalError(RefusalKind.IMPOSSIBLE, reason)
    return int(lane)


def _shifted_lane(wish: LaneWish, start: int, last: int) -> int:
    if wish.count != int(wish.count) or wish.count < 1:
        raise RefusalError(RefusalKind.IMPOSSIBLE, "The car moves by whole lanes, at least one.")
    room = start if wish.side == "left" else max(last - start, 0)
    if wish.count > room:
        there = {0: "There is no lane", 1: "There is only one lane"}.get(room, f"There are only {room} lanes")
        here = lane_name(start, last + 1)
        raise RefusalError(RefusalKind.IMPOSSIBLE, f"{there} to the {wish.side} of {here}.")
    return start + int(wish.count) * (-1 if wish.side == "left" else 1)


def one_lane(wishes: list[LaneWish], situation: Situation) -> int | None:
    """The lane that all wishes agree on, or None without any; "right, to lane 4" is lane 4."""
    lanes = {resolve_lane(wish, situation): wish for wish in wishes if not _is_plain_side(wish)}
    for wish in filter(_is_plain_side, wishes):
        agreeing = [lane for lane in lanes if direction_to(lane, situation) == wish.side]
        if not agreeing:
            lanes[resolve_lane(wish, situation)] = wish
    if len(lanes) > 1:
        raise RefusalError(RefusalKind.NOT_UNDERSTOOD, "That names more than one lane; say one at a time.")
    return next(iter(lanes), None)


def _is_plain_side(wish: LaneWish) -> bool:
    return wish.kind == "shift" and wish.count == 1 and wish.role != "stay"


def direction_to(lane: int | None, situation: Situation) -> Direction | None:
    """Which way a lane lies from the car's own."""
    if lane is None or lane == situation.lane:
        return None
    return "left" if lane < situation.lane else "right"


def refuse_occupied(direction: Direction | None, situation: Situation) -> None:
    """Nobody moves over into somebody."""
    traffic = situation.traffic
    occupied = traffic and {"left": traffic.left_occupied, "right": traffic.right_occupied}.get(direction or "")
    if occupied:
        raise RefusalError(RefusalKind.UNSAFE, f"Somebody is beside the car on the {direction}.")


def overtake_lanes(wishes: Wishes, situation: Situation) -> tuple[int, Direction, int | None]:
    """The lane and the side of the pass, from what was said before and with it, and the lane afterwards."""
    if situation.lane == situation.shoulder:
        raise RefusalError(RefusalKind.IMPOSSIBLE, "The car is on the shoulder, where nobody drives ahead.")
    _refuse_without_vehicle(wishes, situation)
    at = wishes.overtake_at or 0
    after = [wish for wish in wishes.lanes if wish.start > at and wish.role in ("move", "stay")]
    passing = [wish for wish in wishes.lanes if wish not in after and wish.kind != "own"]
    lane = one_lane([_as_shift(wish) for wish in passing], situation) if passing else _free_lane(situation)
    side = direction_to(lane, situation)
    if lane is None or side is None:
        raise RefusalError(RefusalKind.IMPOSSIBLE, "An overtake needs another lane than the car's own.")
    refuse_occupied(side, situation)
    return lane, side, _return_lane(wishes, after, lane, situation)


def _as_shift(wish: LaneWish) -> LaneWish:
    """The next lane: so "on the left" and "in the left lane" are meant when somebody is overtaken there."""
    if wish.kind in ("shift", "named"):
        return LaneWish(wish.start, "move", "shift", wish.count, wish.side)
    return wish


def _free_lane(situation: Situation) -> int:
    """The lane to pass in when no side was said: left, unless there is none or it is taken."""
    left, right = situation.lane - 1, situation.lane + 1
    left_taken = situation.traffic is not None and situation.traffic.left_occupied
    return right if left < 0 or (left_taken and right < situation.lanes) else left


def _return_lane(wishes: Wishes, after: list[LaneWish], lane: int, situation: Situation) -> int | None:
    if wishes.comes_back is False or any(wish.role == "stay" and wish.kind != "own" for wish in after):
        return None
    lanes = {resolve_lane(wish, situation, start=lane) for wish in after}
    if len(lanes) > 1:
        raise RefusalError(RefusalKind.NOT_UNDERSTOOD, "That names more than one lane to return to; say one.")
    return next(iter(lanes), situation.lane)


def _refuse_without_vehicle(wishes: Wishes, situation: Situation) -> None:
    if situation.traffic is None:
        return
    ahead = situation.traffic.ahead
    if ahead is None:
        raise RefusalError(RefusalKind.IMPOSSIBLE, "Nobody drives ahead in this lane.")
    if wishes.vehicle not in (None, "car", ahead):
        raise RefusalError(RefusalKind.IMPOSSIBLE, f"The vehicle ahead is a {ahead}, not a {wishes.vehicle}.")
