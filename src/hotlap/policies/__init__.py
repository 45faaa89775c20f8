"""Drivers behind one interface: scripted ones to compare with here, trained ones in `onnx_policy`."""

from hotlap.policies.casual_human import CasualHuman, Habits
from hotlap.policies.policy import Policy
from hotlap.policies.reference import ReferenceDriver, ReferenceLap, reference_lap

__all__ = ["CasualHuman", "Habits", "Policy", "ReferenceDriver", "ReferenceLap", "reference_lap"]
