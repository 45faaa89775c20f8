"""One checkpoint: everything a run needs to go on from one step, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True)
class Checkpoint:
    """Everything a run needs to go on: arrays, JSON objects and a few files; no code and no pickles."""

    step: int
    """Training steps done."""
    tensors: Mapping[str, Mapping[str, NDArray[Any]]] = field(default_factory=dict)
    """Group, then name: the arrays. Each group is one `<group>.safetensors`."""
    documents: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By name, objects of what JSON can hold. Each is one `<name>.json`."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """By file name, small files kept byte for byte, such as `policy.onnx`."""
