"""A folder of hostile checkpoints: code, bombs, lies and links in every place where a file can have them."""

import gzip
import hashlib
import json
import os
import pickle
import struct
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import numpy as np

STEP_FOLDER = "step-000000000001"
MEBIBYTE = 1 << 20
SLOTS = ("policy.safetensors", "config.json", "policy.onnx", "manifest.json")

Case = tuple[str, Callable[[Path], object]]


class Payload:
    """Runs a command when it is unpickled."""

    def __reduce__(self):
        return os.system, ("touch /tmp/hotlap-was-here",)


def tensor_file(header: object, data: bytes = b"", size: int | None = None) -> bytes:
    """A safetensors file with any header, and any claim about the header's size."""
    head = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(head) if size is None else size) + head + data


def honest_files() -> dict[str, bytes]:
    """What a harmless checkpoint holds."""
    tensor = {"weight": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}
    return {"policy.safetensors": tensor_file(tensor, bytes(8)), "config.json": b'{"seed": 1}', "policy.onnx": b"graph"}


def manifest_of(contents: dict[str, bytes], **changes: object) -> dict[str, object]:
    """The manifest that vouches for these files."""
    entries = {
        name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in contents.items()
    }
    return {"format": "hotlap-checkpoint", "version": 1, "step": 1, "files": entries} | changes


def write_checkpoint(folder: Path, files: dict[str, bytes], manifest: object = None) -> Path:
    """Write a checkpoint as an attacker can: the hashes are right, whatever the files hold."""
    path = folder / STEP_FOLDER
    path.mkdir(parents=True)
    for name, data in files.items():
        (path / name).write_bytes(data)
    content = manifest_of(files) if manifest is None else manifest
    (path / "manifest.json").write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def with_file(name: str, data: bytes) -> Callable[[Path], object]:
    """A checkpoint in which one file is replaced, and vouched for unless it is the manifest."""
    if name == "manifest.json":
        return lambda folder: write_checkpoint(folder, honest_files(), data)
    return lambda folder: write_checkpoint(folder, honest_files() | {name: data})


def with_manifest(**changes: object) -> Callable[[Path], object]:
    """An honest checkpoint whose manifest says something else in places."""
    return lambda folder: write_checkpoint(folder, honest_files(), manifest_of(honest_files(), **changes))


def with_entry(name: str, **changes: object) -> Callable[[Path], object]:
    """An honest checkpoint with one more, or another, entry in its manifest."""
    entry = {"bytes": 5, "sha256": hashlib.sha256(b"graph").hexdigest()} | changes
    return with_manifest(files=manifest_of(honest_files())["files"] | {name: entry})


def foreign_contents() -> Iterator[tuple[str, bytes]]:
    """Files of other kinds, some of which run code in loaders that trust them, and bombs."""
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        yield f"pickle {protocol}", pickle.dumps(Payload(), protocol)
    array = BytesIO()
    np.save(array, np.array([Payload()], dtype=object), allow_pickle=True)
    yield "numpy object array", array.getvalue()
    for title, content in (("zip with a pickle", pickle.dumps(Payload())), ("zip bomb", bytes(64 * MEBIBYTE))):
        archive = BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("policy.pth", content)
        yield title, archive.getvalue()
    yield "gzip bomb", gzip.compress(bytes(64 * MEBIBYTE))
    yield "python", b"import os\nos.system('touch /tmp/hotlap-was-here')\n"
    yield "yaml", b"!!python/object/apply:os.system ['touch /tmp/hotlap-was-here']\n"
    yield "nothing", b""
    yield "zeros", bytes(MEBIBYTE)


def json_bombs() -> Iterator[tuple[str, bytes]]:
    """Within a mebibyte, what makes a careless JSON parser slow, large or crash."""
    yield "lists within lists", b"[" * MEBIBYTE
    yield "objects within objects", b'{"a":' * (MEBIBYTE // 5)
    yield "closed lists within lists", b"[" * (MEBIBYTE // 2) + b"]" * (MEBIBYTE // 2)
    yield "depth behind brackets in text", b'{"a":"' + b"]" * 300_000 + b'","b":' + b"[" * 300_000
    yield "digits", b'{"a":' + b"9" * (MEBIBYTE - 10) + b"}"
    yield "digits after the point", b'{"a":1.' + b"9" * (MEBIBYTE - 20) + b"e999}"
    yield "exponent", b'{"a":1e' + b"9" * (MEBIBYTE - 10) + b"}"
    yield "a list of empty lists", b"[" + b"[]," * 340_000 + b"[]]"
    yield "backslashes", b'{"a":"' + b"\\" * (MEBIBYTE - 10)
    yield "quotes", b'"' * MEBIBYTE
    yield "a key twice", b'{"a":1,"a":2}'
    yield "not a number", b'{"a":NaN}'
    yield "infinity", b'{"a":-Infinity}'
    yield "infinity in digits", b'{"a":1e999}'
    yield "bytes that are no text", b'{"a":"\xff\xfe"}'
    yield "text of two bytes a letter", '{"a":1}'.encode("utf-16")
    yield "two documents", b"{}{}"


def lying_tensor_files() -> Iterator[tuple[str, bytes]]:
    """Safetensors files whose header says what is not so."""
    one = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    for size in (0, 1, 9, MEBIBYTE, 2**31, 2**63 - 1, 2**64 - 1):
        yield f"header of {size} bytes", tensor_file({"a": one}, bytes(8), size)
    for title, bomb in json_bombs():
        yield f"header of {title}", tensor_file(bomb[: MEBIBYTE - 16], bytes(8))
    yield "header beyond the limit", tensor_file({"__metadata__": {"a": "x" * MEBIBYTE}})
    yield "metadata that is no text", tensor_file({"__metadata__": {"a": [1]}})
    wrong = {
        "shape too large": {"shape": [3]},
        "shape overflows 64 bits": {"shape": [2**62, 4]},
        "shape overflows with zero": {"shape": [0, 2**48, 2**48], "data_offsets": [0, 0]},
        "huge zero shape": {"shape": [2**63, 0], "data_offsets": [0, 0]},
        "negative shape": {"shape": [-2]},
        "shape of floats": {"shape": [2.5]},
        "shape of truths": {"shape": [True, 2]},
        "shape of text": {"shape": "2"},
        "too many axes": {"shape": [2] + [1] * 64},
        "offset behind the end": {"data_offsets": [8, 16]},
        "offsets turned round": {"data_offsets": [8, 0]},
        "negative offset": {"data_offsets": [-8, 0]},
        "three offsets": {"data_offsets": [0, 8, 8]},
        "huge offset": {"data_offsets": [0, 2**63]},
        "unknown dtype": {"dtype": "OBJ"},
        "pickled dtype": {"dtype": "O"},
        "dtype is a list": {"dtype": ["F32"]},
        "another key": {"code": "import os"},
        "truth that is no truth": {"dtype": "BOOL", "shape": [8]},
    }
    for title, change in wrong.items():
        yield title, tensor_file({"a": one | change}, b"\x07" * 8)
    yield "no shape", tensor_file({"a": {"dtype": "F32", "data_offsets": [0, 8]}}, bytes(8))
    yield "overlap", tensor_file({"a": one, "b": one}, bytes(8))
    yield "a hole", tensor_file({"a": one, "b": one | {"data_offsets": [16, 24]}}, bytes(24))
    yield "bytes left over", tensor_file({"a": one}, bytes(9))
    yield "bytes missing", tensor_file({"a": one}, bytes(7))
    many = {f"{name:05d}": {"dtype": "U8", "shape": [999_000], "data_offsets": [1, 999_001]} for name in range(400)}
    yield "one megabyte four hundred times", tensor_file(many, bytes(999_001))
    for title, name in (("no name", ""), ("long name", "n" * 300), ("control characters", "\x1b[2J"), ("NUL", "a\0b")):
        yield f"tensor with {title}", tensor_file({name: one}, bytes(8))


def lying_manifests() -> Iterator[Case]:
    """Manifests with names that lead elsewhere and figures that are not so."""
    outside = ["../secret", "..", ".", "", "/etc/hostname", "a/b", "a\\b", "..\\secret", "C:\\secret", "policy.onnx\0"]
    outside += [
        "nul",
        "con.json",
        "com1.safetensors",
        "%2e%2e%2fsecret",
        "\uff0e\uff0e/secret",
        "a" * 300,
        "POLICY.ONNX",
    ]
    outside += [".hidden", "trailing.", "two..dots", " policy.onnx", "policy.onnx ", "manifest.json", "~", "$HOME"]
    for name in outside:
        yield f"manifest names {name[:40]!r}", with_entry(name)
    yield "missing file", with_entry("missing.onnx")
    yield "size too small", with_entry("policy.onnx", bytes=4)
    yield "size negative", with_entry("policy.onnx", bytes=-1)
    yield "size beyond reason", with_entry("policy.onnx", bytes=2**70)
    yield "size is text", with_entry("policy.onnx", bytes="5")
    yield "hash wrong", with_entry("policy.onnx", sha256="0" * 64)
    yield "hash in capitals", with_entry("policy.onnx", sha256=hashlib.sha256(b"graph").hexdigest().upper())
    yield "hash with a line end", with_entry("policy.onnx", sha256=hashlib.sha256(b"graph").hexdigest() + "\n")
    yield "hash missing", with_entry("policy.onnx", sha256=None)
    yield "key unknown", with_entry("policy.onnx", code="import os")
    for title, change in {"format": "zip", "version": 2, "step": 2, "files": [], "loader": "pickle"}.items():
        yield f"manifest with another {title}", with_manifest(**{title: change})
    yield "step is true", with_manifest(step=True)
    yield "step is negative", with_manifest(step=-1)
    yield "step is a float", with_manifest(step=1.5)
    crowd = {f"file-{number}": {"bytes": 0, "sha256": hashlib.sha256(b"").hexdigest()} for number in range(5_000)}
    yield "manifest of five thousand files", with_manifest(files=crowd)
    yield "manifest of a mebibyte", with_manifest(format="x" * MEBIBYTE)


def replaced(name: str, put: Callable[[Path], object]) -> Callable[[Path], object]:
    """An honest checkpoint in which one file is then replaced by something that is no plain file."""

    def build(folder: Path) -> None:
        path = write_checkpoint(folder, honest_files() | {"secret.onnx": b"graph"})
        (path / name).unlink()
        put(path / name)

    return build


def not_plain_files() -> Iterator[Case]:
    """Links, pipes, folders and files with enormous holes; the links lead to bytes whose hash is right."""
    for name in SLOTS:
        yield f"{name} is a link to a neighbour", replaced(name, lambda path: path.symlink_to("secret.onnx"))
        yield f"{name} is a link to a device", replaced(name, lambda path: path.symlink_to("/dev/zero"))
        yield f"{name} is a link to itself", replaced(name, lambda path: path.symlink_to(path.name))
        yield f"{name} is a pipe", replaced(name, os.mkfifo)
        yield f"{name} is a folder", replaced(name, Path.mkdir)
    yield "link with the right hash", linked_with_right_hash
    yield "empty pipe that the manifest vouches for", vouched_pipe
    yield "the checkpoint is a link", linked_checkpoint
    yield "a hole of four gigabytes", lambda folder: sparse(folder, "policy.safetensors", 1 << 32)
    yield "a hole of a terabyte", lambda folder: sparse(folder, "policy.safetensors", 1 << 40)
    yield "a hole in a document", lambda folder: sparse(folder, "config.json", 1 << 32)
    yield "a hole in the manifest", lambda folder: sparse(folder, "manifest.json", 1 << 32)


def linked_with_right_hash(folder: Path) -> None:
    """A link whose target has exactly the promised bytes: only the link itself is wrong."""
    path = write_checkpoint(folder, honest_files())
    outside = folder / "outside"
    (path / "policy.onnx").rename(outside)
    (path / "policy.onnx").symlink_to(outside)


def vouched_pipe(folder: Path) -> None:
    """A pipe that nobody writes to reads as the empty file it claims to be."""
    path = write_checkpoint(folder, honest_files() | {"policy.onnx": b""})
    (path / "policy.onnx").unlink()
    os.mkfifo(path / "policy.onnx")


def linked_checkpoint(folder: Path) -> None:
    """An honest checkpoint behind a link."""
    path = write_checkpoint(folder / "elsewhere", honest_files())
    (folder / STEP_FOLDER).symlink_to(path)


def sparse(folder: Path, name: str, size: int) -> None:
    """A file that is small on the disk and enormous to read; the manifest agrees to its size."""
    entries = manifest_of(honest_files())["files"]
    entries |= {name: {"bytes": size, "sha256": "0" * 64}} if name != "manifest.json" else {}
    path = write_checkpoint(folder, honest_files(), manifest_of({}, files=entries))
    os.truncate(path / name, size)


def hostile_cases() -> Iterator[Case]:
    """Title and builder of every hostile checkpoint; each must be refused."""
    contents = list(foreign_contents())
    for slot in ("policy.safetensors", "config.json", "manifest.json"):
        yield from ((f"{title} as {slot}", with_file(slot, data)) for title, data in contents)
    for slot, most in (("config.json", MEBIBYTE), ("manifest.json", 1 << 16)):
        yield from ((f"{title} in {slot}", with_file(slot, data[:most])) for title, data in json_bombs())
    yield from ((title, with_file("policy.safetensors", data)) for title, data in lying_tensor_files())
    yield from lying_manifests()
    yield from not_plain_files()


def harmless_cases() -> Iterator[Case]:
    """What is loaded as it is: bytes that nobody here opens, whatever they are, and large but honest files."""
    yield "honest", lambda folder: write_checkpoint(folder, honest_files())
    for title, data in foreign_contents():
        yield f"{title} as policy.onnx", with_file("policy.onnx", data)
    yield "many lists", with_file("config.json", b'{"a":[' + b"[]," * 340_000 + b"[]]}")
    yield "many keys", with_file("config.json", json.dumps({str(key): {} for key in range(80_000)}).encode())
    many = {f"{name}": {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]} for name in range(16_000)}
    yield "many empty tensors", with_file("policy.safetensors", tensor_file(many))
