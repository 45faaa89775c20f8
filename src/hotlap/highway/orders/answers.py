"""Orders as pages send them and answers as pages get them, in plain values; a server and a page alone use the same."""

import json
from collections.abc import Mapping
from typing import Any

from hotlap.errors import MissionError
from hotlap.highway.missions import Mission
from hotlap.highway.orders.interpreting import interpret
from hotlap.highway.orders.results import Understood, as_record, as_sentence
from hotlap.highway.orders.situation import Situation, Traffic
from hotlap.highway.physics import MPH


def answer(sent: Mapping[str, Any]) -> dict[str, Any]:
    """The record of `hotlap drive --explain`, and a sentence to show and to say; MissionError says what cannot be."""
    result = interpret(sent["text"], _situation(sent), source=sent["source"], time_s=sent["time_s"])
    cancels = isinstance(result, Understood) and result.cancels
    return {**as_record(result), "cancels": cancels, "sentence": as_sentence(result, sent["units"])}


def answer_json(sent: str) -> str:
    """The same as JSON, for Python inside a page; what cannot be is `{"error": "one sentence"}`."""
    try:
        return json.dumps(answer(json.loads(sent)))
    except MissionError as problem:
        return json.dumps({"error": str(problem)})


def _situation(sent: Mapping[str, Any]) -> Situation:
    mission, traffic = sent["mission"], sent["traffic"]
    return Situation(
        sent["lane"],
        sent["speed_mph"],
        sent["lanes"],
        mission=None if mission is None else _mission(mission),
        traffic=None if traffic is None else Traffic(**traffic),
        units=sent["units"],
    )


def _mission(sent: Mapping[str, Any]) -> Mission:
    """What the car is doing when the order comes, in the words of an answer."""
    speed_mph, others = sent["target_speed_mph"], {name: sent[name] for name in sent if name != "target_speed_mph"}
    return Mission(target_speed_mps=None if speed_mph is None else speed_mph * MPH, **others)
