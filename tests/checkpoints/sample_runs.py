"""Small runs to save, damage and load again, and child processes to do it in."""

import os
import shutil
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hotlap.checkpoints import (
    Checkpoint,
    RunLock,
    list_checkpoints,
    load_checkpoint,
    newest_checkpoint,
    prune_checkpoints,
    save_checkpoint,
    step_of,
    write_document,
)

CRASHED = 99


def sample_checkpoint(step: int, floats: int = 600) -> Checkpoint:
    """A little of everything a trainer saves; every step differs from every other in every file."""
    rng = np.random.default_rng(step)
    return Checkpoint(
        step=step,
        tensors={
            "policy": {"weight": rng.normal(size=(floats // 20, 20)), "bias": rng.normal(size=7).astype(np.float32)},
            "optimizer": {"exp_avg": rng.normal(size=floats).astype(np.float32), "step": np.array(step)},
            "replay": {"done": rng.integers(0, 2, size=33).astype(np.bool_), "empty": np.zeros((0, 4), np.float16)},
        },
        documents={"config": {"algorithm": "ppo", "seed": step}, "counters": {"steps": step, "best": None}},
        files={"policy.onnx": rng.bytes(1500)},
    )


def assert_same(one: Checkpoint, other: Checkpoint) -> None:
    """Equal to the bit: steps, names, dtypes, shapes, bytes."""
    assert one.step == other.step
    assert one.documents == other.documents
    assert one.files == other.files
    assert one.tensors.keys() == other.tensors.keys()
    for group, tensors in one.tensors.items():
        assert tensors.keys() == other.tensors[group].keys()
        for name, array in tensors.items():
            twin = other.tensors[group][name]
            assert (array.dtype, array.shape) == (twin.dtype, twin.shape)
            assert array.tobytes() == twin.tobytes()


def assert_intact(path: Path) -> None:
    """The folder holds exactly the sample of its step."""
    step = step_of(path)
    assert step is not None
    assert_same(load_checkpoint(path), sample_checkpoint(step))


def assert_usable(run: Path, step: int) -> None:
    """The run takes another checkpoint, finds it again, and is tidy afterwards."""
    save_checkpoint(run, sample_checkpoint(step))
    assert_same(newest_checkpoint(run, _refuse_report), sample_checkpoint(step))
    names = {path.name for path in (run / "checkpoints").iterdir()}
    assert names == {path.name for path in list_checkpoints(run)}


def _refuse_report(line: str) -> None:
    raise AssertionError(line)


def go_on(run: Path) -> None:
    """What a trainer does between two rollouts: lock, save, note the best, prune."""
    with RunLock(run):
        save_checkpoint(run, sample_checkpoint(3))
        write_document(run / "best.json", {"step": 3})
        prune_checkpoints(run, keep_last=2)


def go_on_from_nothing(run: Path) -> None:
    """Two checkpoints, then what a trainer does."""
    for step in (1, 2):
        save_checkpoint(run, sample_checkpoint(step))
    go_on(run)


def start_child(work: Callable[[], object]) -> int:
    """Do the work in a forked process; returns its pid. It ends with 0, or 99 when the work raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # our children touch no thread of the parent
        pid = os.fork()
    if pid:
        return pid
    status = CRASHED
    try:
        work()
        status = 0
    except BaseException:  # noqa: BLE001 - a child must never return into the test runner
        traceback.print_exc()
    finally:
        os._exit(status)


def wait_for(pid: int) -> int:
    """The exit code of a child; minus the signal when one ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def run_child(work: Callable[[], object]) -> int:
    """Do the work in a forked process and wait for its exit code."""
    return wait_for(start_child(work))


def on_small_disk(folder: Path, size: str, script: str) -> subprocess.CompletedProcess[str]:
    """Run a script in which `disk` is the folder, with a disk of the given size mounted there."""
    prelude = f"from pathlib import Path; from hotlap.checkpoints import *; disk = Path({str(folder)!r})\n"
    inside = f'mount -t tmpfs -o size={size} none "$0" && exec "$1" -c "$2"'
    alone = ["unshare", "--user", "--map-root-user", "--mount"]
    if shutil.which("unshare") is None or subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        pytest.skip("the system does not let us mount a disk")
    command = [*alone, "sh", "-c", inside, str(folder), sys.executable, prelude + script]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent.parent)}
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=240, check=False)
