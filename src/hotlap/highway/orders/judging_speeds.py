"""From speeds and gaps that were named to mph and seconds, or a refusal: nothing above the limit, nothing too close."""

from hotlap.highway.missions import DEFAULT_GAP_S, MAX_GAP_S, MIN_GAP_S, MPS_PER_MPH
from hotlap.highway.orders.results import RefusalError, RefusalKind
from hotlap.highway.orders.situation import Situation
from hotlap.highway.orders.wishes import GapWish, SpeedWish

OVER_A_NAMED_LANE_MPH = 5.0
SLOWEST_FOR_METERS_MPS = 5.0
ROUNDING = 1e-6


def one_speed_mph(wishes: list[SpeedWish], lane: int | None, situation: Situation) -> float | None:
    """The speed that all wishes agree on, or None without any; `lane` is the lane the order names, if it does."""
    speeds = {round(_speed_mph(wish, lane, situation), 6) for wish in wishes}
    if len(speeds) > 1:
        raise RefusalError(RefusalKind.NOT_UNDERSTOOD, "That names more than one speed; say one.")
    speed_mph = next(iter(speeds), None)
    if speed_mph is not None:
        _refuse_out_of_range(speed_mph, lane, situation)
    return speed_mph


def _speed_mph(wish: SpeedWish, lane: int | None, situation: Situation) -> float:
    set_mph = situation.set_speed_mph
    if wish.kind == "absolute":
        return wish.mph
    if wish.kind == "present":
        return min(situation.speed_mph, situation.highest_limit_mph)
    if wish.kind == "relative":
        return set_mph + wish.mph
    if wish.kind == "step":
        return _stepped_mph(wish.mph, situation)
    if wish.mph > 0:
        raise RefusalError(RefusalKind.UNSAFE, "The car does not drive above the limit.")
    return situation.limits_mph[situation.lane if lane is None else lane] + wish.mph


def _stepped_mph(step_mph: float, situation: Situation) -> float:
    """Some faster or slower, within what is left to the limit or to a standstill."""
    set_mph = situation.set_speed_mph
    if step_mph > 0 and set_mph >= situation.limit_mph - ROUNDING:
        reason = f"The car is at the limit of lane {situation.lane}, {situation.limit_mph:.4g} mph, already."
        raise RefusalError(RefusalKind.UNSAFE, reason)
    if step_mph < 0 and set_mph == 0:
        raise RefusalError(RefusalKind.IMPOSSIBLE, "The car is standing already.")
    return max(0.0, min(set_mph + step_mph, situation.highest_limit_mph))


def _refuse_out_of_range(speed_mph: float, lane: int | None, situation: Situation) -> None:
    if speed_mph < 0:
        raise RefusalError(RefusalKind.IMPOSSIBLE, "A speed cannot be below zero.")
    highest = situation.highest_limit_mph
    if speed_mph > highest + ROUNDING:
        raise RefusalError(RefusalKind.UNSAFE, f"The highest limit here is {highest:.4g} mph, and that is above it.")
    if lane is not None and speed_mph > situation.limits_mph[lane] + OVER_A_NAMED_LANE_MPH:
        limit = situation.limits_mph[lane]
        raise RefusalError(
            RefusalKind.UNSAFE, f"{speed_mph:.4g} mph is above {limit:.4g} mph, the limit of lane {lane}."
        )


def capped_note(speed_mph: float | None, lane: int, situation: Situation) -> str | None:
    """What to know when the lane does not allow the speed yet."""
    limit = situation.limits_mph[lane]
    if speed_mph is None or speed_mph <= limit + ROUNDING:
        return None
    return f"lane {lane} has a limit of {limit:.4g} mph, and it keeps to that there"


def one_gap_s(wishes: list[GapWish], speed_mph: float | None, situation: Situation) -> float | None:
    """The gap that all wishes agree on, or None without any."""
    gaps = {round(_gap_s(wish, speed_mph, situation), 6) for wish in wishes}
    if len(gaps) > 1:
        raise RefusalError(RefusalKind.NOT_UNDERSTOOD, "That names more than one gap; say one.")
    gap_s = next(iter(gaps), None)
    if gap_s is not None and gap_s < MIN_GAP_S - ROUNDING:
        reason = f"A gap of {max(gap_s, 0.0):.3g} seconds is too close; the least is {MIN_GAP_S:g} second."
        raise RefusalError(RefusalKind.UNSAFE, reason)
    if gap_s is not None and gap_s > MAX_GAP_S + ROUNDING:
        raise RefusalError(RefusalKind.IMPOSSIBLE, f"The longest gap the car can keep is {MAX_GAP_S:g} seconds.")
    return gap_s


def _gap_s(wish: GapWish, speed_mph: float | None, situation: Situation) -> float:
    asked_s = None if situation.mission is None else situation.mission.gap_s
    if wish.kind == "seconds":
        return wish.value
    if wish.kind == "follow":
        return asked_s or DEFAULT_GAP_S
    if wish.kind == "relative":
        return (asked_s or DEFAULT_GAP_S) + wish.value
    speed_mps = (situation.set_speed_mph if speed_mph is None else speed_mph) * MPS_PER_MPH
    if speed_mps < SLOWEST_FOR_METERS_MPS:
        raise RefusalError(RefusalKind.UNSUPPORTED, "At this speed a gap is better said in seconds.")
    return wish.value / speed_mps
