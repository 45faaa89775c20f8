"""What a benchmark run found, for people as tables and for machines as JSON."""

import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import hotlap
from hotlap.benchmark.peers import HOW_TO_INSTALL, PeerRate
from hotlap.errors import ConfigError
from hotlap.evaluation.table import console_for_results, empty_table, print_table
from hotlap.racer.physics import TICKS_PER_SECOND


@dataclass(frozen=True)
class BatchRate:
    """Ticks per second of a batch on one core and on all."""

    track: str
    layout: str
    one_core: float
    all_cores: float


@dataclass(frozen=True)
class Findings:
    """Everything a run measured; rates per second, times as the names say."""

    machine: dict[str, Any]
    settings: dict[str, int]
    batches: list[BatchRate]
    vector_env_steps_per_s: float
    env_steps_per_s: float
    env_reset_us: float
    start_up_warm_s: float
    start_up_cold_s: float
    state_bytes_per_car: int
    all_bytes_per_car: int
    peers: list[PeerRate]
    peers_missing: list[str]


def describe_machine() -> dict[str, Any]:
    """What the figures depend on."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "hotlap": hotlap.__version__,
        **{package: version(package) for package in ("gymnasium", "numba", "numpy")},
    }


def _processor() -> str:
    """The processor's name where the system tells it, else its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def print_json(findings: Findings) -> None:
    """One JSON object on stdout."""
    sys.stdout.write(json.dumps(asdict(findings), indent=2) + "\n")


def print_tables(findings: Findings, console: Console | None = None) -> None:
    """A page of tables on stdout."""
    console = console or console_for_results()
    machine = findings.machine
    console.print(
        f"\n[bold]Hotlap {machine['hotlap']}[/] on {machine['cores']} cores of {machine['processor']}, "
        f"Python {machine['python']}, numba {machine['numba']}. Best of {findings.settings['repeats']}.\n"
    )
    print_table(console, _batch_table(findings))
    print_table(console, _single_table(findings))
    if findings.peers:
        print_table(console, _peer_table(findings))
    if findings.peers_missing:
        console.print(f"Not installed: {', '.join(findings.peers_missing)}. To compare with them: ", end="")
        console.print(HOW_TO_INSTALL, markup=False)


def _batch_table(findings: Findings) -> Table:
    cores = findings.machine["cores"]
    title = f"{findings.settings['cars']:,} cars in one batch, ticks a second"
    table = empty_table(title, ("one core", f"all {cores} cores", "gain"), "track, observation")
    for row in findings.batches:
        gain = f"{row.all_cores / row.one_core:.2f} x"
        table.add_row(f"{row.track}, {row.layout}", f"{row.one_core:,.0f}", f"{row.all_cores:,.0f}", gain)
    table.add_row("track-01, classic, VectorEnv", "", f"{findings.vector_env_steps_per_s:,.0f}", "")
    return table


def _single_table(findings: Findings) -> Table:
    table = empty_table("One car", ("measured",))
    table.add_row("RacerEnv.step", f"{findings.env_steps_per_s:,.0f} a second")
    table.add_row("RacerEnv.reset", f"{findings.env_reset_us:,.0f} µs")
    table.add_row("import to first step, kernels cached", f"{findings.start_up_warm_s:.2f} s")
    table.add_row("import to first step, kernels to compile", f"{findings.start_up_cold_s:.1f} s")
    table.add_row("state of a car", f"{findings.state_bytes_per_car:,} bytes")
    table.add_row("with actions and outputs", f"{findings.all_bytes_per_car:,} bytes")
    return table


def _peer_table(findings: Findings) -> Table:
    """Steps compare what a learner waits for; simulated time is fairer to peers whose steps are long."""
    title = "Other driving environments, one at a time, and how many times faster RacerEnv is"
    table = empty_table(title, ("sees", "steps a second", "x real time", "in steps", "in time"), "environment")
    ours, tick_s = findings.env_steps_per_s, 1 / TICKS_PER_SECOND
    table.add_row("hotlap/Racer-v0", "14 numbers", f"{ours:,.0f}", f"{ours * tick_s:,.0f}", "", "")
    for peer in findings.peers:
        speed = peer.steps_per_s * peer.seconds_per_step
        steps, simulated = ours / peer.steps_per_s, ours * tick_s / speed
        row = [f"{peer.steps_per_s:,.0f}", f"{speed:,.1f}", f"{steps:,.0f} x", f"{simulated:,.0f} x"]
        table.add_row(peer.environment, peer.sees, *row)
    return table


def check_sizes(sizes: Mapping[str, int], most: Mapping[str, int]) -> None:
    """Refuse a measurement of nothing, or of more than fits."""
    for name, size in sizes.items():
        if not 1 <= size <= most[name]:
            raise ConfigError(f"--{name} must be a whole number from 1 to {most[name]}, not {size}.")


def print_core_rates(title: str, column: str, rates: Sequence[Mapping[str, float]]) -> None:
    """A row for each rate on one core (`cores_1`) and on all; the rest of the row is what `column` is about."""
    cores = os.cpu_count() or 1
    table = empty_table(title, ("one core", f"all {cores} cores"), column)
    for rate in rates:
        about, *_ = rate.values()
        table.add_row(str(about), f"{rate['cores_1']:,.0f}", f"{rate[f'cores_{cores}']:,.0f}")
    print_table(console_for_results(), table)
