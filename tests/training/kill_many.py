"""Start a training many times over and kill it at random moments; run as a process of its own.

Each trainer is a fork of this process, which has everything loaded and no threads, so that hundreds of kills cost
little. Prints one JSON object: how many kills there were, at how many different steps, and the hash of the weights that
the run ended with.
"""

import json
import os
import random
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from stable_baselines3.common.callbacks import BaseCallback

from hotlap.checkpoints import newest_checkpoint
from hotlap.racer.fingerprint import physics_fingerprint
from hotlap.training.config import TrainConfig
from hotlap.training.session import open_session
from hotlap.training.train import resume, train
from training.tiny_runs import CARS, steps_saved, tiny_config, weights_hash

ROLLOUT = 16 * CARS
CONFIG = tiny_config(steps=80 * ROLLOUT, checkpoint={"keep_last": 2, "first_past": ROLLOUT})
LONGEST_S = 0.1
MOST_ROLLOUTS = 4
TRAINING_SHARE = 0.8


class Announce(BaseCallback):
    """Writes the step at which each rollout starts into a file, for whoever comes after the kill."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path

    def _on_rollout_start(self) -> None:
        self.path.write_text(str(self.model.num_timesteps), encoding="ascii")

    def _on_step(self) -> bool:
        return True


def begin(root: Path, config: TrainConfig) -> None:
    """Train the run, or go on with it."""
    if (root / "run" / "run.json").exists():
        resume(root / "run", watchers=[Announce(root / "announced")])
    else:
        train(config, "run", root, watchers=[Announce(root / "announced")])


def warm_up() -> None:
    """What takes long the first time in a process, once for all forks."""
    physics_fingerprint()
    session = open_session(CONFIG)
    session.env.reset()
    session.export_policy()


def fork_trainer(root: Path, config: TrainConfig = CONFIG) -> int:
    """A child that trains; its pid."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        begin(root, config)
        status = 0
    finally:
        os._exit(status)


def wait_until_it_trains(root: Path, pid: int) -> None:
    """Until the trainer starts another rollout, or has ended; its zombie waits to be collected."""
    before = (root / "announced").stat().st_mtime_ns
    while (root / "announced").stat().st_mtime_ns == before:
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return
        time.sleep(0.002)


def compile_what_it_needs(root: Path) -> None:
    """A short training in a fork: those that are killed would compile the same again and again."""
    (root / "announced").write_text("0", encoding="ascii")
    _, status = os.waitpid(fork_trainer(root, replace(CONFIG, steps=2 * ROLLOUT)), 0)
    assert os.waitstatus_to_exitcode(status) == 0, "the run could not be made"


def main(root: Path, seed: int, most_kills: int) -> None:
    """Kill again and again, then let the run come to its end."""
    warm_up()
    with TemporaryDirectory() as first:
        compile_what_it_needs(Path(first))
    moments, kills = random.Random(seed), 0
    places = set()
    (root / "announced").write_text("0", encoding="ascii")
    while kills < most_kills:
        pid = fork_trainer(root)
        if moments.random() < TRAINING_SHARE:
            for _ in range(moments.randint(1, MOST_ROLLOUTS)):  # by its progress: a slow machine makes as much of it
                wait_until_it_trains(root, pid)
        time.sleep(moments.uniform(0.0, LONGEST_S))
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        if not os.WIFSIGNALED(status):
            break
        kills += 1
        announced = int((root / "announced").read_text(encoding="ascii") or 0)
        newest = newest_checkpoint(root / "run", lambda _line: None).step if steps_saved(root / "run") else 0
        assert newest >= announced - ROLLOUT, f"{announced - newest} steps lost"
        places.add(newest)
    _, status = os.waitpid(fork_trainer(root), 0)
    assert os.waitstatus_to_exitcode(status) == 0, "the run could not be resumed"
    last = steps_saved(root / "run")[-1]
    result = {"kills": kills, "places": len(places), "step": last, "weights": weights_hash(root / "run", last)}
    sys.stdout.write(json.dumps(result))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
