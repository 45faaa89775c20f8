"""The physics as WebAssembly: what the object asks of its host, and that it carries nothing of this machine."""

import sys
from pathlib import Path

import numba
import pytest

import hotlap
from hotlap import kernel_cache, kernel_ir
from hotlap.errors import ExportError
from hotlap.export import linking
from hotlap.export.driver_browser import built_driver_wasm
from hotlap.export.linking import link, packaged, wasm_objects
from hotlap.export.reference_laps import (
    GRIP_REFERENCES_FILE,
    REFERENCES_FILE,
    built_grip_references,
    built_references,
)
from hotlap.export.wasm import MAGIC, object_imports
from hotlap.export.world_browser import browser_of, worlds_with_pages
from hotlap.kernel_ir import kept_ir, scalar_ir

MATH = {"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "pow", "fmod"}
# Compiling takes most of the time of these tests: on one worker it is done once.
pytestmark = pytest.mark.xdist_group("other machines")
LINKAGE = {"__linear_memory", "__indirect_function_table", "__stack_pointer"}


@pytest.fixture(scope="module", params=worlds_with_pages())
def world(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def objects(world) -> dict[str, bytes]:
    return wasm_objects(world)


def test_entries_compile_to_webassembly_objects(objects):
    assert all(content.startswith(MAGIC) for content in objects.values())


def test_objects_import_only_math_functions_and_their_memory(objects):
    imports = {name for content in objects.values() for name in object_imports(content)}
    assert {"sin", "cos", "__linear_memory"} <= imports
    assert imports <= MATH | LINKAGE


def test_object_offers_one_function_by_a_plain_name(objects):
    for name, content in objects.items():
        assert content.count(name.encode()) == 1
        assert b"hotlap" not in content


# Races are fetched when the first one begins, and have a whole kernel for each kind of car.
MOST_BYTES = {"racer": 60_000, "race": 90_000, "highway": 60_000}


def test_objects_are_small_enough_for_a_page(world, objects):
    assert sum(map(len, objects.values())) < MOST_BYTES[world]


def test_objects_name_no_folder_of_the_machine_they_were_made_on(objects):
    folders = [Path(hotlap.__file__).parent, Path(numba.__file__).parent, Path(sys.prefix), Path.home(), Path.cwd()]
    names = [str(folder).encode() for folder in folders if str(folder) != "/"]
    assert not [name for name in names for content in objects.values() if name in content]


def idle(_addresses, _first, _last, _mode):
    """An entry that does nothing."""


def test_compiling_for_the_browser_leaves_numba_as_it_was():
    ir_text, name = scalar_ir(idle)
    assert f"@{name}(" in ir_text
    assert int(numba.config.OPT) == 3
    assert numba.njit(lambda x: x + 1)(1) == 2


def test_what_other_machines_are_compiled_from_is_written_down_once(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_cache, "cache_folder", lambda: tmp_path)
    written = kept_ir(idle)
    assert f"@{written[1]}(" in written[0]
    monkeypatch.setattr(kernel_ir, "scalar_ir", None)
    assert kept_ir(idle) == written
    monkeypatch.setattr(kernel_ir, "sources_hash", lambda *_sources: "changed")
    with pytest.raises(TypeError):
        kept_ir(idle)


def test_packaged_module_is_what_the_kernels_compile_to(world, objects):
    assert link(objects) == packaged(f"{world}.wasm"), f"the packaged {world}.wasm is stale: run make wasm"


def test_packaged_network_is_what_the_kernel_compiles_to():
    assert built_driver_wasm() == packaged("driver.wasm"), "the packaged driver.wasm is stale: run make wasm"


@pytest.mark.parametrize("name", ["highway", "race"])
def test_packaged_document_is_what_the_world_says_and_draws(name):
    for url, content in browser_of(name).files(packaged(f"{name}.wasm")).items():
        assert content.read() == packaged(url.removeprefix("data/")), f"{url} is stale: run make wasm"


def test_packaged_reference_laps_are_what_the_reference_drivers_drive():
    packaged = Path(linking.__file__).with_name("data") / REFERENCES_FILE
    assert built_references() == packaged.read_bytes(), "the packaged references.json is stale: run make wasm"


def test_packaged_reference_laps_of_cars_with_grip_are_what_their_driver_drives():
    assert built_grip_references() == packaged(GRIP_REFERENCES_FILE), "grip-references.json is stale: run make wasm"


def test_packaged_module_imports_only_what_javascript_has(world):
    wasm = packaged(f"{world}.wasm")
    assert wasm.startswith(MAGIC)
    assert set(object_imports(wasm)) <= MATH - {"fmod"}


def test_missing_linker_says_what_to_install(monkeypatch):
    monkeypatch.setattr(linking, "LINKER", "no-such-linker")
    with pytest.raises(ExportError, match="install the package lld"):
        link({"update": MAGIC})


def test_linker_that_fails_says_why():
    with pytest.raises(ExportError, match="could not link"):
        link({"update": b"no object at all"})


def wasm_with_imports(*imports: bytes) -> bytes:
    """A module with a custom section of 200 bytes, then the imports."""
    custom = bytes([0, 0x80 | 200 & 0x7F, 200 >> 7, 1]) + b"x" * 199
    body = bytes([len(imports)]) + b"".join(imports)
    return MAGIC + custom + bytes([2, len(body)]) + body


def test_imports_of_every_kind_are_read():
    function, table = b"\x03env\x03sin\x00\x85\x01", b"\x03env\x05table\x01\x70\x00\x01"
    memory, bounded = b"\x03env\x06memory\x02\x00\x80\x02", b"\x03env\x05small\x02\x01\x01\x80\x02"
    counter, tag = b"\x03env\x07counter\x03\x7f\x01", b"\x03env\x03tag\x04\x00\x81\x00"
    wasm = wasm_with_imports(function, table, memory, bounded, counter, tag, b"\x01m\x04last\x00\x00")
    assert object_imports(wasm) == ["sin", "table", "memory", "small", "counter", "tag", "last"]


def test_module_without_imports_has_none():
    assert object_imports(MAGIC) == []


def test_other_files_are_refused():
    with pytest.raises(ExportError, match="no WebAssembly file"):
        object_imports(b"\x7fELF\x02\x01\x01\x00")
