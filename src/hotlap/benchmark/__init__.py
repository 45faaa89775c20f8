"""The measurements, each a function and a command."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hotlap.benchmark.bridge import run_benchmark

__all__ = ["run_benchmark"]

# Loaded on first use, so that one measurement does not bring what only another needs.
_HOMES = {"run_benchmark": "hotlap.benchmark.bridge"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
