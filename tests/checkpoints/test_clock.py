"""The clock on the wall may jump as it likes."""

import os
import time

import pytest

from checkpoints.sample_runs import go_on_from_nothing
from hotlap.checkpoints import (
    Checkpoint,
    RunLock,
    list_checkpoints,
    load_checkpoint,
    newest_checkpoint,
    prune_checkpoints,
    save_checkpoint,
    step_of,
)
from hotlap.errors import RunLockedError


def test_wall_clock_is_never_asked(tmp_path, monkeypatch):
    def refuse():
        raise AssertionError("somebody asked the wall clock")

    monkeypatch.setattr(time, "time", refuse)
    monkeypatch.setattr(time, "time_ns", refuse)
    go_on_from_nothing(tmp_path)
    with RunLock(tmp_path), pytest.raises(RunLockedError):
        RunLock(tmp_path).acquire()
    assert newest_checkpoint(tmp_path, pytest.fail).step == 3


def test_order_of_checkpoints_is_by_step_whatever_the_clock_said(tmp_path):
    for step, day in ((9, 3), (10, 2), (100, 1)):
        path = save_checkpoint(tmp_path, Checkpoint(step))
        for file in (*path.iterdir(), path):
            os.utime(file, (day * 86400, day * 86400))
    assert [step_of(path) for path in list_checkpoints(tmp_path)] == [9, 10, 100]
    assert newest_checkpoint(tmp_path, pytest.fail).step == 100
    prune_checkpoints(tmp_path, keep_last=1)
    assert load_checkpoint(list_checkpoints(tmp_path)[0]).step == 100
