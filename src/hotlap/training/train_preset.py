"""`hotlap.train`: a preset by name, changed by keywords, trained to the end."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback

from hotlap.progress import say
from hotlap.settings import is_whole, merged
from hotlap.training.config import DEFAULT_PRESET, with_steps
from hotlap.training.gpu_presets import load_preset_for
from hotlap.training.train import TrainingResult
from hotlap.training.train import train as train_config


def train(
    preset: str = DEFAULT_PRESET,
    *,
    name: str = "",
    root: str | Path = "runs",
    callbacks: Sequence[BaseCallback] = (),
    **settings: Any,
) -> TrainingResult:
    """Train a driver from Python, as `hotlap train` does from the command line.

    ```text
    result = hotlap.train("racer-ppo", steps=800_000, racer={"tracks": ["track-03"]})
    policy = hotlap.load_policy(result.run)
    ```

    Args:
        preset: A preset such as "racer-ppo" or "highway-ppo", or the path of a .toml file of your own.
        name: Name of the run's folder; by default the preset's name and a number.
        root: Folder that holds the runs.
        callbacks: Callbacks of stable-baselines3 that watch the training.
        **settings: Settings to change. They have the names of the options of `hotlap train`; groups are dictionaries,
            such as `ppo={"learning_rate": 1e-3}`.

    Returns:
        How the training ended. Its `run` is the folder with `policy.onnx`, the checkpoints and the learning curve.

    Raises:
        ConfigError: A setting is unknown or cannot work. The message names it.
    """
    chosen = load_preset_for(preset, str(settings.get("device", "auto")), str(settings.get("learner", "hotlap")))
    if is_whole(settings.get("steps")):
        chosen = with_steps(chosen, settings["steps"])
    config = merged(chosen, settings, "train")
    return train_config(config, name or f"{Path(preset).stem}-*", Path(root), say, callbacks)
