"""A driver survives the way through a model repository, and a damaged one is refused."""

import json
import shutil
import sys

import pytest
import yaml
from safetensors.numpy import load_file

from hotlap import cli
from hotlap.errors import ConfigError, PolicyError
from hotlap.evaluation.sources import find_driver
from hotlap.export.model_repository import CARD, CONFIG, EVALUATION, POLICY, WEIGHTS, pull, push, weights_of

SHORT = {"track": ["track-01"], "laps": 2, "steps": 200}


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hub") / "all-rounder"
    words = ["push", "all-rounder", str(folder), "--track", "track-01"]
    assert cli.main(words) == 0
    return folder


def test_repository_has_policy_weights_evaluation_and_card(repository):
    assert {path.name for path in repository.iterdir()} == {POLICY, WEIGHTS, CARD, EVALUATION, CONFIG}
    stored = weights_of((repository / POLICY).read_bytes())
    loaded = load_file(repository / WEIGHTS)
    assert stored.keys() == loaded.keys()
    assert all((loaded[name] == array).all() for name, array in stored.items())
    assert json.loads((repository / EVALUATION).read_bytes())["driver"] == "all-rounder"


def test_card_is_one_that_the_hub_can_read(repository):
    card = (repository / CARD).read_text(encoding="utf-8")
    front = yaml.safe_load(card.split("---\n")[1])
    [result] = front["model-index"][0]["results"]
    assert front["library_name"] == "hotlap"
    assert {metric["type"] for metric in result["metrics"]} >= {"flying_best_clean_s"}
    assert "| track-01, no delay |" in card


def test_pulled_driver_is_the_one_that_was_pushed(repository, tmp_path, capsys):
    path = tmp_path / "mine.onnx"
    assert cli.main(["pull", str(repository), "--output", str(path)]) == 0
    assert f"hotlap evaluate {path}" in capsys.readouterr().out
    assert path.read_bytes() == (repository / POLICY).read_bytes()
    assert find_driver(str(path)).world == "racer"


def test_policy_that_is_not_the_described_one_is_refused(repository, tmp_path):
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in repository.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    config = json.loads((copy / CONFIG).read_bytes())
    (copy / CONFIG).write_text(json.dumps({**config, "sha256": "0" * 64}), encoding="utf-8")
    with pytest.raises(PolicyError, match="is not the policy that"):
        pull(str(copy), tmp_path / "bad.onnx", force=False)
    assert not (tmp_path / "bad.onnx").exists()


def test_what_is_there_already_stays(repository, tmp_path):
    with pytest.raises(PolicyError, match="exists already"):
        pull(str(repository), repository / POLICY, force=False)
    with pytest.raises(PolicyError, match="scripted"):
        push("reference", str(tmp_path / "new"), tmp_path, {}, force=False)


def test_name_on_the_hub_has_a_user_and_a_name(tmp_path):
    with pytest.raises(ConfigError, match="hf:USER/NAME"):
        pull("hf:nobody", tmp_path / "x.onnx", force=False)


def test_missing_client_of_the_hub_is_named_with_its_extra(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert cli.main(["pull", "hf:anna/driver", "--output", str(tmp_path / "x.onnx")]) == 2
    assert 'pip install "hotlap[hub]"' in capsys.readouterr().err


def test_hub_is_given_the_same_files_as_a_folder(tmp_path, monkeypatch):
    class Hub:
        @staticmethod
        def create_repo(name, exist_ok):
            assert (name, exist_ok) == ("anna/driver", True)

        @staticmethod
        def upload_folder(repo_id, folder_path):
            shutil.copytree(folder_path, tmp_path / repo_id)
            return f"https://hub.example/{repo_id}"

        @staticmethod
        def snapshot_download(repo_id, allow_patterns):
            assert set(allow_patterns) == {POLICY, CONFIG}
            return str(tmp_path / repo_id)

    monkeypatch.setitem(sys.modules, "huggingface_hub", Hub)
    assert push("all-rounder", "hf:anna/driver", tmp_path, SHORT, force=False) == "https://hub.example/anna/driver"
    assert pull("hf:anna/driver", tmp_path / "x.onnx", force=False).metadata["world"] == "racer"
