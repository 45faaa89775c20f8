"""No fact stands twice: a constant or an option is written in one module, and pages have theirs from the package."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = ROOT / "frontend" / "src"
NUMBERS_OF_PAGES = re.compile(r"^(?:export )?const ([A-Z][A-Z0-9_]+)(?:: \w+)? = (-?[\d._]+);$", re.MULTILINE)
LABELS = (-1, 0, 1)
"""Numbers that only tell cases apart, or count the versions of a document."""
ON_PURPOSE = {
    "CARS_WORTH_A_THREAD": "measured for each kernel",
    "FIGURES": "how many numbers a pass tells, each for itself",
    "DRIVE_TICKS": "how long the drive of a fingerprint is, each for itself",
    "MOST_BYTES": "the limit of a file, each for itself",
    "INTERRUPTED": "hotlap_start answers before the package is loaded",
}
"""Names that mean the same number by chance, with the reason."""


def assigned(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """The names of a module and what they are given, pairs of tuples one by one."""
    for node in tree.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from pairs(target, node.value)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield from pairs(node.target, node.value)


def pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, given in zip(target.elts, value.elts, strict=True):
            yield from pairs(one, given)
    elif isinstance(target, ast.Name) and target.id.isupper():
        yield target.id, value


def literal(value: ast.expr) -> object:
    """What is written, where it is written out: a number, a text, a table of them; None for what is computed."""
    try:
        found = eval(compile(ast.Expression(value), "constant", "eval"), {"__builtins__": {}})  # noqa: S307 - our own
    except NameError:
        return None
    return float(found) if isinstance(found, int | float) else repr(found)


def of_python() -> dict[tuple[str, object], list[str]]:
    """Where each constant with a value of its own is written."""
    places = defaultdict(list)
    for folder in ("src", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for name, value in assigned(ast.parse(path.read_text(encoding="utf-8"))):
                if (known := literal(value)) is not None:
                    places[name, known].append(path.relative_to(ROOT).as_posix())
    return places


def test_no_constant_of_the_package_stands_twice():
    twice = {key: where for key, where in of_python().items() if len(where) > 1 and key[1] not in LABELS}
    assert {key: where for key, where in twice.items() if key[0] not in ON_PURPOSE} == {}
    assert {name for name, _ in twice} == set(ON_PURPOSE), "a reason that nobody needs any more"


def test_no_page_writes_a_constant_of_the_package():
    ours = of_python()
    theirs = [
        (path.relative_to(ROOT).as_posix(), name)
        for path in sorted(PAGES.rglob("*.ts"))
        for name, number in NUMBERS_OF_PAGES.findall(path.read_text(encoding="utf-8"))
        if (name, float(number.replace("_", ""))) in ours
    ]
    assert theirs == []


def options_of(tree: ast.Module) -> Iterator[tuple[str, dict[str, object]]]:
    """The dataclasses of a module, each with the defaults that are written out in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and "dataclass" in "".join(map(ast.unparse, node.decorator_list)):
            given = [each for each in node.body if isinstance(each, ast.AnnAssign) and each.value is not None]
            found = {ast.unparse(each.target): literal(each.value) for each in given}
            yield node.name, {name: known for name, known in found.items() if known not in (None, *NOTHING_SAID)}


NOTHING_SAID = ("None", "''", "()", 0.0, 1.0)
OF_OTHERS = {
    ("DqnSettings", "SacSettings"): "two algorithms whose presets begin alike",
    ("RaceOptions", "RacerOptions"): "a race asks of its cars what the racer asks",
}


def test_no_two_places_declare_the_same_options():
    """A command that needs what a request has is that request: two defaults in common are one declaration too many."""
    sources = (path.read_text(encoding="utf-8") for path in sorted((ROOT / "src").rglob("*.py")))
    declared = [each for source in sources for each in options_of(ast.parse(source))]
    twice = {
        tuple(sorted((one, other)))
        for (one, ours), (other, theirs) in combinations(declared, 2)
        if len(ours.items() & theirs.items()) > 1
    }
    assert twice == set(OF_OTHERS)
