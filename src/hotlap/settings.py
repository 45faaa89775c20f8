"""Settings as frozen dataclasses, filled from mappings and TOML files; wrong keys and values refused by name."""

import dataclasses
import json
import math
import re
import tomllib
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from hotlap.errors import ConfigError, did_you_mean

Settings = TypeVar("Settings")
MOST_BYTES = 1 << 16
DEEPEST = 32
TOO_DEEP = f"is nested deeper than {DEEPEST} levels. Settings are at most a few levels deep."
MOST_BITS = 64
MOST_PARTS = 16
NOT_IN_A_KEY = re.compile(r"""[^\w."'-]+""")


def merged(default: Settings, given: Any, where: str) -> Settings:
    """The default with the given values in it; what is not said keeps its default."""
    if not isinstance(given, Mapping):
        raise ConfigError(f"{where} must be a mapping of names to values, not {type(given).__name__}.")
    hints = typing.get_type_hints(type(default))
    changes = {}
    for key, value in given.items():
        if key not in hints:
            hint = did_you_mean(str(key)[:80], hints)
            raise ConfigError(f'{where} has no key "{key!s:.80}".{hint} Known: {", ".join(sorted(hints))}.')
        current = getattr(default, key)
        name = f"{where}.{key}"
        changes[key] = (
            merged(current, value, name) if dataclasses.is_dataclass(current) else _checked(hints[key], value, name)
        )
    return dataclasses.replace(default, **changes)  # type: ignore[type-var]


def _checked(wanted: Any, value: Any, name: str) -> Any:
    """The value as the field's type, or an error that names the field."""
    if wanted in (int, float):
        return _number(wanted, value, name)
    if typing.get_origin(wanted) is typing.Literal:
        return _choice(typing.get_args(wanted), value, name)
    try:
        fitted = msgspec.convert(value, wanted)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{name} does not fit: {error}. It is {value!r:.200}.") from error
    if isinstance(fitted, tuple) and any(isinstance(item, float) and not math.isfinite(item) for item in fitted):
        raise ConfigError(f"{name} must be finite, not {value!r}.")
    return fitted


def _choice(known: tuple[Any, ...], value: Any, name: str) -> Any:
    if value not in known:
        hint = did_you_mean(str(value)[:80], known)
        raise ConfigError(f"{name} cannot be {value!r:.80}.{hint} Known: {', '.join(map(str, known))}.")
    return value


def is_whole(number: Any) -> bool:
    """Whether a value is an integer, of Python or numpy; True and False are none."""
    return isinstance(number, int | np.integer) and not isinstance(number, bool)


def _number(wanted: Any, value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigError(f"{name} must be a number, not {value!r:.80}.")
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{name} must be finite, not {value!r}.")
    if wanted is int:
        if value != int(value):
            raise ConfigError(f"{name} must be a whole number, not {value!r}.")
        return int(value)
    try:
        return float(value)
    except OverflowError as error:
        raise ConfigError(f"{name} must be finite, not {value!r}.") from error


def check_ranges(settings: Any, where: str, **ranges: tuple[float, float]) -> None:
    """Refuse numbers outside of what can work: by field, the lowest and the highest value."""
    for name, (low, high) in ranges.items():
        value = getattr(settings, name)
        if not low <= value <= high:
            span = f"at least {low:g}" if high == math.inf else f"from {low:g} to {high:g}"
            raise ConfigError(f"{where}{name} must be {span}, not {value!r}.")


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file of a user as a dictionary, once it is certain that reading it costs little."""
    text = _read_text(path, "TOML", MOST_BYTES)
    if any(word.count(".") > MOST_PARTS for word in _words(text)):
        raise ConfigError(f"{path}: has a key of more than {MOST_PARTS} parts. Settings are at most a few levels deep.")
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: cannot be read as TOML: {error!s:.200}.") from error
    check_plain(table, str(path))
    return table


def _words(text: str) -> list[str]:
    """What may be keys with dots in them, spaces around the dots taken out; comments are none."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    return NOT_IN_A_KEY.split("\n".join(lines).replace(" ", "").replace("\t", ""))


def read_json(path: Path, most_bytes: int = MOST_BYTES) -> Any:
    """A JSON file of a user, once it is certain that it holds nothing but plain values."""
    try:
        document = json.loads(_read_text(path, "JSON", most_bytes))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: cannot be read as JSON: {error!s:.200}.") from error
    check_plain(document, str(path))
    return document


def _read_text(path: Path, kind: str, most_bytes: int) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(most_bytes + 1)
        if len(content) > most_bytes:
            raise ConfigError(f"{path}: larger than {most_bytes:,} bytes, which no such file needs.")
        if depth_of_brackets(content) > DEEPEST:
            raise ConfigError(f"{path}: {TOO_DEEP}")
        return content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read as {kind}: {error}.") from error


def depth_of_brackets(text: bytes) -> int:
    """How deep a parser would descend into TOML or JSON, at the most: brackets inside strings count too."""
    letters = np.frombuffer(text, dtype=np.uint8)
    opening = (letters == ord("[")) | (letters == ord("{"))
    closing = (letters == ord("]")) | (letters == ord("}"))
    level = np.cumsum(opening.astype(np.int32) - closing)
    # Strings may hold closing brackets without opening ones: what counts is the climb from the lowest level so far.
    climb = level - np.minimum(np.minimum.accumulate(level), 0)
    return int(climb.max(initial=0))


def check_plain(value: Any, where: str) -> None:
    """Refuse what is nested deeply and numbers of thousands of digits, before anything is done with them."""
    level = [value]
    for _ in range(DEEPEST):
        if any(type(item) is int and item.bit_length() > MOST_BITS for item in level):
            raise ConfigError(f"{where}: holds a whole number of more than {MOST_BITS} bits. Use a smaller one.")
        nested = [item for item in level if isinstance(item, dict | list)]
        level = [part for item in nested for part in (item.values() if isinstance(item, dict) else item)]
        if not level:
            return
    raise ConfigError(f"{where}: {TOO_DEEP}")
