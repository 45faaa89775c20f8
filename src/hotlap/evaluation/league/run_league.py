"""`hotlap league`: drive what is missing, rate, print."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from hotlap.checkpoints.run_files import POLICY_FILE
from hotlap.errors import ConfigError
from hotlap.evaluation.league.races import LeagueRules, RaceResult, drive_races
from hotlap.evaluation.league.records import RaceRecords
from hotlap.evaluation.league.standings import Standing, standings
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.race.grid import MOST_CARS
from hotlap.racer.cars import CLASSIC

FEWEST_DRIVERS = 2
MOST_RACES = 100_000


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

    def __post_init__(self) -> None:
        """Refuse a league that cannot be driven."""
        if not 1 <= self.races * len(self.tracks) <= MOST_RACES or self.laps < 1 or self.seed < 0:
            raise ConfigError(f"a league needs 1 to {MOST_RACES} races of at least one lap, and a seed not below 0.")
        if not FEWEST_DRIVERS <= self.cars <= MOST_CARS:
            raise ConfigError(f"--cars must be from {FEWEST_DRIVERS} to {MOST_CARS}, not {self.cars}.")


def run_league(drivers: Sequence[str], options: LeagueOptions, root: Path, file: Path | None, *, as_json: bool) -> int:
    """Drive all races that the file does not have yet, and print the table."""
    found = [resolved_driver(name, root) for name in drivers]
    if len(set(found)) < FEWEST_DRIVERS or len(set(found)) < len(found):
        raise ConfigError(f"a league needs at least {FEWEST_DRIVERS} different drivers, each named once.")
    if len(found) > options.cars:
        raise ConfigError(f"{len(found)} drivers do not fit on a grid of {options.cars} cars: ask for more --cars.")
    rules = LeagueRules(tuple(found), options.laps, options.cars, common_layout(found, options.car), options.car)
    records = RaceRecords(file, rules)
    races = drive_missing(rules, options, records, Console(stderr=True, highlight=False, style="dim"))
    table = standings(rules, drivers, races)
    if as_json:
        Console(highlight=False, soft_wrap=True).out(msgspec.json.encode(as_document(rules, options, table)).decode())
    else:
        Console(highlight=False).print(as_table(table))
    return 0


def drive_missing(
    rules: LeagueRules, options: LeagueOptions, records: RaceRecords, progress: Console
) -> list[RaceResult]:
    """Every race of the league, in order; those that were kept are not driven again."""
    wanted = [(track, options.seed + number) for track in options.tracks for number in range(options.races)]
    for track, seed in wanted:
        if (track, seed) not in records.done:
            progress.print(f"race {wanted.index((track, seed)) + 1} of {len(wanted)}: {track}, seed {seed}")
            records.add(drive_races(rules, track, [seed])[0])
    return [records.done[each] for each in wanted]


def resolved_driver(name: str, root: Path) -> str:
    """A run by its name or folder as its policy file; everything else as it is."""
    for folder in (root / name, Path(name)):
        if (folder / POLICY_FILE).is_file():
            return str(folder / POLICY_FILE)
    return name


def common_layout(drivers: Sequence[str], car: str) -> str:
    """What all policy files of a league see; without any, what the car's drivers usually see."""
    files = [name for name in drivers if name.lower().endswith(".onnx")]
    layouts = {OnnxPolicy(file, world=None).layout.removeprefix("race-") for file in files}
    if len(layouts) > 1:
        raise ConfigError(f"these drivers see different things ({', '.join(sorted(layouts))}): one grid shows one.")
    return layouts.pop() if layouts else ("classic" if car == CLASSIC else "grip")


def as_document(rules: LeagueRules, options: LeagueOptions, table: Sequence[Standing]) -> dict[str, object]:
    """The table for machines."""
    return {"rules": asdict(rules), "tracks": options.tracks, "races": options.races, "drivers": table}


def as_table(rows: Sequence[Standing]) -> Table:
    """The table for people."""
    table = Table(title="League", caption="Elo with 95 % interval; contacts and faults in 100 km")
    for heading in ("driver", "Elo", "95 %", "wins", "finished", "places", "passes", "contacts", "faults", "clean"):
        table.add_column(heading, justify="left" if heading == "driver" else "right")
    for row in rows:
        table.add_row(
            row.driver + ("".join(f"\n  parked: {why}" for why in row.parked)),
            f"{row.rating:.0f}",
            f"{row.rating_low:.0f} to {row.rating_high:.0f}",
            f"{row.wins}/{row.starts}",
            f"{row.finished}/{row.starts}",
            f"{row.places_gained:+.1f}",
            f"{row.overtakes:.1f}",
            f"{row.contacts_per_100km:.1f}",
            f"{row.faults_per_100km:.1f}",
            f"{row.clean_laps_percent:.0f} %",
        )
    return table
