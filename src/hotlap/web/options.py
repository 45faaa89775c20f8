"""The options of `hotlap play`."""

from dataclasses import dataclass
from pathlib import Path

import tyro

from hotlap.checkpoints.names import RUNS


@dataclass(frozen=True)
class PlayOptions:
    """What to serve, and where."""

    run_folder: tyro.conf.Positional[str | None] = None
    """The run to start with: its name under runs/, or its folder."""
    port: int = 8642
    """Port to listen on; 0 means any free one."""
    host: str = "127.0.0.1"
    """Address to listen on; any but loopback can be reached by others, and asks them for a token."""
    no_open: bool = False
    """Do not open the browser."""
    token_file: Path | None = None
    """File with the token, at least 128 bits; else the environment's HOTLAP_TOKEN, else a fresh one beyond loopback."""
    tracks: tuple[str, ...] = ()
    """Further tracks: generated:SEED:DIFFICULTY, or the paths of .json or .csv track files."""
    root: Path = RUNS
    """Folder that holds the runs."""
    database: Path | None = None
    """File of the lap board; by default hotlap.sqlite beside the runs."""
