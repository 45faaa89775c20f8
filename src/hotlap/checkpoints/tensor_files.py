"""Named arrays as safetensors, streamed out without a copy and read back as views of one block.

The safetensors package would copy every tensor and open the file a second time, after its hash was checked;
the format is simple enough to do neither. The tests hold the two against each other in both directions.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from hotlap.checkpoints.bounded_json import check_depth
from hotlap.errors import CheckpointError

Tensors = Mapping[str, NDArray[Any]]
Bytes = NDArray[np.uint8]
Chunk = memoryview | bytes

MOST_HEADER_BYTES = 1 << 20
MOST_AXES = 32
LONGEST_TENSOR_NAME = 256
PART_ELEMENTS = 1 << 20
METADATA = "__metadata__"

DTYPES: dict[str, np.dtype[Any]] = {
    "BOOL": np.dtype(np.bool_),
    "U8": np.dtype("u1"),
    "I8": np.dtype("i1"),
    "U16": np.dtype("<u2"),
    "I16": np.dtype("<i2"),
    "F16": np.dtype("<f2"),
    "U32": np.dtype("<u4"),
    "I32": np.dtype("<i4"),
    "F32": np.dtype("<f4"),
    "U64": np.dtype("<u8"),
    "I64": np.dtype("<i8"),
    "F64": np.dtype("<f8"),
    "C64": np.dtype("<c8"),
}
_NAMES = {dtype: name for name, dtype in DTYPES.items()}

Size = Annotated[int, msgspec.Meta(ge=0, le=1 << 48)]


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    """One tensor as the header describes it."""

    dtype: Literal["BOOL", "U8", "I8", "U16", "I16", "F16", "U32", "I32", "F32", "U64", "I64", "F64", "C64"]
    shape: Annotated[tuple[Size, ...], msgspec.Meta(max_length=MOST_AXES)]
    data_offsets: tuple[Size, Size]


def encode_tensors(tensors: Tensors, file_name: str) -> Iterator[Chunk]:
    """The file in chunks: the header now checked, the arrays read only when their turn comes."""
    # Wide elements first, so that every tensor starts at a multiple of its element size.
    names = sorted(tensors, key=lambda name: (-_dtype(tensors[name], name, file_name).itemsize, name))
    header, offset = {}, 0
    for name in names:
        array = tensors[name]
        _check_name(name, file_name)
        end = offset + array.nbytes
        dtype_name = _NAMES[_dtype(array, name, file_name)]
        header[name] = {"dtype": dtype_name, "shape": array.shape, "data_offsets": (offset, end)}
        offset = end
    head = msgspec.json.encode(header)
    head += b" " * (-len(head) % 8)
    if len(head) > MOST_HEADER_BYTES:
        raise CheckpointError(f"{file_name} has too many tensors: {len(names)}. Divide them among several groups.")
    return _chunks(head, [tensors[name] for name in names])


def parse_tensors(content: Bytes, file_name: str) -> dict[str, NDArray[Any]]:
    """The arrays in a safetensors file, as views of its bytes; whatever does not fit is a CheckpointError."""
    head_bytes = int(content[:8].view("<u8")[0]) if len(content) >= 8 else 0
    if not 2 <= head_bytes <= min(len(content) - 8, MOST_HEADER_BYTES):
        raise CheckpointError(f"{file_name} is not a safetensors file: its header does not fit.")
    entries = _parse_header(content[8 : 8 + head_bytes].tobytes(), file_name)
    data = content[8 + head_bytes :]
    _check_cover(entries, len(data), file_name)
    return {name: _view(data, entry, f"{name} in {file_name}") for name, entry in entries.items()}


def _dtype(array: object, name: object, file_name: str) -> np.dtype[Any]:
    """The little-endian dtype the array is written in."""
    if isinstance(array, np.ndarray) and array.dtype.fields is None:
        dtype: np.dtype[Any] = array.dtype.newbyteorder("<")
        if dtype in _NAMES:
            return dtype
    kind = f"an array of {array.dtype}" if isinstance(array, np.ndarray) else f"a {type(array).__name__}"
    known = ", ".join(dtype.name for dtype in DTYPES.values())
    raise CheckpointError(f"{name!r:.80} in {file_name} is {kind}, and must be a numpy array of one of: {known}.")


def _check_name(name: object, file_name: str) -> None:
    if (
        not isinstance(name, str)
        or not 1 <= len(name) <= LONGEST_TENSOR_NAME
        or not name.isprintable()
        or name == METADATA
    ):
        raise CheckpointError(
            f"{name!r:.80} in {file_name} cannot name a tensor: "
            f"use 1 to {LONGEST_TENSOR_NAME} printable characters, and not {METADATA}."
        )


def _chunks(head: bytes, arrays: list[NDArray[Any]]) -> Iterator[Chunk]:
    yield len(head).to_bytes(8, "little") + head
    for array in arrays:
        yield from _little_endian_bytes(array)


def _little_endian_bytes(array: NDArray[Any]) -> Iterator[Chunk]:
    """The elements in C order, a part at a time; only a part that lies otherwise in memory is copied."""
    plain = np.asarray(array)
    dtype = plain.dtype.newbyteorder("<")
    in_order = plain.reshape(-1) if plain.flags.c_contiguous else plain.flat
    for begin in range(0, plain.size, PART_ELEMENTS):
        part = in_order[begin : begin + PART_ELEMENTS].astype(dtype, copy=False)
        yield part.view(np.uint8).data


def _parse_header(head: bytes, file_name: str) -> dict[str, _Entry]:
    check_depth(head, file_name)
    try:
        raw = msgspec.json.decode(head, type=dict[str, msgspec.Raw])
        msgspec.json.decode(raw.pop(METADATA, msgspec.Raw(b"{}")), type=dict[str, str])
        entries = {name: msgspec.json.decode(entry, type=_Entry) for name, entry in raw.items()}
    except (msgspec.MsgspecError, ValueError, RecursionError) as problem:
        raise CheckpointError(f"{file_name} is not a safetensors file ({problem}).") from problem
    for name in entries:
        _check_name(name, file_name)
    return entries


def _check_cover(entries: dict[str, _Entry], data_bytes: int, file_name: str) -> None:
    """Every byte of data belongs to exactly one tensor, and every tensor has as many as its shape asks for."""
    expected = 0
    for name, entry in sorted(entries.items(), key=lambda item: item[1].data_offsets):
        begin, end = entry.data_offsets
        size = math.prod(entry.shape) * DTYPES[entry.dtype].itemsize
        if begin != expected or end - begin != size:
            raise CheckpointError(f"{name!r:.80} in {file_name} does not lie where its header says.")
        expected = end
    if expected != data_bytes:
        raise CheckpointError(f"{file_name} has {data_bytes} bytes of tensors, and its header says {expected}.")


def _view(data: Bytes, entry: _Entry, place: str) -> NDArray[Any]:
    raw = data[slice(*entry.data_offsets)]
    if entry.dtype == "BOOL" and raw.size and raw.max() > 1:
        raise CheckpointError(f"{place:.120} is not made of truth values.")
    try:
        array: NDArray[Any] = raw.view(DTYPES[entry.dtype]).reshape(entry.shape)
    except ValueError as problem:
        raise CheckpointError(f"{place:.120} has a shape that no array can have.") from problem
    return array if array.flags.aligned else array.copy()
