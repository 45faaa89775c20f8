"""The file of a league: its rules first, then one line for each race, so that an interrupted league resumes."""

from pathlib import Path

import msgspec

from hotlap.errors import ConfigError
from hotlap.evaluation.league.races import LeagueRules, RaceResult


class RaceRecords:
    """Races that were driven, by track and seed, kept in a file where one is named."""

    def __init__(self, path: Path | None, rules: LeagueRules) -> None:
        self.path = path
        self.done: dict[tuple[str, int], RaceResult] = {}
        if path is not None and path.is_file():
            self._read(path, rules)
        elif path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(msgspec.json.encode(rules) + b"\n")

    def _read(self, path: Path, rules: LeagueRules) -> None:
        """What was driven before; a last line that was not written whole is driven again."""
        first, *lines = path.read_bytes().split(b"\n")
        try:
            known = msgspec.json.decode(first, type=LeagueRules)
        except msgspec.DecodeError as problem:
            raise ConfigError(f"{path}: is no file of a league ({problem}). Name another with --file.") from problem
        if known != rules:
            raise ConfigError(f"{path}: keeps a league of other drivers or rules. Name another file with --file.")
        whole = []
        for line in lines:
            try:
                race = msgspec.json.decode(line, type=RaceResult)
            except msgspec.DecodeError:
                break
            whole.append(line)
            self.done[race.track, race.seed] = race
        path.write_bytes(b"\n".join([first, *whole, b""]))

    def add(self, race: RaceResult) -> None:
        """Keep a race that was driven."""
        self.done[race.track, race.seed] = race
        if self.path is not None:
            with self.path.open("ab") as file:
                file.write(msgspec.json.encode(race) + b"\n")
