"""The training loop of the examples runs on the cores."""

import runpy
from pathlib import Path

import numpy as np

EXAMPLE = Path(__file__).parents[2] / "examples" / "train_torch.py"


def test_example_makes_its_updates_from_numbers_that_are_finite_and_change():
    gained = runpy.run_path(str(EXAMPLE))["train"](cars=16, updates=4, steps=8)
    assert len(gained) == 4
    assert np.isfinite(gained).all()
    assert len(set(gained)) == 4
