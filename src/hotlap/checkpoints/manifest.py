"""The manifest of a checkpoint: which files belong to it, how large they are and what their bytes hash to."""

from typing import Annotated, Literal

import msgspec

from hotlap.checkpoints.bounded_json import check_depth
from hotlap.checkpoints.names import DOCUMENT_SUFFIX, MANIFEST, MOST_STEPS, TENSORS_SUFFIX, check_file_name
from hotlap.errors import CheckpointError

VERSION = 1
MOST_FILES = 64
MOST_MANIFEST_BYTES = 1 << 16
MOST_TENSOR_BYTES = 1 << 34
MOST_DOCUMENT_BYTES = 1 << 20
MOST_VERBATIM_BYTES = 1 << 26

Sha256 = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]


class FileEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one file must be."""

    bytes: Annotated[int, msgspec.Meta(ge=0, le=MOST_TENSOR_BYTES)]
    """Its size."""
    sha256: Sha256
    """The SHA-256 of its bytes, 64 lower-case hexadecimal digits."""


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a checkpoint consists of."""

    format: Literal["hotlap-checkpoint"]
    """Always this word."""
    version: Annotated[int, msgspec.Meta(ge=1)]
    """Of the format; 1 is the only one so far."""
    step: Annotated[int, msgspec.Meta(ge=0, le=MOST_STEPS)]
    """Training steps done; the folder is named after it."""
    files: Annotated[dict[str, FileEntry], msgspec.Meta(max_length=MOST_FILES)]
    """By name, every file but the manifest."""


def new_manifest(step: int, files: dict[str, FileEntry]) -> Manifest:
    """The manifest of a checkpoint that is being written now."""
    return Manifest(format="hotlap-checkpoint", version=VERSION, step=step, files=files)


def encode_manifest(manifest: Manifest) -> bytes:
    """The manifest as readable JSON, without a line end after the last bracket, so that no byte can be missing."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=1)


def parse_manifest(data: bytes) -> Manifest:
    """The manifest in these bytes, everything in it checked; anything else is a CheckpointError."""
    check_depth(data, MANIFEST)
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
    except (msgspec.MsgspecError, ValueError, RecursionError) as problem:
        raise CheckpointError(f"{MANIFEST} is not the manifest of a checkpoint ({problem}).") from problem
    if manifest.version != VERSION:
        raise CheckpointError(
            f"{MANIFEST} is of version {manifest.version}, and this Hotlap reads {VERSION}. Install a newer Hotlap."
        )
    for name, entry in manifest.files.items():
        check_size(check_file_name(name), entry.bytes)
    return manifest


def check_size(name: str, size: int) -> None:
    """Refuse a file that is larger than its kind may be."""
    most = size_limit(name)
    if size > most:
        raise CheckpointError(f"{name} has {size} bytes, and a file of its kind may have at most {most}.")


def size_limit(name: str) -> int:
    """How many bytes a file with this name may have."""
    limits = {TENSORS_SUFFIX: MOST_TENSOR_BYTES, DOCUMENT_SUFFIX: MOST_DOCUMENT_BYTES}
    return next((most for suffix, most in limits.items() if name.endswith(suffix)), MOST_VERBATIM_BYTES)
