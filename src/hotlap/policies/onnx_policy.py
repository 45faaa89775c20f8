"""A trained driver from its one file: no torch, no statistics on the side.

A small network, which is what Hotlap's trainings export, is computed as pages compute it, to the bit; any other graph
is run by ONNX Runtime.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hotlap.checkpoints.names import POLICY_FILE
from hotlap.errors import PolicyError
from hotlap.policies.network_driver import NetworkDriver
from hotlap.policies.onnx_checks import checked_model, read_model_file
from hotlap.policies.policy import Array
from hotlap.policies.runtime import onnxruntime
from hotlap.policies.small_network import INPUT, OUTPUT
from hotlap.worlds import World

ONLY_ERRORS = 3
NUMBERS_AT_ONCE = 1 << 24
"""How many numbers one call of the runtime may make; more cars than that allows are driven in parts."""
NO_FOLDING = ["ConstantFolding"]
"""Work is done when a car is driven, where it was counted, and not while a file is loaded."""


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
        checked = checked_model(where, content, world)
        self.metadata: dict[str, Any] = checked.metadata
        self.layout: str = self.metadata["layout"]
        self.network = checked.network
        """The same driver as plain arrays, where its graph is one of those that Hotlap's trainings export."""
        self._cars_at_once = max(1, NUMBERS_AT_ONCE // max(1, checked.numbers_per_car))
        self._run: Callable[[Array], Array] = (
            NetworkDriver(self.network).act if self.network else _in_runtime(_session(where, content))
        )

    def reset(self, cars: Array) -> None:
        """Nothing is remembered."""

    def act(self, observation: Array, world: World | None = None) -> Array:  # noqa: ARG002 - it sees observations only
        """Actions (n, 3) for observations (n, size)."""
        raw, most = np.asarray(observation, np.float32), self._cars_at_once
        parts = [self._run(raw[first : first + most]) for first in range(0, max(1, len(raw)), most)]
        actions = parts[0] if len(parts) == 1 else np.concatenate(parts)
        self.check_actions(actions)
        return actions

    def check_actions(self, actions: Array) -> None:
        """Refuse what no car can do."""
        if not np.isfinite(actions).all():
            raise PolicyError(f'the policy "{self.name}" answers with NaN or infinity. Train it again.')


def _name(source: Path | str | bytes) -> str:
    """A run's policy is called like its run, any other file like itself."""
    if isinstance(source, bytes):
        return "policy"
    path = Path(source)
    return path.resolve().parent.name if path.name == POLICY_FILE else path.stem


def _in_runtime(session: Any) -> Callable[[Array], Array]:
    """Acts as a session of the runtime says."""

    def act(observation: Array) -> Array:
        actions: Array = session.run([OUTPUT], {INPUT: observation})[0]
        return actions

    return act


def _session(where: str, content: bytes) -> Any:
    """The model made ready on one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = ONLY_ERRORS
    try:
        return onnxruntime.InferenceSession(content, options, ["CPUExecutionProvider"], disabled_optimizers=NO_FOLDING)
    except Exception as problem:
        raise PolicyError(f"{where}: cannot be made ready to run ({problem}). Export it again.") from problem
