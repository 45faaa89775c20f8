"""How good a driver is: laps from every start, next to a human, the original driver and the reference lap."""

from hotlap.evaluation.drives import DriveLimits
from hotlap.evaluation.evaluate import evaluate
from hotlap.evaluation.figures import (
    Evaluation,
    Figures,
    OriginalDriver,
    ReferenceFigures,
    Trace,
    TrackEvaluation,
    evaluation_document,
)
from hotlap.evaluation.sources import DriverSource, find_driver
from hotlap.evaluation.table import print_evaluation

__all__ = [
    "DriveLimits",
    "DriverSource",
    "Evaluation",
    "Figures",
    "OriginalDriver",
    "ReferenceFigures",
    "Trace",
    "TrackEvaluation",
    "evaluate",
    "evaluation_document",
    "find_driver",
    "print_evaluation",
]
