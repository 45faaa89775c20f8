"""The trained drivers that come with Hotlap."""

from importlib.resources import files

BUNDLED = files("hotlap") / "web" / "data" / "bundled"
"""Where NAME.onnx of each lies."""
RACE_DRIVER = "racecraft"
"""Who drives in races at a level when nobody is named."""


def bundled_names() -> list[str]:
    """Their names."""
    return sorted(file.name.removesuffix(".onnx") for file in BUNDLED.iterdir() if file.name.endswith(".onnx"))
