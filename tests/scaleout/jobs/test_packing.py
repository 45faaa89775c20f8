"""What a job takes along, and what it never does."""

import subprocess

import pytest

from hotlap.errors import JobError
from hotlap.scaleout.jobs.packing import looks_secret, pack
from hotlap.scaleout.jobs.spec import JobSpec


def job(**changes):
    return JobSpec(commands=(("hotlap", "--version"),), **changes)


def fill(root, *names):
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)


def test_by_default_a_job_takes_what_git_tracks_and_nothing_else(tmp_path):
    fill(tmp_path, "a.py", "deep/b.txt", "untracked.txt", ".env", "runs/x/policy.onnx")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "-f", "a.py", "deep/b.txt", ".env", "runs/x/policy.onnx"], cwd=tmp_path, check=True)
    parcel = pack(job(), tmp_path)
    assert parcel.files == ("a.py", "deep/b.txt")
    assert parcel.left_out == (".env",)
    assert parcel.total_bytes == len("a.py") + len("deep/b.txt")


def test_outside_of_git_somebody_has_to_say_what_to_send(tmp_path):
    with pytest.raises(JobError, match="include"):
        pack(job(), tmp_path)


def test_patterns_choose_and_leave_out_and_links_do_not_lead_outside(tmp_path):
    fill(tmp_path, "in/a.py", "in/b.py", "in/c/d.py", "out.py")
    (tmp_path / "in/link.py").symlink_to("/etc/passwd")
    assert pack(job(include=("in/**/*",), exclude=("in/b.*",)), tmp_path).files == ("in/a.py", "in/c/d.py")


def test_staged_files_are_the_chosen_ones(tmp_path):
    fill(tmp_path / "from", "a.py", "deep/b.txt", "c.pem")
    pack(job(include=("**/*",)), tmp_path / "from").stage(tmp_path / "to")
    assert sorted(path.name for path in (tmp_path / "to").rglob("*")) == ["a.py", "b.txt", "deep"]


@pytest.mark.parametrize(
    "name",
    [".env", "deep/.env.local", "id_rsa", "server.KEY", "my-secrets.yaml", "api_key.txt", "auth_token", ".netrc"],
)
def test_names_of_secrets_are_known(name):
    assert looks_secret(name)


@pytest.mark.parametrize("name", ["token_bucket.py", "secrets.md", "monkey.txt", "environment.toml", "keyboard.json"])
def test_names_that_only_sound_like_secrets_are_no_hindrance(name):
    assert not looks_secret(name)


def test_a_private_key_under_a_harmless_name_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("-----BEGIN OPENSSH " + "PRIVATE KEY-----\nabc")
    with pytest.raises(JobError, match=r"notes\.txt holds a private key"):
        pack(job(include=("*",)), tmp_path)


def test_too_much_is_refused_with_the_size(tmp_path):
    (tmp_path / "big.bin").write_bytes(bytes(2_000_000))
    with pytest.raises(JobError, match=r"2\.0 MB.*most_mb = 1"):
        pack(job(include=("*",), most_mb=1.0), tmp_path)
