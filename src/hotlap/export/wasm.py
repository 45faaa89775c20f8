"""The physics for the browser: a kernel's entry as a WebAssembly object file, and a look at what it imports.

The object is the input of `wasm-ld`. Its one function is `NAME(addresses, first, last, mode)`, four 32-bit numbers;
`addresses` points to the address table of `hotlap.kernel`: one 64-bit slot per array, with the array's address in the
linear memory. Whatever the physics needs beyond arithmetic is imported under its C name (`sin`, `atan2`, …), which
JavaScript's `Math` has too.
"""

from hotlap.errors import ExportError
from hotlap.export.other_machines import kept_for_machine, module_for, optimise, target_machine
from hotlap.kernel_ir import KernelEntry, kept_ir

TRIPLE = "wasm32-unknown-unknown"
# The first release of WebAssembly and two additions that every browser has had for years; no SIMD.
CPU, FEATURES = "mvp", "+bulk-memory,+nontrapping-fptoint"
MAGIC = b"\0asm\x01\0\0\0"
IMPORT_SECTION = 2
FUNCTION, TABLE, MEMORY, GLOBAL, TAG = range(5)


def wasm_object(name: str, entry: KernelEntry) -> bytes:
    """An entry `f(addresses, first, last, mode)` with every kernel it calls, as an object file with that one name."""
    return kept_for_machine(f"{name}.wasm", entry, lambda: _compiled(name, entry))


def _compiled(name: str, entry: KernelEntry) -> bytes:
    ir_text, inner_name = kept_ir(entry)
    machine = target_machine(TRIPLE, CPU, FEATURES)
    module = module_for(machine, ir_text + _entry_ir(name, inner_name))
    optimise(machine, module, name)
    return bytes(machine.emit_object(module))


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
