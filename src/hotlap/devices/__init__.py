"""Worlds for learners on any device: tensors in and out, on the cores or on an NVIDIA GPU."""
