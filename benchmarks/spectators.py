"""What watching a live training costs the trainer: `python -m benchmarks.spectators`."""

import dataclasses
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tyro
from stable_baselines3.common.callbacks import BaseCallback

from benchmarks.spectator_crowd import COME, GO, GONE, HERE
from hotlap.bridge.spawn import spawned_server
from hotlap.errors import ConfigError, WebError
from hotlap.training.config import EvaluationSettings, TrainConfig, load_preset
from hotlap.training.train import train
from hotlap.web.live import MOST_SPECTATORS

PLAYING_AT = "playing at "
PRESET = "racer-ppo"
SAVE_EVERY = "5s"
USER_FIELD = 11


@dataclass(frozen=True)
class SpectatorMeasurement:
    """What to measure."""

    spectators: int = 64
    """How many watch at once, 1 to 64."""
    pairs: int = 30
    """Blocks with spectators, each between two without; more give a narrower answer."""
    rollouts: int = 3
    """Rollouts and updates of racer-ppo in a block that are timed; one more before them is not."""
    target: float = 5.0
    """Percent of its speed that the trainer may lose; above it the exit code is 1."""
    json: bool = False
    """Print one JSON object instead of a sentence."""

    def __post_init__(self) -> None:
        if not 1 <= self.spectators <= MOST_SPECTATORS or self.pairs < 1 or self.rollouts < 1:
            raise ConfigError(f"spectators must be from 1 to {MOST_SPECTATORS}, pairs and rollouts at least 1.")


class Crowd:
    """Spectators in another process."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def be(self, *, present: bool) -> None:
        """Wait until all are here, or all are gone."""
        if self._process.stdin is None or self._process.stdout is None:
            raise WebError("the spectators cannot be told anything. Start them with pipes.")
        self._process.stdin.write(f"{COME if present else GO}\n")
        self._process.stdin.flush()
        if self._process.stdout.readline().strip() != (HERE if present else GONE):
            raise WebError("the spectators could not watch; what their process says is above.")


class Block(NamedTuple):
    """Some rollouts and updates of the trainer."""

    wall_s: float
    """How long they took."""
    server_s: float
    """Processor time of the server meanwhile."""


class Turns(BaseCallback):
    """Lets the crowd come and go between rollouts, and times the blocks."""

    def __init__(self, crowd: Crowd, server_pid: int, rollouts: int) -> None:
        super().__init__()
        self.crowd = crowd
        self.server_pid = server_pid
        self.length = rollouts + 1
        self.blocks: list[Block] = []
        """Without spectators, with, without, …"""
        self._rollout = 0
        self._began = self._clocks()

    def _on_rollout_start(self) -> None:
        place = self._rollout % self.length
        if place == 0 and self._rollout:
            now = self._clocks()
            self.blocks.append(Block(*(end - begin for end, begin in zip(now, self._began, strict=True))))
            self.crowd.be(present=len(self.blocks) % 2 == 1)
        if place == 1:
            self._began = self._clocks()
        self._rollout += 1

    def _clocks(self) -> Block:
        return Block(time.perf_counter(), processor_s(self.server_pid))

    def _on_step(self) -> bool:
        return True


def processor_s(pid: int) -> float:
    """Seconds of processor time a process has used; not known, so none, where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return math.nan
    return (int(fields[USER_FIELD]) + int(fields[USER_FIELD + 1])) / os.sysconf("SC_CLK_TCK")


def run_spectators_benchmark(wanted: SpectatorMeasurement) -> int:
    """Measure and print; 0 when the trainer loses no more than the target, 1 when it does."""
    with tempfile.TemporaryDirectory(prefix="hotlap-benchmark-") as root:
        blocks = measure(wanted, Path(root))
    result = summary(wanted, blocks)
    sys.stdout.write((json.dumps(result) if wanted.json else sentence(result)) + "\n")
    return 0 if result["passed"] else 1


def measure(wanted: SpectatorMeasurement, root: Path) -> list[Block]:
    """Blocks without and with spectators, in turns."""
    play = ("hotlap.cli", "play", "--no-open", "--port", "0", "--root", str(root))
    with spawned_server(play, PLAYING_AT) as server, crowd_of(wanted.spectators, server.url) as crowd:
        turns = Turns(crowd, server.process.pid, wanted.rollouts)
        result = train(watched_config(wanted), "run", root, _say, watchers=[turns])
        if result.stopped_by is not None:
            raise KeyboardInterrupt
    return turns.blocks


def watched_config(wanted: SpectatorMeasurement) -> TrainConfig:
    """The preset, just long enough, with a new driver to look at every few seconds and no evaluations in between."""
    config = load_preset(PRESET)
    rollouts = (2 * wanted.pairs + 1) * (wanted.rollouts + 1) + 1
    return dataclasses.replace(
        config,
        steps=rollouts * config.cars * config.ppo.n_steps,
        checkpoint_every=SAVE_EVERY,
        evaluation=EvaluationSettings(every_steps=0),
    )


@contextmanager
def crowd_of(count: int, address: str) -> Iterator[Crowd]:
    """So many spectators, not here yet."""
    command = [sys.executable, "-m", "benchmarks.spectator_crowd", address, str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        try:
            yield Crowd(process)
        finally:
            process.terminate()


def summary(wanted: SpectatorMeasurement, blocks: list[Block]) -> dict[str, Any]:
    """What the trainer lost by the clock, with its uncertainty, and how busy the server kept a core meanwhile.

    By the clock: the median over the watched blocks, each beside the mean of its two neighbours. The server's part of a
    core is the most that a trainer with a core to itself can lose, and is as sharp on a busy machine as on a quiet one.
    """
    alone, watched = blocks[::2], blocks[1::2]
    beside_s = np.array([(before.wall_s + after.wall_s) / 2 for before, after in pairwise(alone)])
    costs = np.sort(100.0 * (1.0 - beside_s / np.array([block.wall_s for block in watched])))
    # Ranks between which the true median lies in 95 of 100 measurements, whatever the distribution.
    low = max(0, math.floor(len(costs) / 2 - 0.98 * math.sqrt(len(costs))))
    busy = 100.0 * sum(block.server_s for block in watched) / sum(block.wall_s for block in watched)
    return {
        "spectators": wanted.spectators,
        "pairs": len(costs),
        "cost_percent": float(np.median(costs)),
        "cost_percent_low": float(costs[low]),
        "cost_percent_high": float(costs[-1 - low]),
        "server_core_percent": None if math.isnan(busy) else busy,
        "target": wanted.target,
        "passed": bool(costs[low] <= wanted.target) and not busy > wanted.target,
    }


def sentence(result: dict[str, Any]) -> str:
    """The figures for people."""
    span = f"{result['cost_percent_low']:.1f} to {result['cost_percent_high']:.1f}"
    busy = result["server_core_percent"]
    kept = "an unknown part" if busy is None else f"{busy:.2f} %"
    return (
        f"{result['spectators']} spectators cost the trainer {result['cost_percent']:.1f} % of its speed by the clock "
        f"(median of {result['pairs']} pairs; 95 %: {span})\n"
        f"their server kept {kept} of one core busy\n"
        f"target at most {result['target']:g} %: {'reached' if result['passed'] else 'MISSED'}"
    )


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    sys.exit(run_spectators_benchmark(tyro.cli(SpectatorMeasurement)))
