"""The one @kernel decorator: plain functions for one car, compiled here and, from the same source, for other machines.

Kernel code is scalar arithmetic on NamedTuples of numbers and arrays: no allocation, no slices, no exceptions, no
Python objects. That is what lets the same function become native code, CUDA and WebAssembly.

A compiled entry takes one pointer: a table of addresses, one 64-bit slot per array. `address_table` fills it from the
NamedTuples that own the arrays; `pointers_at` and `numbers_at` turn it back into the same NamedTuples inside the
kernel. A call through such a table costs about a microsecond whatever the number of arrays, and it is also the memory
layout that a WebAssembly host fills in.
"""

import functools
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import FunctionType
from typing import Any, NamedTuple, TypeVar, get_args

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

from hotlap.kernel_cache import with_cache
from hotlap.systems import usable_cores

Function = TypeVar("Function", bound=Callable[..., Any])
Columns = TypeVar("Columns", bound=tuple[Any, ...])
Entry = Callable[[int, int, int, int], None]
EntrySignature = types.void(types.CPointer(types.int64), types.int64, types.int64, types.int64)
# No reference counting, so no allocation; every call inlined, since a struct of arrays is hundreds of words to pass on.
KERNEL_OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": False, "_nrt": False, "forceinline": True}


def kernel(function: Function) -> Function:
    """Mark a function of numbers and arrays as part of the physics.

    Called from Python it is the plain function, easy to step through; `compile_kernel` turns it, with all the kernels
    it calls, into machine code.
    """
    function.__kernel__ = True  # type: ignore[attr-defined]
    return function


def kernel_apart(function: Function) -> Function:
    """A kernel that is called, not inlined: for a long one that many others call with few arguments."""
    function.__apart__ = True  # type: ignore[attr-defined]
    return kernel(function)


def kernel_with(native: Any) -> Callable[[Function], Function]:
    """Mark a kernel whose compiled form is written apart: the plain function says what it does, slowly."""

    def marked(function: Function) -> Function:
        function.__native__ = native  # type: ignore[attr-defined]
        return kernel(function)

    return marked


def with_parts(parts: Mapping[Any, Any]) -> Callable[[Function], Function]:
    """Mark an entry as made of other parts: wherever it or its kernels call one of these, the other is compiled in."""

    def marked(function: Function) -> Function:
        function.__parts__ = parts  # type: ignore[attr-defined]
        return function

    return marked


def parts_of(entry: Callable[..., Any]) -> Mapping[Any, Any]:
    """The parts that an entry was marked with, if any."""
    parts: Mapping[Any, Any] = getattr(entry, "__parts__", {})
    return parts


def interpreted(function: Callable[..., Any], entry: Callable[..., Any]) -> Any:
    """A kernel as plain Python, made of the parts of an entry that calls it."""
    return _compiled(function, _as_it_is, parts_of(entry))


def _as_it_is(plain: Any) -> Any:
    return plain


def compile_kernel(function: Callable[..., Any], decorate: Callable[[Any], Any]) -> Any:
    """A kernel compiled by a decorator, every kernel it calls compiled by the same one before it."""
    return _compiled(function, decorate, parts_of(function))


def _compiled(function: Callable[..., Any], decorate: Callable[[Any], Any], parts: Mapping[Any, Any]) -> Any:
    done: dict[Any, Any] = {}

    def compiled(plain: Any) -> Any:
        plain = parts.get(plain, plain)
        if hasattr(plain, "__native__") and decorate is not _as_it_is:
            return plain.__native__
        if plain not in done:
            called = {name: plain.__globals__.get(name) for name in plain.__code__.co_names}
            kernels = {name: compiled(value) for name, value in called.items() if hasattr(value, "__kernel__")}
            done[plain] = decorate(_with_globals(plain, kernels))
        return done[plain]

    return compiled(function)


def _with_globals(function: Any, changes: dict[str, Any]) -> Any:
    """The same function looking at other globals."""
    clone = FunctionType(function.__code__, {**function.__globals__, **changes}, function.__name__)
    return functools.update_wrapper(clone, function)


def builder(function: Function) -> Function:
    """Compile a function that prepares tables for kernels: it may allocate, and runs on the CPU without the GIL."""
    compiled: Function = with_cache(lambda cache: numba.njit(cache=cache, error_model="numpy", nogil=True)(function))
    return compiled


def native_function(function: Function) -> Function:
    """A kernel, with all the kernels it calls, as machine code that takes what the plain function takes."""

    def decorate(plain: Any) -> Any:
        if plain.__name__ != function.__name__:
            return numba.njit(error_model="numpy", nogil=True)(plain)
        return with_cache(lambda cache: numba.njit(cache=cache, error_model="numpy", nogil=True)(plain))

    compiled: Function = compile_kernel(function, decorate)
    return compiled


class AllCores:
    """Calls an entry on parts of its range at the same time; the calls release the GIL."""

    def __init__(self, entry: Entry, threads: int | None, worth_a_thread: int) -> None:
        self.entry = entry
        self.threads = threads or len(usable_cores())
        self._worth_a_thread = worth_a_thread
        self._pool: ThreadPoolExecutor | None = None
        self._pool_owner = 0

    def call(self, address: int, count: int, mode: int) -> None:
        """The entry for all of `count`, in as many parts as are worth it."""
        parts = min(self.threads, count // self._worth_a_thread)
        if parts < 2:
            self.entry(address, 0, count, mode)
            return
        bounds = [count * k // parts for k in range(parts + 1)]
        others = [self._workers().submit(self.entry, address, bounds[k], bounds[k + 1], mode) for k in range(1, parts)]
        self.entry(address, 0, bounds[1], mode)
        for other in others:
            other.result()

    def call_each(self, address: int, count: int, mode: int) -> None:
        """The entry for each of `count` by itself, the next on whichever core is free: they may take unlike time."""
        waiting = iter(range(count))

        def work() -> None:
            for number in waiting:
                self.entry(address, number, number + 1, mode)

        others = [self._workers().submit(work) for _ in range(1, min(self.threads, count))]
        work()
        for other in others:
            other.result()

    def _workers(self) -> ThreadPoolExecutor:
        """The thread pool, made on first use and made again in a forked child."""
        if self._pool is None or self._pool_owner != os.getpid():
            self._pool = ThreadPoolExecutor(self.threads - 1, thread_name_prefix="hotlap-batch")
            self._pool_owner = os.getpid()
        return self._pool


def jit_is_on() -> bool:
    """False when NUMBA_DISABLE_JIT asks for plain Python, as the coverage run does."""
    return not numba.config.DISABLE_JIT


def address_table(*groups: NamedTuple) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The addresses of every array of every group, in order: what an entry reads. The caller keeps the arrays alive."""
    arrays = [array for group in groups for array in group]
    for array in arrays:
        if not (array.flags.c_contiguous and array.ndim == 1):
            raise TypeError("kernels take flat contiguous arrays")
    return np.array([array.ctypes.data for array in arrays], dtype=np.int64)


def zeros(kind: type[Columns], count: int, /, **sizes: int) -> Columns:
    """A struct of zeroed arrays of `count` elements, or `count * sizes[name]` where a name is given a row size."""
    arrays = {}
    for name, annotation in kind.__annotations__.items():
        arrays[name] = np.zeros(count * sizes.get(name, 1), element_type(annotation))
    return kind(**arrays)


def element_type(annotation: Any) -> np.dtype[Any]:
    """The numpy type of the elements behind an annotation such as `NDArray[np.float64]`, however numpy spells it."""
    found = _element_types(annotation)
    if len(found) != 1:
        raise TypeError(f"{annotation} is no array of numbers")
    return np.dtype(found[0])


def _element_types(annotation: Any) -> list[type[np.generic]]:
    if isinstance(annotation, type) and issubclass(annotation, np.generic):
        return [annotation]
    return [kind for argument in get_args(annotation) for kind in _element_types(argument)]


def _field_type(annotation: Any) -> Any:
    return numba.from_dtype(element_type(annotation))


@intrinsic
def arrays_at(typing_context, addresses, first_slot, group):  # type: ignore[no-untyped-def]
    """Rebuild a NamedTuple of arrays from the address table, starting at a slot: for `part_of`, which knows its length.

    An array is seven words to pass on. Where a kernel only reads and writes elements, `pointers_at` compiles in half
    the time.
    """
    cls = group.instance_class
    fields = [types.Array(_field_type(cls.__annotations__[name]), 1, "C") for name in cls._fields]
    result = types.NamedTuple(fields, cls)

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        members = []
        for offset, field in enumerate(fields):
            slot = builder.add(args[1], ir.Constant(args[1].type, offset))
            address = builder.load(builder.gep(args[0], [slot], source_etype=ir.IntType(64)))
            array = context.make_array(field)(context, builder)
            item = context.get_value_type(field.dtype)
            size = context.get_abi_sizeof(item)
            arrayobj.populate_array(
                array,
                data=builder.inttoptr(address, array.data.type),
                # The kernel never asks for a length: it is given its range and its counts.
                shape=cgutils.pack_array(builder, [ir.Constant(ir.IntType(64), 1 << 40)]),
                strides=cgutils.pack_array(builder, [ir.Constant(ir.IntType(64), size)]),
                itemsize=ir.Constant(ir.IntType(64), size),
                meminfo=None,
            )
            members.append(array._getvalue())
        return context.make_tuple(builder, result, members)

    return result(addresses, first_slot, group), codegen


@intrinsic
def pointers_at(typing_context, addresses, first_slot, group):  # type: ignore[no-untyped-def]
    """Rebuild a NamedTuple of arrays as pointers, one word each: a kernel is given its range and asks for no length."""
    cls = group.instance_class
    fields = [types.CPointer(_field_type(cls.__annotations__[name])) for name in cls._fields]
    result = types.NamedTuple(fields, cls)

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        members = []
        for offset, field in enumerate(fields):
            slot = builder.add(args[1], ir.Constant(args[1].type, offset))
            address = builder.load(builder.gep(args[0], [slot], source_etype=ir.IntType(64)))
            members.append(builder.inttoptr(address, context.get_value_type(field)))
        return context.make_tuple(builder, result, members)

    return result(addresses, first_slot, group), codegen


@intrinsic
def numbers_at(typing_context, addresses, slot, group):  # type: ignore[no-untyped-def]
    """Read a NamedTuple of float64 numbers from the one array at a slot."""
    cls = group.instance_class
    result = types.NamedTuple([types.float64] * len(cls._fields), cls)

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        address = builder.load(builder.gep(args[0], [args[1]], source_etype=ir.IntType(64)))
        pointer = builder.inttoptr(address, ir.DoubleType().as_pointer())
        members = [
            builder.load(builder.gep(pointer, [ir.Constant(ir.IntType(64), k)], source_etype=ir.DoubleType()))
            for k in range(len(cls._fields))
        ]
        return context.make_tuple(builder, result, members)

    return result(addresses, slot, group), codegen


@intrinsic
def _part_native(typing_context, array, first, count):  # type: ignore[no-untyped-def]
    """The same without a slice, which would count references."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        whole = context.make_array(array)(context, builder, args[0])
        part = context.make_array(array)(context, builder)
        item = context.get_value_type(array.dtype)
        arrayobj.populate_array(
            part,
            data=builder.gep(whole.data, [args[1]], source_etype=item),
            shape=cgutils.pack_array(builder, [args[2]]),
            strides=whole.strides,
            itemsize=whole.itemsize,
            meminfo=None,
        )
        return part._getvalue()

    return array(array, types.int64, types.int64), codegen


@kernel_with(_part_native)
def part_of(array: np.ndarray[Any, Any], first: int, count: int) -> np.ndarray[Any, Any]:
    """So many elements of a flat array, from the first on."""
    return array[first : first + count]
