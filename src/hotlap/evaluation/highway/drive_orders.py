"""What `hotlap drive` does when it drives: results to stdout, a live line to stderr, missions to the log."""

import hashlib
import json
import math
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hotlap.checkpoints.names import POLICY_FILE
from hotlap.checkpoints.run_files import read_best
from hotlap.errors import CheckpointError, PolicyError, StoreError
from hotlap.evaluation.sources import DriverSource, find_driver
from hotlap.exit_codes import BELOW_WHAT_WAS_ASKED, DONE
from hotlap.highway.fingerprint import physics_fingerprint
from hotlap.highway.missions import Ending, Outcome
from hotlap.highway.ordered_drive import Moment, OrderedDrive
from hotlap.highway.orders import Refused, Situation, Understood, as_record, as_sentence, interpret
from hotlap.highway.orders.situation import lane_name
from hotlap.highway.physics import DECISION_S, MPH
from hotlap.highway.scene import Scene
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.progress import say
from hotlap.store.database import DATABASE_FILE, Database
from hotlap.store.missions import MOST_ORDERS, DrivenScene, MissionLog, MissionRecord, record_of

EXPERT, BUNDLED_DRIVER = "expert", "motorist"
HASH_DIGITS = 16


@dataclass(frozen=True)
class Carried:
    """One order and what came of it."""

    text: str
    answer: Understood | Refused
    outcome: Outcome | None
    """None where the order was refused."""
    interventions: dict[str, int]
    smallest_gap_s: float | None

    @property
    def succeeded(self) -> bool:
        """Done, or held on to for as long as the drive lasted."""
        return self.held or (self.outcome is not None and self.outcome.ending is Ending.DONE)

    @property
    def held(self) -> bool:
        """Whether it was a hold, which lasts for as long as the drive does."""
        outcome = self.outcome
        return outcome is not None and outcome.mission.mode == "hold" and outcome.ending is Ending.CANCELLED

    def plain(self) -> dict[str, Any]:
        """As an object for JSON."""
        return {
            "text": self.text,
            "understood": as_record(self.answer),
            "outcome": None if self.outcome is None else _plain_outcome(self.outcome),
            "interventions": self.interventions,
            "smallest_gap_s": self.smallest_gap_s,
        }


def explain(text: str, *, lane: int, speed_mph: float, as_json: bool = False) -> None:
    """Print what was understood, as one sentence or one JSON object; a refusal is a result too."""
    result = interpret(text, Situation(lane=lane, speed_mph=speed_mph))
    refused = "Refused: " if isinstance(result, Refused) else ""
    print(json.dumps(as_record(result), indent=2) if as_json else f"{refused}{as_sentence(result)}")


def drive_orders(
    orders: Sequence[str], scene: Scene, policy: str | None, root: Path, *, as_json: bool, pace: float
) -> int:
    """Drive the orders one after the other; 0 when all were carried out, 1 when one was refused or not done."""
    source = _driver(policy, root)
    carried = carry_out_orders(orders, scene, source, pace=pace, as_json=as_json)
    if as_json:
        document = {"driver": source.name, "scene": scene.plain(), "orders": [each.plain() for each in carried]}
        print(json.dumps(document, indent=2))
    _log(records_of(carried, scene, source), root)
    return DONE if all(each.succeeded for each in carried) and len(carried) == len(orders) else BELOW_WHAT_WAS_ASKED


def carry_out_orders(
    orders: Sequence[str], scene: Scene, source: DriverSource, *, pace: float, as_json: bool
) -> list[Carried]:
    """Drive the orders one after the other, until the last or a crash, and say what happens unless it is for JSON."""
    driver = source.make([scene.seed])
    driver.reset(np.arange(1))
    drive = OrderedDrive(driver.act, scene)
    watch = _watcher(pace)
    carried: list[Carried] = []
    for text in orders:
        carried.append(_carry_out(drive, text, watch, as_json=as_json))
        if drive.world.roads.crashed[0]:
            break
    return carried


def _driver(policy: str | None, root: Path) -> DriverSource:
    """The driver asked for; else the best highway run; else the one that comes with Hotlap: said plainly."""
    if policy is not None:
        return find_highway_driver(policy, root)
    best = best_highway_run(root)
    if best is not None:
        say(f"driver: {best}, the best evaluated run of the highway")
        return find_driver(str(best), root)
    try:
        source = find_driver(BUNDLED_DRIVER, root)
        say(f"driver: {BUNDLED_DRIVER}, which comes with Hotlap, since no run under {root}/ drives on the highway")
    except PolicyError as problem:
        source = find_driver(EXPERT, root)
        say(f"driver: the rule-based expert, since {problem}")
    return source


def find_highway_driver(name: str, root: Path) -> DriverSource:
    """The driver of that name, who must drive on the highway."""
    source = find_driver(name, root)
    if source.world != "highway":
        raise PolicyError(f"{name}: drives in the {source.world}. Name a driver of the highway, such as expert.")
    return source


def best_highway_run(root: Path) -> Path | None:
    """The run of the highway with the best evaluation among those whose policy fits this physics."""
    runs = [path.parent for path in sorted(root.glob(f"*/{POLICY_FILE}")) if path.is_file() and _drives_here(path)]
    return max(runs, key=_evaluated, default=None)


def _drives_here(policy: Path) -> bool:
    try:
        OnnxPolicy(policy, world="highway")
    except PolicyError:
        return False
    return True


def _evaluated(run: Path) -> tuple[tuple[float, ...], float]:
    """What the best policy of a run scored; of runs without a score the newest is the best."""
    try:
        best = read_best(run)
    except CheckpointError:
        best = None
    return (() if best is None else best.score), (run / POLICY_FILE).stat().st_mtime


def _carry_out(drive: OrderedDrive, text: str, watch: "Watch", *, as_json: bool) -> Carried:
    """Give one order, drive it, and say what was understood and what happened."""
    answer = drive.order(text)
    if not as_json:
        print(f"Refused: {answer.reason}" if isinstance(answer, Refused) else f"Understood: {as_sentence(answer)}")
    if isinstance(answer, Refused):
        return Carried(text, answer, None, {}, None)
    before = drive.interventions()
    gaps = [moment.gap_s for moment in watch(drive.drive()) if moment.gap_s is not None]
    changed = {name: count - before.get(name, 0) for name, count in drive.interventions().items()}
    outcome = drive.outcome(answer.mission)
    result = Carried(
        text, answer, outcome, {rule: count for rule, count in changed.items() if count}, min(gaps, default=None)
    )
    if not as_json:
        print(in_words(result, drive))
    return result


def in_words(carried: Carried, drive: OrderedDrive) -> str:
    """What happened and why, in two lines."""
    outcome = carried.outcome
    if outcome is None:
        return ""
    why = f" ({outcome.reason})" if outcome.reason and not carried.held else ""
    views = drive.world.step_views
    speed_mph, lane = float(views["speed_mps"][0]) / MPH, int(views["lane"][0])
    facts = [f"{speed_mph:.1f} mph", lane_name(lane, drive.world.config.road.lanes)]
    if outcome.speed_error_mps is not None:
        facts.append(f"{outcome.speed_error_mps / MPH:+.1f} mph from what was asked")
    if carried.smallest_gap_s is not None:
        facts.append(f"never nearer than {carried.smallest_gap_s:.1f} s")
    decisions = max(round(outcome.duration_s / DECISION_S), 1)
    rules = ", ".join(f"{rule} {count}" for rule, count in carried.interventions.items()) or "nothing"
    ending = "Held for" if carried.held else f"{outcome.ending.value.replace('_', ' ').capitalize()} after"
    return (
        f"{ending} {outcome.duration_s:.1f} s{why}: {', '.join(facts)}.\n"
        f"The supervisor changed {rules} in {decisions} decisions."
    )


Watch = Callable[[Iterable[Moment]], list[Moment]]


def _watcher(pace: float) -> Watch:
    """Collects the moments of a drive; on a terminal it shows them in one line, so many times faster than life."""
    if not sys.stderr.isatty():
        return list

    def watch(moments: Iterable[Moment]) -> list[Moment]:
        seen = []
        try:
            for moment in moments:
                seen.append(moment)
                sys.stderr.write(f"\r\x1b[2K{live_line(moment)}")
                sys.stderr.flush()
                if pace > 0.0 and math.isfinite(pace):
                    time.sleep(DECISION_S / pace)
        finally:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
        return seen

    return watch


def live_line(moment: Moment) -> str:
    """The car in one line."""
    gap = "free road" if moment.gap_s is None else f"gap {moment.gap_s:.1f} s"
    guard = f"supervisor: {', '.join(moment.rules)}" if moment.rules else ""
    speeds = f"{moment.speed_mph:5.1f} of {moment.target_mph:.0f} mph"
    return f"{moment.time_s:6.1f} s  {moment.mode}  {lane_name(moment.lane)}  {speeds}  {gap}  {guard}"[:100]


def _plain_outcome(outcome: Outcome) -> dict[str, Any]:
    error = outcome.speed_error_mps
    return {
        "ending": outcome.ending.value,
        "reason": outcome.reason,
        "duration_s": round(outcome.duration_s, 3),
        "speed_error_mph": None if error is None else round(error / MPH, 3),
    }


def policy_hash(source: DriverSource) -> str:
    """What tells a driver from itself after more training; empty for a scripted one."""
    path = source.about.get("path")
    return "" if path is None else hashlib.sha256(Path(path).read_bytes()).hexdigest()[:HASH_DIGITS]


def records_of(carried: Sequence[Carried], scene: Scene, source: DriverSource) -> list[MissionRecord]:
    """What the log keeps of a drive: its missions, each with all that makes the drive again up to it."""
    place = {**scene.plain(), "physics": physics_fingerprint(), "policy": policy_hash(source)}
    texts = [each.text for each in carried]
    return [
        record_of(each.outcome, source.name, each.interventions, _scene(place, texts[:number]))
        for number, each in enumerate(carried, 1)
        if each.outcome is not None
    ]


def _scene(place: dict[str, Any], orders: list[str]) -> DrivenScene | None:
    """None for a drive of more orders than the log keeps."""
    return DrivenScene(**place, orders=orders) if len(orders) <= MOST_ORDERS else None


def _log(records: Sequence[MissionRecord], root: Path) -> None:
    """Keep the missions; a drive is not spoilt by a log that cannot be written."""
    if not records:
        return
    try:
        database = Database(root / DATABASE_FILE)
        for record in records:
            MissionLog(database).add(record)
        database.close()
    except StoreError as problem:
        say(f"the missions are not logged: {problem}")
