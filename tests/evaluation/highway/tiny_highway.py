"""A small policy of the highway, written by hand."""

import numpy as np
from onnx import helper, numpy_helper

from hotlap.highway.fingerprint import physics_fingerprint
from hotlap.highway.sensors import FIELDS, OBSERVATION_SIZE
from policies.tiny_models import model_of

GAIN = 20.0


def highway_model(**changes):
    """Holds the mission's speed by throttle and brake and looks at nobody."""
    weights = np.zeros((OBSERVATION_SIZE, 3))
    for pedal, sign in ((0, GAIN), (1, -GAIN)):
        weights[FIELDS.index("target_speed"), pedal] = sign
        weights[FIELDS.index("speed"), pedal] = -sign
    tensors = {"weights": weights, "low": np.array([0, 0, -1]), "high": np.array([1, 1, 1])}
    nodes = [
        helper.make_node("MatMul", ["observation", "weights"], ["mean"]),
        helper.make_node("Max", ["mean", "low"], ["floored"]),
        helper.make_node("Min", ["floored", "high"], ["action"]),
    ]
    metadata = {"world": "highway", "layout": "highway", "physics_fingerprint": physics_fingerprint(), **changes}
    arrays = [numpy_helper.from_array(value.astype(np.float32), name) for name, value in tensors.items()]
    return model_of(nodes, arrays, metadata, OBSERVATION_SIZE)
