"""A model of plain stable-baselines3 becomes a run: evaluated, played, resumed and begun from like any other."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hotlap.checkpoints import RunLock, check_run_name, check_writable, save_checkpoint
from hotlap.checkpoints.run_files import PolicyScore, publish_best
from hotlap.errors import ConfigError, PolicyError
from hotlap.training.config import TeacherSettings, TrainConfig, load_preset, preset_names
from hotlap.training.sb3_files import ForeignModel, read_foreign_model
from hotlap.training.session import TrainingSession, open_session
from hotlap.training.state import TEMPERATURE, UNFIT
from hotlap.training.train import new_folder, refuse_existing, write_run
from hotlap.training.world_training import training_of
from hotlap.worlds import registered

MOST_CONTROLS = 3


@dataclass(frozen=True)
class ModelFiles:
    """What stable-baselines3 saved."""

    model: Path
    vecnormalize: Path | None
    trust: bool
    """Whether the code in the files may run."""


@dataclass(frozen=True)
class ImportedRun:
    """A run that was made of a model."""

    run: Path
    config: TrainConfig
    score: PolicyScore


def import_model(files: ModelFiles, preset: str, name: str, root: Path) -> ImportedRun:
    """Make a run of a model, with one checkpoint and an evaluated policy file; nothing is made of what does not fit.

    Learning goes on with the settings of the preset: a saved model says little about the task it was trained for.
    """
    _ask_for_trust(files)
    refuse_existing(root / check_run_name(name.replace("*", "1")), name)
    check_writable(root)
    model = read_foreign_model(files.model, files.vecnormalize)
    config = config_for(model, preset)
    session = _session_with(model, config)
    policy = session.export_policy()
    score = training_of(config).evaluator(config).evaluate(policy, session.step)
    session.state.evaluated_step = session.step
    run = new_folder(root, name)
    with RunLock(run):
        write_run(run, config, training_of(config).physics_fingerprint(config))
        save_checkpoint(run, session.checkpoint(policy))
        publish_best(run, score, policy)
    return ImportedRun(run, config, score)


def _ask_for_trust(files: ModelFiles) -> None:
    if not files.trust:
        named = " and ".join(str(path) for path in (files.model, files.vecnormalize) if path is not None)
        raise PolicyError(
            f"{named}: loading files of stable-baselines3 runs code that is in them. "
            "Add --trust if you made them, or trust who did."
        )


def config_for(model: ForeignModel, preset: str) -> TrainConfig:
    """The settings of a preset with the network of the model: the preset that was named, or the first that fits."""
    candidates = [load_preset(name) for name in ([preset] if preset else preset_names())]
    seen = int(np.prod(model.observation_space.shape))
    for config in candidates:
        if config.algorithm == model.algorithm and _observations(config) == seen:
            return _with_network(config, model)
    what = f"preset {preset}" if preset else "preset here"
    raise ConfigError(
        f"{model.where}: is {model.algorithm} with {seen} observations, which fits no {what}. "
        "Name one that does with --preset, which may be a .toml file of your own."
    )


def _observations(config: TrainConfig) -> int:
    layouts = registered(config.world).part("observation").layouts
    return int(layouts[training_of(config).metadata(config)["layout"]])


def _with_network(config: TrainConfig, model: ForeignModel) -> TrainConfig:
    zeros = (0.0,) * model.controls
    network = dataclasses.replace(
        config.network,
        hidden=model.hidden,
        activation=model.activation,
        log_std_init=zeros,
        log_std_end=(),
        initial_action=zeros,
    )
    # A plain model of the highway has throttle and brake apart.
    pedals = "two" if model.controls == MOST_CONTROLS else config.highway.pedals
    return dataclasses.replace(
        config,
        network=network,
        highway=dataclasses.replace(config.highway, pedals=pedals),
        teacher=TeacherSettings(),
        normalize=bool(model.statistics),
        steps=max(model.steps, 1),
    )


def _session_with(model: ForeignModel, config: TrainConfig) -> TrainingSession:
    """A session with the weights and statistics of the model, and cars that stand at their first starts."""
    session = open_session(config)
    ours: Any = session.model
    _check_spaces(model, ours)
    ours._setup_learn(config.steps, None, reset_num_timesteps=False)
    ours.num_timesteps = model.steps
    try:
        session.state.begin_with(model.weights, model.statistics)
    except UNFIT as problem:
        raise PolicyError(f"{model.where}: its weights fit no network here ({problem!r:.200}).") from problem
    if session.normalizer is not None:
        ours._last_obs = session.normalizer.normalize_obs(session.normalizer.get_original_obs())
    return session


def _check_spaces(model: ForeignModel, ours: Any) -> None:
    """Actions within the same bounds, and weights of the same names."""
    if model.action_space != ours.action_space:
        raise PolicyError(
            f"{model.where}: its actions are {model.action_space}, and those of this world {ours.action_space}."
        )
    names, known = set(model.weights) - {TEMPERATURE}, set(ours.policy.state_dict())
    if names != known:
        apart = ", ".join(sorted(names ^ known)[:3])
        raise PolicyError(
            f"{model.where}: its policy and value networks must have the same plain layers; these differ: {apart}."
        )
