"""What is saved is what is loaded, and any reader of safetensors and JSON can read it."""

import dataclasses
import hashlib
import json
import tracemalloc

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps

from checkpoints.sample_runs import assert_same, sample_checkpoint
from hotlap.checkpoints import Checkpoint, list_checkpoints, load_checkpoint, save_checkpoint, verify_checkpoint
from hotlap.checkpoints.bounded_json import check_depth, encode_object, parse_object
from hotlap.checkpoints.tensor_files import DTYPES, encode_tensors, parse_tensors
from hotlap.errors import CheckpointError

MEBIBYTE = 1 << 20


def file_of(tensors) -> bytes:
    return b"".join(bytes(chunk) for chunk in encode_tensors(tensors, "some.safetensors"))


def parsed(data: bytes):
    return parse_tensors(np.frombuffer(data, dtype=np.uint8).copy(), "some.safetensors")


def assert_equal_arrays(one, other):
    assert one.keys() == other.keys()
    for name in one:
        assert (one[name].dtype, one[name].shape) == (other[name].dtype, other[name].shape)
        assert one[name].tobytes() == other[name].tobytes()


def test_checkpoint_comes_back_equal_to_the_bit(tmp_path):
    path = save_checkpoint(tmp_path, sample_checkpoint(123456))
    assert path == tmp_path / "checkpoints" / "step-000000123456"
    assert_same(load_checkpoint(path), sample_checkpoint(123456))
    verify_checkpoint(path)


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (5, 4, 3)])
def test_every_dtype_and_shape_survives(tmp_path, name, shape):
    size = int(np.prod(shape))
    array = np.arange(size).reshape(shape).astype(DTYPES[name])
    path = save_checkpoint(tmp_path, Checkpoint(1, {"group": {"array": array}}))
    loaded = load_checkpoint(path).tensors["group"]["array"]
    assert (loaded.dtype, loaded.shape) == (array.dtype, shape)
    assert loaded.tobytes() == array.tobytes()
    assert loaded.flags.aligned
    assert loaded.flags.writeable


def test_special_floats_survive(tmp_path):
    array = np.array([np.nan, -np.nan, np.inf, -np.inf, -0.0, 5e-324])
    loaded = load_checkpoint(save_checkpoint(tmp_path, Checkpoint(1, {"group": {"array": array}})))
    assert loaded.tensors["group"]["array"].tobytes() == array.tobytes()


@given(
    array=st.sampled_from(list(DTYPES.values())).flatmap(
        lambda dtype: nps.arrays(dtype, nps.array_shapes(min_dims=0, min_side=0, max_side=6))
    ),
    order=st.randoms(use_true_random=False),
)
def test_layout_in_memory_does_not_matter(array, order):
    """Transposed, reversed and byte-swapped arrays are written as the plain array they equal."""
    axes = list(range(array.ndim))
    order.shuffle(axes)
    twisted = array.transpose(axes)[..., *(slice(None, None, -1) for _ in axes)]
    swapped = twisted.astype(twisted.dtype.newbyteorder(">"))
    expected = file_of({"array": np.ascontiguousarray(twisted).reshape(twisted.shape)})
    assert file_of({"array": twisted}) == expected
    assert file_of({"array": swapped}) == expected


def test_large_array_that_is_not_contiguous_is_written_in_order():
    array = np.arange(3 * MEBIBYTE, dtype=np.int32).reshape(3, -1).T
    assert np.array_equal(parsed(file_of({"array": array}))["array"], array)


def test_safetensors_package_reads_our_files():
    tensors = {name: np.arange(7).astype(dtype) for name, dtype in DTYPES.items()} | {"empty": np.zeros((0, 2))}
    assert_equal_arrays(safetensors.numpy.load(file_of(tensors)), tensors)


def test_we_read_files_of_the_safetensors_package():
    tensors = {name: np.arange(7).astype(dtype) for name, dtype in DTYPES.items()} | {"empty": np.zeros((0, 2))}
    assert_equal_arrays(parsed(safetensors.numpy.save(tensors, metadata={"by": "another"})), tensors)


def test_tensor_that_another_writer_left_unaligned_comes_back_aligned():
    head = json.dumps(
        {
            "flag": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]},
            "value": {"dtype": "F64", "shape": [2], "data_offsets": [1, 17]},
        }
    ).encode()
    content = np.array([1.5, 2.5]).tobytes()
    loaded = parsed(len(head).to_bytes(8, "little") + head + b"\x07" + content)
    assert loaded["value"].tolist() == [1.5, 2.5]
    assert loaded["value"].flags.aligned


TEXT = st.text(st.characters(codec="utf-8"), max_size=10)
JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**200), 2**200)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=20,
)


@given(document=st.dictionaries(TEXT, JSON_VALUES))
def test_documents_survive(document):
    assert parse_object(encode_object(document, "some.json"), "some.json") == document


@pytest.mark.parametrize(
    ("value", "place"),
    [
        (float("nan"), "counters.json.a.b"),
        (float("-inf"), "counters.json.a.b"),
        (np.float32(1), "counters.json.a.b"),
        (b"bytes", "counters.json.a.b"),
        ([1, {2, 3}], "counters.json.a.b[1]"),
        ({1: "key is no text"}, "counters.json.a.b"),
        (10**5000, "counters.json"),
        ("half a pair: \ud800", "counters.json"),
    ],
    ids=["nan", "infinity", "numpy", "bytes", "set", "key", "huge", "surrogate"],
)
def test_what_json_cannot_hold_is_refused_with_its_place(tmp_path, value, place):
    with pytest.raises(CheckpointError) as refused:
        save_checkpoint(tmp_path, Checkpoint(1, documents={"counters": {"a": {"b": value}}}))
    assert str(refused.value).startswith(f"{place} ")
    assert not list(tmp_path.iterdir())


def test_document_that_contains_itself_is_refused(tmp_path):
    document = {}
    document["again"] = document
    with pytest.raises(CheckpointError, match="nested deeper"):
        save_checkpoint(tmp_path, Checkpoint(1, documents={"loop": document}))


@pytest.mark.parametrize(("levels", "fits"), [(64, True), (65, False)])
def test_documents_may_be_nested_64_levels_deep(tmp_path, levels, fits):
    document = {}
    for _ in range(levels - 1):
        document = {"deeper": document}
    checkpoint = Checkpoint(1, documents={"deep": document})
    if fits:
        assert load_checkpoint(save_checkpoint(tmp_path, checkpoint)).documents["deep"] == document
    else:
        with pytest.raises(CheckpointError, match="nested deeper"):
            save_checkpoint(tmp_path, checkpoint)


@pytest.mark.parametrize(
    ("data", "fits"),
    [
        (b"[" * 64, True),
        (b"[" * 65, False),
        (b'"' + b"]" * 100 + b'"' + b"[" * 65, False),
        (b"[]" * 1000, True),
        (b" {" * 65, False),
        (b"", True),
    ],
)
def test_depth_is_told_before_parsing(data, fits):
    if fits:
        check_depth(data, "some.json")
    else:
        with pytest.raises(CheckpointError, match="nested deeper than 64 levels"):
            check_depth(data, "some.json")


@pytest.mark.parametrize(
    "array",
    [
        np.array([None]),
        np.array(["text"]),
        np.zeros(2, np.complex128),
        np.zeros(1, "i4,f4"),
        [1, 2],
        np.zeros(1, "M8[s]"),
    ],
    ids=["object", "text", "complex128", "record", "list", "time"],
)
def test_what_is_no_array_of_numbers_is_refused_by_name(tmp_path, array):
    with pytest.raises(CheckpointError, match=r"'odd' in group\.safetensors is .* must be a numpy array of one of"):
        save_checkpoint(tmp_path, Checkpoint(1, {"group": {"odd": array}}))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("step", [-1, 10**12, 1.0, True, "7", None])
def test_step_that_is_no_step_is_refused(tmp_path, step):
    with pytest.raises(CheckpointError, match="whole number from 0 to"):
        save_checkpoint(tmp_path, Checkpoint(step))


@pytest.mark.parametrize(
    "change",
    [
        {"documents": {"big": {"text": "x" * MEBIBYTE}}},
        {"files": {f"file-{number}": b"" for number in range(65)}},
        {"files": {"policy.safetensors": b""}},
        {"files": {"config.json": b"{}"}},
        {"tensors": {"many": {f"tensor-{number:06d}": np.zeros(1) for number in range(20_000)}}},
        {"tensors": {"named": {"__metadata__": np.zeros(1)}}},
        {"tensors": {"named": {"line\nbreak": np.zeros(1)}}},
        {"tensors": {"named": {"": np.zeros(1)}}},
    ],
    ids=["document", "count", "tensors as file", "document as file", "header", "metadata", "line break", "no name"],
)
def test_checkpoint_beyond_the_limits_is_refused_before_anything_is_written(tmp_path, change):
    with pytest.raises(CheckpointError):
        save_checkpoint(tmp_path, dataclasses.replace(sample_checkpoint(1), **change))
    assert not list(tmp_path.iterdir())


def test_manifest_is_what_the_documentation_says(tmp_path):
    path = save_checkpoint(tmp_path, sample_checkpoint(42))
    manifest = json.loads((path / "manifest.json").read_bytes())
    others = {file.name: file.read_bytes() for file in path.iterdir() if file.name != "manifest.json"}
    assert {key: manifest[key] for key in ("format", "version", "step")} == {
        "format": "hotlap-checkpoint",
        "version": 1,
        "step": 42,
    }
    assert manifest["files"] == {
        name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in others.items()
    }


def test_same_checkpoint_gives_the_same_bytes(tmp_path):
    one, other = (save_checkpoint(tmp_path / run, sample_checkpoint(1)) for run in map(make_run(tmp_path), "ab"))
    assert {file.name: file.read_bytes() for file in one.iterdir()} == {
        file.name: file.read_bytes() for file in other.iterdir()
    }


def make_run(root):
    def make(name: str) -> str:
        (root / name).mkdir()
        return name

    return make


def test_saving_a_step_again_replaces_it(tmp_path):
    save_checkpoint(tmp_path, Checkpoint(5, documents={"counters": {"attempt": 1}}))
    path = save_checkpoint(tmp_path, Checkpoint(5, documents={"counters": {"attempt": 2}}))
    assert load_checkpoint(path).documents["counters"] == {"attempt": 2}
    assert list((tmp_path / "checkpoints").iterdir()) == [path] == list_checkpoints(tmp_path)


def traced_peak(work) -> tuple[int, object]:
    """The most memory that was in use during the work, beyond what was before, in bytes; and its result."""
    tracemalloc.start()
    try:
        result = work()
        return tracemalloc.get_traced_memory()[1], result
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("layout", ["contiguous", "transposed"])
def test_large_buffer_is_saved_and_loaded_without_a_second_copy(tmp_path, layout):
    buffer = np.zeros((1024, 8192), np.float32)  # 32 MiB
    buffer = buffer.T if layout == "transposed" else buffer
    saving, path = traced_peak(lambda: save_checkpoint(tmp_path, Checkpoint(1, {"replay": {"buffer": buffer}})))
    checking, _ = traced_peak(lambda: verify_checkpoint(path))
    loading, loaded = traced_peak(lambda: load_checkpoint(path))
    assert saving < 12 * MEBIBYTE
    assert checking < 12 * MEBIBYTE
    assert loading < 34 * MEBIBYTE
    assert np.array_equal(loaded.tensors["replay"]["buffer"], buffer)
