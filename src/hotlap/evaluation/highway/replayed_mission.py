"""What `hotlap missions --replay` does: a logged mission driven again, by the same driver or by another."""

import json
import sys
from pathlib import Path

import msgspec

from hotlap.errors import MissionError
from hotlap.evaluation.highway.drive_orders import (
    carry_out_orders,
    find_highway_driver,
    policy_hash,
    records_of,
)
from hotlap.evaluation.highway.logged_missions import logged_missions
from hotlap.evaluation.sources import DriverSource
from hotlap.exit_codes import BELOW_WHAT_WAS_ASKED, DONE
from hotlap.highway.fingerprint import physics_fingerprint
from hotlap.highway.scene import Scene
from hotlap.progress import say
from hotlap.store.database import DATABASE_FILE
from hotlap.store.missions import LoggedMission, MissionRecord, checked_record


def replay_mission(number: int, policy: str | None, root: Path, *, as_json: bool) -> int:
    """Drive a mission of the log again; 1 when it comes out otherwise, or when another driver does not do it."""
    logged = find_mission(number, root / DATABASE_FILE)
    source = find_highway_driver(policy or logged.record.driver, root)
    changed = what_changed(logged.record, source)
    for each in changed:
        say(f"{each}: it may come out otherwise")
    scene, orders = scene_of(logged)
    carried = carry_out_orders(orders, scene, source, pace=0.0, as_json=as_json)
    last, records = carried[-1], records_of(carried, scene, source)
    same = None if changed else last.outcome is not None and is_same(records[-1], logged.record)
    if as_json:
        document = {"mission": logged.as_json(), "driver": source.name, "replayed": last.plain(), "same": same}
        sys.stdout.write(json.dumps(document, indent=2) + "\n")
    elif same is not None:
        sys.stdout.write("The same as logged, bit for bit.\n" if same else "It came out otherwise than logged.\n")
    as_asked = last.succeeded if same is None else same
    return DONE if as_asked else BELOW_WHAT_WAS_ASKED


def find_mission(number: int, database: Path) -> LoggedMission:
    """A mission by its number in the log."""
    found = [mission for mission in logged_missions(database) if mission.id == number]
    if not found:
        raise MissionError(f'no mission {number} is in the log. "hotlap missions" lists them with their numbers.')
    return found[0]


def scene_of(logged: LoggedMission) -> tuple[Scene, list[str]]:
    """Where the drive began and what was said in it; pages log the order alone, so that is driven in fresh traffic."""
    record, driven = logged.record, logged.record.drive
    if driven is not None:
        place = {name: getattr(driven, name) for name in Scene().plain()}
        return Scene(**place | {"lane": driven.lane + 1}), driven.orders
    if not record.text:
        raise MissionError(f"mission {logged.id} has neither traffic nor words in the log, and cannot be driven again.")
    return Scene(), [record.text]


def what_changed(record: MissionRecord, source: DriverSource) -> list[str]:
    """Why a replay need not come out as logged."""
    driven = record.drive
    if driven is None:
        return ["the log has no traffic of this mission, so its order is driven in fresh traffic"]
    found = []
    if source.name != record.driver:
        found.append(f"{record.driver} drove it, now {source.name} does")
    elif driven.policy != policy_hash(source):
        found.append(f"{source.name} was trained or replaced since")
    if driven.physics != physics_fingerprint():
        found.append("the physics of the highway has changed since")
    return found


def is_same(again: MissionRecord, logged: MissionRecord) -> bool:
    """Whether a replay is the mission of the log in every figure."""
    return checked_record(msgspec.to_builtins(again)) == logged
