"""Every table that a command prints is whole on narrow terminals: no figure and no name loses a character."""

import io
import os
import re
import sys
from dataclasses import fields

import pytest
from rich.table import Table

from hotlap.benchmark import gpu, highway_safety, report, train
from hotlap.benchmark.peers import PeerRate
from hotlap.evaluation import compare
from hotlap.evaluation.highway import logged_missions
from hotlap.evaluation.highway.mission_filter import MissionFilter
from hotlap.evaluation.league import run_league
from hotlap.evaluation.league.standings import Standing
from hotlap.evaluation.measures import Measure, Quantity
from hotlap.evaluation.race.evaluate import HELD_OUT, RaceFigures
from hotlap.evaluation.race.evaluation import EVALUATION, RaceEvaluation
from hotlap.evaluation.statistics import Estimate
from hotlap.highway.missions import Ending, Mode
from hotlap.highway.supervisor import RULE_NAMES
from hotlap.store.database import DATABASE_FILE, Database
from hotlap.store.missions import MissionLog, MissionRecord

MACHINE = {
    "hotlap": "0.1.0",
    "cores": 128,
    "processor": "a processor",
    "python": "3.11.9",
    "numba": "0.61.2",
    "torch": "2.8.0",
    "stable-baselines3": "2.7.0",
}


class Evaluated:
    """What a comparison needs of an evaluation."""

    def __init__(self, driver, value):
        self.driver, self.value = driver, value

    def measures(self):
        quantity = Quantity("interventions_per_hour", "interventions / hour", ",.2f", -1)
        estimate = Estimate(self.value, self.value - 1000.125, self.value + 1000.25)
        return [Measure("density 40, held out", quantity, estimate)]


def print_comparison(_folder):
    compare.print_comparison(Evaluated("highway-ppo-with-a-long-name-12", 12_345.67), Evaluated("motorist", 23_456.78))


def print_races(_folder):
    figures = RaceFigures("silverstone-grand-prix", 1000, 997, (1, 2, 8), 998, 123_456, 7890, 321, 12.5, 7000, 6543)
    EVALUATION.show(RaceEvaluation("race-ppo-1", 5, HELD_OUT, (figures,), {}))


def print_league(_folder):
    figures = (1712.5, 1690.2, 1734.9, 1200, 1111, 1199, 3.25, 4.75, 2.5, 1234.5, 987.6, 99.0, 12_345.0, 234.5, 67.89)
    row = Standing("runs/race-ppo-with-a-long-name/policy.onnx@level-3", *figures, ("it answered with NaN",))
    run_league.print_standings([row])


def print_learning(_folder):
    values = {each.name: 1234.5 for each in fields(train.LearningRate)}
    facts = {"learner": "hotlap", "device": "cuda", "seed": 2_147_483_647, "steps": 2_400_000, "driver": {}}
    row = train.LearningRate(**{**values, **facts, "steps_per_second": 1_234_567.8, "environment_share": 0.987})
    train.print_tables("racer-generalist", [row])


def print_environment(_folder):
    batches = [report.BatchRate("track-01", layout, 1_234_567.8, 98_765_432.1) for layout in ("classic", "full")]
    peers = [PeerRate("highway-fast-v0", "96 x 96 pixels", 123.4, 0.2), PeerRate("CarRacing-v3", "a grid", 12.3, 0.02)]
    numbers = (12_345_678.9, 123_456.7, 1234.5, 1.25, 33.5, 1234, 5678)
    found = report.Findings(MACHINE, {"repeats": 20, "cars": 4096}, batches, *numbers, peers, [])
    report.print_tables(found)


def print_safety(_folder):
    rules = {name: 123_456_789 + number for number, name in enumerate(RULE_NAMES)}
    row = highway_safety.Figures("all manners at once", 40, 5, 1_234_567.0, 9_876_543, 1_234, 1, rules)
    highway_safety.print_figures([row])


def print_gpu(_folder):
    outcome = gpu.Outcome("race-with-grip", 1_000_000, 9.87654e9, 1.23456e8, 600, 1e-9, 0)
    gpu.print_outcomes("NVIDIA H200 NVL with a long name", [outcome])


def print_rates(_folder):
    cores = os.cpu_count() or 1
    rate = {"grid": 8, "cores_1": 1_234_567.0, f"cores_{cores}": 123_456_789.0}
    report.print_core_rates("about 1,000,000 cars in races, car ticks a second", "cars of a grid", [rate])


def print_missions(folder):
    database = Database(folder / DATABASE_FILE)
    words = "cruise at sixty-five miles an hour and keep two and a half seconds to whoever drives ahead of you " * 2
    more = {"reason": "somebody slower is in the way in the lane to pass in", "text": words.strip()}
    MissionLog(database).add(
        MissionRecord(Mode.LANE_CHANGE, Ending.REFUSED, 123.4, "highway-ppo-12", **more, speed_error_mps=-12.5)
    )
    database.close()
    wanted = MissionFilter()
    logged_missions.list_missions(folder, wanted, as_json=False)


PRINTED = (
    print_comparison,
    print_races,
    print_league,
    print_learning,
    print_environment,
    print_safety,
    print_gpu,
    print_rates,
    print_missions,
)


class Terminal(io.StringIO):
    """A terminal that keeps what is written on it."""

    def isatty(self):
        return True


@pytest.fixture
def cells(monkeypatch):
    """The text of every heading and every cell that was put into a table."""
    found = []
    add_row, add_column = Table.add_row, Table.add_column

    def note_row(table, *texts, **options):
        found.extend(map(str, texts))
        add_row(table, *texts, **options)

    def note_column(table, header="", *texts, **options):
        found.append(str(header))
        add_column(table, header, *texts, **options)

    monkeypatch.setattr(Table, "add_row", note_row)
    monkeypatch.setattr(Table, "add_column", note_column)
    return found


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("print_it", PRINTED, ids=lambda print_it: print_it.__name__)
def test_printed_table_is_whole_on_a_narrow_terminal(print_it, width, cells, monkeypatch, tmp_path):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    for module in (report, train, gpu):
        monkeypatch.setattr(module, "describe_machine", lambda: MACHINE)
    monkeypatch.setattr(train, "_machine", lambda: MACHINE)
    print_it(tmp_path)
    said = re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue())
    assert "…" not in said
    assert max(map(len, said.splitlines())) <= width
    words = {word for cell in cells for word in cell.split() if len(word) < width // 3}
    assert words
    assert [word for word in words if word not in said.split()] == []
