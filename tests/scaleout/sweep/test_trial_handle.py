"""How the process of a training ended, and what the sweep makes of it."""

import signal
import subprocess
import sys

import pytest

from hotlap.scaleout import training_process
from hotlap.scaleout.sweep.folder import SweepFolder
from hotlap.scaleout.sweep.spec import SweepSpec
from hotlap.scaleout.sweep.trial_handle import TrialProcess

ENDS = {
    "failed": ["raise SystemExit(2)", *(f"import os; os.kill(os.getpid(), {number})" for number in (9, 11))],
    "waiting": ["raise SystemExit(143)", "raise SystemExit(130)", "import os; os.kill(os.getpid(), 15)"],
}


@pytest.fixture
def folder(tmp_path):
    folder = SweepFolder(tmp_path / "sweep")
    folder.begin(SweepSpec())
    return folder


def started(monkeypatch, folder, code):
    """A training that runs this code instead."""
    popen = subprocess.Popen
    monkeypatch.setattr(
        training_process.subprocess, "Popen", lambda _command, **options: popen([sys.executable, "-c", code], **options)
    )
    return TrialProcess(folder, folder.names()[0])


@pytest.mark.parametrize(("state", "code"), [(state, code) for state, codes in ENDS.items() for code in codes])
def test_only_a_training_that_was_asked_to_stop_is_waiting(monkeypatch, folder, state, code):
    with started(monkeypatch, folder, code) as process:
        assert process.wait()
        process.stop()
        assert not process.note_end()
    assert folder.record(process.name).state == state


def test_a_training_that_the_sweep_had_to_kill_is_waiting(monkeypatch, folder):
    with started(monkeypatch, folder, "import signal; signal.pause()") as process:
        monkeypatch.setattr(process._process, "terminate", lambda: process._process.send_signal(signal.SIGKILL))
        process.stop()
        assert not process.note_end()
    assert folder.record(process.name).state == "waiting"
