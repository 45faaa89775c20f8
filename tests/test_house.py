"""The house itself: the command line, dependencies and their bounds, import rules, and documentation that runs."""

import ast
import inspect
import json
import math
import os
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from importlib.metadata import requires
from pathlib import Path

import grimp
import pytest
from docs_site.generated import PATHS as GENERATED_PAGES
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import hotlap
from hotlap import cli
from hotlap.errors import HotlapError
from hotlap.racer.tracks import circuit_ids, track_ids

REPOSITORY = Path(__file__).parent.parent
PYPROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
EXTRAS = PROJECT["optional-dependencies"]
REQUIREMENTS = [*PROJECT["dependencies"], *(line for lines in EXTRAS.values() for line in lines)]
PAGES = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
SHELL_OPERATORS = ("|", "||", "&&", "&", ";", ">", ">>", "<", "2>")
HEAVY_PACKAGES = {"matplotlib", "numba", "onnxruntime", "stable_baselines3", "starlette", "torch"}


def hotlap_command(*words: str, **options) -> subprocess.CompletedProcess:
    """Run `hotlap …` as a user does, in a process of its own."""
    command = [sys.executable, "-m", "hotlap.cli", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, **options)


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of one language on a page."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def numbered_blocks(language: str) -> list:
    return [
        pytest.param(block, id=f"{page.name}-{number}")
        for page in PAGES
        for number, block in enumerate(blocks(page, language), 1)
    ]


def every_command(group: cli.Group) -> list[cli.Command]:
    nested = [[verb] if isinstance(verb, cli.Command) else every_command(verb) for verb in group.verbs.values()]
    return [command for commands in nested for command in commands]


# The command line


def test_help_lists_every_verb():
    done = hotlap_command("--help")
    assert done.returncode == 0
    assert not done.stderr
    for name, verb in cli.HOTLAP.verbs.items():
        assert re.search(rf"^ +{name} +{re.escape(verb.summary)}$", done.stdout, re.MULTILINE)


def test_version_is_the_version_of_the_package():
    done = hotlap_command("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"hotlap {hotlap.__version__}\n", "")


@pytest.mark.parametrize("verb", ["--help", "runs"])
def test_what_needs_no_heavy_package_starts_without_them(verb, tmp_path):
    script = f"import sys; from hotlap.cli import main; main(['{verb}']); print(*sys.modules, file=sys.stderr)"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240, check=True)
    loaded = {name.split(".")[0] for name in done.stderr.split()}
    assert "hotlap" in loaded
    assert not loaded & HEAVY_PACKAGES


def test_unknown_verb_names_the_nearest_one():
    done = hotlap_command("trakcs")
    assert done.returncode == 2
    assert not done.stdout
    assert 'no command "trakcs"' in done.stderr
    assert 'Did you mean "tracks"?' in done.stderr


def test_unknown_verb_of_a_group_names_the_nearest_one(capsys):
    assert cli.main(["tracks", "shwo"]) == 2
    assert 'Did you mean "show"?' in capsys.readouterr().err


def test_unknown_option_exits_with_the_users_mistake(capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["benchmark", "env", "--carz", "3"])
    assert stop.value.code == 2
    assert "--cars" in capsys.readouterr().err


@pytest.mark.parametrize("command", every_command(cli.HOTLAP), ids=lambda command: command.target)
def test_every_verb_shows_its_own_help(command, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.run_command(command, "hotlap", ["--help"])
    assert stop.value.code == 0
    assert inspect.getdoc(cli.load(command.target)) in " ".join(capsys.readouterr().out.split())


def failing_verb(monkeypatch, error: BaseException) -> None:
    """Make `hotlap benchmark env` fail with an error of our choice."""

    def fail(_target: str):
        raise error

    monkeypatch.setattr(cli, "load", fail)


def test_refusal_prints_its_message_and_exits_with_two(monkeypatch, capsys):
    failing_verb(monkeypatch, HotlapError("no wheels. Fit four."))
    assert cli.main(["benchmark", "env"]) == 2
    assert capsys.readouterr().err == "hotlap: no wheels. Fit four.\n"


def test_interrupt_prints_one_line_and_exits_with_130(monkeypatch, capsys):
    failing_verb(monkeypatch, KeyboardInterrupt())
    assert cli.main(["benchmark", "env"]) == 130
    assert capsys.readouterr().err == "hotlap: interrupted\n"


def test_bug_is_not_dressed_up_as_a_users_mistake(monkeypatch):
    failing_verb(monkeypatch, ValueError("a bug"))
    with pytest.raises(ValueError, match="a bug"):
        cli.main(["benchmark", "env"])


@dataclass(frozen=True)
class Answers:
    status: int | None = None
    """What `run` returns."""

    def run(self) -> int | None:
        return self.status


@pytest.mark.parametrize(("words", "status"), [([], 0), (["--status", "0"], 0), (["--status", "1"], 1)])
def test_what_a_verb_returns_is_the_exit_code(monkeypatch, words, status):
    monkeypatch.setattr(cli, "load", lambda _target: Answers)
    assert cli.main(["benchmark", "env", *words]) == status


def test_tracks_are_listed_for_machines(capsys):
    assert cli.main(["tracks", "list", "--json"]) == 0
    assert [track["id"] for track in json.loads(capsys.readouterr().out)] == list(track_ids() + circuit_ids())


def test_unknown_track_is_refused_with_the_nearest_name(capsys):
    assert cli.main(["tracks", "show", "trak-02"]) == 2
    assert 'Did you mean "track-02"?' in capsys.readouterr().err


def test_generated_track_can_be_shown_from_its_file(tmp_path, capsys):
    path = tmp_path / "mine.json"
    assert cli.main(["tracks", "generate", "7", "--difficulty", "easy", "--output", str(path)]) == 0
    capsys.readouterr()
    assert cli.main(["tracks", "show", str(path), "--json"]) == 0
    from_file = json.loads(capsys.readouterr().out)
    assert cli.main(["tracks", "show", "generated:7:easy", "--json"]) == 0
    assert from_file["length_u"] == json.loads(capsys.readouterr().out)["length_u"]


def test_imported_circuit_becomes_a_track_file(tmp_path, capsys):
    circuit = tmp_path / "ring.csv"
    angles = [2 * math.pi * k / 120 for k in range(120)]
    rows = [f"{150 * math.cos(angle)},{100 * math.sin(angle)},6,6" for angle in angles]
    circuit.write_text("\n".join(["# x_m,y_m,w_tr_right_m,w_tr_left_m", *rows]) + "\n", encoding="utf-8")
    assert cli.main(["tracks", "import", str(circuit)]) == 0
    capsys.readouterr()
    assert cli.main(["tracks", "show", str(circuit.with_suffix(".json")), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["direction"] == "counter-clockwise"


@pytest.mark.skipif(os.name == "nt", reason="pipes break differently there")
def test_reader_that_leaves_early_is_no_complaint():
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "hotlap.cli", "--help"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=240, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


# Dependencies


@pytest.mark.parametrize("line", [line for line in REQUIREMENTS if not line.startswith("hotlap[")])
def test_every_dependency_has_a_lower_and_an_upper_bound(line):
    operators = {bound.operator for bound in Requirement(line).specifier}
    assert operators & {">=", ">", "=="}, f"{line} has no lower bound"
    assert operators & {"<", "<=", "=="}, f"{line} has no upper bound"


HASHES = re.compile(r"( \\\n    --hash=sha256:[0-9a-f]{64})+\n")


def locked_versions() -> dict[str, str]:
    """What is installed: torch alone, then everything that has hashes."""
    text = (REPOSITORY / "requirements-torch.lock").read_text(encoding="utf-8")
    text += HASHES.sub("\n", (REPOSITORY / "requirements.lock").read_text(encoding="utf-8"))
    pin = re.compile(r"([\w.-]+)==([\w.]+)(?: ; [\w\s.'=<>]+)?")  # and where it exists
    pins = [pin.fullmatch(line) for line in text.splitlines() if not line.startswith("#")]
    assert all(pins), "a line of a lock is not name==version"
    return {canonicalize_name(pin[1]): pin[2] for pin in pins}


@pytest.mark.parametrize(
    ("lock", "fewest"), [("requirements.lock", 50), ("requirements-ray.lock", 50), ("requirements-play.lock", 30)]
)
def test_everything_but_torch_is_locked_by_hash(lock, fewest):
    text = (REPOSITORY / lock).read_text(encoding="utf-8")
    names = re.findall(r"^([\w.-]+)==", text, re.MULTILINE)
    assert "torch" not in names
    assert len(HASHES.findall(text)) == len(names) > fewest


def test_play_needs_a_part_of_the_lock_and_all_that_its_packages_need():
    text = (REPOSITORY / "requirements-play.lock").read_text(encoding="utf-8")
    pins = dict(re.findall(r"^([\w.-]+)==([\w.]+)", text, re.MULTILINE))
    assert pins.items() <= locked_versions().items()
    wanted = [*PROJECT["dependencies"], *EXTRAS["web"], *EXTRAS["policies"], *PYPROJECT["build-system"]["requires"]]
    for line in [*wanted, *(line for package in pins for line in requires(package) or [])]:
        needed = Requirement(line)
        if needed.name != "hotlap" and (needed.marker is None or needed.marker.evaluate({"extra": ""})):
            assert canonicalize_name(needed.name) in pins, line


LOCKED = [
    *PROJECT["dependencies"],
    *(line for name in ("dev", "docs", "pictures", "policies", "train", "web") for line in EXTRAS[name]),
]


@pytest.mark.parametrize("line", [line for line in LOCKED if not line.startswith("hotlap[")])
def test_lock_pins_every_dependency_within_its_bounds(line):
    requirement = Requirement(line)
    assert requirement.specifier.contains(locked_versions()[canonicalize_name(requirement.name)])


def test_lock_is_closed():
    """Whatever a locked package needs is locked too, so an install from the lock fetches nothing else."""
    locked = locked_versions()
    unlocked = {"pip", "cuda-bindings", "cuda-toolkit", "triton"}  # brought by the GPU builds of torch
    for package in locked:
        for line in requires(package) or []:
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                name = canonicalize_name(needed.name)
                assert name in locked or name in unlocked or name.startswith("nvidia-"), f"{package} needs {name}"


# Import rules


def import_contract(name: str) -> dict:
    [contract] = [each for each in PYPROJECT["tool"]["importlinter"]["contracts"] if each["id"] == name]
    return contract


def folders() -> set[str]:
    return {path.parent.name for path in (REPOSITORY / "src" / "hotlap").glob("*/__init__.py")}


def named_in(contract: str) -> set[str]:
    return {module.removeprefix("hotlap.") for module in import_contract(contract)["source_modules"]}


def test_every_world_and_what_is_below_is_named_as_plain():
    """A folder with a world.py is a world; worlds are neighbours in the layers, which name what is below."""
    worlds = {name for name in folders() if (REPOSITORY / "src" / "hotlap" / name / "world.py").exists()}
    layers = [set(re.findall(r"\w+", layer)) for layer in import_contract("layers")["layers"]]
    places = [number for number, layer in enumerate(layers) if layer & worlds]
    assert set().union(*layers[places[0] : places[-1] + 1]) == worlds
    assert named_in("worlds-are-plain") == worlds.union(*layers[places[-1] + 1 :])


def test_every_folder_that_starts_without_torch_is_named():
    """By the imports themselves: a folder from which no chain of imports leads to torch is one."""
    contract = import_contract("starts-without-torch")
    graph = grimp.build_graph("hotlap", include_external_packages=True, exclude_type_checking_imports=True)
    for line in contract["ignore_imports"]:
        importer, imported = line.split(" -> ")
        graph.remove_import(importer=importer, imported=imported)
    heavy = [name for name in contract["forbidden_modules"] if name in graph.modules]
    light = {
        name
        for name in folders()
        if not any(graph.find_shortest_chain(f"hotlap.{name}", each, as_packages=True) for each in heavy)
    }
    assert named_in("starts-without-torch") == light


# Documentation


@pytest.mark.parametrize("block", numbered_blocks("python"))
def test_snippet_in_the_documentation_runs(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "snippet", "exec"), {"__name__": "__main__"})  # noqa: S102 - our own words


def console_lines() -> list[str]:
    lines = [line for page in PAGES for block in blocks(page, "console") for line in block.splitlines()]
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


def words_of(line: str) -> list[str]:
    """What a shell hands to `hotlap`: up to a pipe, a redirection or the next command."""
    words = shlex.split(line, comments=True)
    end = next((place for place, word in enumerate(words) if word in SHELL_OPERATORS), len(words))
    return words[1:end]


@pytest.mark.parametrize("line", [line for line in console_lines() if line.startswith("hotlap ")])
def test_hotlap_line_in_the_documentation_can_be_parsed(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").touch()  # a preset of the reader's own is read while options are parsed
    words, command = words_of(line), cli.HOTLAP
    while isinstance(command, cli.Group) and words and not words[0].startswith("-"):
        command = command.verbs[words.pop(0)]
    if isinstance(command, cli.Command):
        assert callable(cli.parsed(command, "hotlap", words).run)
    else:
        assert words in ([], ["--help"], ["--version"])


@pytest.mark.parametrize("line", [line for line in console_lines() if line.startswith("make ")])
def test_make_line_in_the_documentation_is_a_target(line):
    target = shlex.split(line, comments=True)[1]
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"^{target}:", makefile, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text(encoding="utf-8"))
    generated = {(REPOSITORY / "docs" / path).resolve() for path in GENERATED_PAGES}
    targets = [(page.parent / link).resolve() for link in links]
    assert not [target for target in targets if not target.exists() and target not in generated]


@pytest.mark.parametrize("page", [*PAGES, REPOSITORY / "CHANGELOG.md"], ids=lambda page: page.name)
def test_page_is_at_most_120_columns_wide(page):
    """A row of a table is as wide as it must be, and so is a piece of code inside a sentence that fills a line."""
    lines = page.read_text(encoding="utf-8").splitlines()
    long = [line for line in lines if len(line) > 120 and not line.startswith("|")]
    assert not [line for line in long if not re.fullmatch(r"[-\s]*`[^`]+`\S*", line)]


def test_every_module_opens_with_one_sentence():
    for path in sorted((REPOSITORY / "src").rglob("*.py")):
        opening = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert opening, f"{path} says nothing about itself"
        assert opening.split("\n\n")[0].rstrip().endswith("."), f"{path} does not open with a sentence"


RETIRED = re.compile(r"\b(judg\w*|verdict\w*|examin\w*|exams?|eager|keeper\w*|disciplines?)\b", re.IGNORECASE)
"""Words that were other names for evaluate and measure, polling, the callback of a run, and how a world is trained."""


@pytest.mark.parametrize("folder", ["src/hotlap", "frontend/src", "benchmarks", "docs"])
def test_one_idea_has_one_word(folder):
    kinds = (".md", ".py", ".ts")
    files = [path for path in (REPOSITORY / folder).rglob("*") if path.suffix in kinds and "static" not in path.parts]
    assert len(files) > 10
    assert not [path for path in files if RETIRED.search(path.stem) or RETIRED.search(path.read_text(encoding="utf-8"))]
