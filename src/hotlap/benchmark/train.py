"""`hotlap benchmark train`: how fast a preset learns on this machine, from nothing to its best driver."""

import dataclasses
import itertools
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.table import Table
from stable_baselines3.common.callbacks import BaseCallback

from hotlap.benchmark.options import Device, Learner, TrainRequest
from hotlap.benchmark.report import describe_machine
from hotlap.checkpoints.curve import read_curve
from hotlap.checkpoints.names import POLICY_FILE
from hotlap.errors import ConfigError
from hotlap.evaluation.measures import Evaluation
from hotlap.evaluation.racer.yardsticks import ORIGINAL_DRIVER, find_reference
from hotlap.evaluation.table import console_for_results, empty_table, print_table
from hotlap.evaluation.world_evaluation import evaluation_of
from hotlap.progress import say
from hotlap.racer.physics import TICKS_PER_SECOND
from hotlap.racer.tracks import load_track
from hotlap.training.algorithms import learns_on_gpu
from hotlap.training.config import TrainConfig, with_steps
from hotlap.training.gpu_presets import load_preset_for
from hotlap.training.track_sets import expand_tracks
from hotlap.training.train import TrainingResult, train
from hotlap.training.world_training import training_of

NEAR = 1.02
"""A lap within 2 % of the reference."""
WHO = "learner, device, seed"
MARKS = ("original beaten", "within 2 %", "evaluated: beaten", "within 2 %", "within 1 %")


@dataclass(frozen=True)
class LearningRate:
    """What one training took; times in seconds from the call to train(), which includes making the world and model."""

    learner: str
    """Who learned: hotlap or sb3."""
    device: str
    """Where: cpu or cuda."""
    seed: int
    steps: int
    seconds: float
    """Until everything was learned, measured and saved."""
    setup_seconds: float
    """Until the first step; on a GPU also what it took to bring the cars there and to record the graphs."""
    steps_per_second: float
    """End to end."""
    environment_share: float
    """Of the time after set-up, how much driving took: stepping, resetting, infos, episode statistics; with hotlap's
    learner also choosing actions, which is one with it."""
    original_beaten_in_training_s: float | None
    """Until a car drove a clean lap below the original driver's best, exploring."""
    within_2_percent_in_training_s: float | None
    """Until a car drove one within 2 % of the reference."""
    original_beaten_evaluated_s: float | None
    """Until an evaluation found a clean flying lap below it, with and without delay; evaluations are some way apart."""
    within_2_percent_s: float | None
    """Until an evaluation found every track's clean flying lap within 2 % of its reference, with and without delay."""
    within_1_percent_s: float | None
    driver: dict[str, Any]
    """What the best policy does, as `hotlap evaluate --json` says it."""


class Stopwatch(BaseCallback):
    """Times the driving inside a training, and notes when a clean lap first beats each of some marks."""

    whole_rollouts = True

    def __init__(self, *marks_s: float | None) -> None:
        super().__init__()
        self.marks_s = marks_s
        self.called_s = time.monotonic()
        self.began_s: float | None = None
        self.world_s = 0.0
        self.beaten_s: list[float | None] = [None for _ in marks_s]

    def _on_training_start(self) -> None:
        self.began_s = time.monotonic()
        env: Any = self.training_env.unwrapped
        env.step_wait = self._timed(env.step_wait)

    def _timed(self, step: Callable[[], Any]) -> Callable[[], Any]:
        def timed() -> Any:
            began_s = time.perf_counter()
            result = step()
            self.world_s += time.perf_counter() - began_s
            return result

        return timed

    def _on_step(self) -> bool:
        best = min(self._clean_laps(), default=float("inf")) / TICKS_PER_SECOND
        for number, mark_s in enumerate(self.marks_s):
            if mark_s is not None and self.beaten_s[number] is None and best < mark_s:
                self.beaten_s[number] = time.monotonic() - self.called_s
        return True

    def setup_s(self) -> float:
        """Until the first step."""
        before_s = (self.began_s or self.called_s) - self.called_s
        return before_s + float(getattr(self.model, "preparing_s", 0.0))

    def _clean_laps(self) -> list[int]:
        """The ticks of clean laps that just ended."""
        columns = self.locals.get("columns")
        if columns is not None:
            found: list[int] = columns["lapTicks"][columns["lapClean"] != 0].tolist() if "lapClean" in columns else []
            return found
        return [info["lapTicks"] for info in self.locals["infos"] if type(info) is dict and info.get("lapClean")]

    def _on_rollout_end(self) -> None:
        self.world_s += getattr(self.model, "driving_s", 0.0)


def trainings_of(request: TrainRequest) -> list[TrainConfig]:
    """Every training, refused before the first one where one of them cannot be made here."""
    if not request.seeds or not request.learners or not request.devices:
        raise ConfigError(
            "--seeds needs at least one number, --learners one of hotlap and sb3, --devices one of cpu and cuda."
        )
    # Learners and devices take turns, so that a busy machine is as unfair to one as to the other.
    everyone = itertools.product(request.seeds, request.learners, request.devices)
    tried = [_training(request, *one) for one in everyone]
    for config in tried:
        learns_on_gpu(config)
    return tried


def _training(request: TrainRequest, seed: int, learner: Learner, device: Device) -> TrainConfig:
    config = load_preset_for(request.preset, device, learner)
    who = learner if config.algorithm != "dqn" else "sb3"  # DQN has no other
    config = dataclasses.replace(config, seed=seed, learner=who, device=device)
    return config if request.steps is None else with_steps(config, request.steps)


def run_train_benchmark(request: TrainRequest) -> int:
    """Train a preset once per seed, learner and device; progress goes to stderr, how it went to stdout."""
    measured = [measure(one) for one in trainings_of(request)]
    if request.json:
        document = {"machine": _machine(), "preset": request.preset, "runs": [asdict(row) for row, _ in measured]}
        sys.stdout.write(json.dumps(document, indent=2) + "\n")
    else:
        print_tables(request.preset, [row for row, _ in measured])
        for _, evaluation in measured:
            evaluation_of(evaluation.world).show(evaluation)
    return 0


def measure(config: TrainConfig) -> tuple[LearningRate, Evaluation]:
    """Train once in a folder that is thrown away."""
    where = _device_name(config)
    with tempfile.TemporaryDirectory(prefix="hotlap-benchmark-") as root:
        say(f"training {config.steps:,} steps with {config.learner} on {where}, seed {config.seed} …")
        watch = Stopwatch(_original_lap_s(config), _near_reference_s(config))
        result = train(config, "run", Path(root), say, watchers=[watch])
        seconds = time.monotonic() - watch.called_s
        if result.stopped_by is not None:
            raise KeyboardInterrupt
        name = f"{config.world}, seed {config.seed}"
        evaluation = training_of(config).final_evaluation(result.run / POLICY_FILE, config, name)
        return _row(config, result, watch, seconds, evaluation.plain()), evaluation


def _row(
    config: TrainConfig, result: TrainingResult, watch: Stopwatch, seconds: float, driver: dict[str, Any]
) -> LearningRate:
    setup_s = watch.setup_s()
    before_s = (watch.began_s or watch.called_s) - watch.called_s
    evaluated_s = _beaten_evaluated_s(result.run, config, watch.marks_s[0])
    return LearningRate(
        learner=config.learner,
        device=_device_name(config),
        seed=config.seed,
        steps=result.steps_made,
        seconds=seconds,
        setup_seconds=setup_s,
        steps_per_second=result.steps_made / seconds,
        environment_share=watch.world_s / (seconds - setup_s),
        original_beaten_in_training_s=watch.beaten_s[0],
        within_2_percent_in_training_s=watch.beaten_s[1],
        original_beaten_evaluated_s=None if evaluated_s is None else evaluated_s + before_s,
        within_2_percent_s=_within_s(result.run, 2.0, before_s),
        within_1_percent_s=_within_s(result.run, 1.0, before_s),
        driver=driver,
    )


def _original_lap_s(config: TrainConfig) -> float | None:
    """The lap of the original driver, where a single track of its is trained on."""
    tracks = training_of(config).metadata(config).get("tracks", [])
    original = ORIGINAL_DRIVER.get(tracks[0]) if len(tracks) == 1 else None
    return None if original is None else original.flying_best_s


def _near_reference_s(config: TrainConfig) -> float | None:
    """A lap within 2 % of the reference, where a single track is trained on with the classic car."""
    racer = config.racer
    if config.world != "racer" or len(expand_tracks(racer.tracks)) != 1 or racer.car != ("classic",):
        return None
    reference = find_reference(load_track(racer.tracks[0]))
    return None if reference is None else reference.figures.lap_s * NEAR


def _device_name(config: TrainConfig) -> str:
    return "cuda" if learns_on_gpu(config) else "cpu"


def _beaten_evaluated_s(run: Path, config: TrainConfig, mark_s: float | None) -> float | None:
    tag = f"eval/{config.racer.tracks[0]}/clean_lap_sec"
    for point in read_curve(run):
        lap_s = point.value(tag)
        if lap_s is not None and mark_s is not None and lap_s < mark_s:
            return point.seconds
    return None


def _within_s(run: Path, percent: float, setup_s: float) -> float | None:
    """When all tracks of an evaluation were first within so many percent of their references."""
    for point in read_curve(run):
        tracks = [tag.removesuffix("completion") for tag in point.evaluation or {} if tag.endswith("/completion")]
        over = [point.value(f"{track}percent_over_reference") for track in tracks]
        if over and all(part is not None and part <= percent for part in over):
            return setup_s + (point.seconds or 0.0)
    return None


def _machine() -> dict[str, Any]:
    return describe_machine() | {package: version(package) for package in ("stable-baselines3", "torch")}


def print_tables(preset: str, rows: Sequence[LearningRate]) -> None:
    """What each training took, and when it came to which mark."""
    console, machine = console_for_results(), _machine()
    console.print(
        f"\n[bold]{preset}[/] with Hotlap {machine['hotlap']} on {machine['cores']} cores of {machine['processor']}, "
        f"Python {machine['python']}, torch {machine['torch']}, stable-baselines3 {machine['stable-baselines3']}.\n"
    )
    print_table(console, _speed_table(rows))
    print_table(console, _mark_table(rows))


def _speed_table(rows: Sequence[LearningRate]) -> Table:
    table = empty_table("Learning", ("steps", "seconds", "setting up", "steps a second", "in the world"), WHO)
    for row in rows:
        table.add_row(
            _who(row),
            f"{row.steps:,}",
            f"{row.seconds:.1f}",
            f"{row.setup_seconds:.1f}",
            f"{row.steps_per_second:,.0f}",
            f"{row.environment_share:.1%}",
        )
    return table


def _mark_table(rows: Sequence[LearningRate]) -> Table:
    table = empty_table("Clean laps, times in seconds from the start, setting up included", MARKS, WHO)
    for row in rows:
        marks = (
            row.original_beaten_in_training_s,
            row.within_2_percent_in_training_s,
            row.original_beaten_evaluated_s,
            row.within_2_percent_s,
            row.within_1_percent_s,
        )
        table.add_row(_who(row), *map(_seconds, marks))
    return table


def _who(row: LearningRate) -> str:
    return f"{row.learner}, {row.device}, {row.seed}"


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
