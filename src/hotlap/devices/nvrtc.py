"""CUDA C compiled for a GPU by NVIDIA's compiler library, which comes with every torch for CUDA."""

import ctypes
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hotlap.errors import GpuError
from hotlap.kernel_cache import kept

NAMES = ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2")
LONGEST_COMPLAINT = 300


def compiled(source: str, options: Sequence[str]) -> bytes:
    """Machine code of a source for the GPU that the options name; made once and then kept."""
    key = hashlib.sha256("\0".join([source, *options]).encode()).hexdigest()[:32]
    return kept(f"{key}.cubin", lambda: _compiled(source, options))


def _compiled(source: str, options: Sequence[str]) -> bytes:
    library, program = _library(), ctypes.c_void_p()
    library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"hotlap.cu", 0, None, None)
    words = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    if library.nvrtcCompileProgram(program, len(options), words):
        said = _read(library, program, "ProgramLog").decode(errors="replace")
        raise GpuError(f"the learner could not be compiled for this GPU: {said[:LONGEST_COMPLAINT]}")
    code = _read(library, program, "CUBIN")
    library.nvrtcDestroyProgram(ctypes.byref(program))
    return code


def _read(library: Any, program: ctypes.c_void_p, what: str) -> bytes:
    size = ctypes.c_size_t()
    getattr(library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    content = ctypes.create_string_buffer(size.value)
    getattr(library, f"nvrtcGet{what}")(program, content)
    return content.raw


def _library() -> Any:
    """Beside torch, or wherever the system has it."""
    folders = [Path(folder).glob("nvidia/*/lib") for folder in sys.path if folder]
    beside = [str(path / name) for found in folders for path in found for name in NAMES if (path / name).is_file()]
    for name in [*beside, *NAMES]:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise GpuError("no libnvrtc here, the compiler that comes with a torch for CUDA.")
