"""Kernels for a GPU on a core: the CUDA source compiled by a C++ compiler, the worlds' kernels as native code."""

import ctypes
import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

from hotlap.devices import fused_ppo, gpu_memory
from hotlap.devices.gpu_memory import GpuMemory
from hotlap.kernel_cache import kept
from hotlap.native_code import native_entry

RUNNER = Path(__file__).with_suffix(".cpp")
TOOLS = ("g++", "c++", "clang++")
# Some systems check, unless they are told otherwise, that longjmp stays on one stack; fibers jump from one to another.
FLAGS = ("-std=c++20", "-O2", "-U_FORTIFY_SOURCE", "-shared", "-fPIC", "-w")
MULTIPROCESSORS = 3


class CoresAsGpu:
    """Launches that run the kernels on a core: the world's own as native code, the learner's through `launch`."""

    def __init__(self, number):
        self.number = number

    def kernel(self, text, name):
        return text

    def launch(self, kernel, addresses, work, stream):
        kernel(addresses, 0, work.cars, work.mode)

    def functions(self, image, names, shared_bytes):
        assert image.room_bytes() == shared_bytes
        return {name: (image, name.encode()) for name in names}

    def begin(self, function, launch, values, stream):
        image, name = function
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        image.launch(name, *launch.blocks, launch.threads, pointers)


def core_compiler(folder):
    """What compiles a CUDA source for a core, as `hotlap.devices.nvrtc.compiled` does for a GPU.

    The libraries lie in a folder, and are kept beside the kernels: a compilation takes a second.
    """
    compiler = next((tool for tool in TOOLS if shutil.which(tool)), None)
    if compiler is None:
        pytest.skip(f"no C++ compiler here ({', '.join(TOOLS)}) to run the CUDA source with")

    def made(library, source, named):
        (folder / "source.cu").write_text(source, encoding="utf-8")
        here = f'-DCUDA_SOURCE="{folder / "source.cu"}"'
        subprocess.run([compiler, *FLAGS, *named, here, str(RUNNER), "-o", str(library)], check=True)
        return library.read_bytes()

    def compiled(source, options):
        named = [option for option in options if option.startswith("-D")]
        content = "\0".join([source, RUNNER.read_text(encoding="utf-8"), *FLAGS, *named])
        name = f"cuda-on-cores-{hashlib.sha256(content.encode()).hexdigest()[:16]}.so"
        library = folder / name
        if not library.exists():
            library.write_bytes(kept(name, lambda: made(folder / "made.so", source, named)))
        return ctypes.CDLL(str(library))

    return compiled


def use_core_as_gpu(monkeypatch, compiled):
    """Let what is done with a GPU be done on a core, where the device is `cpu`."""
    for module in (gpu_memory, fused_ppo):
        monkeypatch.setattr(module, "Gpu", CoresAsGpu)
        monkeypatch.setattr(module, "current_stream", lambda _device: 0)
    monkeypatch.setattr(gpu_memory, "libdevice", bytes)
    monkeypatch.setattr(gpu_memory, "ptx", lambda _name, entry, _library: native_entry(entry))
    monkeypatch.setattr(gpu_memory, "begin_using", lambda _device: None)
    monkeypatch.setattr("hotlap.devices.torch_env.HostMemory", GpuMemory)
    monkeypatch.setattr(fused_ppo, "compiled", compiled)
    monkeypatch.setattr(fused_ppo, "_capability", lambda _device: (9, 0))
    monkeypatch.setattr(fused_ppo, "_multiprocessors", lambda _device: MULTIPROCESSORS)
