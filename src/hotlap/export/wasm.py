"""The physics for the browser: a kernel's entry as a WebAssembly object file, and a look at what it imports.

The object is the input of `wasm-ld`. Its one function is `NAME(addresses, first, last, mode)`, four 32-bit numbers;
`addresses` points to the address table of `hotlap.kernel`: one 64-bit slot per array, with the array's address in the
linear memory. Whatever the physics needs beyond arithmetic is imported under its C name (`sin`, `atan2`, …), which
JavaScript's `Math` has too.
"""

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Any

import numba
from llvmlite import binding as llvm
from numba.core import codegen

from hotlap.errors import ExportError
from hotlap.kernel import KERNEL_OPTIONS, EntrySignature, compile_kernel

TRIPLE = "wasm32-unknown-unknown"
# The first release of WebAssembly and two additions that every browser has had for years; no SIMD.
FEATURES = "+bulk-memory,+nontrapping-fptoint"
MAGIC = b"\0asm\x01\0\0\0"
IMPORT_SECTION = 2
FUNCTION, TABLE, MEMORY, GLOBAL, TAG = range(5)


KernelEntry = Callable[[Any, int, int, int], None]


def wasm_object(name: str, entry: KernelEntry) -> bytes:
    """An entry `f(addresses, first, last, mode)` with every kernel it calls, as an object file with that one name."""
    ir_text, inner_name = _scalar_ir(entry)
    machine = _wasm_machine()
    module = _module_for(machine, ir_text + _entry_ir(name, inner_name))
    _hide_all_but(module, name)
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    passes.getModulePassManager().run(module, passes)
    _rename_hidden(module)
    return bytes(machine.emit_object(module))


def _scalar_ir(entry: KernelEntry) -> tuple[str, str]:
    """LLVM IR of an entry before anything was tuned for this machine, and the name of the function in it."""
    decorate = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **KERNEL_OPTIONS)
    compiled = compile_kernel(entry, decorate)
    with _only_written_down():
        compiled.compile(EntrySignature.args)
    result = compiled.overloads[EntrySignature.args]
    return result.library.get_llvm_str(), result.fndesc.llvm_func_name


@contextlib.contextmanager
def _only_written_down() -> Iterator[None]:
    """Keep numba from optimising for this machine and from making its machine code, which would change the IR too.

    So the same source gives the same bytes everywhere, five times as fast.
    """
    before = numba.config.OPT
    left_out = [
        (codegen.JITCPUCodegen, "_add_module"),
        (codegen.JITCPUCodegen, "set_env"),
        (codegen.JITCodeLibrary, "_finalize_specific"),
    ]
    usual = [(owner, name, getattr(owner, name)) for owner, name in left_out]
    numba.config.OPT = type(before)(0)
    for owner, name in left_out:
        setattr(owner, name, lambda *_arguments: None)
    try:
        yield
    finally:
        numba.config.OPT = before
        for owner, name, method in usual:
            setattr(owner, name, method)


def _entry_ir(name: str, inner_name: str) -> str:
    """A function that JavaScript can call with plain numbers; numba's own wants places for a result and an error."""
    return f"""
define void @{name}(ptr %addresses, i32 %first, i32 %last, i32 %mode) {{
  %result = alloca ptr
  %error = alloca ptr
  %from = sext i32 %first to i64
  %to = sext i32 %last to i64
  %how = sext i32 %mode to i64
  %status = call i32 @{inner_name}(ptr %result, ptr %error, ptr %addresses, i64 %from, i64 %to, i64 %how)
  ret void
}}
"""


def _wasm_machine() -> Any:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(TRIPLE).create_target_machine(cpu="mvp", features=FEATURES, opt=3)


def _module_for(machine: Any, ir_text: str) -> Any:
    """The IR laid out for another machine than it was made on."""
    module = llvm.parse_assembly(re.sub(r"^target (triple|datalayout).*$", "", ir_text, flags=re.MULTILINE))
    module.name = "hotlap"
    module.triple, module.data_layout = TRIPLE, str(machine.target_data)
    return module


def _hide_all_but(module: Any, name: str) -> None:
    """Make every definition internal except one, so that what is not needed disappears."""
    for symbol in [*module.functions, *module.global_variables]:
        if not symbol.is_declaration and symbol.name != name:
            symbol.linkage = "internal"


def _rename_hidden(module: Any) -> None:
    """Short names for what is left of the constants: numba's spell out every argument type."""
    for number, constant in enumerate(module.global_variables):
        constant.name = f"constant_{number}"


def object_imports(wasm: bytes) -> list[str]:
    """The names a WebAssembly file imports, in order."""
    if wasm[: len(MAGIC)] != MAGIC:
        raise ExportError(
            f"no WebAssembly file: it begins with {wasm[: len(MAGIC)]!r}, not {MAGIC!r}. Give a .wasm or object file."
        )
    position = len(MAGIC)
    while position < len(wasm):
        section, position = wasm[position], position + 1
        size, position = _unsigned(wasm, position)
        if section == IMPORT_SECTION:
            return _import_names(wasm, position)
        position += size
    return []


def _import_names(wasm: bytes, position: int) -> list[str]:
    """Read an import section: a count, then module name, name, kind and type of each import."""
    count, position = _unsigned(wasm, position)
    names = []
    for _ in range(count):
        _, position = _text(wasm, position)
        name, position = _text(wasm, position)
        position = _after_type(wasm, position + 1, wasm[position])
        names.append(name)
    return names


def _after_type(wasm: bytes, position: int, kind: int) -> int:
    """Where the next import begins: after a type index, limits, or a value type with its mutability."""
    if kind == FUNCTION:
        return _unsigned(wasm, position)[1]
    if kind == GLOBAL:
        return position + 2
    if kind == TAG:
        return _unsigned(wasm, position + 1)[1]
    position += 1 if kind == TABLE else 0
    has_most = wasm[position] & 1
    _, position = _unsigned(wasm, position + 1)
    return _unsigned(wasm, position)[1] if has_most else position


def _text(wasm: bytes, position: int) -> tuple[str, int]:
    size, position = _unsigned(wasm, position)
    return wasm[position : position + size].decode(), position + size


def _unsigned(wasm: bytes, position: int) -> tuple[int, int]:
    """A number written seven bits to a byte, lowest first; the high bit says that more follow."""
    value, shift = 0, 0
    while True:
        byte, position = wasm[position], position + 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, position
