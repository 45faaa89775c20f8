"""Learning to race against others: learners, past selves and line drivers, evaluated by their races."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from hotlap.checkpoints.run_files import PolicyScore
from hotlap.errors import ConfigError
from hotlap.evaluation.race.evaluate import RaceLimits, race_on
from hotlap.evaluation.race.evaluation import RaceEvaluation, evaluate_races
from hotlap.policies.line_drivers import line_teacher
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.race.fingerprint import race_fingerprint
from hotlap.race.world import RaceWorld
from hotlap.training.callbacks import RacerMetricsCallback
from hotlap.training.config import TrainConfig
from hotlap.training.racing import evaluated_tracks, taught_pace, trained_cars
from hotlap.training.self_play import self_play, training_opponents
from hotlap.training.teaching import Teacher
from hotlap.training.track_sets import expand_tracks


class RaceTraining:
    """Races."""

    def world_options(self, config: TrainConfig, *, discrete: bool) -> dict[str, Any]:
        """Grids, learners and opponents; tracks, car and observation are the racer's settings."""
        if discrete:
            raise ConfigError(f"{config.algorithm} chooses among a few actions; a race has none. Use ppo or sac.")
        racer, race = config.racer, config.race
        return {
            "track": expand_tracks(racer.tracks),
            "config": race.config,
            "observation": racer.observation,
            "car": trained_cars(racer),
            "assists": racer.assists,
            "cars": race.cars,
            "learners": race.learners,
            "opponents": training_opponents(config),
            "start": race.start,
            "laps": 0,
        }

    def mixing(self, config: TrainConfig) -> None:
        """The learner has the controls of the world."""

    def teacher(self, config: TrainConfig, world: RaceWorld) -> Teacher:
        """A line driver that passes slower cars."""
        driver = line_teacher(world.batch, taught_pace(config.teacher))
        return Teacher(lambda: driver.act(world.observation, world.batch, world.rows))

    def reason_against_gpu(self, config: TrainConfig) -> str:
        """Line drivers look at each other on the cores, and past selves drive there."""
        if config.teacher.steps:
            return "This teacher drives on the cores, so a run with it cannot learn on a GPU."
        if config.race.learners < config.race.cars:
            return "Opponents drive on the cores, so a race with them cannot be learned on a GPU."
        return ""

    def schedules(self, world: RaceWorld) -> list[BaseCallback]:
        """Past selves, where they race."""
        return self_play(world)

    def physics_fingerprint(self, config: TrainConfig) -> str:
        """The physics of races."""
        return race_fingerprint(config.racer.observation)

    def metadata(self, config: TrainConfig) -> dict[str, Any]:
        """The observation it sees, the tracks it knows."""
        racer = config.racer
        return {"layout": f"race-{racer.observation}", "tracks": list(racer.tracks), "cars": list(racer.car)}

    def metrics(self) -> RacerMetricsCallback:
        """Parts of the reward, completion and lap times."""
        return RacerMetricsCallback()

    def evaluator(self, config: TrainConfig) -> "RaceEvaluator":
        """Races on the tracks of the evaluation."""
        return RaceEvaluator(config)

    def final_evaluation(self, policy: Path, config: TrainConfig, name: str) -> RaceEvaluation:
        """The same, with its figures."""
        tracks = evaluated_tracks(config)
        limits = RaceLimits(steps=config.evaluation.steps)
        return evaluate_races(OnnxPolicy(policy, world="race"), name, tracks, config.racer.car, limits)

    def next_commands(self, run: Path) -> Mapping[str, str]:
        """A league."""
        return {f"hotlap league {run} line-90 line-95 line-100": "race it against others"}


TRAINING = RaceTraining()


class RaceEvaluator:
    """Races policies from the last slot against line drivers that they never met."""

    def __init__(self, config: TrainConfig) -> None:
        self.tracks, self.cars = evaluated_tracks(config), config.racer.car
        self.limits = RaceLimits(steps=config.evaluation.steps)

    def evaluate(self, policy: bytes, step: int) -> PolicyScore:
        """Races won, places gained and faults, in that order."""
        driver = OnnxPolicy(policy, world="race")
        figures = race_on(driver, self.tracks, self.cars, self.limits)
        won = float(np.mean([each.wins / each.races for each in figures]))
        place = float(np.mean([np.mean(each.places) for each in figures]))
        faults = 100.0 * sum(each.faults for each in figures) / max(sum(each.km for each in figures), 1e-9)
        tags = {"eval/races_won": won, "eval/mean_place": place, "eval/faults_per_100km": faults}
        words = f"won {won:.0%} of races, mean place {place:.1f}, {faults:.1f} faults in 100 km"
        return PolicyScore(step, (round(won, 2), -place, -faults), tags, {}, words)
