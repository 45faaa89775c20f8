"""Trainings in processes of their own: as many at a time as asked, and all end when they are interrupted."""

import signal
import threading

import pytest

from hotlap.scaleout.interrupting import terminating_as_interrupting
from hotlap.scaleout.training_process import side_by_side


@pytest.mark.parametrize("heard", [signal.SIG_IGN, signal.default_int_handler])
def test_terminating_interrupts_also_where_a_shell_took_ctrl_c_away(heard):
    before = signal.signal(signal.SIGINT, heard)
    try:
        with terminating_as_interrupting(), pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGINT, before)


def test_as_many_work_at_a_time_as_there_are_workers_and_each_is_reported():
    together, told = threading.Barrier(2, timeout=60), []

    def work(name, _stop):
        together.wait()
        return f"{name} is done"

    side_by_side(["a", "b", "c", "d"], 2, work, told.append)
    assert sorted(line.split()[0] for line in told) == ["a", "b", "c", "d"]
    assert [line.partition("(")[2] for line in told] == ["1 of 4)", "2 of 4)", "3 of 4)", "4 of 4)"]


def test_when_one_breaks_all_others_are_asked_to_stop_and_nothing_new_begins():
    stopped = []

    def work(name, stop):
        if name == "broken":
            raise ValueError(name)
        stopped.append(stop.wait(60))
        return name

    with pytest.raises(ValueError, match="broken"):
        side_by_side(["long", "broken", *["never"] * 8], 2, work, lambda _line: None)
    assert all(stopped)
