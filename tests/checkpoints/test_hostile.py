"""Nothing in a checkpoint can run code, reach outside its folder or exhaust the machine."""

import ast
import json
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from checkpoints import hostile_visit
from checkpoints.hostile_files import (
    STEP_FOLDER,
    harmless_cases,
    honest_files,
    hostile_cases,
    manifest_of,
    with_manifest,
)
from hotlap import checkpoints
from hotlap.checkpoints import load_checkpoint
from hotlap.checkpoints.bounded_json import parse_object
from hotlap.checkpoints.manifest import parse_manifest
from hotlap.checkpoints.tensor_files import parse_tensors
from hotlap.errors import CheckpointError

PACKAGE = Path(checkpoints.__file__).parent


@pytest.fixture(scope="module")
def visits(tmp_path_factory):
    """Title -> what happened when that checkpoint was loaded."""
    root = tmp_path_factory.mktemp("hostile")
    build_all(root, "harmless", harmless_cases())
    build_all(root, "hostile", hostile_cases())
    command = [sys.executable, hostile_visit.__file__, str(root), STEP_FOLDER]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def build_all(root, kind, cases):
    """A folder per case, named by kind, number and title, so that a failure names what it was."""
    for number, (title, build) in enumerate(cases):
        build(root / f"{kind} {number:03d} {re.sub('[^a-z0-9]+', ' ', title)}")


def outcomes_of(visits, kind):
    return {title: visit["outcome"] for title, visit in visits.items() if title.startswith(kind)}


def test_every_hostile_checkpoint_is_refused(visits):
    outcomes = outcomes_of(visits, "hostile")
    assert len(outcomes) > 180
    assert {title: outcome for title, outcome in outcomes.items() if not outcome.startswith("refused: ")} == {}


def test_only_the_file_of_gigabytes_is_refused_for_want_of_memory(visits):
    outcomes = outcomes_of(visits, "hostile")
    assert [title[12:] for title, outcome in outcomes.items() if "memory" in outcome] == ["a hole of four gigabytes"]


def test_harmless_checkpoints_load(visits):
    """Among them pickles in the place of `policy.onnx`, which is kept as bytes and never opened here."""
    outcomes = outcomes_of(visits, "harmless")
    assert len(outcomes) > 15
    assert {title: outcome for title, outcome in outcomes.items() if outcome != "loaded"} == {}


def test_no_checkpoint_runs_code_or_opens_a_file_elsewhere(visits):
    assert {title: visit["events"] for title, visit in visits.items() if visit["events"]} == {}
    assert not Path("/tmp/hotlap-was-here").exists()  # noqa: S108 - what the payloads would leave


def test_no_checkpoint_takes_five_seconds(visits, in_time):
    in_time(max(visit["seconds"] for visit in visits.values()), 5.0)


def mutated(data, rng):
    """The bytes with a few of them changed, removed, repeated or exchanged for something that JSON cares about."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(changed))
        piece = rng.choice([b"", b"0", b"-", b"9999999999999999999", b"1e9", b"null", b"[", b"{", b'"', b",", b"\xff"])
        piece = rng.choice([piece, bytes([rng.randrange(256)]), bytes(changed[at : at + rng.randint(1, 9)]) * 2])
        changed[at : at + rng.randint(0, 3)] = piece
    return bytes(changed)


@pytest.mark.parametrize("name", ["policy.safetensors", "config.json", "manifest.json"])
def test_mutated_file_is_read_or_refused_and_nothing_else(name):
    """Straight into the parsers, past the hashes: an attacker's hashes are right."""
    parsers = {
        "policy.safetensors": lambda data: parse_tensors(np.frombuffer(data, np.uint8), name),
        "config.json": lambda data: parse_object(data, name),
        "manifest.json": parse_manifest,
    }
    files = honest_files()
    whole = (files | {"manifest.json": json.dumps(manifest_of(files)).encode()})[name]
    rng, outcomes = random.Random(name), Counter()
    for _ in range(5000):
        try:
            parsers[name](mutated(whole, rng))
            outcomes["read"] += 1
        except CheckpointError:
            outcomes["refused"] += 1
    assert outcomes["read"] > 10
    assert outcomes["refused"] > 1000


def test_refusal_is_one_line_whatever_the_file_says(tmp_path):
    with_manifest(**{"\n\x1b[2J" + "x" * 1000: 1})(tmp_path)
    with pytest.raises(CheckpointError, match="unknown field") as refused:
        load_checkpoint(tmp_path / STEP_FOLDER)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < len(str(tmp_path)) + 600


def test_watch_sees_what_it_looks_for(tmp_path):
    """The same watch, over loaders that do trust their files."""
    script = (
        "import io, os, pickle, socket, subprocess, sys\n"
        "from checkpoints.hostile_files import Payload\n"
        "from checkpoints.hostile_visit import Watch\n"
        f"data = pickle.dumps(Payload()).replace(b'touch /tmp/hotlap-was-here', b'{'true':<26}')\n"
        f"watch = Watch({str(tmp_path)!r})\n"
        "sys.addaudithook(watch)\n"
        "watch.on = True\n"
        "pickle.loads(data)\n"
        "exec('1 + 1')\n"
        "open('/etc/passwd').close()\n"
        "socket.socket().close()\n"
        "subprocess.run(['true'])\n"
        "watch.on = False\n"
        "print(sorted(set(watch.events)))\n"
    )
    environment = {"PYTHONPATH": str(Path(__file__).parent.parent)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    seen = set(ast.literal_eval(done.stdout))
    assert {"pickle.find_class", "os.system", "exec", "open /etc/passwd", "socket.__new__", "subprocess.Popen"} <= seen


def imported_names(file):
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").split(".")[0]


def test_package_imports_nothing_that_could_run_code_from_a_file():
    names = {name for file in PACKAGE.glob("*.py") for name in imported_names(file)}
    assert "hashlib" in names
    assert not names & {"cloudpickle", "dill", "joblib", "marshal", "pickle", "shelve", "torch", "yaml", "zipfile"}


def test_package_starts_without_torch():
    script = "import sys, hotlap.checkpoints; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert "hotlap" in loaded
    assert not loaded & {"onnx", "onnxruntime", "stable_baselines3", "tensorboard", "torch"}
