"""Settings as frozen dataclasses, filled from mappings and TOML files; wrong keys and values refused by name."""

import dataclasses
import math
import tomllib
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from hotlap.errors import ConfigError, did_you_mean

Settings = TypeVar("Settings")


def merged(default: Settings, given: Any, where: str) -> Settings:
    """The default with the given values in it; what is not said keeps its default."""
    if not isinstance(given, Mapping):
        raise ConfigError(f"{where} must be a mapping of names to values, not {type(given).__name__}.")
    hints = typing.get_type_hints(type(default))
    changes = {}
    for key, value in given.items():
        if key not in hints:
            hint = did_you_mean(str(key), hints)
            raise ConfigError(f'{where} has no key "{key}".{hint} Known: {", ".join(sorted(hints))}.')
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
        raise ConfigError(f"{name} does not fit: {error}. It is {value!r}.") from error
    if isinstance(fitted, tuple) and any(isinstance(item, float) and not math.isfinite(item) for item in fitted):
        raise ConfigError(f"{name} must be finite, not {value!r}.")
    return fitted


def _choice(known: tuple[Any, ...], value: Any, name: str) -> Any:
    if value not in known:
        hint = did_you_mean(str(value), known)
        raise ConfigError(f"{name} cannot be {value!r}.{hint} Known: {', '.join(map(str, known))}.")
    return value


def _number(wanted: Any, value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigError(f"{name} must be a number, not {value!r}.")
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
    """A TOML file as a dictionary."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read as TOML: {error}.") from error
