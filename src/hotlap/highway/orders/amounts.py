"""From changes of speed and gap to mph and seconds, or a refusal: nothing above the limit, nothing too close."""

from hotlap.highway.missions import DEFAULT_GAP_S, MAX_GAP_S, MIN_GAP_S
from hotlap.highway.orders.meaning import Change
from hotlap.highway.orders.quantities import METERS_PER_UNIT, MPH_PER_UNIT
from hotlap.highway.orders.results import RefusalError, RefusalKind
from hotlap.highway.orders.situation import MPH_PER, Situation, speed_words
from hotlap.highway.physics import MPH

STEP_MPH = {"bit": 5.0, "much": 10.0}
STEP_S = 0.5
OVER_A_NAMED_LANE_MPH = 5.0
SLOWEST_FOR_METERS_MPS = 5.0
ROUNDING = 1e-6


def one_speed_mph(changes: list[Change], lane: int | None, situation: Situation) -> float | None:
    """The speed that all changes agree on, or None without any; `lane` is the lane the order names, if it does."""
    speeds = {round(_speed_mph(change, lane, situation), 6) for change in changes}
    if len(speeds) > 1:
        raise RefusalError(RefusalKind.NOT_UNDERSTOOD, "That names more than one speed; say one.")
    speed_mph = next(iter(speeds), None)
    if speed_mph is not None:
        _refuse_out_of_range(speed_mph, lane, situation)
    return speed_mph


def _speed_mph(change: Change, lane: int | None, situation: Situation) -> float:
    start_mph = _start_mph(change, lane, situation)
    if change.operation == "restore":
        return start_mph
    if change.reference == "limit" and change.operation == "raise" and change.amount >= 0:
        raise RefusalError(RefusalKind.UNSAFE, "The car does not drive above the limit.")
    if change.unit in STEP_MPH and change.reference != "limit":
        return _stepped_mph(change, situation)
    amount_mph = _amount_mph(change, start_mph, situation)
    if change.operation == "set":
        return amount_mph
    return start_mph + (amount_mph if change.operation == "raise" else -amount_mph)


def _amount_mph(change: Change, start_mph: float, situation: Situation) -> float:
    """How much was named: a step, a share, or a number with its unit, else that of the situation."""
    if change.unit in STEP_MPH:
        return STEP_MPH[change.unit]
    if change.unit == "percent":
        return change.amount / 100.0 * start_mph
    return change.amount * (MPH_PER_UNIT[change.unit] if change.unit else MPH_PER[situation.units])


def _start_mph(change: Change, lane: int | None, situation: Situation) -> float:
    """What a change of the speed starts from."""
    if change.reference == "limit":
        return situation.limit_of_mph(situation.lane if lane is None else lane)
    if change.reference == "now":
        return min(situation.speed_mph, situation.highest_limit_mph)
    if change.reference == "ahead":
        ahead_mph = leader_mph(situation)
        if ahead_mph is None:
            reason = "How fast the vehicle ahead drives is not known here; name a speed instead."
            raise RefusalError(RefusalKind.UNSUPPORTED, reason)
        return ahead_mph
    return situation.set_speed_mph


def leader_mph(situation: Situation) -> float | None:
    """The speed of the vehicle ahead as far as it is known and allowed."""
    if situation.traffic is None:
        return None
    if situation.traffic.ahead is None:
        raise RefusalError(RefusalKind.IMPOSSIBLE, "Nobody drives ahead in this lane.")
    speed_mph = situation.traffic.ahead_speed_mph
    return None if speed_mph is None else min(speed_mph, situation.highest_limit_mph)


def _stepped_mph(change: Change, situation: Situation) -> float:
    """Some faster or slower, within what is left to the limit or to a standstill."""
    set_mph, step_mph = situation.set_speed_mph, STEP_MPH[change.unit]
    if change.operation == "raise" and set_mph >= situation.limit_mph - ROUNDING:
        limit = speed_words(situation.limit_mph, situation.units)
        reason = f"The car is at the limit of {situation.name_of(situation.lane)}, {limit}, already."
        raise RefusalError(RefusalKind.UNSAFE, reason)
    if change.operation == "lower" and set_mph == 0:
        raise RefusalError(RefusalKind.IMPOSSIBLE, "The car is standing already.")
    stepped_mph = set_mph + (step_mph if change.operation == "raise" else -step_mph)
    return max(0.0, min(stepped_mph, situation.highest_limit_mph))


def _refuse_out_of_range(speed_mph: float, lane: int | None, situation: Situation) -> None:
    if speed_mph < 0:
        raise RefusalError(RefusalKind.IMPOSSIBLE, "A speed cannot be below zero.")
    highest = situation.highest_limit_mph
    if speed_mph > highest + ROUNDING:
        limit = speed_words(highest, situation.units)
        raise RefusalError(RefusalKind.UNSAFE, f"The highest limit here is {limit}, and that is above it.")
    if lane is not None and speed_mph > situation.limit_of_mph(lane) + OVER_A_NAMED_LANE_MPH:
        asked, limit = (speed_words(each, situation.units) for each in (speed_mph, situation.limit_of_mph(lane)))
        reason = f"{asked} is above {limit}, the limit of {situation.name_of(lane)}."
        raise RefusalError(RefusalKind.UNSAFE, reason)


def capped_note(speed_mph: float | None, lane: int, situation: Situation) -> str | None:
    """What to know when the lane does not allow the speed yet."""
    limit = situation.limit_of_mph(lane)
    if speed_mph is None or speed_mph <= limit + ROUNDING:
        return None
    shown = speed_words(limit, situation.units)
    return f"{situation.name_of(lane)} has a limit of {shown}, and it keeps to that there"


def one_gap_s(changes: list[Change], speed_mph: float | None, situation: Situation) -> float | None:
    """The gap that all changes agree on, or None without any."""
    gaps = {round(_gap_s(change, speed_mph, situation), 6) for change in changes}
    if len(gaps) > 1:
        raise RefusalError(RefusalKind.NOT_UNDERSTOOD, "That names more than one gap; say one.")
    gap_s = next(iter(gaps), None)
    if gap_s is not None and gap_s < MIN_GAP_S - ROUNDING:
        reason = f"A gap of {max(gap_s, 0.0):.3g} seconds is too close; the least is {MIN_GAP_S:g} second."
        raise RefusalError(RefusalKind.UNSAFE, reason)
    if gap_s is not None and gap_s > MAX_GAP_S + ROUNDING:
        raise RefusalError(RefusalKind.IMPOSSIBLE, f"The longest gap the car can keep is {MAX_GAP_S:g} seconds.")
    return gap_s


def _gap_s(change: Change, speed_mph: float | None, situation: Situation) -> float:
    asked_s = None if situation.mission is None else situation.mission.gap_s
    start_s = asked_s or DEFAULT_GAP_S
    if change.operation == "restore":
        return start_s
    amount_s = _seconds(change, start_s, speed_mph, situation)
    if change.operation == "set":
        return amount_s
    return start_s + (amount_s if change.operation == "raise" else -amount_s)


def _seconds(change: Change, start_s: float, speed_mph: float | None, situation: Situation) -> float:
    """The amount of a gap in seconds; metres at the speed asked for, else at the one that is set."""
    if change.unit == "bit":
        return STEP_S
    if change.unit == "percent":
        return change.amount / 100.0 * start_s
    if change.unit not in METERS_PER_UNIT:
        return change.amount
    speed_mps = (situation.set_speed_mph if speed_mph is None else speed_mph) * MPH
    if speed_mps < SLOWEST_FOR_METERS_MPS:
        raise RefusalError(RefusalKind.UNSUPPORTED, "At this speed a gap is better said in seconds.")
    return change.amount * METERS_PER_UNIT[change.unit] / speed_mps
