"""`hotlap league`: drive what is missing, rate, print."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hotlap.checkpoints.names import POLICY_FILE
from hotlap.errors import ConfigError, ReportError
from hotlap.evaluation.league.races import LeagueRules, RaceResult, drive_races
from hotlap.evaluation.league.records import RaceRecords
from hotlap.evaluation.league.standings import Standing, standings
from hotlap.evaluation.page import Row, plain_page
from hotlap.evaluation.page import table as html_table
from hotlap.evaluation.table import console_for_results, empty_table, print_table
from hotlap.policies.levels import LEVELS
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.policies.race_drivers import policy_file, split_level
from hotlap.race.grid import MOST_CARS
from hotlap.racer.cars import CLASSIC
from hotlap.whole_files import write_whole_file

FEWEST_DRIVERS = 2
MOST_RACES = 100_000
RACES_AT_ONCE = 8
HEADINGS = ("Elo", "95 %", "lap", "wins", "finished", "places", "passes", "contacts", "faults", "clean")
WORDS = "Elo with 95 % interval; mean lap, starts included; contacts and faults in 100 km"


@dataclass(frozen=True)
class LeagueOptions:
    """What is raced."""

    tracks: tuple[str, ...] = ("track-01", "track-02", "track-03")
    """Tracks to race on: names, files, or generated:SEED:DIFFICULTY."""
    races: int = 4
    """Races on each track, each with its own order on the grid."""
    laps: int = 5
    """Laps of a race."""
    cars: int = 8
    """Cars of a grid, 2 to 20; drivers take turns in the seats."""
    seed: int = 0
    """Seed of the first race; the same seeds give the same table."""
    car: str = CLASSIC
    """The car that all drive: classic, or a car with grip."""
    levels: bool = False
    """Race the five levels of each driver instead of the driver itself."""

    def __post_init__(self) -> None:
        """Refuse a league that cannot be driven."""
        if not 1 <= self.races * len(self.tracks) <= MOST_RACES or self.laps < 1 or self.seed < 0:
            raise ConfigError(f"a league needs 1 to {MOST_RACES} races of at least one lap, and a seed not below 0.")
        if not FEWEST_DRIVERS <= self.cars <= MOST_CARS:
            raise ConfigError(f"--cars must be from {FEWEST_DRIVERS} to {MOST_CARS}, not {self.cars}.")


@dataclass(frozen=True)
class LeagueOutputs:
    """What is kept of a league, and how it is printed."""

    file: Path | None = None
    """Keep every race in this file; an interrupted league resumes from it."""
    report: Path | None = None
    """Write the table as an HTML page."""
    json: bool = False
    """Print one JSON object instead of a table."""


def run_league(names: Sequence[str], options: LeagueOptions, root: Path, outputs: LeagueOutputs) -> int:
    """Drive all races that the file does not have yet, and print the table."""
    drivers = list(names) if not options.levels else [f"{name}@level-{number}" for name in names for number in LEVELS]
    found = [resolved_driver(name, root) for name in drivers]
    if len(set(found)) < FEWEST_DRIVERS or len(set(found)) < len(found):
        raise ConfigError(f"a league needs at least {FEWEST_DRIVERS} different drivers, each named once.")
    if len(found) > options.cars:
        raise ConfigError(f"{len(found)} drivers do not fit on a grid of {options.cars} cars: ask for more --cars.")
    rules = LeagueRules(tuple(found), options.laps, options.cars, common_layout(found, options.car), options.car)
    records = RaceRecords(outputs.file, rules)
    races = drive_missing(rules, options, records)
    table = standings(rules, drivers, races)
    if outputs.report is not None:
        write_whole_file(outputs.report, as_page(rules, options, table).encode(), force=True, error=ReportError)
    if outputs.json:
        Console(highlight=False, soft_wrap=True).out(msgspec.json.encode(as_document(rules, options, table)).decode())
    else:
        print_standings(table)
    return 0


def drive_missing(rules: LeagueRules, options: LeagueOptions, records: RaceRecords) -> list[RaceResult]:
    """Every race of the league, in order; those that were kept are not driven again."""
    wanted = [(track, options.seed + number) for track in options.tracks for number in range(options.races)]
    for track in options.tracks:
        missing = [seed for each, seed in wanted if each == track and (track, seed) not in records.done]
        for first in range(0, len(missing), RACES_AT_ONCE):
            for race in drive_races(rules, track, missing[first : first + RACES_AT_ONCE]):
                records.add(race)
    return [records.done[each] for each in wanted]


def resolved_driver(name: str, root: Path) -> str:
    """A run by its name or folder as its policy file, at its level; everything else as it is."""
    run, level = split_level(name)
    for folder in (root / run, Path(run)):
        if (folder / POLICY_FILE).is_file():
            return f"{folder / POLICY_FILE}{f'@level-{level}' if level else ''}"
    return name


def common_layout(drivers: Sequence[str], car: str) -> str:
    """What all policy files of a league see; without any, what the car's drivers usually see."""
    files = {policy_file(split_level(name)[0]) for name in drivers} - {None}
    layouts = {OnnxPolicy(file, world=None).layout.removeprefix("race-") for file in files if file is not None}
    if len(layouts) > 1:
        raise ConfigError(f"these drivers see different things ({', '.join(sorted(layouts))}): one grid shows one.")
    return layouts.pop() if layouts else ("classic" if car == CLASSIC else "grip")


def as_document(rules: LeagueRules, options: LeagueOptions, table: Sequence[Standing]) -> dict[str, object]:
    """The table for machines."""
    return {"rules": asdict(rules), "tracks": options.tracks, "races": options.races, "drivers": table}


def print_standings(rows: Sequence[Standing]) -> None:
    """The table, what its words mean, and why cars were parked."""
    console = console_for_results()
    print_table(console, as_table(rows))
    console.print(Text(WORDS, style="dim"))
    for row in rows:
        for why in row.parked:
            console.print(f"{row.driver} parked: {why}", markup=False)


def as_table(rows: Sequence[Standing]) -> Table:
    """The table for people."""
    table = empty_table("League", HEADINGS, "driver")
    for row in rows:
        table.add_row(row.driver, *_cells(row))
    return table


def as_page(rules: LeagueRules, options: LeagueOptions, rows: Sequence[Standing]) -> str:
    """The table as a page."""
    about = {"tracks": list(options.tracks), "races": options.races * len(options.tracks), "laps": rules.laps}
    shown = [Row(row.driver + "".join(f" (parked: {why})" for why in row.parked), _cells(row), "") for row in rows]
    section = f"<section><h2>Standings</h2>{html_table(HEADINGS, shown)}</section>"
    return plain_page("League", {**about, "cars": rules.cars, "car": rules.car}, [section], WORDS)


def _cells(row: Standing) -> list[str]:
    """The figures of a driver as the tables show them."""
    return [
        f"{row.rating:.0f}",
        f"{row.rating_low:.0f} to {row.rating_high:.0f}",
        "" if row.mean_lap_s is None else f"{row.mean_lap_s:.2f} s",
        f"{row.wins}/{row.starts}",
        f"{row.finished}/{row.starts}",
        f"{row.places_gained:+.1f}",
        f"{row.overtakes:.1f}",
        f"{row.contacts_per_100km:.1f}",
        f"{row.faults_per_100km:.1f}",
        f"{row.clean_laps_percent:.0f} %",
    ]
