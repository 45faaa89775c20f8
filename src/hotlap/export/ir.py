"""Kernels as LLVM IR that knows nothing of this machine: what WebAssembly and GPU code are made from."""

import contextlib
import functools
import hashlib
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
from llvmlite import binding as llvm
from numba.core import codegen

from hotlap.kernel import KERNEL_OPTIONS, EntrySignature, compile_kernel
from hotlap.kernel_cache import kept

KernelEntry = Callable[[Any, int, int, int], None]


def scalar_ir(entry: KernelEntry) -> tuple[str, str]:
    """LLVM IR of an entry before anything was tuned for this machine, and the name of the function in it."""
    decorate = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **KERNEL_OPTIONS)
    compiled = compile_kernel(entry, decorate)
    with _only_written_down():
        compiled.compile(EntrySignature.args)
    result = compiled.overloads[EntrySignature.args]
    return result.library.get_llvm_str(), result.fndesc.llvm_func_name


def kept_ir(entry: KernelEntry) -> tuple[str, str]:
    """The same for an entry of this package, written down once for all machines."""

    def make() -> bytes:
        ir_text, inner_name = scalar_ir(entry)
        return zlib.compress(f"{inner_name}\n{ir_text}".encode(), level=1)

    inner_name, _, ir_text = zlib.decompress(kept_for_machine("ir", entry, make)).decode().partition("\n")
    return ir_text, inner_name


def kept_for_machine(kind: str, entry: KernelEntry, make: Callable[[], bytes]) -> bytes:
    """What is made of an entry for another machine: kept until the kernels, or what compiles them here, change."""
    return kept(f"{entry.__module__}.{entry.__name__}-{_compilers_hash()}.{kind}", make)


@functools.cache
def _compilers_hash() -> str:
    """A hash of the modules that make WebAssembly and GPU code of kernels."""
    sources = [Path(__file__).with_name(name).read_bytes() for name in ("ir.py", "wasm.py", "ptx.py")]
    return hashlib.sha256(b"\0".join(sources)).hexdigest()[:16]


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


def target_machine(triple: str, cpu: str, features: str) -> Any:
    """LLVM's idea of another machine."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, features=features, opt=3)


def module_for(machine: Any, ir_text: str) -> Any:
    """The IR laid out for another machine than it was made on."""
    module = llvm.parse_assembly(re.sub(r"^target (triple|datalayout).*$", "", ir_text, flags=re.MULTILINE))
    module.name = "hotlap"
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    return module


def optimise(machine: Any, module: Any, name: str) -> None:
    """Make every definition internal except one, so that what is not needed disappears, and the rest fast."""
    for symbol in [*module.functions, *module.global_variables]:
        if not symbol.is_declaration and symbol.name != name:
            symbol.linkage = "internal"
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    passes.getModulePassManager().run(module, passes)
    # Short names for what is left of the constants: numba's spell out every argument type.
    for number, constant in enumerate(module.global_variables):
        constant.name = f"constant_{number}"
