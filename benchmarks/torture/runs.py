"""Attacks on runs: trainers that are killed or asked to stop at any moment, and bits that flip on the disk."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.torture.figures import Figure
from hotlap.checkpoints import load_checkpoint, newest_checkpoint, save_checkpoint
from hotlap.errors import CheckpointError

TESTS = Path(__file__).parents[2] / "tests"
LONGEST_STOP_S = 10.0
KILLS_A_RUN = 25


def kills(seconds: float, seed: int) -> list[Figure]:
    """Kill trainers at random moments until the time is over; every run must still come to the same end."""
    end_s, count = time.monotonic() + seconds, 0
    ends: set[str] = set()
    broken: list[list[str]] = []
    while time.monotonic() < end_s or not (ends or broken):
        seed += 1
        with tempfile.TemporaryDirectory() as root:
            words = [sys.executable, str(TESTS / "training" / "kill_many.py"), root, str(seed), str(KILLS_A_RUN)]
            done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment())
        if done.returncode:
            broken.append(done.stderr.strip().splitlines()[-1:])
            continue
        result = json.loads(done.stdout.splitlines()[-1])
        count += result["kills"]
        ends.add(result["weights"])
    return [
        Figure(1, f"{count} kills, {len(broken)} runs broken {broken or ''}".strip(), not broken),
        Figure(5, f"{len(ends)} set(s) of weights at the end of all {count} kills", len(ends) == 1),
    ]


def signals(seconds: float, seed: int) -> list[Figure]:
    """Ask trainers to stop at random moments; each must be saved, and resume, quickly."""
    words = [sys.executable, "-m", "benchmarks.torture.runs", str(seconds), str(seed)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment())
    if done.returncode:
        return [Figure(4, f"broke: {done.stderr.strip().splitlines()[-1:]}", held=False)]
    count, longest_s, lost = json.loads(done.stdout.splitlines()[-1])
    text = f"{count} signals, the slowest end took {longest_s:.1f} s, {lost} not saved"
    return [Figure(4, text, longest_s <= LONGEST_STOP_S and lost == 0 and count > 0)]


def flips(seconds: float, seed: int) -> list[Figure]:
    """Flip single bits of a checkpoint's files until the time is over; the loader must find every one."""
    from checkpoints.sample_runs import sample_checkpoint  # noqa: PLC0415 - the tests are on the path by now

    dice, end_s, count, missed = random.Random(seed), time.monotonic() + seconds, 0, []
    run = Path(tempfile.mkdtemp())
    folder = save_checkpoint(run, sample_checkpoint(1))
    files = sorted(path for path in folder.iterdir() if path.stat().st_size)
    while time.monotonic() < end_s:
        path = dice.choice(files)
        whole = path.read_bytes()
        bit = dice.randrange(8 * len(whole))
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        try:
            load_checkpoint(folder)
            missed.append(f"{path.name} bit {bit}")
        except CheckpointError:
            count += 1
        path.write_bytes(whole)
    shutil.rmtree(run)
    return [Figure(6, f"{count:,} flips found, {len(missed)} missed {missed[:3] or ''}".strip(), not missed)]


def environment() -> dict[str, str]:
    """For processes of ours: the package, its tests and these attacks can be imported."""
    paths = [str(TESTS), str(TESTS.parent), *filter(None, sys.path)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def stop_many(seconds: float, seed: int) -> tuple[int, float, int]:
    """Fork trainers and signal each once; how many, the longest time to the end, and how many were not saved."""
    from training import kill_many  # noqa: PLC0415 - the tests are on the path by now

    kill_many.warm_up()
    dice, end_s, count, longest_s, lost = random.Random(seed), time.monotonic() + seconds, 0, 0.0, 0
    while time.monotonic() < end_s:
        root = Path(tempfile.mkdtemp())
        (root / "announced").write_text("0", encoding="ascii")
        pid = kill_many.fork_trainer(root)
        kill_many.wait_until_it_trains(root, pid)
        time.sleep(dice.uniform(0.0, 0.5))
        os.kill(pid, dice.choice([signal.SIGTERM, signal.SIGINT]))
        began_s = time.monotonic()
        _, status = os.waitpid(pid, 0)
        longest_s, count = max(longest_s, time.monotonic() - began_s), count + 1
        announced = int((root / "announced").read_text(encoding="ascii") or 0)
        lost += os.waitstatus_to_exitcode(status) != 0 or saved_step(root / "run") < announced
        shutil.rmtree(root)
    return count, longest_s, lost


def saved_step(run: Path) -> int:
    """The step of the newest checkpoint that loads; -1 without one."""
    try:
        return newest_checkpoint(run, lambda _line: None).step
    except CheckpointError:
        return -1


if __name__ == "__main__":
    print(json.dumps(stop_many(float(sys.argv[1]), int(sys.argv[2]))))
