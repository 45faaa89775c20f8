"""LLVM IR of kernels turned into code for machines other than this one."""

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm

from hotlap.kernel_cache import kept
from hotlap.kernel_ir import KernelEntry, entry_name, hide_all_but, sources_hash


def kept_for_machine(kind: str, entry: KernelEntry, make: Callable[[], bytes]) -> bytes:
    """What is made of an entry for another machine: kept until the kernels, or what compiles them here, change."""
    return kept(f"{entry_name(entry)}-{_compilers_hash()}.{kind}", make)


@functools.cache
def _compilers_hash() -> str:
    """A hash of the modules that make WebAssembly and GPU code of kernels."""
    return sources_hash(*(Path(__file__).with_name(name) for name in ("other_machines.py", "wasm.py", "ptx.py")))


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
    hide_all_but(name, module)
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    passes.getModulePassManager().run(module, passes)
    # Short names for what is left of the constants: numba's spell out every argument type.
    for number, constant in enumerate(module.global_variables):
        constant.name = f"constant_{number}"
