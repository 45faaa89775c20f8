"""What a remote job is: commands, resources, files to send and files to keep, in one TOML file."""

import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from hotlap.checkpoints import check_run_name
from hotlap.errors import ConfigError, JobError
from hotlap.settings import check_ranges, merged, read_toml

LOOPBACK = ("127.0.0.1", "localhost", "::1")
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class JobSpec:
    """A job: commands that run one after the other on a cluster, until one fails."""

    name: str = "job"
    """What it is called; its number is added when it is sent."""
    commands: tuple[tuple[str, ...], ...] = ()
    """Each a list of words, as in ["hotlap", "train", "racer-ppo"]; no shell looks at them, {job} is the job's name."""
    address: str = "http://127.0.0.1:8265"
    """Where the cluster's dashboard answers: on this machine, through a tunnel, or by https."""
    cpus: float = 1.0
    """CPUs set aside for the commands."""
    gpus: float = 0.0
    """GPUs set aside for the commands."""
    memory_gb: float = 0.0
    """Memory set aside for the commands; 0 sets none aside."""
    max_duration: str = "1h"
    """When the job is stopped at the latest: 90s, 30m, 12h or 2d."""
    environment: dict[str, str] = field(default_factory=dict)
    """Environment variables of the commands; everyone who may look at the cluster can read them."""
    requirements: tuple[str, ...] = ()
    """Packages to install for the job, as pip names them."""
    include: tuple[str, ...] = ()
    """Patterns of files to send; by default what git tracks here."""
    exclude: tuple[str, ...] = ()
    """Patterns of files to leave out."""
    most_mb: float = 50.0
    """Most that may be sent."""
    keep: tuple[str, ...] = ("runs/**/*",)
    """Patterns of files to keep when the job ends, however it ends; relative to where the commands run."""
    storage: str = ""
    """A folder that the cluster and you both see, by its whole path, for what is kept; needed to fetch."""
    image: str = ""
    """A container image with hotlap in it, for Kubernetes and SkyPilot."""

    def __post_init__(self) -> None:
        """Something to run, within bounds, sent where nobody listens in."""
        check_run_name(self.name)
        if not self.commands or not all(self.commands):
            raise ConfigError('a job needs commands, such as commands = [["hotlap", "train", "racer-ppo"]].')
        check_ranges(self, "", cpus=(0.0, 1e5), gpus=(0.0, 1e4), memory_gb=(0.0, 1e5), most_mb=(0.0, 500.0))
        _ = self.seconds
        for variable in self.environment:
            if not _VARIABLE.fullmatch(variable):
                raise ConfigError(f"environment has {variable!r}, which cannot name a variable.")
        self._check_keeping()
        check_address(self.address)

    def _check_keeping(self) -> None:
        """What is kept comes from the job's own folder, and goes where everybody finds it."""
        if self.storage and not PurePosixPath(self.storage).is_absolute():
            raise ConfigError(f"storage must be a whole path such as /mnt/hotlap/jobs, not {self.storage!r}.")
        for pattern in self.keep:
            path = PurePosixPath(pattern)
            if path.is_absolute() or not path.parts or ".." in path.parts:
                raise ConfigError(f'keep must have relative patterns such as "runs/**/*", not {pattern!r}.')

    @property
    def seconds(self) -> int:
        """The longest the job may run."""
        number, unit = self.max_duration[:-1], self.max_duration[-1:]
        if unit not in SECONDS or not number.isdecimal() or int(number) == 0:
            raise ConfigError(f"max_duration must be like 90s, 30m, 12h or 2d, not {self.max_duration!r}.")
        return int(number) * SECONDS[unit]

    def orders(self, job: str) -> dict[str, Any]:
        """What the process that runs the job is told."""
        return {
            "commands": [[word.replace("{job}", job) for word in words] for words in self.commands],
            "seconds": self.seconds,
            "keep": list(self.keep) if self.storage else [],
            "storage": f"{self.storage}/{job}" if self.storage else "",
        }


def check_address(address: str) -> None:
    """Refuse an address where the token would travel in the clear."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise JobError(f'"{address}" is no address of a cluster; write http://127.0.0.1:8265 or https://HOST.')
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise JobError(
            f"{address} would carry the token in the clear. Use https, or a tunnel: "
            f"ssh -L 8265:127.0.0.1:8265 {parts.hostname}, and the address http://127.0.0.1:8265."
        )


def load_job(path: Path) -> JobSpec:
    """A job from its TOML file."""
    table = read_toml(path)
    default = JobSpec(commands=(("hotlap", "--version"),))
    if "commands" not in table:
        raise ConfigError(f'{path}: has no commands, such as commands = [["hotlap", "train", "racer-ppo"]].')
    return merged(default, {"name": path.stem, **table}, path.name)
