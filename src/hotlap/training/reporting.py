"""What `hotlap train` and `resume` print: how it went, where everything is, what to do next."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hotlap.checkpoints.names import POLICY_FILE, TENSORBOARD_FOLDER
from hotlap.errors import ExportError
from hotlap.evaluation.measures import Evaluation
from hotlap.evaluation.world_evaluation import evaluation_of
from hotlap.progress import say
from hotlap.training.config import TrainConfig, load_preset
from hotlap.training.export import export_onnx, export_sb3
from hotlap.training.importing import ModelFiles, import_model
from hotlap.training.runs import find_run, find_run_at
from hotlap.training.tracking import Service, Tracking
from hotlap.training.train import Learner, TrainingResult, resume, train
from hotlap.training.world_training import training_of
from hotlap.training.zoo import zoo_env, zoo_file
from hotlap.whole_files import write_whole_file


@dataclass(frozen=True)
class Manner:
    """How a run is trained beyond its settings: by whom, watched by which tracker, and how its end is told."""

    learner: Learner | None = None
    track: Service | None = None
    as_json: bool = False

    def watchers(self) -> list[Tracking]:
        """What looks on."""
        return [] if self.track is None else [Tracking(self.track)]


def train_and_tell(config: TrainConfig, name: str, root: Path, manner: Manner) -> int:
    """Train a new run."""
    return _tell(train(config, name, root, say, manner.watchers(), manner.learner), as_json=manner.as_json)


def resume_and_tell(name: str, root: Path, steps: int | None, manner: Manner) -> int:
    """Go on with a run, from its newest checkpoint or from that of a step."""
    run, step = find_run_at(name, root)
    return _tell(resume(run, say, steps, manner.watchers(), manner.learner, at=step), as_json=manner.as_json)


def _tell(result: TrainingResult, *, as_json: bool) -> int:
    """A finished run is evaluated once more, next to the others, and shown."""
    evaluation = None
    if result.stopped_by is None and (result.run / POLICY_FILE).is_file():
        policy, config = result.run / POLICY_FILE, result.config
        evaluation = training_of(config).final_evaluation(policy, config, result.run.name)
    if as_json:
        print(json.dumps(_document(result, evaluation)))
    elif evaluation is not None:
        evaluation_of(evaluation.world).show(evaluation)
        _print_next(result)
    # What a shell reports for a program that a signal ended.
    return 0 if result.stopped_by is None else 128 + result.stopped_by


def _document(result: TrainingResult, evaluation: Evaluation | None) -> dict[str, Any]:
    return {
        "run": str(result.run),
        "step": result.step,
        "finished": result.stopped_by is None,
        "seconds": round(result.seconds, 3),
        "steps_per_second": round(_rate(result), 1),
        "evaluation": None if evaluation is None else evaluation.plain(),
    }


def _rate(result: TrainingResult) -> float:
    return result.steps_made / result.seconds if result.seconds > 0.0 else 0.0


def _print_next(result: TrainingResult) -> None:
    """Where the run is, and what to do with it."""
    run = result.run
    made = f"{result.steps_made:,} steps in {result.seconds:.1f} s ({_rate(result):,.0f} a second)"
    print(f"\n{made}. Everything is in {run}")
    commands = {
        f"tensorboard --logdir {run / TENSORBOARD_FOLDER}": "the curves",
        **training_of(result.config).next_commands(run),
        f"hotlap evaluate {run} --report report.html": "how it drives, as pictures",
        f"hotlap resume {run} --steps {2 * result.step}": "let it learn on",
        f"hotlap export policy {run}": f"{POLICY_FILE} for elsewhere",
    }
    _print_commands(commands)


def _print_commands(commands: dict[str, str]) -> None:
    width = max(map(len, commands))
    print("\nNext:")
    for command, purpose in commands.items():
        print(f"  {command:<{width}}  # {purpose}")


def export_policy(
    name: str,
    root: Path,
    format_name: str,
    output: Path | None,
    newest: bool,
    force: bool,
) -> list[Path]:
    """Export a run's policy; the files that were written."""
    run = find_run(name, root)
    if format_name == "onnx":
        target = output or Path(f"{run.name}.onnx")
        export_onnx(run, target, newest=newest, force=force)
        return [target]
    return list(export_sb3(run, output or Path(f"{run.name}-sb3"), newest=newest, force=force))


def tell_export(format_name: str, written: list[Path], *, as_json: bool) -> None:
    """Say where a policy was written to, and what to do with it."""
    if as_json:
        print(json.dumps({"format": format_name, "written": list(map(str, written))}))
        return
    how = "raw observations in, final actions out"
    how = how if format_name == "onnx" else "load with plain stable-baselines3, and only files that you trust"
    print(f"wrote {' and '.join(map(str, written))}: {how}")


def export_zoo(preset: str, output: Path, *, force: bool, as_json: bool) -> None:
    """Write a preset for rl_zoo3, and say how it is used."""
    config = load_preset(preset)
    write_whole_file(output, zoo_file(config, preset).encode(), force=force, error=ExportError)
    command = f"python -m rl_zoo3.train --algo {config.algorithm} --env {zoo_env(config)} --conf-file {output}"
    print(
        json.dumps({"preset": preset, "written": str(output)})
        if as_json
        else f"wrote {output}. Next: {command} --gym-packages hotlap"
    )


def import_and_tell(files: ModelFiles, preset: str, name: str, root: Path, *, as_json: bool) -> None:
    """Make a run of a model of plain SB3, and say what can be done with it."""
    made = import_model(files, preset, name, root)
    run, config = made.run, made.config
    if as_json:
        facts = {"run": str(run), "world": config.world, "algorithm": config.algorithm, "score": made.score.summary}
        print(json.dumps(facts))
        return
    print(f"imported {files.model} as {run}: {config.world} {config.algorithm}, {made.score.summary}")
    _print_commands(
        {
            f"hotlap evaluate {run}": "how it drives",
            **training_of(config).next_commands(run),
            f"hotlap train PRESET --from {run}": "begin another training with it",
        }
    )
