"""Finding runs: by name or folder, the next free name, and what each has to show."""

import itertools
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hotlap.checkpoints.run_files import is_run, newest_step, read_best, read_run_document
from hotlap.checkpoints.run_manifest import check_no_links, check_run
from hotlap.errors import HotlapError, RunFolderError, did_you_mean


def run_folders(root: Path) -> list[Path]:
    """Every run under a folder, by name."""
    if not root.is_dir():
        return []
    return sorted(path for path in root.iterdir() if is_run(path))


def find_run(name: str, root: Path) -> Path:
    """A run by its name under the root, or by its folder."""
    for candidate in (root / name, Path(name)):
        if is_run(candidate):
            check_no_links(candidate)
            return candidate
    known = [path.name for path in run_folders(root)]
    raise RunFolderError(
        f'no run "{name}" under {root}.{did_you_mean(name, known)} Run "hotlap runs" to see what there is.'
    )


def find_run_at(name: str, root: Path) -> tuple[Path, int | None]:
    """A run and one of its steps, from RUN@STEP; from RUN alone, no step."""
    before, mark, step = name.rpartition("@")
    if not mark or is_run(root / name) or is_run(Path(name)):
        return find_run(name, root), None
    number = step.replace(",", "").replace("_", "")
    if not (number.isascii() and number.isdecimal()):
        raise RunFolderError(
            f'"{step}" is no step of a run: write RUN@STEP with a whole number, as in {before}@409600.'
        )
    return find_run(before, root), int(number)


def free_name(name: str, root: Path) -> str:
    """The name, with the first number that is not taken for a "*" in it."""
    numbers = itertools.count(1) if "*" in name else iter([0])
    names = (name.replace("*", str(number)) for number in numbers)
    return next(each for each in names if each == name or not (root / each).exists())


def describe_run(run: Path) -> dict[str, Any]:
    """A run in one line: what it trained, how far it is, and its best figures."""
    try:
        check_run(run)
        config, best = read_run_document(run)["config"], read_best(run)
    except (HotlapError, KeyError) as error:
        return {"run": run.name, "problem": str(error)}
    return {
        "run": run.name,
        "world": config["world"],
        "algorithm": config["algorithm"],
        "settings": config.get(config["world"], {}),
        "step": newest_step(run),
        "steps": config["steps"],
        "best": {} if best is None else asdict(best),
    }
