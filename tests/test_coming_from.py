"""Every command that docs/coming-from.md tells newcomers to type does what it says."""

import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hotlap import cli

HOUSE = Path(__file__).parent.parent
PAGE = (HOUSE / "docs" / "coming-from.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\|.*\| `(hotlap [^`]+)` \|$", PAGE, re.MULTILINE)
SERVES = ("bridge", "play")
# Each command finds what those before it left, hence one worker for all of them.
pytestmark = [pytest.mark.integration, pytest.mark.timeout(600), pytest.mark.xdist_group("coming-from")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A project of a newcomer's own, with the examples and a config from before."""
    folder = tmp_path_factory.mktemp("newcomer")
    for name in ("evals", "examples"):
        shutil.copytree(HOUSE / name, folder / name)
    asked = folder / "evals" / "highway_cruise.toml"
    asked.write_text(asked.read_text(encoding="utf-8").replace("episodes = 100", "episodes = 10"), encoding="utf-8")
    (folder / "ai-config.json").write_text(json.dumps({"weights": {"wallPenalty": -0.01}}), encoding="utf-8")
    for words in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return folder


SHORTER = {
    "hotlap train racer": ("--evaluation.steps", "100"),
    "hotlap train highway": ("--evaluation.episodes", "2"),
    "hotlap evaluate first": ("--episodes", "2", "--orders", "10", "--no-baselines"),
    "hotlap benchmark bridge": ("--steps", "500"),
}


def shortened(command: str) -> list[str]:
    """The words of a command, with millions of steps made thousands, and few drives to evaluate them by."""
    steps = r"--steps \g<1>000" if "racer-sac" in command or "highway" in command else r"--steps \g<1>0000"
    words = shlex.split(re.sub(r"--steps (\d)\d{5,}", steps, command))[1:]
    fewer = (more for start, more in SHORTER.items() if command.startswith(start))
    return [*words, *next(fewer, ())]


def serve_and_stop(words: list[str], folder: Path) -> None:
    """Start a server, wait for its address, and interrupt it."""
    command = [sys.executable, "-m", "hotlap.cli", *words]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=240)
    assert re.search(r"(ws|http)://127\.0\.0\.1:\d+", line), said


def test_page_names_a_command_for_everything_there_was():
    assert len(COMMANDS) == 17
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and "before" not in line]
    assert len(rows) == len(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_command_does_what_the_page_says(command, folder, monkeypatch):
    monkeypatch.chdir(folder)
    words = shortened(command)
    if words[0] in SERVES:
        serve_and_stop(words, folder)
    else:
        # A busy machine misses the target of a benchmark, and that is an answer too.
        assert cli.main(words) in ((0, 1) if words[0] == "benchmark" else (0,))
