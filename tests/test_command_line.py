"""The command line as a program: how it starts, is interrupted and completed, and what it leaves behind."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hotlap
from hotlap.completion import script, words_by_path

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
