"""What of an evaluation travels to a cluster."""

from hotlap.evaluation.sources import DriverSource, find_driver
from hotlap.scaleout.ray_evaluation import policy_bytes


def test_a_policy_named_like_a_scripted_driver_travels_and_the_script_does_not(tmp_path):
    path = tmp_path / "expert.onnx"
    path.write_bytes(b"weights")
    named_alike = DriverSource("expert", "highway", lambda _seeds: None, {"kind": "policy", "path": str(path)})
    assert policy_bytes(named_alike) == b"weights"
    assert policy_bytes(find_driver("expert")) is None
