"""Both worlds on a GPU: what is compared, and what is said where there is none.

No machine of the tests has a GPU. A stand-in with memory of its own runs the same kernels on the cores, so that what is
put there, launched and compared is the real thing; `hotlap benchmark gpu` does it with the real GPU.
"""

import ctypes

import numpy as np
import pytest

from hotlap import cli
from hotlap.benchmark.gpu import CONTESTS, GpuCopy, Outcome, begun, compare, on_tape, random_tape, rates
from hotlap.export.world_browser import browser_of
from hotlap.native_code import native_entry


class CoresAsGpu:
    """Memory apart from the batch's, and launches that call the native kernel."""

    def __init__(self):
        self.arrays = {}

    def put(self, array):
        copy = array.copy()
        self.arrays[copy.ctypes.data] = copy
        return copy.ctypes.data

    def read(self, address, like):
        assert self.arrays[address].nbytes == like.nbytes
        return self.arrays[address].copy()

    def copy(self, to, source, size):
        assert self.arrays[to].nbytes == self.arrays[source].nbytes == size
        ctypes.memmove(to, source, size)

    def launch(self, kernel, addresses, work, stream=0):
        kernel(addresses, 0, work.cars, work.mode)

    def wait(self):
        pass


@pytest.fixture(scope="module", params=CONTESTS, ids=[contest.name for contest in CONTESTS])
def contest(request):
    return request.param


@pytest.fixture(scope="module")
def kernel(contest):
    return native_entry(browser_of(contest.world).entries[contest.function])


def test_same_kernels_with_the_same_actions_drive_the_same_drive(contest, kernel):
    assert compare(CoresAsGpu(), kernel, contest, ticks=20) == (0.0, 0)


def test_every_number_and_every_flag_that_differs_is_seen(contest, kernel):
    gpu, batch = CoresAsGpu(), begun(contest, 8).batch
    copy = GpuCopy(gpu, batch, kernel)
    assert copy.differences() == (0.0, 0)
    floats = next(array for array in batch.groups[0] if array.dtype.kind == "f")
    floats[3] += 1e-6
    counters = next(array for array in batch.groups[0] if array.dtype.kind != "f")
    counters[5] += 1
    largest, differing = copy.differences()
    assert largest == pytest.approx(1e-6)
    assert differing == 1


def test_copy_is_driven_by_the_actions_it_is_given(contest, kernel):
    gpu, batch = CoresAsGpu(), begun(contest, 8).batch
    copy = GpuCopy(gpu, batch, kernel)
    tape = random_tape(contest.leaning, 3, 8)
    for addresses in on_tape(gpu, tape):
        copy.step(addresses)
    assert copy.differences()[0] > 0.0
    for actions in tape:
        batch.set_actions(actions.T)
        batch.step()
    assert copy.differences() == (0.0, 0)


def test_rates_are_of_both(contest, kernel):
    on_gpu, on_cores = rates(CoresAsGpu(), kernel, contest, 1024, 10, 1)
    assert on_gpu > 1000.0
    assert on_cores > 1000.0


def test_tape_is_smooth_and_within_bounds():
    tape = random_tape(CONTESTS[0].leaning, 40, 100)
    assert np.abs(tape).max() <= 1.0
    assert np.abs(np.diff(tape, axis=0)).max() < 0.7


@pytest.mark.parametrize(("difference", "counts", "agrees"), [(1e-10, 0, True), (1e-8, 0, False), (0.0, 1, False)])
def test_worlds_agree_only_with_close_numbers_and_equal_flags(difference, counts, agrees):
    assert Outcome("racer", 1, 1.0, 1.0, 600, difference, counts).agrees is agrees


def test_machine_without_a_driver_is_told_so(capsys, monkeypatch):
    monkeypatch.setattr("hotlap.devices.driver.LIBRARY", "libnone.so.1")
    assert cli.main(["benchmark", "gpu"]) == 2
    assert "no NVIDIA driver here" in capsys.readouterr().err


def test_too_few_cars_are_refused(capsys):
    assert cli.main(["benchmark", "gpu", "--cars", "3"]) == 2
    assert "--cars must be a whole number from 1024" in capsys.readouterr().err
