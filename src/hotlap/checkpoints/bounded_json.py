"""JSON objects within bounds: what goes in comes out the same, and nothing that is read can be a bomb."""

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

from hotlap.errors import CheckpointError
from hotlap.settings import depth_of_brackets

DEEPEST = 64


def encode_object(document: Mapping[str, Any], name: str) -> bytes:
    """The object as UTF-8 JSON; a value that JSON cannot hold is a CheckpointError that names its place."""
    if not isinstance(document, Mapping):
        raise CheckpointError(f"{name} is a {type(document).__name__}, and a document is a JSON object.")
    plain = _plain(document, name, DEEPEST)
    try:
        data = json.dumps(plain, indent=1, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n"
    except ValueError as problem:  # half a surrogate pair, or an integer of thousands of digits
        raise CheckpointError(f"{name} holds what JSON cannot ({problem}).") from problem
    check_depth(data, name)
    return data


def parse_object(data: bytes, name: str) -> dict[str, Any]:
    """The JSON object in these bytes; anything else is a CheckpointError."""
    check_depth(data, name)
    try:
        document = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_without_duplicates,
            parse_constant=_refuse_constant,
            parse_float=_finite,
        )
    except (ValueError, RecursionError) as problem:
        raise CheckpointError(f"{name} is not JSON ({problem}).") from problem
    if not isinstance(document, dict):
        raise CheckpointError(f"{name} holds a {type(document).__name__}, and a document is a JSON object.")
    return document


def check_depth(data: bytes, name: str) -> None:
    """Refuse brackets within brackets beyond the limit before any parser descends into them."""
    if depth_of_brackets(data) > DEEPEST:
        raise CheckpointError(f"{name} is nested deeper than {DEEPEST} levels, which no document here is.")


def _plain(value: Any, where: str, levels: int) -> Any:
    """The value built from nothing but JSON's own types."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if levels == 0:
        raise CheckpointError(f"{where:.80} is nested deeper than {DEEPEST} levels. Flatten it.")
    if isinstance(value, list | tuple):
        return [_plain(item, f"{where}[{index}]", levels - 1) for index, item in enumerate(value)]
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _plain(item, f"{where}.{key}", levels - 1) for key, item in value.items()}
    raise CheckpointError(
        f"{where:.80} is {value!r:.80}, which JSON cannot hold: "
        "use text, numbers (null for NaN and infinity), true, false, null, lists, and objects whose keys are text."
    )


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ValueError("a key comes twice")
    return document


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits:.20} is too large a number")
    return number
