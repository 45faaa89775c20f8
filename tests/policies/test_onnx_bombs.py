"""Policy files that are bombs are refused in one sentence, before anything is computed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hotlap.errors import PolicyError
from hotlap.policies.onnx_policy import OnnxPolicy
from policies.onnx_bombs import BOMBS
from policies.tiny_models import linear_model

MOST_BYTES = 1 << 20


@pytest.mark.parametrize("name", BOMBS)
def test_bomb_is_refused_by_the_checks_themselves(name):
    content = BOMBS[name]().SerializeToString()
    assert len(content) <= MOST_BYTES
    with pytest.raises(PolicyError) as refused:
        OnnxPolicy(content)
    assert "cannot be made ready" not in str(refused.value), "it got as far as the runtime"


def test_no_file_takes_more_than_512_mb_to_load_and_drive(tmp_path):
    for name, build in {**BOMBS, "honest": linear_model}.items():
        (tmp_path / f"{name}.onnx").write_bytes(build().SerializeToString())
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    visit = [sys.executable, str(Path(__file__).with_name("bomb_visit.py")), str(tmp_path)]
    found = json.loads(subprocess.run(visit, check=True, capture_output=True, timeout=240, env=environment).stdout)
    assert found.pop("honest.onnx")["outcome"] == "drove"
    assert {name: case["outcome"] for name, case in found.items() if not case["outcome"].startswith("refused")} == {}
