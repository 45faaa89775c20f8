"""What a dataclass says about its fields: the line under each of them."""

import ast
import dataclasses
import inspect
import textwrap
from collections.abc import Iterator
from itertools import pairwise
from typing import Any


def field_docs(kind: type[Any]) -> dict[str, str]:
    """The docstring under each field, also of those that are inherited, as one line."""
    found: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        if dataclasses.is_dataclass(each):
            found |= _own_field_docs(each)
    return found


def _own_field_docs(kind: type[Any]) -> dict[str, str]:
    body: Any = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    return {
        field.target.id: " ".join(said.value.value.split())
        for field, said in pairwise(body.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(said, ast.Expr)
        and isinstance(said.value, ast.Constant)
        and isinstance(said.value.value, str)
    }


def settings_rows(settings: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    """Name, default and meaning of every setting of an object, also of those inside."""
    said = field_docs(type(settings))
    for each in dataclasses.fields(settings):
        value = getattr(settings, each.name)
        if dataclasses.is_dataclass(value):
            yield from settings_rows(value, f"{path}{each.name}.")
        else:
            yield f"{path}{each.name}", shown(value), said.get(each.name, "")


def shown(value: Any) -> str:
    """A default as Python writes it."""
    return repr(list(value) if isinstance(value, tuple) else value)


def table(header: tuple[str, ...], rows: Iterator[tuple[str, ...]] | list[tuple[str, ...]]) -> str:
    """A Markdown table; a bar inside a cell is escaped."""
    lines = [header, tuple("---" for _ in header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"
