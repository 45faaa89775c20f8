"""A trained driver from its one file, run by ONNX Runtime: no torch, no statistics on the side."""

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from hotlap.errors import PolicyError
from hotlap.policies.onnx_checks import INPUT, OUTPUT, checked_metadata, read_model_file
from hotlap.policies.policy import Array
from hotlap.worlds import World

ONLY_ERRORS = 3


class OnnxPolicy:
    """Drives with a `policy.onnx`: raw observations in, final actions out.

    A file that was made for another world, layout or physics, that keeps weights elsewhere, or that could do anything
    but compute layers is refused with a PolicyError before it is run.
    """

    def __init__(self, source: Path | str | bytes, world: str | None = "racer") -> None:
        """From a file, or from the bytes of one, for a world; None takes the world that the file names."""
        self.name = _name(source)
        content = source if isinstance(source, bytes) else read_model_file(Path(source))
        where = "this policy" if isinstance(source, bytes) else str(source)
        self.metadata: dict[str, Any] = checked_metadata(where, content, world)
        self.layout: str = self.metadata["layout"]
        self._session = _session(where, content)

    def reset(self, cars: Array) -> None:
        """Nothing is remembered."""

    def act(self, observation: Array, world: World | None = None) -> Array:  # noqa: ARG002 - it sees observations only
        """Actions (n, 3) for observations (n, size)."""
        actions: Array = self._session.run([OUTPUT], {INPUT: np.asarray(observation, np.float32)})[0]
        return actions


def _name(source: Path | str | bytes) -> str:
    """A run's policy is called like its run, any other file like itself."""
    if isinstance(source, bytes):
        return "policy"
    path = Path(source)
    return path.resolve().parent.name if path.name == "policy.onnx" else path.stem


def _session(where: str, content: bytes) -> Any:
    """The model made ready on one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = ONLY_ERRORS
    try:
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as problem:
        raise PolicyError(f"{where}: cannot be made ready to run ({problem}). Export it again.") from problem
