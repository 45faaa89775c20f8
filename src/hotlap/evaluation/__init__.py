"""How good a driver is, in either world: figures with intervals, tables, reports, comparisons."""

from hotlap.evaluation.highway.evaluate import HighwayEvaluation, evaluate_highway
from hotlap.evaluation.highway.setup import HighwaySetup
from hotlap.evaluation.racer.evaluate import evaluate
from hotlap.evaluation.racer.figures import (
    DriveLimits,
    Figures,
    OriginalDriver,
    RacerEvaluation,
    ReferenceFigures,
    Trace,
    TrackEvaluation,
)
from hotlap.evaluation.racer.table import print_evaluation
from hotlap.evaluation.sources import DriverSource, find_driver

__all__ = [
    "DriveLimits",
    "DriverSource",
    "Figures",
    "HighwayEvaluation",
    "HighwaySetup",
    "OriginalDriver",
    "RacerEvaluation",
    "ReferenceFigures",
    "Trace",
    "TrackEvaluation",
    "evaluate",
    "evaluate_highway",
    "find_driver",
    "print_evaluation",
]
