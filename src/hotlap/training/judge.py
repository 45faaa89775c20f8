"""Measuring a policy while it is trained, by the evaluation that judges it afterwards; the best is the run's policy."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hotlap.checkpoints import read_document, write_document
from hotlap.evaluation import Evaluation, evaluate
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.training.config import TrainConfig
from hotlap.training.runs import BEST_DOCUMENT, POLICY_FILE

MOST_TRACKS = 3
Score = tuple[float, float, float]


@dataclass(frozen=True)
class Verdict:
    """How good the policy of one step is: `score` orders policies, `tags` go to TensorBoard, `laps` to people."""

    step: int
    score: Score
    tags: dict[str, float]
    laps: dict[str, float | None]
    evaluation: Evaluation | None


class Judge:
    """Drives policies on the tracks that count for a run."""

    def __init__(self, config: TrainConfig) -> None:
        self.tracks = config.evaluation.tracks or config.racer.tracks[:MOST_TRACKS]

    def judge(self, policy: bytes, step: int) -> Verdict:
        """Evaluate a policy file from every start, with and without delay."""
        evaluation = evaluate(OnnxPolicy(policy), self.tracks)
        tags: dict[str, float] = {}
        laps: dict[str, float | None] = {}
        scores = []
        for track in evaluation.tracks:
            results = track.by_delay
            worst = max(results, key=lambda result: result.flying_best_clean_s or np.inf)
            completed = min((result.gates_completed + result.grid_completed) / (result.gates + 1) for result in results)
            laps[track.track] = worst.flying_best_clean_s
            tags[f"eval/{track.track}/completion"] = completed
            if worst.flying_best_clean_s is not None:
                tags[f"eval/{track.track}/clean_lap_sec"] = worst.flying_best_clean_s
                tags[f"eval/{track.track}/percent_over_reference"] = worst.percent_over_reference
            scores.append((completed, _tidiness(results), -(worst.percent_over_reference or np.inf)))
        score: Score = tuple(float(np.mean(column)) for column in zip(*scores, strict=True))  # type: ignore[assignment]
        return Verdict(step, score, tags, laps, evaluation)

    def publish(self, run: Path, verdict: Verdict, policy: bytes) -> None:
        """Make a policy the run's own: the file everyone uses, and what is known of it."""
        unfinished = run / f".{POLICY_FILE}"
        unfinished.write_bytes(policy)
        unfinished.replace(run / POLICY_FILE)
        write_document(
            run / BEST_DOCUMENT,
            {"step": verdict.step, "score": list(verdict.score), "tags": verdict.tags, "laps": verdict.laps},
        )

    def best_so_far(self, run: Path) -> Verdict | None:
        """What an earlier part of the run published."""
        if not (run / BEST_DOCUMENT).is_file():
            return None
        best = read_document(run / BEST_DOCUMENT)
        return Verdict(best["step"], tuple(best["score"]), best["tags"], best["laps"], None)
