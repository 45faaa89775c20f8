"""From wishes to a mission on this road, or a refusal with the reason."""

from dataclasses import dataclass

from hotlap.highway.missions import MPS_PER_MPH, Direction, Mode
from hotlap.highway.orders.judging_lanes import direction_to, one_lane, overtake_plan, refuse_occupied
from hotlap.highway.orders.judging_speeds import capped_note, one_gap_s, one_speed_mph
from hotlap.highway.orders.results import RefusalError, RefusalKind
from hotlap.highway.orders.situation import Situation
from hotlap.highway.orders.wishes import Wishes


@dataclass(frozen=True)
class Plan:
    """A mission in the units that people speak."""

    mode: Mode
    """What kind of mission."""
    lane: int | None = None
    """Lane to be in, or to pass in."""
    speed_mph: float | None = None
    """Speed to drive."""
    gap_s: float | None = None
    """Gap to keep."""
    direction: Direction | None = None
    """Which way the lane lies."""
    return_lane: int | None = None
    """Lane after an overtake."""
    note: str | None = None
    """Something to know about it."""

    @property
    def speed_mps(self) -> float | None:
        """The speed inside the world."""
        return None if self.speed_mph is None else self.speed_mph * MPS_PER_MPH


def make_plan(wishes: Wishes, situation: Situation) -> Plan:
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


def _overtake(wishes: Wishes, situation: Situation) -> Plan:
    lanes = overtake_plan(wishes, situation)
    speed_mph = one_speed_mph([wish for wish in wishes.speeds if wish.kind != "step"], None, situation)
    gap_s = one_gap_s([wish for wish in wishes.gaps if wish.kind != "follow"], speed_mph, situation)
    note = capped_note(speed_mph, lanes.lane, situation)
    return Plan(Mode.OVERTAKE, lanes.lane, speed_mph, gap_s, lanes.side, lanes.return_lane, note)


def _stop(wishes: Wishes, situation: Situation) -> Plan:
    """A stop in the lane that was named, at the right side, or wherever the car is."""
    if any(wish.kind == "absolute" and wish.mph != 0 for wish in wishes.speeds):
        raise RefusalError(RefusalKind.NOT_UNDERSTOOD, "That is a stop and a speed; say one at a time.")
    if wishes.pulls_over and any(wish.side == "left" for wish in wishes.lanes):
        reason = 'The car pulls over to the right only; say "stop in the leftmost lane" to stop there.'
        raise RefusalError(RefusalKind.UNSUPPORTED, reason)
    lane = situation.lanes - 1 if wishes.pulls_over else one_lane(wishes.lanes, situation)
    return Plan(Mode.STOP, lane, 0.0, direction=direction_to(lane, situation))


def _come_back(situation: Situation) -> Plan:
    """Back to the lane that the present mission started from."""
    lane = None if situation.mission is None else situation.mission.return_lane
    if lane is None or lane >= situation.lanes:
        raise RefusalError(RefusalKind.NOT_UNDERSTOOD, "Say which lane to go back to, by its side or its number.")
    return Plan(Mode.LANE_CHANGE, lane, direction=direction_to(lane, situation))


def _drive(wishes: Wishes, situation: Situation) -> Plan:
    """A lane, a speed, a gap, or all of them."""
    lane = one_lane(wishes.lanes, situation)
    direction = direction_to(lane, situation)
    speed_mph = one_speed_mph(wishes.speeds, lane, situation)
    gap_s = one_gap_s(wishes.gaps, speed_mph, situation)
    if speed_mph == 0:
        return Plan(Mode.STOP, lane, 0.0, direction=direction)
    if any(wish.kind == "follow" for wish in wishes.gaps):
        speed_mph = _leader_mph(situation) if speed_mph is None else speed_mph
    mode = _driving_mode(wishes, direction)
    if mode is Mode.LANE_CHANGE:
        refuse_occupied(direction, situation)
    note = capped_note(speed_mph, situation.lane if lane is None else lane, situation)
    return Plan(mode, lane, speed_mph, gap_s, direction, None, note)


def _driving_mode(wishes: Wishes, direction: Direction | None) -> Mode:
    """A lane change where the car is to move over, a cruise where a speed or gap is set, else a hold."""
    pace = bool(wishes.gaps) or any(wish.kind != "present" for wish in wishes.speeds)
    moves = any(wish.role in ("move", "bare") and wish.kind != "own" for wish in wishes.lanes)
    if moves or (direction is not None and not pace):
        return Mode.LANE_CHANGE
    return Mode.CRUISE if pace else Mode.HOLD


def _leader_mph(situation: Situation) -> float | None:
    """The speed of the vehicle ahead as far as it is known and allowed."""
    if situation.traffic is None:
        return None
    if situation.traffic.ahead is None:
        raise RefusalError(RefusalKind.IMPOSSIBLE, "Nobody drives ahead in this lane.")
    speed_mph = situation.traffic.ahead_speed_mph
    return None if speed_mph is None else min(speed_mph, situation.highest_limit_mph)
