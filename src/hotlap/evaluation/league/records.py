"""The file of a league: its rules first, then one line for each race, so that an interrupted league resumes."""

from pathlib import Path

import msgspec

from hotlap.errors import ConfigError, ReportError
from hotlap.evaluation.league.races import LeagueRules, RaceResult
from hotlap.whole_files import reason, write_whole_file


class RaceRecords:
    """Races that were driven, by track and seed, kept in a file where one is named."""

    def __init__(self, path: Path | None, rules: LeagueRules) -> None:
        self.path = path
        self.done: dict[tuple[str, int], RaceResult] = {}
        if path is not None and path.is_file():
            self._read(path, rules)
        elif path is not None:
            write_whole_file(path, msgspec.json.encode(rules) + b"\n", force=False, error=ReportError)

    def _read(self, path: Path, rules: LeagueRules) -> None:
        """What was driven before; a last line that was not written whole is driven again."""
        first, *lines = content_of(path).split(b"\n")
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
        write_whole_file(path, b"\n".join([first, *whole, b""]), force=True, error=ReportError)

    def add(self, race: RaceResult) -> None:
        """Keep a race that was driven."""
        self.done[race.track, race.seed] = race
        if self.path is not None:
            append_line(self.path, msgspec.json.encode(race))


def content_of(path: Path) -> bytes:
    """What the file of a league holds."""
    try:
        return path.read_bytes()
    except OSError as problem:
        raise ReportError(f"{path}: cannot be read ({reason(problem)}). Name another file with --file.") from problem


def append_line(path: Path, line: bytes) -> None:
    """Add a race to the file of a league."""
    try:
        with path.open("ab") as file:
            file.write(line + b"\n")
    except OSError as problem:
        raise ReportError(
            f"{path}: cannot be written ({reason(problem)}). The races before it are kept: make room, and the same "
            "command resumes the league."
        ) from problem
