"""What holds for every test of training."""

import functools

import pytest

from hotlap.evaluation import DriveLimits, evaluate
from hotlap.training import racing

SHORT = DriveLimits(laps=2, steps=100)


@pytest.fixture(autouse=True, scope="module")
def short_evaluations():
    """Drives of a few ticks while a tiny run is measured: how good it is matters to few of these tests."""
    racing.evaluate = functools.partial(evaluate, limits=SHORT)
    yield
    racing.evaluate = evaluate
