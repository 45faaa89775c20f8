"""Measuring a policy while it is trained, by the evaluation that judges it afterwards; the best is the run's policy."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hotlap.checkpoints import read_document, write_document, write_file
from hotlap.errors import CheckpointError
from hotlap.evaluation import TrackEvaluation, evaluate
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.racer.tracks import load_track
from hotlap.training.config import TrainConfig
from hotlap.training.runs import BEST_DOCUMENT, POLICY_FILE
from hotlap.training.track_sets import expand_tracks

MOST_TRACKS = 3
NO_LAP_PERCENT = 1000.0
Score = tuple[float, float, float]


@dataclass(frozen=True)
class Verdict:
    """How good the policy of one step is: `score` orders policies, `tags` go to TensorBoard, `laps` to people."""

    step: int
    score: Score
    tags: dict[str, float]
    laps: dict[str, float | None]


class Judge:
    """Drives policies on the tracks that count for a run; a track that is not there is refused before any training."""

    def __init__(self, config: TrainConfig) -> None:
        names = expand_tracks(config.evaluation.tracks) or expand_tracks(config.racer.tracks)[:MOST_TRACKS]
        self.tracks = [load_track(name) for name in names]

    def judge(self, policy: bytes, step: int) -> Verdict:
        """Evaluate a policy file from every start, with and without delay; the worse of the two counts."""
        evaluation = evaluate(OnnxPolicy(policy), self.tracks, with_human=False)
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
        mean = np.mean(np.array(scores), axis=0)
        return Verdict(step, (float(mean[0]), float(mean[1]), float(mean[2])), tags, laps)

    def publish(self, run: Path, verdict: Verdict, policy: bytes) -> None:
        """Make a policy the run's own: the file everyone uses, and what is known of it."""
        write_file(run / POLICY_FILE, policy)
        write_document(
            run / BEST_DOCUMENT,
            {"step": verdict.step, "score": list(verdict.score), "tags": verdict.tags, "laps": verdict.laps},
        )

    def best_so_far(self, run: Path) -> Verdict | None:
        """What an earlier part of the run published."""
        if not (run / BEST_DOCUMENT).is_file():
            return None
        best = read_document(run / BEST_DOCUMENT)
        try:
            first, second, third = (float(part) for part in best["score"])
            return Verdict(int(best["step"]), (first, second, third), dict(best["tags"]), dict(best["laps"]))
        except (LookupError, TypeError, ValueError) as problem:
            raise CheckpointError(
                f"{run / BEST_DOCUMENT}: does not say how good the best driver is ({problem!r}). "
                "Remove the file, and the next evaluation writes it anew."
            ) from problem


def _score(track: TrackEvaluation) -> Score:
    """Starts completed, then flying laps that were clean, both as shares, then how near the reference it is."""
    completed = min(
        (figures.gates_completed + figures.grid_completed) / (figures.gates + 1) for figures in track.by_delay
    )
    clean = min(figures.flying_clean_laps / max(figures.flying_laps, 1) for figures in track.by_delay)
    over = _worst(track, "percent_over_reference")
    return completed, round(clean, 2), -(NO_LAP_PERCENT if over is None else over)


def _worst(track: TrackEvaluation, name: str) -> float | None:
    """The largest of a figure over the delays; None where one of them has none."""
    values = [getattr(figures, name) for figures in track.by_delay]
    return None if None in values else float(max(values))
