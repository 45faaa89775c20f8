"""Entries as machine code for the cores of this machine, made from their IR once and then kept."""

import ctypes
import functools
import hashlib
from pathlib import Path
from typing import Any

import numba
from llvmlite import binding as llvm
from numba.core.registry import cpu_target

from hotlap.kernel import Entry
from hotlap.kernel_cache import kept, say_that_it_compiles
from hotlap.kernel_ir import KernelEntry, entry_name, hide_all_but, kept_ir, sources_hash

NAME = "hotlap_entry"
PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int64] * 3)
"""Of every entry."""


def native_entry(function: KernelEntry) -> Entry:
    """A C function pointer for an entry `f(addresses, first, last, mode)`; the call releases the GIL."""
    engine = _loaded(kept(f"{entry_name(function)}-{_machine_hash()}.o", lambda: _compiled(function)))
    entry = PROTOTYPE(engine.get_function_address(NAME))
    entry.keep_alive = engine  # type: ignore[attr-defined]
    return entry


def _compiled(function: KernelEntry) -> bytes:
    """The object file of an entry, optimised by the passes that numba runs over a function with all it calls."""
    say_that_it_compiles()
    cores = _cores()
    ir_text, inner_name = kept_ir(function)
    module = llvm.parse_assembly(ir_text + _entry_ir(inner_name))
    hide_all_but(NAME, module)
    # Each kernel by itself first: tidied up after they are all in one, the racer's would take a quarter longer to run.
    passes, builder = cores._function_pass_manager()
    for part in module.functions:
        if not part.is_declaration:
            passes.run(part, builder)
    cheap = {"loop_vectorize": False, "slp_vectorize": False, "opt": 0, "cost": "cheap"}
    for passes, builder in (cores._module_pass_manager(**cheap), cores._module_pass_manager()):
        passes.run(module, builder)
    return bytes(cores._tm.emit_object(module))


def _entry_ir(inner_name: str) -> str:
    """A function that C can call; numba's own wants places for a result and an error."""
    return f"""
define void @{NAME}(ptr %addresses, i64 %first, i64 %last, i64 %mode) {{
  %result = alloca ptr
  %error = alloca ptr
  %status = call i32 @{inner_name}(ptr %result, ptr %error, ptr %addresses, i64 %first, i64 %last, i64 %mode)
  ret void
}}
"""


def _loaded(object_code: bytes) -> Any:
    """An engine of its own for each entry, with the mathematical functions that numba gives to all of them."""
    options: dict[str, Any] = {"opt": numba.config.OPT}
    _cores()._customize_tm_options(options)
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(**options)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine, numba.config.USE_LLVMLITE_MEMORY_MANAGER)
    engine.add_object_file(llvm.ObjectFileRef.from_data(object_code))
    engine.finalize_object()
    return engine


@functools.cache
def _machine_hash() -> str:
    """Of this processor, and of the passes above: code for one may not run, or not run as fast, on another."""
    machine = f"{_cores().magic_tuple()} {sources_hash(Path(__file__))}"
    return hashlib.sha256(machine.encode()).hexdigest()[:16]


def _cores() -> Any:
    """Numba's compiler for the cores of this machine."""
    return cpu_target.target_context.codegen()
