"""ONNX Runtime, told before it is loaded to send nothing home and to leave nothing in the user's cache folder."""

import os

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

import onnxruntime

__all__ = ["onnxruntime"]
