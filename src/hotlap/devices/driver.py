"""One NVIDIA GPU through the C interface of its driver: memory, kernels from PTX, launches."""

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hotlap.errors import GpuError

LIBRARY = "libcuda.so.1"
THREADS_PER_BLOCK = 128
WARP = 32
THREADS_AT_HAND = 1 << 15
"""Beyond so many threads at once, a large GPU is slower when cars are kept apart than when they share warps."""
LONGEST_NAME = 256
MOST_SHARED_BYTES = 8
"""The driver's number for how much shared memory a kernel may take."""

Array = NDArray[Any]


class Work(NamedTuple):
    """What a kernel is launched for."""

    cars: int
    """Cars or roads."""
    mode: int
    lanes: int = 1
    """Threads that each of them has for itself: the first one drives, the others keep its neighbours away."""


class Launch(NamedTuple):
    """How many blocks of how many threads, and the bytes of shared memory of each block."""

    blocks: tuple[int, int, int]
    threads: int
    shared_bytes: int = 0


def lanes_per_car(count: int) -> int:
    """As many threads as a GPU has at hand for each car: cars that share a warp wait for each other's branches."""
    lanes = WARP
    while lanes > 1 and lanes * count > THREADS_AT_HAND:
        lanes //= 2
    return lanes


def has_driver() -> bool:
    """Whether a driver of NVIDIA is installed here."""
    try:
        ctypes.CDLL(LIBRARY)
    except OSError:
        return False
    return True


class Gpu:
    """A GPU of this machine; what is put there is freed when it is closed."""

    def __init__(self, number: int = 0) -> None:
        try:
            self._driver = ctypes.CDLL(LIBRARY)
        except OSError as problem:
            raise GpuError(f"no NVIDIA driver here ({problem}). Run this on a machine with an NVIDIA GPU.") from None
        self._call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self._call("cuDeviceGet", ctypes.byref(device), number)
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self._call("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(LONGEST_NAME)
        self._call("cuDeviceGetName", name, LONGEST_NAME, device)
        self.name = name.value.decode()
        self._device, self._memory, self._modules = device, [], []  # type: ignore[var-annotated]

    def kernel(self, text: str, name: str) -> ctypes.c_void_p:
        """A kernel of a PTX text, compiled by the driver for this chip."""
        return self.functions(text.encode() + b"\0", [name], 0)[name]

    def functions(self, image: bytes, names: Sequence[str], shared_bytes: int) -> dict[str, ctypes.c_void_p]:
        """Kernels of a compiled module by name; each may take so many bytes of shared memory."""
        module, found = ctypes.c_void_p(), {name: ctypes.c_void_p() for name in names}
        self._call("cuModuleLoadData", ctypes.byref(module), image)
        self._modules.append(module)
        for name, function in found.items():
            self._call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
            if shared_bytes:
                self._call("cuFuncSetAttribute", function, MOST_SHARED_BYTES, shared_bytes)
        return found

    def put(self, array: Array) -> int:
        """A copy of an array in the GPU's memory: its address."""
        address = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(array.nbytes, 1)))
        self._memory.append(address)
        self.write(address.value, array)
        return address.value

    def write(self, address: int, array: Array) -> None:
        """Overwrite what is at an address."""
        data = ctypes.c_void_p(array.ctypes.data)
        self._call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), data, ctypes.c_size_t(array.nbytes))

    def read(self, address: int, like: Array) -> Array:
        """What is at an address, as large as an array."""
        found = np.empty_like(like)
        data = ctypes.c_void_p(found.ctypes.data)
        self._call("cuMemcpyDtoH_v2", data, ctypes.c_uint64(address), ctypes.c_size_t(found.nbytes))
        return found

    def copy(self, to: int, source: int, size: int) -> None:
        """Copy bytes within the GPU, after what was launched before."""
        self._call("cuMemcpyDtoDAsync_v2", ctypes.c_uint64(to), ctypes.c_uint64(source), ctypes.c_size_t(size), None)

    def launch(self, kernel: ctypes.c_void_p, addresses: int, work: "Work", stream: int = 0) -> None:
        """Begin a kernel `f(addresses, count, mode, lanes)` in the order of a stream."""
        numbers = (ctypes.c_int32(work.cars), ctypes.c_int32(work.mode), ctypes.c_int32(work.lanes))
        blocks = -(-work.cars * work.lanes // THREADS_PER_BLOCK)
        values = (ctypes.c_uint64(addresses), *numbers)
        self.begin(kernel, Launch((blocks, 1, 1), THREADS_PER_BLOCK), values, stream)

    def begin(self, kernel: ctypes.c_void_p, launch: Launch, values: Sequence[Any], stream: int = 0) -> None:
        """Begin a kernel with some arguments in the order of a stream."""
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        size = (*launch.blocks, launch.threads, 1, 1, launch.shared_bytes)
        self._call("cuLaunchKernel", kernel, *size, ctypes.c_void_p(stream or None), pointers, None)

    def wait(self) -> None:
        """Until everything that was begun is done."""
        self._call("cuCtxSynchronize")

    def close(self) -> None:
        """Free the memory and let go of the GPU."""
        for address in self._memory:
            self._call("cuMemFree_v2", address)
        for module in self._modules:
            self._call("cuModuleUnload", module)
        self._memory, self._modules = [], []
        self._call("cuDevicePrimaryCtxRelease_v2", self._device)

    def _call(self, function: str, *arguments: Any) -> None:
        status = getattr(self._driver, function)(*arguments)
        if status:
            words = ctypes.c_char_p()
            self._driver.cuGetErrorString(status, ctypes.byref(words))
            said = words.value.decode() if words.value else f"error {status}"
            raise GpuError(f"the NVIDIA driver refused {function}: {said}. See what nvidia-smi says.")
