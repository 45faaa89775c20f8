"""The options of `hotlap train`, `resume`, `import`, `export policy` and `export zoo`."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

import tyro

from hotlap.checkpoints.names import RUNS
from hotlap.errors import ConfigError
from hotlap.racer.config import RacerConfig
from hotlap.scaleout.places import Cluster
from hotlap.training.config import DEFAULT_PRESET, TrainConfig, with_steps
from hotlap.training.gpu_presets import load_preset_for

if TYPE_CHECKING:
    from hotlap.training.train import Learner

FOREIGN_OPTIONS = {
    **dict.fromkeys(("--timesteps", "--total-timesteps", "--n-timesteps", "--num-steps"), "--steps"),
    **dict.fromkeys(("--n-envs", "--num-envs"), "--cars"),
    **dict.fromkeys(("--run-name", "--exp-name"), "--name"),
    **dict.fromkeys(("--log-dir", "--logdir", "--log-folder"), "--root"),
}
"""What options are called in the stacks people come from, and here."""


def learner_on(place: str, cluster: Cluster, config: TrainConfig | None = None) -> "Learner | None":
    """What makes the steps of a run in a place; None for this process. Settings that do not fit are refused."""
    if place == "here":
        if config is not None and config.learner == "rllib":
            raise ConfigError("--learner rllib learns on a cluster only. Add --on ray, or leave it away.")
        return None
    from hotlap.scaleout.learning import ClusterLearner

    return ClusterLearner(cluster, config)


@dataclass(frozen=True, kw_only=True)
class LearningPlace:
    """What a training takes, whether it begins or goes on."""

    root: Path = RUNS
    """Folder that holds the runs."""
    json: bool = False
    """Print the result as one JSON object."""
    on: Literal["here", "ray"] = "here"
    """Where it learns: in this process, or on the nodes of a Ray cluster."""
    track: Literal["trackio", "wandb"] | None = None
    """Send the curves to a tracker as well, on this machine only: Trackio, or Weights & Biases in offline mode. Each is
    an extra of the same name."""
    cluster: Cluster = field(default_factory=Cluster)


@dataclass(frozen=True)
class Train(LearningPlace):
    """Train a driver: pick a preset, change what you like, watch it learn."""

    preset: tyro.conf.Positional[str] = DEFAULT_PRESET
    """racer-ppo, racer-sac, racer-generalist, race-ppo, gt-ppo, gt-generalist, gt-race-ppo, highway-ppo, highway-sac,
    highway-dqn, or a .toml file of your own."""
    name: str = ""
    """Name of the run's folder; by default the preset's name and a number."""
    ai_config: Path | None = None
    """A JSON file of the racer's reward weights and episode limits, like ai-config.json, instead of the preset's."""
    config: Annotated[TrainConfig, tyro.conf.arg(name="")] = field(default_factory=TrainConfig)
    foreign_options: ClassVar[Mapping[str, str]] = FOREIGN_OPTIONS | {
        "--track-id": "--racer.tracks",
        "--checkpoint-freq": "--checkpoint-every",
        "--resume": "hotlap resume RUN",
    }

    @classmethod
    def default_for(cls, words: Sequence[str]) -> Self:
        """The files named in the words, preset and ai-config.json, decide what every other option starts from."""
        # Parsed once without them to find them wherever they stand, and then again from what they say.
        plain = [word for word in words if word not in ("-h", "--help")]
        named = tyro.cli(cls, prog="hotlap train", args=plain)
        device = named.config.device if named.on == "here" else "cpu"
        config = load_preset_for(named.preset, device, named.config.learner)
        if named.ai_config is not None:
            racer = dataclasses.replace(config.racer, config=RacerConfig.load(named.ai_config))
            config = dataclasses.replace(config, racer=racer)
        if named.config.steps != TrainConfig.steps:
            config = with_steps(config, named.config.steps)
        return cls(preset=named.preset, config=config)

    def run(self) -> int:
        """Train, evaluate, say where everything is."""
        from hotlap.training.reporting import Manner, train_and_tell

        name = self.name or f"{Path(self.preset).stem}-*"
        learner = learner_on(self.on, self.cluster, self.config)
        return train_and_tell(self.config, name, self.root, Manner(learner, self.track, self.json))


@dataclass(frozen=True)
class Resume(LearningPlace):
    """Resume a run from its newest checkpoint, or from an earlier one, bit for bit."""

    run_folder: tyro.conf.Positional[str]
    """The run: its name under runs/, or its folder; RUN@STEP goes back to the checkpoint of a step."""
    steps: int | None = None
    """A new total of steps; by default the run's own."""
    foreign_options: ClassVar[Mapping[str, str]] = {
        theirs: ours for theirs, ours in FOREIGN_OPTIONS.items() if ours in ("--steps", "--root")
    }

    def run(self) -> int:
        """Resume, evaluate, say where everything is."""
        from hotlap.training.reporting import Manner, resume_and_tell

        learner = learner_on(self.on, self.cluster)
        return resume_and_tell(self.run_folder, self.root, self.steps, Manner(learner, self.track, self.json))


@dataclass(frozen=True)
class ExportPolicy:
    """Write a run's policy to a file of its own."""

    run_folder: tyro.conf.Positional[str]
    """The run: its name under runs/, or its folder."""
    format: Literal["onnx", "sb3"] = "onnx"
    """onnx: raw observations in, final actions out. sb3: model.zip and vecnormalize.pkl for plain stable-baselines3."""
    output: Path | None = None
    """Where to write: a file for onnx, a folder for sb3; by default beside you, named after the run."""
    newest: bool = False
    """The newest checkpoint instead of the best."""
    force: bool = False
    """Write over what is already there."""
    root: Path = RUNS
    """Folder that holds the runs."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Export and say where it is."""
        from hotlap.training.reporting import export_policy, tell_export

        written = export_policy(self.run_folder, self.root, self.format, self.output, self.newest, self.force)
        tell_export(self.format, written, as_json=self.json)


@dataclass(frozen=True)
class ExportZoo:
    """Write a preset as a file of hyper-parameters for rl_zoo3, to train with plain stable-baselines3 or to search."""

    preset: tyro.conf.Positional[str] = DEFAULT_PRESET
    """A preset by name, or a .toml file of your own."""
    output: Path | None = None
    """The file to write; by default named after the preset, with .yml."""
    force: bool = False
    """Write over a file that is already there."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Write, and say how it is used."""
        from hotlap.training.reporting import export_zoo

        output = self.output or Path(f"{Path(self.preset).stem}.yml")
        export_zoo(self.preset, output, force=self.force, as_json=self.json)


@dataclass(frozen=True)
class ImportModel:
    """Make a run of a model that plain stable-baselines3 saved: PPO, SAC or DQN with plain layers."""

    model: tyro.conf.Positional[Path]
    """The .zip file that the model's save() wrote."""
    vecnormalize: Path | None = None
    """The .pkl file that VecNormalize's save() wrote; leave it out where the model was trained without."""
    trust: bool = False
    """Let the code in these files run, as loading them does; only for files you made, or whose maker you trust."""
    preset: str = ""
    """Whose task and settings the run gets; by default the first preset that fits the model."""
    name: str = ""
    """Name of the run's folder; by default the model's name and a number."""
    root: Path = RUNS
    """Folder that holds the runs."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Import, evaluate, say where everything is."""
        from hotlap.training.importing import ModelFiles
        from hotlap.training.reporting import import_and_tell

        files = ModelFiles(self.model, self.vecnormalize, self.trust)
        import_and_tell(files, self.preset, self.name or f"{self.model.stem}-*", self.root, as_json=self.json)
