"""Hotlap: teach a car to drive in a minute, then try to beat it in your browser."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gymnasium.envs.registration import register

if TYPE_CHECKING:
    from hotlap.highway.env import HighwayEnv
    from hotlap.racer.env import RacerEnv
    from hotlap.vector.sb3 import make_vec_env

__version__ = "0.1.0"
__all__ = ["HighwayEnv", "RacerEnv", "__version__", "make_vec_env"]

# Loaded on first use, so that `import hotlap` and the command line stay quick.
_HOMES = {
    "HighwayEnv": "hotlap.highway.env",
    "RacerEnv": "hotlap.racer.env",
    "make_vec_env": "hotlap.vector.sb3",
}

# The environments know their own limits and say themselves when they are called at the wrong moment: no wrappers.
register(
    "hotlap/Racer-v0",
    entry_point="hotlap.racer.env:RacerEnv",
    vector_entry_point="hotlap.vector.racer_env:RacerVectorEnv",
    order_enforce=False,
    disable_env_checker=True,
)
for _id, _rules in (("hotlap/Highway-v0", {}), ("hotlap/HighwayDiscrete-v0", {"discrete": True})):
    register(
        _id,
        entry_point="hotlap.highway.env:HighwayEnv",
        vector_entry_point="hotlap.vector.highway_env:HighwayVectorEnv",
        order_enforce=False,
        disable_env_checker=True,
        kwargs=_rules,
    )


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
