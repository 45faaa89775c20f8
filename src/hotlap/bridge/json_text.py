"""JSON as the original server reads it: exact numbers, forgiving text, and values spelled as JavaScript spells them."""

import json
from typing import Any, NoReturn

import msgspec

from hotlap.actions import Action
from hotlap.errors import BridgeError

Undefined = type("Undefined", (), {})
UNDEFINED = Undefined()
DIGITS_BEYOND_ANY_DOUBLE = 400
LONGEST_MESSAGE = 500
TOO_DEEP = "JSON is nested too deeply"


class StepRequest(msgspec.Struct, tag_field="type", tag="step"):
    """A step as it should be; any other message is read by `decode`."""

    action: Action


class StepResult(msgspec.Struct, tag_field="type", tag="step_result"):
    """The reply to a step: a struct is written and read faster than a dictionary."""

    observation: list[float]
    reward: float
    terminated: bool
    truncated: bool
    info: Any


encode = msgspec.json.Encoder().encode
_decode_exactly = msgspec.json.Decoder().decode
_decode_step = msgspec.json.Decoder(StepRequest).decode
_decode_step_result = msgspec.json.Decoder(StepResult).decode


def decode(payload: bytes) -> Any:
    """The value of a JSON text; a BridgeError with the parser's message where it is none."""
    try:
        return _decode_exactly(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _decode_forgivingly(payload)


def read_step(payload: bytes) -> Action | None:
    """The action of a well-formed step, read and checked in one go; None for every other message."""
    try:
        return _decode_step(payload).action
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def read_step_result(payload: bytes) -> StepResult | None:
    """A well-formed reply to a step, read and checked in one go; None for every other message."""
    try:
        return _decode_step_result(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _decode_forgivingly(payload: bytes) -> Any:
    """Broken UTF-8 becomes the replacement character and too large numbers become infinite, as in JavaScript."""
    text = payload.decode("utf-8", "replace")
    try:
        return json.loads(text, parse_constant=_refuse_constant, parse_int=_whole_number)
    except json.JSONDecodeError as error:
        raise BridgeError(str(error)) from None
    except RecursionError:
        raise BridgeError(TOO_DEEP) from None


def _refuse_constant(name: str) -> NoReturn:
    raise BridgeError(f"{name} is not valid JSON")


def _whole_number(digits: str) -> float:
    return int(digits) if len(digits) < DIGITS_BEYOND_ANY_DOUBLE else float(digits)


def spelled(value: Any) -> str:
    """A JSON value as a JavaScript template string spells it: `null`, `true`, `1.5`, `[object Object]`."""
    if isinstance(value, str):
        return value
    if value is UNDEFINED:
        return "undefined"
    if isinstance(value, dict):
        return "[object Object]"
    if isinstance(value, list):
        return ",".join("" if item is None else spelled(item) for item in value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return json.dumps(value)


def printable(text: str) -> str:
    """A message that fits on a screen and into UTF-8."""
    short = text if len(text) <= LONGEST_MESSAGE else text[:LONGEST_MESSAGE] + "…"
    return short.encode("utf-8", "replace").decode("utf-8")
