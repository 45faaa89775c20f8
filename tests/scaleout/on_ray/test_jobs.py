"""A job on a real cluster: sent, followed, stopped, its files fetched and checked; and nothing without the token."""

import json
import os
import sys
import urllib.error
import urllib.request
from types import SimpleNamespace

import pytest

from hotlap.cli import main

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("ignore")]  # Ray's own warnings are not ours to mend
JOB = """
name = "short"
commands = {commands}
address = "{address}"
cpus = 0
max_duration = "{duration}"
include = ["note.txt", ".env"]
environment = {{ GREETING = "hello" }}
keep = ["out/**/*"]
storage = "{storage}"
"""
WRITES = (
    "import os, pathlib; pathlib.Path('out').mkdir(); "
    "pathlib.Path('out/a.txt').write_text(os.environ['GREETING'] + pathlib.Path('note.txt').read_text())"
)
SLEEPS = "import time; print('asleep', flush=True); time.sleep(600)"


@pytest.fixture
def hotlap(tmp_path, monkeypatch, capsys):
    """Runs a command in the folder of the test, in this process: its exit status, and what it printed."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        status = main(list(words))
        said = capsys.readouterr()
        return SimpleNamespace(returncode=status, stdout=said.out, stderr=said.err)

    return run


def python(code):
    return [[sys.executable, "-c", code], ["hotlap", "tracks", "list"]]


def write_job(folder, address, commands, duration="5m"):
    text = JOB.format(commands=json.dumps(commands), address=address, duration=duration, storage=folder / "storage")
    (folder / "job.toml").write_text(text)
    (folder / "note.txt").write_text(" world")
    (folder / ".env").write_text("PASSWORD=1")


@pytest.mark.timeout(600)
def test_a_job_is_sent_followed_stopped_and_fetched_and_only_with_the_token(tmp_path, cluster, hotlap):
    address = f"http://{cluster.dashboard}"
    (tmp_path / "storage").mkdir()
    write_job(tmp_path, address, python(WRITES))
    sent = hotlap("submit", "job.toml", "--json")
    assert sent.returncode == 0, sent.stderr
    assert "looks like a secret: .env" in sent.stderr
    job = json.loads(sent.stdout)["job"]
    followed = hotlap("jobs", "logs", job, "--follow", "--address", address)
    assert (followed.returncode, "track-01" in followed.stdout) == (0, True), followed
    fetched = hotlap("jobs", "fetch", job, "--address", address, "--output", "got")
    assert fetched.returncode == 0, fetched.stderr
    assert (tmp_path / "got/out/a.txt").read_text() == "hello world"
    assert not (tmp_path / "got/.env").exists()

    # One that would sleep for minutes is stopped by its own max_duration.
    write_job(tmp_path, address, python(SLEEPS), "1s")
    late = hotlap("submit", "job.toml").stdout.strip()
    ended = hotlap("jobs", "logs", late, "--follow", "--address", address)
    assert (ended.returncode, "max_duration is over" in ended.stdout) == (1, True)
    assert hotlap("jobs", "status", late, "--address", address).returncode == 1

    # And one more by hand.
    write_job(tmp_path, address, python(SLEEPS))
    long = hotlap("submit", "job.toml").stdout.strip()
    assert "asked to stop" in hotlap("jobs", "stop", long, "--address", address).stdout
    assert hotlap("jobs", "logs", long, "--follow", "--address", address).returncode == 1

    # One whose driver is worse than the last one fails, as the nightly example would.
    (tmp_path / "runs").mkdir()  # evaluations are kept where there are runs
    measured = ["--episodes", "1", "--vehicles", "0", "--orders", "0", "--no-baselines"]
    measured += ["--root", str(tmp_path / "runs")]
    first, second = ["hotlap", "evaluate", "expert", *measured], ["hotlap", "evaluate", "zero", *measured]
    write_job(tmp_path, address, [first, [*second, "--against", "last"]])
    gated = hotlap("submit", "job.toml").stdout.strip()
    worse = hotlap("jobs", "logs", gated, "--follow", "--address", address)
    assert (worse.returncode, "worse than expert" in worse.stdout) == (1, True), worse
    assert "exit code 1" in hotlap("jobs", "status", gated, "--address", address).stdout

    # Nobody gets in without the token.
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{address}/api/jobs/", timeout=10)  # noqa: S310 - loopback
    refused.value.close()
    assert refused.value.code in (401, 403)
    assert os.environ["RAY_AUTH_MODE"] == "token"
