"""The physics as GPU code: what the text asks to be linked, and that it carries nothing of this machine."""

import re
from pathlib import Path

import numba
import pytest

import hotlap
from hotlap import kernel_cache
from hotlap.errors import ExportError
from hotlap.export import ptx as ptx_module
from hotlap.export.ptx import LIBRARY_FILE, libdevice, ptx, ptx_imports
from hotlap.export.world_browser import browser_of, worlds_with_pages
from hotlap.highway.expert import expert_entry
from hotlap.policies.grip_teacher import show_entry

LIBRARY = {f"__nv_{name}" for name in ("sin", "cos", "tan", "acos", "atan", "atan2", "pow")}

# Compiling takes most of the time of these tests: on one worker it is done once.
pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("other machines")]


ON_GPUS = [
    (world, function)
    for world in worlds_with_pages()
    for function in browser_of(world).entries
    if function in ("update", "update_grip")
]


@pytest.fixture(scope="module", params=ON_GPUS)
def text(request) -> str:
    world, function = request.param
    return ptx(world, browser_of(world).entries[function])


def test_kernel_asks_only_for_mathematical_functions(text):
    assert {"__nv_sin", "__nv_cos"} <= set(ptx_imports(text)) <= LIBRARY


@pytest.mark.parametrize("entry", [show_entry, expert_entry])
def test_teachers_ask_only_for_mathematical_functions(entry):
    text = ptx("teacher", entry)
    assert set(ptx_imports(text)) <= LIBRARY | {"__nv_asin"}
    assert ".visible .entry teacher(" in text


def test_there_is_one_kernel_with_four_arguments(text):
    found = re.findall(r"\.visible \.entry (\w+)\(([^)]*)\)", text)
    assert [name for name, _ in found] in (["racer"], ["highway"])
    assert found[0][1].count(".param") == 4


def test_arithmetic_is_rounded_as_on_the_cores(text):
    """No multiplication is fused with an addition, and divisions and roots are exact to the last digit."""
    assert "fma" not in text
    assert set(re.findall(r"(?:div|sqrt|rcp)\.(\w+)\.f64", text)) == {"rn"}


def test_text_names_no_folder_of_the_machine_it_was_made_on(text):
    folders = [Path(hotlap.__file__).parent, Path(numba.__file__).parent, Path.home()]
    assert not [folder for folder in folders if str(folder) in text]


def test_library_is_found_in_a_toolkit_and_what_to_install_is_said_without_one(tmp_path, monkeypatch):
    (tmp_path / LIBRARY_FILE).parent.mkdir(parents=True)
    (tmp_path / LIBRARY_FILE).write_bytes(b"functions")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    assert libdevice() == b"functions"
    monkeypatch.delenv("CUDA_HOME")
    monkeypatch.delenv("CUDA_PATH", raising=False)
    monkeypatch.setattr(ptx_module, "TOOLKIT", str(tmp_path / "none"))
    monkeypatch.setattr(ptx_module.sysconfig, "get_path", lambda _name: str(tmp_path / "none"))
    with pytest.raises(ExportError, match=r'pip install "hotlap\[gpu\]"'):
        libdevice()


def test_code_for_a_gpu_is_made_once_and_made_again_when_it_was_damaged(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(kernel_cache, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(ptx_module, "_compiled", lambda name, *_others: made.append(name) or f".version of {name}")
    entry = browser_of("racer").entries["update"]
    assert ptx("racer", entry) == ptx("racer", entry) == ".version of racer"
    assert made == ["racer"]
    [kept] = tmp_path.glob("*.ptx")
    kept.write_bytes(kept.read_bytes()[:-1])
    assert ptx("racer", entry) == ".version of racer"
    assert ptx("racer", entry, b"another library") == ".version of racer"
    assert made == ["racer", "racer", "racer"]
