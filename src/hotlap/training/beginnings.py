"""What a new run may begin with: weights and normaliser of another run, or of a policy file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray

from hotlap.checkpoints import checkpoint_at
from hotlap.checkpoints.run_files import read_run_document
from hotlap.errors import ConfigError
from hotlap.training.config import TrainConfig, config_from_document
from hotlap.training.export import find_checkpoint
from hotlap.training.policy_layers import read_policy_layers
from hotlap.training.runs import find_run_at
from hotlap.training.session import TrainingSession
from hotlap.training.world_training import training_of

LAST_BIASES = ("action_net.bias", "actor.mu.bias", "q_net.q_net.{}.bias")


class Fit(NamedTuple):
    """What must be the same for weights to mean the same in another run."""

    world: str
    observation: str
    physics: str
    algorithm: str
    controls: int
    hidden: tuple[int, ...]
    activation: str
    normalize: bool


REMEDIES: dict[str, Callable[[Any], str]] = {
    "world": lambda theirs: f"Choose a preset of the {theirs}.",
    "observation": lambda theirs: f'Choose a preset whose drivers see "{theirs}".',
    "physics": lambda _theirs: "Use the version of Hotlap it was trained with.",
    "algorithm": lambda theirs: f"Choose a preset of {theirs}.",
    "controls": lambda theirs: f"Choose settings with {theirs} controls; on the highway --highway.pedals decides.",
    "hidden": lambda theirs: f"Add --network.hidden {' '.join(map(str, theirs))}.",
    "activation": lambda theirs: f"Add --network.activation {theirs}.",
    "normalize": lambda theirs: f"Add {'--normalize' if theirs else '--no-normalize'}.",
}
"""What to do where one of them is not the same."""


@dataclass(frozen=True)
class Beginning:
    """Weights by the names of torch's policy, statistics by those of a checkpoint, and what they were learned for."""

    source: str
    fit: Fit
    weights: Mapping[str, NDArray[Any]]
    statistics: Mapping[str, NDArray[Any]]
    missing: str = ""
    """What it has not, as a sentence; empty where it has everything."""


def find_beginning(name: str, root: Path) -> Beginning:
    """From RUN, its best checkpoint; RUN@STEP, that of the step; or a policy file."""
    return _of_file(Path(name)) if name.endswith(".onnx") else _of_run(name, root)


def _of_run(name: str, root: Path) -> Beginning:
    run, step = find_run_at(name, root)
    checkpoint = find_checkpoint(run, newest=False) if step is None else checkpoint_at(run, step)
    config = config_from_document(checkpoint.documents["config"])
    weights = checkpoint.tensors["policy"]
    physics = str(read_run_document(run)["physics_fingerprint"])
    fit = fit_of(config, weights)._replace(physics=physics)
    return Beginning(f"{run}@{checkpoint.step}", fit, weights, checkpoint.tensors.get("normalizer", {}))


def _of_file(path: Path) -> Beginning:
    known = read_policy_layers(path)
    about = known.metadata
    fit = Fit(
        world=about["world"],
        observation=about["layout"],
        physics=about["physics_fingerprint"],
        algorithm=about["algorithm"],
        controls=len(known.weights["action_net.bias"]),
        hidden=known.hidden,
        activation=known.activation,
        normalize=bool(known.statistics),
    )
    missing = "A policy file holds no value network and no spread of actions: those begin untrained."
    return Beginning(str(path), fit, known.weights, known.statistics, missing)


def fit_of(config: TrainConfig, weights: Mapping[str, NDArray[Any]]) -> Fit:
    """What weights of a configuration need."""
    training = training_of(config)
    return Fit(
        world=config.world,
        observation=training.metadata(config)["layout"],
        physics=training.physics_fingerprint(config),
        algorithm=config.algorithm,
        controls=_controls(weights, len(config.network.hidden)),
        hidden=config.network.hidden,
        activation=config.network.activation,
        normalize=config.normalize,
    )


def _controls(weights: Mapping[str, NDArray[Any]], layers: int) -> int:
    """How many numbers the policy gives, or how many choices it has."""
    names = [name.format(2 * layers) for name in LAST_BIASES]
    return next((len(weights[name]) for name in names if name in weights), 0)


def begin_with(session: TrainingSession, beginning: Beginning) -> None:
    """Put the weights and statistics into a new run; what does not fit is refused in one sentence."""
    fit = fit_of(session.config, session.state.weights())
    for name, theirs in beginning.fit._asdict().items():
        ours = getattr(fit, name)
        if theirs != ours:
            raise ConfigError(
                f"{beginning.source} cannot be begun from: its {name} is {_shown(theirs)}, and that of this training "
                f"is {_shown(ours)}. {REMEDIES[name](theirs)}"
            )
    session.state.begin_with(beginning.weights, beginning.statistics)


def _shown(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
