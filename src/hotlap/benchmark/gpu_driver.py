"""One NVIDIA GPU through the C interface of its driver: memory, kernels from PTX, launches."""

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.errors import GpuError

LIBRARY = "libcuda.so.1"
THREADS_PER_BLOCK = 128
LONGEST_NAME = 256

Array = NDArray[Any]


class Gpu:
    """The first GPU of this machine; what is put there is freed when it is closed."""

    def __init__(self) -> None:
        try:
            self._driver = ctypes.CDLL(LIBRARY)
        except OSError as problem:
            raise GpuError(f"no NVIDIA driver here ({problem}). Run this on a machine with an NVIDIA GPU.") from None
        self._call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self._call("cuDeviceGet", ctypes.byref(device), 0)
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self._call("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(LONGEST_NAME)
        self._call("cuDeviceGetName", name, LONGEST_NAME, device)
        self.name = name.value.decode()
        self._device, self._memory, self._modules = device, [], []  # type: ignore[var-annotated]

    def kernel(self, text: str, name: str) -> ctypes.c_void_p:
        """A kernel of a PTX text, compiled by the driver for this chip."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self._call("cuModuleLoadData", ctypes.byref(module), text.encode() + b"\0")
        self._modules.append(module)
        self._call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

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

    def launch(self, kernel: ctypes.c_void_p, addresses: int, count: int, mode: int) -> None:
        """Begin a kernel `f(addresses, count, mode)` with one thread for each of `count`."""
        values = (ctypes.c_uint64(addresses), ctypes.c_int32(count), ctypes.c_int32(mode))
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        blocks = -(-count // THREADS_PER_BLOCK)
        self._call("cuLaunchKernel", kernel, blocks, 1, 1, THREADS_PER_BLOCK, 1, 1, 0, None, pointers, None)

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
