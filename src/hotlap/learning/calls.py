"""Calls between compiled kernels: another entry by its address, and columns that are kept wherever they lie."""

import ctypes
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from hotlap.kernel import kernel_with
from hotlap.native_code import PROTOTYPE

WORD = ir.IntType(64)


def entry_address(entry: Any) -> int:
    """Where an entry begins, compiled or a plain function behind a C pointer; the caller keeps it alive."""
    return ctypes.cast(entry, ctypes.c_void_p).value or 0


@intrinsic
def _call_native(_context, entry, table, first, last, mode):  # type: ignore[no-untyped-def]
    """The same as machine code: a call through a pointer."""

    def codegen(_context, builder, _signature, args):  # type: ignore[no-untyped-def]
        kind = ir.FunctionType(ir.VoidType(), [WORD] * 4)
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])
        return ir.Constant(ir.IntType(8).as_pointer(), None)

    return types.void(*[types.int64] * 5), codegen


@kernel_with(_call_native)
def call_entry(entry: int, table: int, first: int, last: int, mode: int) -> None:
    """Call an entry, both it and its table given by their addresses."""
    PROTOTYPE(int(entry))(int(table), int(first), int(last), int(mode))


@intrinsic
def _copy_native(_context, target, source, size):  # type: ignore[no-untyped-def]
    """The same as machine code, for elements of 1, 4 and 8 bytes."""

    def codegen(_context, builder, _signature, args):  # type: ignore[no-untyped-def]
        target, source, size = args
        for count in (1, 4, 8):
            with builder.if_then(builder.icmp_signed("==", size, ir.Constant(WORD, count))):
                element = ir.IntType(8 * count)
                value = builder.load(builder.inttoptr(source, element.as_pointer()), align=1)
                builder.store(value, builder.inttoptr(target, element.as_pointer()), align=1)
        return ir.Constant(ir.IntType(8).as_pointer(), None)

    return types.void(*[types.int64] * 3), codegen


@kernel_with(_copy_native)
def copy_element(target: int, source: int, size: int) -> None:
    """Copy the bytes of one element from one address to another."""
    ctypes.memmove(int(target), int(source), int(size))
