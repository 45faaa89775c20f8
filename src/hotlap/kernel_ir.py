"""Kernels as LLVM IR that knows nothing of this machine: what code for the cores, WebAssembly and GPUs is made from."""

import contextlib
import functools
import hashlib
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
from numba.core import codegen
from numba.core.compiler_lock import global_compiler_lock

from hotlap.kernel import KERNEL_OPTIONS, EntrySignature, compile_kernel
from hotlap.kernel_cache import kept

KernelEntry = Callable[[Any, int, int, int], None]
PACKAGE = Path(__file__).parent


def scalar_ir(entry: KernelEntry) -> tuple[str, str]:
    """LLVM IR of an entry before anything was tuned for this machine, and the name of the function in it."""
    compiled = compile_kernel(entry, _written_down)
    with _only_written_down():
        compiled.compile(EntrySignature.args)
    result = compiled.overloads[EntrySignature.args]
    return result.library.get_llvm_str(), result.fndesc.llvm_func_name


def _written_down(plain: Any) -> Any:
    inlined = {"forceinline": not hasattr(plain, "__apart__")}
    return numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **KERNEL_OPTIONS | inlined)(plain)


def kept_ir(entry: KernelEntry) -> tuple[str, str]:
    """The same, written down once for all machines: typing and lowering take most of the time of compiling."""

    def make() -> bytes:
        ir_text, inner_name = scalar_ir(entry)
        return zlib.compress(f"{inner_name}\n{ir_text}".encode(), level=1)

    inner_name, _, ir_text = zlib.decompress(kept(f"{entry_name(entry)}.ir", make)).decode().partition("\n")
    return ir_text, inner_name


def entry_name(entry: KernelEntry) -> str:
    """What files made of an entry are called: one of this package by its place, any other by its source too."""
    name, source = f"{entry.__module__}.{entry.__name__}", Path(entry.__code__.co_filename)
    sources = (Path(__file__),) if source.is_relative_to(PACKAGE) else (Path(__file__), source)
    return f"{name}-{sources_hash(*sources)}"


@functools.cache
def sources_hash(*sources: Path) -> str:
    """A short hash of files; one that is not there, as for lines typed in, counts as empty."""
    contents = [path.read_bytes() if path.is_file() else b"" for path in sources]
    return hashlib.sha256(b"\0".join(contents)).hexdigest()[:16]


def hide_all_but(name: str, module: Any) -> None:
    """Make every definition of a module internal except one, so that what is not needed disappears."""
    for symbol in [*module.functions, *module.global_variables]:
        if not symbol.is_declaration and symbol.name != name:
            symbol.linkage = "internal"


@contextlib.contextmanager
def _only_written_down() -> Iterator[None]:
    """Keep numba from optimising for this machine and from making its machine code, which would change the IR too.

    numba would do both for every kernel on the way to an entry, though all of them are compiled into it. So the same
    source gives the same bytes everywhere, and in half the time. Other threads that compile wait.
    """
    before = numba.config.OPT
    left_out = [
        (codegen.JITCPUCodegen, "_add_module"),
        (codegen.JITCPUCodegen, "set_env"),
        (codegen.JITCodeLibrary, "_finalize_specific"),
    ]
    usual = [(owner, name, getattr(owner, name)) for owner, name in left_out]
    with global_compiler_lock:
        numba.config.OPT = type(before)(0)
        for owner, name in left_out:
            setattr(owner, name, lambda *_arguments: None)
        try:
            yield
        finally:
            numba.config.OPT = before
            for owner, name, method in usual:
                setattr(owner, name, method)
