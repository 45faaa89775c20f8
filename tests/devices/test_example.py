"""The training loop of the examples learns something."""

import runpy
from pathlib import Path

import numpy as np

EXAMPLE = Path(__file__).parents[2] / "examples" / "train_torch.py"


def test_example_drives_further_after_its_training_than_before():
    rewards = runpy.run_path(str(EXAMPLE))["train"](cars=64, updates=25, steps=24)
    assert np.isfinite(rewards).all()
    assert np.mean(rewards[-5:]) > np.mean(rewards[:5]) + 0.02
