"""The command line as a program: how it starts, is interrupted and completed, and what it leaves behind."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hotlap
from hotlap.cli import HOTLAP, Command, Group, load, main, verbosity_of
from hotlap.completion import script, words_by_path
from hotlap.progress import Verbosity
from hotlap.racer import cars
from hotlap.racer.tracks import load_track

INTERRUPTED_WHILE_LOADING = """
import os, signal, sys
class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == "hotlap":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupts())
import hotlap_start
sys.exit(hotlap_start.main())
"""
COMPLETES = """source {script}
COMP_WORDS=(hotlap {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _hotlap; echo "${{COMPREPLY[*]}}"
"""


def python(*words: str, **environment: str) -> subprocess.CompletedProcess:
    command = [sys.executable, *words]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=240, check=False, env=os.environ | environment
    )


def test_package_runs_as_a_module():
    done = python("-m", "hotlap", "--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"hotlap {hotlap.__version__}\n", "")


def test_interrupt_while_the_package_loads_is_one_line():
    done = python("-c", INTERRUPTED_WHILE_LOADING)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "hotlap: interrupted\n")


def test_onnx_runtime_leaves_nothing_in_the_home_folder(tmp_path):
    done = python("-c", "from hotlap.policies.runtime import onnxruntime", HOME=str(tmp_path), XDG_CACHE_HOME="")
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.rglob("*onnx*"))


def on_a_terminal(*words: str, **environment: str) -> str:
    """What a command shows on a terminal."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "hotlap", *words]
    process = subprocess.Popen(
        command, stdout=theirs, stderr=theirs, env=os.environ | {"TERM": "xterm-256color"} | environment
    )
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # how the end of a terminal shows
        while part := os.read(ours, 65536):
            shown += part
    os.close(ours)
    assert process.wait(240) == 0
    return shown.decode()


COLOR = re.compile(r"\x1b\[[1-9]")  # [0m turns colours off


def test_no_color_means_none():
    assert COLOR.search(on_a_terminal("cars", "show", "--help"))
    assert not COLOR.search(on_a_terminal("cars", "show", "--help", NO_COLOR="1"))
    assert not COLOR.search(on_a_terminal("tracks", "list", NO_COLOR="1"))


SERVERS_AND_SCRIPTS = {"play", "bridge", "completion"}


def commands(group: Group, path: str = "") -> dict[str, Command]:
    """Every command by its words."""
    found = {}
    for name, verb in group.verbs.items():
        words = f"{path} {name}".strip()
        found |= {words: verb} if isinstance(verb, Command) else commands(verb, words)
    return found


@pytest.mark.parametrize("verb", sorted(set(commands(HOTLAP)) - SERVERS_AND_SCRIPTS))
def test_every_verb_that_prints_a_result_prints_it_for_machines_too(verb):
    assert "json" in load(commands(HOTLAP)[verb].target).__dataclass_fields__


def test_generate_says_what_it_wrote_as_json(tmp_path, capsys):
    out = tmp_path / "made.json"
    assert main(["tracks", "generate", "7", "--output", str(out), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["written"], facts["length_u"]) == (str(out), load_track(out).length_u)


def test_checked_car_is_told_as_json(tmp_path, capsys):
    car = tmp_path / "own.toml"
    car.write_bytes((Path(cars.__file__).parent / "gt.toml").read_bytes())
    assert main(["cars", "check", str(car), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["file"] == str(car)


@pytest.mark.parametrize("words", [["-q", "runs"], ["runs", "-q"], ["runs", "--quiet", "--root", "{tmp}"]])
def test_quiet_is_taken_by_every_verb_wherever_it_stands(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main([word.format(tmp=tmp_path) for word in words]) == 0
    assert verbosity_of(words) == Verbosity.QUIET


def test_verbose_errors_say_where_they_came_from(capsys):
    assert main(["tracks", "show", "nowhere"]) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert main(["tracks", "show", "nowhere", "-v"]) == 2
    assert "Traceback" in capsys.readouterr().err


COMPILES = """
import sys
from hotlap.kernel import builder
sys.stderr.isatty = lambda: sys.argv[1] == "terminal"
print(builder(lambda x: x + 1)(1))
"""


def test_first_use_on_a_terminal_says_that_it_compiles(tmp_path):
    """A function of its own stands for the kernels, which take half a minute."""
    script = tmp_path / "compiles.py"
    script.write_text(COMPILES, encoding="utf-8")
    said = []
    for folder, where in (("piped", "pipe"), ("seen", "terminal"), ("seen", "terminal")):
        done = python(str(script), where, HOTLAP_CACHE_DIR=str(tmp_path / folder))
        assert done.stdout == "2\n"
        said.append(done.stderr)
    assert (said[0], said[2]) == ("", "")
    assert said[1].startswith("compiling kernels")
    assert said[1].count("\n") == 1


@pytest.fixture(scope="module")
def words():
    return words_by_path()


def test_completion_knows_every_verb_and_its_options(words):
    assert "train" in words[""]
    assert "generate" in words["tracks"]
    assert "--difficulty" in words["tracks generate"]
    assert all("--help" in known for path, known in words.items() if known[0].startswith("--"))


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("typed", "offered"),
    [("tra", "train tracks"), ("tracks sh", "show"), ("tracks generate 7 --diff", "--difficulty"), ("runs ''", "")],
)
def test_bash_completes_verbs_and_options(words, tmp_path, typed, offered):
    path = Path(tmp_path / "completion.bash")
    path.write_text(script("bash", words), encoding="utf-8")
    done = subprocess.run(
        ["bash", "-c", COMPLETES.format(script=path, words=typed)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == offered


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_the_same_words(words, shell):
    said = script(shell, words)
    assert all(word in said for known in words.values() for word in known)
