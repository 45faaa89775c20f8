"""The training loop of the examples learns on the cores."""

import runpy
from pathlib import Path

import numpy as np
import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "train_torch.py"


@pytest.mark.integration
def test_example_learns_to_race():
    """After 656,000 steps it gains a sixth of a percent of a lap a tick, two thirds of what the fastest lap gains."""
    gained = np.array(runpy.run_path(str(EXAMPLE))["train"](updates=40))
    assert gained[5:10].mean() < 0.0
    assert gained[-3:].mean() > 0.165
