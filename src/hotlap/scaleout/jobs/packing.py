"""The files a job takes along: what git tracks or what is named, without secrets and rubbish, and not too much."""

import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

from hotlap.errors import JobError
from hotlap.scaleout.jobs.spec import JobSpec

RUBBISH = [
    "__pycache__",
    "node_modules",
    ".git",
    ".venv",
    ".venv-ray",
    "runs",
    "sweeps",
    ".pytest_cache",
    ".mypy_cache",
]
KEYS = [".env", ".env.*", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.kdbx", "id_rsa*", "id_ed25519*", "id_ecdsa*"]
LOGINS = [
    ".netrc",
    ".pypirc",
    ".npmrc",
    ".pgpass",
    ".htpasswd",
    "auth_token",
    "kubeconfig",
    "*.kubeconfig",
    "*.tfstate",
]
SECRET_WORDS = re.compile(r"secret|credential|password|passwd|api[-_]?key|token", re.IGNORECASE)
CODE = (".py", ".pyi", ".ts", ".js", ".md", ".css", ".html", ".sh")
PRIVATE_KEY = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----")
LOOKED_AT_BYTES = 1 << 20


@dataclass(frozen=True)
class Parcel:
    """What a job takes along."""

    root: Path
    files: tuple[str, ...]
    """Paths below the root, in order."""
    left_out: tuple[str, ...]
    """What was asked for and looks like a secret."""
    total_bytes: int

    def stage(self, folder: Path) -> None:
        """Copy the files to a folder of their own."""
        for name in self.files:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(self.root / name, target)


def pack(spec: JobSpec, root: Path) -> Parcel:
    """Choose what to send; too much, or a private key among it, is refused."""
    names = [name for name in _candidates(spec, root) if not _matches(name, spec.exclude) and not _is_rubbish(name)]
    plain = [name for name in names if (root / name).is_file() and not (root / name).is_symlink()]
    sent = tuple(name for name in plain if not looks_secret(name))
    for name in sent:
        with (root / name).open("rb") as file:
            if PRIVATE_KEY.search(file.read(LOOKED_AT_BYTES)) and not name.endswith(CODE):
                raise JobError(f"{name} holds a private key, and would be sent. Add it to the job's exclude.")
    total = sum((root / name).stat().st_size for name in sent)
    if total > spec.most_mb * 1e6:
        raise JobError(
            f"{len(sent)} files of {total / 1e6:,.1f} MB would be sent, more than most_mb = {spec.most_mb:g}. "
            "Name what is needed with include, or leave something out with exclude."
        )
    return Parcel(root, sent, tuple(name for name in plain if looks_secret(name)), total)


def looks_secret(name: str) -> bool:
    """Whether a file's name says that it is nobody's business."""
    last = PurePosixPath(name).name
    return _matches(last.lower(), [*KEYS, *LOGINS]) or (bool(SECRET_WORDS.search(last)) and not last.endswith(CODE))


def _is_rubbish(name: str) -> bool:
    return any(part in RUBBISH for part in PurePosixPath(name).parts)


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)


def _candidates(spec: JobSpec, root: Path) -> Sequence[str]:
    """What is named, or else what git tracks; nothing outside the root can be either."""
    if not spec.include:
        return tracked_files(root)
    found = {path for pattern in spec.include for path in root.glob(pattern) if path.is_file()}
    inside = [path for path in found if path.resolve().is_relative_to(root.resolve())]
    return sorted(path.relative_to(root).as_posix() for path in inside)


def tracked_files(root: Path) -> list[str]:
    """Every file that git tracks below a folder."""
    try:
        done = subprocess.run(
            ["git", "ls-files", "-z"],  # noqa: S607 - the user's own git
            cwd=root,
            capture_output=True,
            check=True,
            timeout=60,
        )
    except (OSError, subprocess.SubprocessError) as problem:
        raise JobError(
            f"{root.resolve()} is not a git checkout, so it is not clear what to send. Name files with include."
        ) from problem
    return sorted(name for name in done.stdout.decode("utf-8", "surrogateescape").split("\0") if name)
