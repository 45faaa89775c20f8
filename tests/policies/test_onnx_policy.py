"""Policies from ONNX files: what they compute, and what is refused before it could run."""

import json
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from hotlap.errors import PolicyError
from hotlap.policies import Policy, onnx_checks, onnx_policy
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.racer.batch import LAYOUTS
from hotlap.racer.fingerprint import physics_fingerprint
from policies.tiny_models import good_metadata, linear_model, linear_nodes, model_of


def saved(model: onnx.ModelProto, folder, name: str = "policy.onnx"):
    path = folder / name
    path.write_bytes(model.SerializeToString())
    return path


def refusal(model: onnx.ModelProto, folder) -> str:
    """Why a model is refused."""
    path = saved(model, folder)
    with pytest.raises(PolicyError) as refused:
        OnnxPolicy(path)
    assert str(path) in str(refused.value)
    return str(refused.value)


def test_gives_final_actions_for_raw_observations(tmp_path):
    policy = OnnxPolicy(saved(linear_model(bias=(0.25, 2.0, -1.0), steer_gain=1.0), tmp_path))
    assert isinstance(policy, Policy)
    observation = np.zeros((5, 14))
    observation[1, 2], observation[2, 6] = 0.5, 9.0
    actions = policy.act(observation)
    np.testing.assert_array_equal(actions[:, 0], np.array([0.25, 0.75, -1.0, 0.25, 0.25], np.float32))
    np.testing.assert_array_equal(actions[:, 1:], [[1.0, 0.0]] * 5)


def test_reads_what_the_file_says_about_itself(tmp_path):
    run = tmp_path / "fast-one"
    run.mkdir()
    policy = OnnxPolicy(saved(linear_model(), run))
    assert (policy.name, policy.layout) == ("fast-one", "classic")
    assert policy.metadata["tracks"] == ["track-01"]
    assert policy.metadata["algorithm"] == "ppo"


def test_takes_bytes_as_well_as_a_file():
    policy = OnnxPolicy(linear_model(good_metadata(layout="full")).SerializeToString())
    assert policy.layout == "full"
    assert policy.act(np.zeros((2, LAYOUTS["full"]))).shape == (2, 3)


def test_runs_without_torch(tmp_path):
    path = saved(linear_model(), tmp_path)
    script = (
        "import sys, numpy as np; from hotlap.policies.onnx_policy import OnnxPolicy\n"
        f"OnnxPolicy({str(path)!r}).act(np.zeros((1, 14)))\n"
        "assert not {'torch', 'stable_baselines3'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=240)


def test_other_physics_is_refused_with_both_fingerprints(tmp_path):
    reason = refusal(linear_model(good_metadata(physics_fingerprint="0123456789abcdef")), tmp_path)
    assert "0123456789abcdef" in reason
    assert physics_fingerprint() in reason


def test_unknown_layout_is_refused_with_the_nearest(tmp_path):
    assert 'Did you mean "classic"?' in refusal(linear_model(good_metadata(layout="clasic")), tmp_path)


def test_other_world_is_refused(tmp_path):
    assert '"highway"' in refusal(linear_model(good_metadata(world="highway")), tmp_path)


@pytest.mark.parametrize("key", ["world", "layout", "physics_fingerprint"])
def test_file_that_does_not_say_what_it_is_for_is_refused(key, tmp_path):
    metadata = good_metadata()
    del metadata[key]
    assert f'"{key}"' in refusal(linear_model(metadata), tmp_path)


def test_metadata_that_is_not_json_is_refused(tmp_path):
    model = linear_model()
    helper.set_model_props(model, {"world": "racer"})
    assert "not JSON" in refusal(model, tmp_path)


def test_weights_in_another_file_are_refused(tmp_path):
    model = linear_model()
    (tmp_path / "weights.bin").write_bytes(bytes(14 * 3 * 4))
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="weights.bin")
    assert "another file" in refusal(model, tmp_path)


def test_constant_in_another_file_is_refused(tmp_path):
    model = linear_model()
    outside = numpy_helper.from_array(np.zeros(3, np.float32), "outside")
    outside.ClearField("raw_data")
    outside.data_location = TensorProto.EXTERNAL
    outside.external_data.add(key="location", value="/etc/passwd")
    model.graph.node.insert(0, helper.make_node("Constant", [], ["c"], value=outside))
    assert "another file" in refusal(model, tmp_path)


def test_file_that_is_too_large_is_refused_unread(tmp_path, monkeypatch):
    monkeypatch.setattr(onnx_checks, "MOST_BYTES", 100)
    assert "no policy needs more than 100" in refusal(linear_model(), tmp_path)


@pytest.mark.parametrize("operator", ["Loop", "If", "Scan", "ConstantOfShape", "Tile", "Expand", "RandomNormal"])
def test_operator_that_no_policy_needs_is_refused(operator, tmp_path):
    nodes, tensors = linear_nodes(np.zeros((14, 3)), np.zeros(3))
    nodes.insert(0, helper.make_node(operator, ["observation"], ["odd"]))
    assert f'"{operator}"' in refusal(model_of(nodes, tensors, good_metadata()), tmp_path)


def test_operator_of_a_foreign_domain_is_refused(tmp_path):
    nodes, tensors = linear_nodes(np.zeros((14, 3)), np.zeros(3))
    nodes.insert(0, helper.make_node("Add", ["observation", "observation"], ["odd"], domain="evil.corp"))
    assert '"evil.corp:Add"' in refusal(model_of(nodes, tensors, good_metadata()), tmp_path)


def test_huge_result_of_small_weights_is_refused(tmp_path):
    """Two vectors of 40 kB multiply to a matrix of 400 MB: it must not get as far as being computed."""
    nodes, tensors = linear_nodes(np.zeros((14, 3)), np.zeros(3))
    side = np.zeros((10_000, 1), np.float32)
    tensors += [numpy_helper.from_array(side, "column"), numpy_helper.from_array(side.T.copy(), "row")]
    nodes.append(helper.make_node("MatMul", ["column", "row"], ["matrix"]))
    assert "makes 100,000,009 numbers" in refusal(model_of(nodes, tensors, good_metadata()), tmp_path)


@pytest.mark.parametrize(("size", "outputs"), [(13, 3), (14, 2), (59, 3)])
def test_ports_of_the_wrong_size_are_refused(size, outputs, tmp_path):
    nodes, tensors = linear_nodes(np.zeros((size, 3)), np.zeros(3))
    assert "[batch, " in refusal(model_of(nodes, tensors, good_metadata(), size, outputs), tmp_path)


def test_layers_that_do_not_fit_are_refused(tmp_path):
    nodes, tensors = linear_nodes(np.zeros((13, 3)), np.zeros(3))
    assert "do not fit" in refusal(model_of(nodes, tensors, good_metadata()), tmp_path)


@pytest.mark.parametrize("content", [b"", b"not a model", json.dumps({"a": 1}).encode(), bytes(1000)])
def test_anything_else_is_refused(content, tmp_path):
    path = tmp_path / "policy.onnx"
    path.write_bytes(content)
    with pytest.raises(PolicyError):
        OnnxPolicy(path)


def test_every_truncation_is_refused():
    whole = linear_model().SerializeToString()
    for length in range(0, len(whole), 7):
        with pytest.raises(PolicyError):
            OnnxPolicy(whole[:length])


def test_missing_file_is_refused(tmp_path):
    with pytest.raises(PolicyError, match="No such file"):
        OnnxPolicy(tmp_path / "gone.onnx")


def test_policy_that_answers_nan_is_named(tmp_path):
    policy = OnnxPolicy(saved(linear_model(bias=(float("nan"), 0.0, 0.0)), tmp_path, "dizzy.onnx"))
    with pytest.raises(PolicyError, match='"dizzy" answers with NaN'):
        policy.act(np.zeros((2, 14)))


def test_more_cars_than_fit_at_once_are_driven_in_parts(tmp_path, monkeypatch):
    observation = np.random.default_rng(0).normal(size=(50, 14))
    path = saved(linear_model(steer_gain=1.0), tmp_path)
    whole = OnnxPolicy(path).act(observation)
    monkeypatch.setattr(onnx_policy, "NUMBERS_AT_ONCE", 7 * 9)
    np.testing.assert_array_equal(OnnxPolicy(path).act(observation), whole)
