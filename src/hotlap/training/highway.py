"""Learning the highway: its world from the settings, and drivers evaluated by their crashes and missions."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from hotlap.checkpoints.run_files import PolicyScore
from hotlap.evaluation import HighwayEvaluation, HighwaySetup, evaluate_highway
from hotlap.evaluation.highway.driving import Episodes
from hotlap.evaluation.highway.figures import EGO_FAULT, SPEED_ERROR, SUCCESS, HighwayFigures, figures_of
from hotlap.highway.fingerprint import physics_fingerprint
from hotlap.highway.fleet import Actions
from hotlap.highway.pedals import BRAKING
from hotlap.highway.world import HighwayWorld
from hotlap.policies.highway_expert import HighwayExpert
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.training.config import TrainConfig
from hotlap.training.highway_callbacks import HighwayMetricsCallback
from hotlap.training.teaching import Teacher
from hotlap.vector.controls import Mixing

LAYOUT = "highway"
EVALUATED_VEHICLES = (20,)
ONE_PEDAL = np.array([[1.0, 0.0], [-BRAKING, 0.0], [0.0, 1.0]])
"""Throttle, brake and lane request as the pedal and the lane request that have the same effect."""


class HighwayTraining:
    """The highway."""

    def world_options(self, config: TrainConfig, *, discrete: bool) -> dict[str, Any]:
        """Traffic, missions, supervisor, road and rewards; the five choices where the algorithm needs them."""
        highway = config.highway
        return {
            "config": highway.config,
            "vehicles": highway.vehicles,
            "missions": highway.missions,
            "supervisor": highway.supervisor,
            "discrete": discrete,
            "stagger": True,
        }

    def mixing(self, config: TrainConfig) -> Mixing | None:
        """One pedal that is throttle above 0 and brake below, with the same acceleration per unit on both sides.

        With two, a learner that strays from what it thinks best presses both at once, and what it learns then does not
        hold when it no longer strays.
        """
        if config.highway.pedals == "two":
            return None
        weights = np.array([[1.0, -1.0 / BRAKING, 0.0], [0.0, 0.0, 1.0]], np.float32)
        return Mixing(weights, low=np.array([-BRAKING, -1.0], np.float32), high=np.ones(2, np.float32))

    def teacher(self, config: TrainConfig, world: HighwayWorld) -> Teacher:
        """The expert that drives by rules."""
        expert = HighwayExpert()
        controls = np.eye(len(Actions._fields)) if self.mixing(config) is None else ONE_PEDAL
        return Teacher(lambda: expert.act(world.observation) @ controls, lambda: expert.kernel(world.batch, controls))

    def reason_against_gpu(self, config: TrainConfig) -> str:  # noqa: ARG002 - with all settings
        """The expert is a kernel."""
        return ""

    def schedules(self, world: Any) -> list[BaseCallback]:  # noqa: ARG002 - in any such world
        """Nothing changes on its own."""
        return []

    def physics_fingerprint(self, config: TrainConfig) -> str:  # noqa: ARG002 - one for all settings
        """The highway's physics."""
        return physics_fingerprint()

    def metadata(self, config: TrainConfig) -> dict[str, Any]:
        """What it sees, how many lanes and vehicles it knows."""
        return {"layout": LAYOUT, "lanes": config.highway.config.road.lanes, "vehicles": list(config.highway.vehicles)}

    def metrics(self) -> HighwayMetricsCallback:
        """Parts of the reward, missions by mode, crashes."""
        return HighwayMetricsCallback()

    def evaluator(self, config: TrainConfig) -> "HighwayEvaluator":
        """Missions in traffic of the usual density, without the supervisor."""
        return HighwayEvaluator(config)

    def final_evaluation(self, policy: Path, config: TrainConfig, name: str) -> HighwayEvaluation:
        """The same episodes without and with the supervisor, next to simple drivers."""
        driver = OnnxPolicy(policy, world=LAYOUT)
        setup = HighwaySetup(vehicles=EVALUATED_VEHICLES, episodes=config.evaluation.episodes)
        return evaluate_highway(lambda _seeds: driver, setup, name=name, about=driver.metadata)

    def next_commands(self, run: Path) -> Mapping[str, str]:
        """Giving it orders, here or in a browser."""
        return {
            f'hotlap drive "cruise at 65" --policy {run}': "give it orders",
            f"hotlap play {run}": "the same in your browser",
        }


TRAINING = HighwayTraining()


class HighwayEvaluator:
    """Drives policies through episodes that no training sees, in traffic of the usual density, without supervisor."""

    def __init__(self, config: TrainConfig) -> None:
        self.seeds = HighwaySetup(vehicles=EVALUATED_VEHICLES, episodes=config.evaluation.episodes).seeds()

    def evaluate(self, policy: bytes, step: int) -> PolicyScore:
        """By what the driver does in those episodes."""
        driver = OnnxPolicy(policy, world=LAYOUT)
        return score_of(figures_of(Episodes(driver, self.seeds, *EVALUATED_VEHICLES, supervised=False).records()), step)


def score_of(figures: HighwayFigures, step: int) -> PolicyScore:
    """The share of missions done in percent, less the crashes by its own fault in 1,000 km, less the mph it is off.

    Crashes do not come first: who stands still has none.
    """
    known = {name: estimate.value for name, estimate in figures.estimates.items() if estimate is not None}
    crashes, error_mph = known[EGO_FAULT.name], known.get(SPEED_ERROR.name, 0.0)
    done = float(np.mean([known[quantity.name] for quantity in SUCCESS.values() if quantity.name in known] or [0.0]))
    summary = f"{crashes:.1f} crashes by its fault in 1,000 km, {done:.0f} % of missions done"
    tags = {f"eval/{name}": value for name, value in known.items()}
    return PolicyScore(step, (done - crashes - error_mph,), tags, {}, summary)
