"""The logger of a run and its event files, as TensorBoard reads them back."""

import errno
import itertools
import math
import time

import pytest

from hotlap.training.event_log import EventFile, RunLogger
from training.tiny_runs import scalars


@pytest.fixture
def opened():
    """Opens logs of a run, and closes them at the end."""
    loggers = []

    def open_log(run, step: int = 0, report=pytest.fail) -> RunLogger:
        run.mkdir(exist_ok=True)
        loggers.append(RunLogger())
        loggers[-1].open(run / "tensorboard", step, report)
        return loggers[-1]

    yield open_log
    for logger in loggers:
        logger.close()


def log(logger: RunLogger, step: int, **values: float) -> None:
    for key, value in values.items():
        logger.record(key, value)
    logger.dump(step)


def test_values_come_back_as_they_were_recorded(opened, tmp_path):
    logger = opened(tmp_path)
    log(logger, 10, a=1.5, b=2)
    logger.record("hidden", 3.0, exclude="tensorboard")
    logger.record("words", "no number")
    log(logger, 20, a=2.5, c=math.nan)
    found = scalars(tmp_path)
    assert found["a"] == [(10, 1.5), (20, 2.5)]
    assert found["b"] == [(10, 2.0)]
    assert math.isnan(found["c"][0][1])
    assert set(found) == {"a", "b", "c"}


def test_everything_is_on_the_disk_before_the_log_is_closed(opened, tmp_path):
    log(opened(tmp_path), 10, a=1.0)
    assert scalars(tmp_path) == {"a": [(10, 1.0)]}


def test_second_dump_of_a_step_waits_for_the_next(opened, tmp_path):
    logger = opened(tmp_path)
    log(logger, 10, a=1.0)
    log(logger, 10, a=2.0)
    log(logger, 20, b=3.0)
    assert scalars(tmp_path) == {"a": [(10, 1.0), (20, 2.0)], "b": [(20, 3.0)]}


def test_value_can_be_written_at_once_for_its_own_step(opened, tmp_path):
    logger = opened(tmp_path)
    logger.record("a", 1.0)
    logger.write_now({"eval/x": 7.0}, 10)
    logger.dump(20)
    assert scalars(tmp_path) == {"eval/x": [(10, 7.0)], "a": [(20, 1.0)]}


def test_resumed_log_replaces_what_came_after_its_step(opened, tmp_path):
    first = opened(tmp_path)
    for step in (10, 20, 30, 40):
        log(first, step, a=float(step))
    second = opened(tmp_path, step=20)
    for step in (30, 35):
        log(second, step, a=-float(step))
    third = opened(tmp_path, step=30)
    log(third, 50, a=0.0)
    assert scalars(tmp_path)["a"] == [(10, 10.0), (20, 20.0), (30, -30.0), (50, 0.0)]
    assert len(list((tmp_path / "tensorboard").iterdir())) == 3


def test_files_are_ordered_by_number_and_not_by_the_clock(opened, tmp_path, monkeypatch):
    log(opened(tmp_path), 10, a=1.0)
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    log(opened(tmp_path, step=10), 20, a=2.0)
    assert scalars(tmp_path)["a"] == [(10, 1.0), (20, 2.0)]


def test_record_cut_off_by_a_crash_hides_nothing_of_later_files(opened, tmp_path):
    log(opened(tmp_path), 10, a=1.0)
    [path] = (tmp_path / "tensorboard").iterdir()
    path.write_bytes(path.read_bytes() + path.read_bytes()[:30])
    log(opened(tmp_path, step=10), 20, a=2.0)
    assert scalars(tmp_path)["a"] == [(10, 1.0), (20, 2.0)]


def test_full_disk_is_said_once_and_leaves_whole_records(opened, tmp_path):
    lines: list[str] = []
    logger = opened(tmp_path, report=lines.append)
    log(logger, 10, a=1.0)
    [file] = logger.output_formats
    assert isinstance(file, EventFile)
    whole = file._records._writer

    class Full:
        """Takes half of what it is given."""

        def write(self, data: bytes) -> None:
            whole.write(data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")

    file._records._writer = Full()
    log(logger, 20, a=2.0)
    log(logger, 30, a=3.0)
    file._records._writer = whole
    log(logger, 40, a=4.0)
    assert lines == ["TensorBoard's file cannot be written (No space left on device). Training goes on without it."]
    assert scalars(tmp_path)["a"] == [(10, 1.0), (40, 4.0)]


def test_speed_is_measured_by_a_clock_that_does_not_jump(opened, tmp_path, monkeypatch):
    seconds = itertools.count(100.0, 2.0)
    monkeypatch.setattr(time, "monotonic", lambda: next(seconds))
    logger = opened(tmp_path, step=1000)
    logger.record("time/fps", -12345)
    logger.record("time/time_elapsed", -86400, exclude="tensorboard")
    logger.dump(1500)
    assert scalars(tmp_path) == {"time/fps": [(1500, 250.0)]}


def test_what_was_not_yet_written_can_be_taken_over(opened, tmp_path):
    first, second = RunLogger(), opened(tmp_path)
    first.record("a", 1.5)
    first.record("hidden", 3.0, exclude="tensorboard")
    first.record("none", math.nan)
    for value in (1.0, 3.0):
        first.record_mean("mean", value)
    second.record("forgotten", 1.0)
    second.put_pending(first.pending())
    second.record_mean("mean", 8.0)
    second.dump(10)
    found = scalars(tmp_path)
    assert found["a"] == [(10, 1.5)]
    assert found["mean"] == [(10, 4.0)]
    assert math.isnan(found["none"][0][1])
    assert set(found) == {"a", "mean", "none"}
