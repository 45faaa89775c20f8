"""Runs of a sweep that look at each other: which go on at a rung, and who takes over whose weights."""

import math
import signal
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from hotlap.checkpoints.curve import read_curve
from hotlap.scaleout.sweep.folder import Score, SweepFolder, TrialRecord
from hotlap.scaleout.sweep.search import Point, SearchRange
from hotlap.scaleout.sweep.spec import HalvingSettings, SweepSpec


@dataclass(frozen=True)
class TakeOver:
    """Go on with another run's weights, and these settings."""

    donor: str
    point: Point


def goes_on(score: Score, others: Sequence[Score], factor: int) -> bool:
    """Whether a run is among the best one in `factor` of those that have come to this rung so far."""
    better = sum(other > score for other in others)
    return better < math.ceil((len(others) + 1) / factor)


def next_comparison(spec: SweepSpec, compared: Sequence[int]) -> int | None:
    """The step of the next comparison after those already made; None where runs are not compared."""
    if not spec.compared_every:
        return None
    last = max(compared, default=0)
    if spec.halving.first_rung:
        return last * spec.halving.factor or spec.halving.first_rung
    return last + spec.population.every_steps


def choose_donor(name: str, latest: dict[str, Score], share: float, rng: np.random.Generator) -> str | None:
    """One of the best runs for one of the worst; None for all others, and while there are too few to tell."""
    ranked = sorted(latest, key=lambda each: (latest[each], each))
    count = max(1, int(share * len(ranked)))
    if len(ranked) < 2 * count or name not in ranked[:count]:
        return None
    return str(rng.choice(ranked[-count:]))


def varied(point: Point, ranges: dict[str, SearchRange], rng: np.random.Generator) -> Point:
    """A point whose searched settings are each near those of another."""
    return point | {name: each.near(point[name], rng) for name, each in ranges.items()}


def evaluations_of(run: Path) -> list[tuple[int, Score]]:
    """Every evaluation of a run so far: the step and the score."""
    return [(int(point.step), point.score) for point in read_curve(run) if point.score]


class EarlyStopping(BaseCallback):
    """Watches a run while it is trained: writes down its scores, and ends it when the others are better."""

    whole_rollouts = True
    needs_samples = False

    def __init__(self, folder: SweepFolder, name: str) -> None:
        super().__init__()
        self.folder = folder
        self.name = name
        self.spec = folder.spec()
        self.decision: TakeOver | str | None = None
        """Why the run was ended from here: "stopped early", or whose weights to go on with."""

    def _on_rollout_start(self) -> None:
        record = self.folder.record(self.name)
        due = next_comparison(self.spec, list(record.scores))
        if due is None or self.num_timesteps < due:
            return
        evaluated = [each for each in evaluations_of(self.folder.runs / self.name) if each[0] >= due]
        if evaluated:
            self._compare(replace(record, scores={**record.scores, due: evaluated[-1][1]}), due)

    def _on_step(self) -> bool:
        return True

    def _compare(self, record: TrialRecord, step: int) -> None:
        self.folder.write(record)
        others = [each for each in self.folder.records() if each.trial.name != self.name]
        if self.spec.halving.first_rung:
            self.decision = self._halved(record, others, step, self.spec.halving)
        else:
            self.decision = self._succession(record, others, step)
        if self.decision is not None:
            # The same way out as for any signal: the run callback, which comes after this one, saves the run first.
            signal.raise_signal(signal.SIGTERM)

    @staticmethod
    def _halved(record: TrialRecord, others: Sequence[TrialRecord], step: int, halving: HalvingSettings) -> str | None:
        scores = [other.scores[step] for other in others if step in other.scores]
        return None if goes_on(record.scores[step], scores, halving.factor) else "stopped early"

    def _succession(self, record: TrialRecord, others: Sequence[TrialRecord], step: int) -> TakeOver | None:
        """Whose weights to take over, by the last score of each run."""
        rng = np.random.default_rng([self.spec.search_seed, step, self.folder.names().index(self.name)])
        latest = {each.trial.name: each.scores[max(each.scores)] for each in (*others, record) if each.scores}
        donor = choose_donor(self.name, latest, self.spec.population.share, rng)
        if donor is None:
            return None
        return TakeOver(donor, varied(_current_point(self.folder.record(donor)), self.spec.ranges, rng))


def _current_point(record: TrialRecord) -> dict[str, Any]:
    """The settings a run has now, which are not those it began with once it has taken over."""
    points = [record.trial.point, *(each["point"] for each in record.taken_over)]
    return dict(points[-1])
