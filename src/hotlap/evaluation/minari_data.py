"""Recorded drives as a Minari data set: a folder that Minari, and what learns from its data sets, opens."""

import re
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

from hotlap import __version__
from hotlap.errors import ReportError
from hotlap.evaluation.steps import EpisodeSteps, Recording
from hotlap.progress import tracked
from hotlap.whole_files import whole_folder

DATA = "data"
METADATA_FILE = "metadata.json"


def check_data_set(folder: Path, *, force: bool) -> None:
    """Refuse, before anything is driven, a folder that cannot become a data set."""
    import h5py  # noqa: F401, PLC0415 - without it Minari writes nothing; the command line names the extra
    import minari  # noqa: F401, PLC0415

    if not re.fullmatch(r"[-\w]+-v\d+", folder.name):
        raise ReportError(
            f'{folder}: Minari wants a name with a version. Call the folder "{folder.name or "laps"}-v0".'
        )
    if folder.exists() and not (force and (folder / DATA / METADATA_FILE).is_file()):
        remedy = "Name another folder" if force else "Use --force to replace it, or name another folder"
        kind = "is no data set of Minari" if force else "exists already"
        raise ReportError(f"{folder}: {kind}. {remedy}.")


def write_data_set(folder: Path, recording: Recording, *, force: bool = False) -> str:
    """Drive and write; the folder appears whole or not at all. What was written, in words."""
    check_data_set(folder, force=force)
    with whole_folder(folder, force=force, error=ReportError) as unfinished:
        episodes, steps = _write(unfinished / DATA, folder.name, recording)
    return f"{episodes:,} episodes of {steps:,} steps written to {folder}"


def _write(data: Path, name: str, recording: Recording) -> tuple[int, int]:
    """Fill the folder of the data; how many episodes and steps there are."""
    from minari.dataset.minari_storage import MinariStorage  # noqa: PLC0415 - an extra

    env = gym.make(recording.env_id, disable_env_checker=True, **recording.env_options)
    first = next(recording.episodes, None)
    if first is None:
        raise ReportError(f"{name}: there is nothing to write of {recording.driver}.")
    space = _action_space(env.action_space, first.actions.dtype)
    storage: Any = MinariStorage.new(data, env.observation_space, space, env.spec)
    storage.update_metadata(_about(name, recording))
    episodes = tracked(chain((first,), recording.episodes), None, "episodes", f"writing {name}")
    storage.update_episodes(_buffer(episode) for episode in episodes)
    return int(storage.total_episodes), int(storage.total_steps)


def _about(name: str, recording: Recording) -> dict[str, Any]:
    return {
        "dataset_id": name,
        "minari_version": version("minari"),
        "algorithm_name": recording.driver,
        "description": f"{recording.driver} in {recording.env_id}, recorded by Hotlap {__version__}.",
        "requirements": [f"hotlap=={__version__}"],
    }


def _action_space(space: Any, dtype: Any) -> gym.Space[Any]:
    """The bounds of the environment, in the precision that was driven with."""
    return gym.spaces.Box(space.low.astype(dtype), space.high.astype(dtype), dtype=dtype)


def _buffer(episode: EpisodeSteps) -> Any:
    from minari.data_collector.episode_buffer import EpisodeBuffer  # noqa: PLC0415 - an extra

    columns = {name: getattr(episode, name) for name in ("rewards", "terminations", "truncations")}
    return EpisodeBuffer(
        seed=episode.seed,
        options=dict(episode.options),
        observations=np.ascontiguousarray(episode.observations),
        actions=np.ascontiguousarray(episode.actions),
        infos=dict(episode.infos),
        **columns,
    )
