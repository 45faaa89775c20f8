"""Hotlap: teach a car to drive in a minute, then try to beat it in your browser."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gymnasium.envs.registration import register

from hotlap.worlds import WORLDS

if TYPE_CHECKING:
    from hotlap.devices.torch_env import make_torch_env
    from hotlap.evaluation.any_driver import evaluate
    from hotlap.evaluation.sources import load_policy
    from hotlap.highway.env import HighwayEnv
    from hotlap.race.env import RaceEnv
    from hotlap.racer.env import RacerEnv
    from hotlap.training.train_preset import train
    from hotlap.vector.parallel_env import parallel_env
    from hotlap.vector.sb3 import make_vec_env

__version__ = "0.1.0"
__all__ = [
    "HighwayEnv",
    "RaceEnv",
    "RacerEnv",
    "__version__",
    "evaluate",
    "load_policy",
    "make_torch_env",
    "make_vec_env",
    "parallel_env",
    "train",
]

# Loaded on first use, so that `import hotlap` and the command line stay quick.
_HOMES = {
    "HighwayEnv": "hotlap.highway.env",
    "RaceEnv": "hotlap.race.env",
    "RacerEnv": "hotlap.racer.env",
    "evaluate": "hotlap.evaluation.any_driver",
    "load_policy": "hotlap.evaluation.sources",
    "make_torch_env": "hotlap.devices.torch_env",
    "make_vec_env": "hotlap.vector.sb3",
    "parallel_env": "hotlap.vector.parallel_env",
    "train": "hotlap.training.train_preset",
}

# The environments know their own limits and say themselves when they are called at the wrong moment: no wrappers.
for _world in WORLDS.values():
    for _id, _rules in _world.env_ids.items():
        register(
            _id,
            entry_point=_world.env,
            vector_entry_point=_world.vector_env,
            order_enforce=False,
            disable_env_checker=True,
            kwargs=dict(_rules),
        )


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
