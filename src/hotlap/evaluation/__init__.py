"""How good a driver is, in either world: figures with intervals, tables, reports, comparisons."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

# Loaded on first use, so that the options of `hotlap evaluate` are parsed before anything that drives is loaded.
_FIGURES = "hotlap.evaluation.racer.figures"
_HOMES = {
    **dict.fromkeys(("DriveLimits", "Figures", "OriginalDriver", "RacerEvaluation"), _FIGURES),
    **dict.fromkeys(("ReferenceFigures", "Trace", "TrackEvaluation"), _FIGURES),
    **dict.fromkeys(("DriverSource", "find_driver"), "hotlap.evaluation.sources"),
    **dict.fromkeys(("HighwayEvaluation", "evaluate_highway"), "hotlap.evaluation.highway.evaluate"),
    "HighwaySetup": "hotlap.evaluation.highway.setup",
    "evaluate": "hotlap.evaluation.racer.evaluate",
    "print_evaluation": "hotlap.evaluation.racer.table",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
