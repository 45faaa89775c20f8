"""The options of `hotlap push` and `hotlap pull`."""

from dataclasses import dataclass
from json import dumps
from pathlib import Path

import tyro

from hotlap.checkpoints.names import RUNS
from hotlap.evaluation.request import DEFAULT, EvaluationOptions


@dataclass(frozen=True)
class Push:
    """Evaluate a trained driver and write it as a model repository: policy, weights, evaluation, model card."""

    driver: tyro.conf.Positional[str]
    """A run, its folder, a .onnx file, or a driver that comes with Hotlap."""
    to: tyro.conf.Positional[str]
    """A folder, or hf:USER/NAME for the Hugging Face Hub, which needs pip install "hotlap[hub]"."""
    track: tuple[str, ...] = ()
    """Racer: tracks to evaluate it on; by default those it was trained on."""
    episodes: int = EvaluationOptions.episodes
    """Highway: episodes of three minutes at each density."""
    root: Path = RUNS
    """Folder that holds the runs."""
    force: bool = False
    """Write over files that are already there."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Evaluate, write, say where it is."""
        from hotlap.export.model_repository import push

        given = {"track": list(self.track), "episodes": self.episodes}
        options = {name: value for name, value in given.items() if value and value != getattr(DEFAULT, name)}
        written = push(self.driver, self.to, self.root, options, force=self.force)
        print(dumps({"driver": self.driver, "written": written}) if self.json else f"wrote {written}")


@dataclass(frozen=True)
class Pull:
    """Take a driver out of a model repository, into one policy file."""

    source: tyro.conf.Positional[str]
    """A folder that `hotlap push` wrote, or hf:USER/NAME for the Hugging Face Hub."""
    output: Path | None = None
    """The file to write; by default named after the repository, with .onnx."""
    force: bool = False
    """Write over a file that is already there."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Fetch, check, say what can be done with it."""
        from hotlap.export.model_repository import pull

        output = self.output or Path(f"{Path(self.source.removeprefix('hf:')).name}.onnx")
        policy = pull(self.source, output, force=self.force)
        world = policy.metadata["world"]
        told = f"wrote {output}: drives in the {world}. Next: hotlap evaluate {output}"
        print(dumps({"written": str(output), "world": world}) if self.json else told)
