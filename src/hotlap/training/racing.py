"""Learning to race: the racer's world from its settings, and drivers evaluated by their laps on certain tracks."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from hotlap.checkpoints.run_files import PolicyScore
from hotlap.errors import ConfigError
from hotlap.evaluation import DriveLimits, RacerEvaluation, TrackEvaluation, evaluate
from hotlap.policies.grip_plans import Pace, pace_of
from hotlap.policies.grip_teacher import GripTeacher
from hotlap.policies.line_kernel import line_kernel
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.policies.teacher import teacher_of
from hotlap.racer.cars import CLASSIC, Car
from hotlap.racer.cars.variations import cars_around
from hotlap.racer.fingerprint import fingerprint_of_layout
from hotlap.racer.tracks import Track, load_track
from hotlap.racer.world import RacerWorld
from hotlap.training.callbacks import RacerMetricsCallback
from hotlap.training.config import RacerSettings, TeacherSettings, TrainConfig
from hotlap.training.teaching import Teacher
from hotlap.training.track_sets import expand_tracks

MOST_TRACKS = 3
NO_LAP_PERCENT = 1000.0
LAPS_WITH_GRIP = 2
Score = tuple[float, float, float]


class RacerTraining:
    """The racer."""

    def world_options(self, config: TrainConfig, *, discrete: bool) -> dict[str, Any]:
        """Tracks, observation, starts, delays, rewards; steering is never a choice of a few."""
        if discrete:
            raise ConfigError(f"{config.algorithm} chooses among a few actions; the racer has none. Use ppo or sac.")
        racer = config.racer
        return {
            "track": expand_tracks(racer.tracks),
            "config": racer.config,
            "observation": racer.observation,
            "car": trained_cars(racer),
            "assists": racer.assists,
            "start": racer.start,
            "stagger": True,
            "action_delay": racer.action_delay if racer.action_delay == "random" else int(racer.action_delay),
        }

    def mixing(self, config: TrainConfig) -> None:
        """The learner has the controls of the world."""

    def teacher(self, config: TrainConfig, world: RacerWorld) -> Teacher:
        """A follower of the shortest lines, or, of cars with grip, of the fastest ones."""
        if not world.cars:
            follower = teacher_of(world.tracks, config.teacher.margin_m)
            return Teacher(partial(follower.act, world), partial(line_kernel, follower, world))
        teacher = GripTeacher(world.tracks, world.cars, taught_pace(config.teacher))
        return Teacher(partial(teacher.act, world), partial(teacher.kernel, world))

    def reason_against_gpu(self, config: TrainConfig) -> str:  # noqa: ARG002 - with all settings
        """Followers of lines are kernels."""
        return ""

    def schedules(self, world: Any) -> list[BaseCallback]:  # noqa: ARG002 - in any such world
        """Nothing changes on its own."""
        return []

    def physics_fingerprint(self, config: TrainConfig) -> str:
        """The racer's physics, or that of cars with grip."""
        return fingerprint_of_layout(config.racer.observation)

    def metadata(self, config: TrainConfig) -> dict[str, Any]:
        """The observation it sees, the tracks it knows."""
        racer = config.racer
        cars = {} if racer.car == (CLASSIC,) else {"cars": list(racer.car)}
        return {"layout": racer.observation, "tracks": list(racer.tracks), **cars}

    def metrics(self) -> RacerMetricsCallback:
        """Parts of the reward, completion and lap times."""
        return RacerMetricsCallback()

    def evaluator(self, config: TrainConfig) -> "RacerEvaluator":
        """Laps on the tracks of the evaluation."""
        return RacerEvaluator(config)

    def final_evaluation(self, policy: Path, config: TrainConfig, name: str) -> RacerEvaluation:
        """The same, next to a human and the original driver."""
        limits = DriveLimits(steps=config.evaluation.steps or None)
        return evaluate(OnnxPolicy(policy), evaluated_tracks(config), name=name, cars=config.racer.car, limits=limits)

    def next_commands(self, run: Path) -> Mapping[str, str]:
        """Racing it."""
        return {f"hotlap play {run}": "race it in your browser"}


TRAINING = RacerTraining()


def trained_cars(racer: RacerSettings) -> str | list[Car]:
    """The cars that episodes draw from: those of the settings, or many around them."""
    return CLASSIC if racer.car == (CLASSIC,) else cars_around(racer.car, racer.car_spread, racer.car_draws)


def taught_pace(settings: TeacherSettings) -> Pace:
    """How near the limit the teacher of cars with grip drives: as its caution says, but for what is set apart."""
    apart = {"margin_m": settings.margin_m, "braking": settings.braking, "spared": settings.spared}
    return pace_of(settings.caution)._replace(**{name: value for name, value in apart.items() if value is not None})


def evaluated_tracks(config: TrainConfig) -> list[Track]:
    """The tracks that count for a run: those of the evaluation, or some of those trained on."""
    names = expand_tracks(config.evaluation.tracks) or expand_tracks(config.racer.tracks)[:MOST_TRACKS]
    return [load_track(name) for name in names]


class RacerEvaluator:
    """Drives policies on the tracks that count for a run; a track that is not there is refused before any training."""

    def __init__(self, config: TrainConfig) -> None:
        self.tracks = evaluated_tracks(config)
        self.cars = config.racer.car
        laps = DriveLimits.laps if self.cars == (CLASSIC,) else LAPS_WITH_GRIP
        self.limits = DriveLimits(laps, config.evaluation.steps or None)

    def evaluate(self, policy: bytes, step: int) -> PolicyScore:
        """Evaluate a policy file from every start, with and without delay; the worse of the two counts."""
        evaluation = evaluate(OnnxPolicy(policy), self.tracks, with_human=False, cars=self.cars, limits=self.limits)
        tags: dict[str, float] = {}
        laps: dict[str, float | None] = {}
        scores = []
        for track in evaluation.tracks:
            score, lap_s = _score(track), _worst(track, "flying_best_clean_s")
            scores.append(score)
            laps[track.track] = lap_s
            tags[f"eval/{track.track}/completion"] = score[0]
            if lap_s is not None:
                tags[f"eval/{track.track}/clean_lap_sec"] = lap_s
                tags[f"eval/{track.track}/percent_over_reference"] = -score[2]
        mean = tuple(float(part) for part in np.mean(np.array(scores), axis=0))
        driven = ", ".join(f"{track} {lap_s:.3f} s" for track, lap_s in laps.items() if lap_s is not None)
        return PolicyScore(step, mean, tags, laps, driven or "no clean lap yet")


def _score(track: TrackEvaluation) -> Score:
    """Starts completed, then flying laps that were clean, both as shares, then how near the reference it is."""
    completed = min(
        (figures.gates_completed + figures.grid_completed) / (figures.gates + 1) for figures in track.by_delay
    )
    clean = min(figures.flying_clean_laps / max(figures.flying_laps, 1) for figures in track.by_delay)
    over, lap_s = _worst(track, "percent_over_reference"), _worst(track, "flying_best_clean_s")
    slowness = lap_s if over is None else over
    return completed, round(clean, 2), -(NO_LAP_PERCENT if slowness is None else slowness)


def _worst(track: TrackEvaluation, name: str) -> float | None:
    """The largest of a figure over the delays; None where one of them has none."""
    values = [getattr(figures, name) for figures in track.by_delay]
    return None if None in values else float(max(values))
