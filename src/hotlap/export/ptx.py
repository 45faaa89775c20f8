"""The physics for an NVIDIA GPU: a kernel's entry as PTX, the text that the driver compiles for the chip it finds.

The kernel is `NAME(addresses, count, mode, lanes)`: every `lanes`-th thread of the grid advances a car or road, if
there are so many; the threads between them do nothing.
`addresses` points to the address table of `hotlap.kernel`, with addresses in the memory of the GPU. What the physics
needs beyond arithmetic comes from NVIDIA's library of mathematical functions, libdevice.
"""

import hashlib
import os
import re
import sysconfig
from pathlib import Path

from llvmlite import binding as llvm

from hotlap.errors import ExportError
from hotlap.export.other_machines import kept_for_machine, module_for, optimise, target_machine
from hotlap.kernel_ir import KernelEntry, kept_ir

TRIPLE = "nvptx64-nvidia-cuda"
# Every chip since 2018; the driver compiles the text for a newer one.
CPU, FEATURES = "sm_75", "+ptx75"
TOOLKIT = "/usr/local/cuda"
LIBRARY_FILE = "nvvm/libdevice/libdevice.10.bc"
FROM_LIBRARY = "acos|asin|atan|atan2|cos|exp|fmod|hypot|log|pow|sin|tan"
BUILT_IN = "ceil|floor|sqrt"


def ptx(name: str, entry: KernelEntry, library: bytes = b"") -> str:
    """An entry `f(addresses, first, last, mode)` as a kernel; without libdevice its functions stay to be linked."""
    kind = f"{name}-{hashlib.sha256(library).hexdigest()[:16]}.ptx"
    return kept_for_machine(kind, entry, lambda: _compiled(name, entry, library).encode()).decode()


def _compiled(name: str, entry: KernelEntry, library: bytes) -> str:
    ir_text, inner_name = kept_ir(entry)
    machine = target_machine(TRIPLE, CPU, FEATURES)
    module = module_for(machine, _with_gpu_names(ir_text) + _kernel_ir(name, inner_name))
    if library:
        functions = llvm.parse_bitcode(library)
        functions.triple, functions.data_layout = module.triple, module.data_layout
        module.link_in(functions)
    optimise(machine, module, name)
    return str(machine.emit_assembly(module))


def ptx_imports(text: str) -> list[str]:
    """The functions that a PTX text leaves to be linked."""
    return sorted(set(re.findall(r"^\.extern \.func[^;]*?\b(\w+)\s*\n\(", text, re.MULTILINE)))


def libdevice() -> bytes:
    """NVIDIA's mathematical functions, from a CUDA toolkit or from the package that the extra `gpu` installs."""
    toolkits = [os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH")]
    folders = [Path(each) for each in (*toolkits, TOOLKIT) if each]
    folders += sorted(Path(sysconfig.get_path("purelib")).glob("nvidia/*"))
    for folder in folders:
        if (folder / LIBRARY_FILE).is_file():
            return (folder / LIBRARY_FILE).read_bytes()
    raise ExportError('no libdevice found, the functions of a GPU. Install it with pip install "hotlap[gpu]".')


def _with_gpu_names(ir_text: str) -> str:
    """Mathematical functions by the names that libdevice and LLVM's GPU target have for them, declared once each."""
    text = re.sub(rf"@(?:llvm\.)?({FROM_LIBRARY})(?:\.f64)?\(", r"@__nv_\1(", ir_text)
    text = re.sub(rf"@({BUILT_IN})\(", r"@llvm.\1.f64(", text)
    declared: set[str] = set()
    lines = []
    for line in text.splitlines():
        found = re.match(r"declare .*?@([\w.]+)\(", line)
        if found is None or found[1] not in declared:
            lines.append(line)
        if found is not None:
            declared.add(found[1])
    return "\n".join(lines)


def _kernel_ir(name: str, inner_name: str) -> str:
    """A kernel in which the first of so many threads calls numba's function for one car."""
    return f"""
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
define ptx_kernel void @{name}(ptr %addresses, i32 %count, i32 %mode, i32 %lanes) {{
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %before = mul i32 %threads, %block
  %number = add i32 %before, %thread
  %car = udiv i32 %number, %lanes
  %lane = urem i32 %number, %lanes
  %is_first = icmp eq i32 %lane, 0
  %is_within = icmp slt i32 %car, %count
  %is_there = and i1 %is_first, %is_within
  br i1 %is_there, label %drive, label %done
drive:
  %result = alloca ptr
  %error = alloca ptr
  %first = sext i32 %car to i64
  %last = add i64 %first, 1
  %how = sext i32 %mode to i64
  %status = call i32 @{inner_name}(ptr %result, ptr %error, ptr %addresses, i64 %first, i64 %last, i64 %how)
  br label %done
done:
  ret void
}}
"""
