"""The order evaluation: orders are spoken to a driver on held-out roads, interpreted and driven; what came of each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hotlap.errors import MissionError
from hotlap.evaluation.highway.order_sentences import KINDS, SpokenOrder, spoken
from hotlap.evaluation.highway.setup import held_out_seeds
from hotlap.highway.missions import Ending, Mission, Mode
from hotlap.highway.ordered_drive import situation_of
from hotlap.highway.orders import Refused, interpret
from hotlap.highway.physics import DECISION_S, MPH
from hotlap.highway.road import lane_limit_mps
from hotlap.highway.sensors import FIELDS, RELATIVE_SPEED_MPS
from hotlap.highway.world import HighwayWorld
from hotlap.policies import Policy
from hotlap.progress import bar

FloatArray = NDArray[np.float64]
FIRST_ROAD = 2**38
"""Its roads have seeds of their own, far from those on which missions are evaluated."""
SETTLE_S, SAMPLED_S = 12.0, 4.0
"""A speed or gap that was reached is kept for so long, and looked at in the last seconds of that."""
HOLD_S = 10.0
ABOUT_AHEAD = ("gap", "speed_and_gap", "overtake")
PLACES = 40
"""So many roads are tried to find one with a slower vehicle ahead."""
LONGEST_S = 200.0
STEADY_MPS = 1.0
"""A vehicle ahead is followed when the speeds differ by less."""
AHEAD, AHEAD_SPEED = FIELDS.index("own_gap_ahead"), FIELDS.index("own_speed_ahead")


@dataclass(frozen=True)
class OrderResult:
    """One order and what came of it."""

    kind: str
    text: str
    vehicles: int
    ending: Ending
    reason: str
    time_s: float
    decisions: int
    intervened: int
    jerk_squares: float
    own_fault: bool
    speed_error_mph: float | None
    """How far from the speed that was asked for, where nobody was in the way."""
    gap_error_percent: float | None
    """How far from the gap that was asked for, behind a steady vehicle."""


class OrderEvaluation:
    """Roads of one density, an order to each; driven on construction, with the supervisor on."""

    def __init__(self, policy: Policy, orders: Sequence[tuple[SpokenOrder, int]], vehicles: int) -> None:
        self.vehicles, self.orders = vehicles, [order for order, _ in orders]
        count = len(orders)
        self.world = HighwayWorld(count, vehicles=vehicles, supervisor=True)
        for road, (order, seed) in enumerate(orders):
            self._place(road, order.kind, seed)
        self.missions: list[Mission | None] = [None] * count
        self.endings: list[Ending | None] = [None] * count
        self.reasons = [""] * count
        self.given, self.ended = np.zeros(count), np.full(count, np.inf)
        self.until = np.full(count, LONGEST_S)
        """When a road needs no more driving."""
        self.sums = {name: np.zeros(count) for name in ("decisions", "intervened", "jerk_squares")}
        self.samples: dict[str, list[list[float]]] = {name: [[] for _ in range(count)] for name in ("speed", "gap")}
        policy.reset(np.arange(count))
        self._drive(policy)

    def _place(self, road: int, kind: str, seed: int) -> None:
        """Begin a road; for orders about a vehicle ahead, one of the first that has one near."""
        for attempt in range(PLACES if kind in ABOUT_AHEAD else 1):
            rng = np.random.default_rng([seed, attempt])
            lane = int(rng.integers(self.world.config.road.lanes))
            limit = lane_limit_mps(lane, self.world.batch.rules)
            speed = (0.95 if kind in ABOUT_AHEAD else float(rng.uniform(0.2, 1.0))) * limit
            mission = Mission(Mode.CRUISE, target_speed_mps=limit) if kind in ABOUT_AHEAD else Mission()
            self.world.begin(road, rng, {"lane": lane, "speed_mps": speed, "mission": mission})
            traffic = situation_of(self.world, road).traffic
            slow = traffic is not None and traffic.ahead_speed_mph is not None
            if slow and traffic is not None and (traffic.ahead_speed_mph or 0.0) * MPH < 0.9 * limit:
                return

    def _drive(self, policy: Policy) -> None:
        time_s = 0.0
        for road, order in enumerate(self.orders):
            self._say(road, order.texts[0], 0.0)
        with bar(round(LONGEST_S / DECISION_S), "decisions", f"orders among {self.vehicles} vehicles") as advance:
            while time_s < LONGEST_S and (self.until > time_s).any():
                self._decide(policy, time_s)
                time_s += DECISION_S
                advance(1)

    def _decide(self, policy: Policy, began_s: float) -> None:
        """Say what is due, drive one decision on every road, and note what came of it."""
        for road in np.flatnonzero(self._second_due(began_s)).tolist():
            self._say(road, self.orders[road].texts[1], began_s)
        accel = self.world.step_views["accel_mps2"].copy()
        self.world.advance(policy.act(self.world.observation, self.world))
        time_s = began_s + DECISION_S
        driving = self.until > time_s - DECISION_S
        self._note(driving, (self.world.step_views["accel_mps2"] - accel) / DECISION_S)
        self._sample(driving & (self.until - time_s <= SAMPLED_S) & np.isfinite(self.ended))
        self._end(driving, time_s)

    def _second_due(self, time_s: float) -> NDArray[np.bool_]:
        """Roads on which the second sentence is said now."""
        due = [len(order.texts) > 1 and abs(order.after_s - time_s) < DECISION_S / 2 for order in self.orders]
        return np.array(due) & ~self.world.roads.crashed.astype(np.bool_)

    def _say(self, road: int, text: str, time_s: float) -> None:
        """Give an order; one that is refused ends the evaluation on its road, unless another follows."""
        result = interpret(text, situation_of(self.world, road), time_s=time_s)
        reason = result.reason if isinstance(result, Refused) else ""
        try:
            if not isinstance(result, Refused):
                self.world.give(road, result.mission)
                self.missions[road] = result.mission
        except MissionError as problem:
            reason = str(problem)
        last = text == self.orders[road].texts[-1]
        self.given[road], self.ended[road], self.endings[road] = time_s, np.inf, None
        self.until[road] = LONGEST_S
        if reason and last:
            self.endings[road], self.reasons[road], self.until[road] = Ending.REFUSED, reason, time_s
            self.ended[road] = time_s

    def _note(self, driving: NDArray[np.bool_], jerk: FloatArray) -> None:
        facts = {
            "decisions": 1.0,
            "intervened": self.world.step_views["rules"] != 0,
            "jerk_squares": jerk * jerk,
        }
        for name, column in facts.items():
            self.sums[name] += np.where(driving, column, 0.0)

    def _end(self, driving: NDArray[np.bool_], time_s: float) -> None:
        """Note how missions ended in this decision, and for how long a road is still looked at."""
        world, out = self.world, self.world.out
        crashed = driving & world.roads.crashed.astype(np.bool_)
        for road in np.flatnonzero(crashed).tolist():
            self._close(road, Ending.CRASHED, "it crashed", time_s, 0.0)
        ended = driving & ~crashed & (out.mission_ended != 0) & ~np.isfinite(self.ended)
        for road in np.flatnonzero(ended).tolist():
            info = world.extra_info(road)
            settles = info["ended_mode"] == Mode.CRUISE
            self._close(road, Ending(info["outcome"]), info["reason"], time_s, SETTLE_S if settles else 0.0)
        held = driving & ~np.isfinite(self.ended) & (time_s - self.given >= HOLD_S - DECISION_S / 2)
        for road in np.flatnonzero(held).tolist():
            mission = self.missions[road]
            if mission is not None and mission.mode is Mode.HOLD:
                self._close(road, Ending.DONE, "", time_s, 0.0)

    def _close(self, road: int, ending: Ending, reason: str, time_s: float, settle_s: float) -> None:
        if len(self.orders[road].texts) > 1 and time_s < self.orders[road].after_s and ending is not Ending.CRASHED:
            return  # the second sentence is still to come
        self.endings[road], self.reasons[road] = ending, reason
        self.ended[road], self.until[road] = time_s, time_s + settle_s

    def _sample(self, roads: NDArray[np.bool_]) -> None:
        """Speed and gap of roads that have reached what was asked for."""
        world = self.world
        speed, gap_m = world.step_views["speed_mps"], world.step_views["gap_ahead_m"]
        wanted_s, lane = world.roads.mission_gap_s, world.step_views["lane"]
        relative = world.observation[:, AHEAD_SPEED] * RELATIVE_SPEED_MPS
        follows = (world.observation[:, AHEAD] < 1.0) & (gap_m < 1.3 * wanted_s * speed + 10.0)
        for road in np.flatnonzero(roads).tolist():
            limit = lane_limit_mps(int(lane[road]), world.batch.rules)
            goal = min(float(world.roads.mission_speed_mps[road]), limit)
            if not follows[road]:
                self.samples["speed"][road].append(abs(float(speed[road]) - goal) / MPH)
            elif abs(relative[road]) < STEADY_MPS and speed[road] > 5.0 and speed[road] < goal - 0.5:
                share = float(gap_m[road]) / float(speed[road] * wanted_s[road])
                self.samples["gap"][road].append(100.0 * abs(share - 1.0))

    def results(self) -> list[OrderResult]:
        """What came of each order."""
        return [self._result(road) for road in range(len(self.orders))]

    def _result(self, road: int) -> OrderResult:
        ending = self.endings[road] or Ending.TIMED_OUT
        ended = float(self.ended[road]) if np.isfinite(self.ended[road]) else LONGEST_S
        speed, gap = self.samples["speed"][road], self.samples["gap"][road]
        return OrderResult(
            kind=self.orders[road].kind,
            text=self.orders[road].texts[-1],
            vehicles=self.vehicles,
            ending=ending,
            reason=self.reasons[road],
            time_s=ended - float(self.given[road]),
            decisions=int(self.sums["decisions"][road]),
            intervened=int(self.sums["intervened"][road]),
            jerk_squares=float(self.sums["jerk_squares"][road]),
            own_fault=bool(self.world.roads.ego_fault[road]),
            speed_error_mph=float(np.median(speed)) if speed else None,
            gap_error_percent=float(np.median(gap)) if gap else None,
        )


def evaluate_orders(
    make: Callable[[Sequence[int]], Policy], vehicles: Sequence[int], orders: int, first: int = 0
) -> list[OrderResult]:
    """Speak so many orders of every kind at every density, each on a road of its own."""
    found: list[OrderResult] = []
    for density in vehicles:
        seeds = held_out_seeds(FIRST_ROAD + 1000 * first, orders * len(KINDS))
        spoken_orders = [(spoken(KINDS[n % len(KINDS)], seed), seed) for n, seed in enumerate(seeds)]
        found += OrderEvaluation(make(list(seeds)), spoken_orders, density).results()
    return found
