"""What everything in a run folder is called, and what a run or a file may be called without leading outside its folder.

`docs/architecture.md` shows a run folder.
"""

import re
from pathlib import Path

from hotlap.errors import CheckpointError, RunFolderError

RUNS = Path("runs")
"""Folder that holds the runs, unless an option names another."""
RUN_DOCUMENT = "run.json"
POLICY_FILE = "policy.onnx"
BEST_DOCUMENT = "best.json"
CURVE_FILE = "curve.jsonl"
TENSORBOARD_FOLDER = "tensorboard"
CHECKPOINTS = "checkpoints"
PAST = "past"
NAN_BATCH = "nan-batch.npz"
MANIFEST = "manifest.json"
TENSORS_SUFFIX = ".safetensors"
DOCUMENT_SUFFIX = ".json"
POLICY_SUFFIX = ".onnx"
SAVING = ".saving-"
REMOVING = ".removing-"
REPLACED = ".old"
MOST_STEPS = 10**12 - 1
LONGEST_NAME = 64

# Windows answers to these names in every folder, whatever the suffix.
DEVICES = frozenset(["con", "prn", "aux", "nul", *(f"{port}{digit}" for port in ("com", "lpt") for digit in range(10))])
_RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*")
_FILE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*(\.[a-z0-9_-]+)*")
_STEP_NAME = re.compile(rf"step-([0-9]{{12}})({re.escape(REPLACED)})?")


def check_run_name(name: str) -> str:
    """The name itself when a folder may be called so; otherwise a RunFolderError."""
    if not _is_plain(name, _RUN_NAME):
        raise RunFolderError(
            f"{_shown(name)} cannot name a run: use 1 to {LONGEST_NAME} of the letters a-z and A-Z, digits, "
            '"-", "_" and single dots inside, and no name of a device. A good one: --name my-first-run'
        )
    return name


def check_file_name(name: str) -> str:
    """The name itself when a file of a checkpoint may be called so; otherwise a CheckpointError."""
    if not _is_plain(name, _FILE_NAME) or name == MANIFEST:
        raise CheckpointError(
            f"{_shown(name)} cannot name a file of a checkpoint: use 1 to {LONGEST_NAME} lower-case letters, digits, "
            f'"-", "_" and single dots inside, no name of a device, and not "{MANIFEST}", which lists the others.'
        )
    return name


def step_folder_name(step: int) -> str:
    """`step-000000123456` for step 123456."""
    if type(step) is not int or not 0 <= step <= MOST_STEPS:
        raise CheckpointError(
            f"{step!r} cannot be the step of a checkpoint: give a whole number from 0 to {MOST_STEPS}."
        )
    return f"step-{step:012d}"


def step_of(path: Path) -> int | None:
    """The step a checkpoint folder is named after, or None when it is named otherwise."""
    match = _STEP_NAME.fullmatch(path.name)
    return int(match[1]) if match else None


def age_key(path: Path) -> tuple[int, bool]:
    """Sorts checkpoint folders from oldest to newest; a replaced one comes before its replacement."""
    step = step_of(path)
    return (-1 if step is None else step), not path.name.endswith(REPLACED)


def _is_plain(name: object, pattern: re.Pattern[str]) -> bool:
    if not isinstance(name, str) or len(name) > LONGEST_NAME or not pattern.fullmatch(name):
        return False
    return name.split(".")[0].lower() not in DEVICES


def _shown(name: object) -> str:
    """The name in quotes, made printable and cut short."""
    text = ascii(name)
    return text if len(text) <= 80 else text[:77] + "..."
