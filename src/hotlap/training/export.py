"""A run's policy for use elsewhere: the ONNX file as it is, or the two files that plain stable-baselines3 loads."""

import dataclasses
import io
import logging
import pickle
from pathlib import Path
from typing import Any

import torch
from stable_baselines3.common.vec_env import VecNormalize

from hotlap.checkpoints import Checkpoint, list_checkpoints, load_checkpoint, newest_checkpoint, step_of
from hotlap.checkpoints.names import POLICY_FILE
from hotlap.checkpoints.run_files import read_best
from hotlap.errors import CheckpointError, ExportError
from hotlap.training.algorithms import ALGORITHMS
from hotlap.training.config import TrainConfig, config_from_document
from hotlap.training.session import TrainingSession, restore_session
from hotlap.whole_files import refuse_to_overwrite, write_whole_file

LOG = logging.getLogger(__name__)
MODEL_FILE, STATISTICS_FILE = "model.zip", "vecnormalize.pkl"


def export_onnx(run: Path, target: Path, *, newest: bool, force: bool) -> None:
    """The policy file of a run's best checkpoint, or its newest."""
    refuse_to_overwrite(target, force=force, error=ExportError)
    checkpoint = find_checkpoint(run, newest=newest)
    if POLICY_FILE not in checkpoint.files:
        raise ExportError(
            f"{run}: step {checkpoint.step:,} has no policy file. Export another with --newest, or train on."
        )
    write_whole_file(target, checkpoint.files[POLICY_FILE], force=force, error=ExportError)


def export_sb3(run: Path, target: Path, *, newest: bool, force: bool) -> list[Path]:
    """`model.zip` and, of a run that normalises, `vecnormalize.pkl`, written by SB3; which of them there are."""
    wanted = [target / MODEL_FILE, target / STATISTICS_FILE]
    for path in wanted:
        refuse_to_overwrite(path, force=force, error=ExportError)
    checkpoint = find_checkpoint(run, newest=newest)
    if "config" not in checkpoint.documents:
        raise CheckpointError(f"{run}: its checkpoint of step {checkpoint.step:,} has no config.json. Use another.")
    # The same weights in a plain model of SB3, whoever learned them.
    config = dataclasses.replace(config_from_document(checkpoint.documents["config"]), learner="sb3")
    model, normalizer = with_controls_of_the_world(restore_session(config, checkpoint))
    # A plain number instead of our schedule: then nothing of hotlap is needed to load it.
    model.learning_rate = float(model.lr_schedule(1.0))
    contents = _saved(model, normalizer)
    for path, content in zip(wanted, contents, strict=False):
        write_whole_file(path, content, force=force, error=ExportError)
    return wanted[: len(contents)]


def _saved(model: Any, normalizer: VecNormalize | None) -> list[bytes]:
    """What SB3 writes of a model and of its statistics, where it has some."""
    buffer = io.BytesIO()
    model.save(buffer, exclude=["lr_schedule"])
    return [buffer.getvalue()] + ([] if normalizer is None else [pickle.dumps(normalizer)])


def with_controls_of_the_world(session: TrainingSession) -> tuple[Any, VecNormalize | None]:
    """The model and its statistics, with the actions that the world's own environment takes.

    Mixing other controls into those of the world is linear, so a Gaussian policy takes it into its last layer. A policy
    of SAC cannot: its actions are squashed before they are mixed. It drives in an environment with its own controls,
    as `HighwayEnv(pedals="one")` has them.
    """
    mixing, model, known = session.controls.mixing, session.model, session.normalizer
    if mixing is None or session.config.algorithm != "ppo":
        return model, known
    normalizer = None if known is None else VecNormalize(session.env, gamma=known.gamma)
    if normalizer is not None and known is not None:
        normalizer.obs_rms, normalizer.ret_rms = known.obs_rms, known.ret_rms
    plain = ALGORITHMS["ppo"].make(_untaught(session.config, mixing.weights.shape[1]), normalizer or session.env)
    plain.policy.load_state_dict(_mixed(model.policy.state_dict(), torch.tensor(mixing.weights)))
    return plain, normalizer


def _untaught(config: TrainConfig, actions: int) -> TrainConfig:
    """The same settings for another number of actions; what they begin with is written over."""
    zeros = (0.0,) * actions
    network = dataclasses.replace(config.network, log_std_init=zeros, log_std_end=(), initial_action=zeros)
    return dataclasses.replace(config, network=network)


def _mixed(weights: dict[str, torch.Tensor], mixing: torch.Tensor) -> dict[str, torch.Tensor]:
    """Weights with the mixing in the last layer of the actor; independent spreads add up by their squares."""
    mixed = {name: mixing.T @ weights[name] for name in ("action_net.weight", "action_net.bias")}
    mixed["log_std"] = 0.5 * torch.log(mixing.T.square() @ torch.exp(2.0 * weights["log_std"]))
    return weights | mixed


def find_checkpoint(run: Path, *, newest: bool) -> Checkpoint:
    """The best checkpoint of a run, or the newest."""
    best = None if newest else read_best(run)
    for path in list_checkpoints(run):
        if best is not None and step_of(path) == best.step:
            return load_checkpoint(path)
    return newest_checkpoint(run, LOG.warning)
