"""Every command with every option, as its own `--help` says it."""

import contextlib
import io
import os
from collections.abc import Iterator

from hotlap.cli import HOTLAP, Command, Group, run_command

WIDTH = "80"
"""No wider than a block of code between the two lists of links."""


def command_pages() -> dict[str, str]:
    """The page of all commands, by its path in the documentation."""
    listed = "\n".join(f"- [`{path}`](#{path.replace(' ', '-')}): {command.summary}" for path, command in _commands())
    parts = [f"# Commands\n\nWritten by the commands themselves.\n\n{listed}\n"]
    for path, command in _commands():
        parts.append(f"\n## {path}\n\n```text\n{help_of(command, path)}\n```\n")
    return {"reference/commands.md": "".join(parts)}


def _commands(group: Group = HOTLAP, path: str = "hotlap") -> Iterator[tuple[str, Command]]:
    for name, verb in group.verbs.items():
        if isinstance(verb, Command):
            yield f"{path} {name}", verb
        else:
            yield from _commands(verb, f"{path} {name}")


def help_of(command: Command, path: str) -> str:
    """What `--help` prints, in plain text."""
    said = io.StringIO()
    plain = _environment(COLUMNS=WIDTH, NO_COLOR="1")
    with plain, contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
        run_command(command, path, ["--help"])
    return "\n".join(line.rstrip() for line in said.getvalue().strip().splitlines())


@contextlib.contextmanager
def _environment(**variables: str) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
