"""A sweep on Ray Tune: each training a process on some machine of the cluster, watched by an actor beside it.

The sweep's folder must be seen by every machine under the same path. What is kept is kept there, by the trainings
themselves: Tune decides what runs where, and starts again what was lost with a machine.
"""

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hotlap.checkpoints.run_files import read_best
from hotlap.errors import TrainingError
from hotlap.scaleout.cluster import joined, load_ray
from hotlap.scaleout.interrupting import terminating_as_interrupting
from hotlap.scaleout.sweep.folder import SweepFolder
from hotlap.scaleout.sweep.trial_handle import TrialProcess

Report = Callable[[str], None]
REPORT_S = 2.0
"""How long between two reports of a training to Tune."""
MOST_FAILURES = 3
TUNE_FOLDER = "tune"


def trainable() -> type[Any]:
    """Tune's view of one training; made when asked for, since its parent is Ray's."""
    parent: type[Any] = load_ray("tune").Trainable

    class SweptTraining(parent):  # type: ignore[misc]
        """Starts the process of a training, and tells Tune how far it is."""

        def setup(self, config: dict[str, Any]) -> None:
            """Begin, or go on with what the folder holds."""
            self.process = TrialProcess(SweepFolder(Path(config["sweep"])), config["trial"])

        def step(self) -> dict[str, Any]:
            """Wait a little, or for the end."""
            over = self.process.wait(REPORT_S)
            if over and not self.process.note_end():
                raise TrainingError(f"{self.process.name} ended before its time; {self.process.log} says why.")
            return {**best_so_far(self.process), "done": over}

        def cleanup(self) -> None:
            """Let a running training save itself."""
            self.process.stop()

        def reset_config(self, new_config: dict[str, Any]) -> bool:
            """Use the same actor for another training."""
            self.cleanup()
            self.setup(new_config)
            return True

        def save_checkpoint(self, checkpoint_dir: str) -> None:
            """Nothing: trainings keep themselves."""

        def load_checkpoint(self, checkpoint: Any) -> None:
            """Nothing, either."""

    return SweptTraining


def best_so_far(process: TrialProcess) -> dict[str, Any]:
    """What Tune is told: the step of the best policy so far, and the parts of its score."""
    best = read_best(process.folder.runs / process.name)
    if best is None:
        return {"best_step": 0}
    return {"best_step": best.step, **{f"score_{i}": part for i, part in enumerate(best.score)}}


def run_on_ray(folder: SweepFolder, names: Sequence[str], address: str, cpus: float, report: Report) -> None:
    """Train the named trials wherever the cluster has room."""
    if not names:
        return
    shared = SweepFolder(folder.path.resolve())
    with joined(address) as ray, terminating_as_interrupting():
        room = ray.cluster_resources().get("CPU", 0.0)
        report(f"the cluster has {len(ray.nodes())} machines and {room:g} CPUs; {len(names)} trainings to go")
        try:
            _fit(shared, names, cpus)
        finally:
            shutil.rmtree(shared.path / TUNE_FOLDER, ignore_errors=True)


def _fit(folder: SweepFolder, names: Sequence[str], cpus: float) -> None:
    tune = load_ray("tune")
    os.environ.setdefault("TUNE_GLOBAL_CHECKPOINT_S", "600")  # nothing of Tune's own is needed to go on
    tuner = tune.Tuner(
        tune.with_resources(trainable(), {"cpu": cpus}),
        param_space={"sweep": str(folder.path), "trial": tune.grid_search(list(names))},
        tune_config=tune.TuneConfig(reuse_actors=True),
        run_config=tune.RunConfig(
            name=TUNE_FOLDER,
            storage_path=str(folder.path),
            failure_config=tune.FailureConfig(max_failures=MOST_FAILURES),
            verbose=0,
        ),
    )
    tuner.fit()
