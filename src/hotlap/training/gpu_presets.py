"""A preset as it is where it will be learned: with what it says for a GPU, where hotlap's learner will use one."""

import importlib

from hotlap.devices.driver import has_driver
from hotlap.training.config import TrainConfig, load_preset


def load_preset_for(name: str, device: str = "auto", learner: str = "hotlap") -> TrainConfig:
    """A preset for a device as `--device` names it, and a learner."""
    on_gpu = learner == "hotlap" and (device == "cuda" or (device == "auto" and gpu_is_there()))
    return load_preset(name, on_gpu=on_gpu)


def gpu_is_there() -> bool:
    """Whether torch finds an NVIDIA GPU; torch takes a while to load, so only where there is a driver."""
    if not has_driver():
        return False
    return bool(importlib.import_module("torch").cuda.is_available())
