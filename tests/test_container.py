"""The container and the CI example name files and commands that exist."""

import json
import re
import shlex
from pathlib import Path

import yaml

from hotlap import cli

REPOSITORY = Path(__file__).parent.parent


def test_every_file_that_the_image_copies_exists():
    lines = (REPOSITORY / "Dockerfile").read_text(encoding="utf-8").splitlines()
    copied = [line.split()[1:-1] for line in lines if line.startswith("COPY ") and "--from" not in line]
    assert [name for names in copied for name in names if not (REPOSITORY / name).exists()] == []


def test_development_container_sets_up_with_make():
    container = json.loads((REPOSITORY / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    target = container["postCreateCommand"].removeprefix("make ")
    assert re.search(rf"^{target}:", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_workflow_of_the_tutorial_is_the_file_of_the_examples():
    page = (REPOSITORY / "docs" / "tutorials" / "nightly.md").read_text(encoding="utf-8")
    shown = re.search(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[1]
    assert shown == (REPOSITORY / "examples" / "github-regression.yml").read_text(encoding="utf-8")


def test_workflow_runs_commands_that_exist():
    workflow = yaml.safe_load((REPOSITORY / "examples" / "github-regression.yml").read_text(encoding="utf-8"))
    steps = [step["run"] for step in workflow["jobs"]["evaluate"]["steps"] if "run" in step]
    commands = [shlex.split(step.split("||")[0])[1:] for step in steps if step.startswith("hotlap ")]
    assert len(commands) == 2
    for verb, *words in commands:
        assert callable(cli.parsed(cli.HOTLAP.verbs[verb], f"hotlap {verb}", words).run)
