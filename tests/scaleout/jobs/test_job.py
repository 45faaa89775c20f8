"""The file of a job, what the cluster is told, what runs there and what comes back."""

import json
import os
import sys
from types import SimpleNamespace

import pytest

from hotlap.cli import main
from hotlap.errors import ConfigError, HotlapError, JobError
from hotlap.scaleout.jobs import client, control, process
from hotlap.scaleout.jobs.artefacts import MANIFEST, fetch, store
from hotlap.scaleout.jobs.client import request
from hotlap.scaleout.jobs.rendering import as_yaml, kubernetes, label, skypilot
from hotlap.scaleout.jobs.spec import JobSpec, load_job

GOOD = JobSpec(
    name="night",
    commands=(("hotlap", "train", "--name", "{job}"), ("echo", "it's done")),
    cpus=2,
    max_duration="2h",
    environment={"A": "1"},
    storage="/shared",
    image="example/hotlap:1",
)


def python(code):
    return [sys.executable, "-c", code]


def run_job(monkeypatch, folder, seconds=60, **orders):
    monkeypatch.chdir(folder)
    given = {"seconds": seconds, "keep": ["*.txt"], "storage": str(folder / "kept"), **orders}
    monkeypatch.setenv(process.ORDERS, json.dumps(given))
    monkeypatch.setattr(process.signal, "signal", lambda *_: None)
    return process.main()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("cpus = 1", "no commands"),
        ("commands = [[]]", "needs commands"),
        ("commands = [['x']]\nmax_duration = '1 hour'", "max_duration"),
        ("commands = [['x']]\nmax_duration = '0s'", "max_duration"),
        ("commands = [['x']]\naddress = 'http://10.0.0.1:8265'", "in the clear"),
        ("commands = [['x']]\naddress = 'ray://h:1'", "no address"),
        ("commands = [['x']]\nname = '../up'", "cannot name"),
        ("commands = [['x']]\nenvironment = { 'A B' = '1' }", "cannot name a variable"),
        ("commands = [['x']]\nmemory = 1", "Did you mean"),
        ("commands = [['x']]\nstorage = 'jobs'", "whole path"),
        ("commands = [['x']]\nkeep = ['/etc/*']", "relative patterns"),
        ("commands = [['x']]\nkeep = ['a/../../b']", "relative patterns"),
        ("commands = [['x']]\nkeep = ['']", "relative patterns"),
    ],
)
def test_a_job_that_cannot_work_is_refused(tmp_path, text, complaint):
    (tmp_path / "job.toml").write_text(text)
    with pytest.raises(HotlapError, match=complaint):
        load_job(tmp_path / "job.toml")


def test_the_cluster_is_asked_for_exactly_what_the_file_says():
    asked = request(GOOD, "night-1", "/somewhere")
    assert (asked["entrypoint_num_cpus"], asked["submission_id"]) == (2, "night-1")
    assert asked["runtime_env"]["env_vars"]["A"] == "1"
    orders = json.loads(asked["runtime_env"]["env_vars"][process.ORDERS])
    assert orders["commands"][0] == ["hotlap", "train", "--name", "night-1"]
    assert (orders["seconds"], orders["storage"]) == (7200, "/shared/night-1")


def test_a_dry_run_sends_nothing_and_shows_everything(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.toml").write_text('commands = [["hotlap", "--version"]]\ninclude = ["*.txt", "*.pem"]')
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "b.pem").write_text("b")
    assert main(["submit", "job.toml", "--dry-run"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["files"], shown["left_out"], shown["total_bytes"]) == (["a.txt"], ["b.pem"], 1)


def test_a_dry_run_shows_exactly_what_is_sent(tmp_path, monkeypatch, capsys):
    sent = {}

    class Cluster:
        """Takes one job, and looks into its parcel while it is there."""

        def __init__(self, address):
            sent["address"] = address

        def submit_job(self, runtime_env, **rest):
            folder = process.Path(runtime_env["working_dir"])
            files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
            sent.update(files=files, request={**rest, "runtime_env": {**runtime_env, "working_dir": None}})

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(client, "load_ray", lambda *_: SimpleNamespace(JobSubmissionClient=Cluster))
    monkeypatch.setattr(control, "new_job_name", lambda _spec: "night-1")
    lines = ['commands = [["hotlap", "train"]]', 'include = ["**/*"]', 'environment = { A = "1" }', "memory_gb = 2"]
    (tmp_path / "job.toml").write_text("\n".join([*lines, 'requirements = ["x"]', 'storage = "/shared"']))
    (tmp_path / "deep").mkdir()
    for name in ("deep/a.txt", ".env", "node_modules"):
        (tmp_path / name).write_text(name)
    assert main(["submit", "job.toml", "--dry-run"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert not sent
    assert main(["submit", "job.toml"]) == 0
    shown["request"]["runtime_env"]["working_dir"] = None
    assert {name: shown[name] for name in ("address", "request", "files")} == sent
    assert shown["files"] == ["deep/a.txt", "job.toml"]


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("Job entrypoint command failed with exit code 1, last available logs (truncated):\nworse", "exit code 1"),
        ("Job finished successfully.", "successfully."),
        (None, "FAILED"),
    ],
)
def test_a_job_is_shown_in_one_line(monkeypatch, capsys, message, line):
    facts = {"job": "night-1", "status": "FAILED", "message": message}
    monkeypatch.setattr(control, "Jobs", lambda _address: SimpleNamespace(all=lambda: [facts], one=lambda _job: facts))
    assert main(["jobs", "list"]) == 0
    assert main(["jobs", "status", "night-1"]) == 1
    first, second = capsys.readouterr().out.splitlines()
    assert first == second
    assert first.startswith("night-1  FAILED")
    assert first.endswith(line)


def test_the_example_job_is_one():
    spec = load_job(process.Path(__file__).parents[3] / "examples" / "nightly-highway.toml")
    assert [words[1] for words in spec.commands] == ["train", "evaluate"]
    assert "--against" in spec.commands[1]


def test_other_runners_get_the_same_orders_within_the_same_time():
    for text in (kubernetes(GOOD, "night-1"), skypilot(GOOD, "night-1")):
        assert "have not run it" in text.splitlines()[0]
        assert json.dumps(json.dumps(GOOD.orders("night-1"))) in text
    assert "activeDeadlineSeconds: 7260" in kubernetes(GOOD, "night-1")
    assert 'cpu: "2"' in kubernetes(GOOD, "night-1")
    with pytest.raises(JobError, match="image"):
        kubernetes(JobSpec(commands=(("x",),)), "night-1")


def test_other_runners_get_names_they_allow():
    assert label("My_Night.2-ab") == "my-night-2-ab"


def test_what_a_job_keeps_by_default_are_the_files_of_its_runs(tmp_path):
    (tmp_path / "work/runs/a/checkpoints").mkdir(parents=True)
    (tmp_path / "work/runs/a/checkpoints/policy.onnx").write_text("p")
    (tmp_path / "work/other.txt").write_text("o")
    assert store(tmp_path / "work", JobSpec(commands=(("x",),)).keep, tmp_path / "kept", 0) == 1
    assert list(fetch(tmp_path / "kept", tmp_path / "got").files) == ["runs/a/checkpoints/policy.onnx"]


def test_yaml_keeps_its_shape():
    assert as_yaml({"a": [{"b": "c: d"}, 1], "e": []}) == 'a:\n  -\n    b: "c: d"\n  - 1\ne: []\n'


def test_commands_run_in_order_until_one_fails_and_what_they_made_is_kept(tmp_path, monkeypatch):
    commands = [python("open('a.txt', 'w').write('a')"), python("raise SystemExit(7)"), python("open('b.txt', 'w')")]
    assert run_job(monkeypatch, tmp_path, commands=commands) == 7
    manifest = fetch(tmp_path / "kept", tmp_path / "got")
    assert (manifest.exit_code, list(manifest.files)) == (7, ["a.txt"])
    assert (tmp_path / "got/a.txt").read_text() == "a"


def test_a_job_ends_when_its_time_is_up(tmp_path, monkeypatch):
    commands = [python("import signal; open('a.txt', 'w').write('a'); signal.pause()")]
    assert run_job(monkeypatch, tmp_path, seconds=1, commands=commands) == process.TIME_IS_UP
    assert fetch(tmp_path / "kept", tmp_path / "got").exit_code == process.TIME_IS_UP


def test_a_job_ends_in_time_where_processes_have_no_groups(tmp_path, monkeypatch):
    """As on Windows: the command itself is ended."""
    monkeypatch.delattr(os, "killpg")
    commands = [python("import signal; signal.pause()")]
    assert run_job(monkeypatch, tmp_path, seconds=1, commands=commands) == process.TIME_IS_UP


def test_a_job_whose_storage_is_not_there_fails_before_its_first_command(tmp_path, monkeypatch, capsys):
    commands = [python("open('a.txt', 'w').write('a')")]
    missing = tmp_path / "not-mounted"
    assert run_job(monkeypatch, tmp_path, commands=commands, storage=str(missing / "night-1")) == process.NO_STORAGE
    assert str(missing) in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def stored(tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work/a.txt").write_text("whole")
    store(tmp_path / "work", ["*"], tmp_path / "kept", 0)
    return tmp_path / "kept"


def test_a_damaged_file_is_found_and_nothing_is_kept(tmp_path):
    kept = stored(tmp_path)
    (kept / "a.txt").write_text("whale")
    with pytest.raises(JobError, match="damaged"):
        fetch(kept, tmp_path / "got")
    assert not (tmp_path / "got").exists()


@pytest.mark.parametrize("name", ["../a.txt", "/a.txt", "b/../../a.txt", "..\\a.txt"])
def test_a_manifest_that_leads_outside_is_refused(tmp_path, name):
    kept = stored(tmp_path)
    manifest = json.loads((kept / MANIFEST).read_text())
    manifest["files"] = {name: manifest["files"]["a.txt"]}
    (kept / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(JobError, match="leads outside"):
        fetch(kept, tmp_path / "got")


def test_a_link_in_place_of_a_file_is_not_followed(tmp_path):
    kept = stored(tmp_path)
    (kept / "a.txt").rename(tmp_path / "elsewhere.txt")
    (kept / "a.txt").symlink_to(tmp_path / "elsewhere.txt")
    with pytest.raises(JobError, match="link"):
        fetch(kept, tmp_path / "got")


def test_a_job_without_a_manifest_has_not_ended(tmp_path):
    with pytest.raises(JobError, match="not ended"):
        fetch(tmp_path, tmp_path / "got")


def test_the_longest_time_is_read_in_its_unit():
    times = {"90s": 90, "30m": 1800, "12h": 43200, "2d": 172800}
    assert {text: JobSpec(commands=(("x",),), max_duration=text).seconds for text in times} == times
    with pytest.raises(ConfigError):
        JobSpec(commands=(("x",),), max_duration="")
