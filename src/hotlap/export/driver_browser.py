"""Small networks in the browser: the forward pass as a module of its own, and how a page lays out its memory."""

from typing import Any

from hotlap.export.browser_kernel import wasm_facts
from hotlap.export.content import Files, content_of, json_content
from hotlap.export.linking import link, packaged
from hotlap.export.wasm import wasm_object
from hotlap.kernel import element_type
from hotlap.learning.forward import Cars, Limits, Policy, drive_entry
from hotlap.learning.network import ACTIVATIONS

FORMAT = 1
WASM = "driver.wasm"


def built_driver_wasm() -> bytes:
    """The forward pass of a policy, compiled and linked now."""
    return link({"act": wasm_object("act", drive_entry)})


def driver_document(wasm: bytes) -> dict[str, Any]:
    """What `data/driver.json` says about a `driver.wasm`."""
    groups: dict[str, Any] = {"policy": Policy, "cars": Cars}
    slots = [
        {"group": group, "field": field, "dtype": element_type(columns.__annotations__[field]).name}
        for group, columns in groups.items()
        for field in columns._fields
    ]
    return {
        "format": FORMAT,
        "wasm": wasm_facts(wasm),
        "slots": [*slots, {"group": "numbers", "field": "limits", "dtype": "float64"}],
        "limits": list(Limits._fields),
        "activations": ACTIVATIONS,
    }


def driver_files(wasm: bytes | None = None) -> Files:
    """The module, as packaged unless another is given, and its memory layout."""
    wasm = packaged(WASM) if wasm is None else wasm
    return {"data/driver.json": json_content(driver_document(wasm)), f"data/{WASM}": content_of(WASM, wasm)}
