"""Hotlap on other systems and with less installed: no POSIX-only module is needed, and gym.make needs no learner."""

import ast
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hatch_build import PAGES, PagesAreThere
from packaging.requirements import Requirement

from other_system import POSIX_ONLY

TESTS = Path(__file__).parent
SOURCES = TESTS.parent / "src"
PROJECT = tomllib.loads((TESTS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OTHER_SYSTEM = "from other_system import become_another_system, hide\nbecome_another_system()\n"
MODULE_NAMES = {"stable-baselines3": "stable_baselines3"}


def run(script: str, folder: Path) -> str:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), str(SOURCES)])}
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=240,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def imported_at_once(path: Path) -> set[str]:
    """The packages that a module imports when it is imported itself."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    plain = {alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names}
    return {name.split(".")[0] for name in plain | {node.module for node in tree.body if is_absolute(node)}}


def is_absolute(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module is not None


def test_no_module_needs_posix_at_import():
    assert not {path for path in SOURCES.rglob("*.py") if imported_at_once(path) & POSIX_ONLY}


def test_run_is_saved_locked_and_loaded_without_posix(tmp_path):
    script = """
import numpy as np
from pathlib import Path
from hotlap.checkpoints import Checkpoint, RunLock, newest_checkpoint, save_checkpoint, write_document
from hotlap.errors import RunLockedError
run = Path("run"); run.mkdir()
with RunLock(run):
    save_checkpoint(run, Checkpoint(7, {"policy": {"bias": np.arange(3.0)}}))
    write_document(run / "best.json", {"step": 7})
    try:
        RunLock(run).acquire()
    except RunLockedError as refusal:
        print(refusal)
print(newest_checkpoint(run, print).tensors["policy"]["bias"].tolist())
"""
    said = run(OTHER_SYSTEM + script, tmp_path)
    assert "is training this run" in said
    assert said.endswith("[0.0, 1.0, 2.0]\n")


def test_curve_is_followed_without_posix(tmp_path):
    script = """
from pathlib import Path
from hotlap.checkpoints.curve import CurveFollower
curve, follower = Path("curve.jsonl"), CurveFollower(Path())
for step in (1, 2):
    with curve.open("ab") as file:
        file.write(b'{"step": %d, "seconds": 0.5}\\n' % step)
    print([point.step for point in follower.read_on()[1]])
"""
    assert run(OTHER_SYSTEM + script, tmp_path) == "[1]\n[2]\n"


def test_threads_yield_and_stay_where_cores_cannot_be_chosen(tmp_path):
    script = """
from hotlap.systems import keep_threads_to_cores, keep_to_cores, let_others_run, usable_cores
let_others_run()
keep_to_cores([0])
keep_threads_to_cores([0])
print(len(usable_cores()) > 0)
"""
    assert run(OTHER_SYSTEM + script, tmp_path) == "True\n"


def test_deadline_after_a_signal_needs_no_alarm(tmp_path):
    script = """
import signal, time
from hotlap.training import signals
signals.DEADLINE_S = 0.05
with signals.StopSignals() as stop:
    signal.raise_signal(signal.SIGTERM)
    try:
        while True:
            time.sleep(0.01)
    except signals.DeadlineError:
        print("cut", stop.number)
"""
    assert run(OTHER_SYSTEM + script, tmp_path) == "cut 15\n"


def test_signal_reaches_a_loop_that_knows_no_signals(tmp_path):
    script = """
import asyncio, signal
from hotlap.systems import forget_signal, on_signal
class Loop(asyncio.SelectorEventLoop):
    def add_signal_handler(self, number, callback): raise NotImplementedError
    def remove_signal_handler(self, number): raise NotImplementedError
async def main():
    told, loop = asyncio.Event(), asyncio.get_running_loop()
    on_signal(loop, signal.SIGTERM, told.set)
    loop.call_soon(signal.raise_signal, signal.SIGTERM)
    await told.wait()
    forget_signal(loop, signal.SIGTERM)
    print("told")
with asyncio.Runner(loop_factory=Loop) as runner:
    runner.run(main())
"""
    assert run(script, tmp_path) == "told\n"


# With less installed


def modules_of(lines: list[str]) -> set[str]:
    names = {Requirement(line).name for line in lines}
    return {MODULE_NAMES.get(name, name) for name in names if not name.startswith("hotlap")}


def test_worlds_drive_with_the_core_alone(tmp_path):
    """Everything that only extras bring is hidden, and so is POSIX."""
    extras = PROJECT["optional-dependencies"]
    hidden = modules_of([line for lines in extras.values() for line in lines]) - modules_of(PROJECT["dependencies"])
    assert {"torch", "stable_baselines3", "starlette", "onnxruntime", "matplotlib"} <= hidden
    script = f"""
hide({sorted(hidden)!r})
import gymnasium as gym, hotlap
for name in ("Racer-v0", "Highway-v0", "HighwayDiscrete-v0"):
    env = gym.make(f"hotlap/{{name}}")
    env.reset(seed=0); env.step(env.action_space.sample())
    many = gym.make_vec(f"hotlap/{{name}}", num_envs=4)
    many.reset(seed=0); many.step(many.action_space.sample())
from hotlap.cli import main
assert main(["tracks", "list"]) == 0
assert main(["train"]) == 2
"""
    said = run(OTHER_SYSTEM + script, tmp_path)
    assert "track-01" in said


# The wheel


def looked_at(root: Path, version: str) -> None:
    PagesAreThere(str(root), {}, None, None, str(root), "wheel").initialize(version, {})


def test_wheel_without_the_pages_is_refused(tmp_path):
    with pytest.raises(RuntimeError, match=r"index.html and highway.html not built.*make frontend"):
        looked_at(tmp_path, "standard")
    looked_at(tmp_path, "editable")
    static = tmp_path / "src" / "hotlap" / "web" / "static"
    static.mkdir(parents=True)
    for name in PAGES:
        (static / name).touch()
    looked_at(tmp_path, "standard")
