"""The kernel machinery: where compiled code is kept, how kernels are compiled, and what an entry accepts."""

import os
import resource
import runpy
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from hotlap import kernel as machinery
from hotlap import kernel_cache, native_code
from hotlap.kernel import address_table, compile_kernel, element_type, kernel, part_of, pointers_at
from hotlap.kernel_cache import cache_folder, kept, kernel_hash, sources_hash
from hotlap.kernel_ir import entry_name
from hotlap.native_code import native_entry

PACKAGE = Path(machinery.__file__).parent


# Where compiled code is kept


@pytest.fixture
def package(tmp_path) -> Path:
    """A copy of the package's sources that may be edited."""
    return shutil.copytree(PACKAGE, tmp_path / "hotlap", ignore=shutil.ignore_patterns("__pycache__", "static"))


def test_hash_is_of_the_sources(package):
    assert sources_hash(package) == kernel_hash()


@pytest.mark.parametrize(
    "edited", ["kernel.py", "racer/tick.py", "racer/fleet.py", "racer/physics.py", "racer/tables.py"]
)
def test_hash_changes_with_kernels_and_with_what_they_are_compiled_from(package, edited):
    """A field of the fleet or a constant ends up in machine code, though its file has no kernel in it."""
    with (package / edited).open("a", encoding="utf-8") as source:
        source.write("\n")
    assert sources_hash(package) != kernel_hash()


@pytest.mark.parametrize("edited", ["cli.py", "worlds.py", "racer/world.py", "kernel_cache.py"])
def test_hash_ignores_what_no_kernel_is_compiled_from(package, edited):
    with (package / edited).open("a", encoding="utf-8") as source:
        source.write("\n")
    assert sources_hash(package) == kernel_hash()


@pytest.fixture
def fresh_cache_folder():
    """`cache_folder` asks the environment again, now and after the test."""
    cache_folder.cache_clear()
    yield cache_folder
    cache_folder.cache_clear()


def test_cache_folder_is_named_by_the_hash(tmp_path, monkeypatch, fresh_cache_folder):
    monkeypatch.setenv("HOTLAP_CACHE_DIR", str(tmp_path))
    assert fresh_cache_folder() == tmp_path / f"kernels-{kernel_hash()}"
    assert fresh_cache_folder().is_dir()


def test_cache_folder_is_in_the_users_cache_by_default(tmp_path, monkeypatch, fresh_cache_folder):
    monkeypatch.delenv("HOTLAP_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert fresh_cache_folder() == tmp_path / "hotlap" / f"kernels-{kernel_hash()}"


def test_only_the_caches_used_last_are_kept(tmp_path, monkeypatch, fresh_cache_folder):
    monkeypatch.setenv("HOTLAP_CACHE_DIR", str(tmp_path))
    for age in range(8):
        old = tmp_path / f"kernels-{age}"
        old.mkdir()
        os.utime(old, (1000 - age, 1000 - age))
    current = fresh_cache_folder()
    assert set(tmp_path.iterdir()) == {current, *(tmp_path / f"kernels-{age}" for age in range(3))}


def test_cache_that_another_process_removes_meanwhile_is_no_error(tmp_path, monkeypatch):
    vanishing = tmp_path / "kernels-gone"
    monkeypatch.setattr(Path, "glob", lambda self, pattern: iter([vanishing, tmp_path]))
    monkeypatch.setattr(Path, "is_dir", lambda self: True)
    kernel_cache._forget_old_caches(tmp_path / "kernels-current")


def test_folder_that_cannot_be_written_is_none(tmp_path, monkeypatch, fresh_cache_folder):
    """A file in its place refuses everybody, also those who may write everywhere."""
    blocked = tmp_path / "a file"
    blocked.write_text("no folder")
    monkeypatch.setenv("HOTLAP_CACHE_DIR", str(blocked))
    assert fresh_cache_folder() is None


def test_builders_work_without_a_cache_folder(tmp_path):
    blocked = tmp_path / "a file"
    blocked.write_text("no folder")
    script = """
from hotlap.kernel import builder
from hotlap.kernel_cache import cache_folder

@builder
def doubled(value):
    return 2.0 * value

assert cache_folder() is None
assert doubled(4.0) == 8.0
assert doubled.__module__ == "__main__"
"""
    environment = {**os.environ, "HOTLAP_CACHE_DIR": str(blocked)}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=240, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr


ENTRY = """
from typing import NamedTuple
import numpy as np
from numpy.typing import NDArray
from hotlap.kernel import address_table, kernel, native_function, pointers_at
from hotlap.native_code import native_entry

class Columns(NamedTuple):
    speed: NDArray[np.float64]

@kernel
def doubled(value):
    return 2.0 * value

@kernel
def sum_doubled(speed):
    total = 0.0
    for car in range(len(speed)):
        total += doubled(speed[car])
    return total

def double_all(addresses, first, last, mode):
    columns = pointers_at(addresses, 0, Columns)
    for car in range(first, last):
        columns.speed[car] = doubled(columns.speed[car])

columns = Columns(np.arange(3.0))
native_entry(double_all)(address_table(columns).ctypes.data, 0, 3, 0)
print(columns.speed.tolist(), native_function(sum_doubled)(columns.speed))
"""
FIRST_STEP = """
from hotlap.racer.batch import RacerBatch
from hotlap.racer.tracks import load_track
batch = RacerBatch(1, [load_track("track-01")])
batch.fleet.x_u[:] = -150.0
batch.step()
print(batch.fleet.arc_u[0], batch.fleet.x_u[0])
"""


@pytest.mark.integration
@pytest.mark.parametrize(
    ("content", "compiled"),
    [(ENTRY, ["double_all", "sum_doubled"]), pytest.param(FIRST_STEP, ["update_entry"], marks=pytest.mark.soak)],
)
def test_cold_cache_is_filled_and_a_warm_one_is_only_read(content, compiled, tmp_path):
    """Both processes do the same; the second compiles nothing."""
    script = tmp_path / "script.py"
    script.write_text(content, encoding="utf-8")
    environment = {**os.environ, "HOTLAP_CACHE_DIR": str(tmp_path)}
    outputs, files = [], []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, timeout=240, env=environment, check=True
        )
        outputs.append(done.stdout)
        files.append({path: path.stat().st_mtime_ns for path in tmp_path.rglob("kernels-*/**/*") if path.is_file()})
    assert outputs[0] == outputs[1] != ""
    assert files[0] == files[1]
    for name in compiled:
        assert any(f".{name}-" in path.name and path.suffix in {".nbc", ".o"} for path in files[0]), name


DOUBLED = """
from hotlap.kernel import builder

@builder
def doubled(value):
    return 2.0 * value

assert doubled(4.0) == 8.0
print(doubled.stats.cache_hits)
"""


def run_doubled(folder: Path, **limits) -> tuple[int, str]:
    """Compile a function with its cache in a folder: how often the cache helped, and what was said."""
    script = folder / "doubled.py"
    script.write_text(DOUBLED)
    environment = {**os.environ, "HOTLAP_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        timeout=100,
        env=environment,
        check=True,
        **limits,
    )
    return int(done.stdout.split()[-1].strip("Counter({})") or 0), done.stderr


APART = """
from hotlap.racer.tracks.corridor import _steps_apart

assert _steps_apart(1, 9, 10) == 2
print(sum(_steps_apart.stats.cache_hits.values()))
"""


def test_copy_of_the_package_finds_what_another_compiled(package, tmp_path):
    """A second clone or environment of the same sources need not compile again."""
    environment = {**os.environ, "HOTLAP_CACHE_DIR": str(tmp_path / "cache")}
    hits = []
    for place in (PACKAGE.parent, package.parent):
        command, environment["PYTHONPATH"] = [sys.executable, "-c", APART], str(place)
        hits += subprocess.check_output(command, text=True, timeout=240, env=environment, cwd=tmp_path).split()
    assert hits == ["0", "1"]


def flipped(content: bytes) -> bytes:
    return content[:-9] + bytes([content[-9] ^ 1]) + content[-8:]


EVIL = b"cos\nsystem\n(S'touch evil'\ntR."


@pytest.fixture
def doubled_here(tmp_path, monkeypatch, caplog, capsys):
    """The same in this process: how often the cache helped, and how many lines were said."""
    script = tmp_path / "doubled.py"
    script.write_text(DOUBLED)
    monkeypatch.setattr(kernel_cache, "cache_folder", lambda: tmp_path)

    def run() -> tuple[int, list[str]]:
        caplog.clear()
        kernel_cache.say_once.cache_clear()
        hits = sum(runpy.run_path(str(script))["doubled"].stats.cache_hits.values())
        capsys.readouterr()
        return hits, [record.getMessage() for record in caplog.records if record.name == kernel_cache.__name__]

    return run


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_damaged_cache_is_compiled_again_with_one_line_and_never_unpickled(suffix, tmp_path, doubled_here, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert doubled_here() == (0, [])
    [path] = tmp_path.rglob(f"*{suffix}")
    whole = path.read_bytes()
    damages = [b"", whole[:-1], flipped(whole), bytes(32) + EVIL]
    for content in damages:
        path.write_bytes(content)
        hits, said = doubled_here()
        assert (hits, len(said), "damaged and compiled again" in said[0]) == (0, 1, True)
        assert not (tmp_path / "evil").exists()
    assert doubled_here() == (1, [])


def test_full_disk_keeps_no_kernels_and_stops_nobody(tmp_path):
    def small_files_only() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    hits, said = run_doubled(tmp_path, preexec_fn=small_files_only)
    assert (hits, said.count("\n"), "cannot be kept" in said) == (0, 1, True)


def test_what_was_made_from_kernels_is_kept_and_made_again_when_damaged(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_cache, "cache_folder", lambda: tmp_path)
    assert kept("lap", lambda: b"first") == kept("lap", lambda: b"second") == b"first"
    (tmp_path / "lap").write_bytes(flipped((tmp_path / "lap").read_bytes()))
    assert kept("lap", lambda: b"third") == b"third"
    monkeypatch.setattr(kernel_cache, "cache_folder", lambda: tmp_path / "full disk")
    assert kept("lap", lambda: b"fourth") == b"fourth"
    monkeypatch.setattr(kernel_cache, "cache_folder", lambda: None)
    assert kept("lap", lambda: b"fifth") == b"fifth"


@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_cache_that_others_can_write_is_not_used(mode, tmp_path, monkeypatch, fresh_cache_folder):
    monkeypatch.setenv("HOTLAP_CACHE_DIR", str(tmp_path))
    folder = fresh_cache_folder()
    folder.chmod(mode)
    fresh_cache_folder.cache_clear()
    assert fresh_cache_folder() is None


def test_cache_of_somebody_else_is_not_used(tmp_path, monkeypatch, fresh_cache_folder):
    monkeypatch.setenv("HOTLAP_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(os, "getuid", lambda: os.geteuid() + 1)
    assert fresh_cache_folder() is None


# Kernels


@kernel
def half(value):
    return value / 2.0


@kernel
def quarter(value):
    return half(half(value))


def test_kernel_called_from_python_is_the_plain_function():
    assert type(quarter).__name__ == "function"
    assert quarter(8.0) == 2.0


def test_compiling_a_kernel_leaves_it_and_the_kernels_it_calls_plain():
    compiled = compile_kernel(quarter, numba.njit)
    assert compiled(8.0) == 2.0
    assert compiled.signatures
    assert type(quarter).__name__ == type(half).__name__ == "function"
    assert quarter.__globals__["half"] is half


def test_every_kernel_is_compiled_once_by_the_decorator_given():
    seen = []
    compile_kernel(quarter, lambda function: seen.append(function.__name__) or function)
    assert seen == ["half", "quarter"]


# Entries


class Columns(NamedTuple):
    speed: NDArray[np.float64]
    lap: NDArray[np.int32]


def test_address_table_lists_every_array_in_order():
    first, second = Columns(np.zeros(3), np.zeros(3, np.int32)), Columns(np.ones(2), np.ones(2, np.int32))
    addresses = address_table(first, second)
    assert addresses.tolist() == [array.ctypes.data for array in (*first, *second)]


@pytest.mark.parametrize("array", [np.zeros(6)[::2], np.zeros((2, 3)), np.zeros((3, 2)).T, np.zeros(6)[::-1]])
def test_address_table_refuses_arrays_a_kernel_cannot_walk(array):
    with pytest.raises(TypeError, match="flat contiguous"):
        address_table(Columns(array, np.zeros(3, np.int32)))


def test_element_types_are_read_from_annotations():
    assert [element_type(note) for note in Columns.__annotations__.values()] == [np.float64, np.int32]


@pytest.mark.parametrize("annotation", [float, list[float], None])
def test_annotation_that_is_no_array_is_refused(annotation):
    with pytest.raises(TypeError, match="no array of numbers"):
        element_type(annotation)


def test_a_part_of_an_array_is_the_array_from_an_element_on():
    def copy_part(columns, first, count, out):
        part = part_of(columns.speed, first, count)
        for k in range(len(part)):
            out[k] = part[k]

    columns, expected = Columns(np.arange(8.0), np.zeros(8, np.int32)), [3.0, 4.0, 5.0, 6.0, 0.0]
    for run in (copy_part, compile_kernel(kernel(copy_part), numba.njit)):
        out = np.zeros(5)
        run(columns, 3, 4, out)
        assert out.tolist() == expected


def add_one(addresses, first, last, _mode):
    columns = pointers_at(addresses, 0, Columns)
    for car in range(first, last):
        columns.speed[car] += 1.0


def test_machine_code_of_an_entry_is_kept_and_made_again_when_damaged(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_cache, "cache_folder", lambda: tmp_path)
    columns = Columns(np.arange(3.0), np.zeros(3, np.int32))

    def drive() -> list[float]:
        native_entry(add_one)(address_table(columns).ctypes.data, 1, 3, 0)
        return columns.speed.tolist()

    assert drive() == [0.0, 2.0, 3.0]
    [path] = tmp_path.glob("*.add_one-*.o")
    whole = path.read_bytes()
    for damaged in (b"", whole[:-1], flipped(whole)):
        path.write_bytes(damaged)
        drive()
        assert path.read_bytes() == whole
    monkeypatch.setattr(native_code, "_compiled", None)
    assert drive() == [0.0, 6.0, 7.0]


def test_entry_outside_the_package_is_named_by_its_source(tmp_path):
    names = set()
    for k in range(2):
        source = tmp_path / str(k) / "own.py"
        source.parent.mkdir()
        source.write_text(f"def entry(addresses, first, last, mode): first + {k}\n", encoding="utf-8")
        names.add(entry_name(runpy.run_path(str(source))["entry"]))
    assert len(names) == 2


def test_compiling_for_the_cores_leaves_numba_as_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_cache, "cache_folder", lambda: tmp_path)
    native_entry(add_one)
    assert int(numba.config.OPT) == 3
    assert numba.njit(lambda x: x + 1)(1) == 2


def test_work_is_shared_out_to_the_cores_that_the_process_may_use(monkeypatch):
    monkeypatch.setattr(machinery, "usable_cores", lambda: (1, 4, 5))
    called = []
    cores = machinery.AllCores(lambda *part: called.append(part), None, 10)
    cores.call(7, 90, 2)
    assert sorted(called) == [(7, 0, 30, 2), (7, 30, 60, 2), (7, 60, 90, 2)]
