"""Finding runs: by name or folder, the next free name, and what each has to show."""

import itertools
from pathlib import Path
from typing import Any

from hotlap.checkpoints import list_checkpoints, read_document, step_of
from hotlap.errors import HotlapError, RunFolderError, did_you_mean

RUN_DOCUMENT = "run.json"
BEST_DOCUMENT = "best.json"
POLICY_FILE = "policy.onnx"


def run_folders(root: Path) -> list[Path]:
    """Every run under a folder, by name."""
    if not root.is_dir():
        return []
    return sorted(path for path in root.iterdir() if (path / RUN_DOCUMENT).is_file())


def find_run(name: str, root: Path) -> Path:
    """A run by its name under the root, or by its folder."""
    for candidate in (root / name, Path(name)):
        if (candidate / RUN_DOCUMENT).is_file():
            return candidate
    known = [path.name for path in run_folders(root)]
    raise RunFolderError(
        f'no run "{name}" under {root}.{did_you_mean(name, known)} Run "hotlap runs" to see what there is.'
    )


def free_name(name: str, root: Path) -> str:
    """The name, with the first number that is not taken for a "*" in it."""
    numbers = itertools.count(1) if "*" in name else iter([0])
    names = (name.replace("*", str(number)) for number in numbers)
    return next(each for each in names if each == name or not (root / each).exists())


def describe_run(run: Path) -> dict[str, Any]:
    """A run in one line: what it trained, how far it is, and its best figures."""
    try:
        config = read_document(run / RUN_DOCUMENT)["config"]
        best = read_document(run / BEST_DOCUMENT) if (run / BEST_DOCUMENT).is_file() else {}
    except (HotlapError, KeyError) as error:
        return {"run": run.name, "problem": str(error)}
    steps = [step_of(path) or 0 for path in list_checkpoints(run)]
    return {
        "run": run.name,
        "world": config["world"],
        "algorithm": config["algorithm"],
        "settings": config.get(config["world"], {}),
        "step": max(steps, default=0),
        "steps": config["steps"],
        "best": best,
    }
