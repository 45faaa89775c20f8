"""Trainings that several tests hold theirs against."""

import pytest

from hotlap.training.train import train


@pytest.fixture(scope="session")
def trained_run(tmp_path_factory):
    """`trained_run(config)` is the folder of a run that nothing disturbed, trained once; for reading only.

    Ask for it before anything is patched.
    """
    runs = {}

    def folder(config):
        if repr(config) not in runs:
            runs[repr(config)] = train(config, "whole", tmp_path_factory.mktemp("trained")).run
        return runs[repr(config)]

    return folder
