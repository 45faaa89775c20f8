"""What runs on the cluster: the job's commands one after the other, until its time is up; then keeps what they made.

`python -m hotlap.scaleout.jobs.process` takes its orders, one JSON object, from the variable HOTLAP_JOB.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from hotlap.progress import say
from hotlap.scaleout.jobs.artefacts import store
from hotlap.systems import ASK_TO_END, END, signal_group

ORDERS = "HOTLAP_JOB"
TIME_IS_UP = 124  # what timeout(1) reports
NO_STORAGE = 2
GRACE_S = 15.0
LOOK_S = 0.5


def main() -> int:
    """Run the job; the exit code of the first command that failed, or 0."""
    orders = json.loads(os.environ[ORDERS])
    signal.signal(signal.SIGTERM, _interrupt)
    if not _storage_is_there(orders["storage"]):
        return NO_STORAGE
    code = 143
    try:
        code = run_all(orders["commands"], time.monotonic() + orders["seconds"])
    except KeyboardInterrupt:
        say("the job was asked to stop")
    finally:
        if orders["storage"]:
            count = store(Path.cwd(), orders["keep"], Path(orders["storage"]), code)
            say(f"kept {count} files in {orders['storage']}")
    return code


def _storage_is_there(storage: str) -> bool:
    """Whether what the job makes can be kept; better known before hours of training than after."""
    folder = Path(storage).parent
    if not storage or folder.is_dir():
        return True
    say(f"{folder}, the job's storage, is no folder on this machine. Mount it, make it, or name another. Nothing ran.")
    return False


def run_all(commands: Sequence[Sequence[str]], end_s: float) -> int:
    """One command after the other, until one fails or the time is up."""
    for words in commands:
        say(f"$ {' '.join(words)}")
        code = run_one(words, end_s)
        if code != 0:
            say(f"ended with {code}")
            return code
    return 0


def run_one(words: Sequence[str], end_s: float) -> int:
    """One command in a process group of its own, all of which is asked to end where the command is cut short."""
    # The same hotlap as this one, wherever it was installed.
    command = [sys.executable, "-m", "hotlap.cli", *words[1:]] if words[0] == "hotlap" else list(words)
    process = subprocess.Popen(command, process_group=0)  # noqa: S603 - what the user's own job says
    try:
        while True:
            try:
                return process.wait(LOOK_S)
            except subprocess.TimeoutExpired:
                if time.monotonic() > end_s:
                    say("the job's max_duration is over")
                    return TIME_IS_UP
    finally:
        _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ask the group to stop, wait a little, and make sure."""
    if process.poll() is None:
        signal_group(process.pid, ASK_TO_END)
        try:
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            signal_group(process.pid, END)
            process.wait()


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
