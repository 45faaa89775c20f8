"""The policies a server offers: names chosen when it starts, so that no request ever names a file."""

import re
from collections.abc import Sequence
from pathlib import Path

from hotlap.errors import ConfigError
from hotlap.policies.policy import Policy


def load_drivers(words: Sequence[str]) -> dict[str, Policy]:
    """The policies of words like `champion=runs/7/policy.onnx`, loaded."""
    drivers: dict[str, Policy] = {}
    for word in words:
        name, _, file = word.partition("=")
        if not re.fullmatch(r"[A-Za-z0-9._-]{1,64}", name) or not file:
            raise ConfigError(f"--policy must be NAME=FILE, such as champion=policy.onnx, not {word!r}.")
        if name in drivers:
            raise ConfigError(f'--policy names "{name}" twice; give each policy a name of its own.')
        drivers[name] = _load(Path(file))
    return drivers


def _load(file: Path) -> Policy:
    from hotlap.policies.onnx_policy import OnnxPolicy  # noqa: PLC0415 - onnxruntime is needed only for policies

    return OnnxPolicy(file)
