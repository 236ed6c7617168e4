"""Our strict reader of the safetensors layout, with the library as an independent judge."""

import json
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of
from safetensors import SafetensorError
from safetensors.numpy import load, save

from zhaifei.solver.files import safetensors_layout as layout
from zhaifei.solver.files.safetensors_layout import LayoutError
from zhaifei.solver.files.strict_json import StrictJsonError

DATA = np.arange(16, dtype=np.int16).tobytes()
GOOD = {"__metadata__": {"a": "b"}, "x": {"dtype": "I16", "shape": [4, 4], "data_offsets": [0, 32]}}


def content(text: bytes | object, data: bytes = DATA, align: bool = True) -> bytes:
    encoded = text if isinstance(text, bytes) else json.dumps(text).encode()
    if align:
        encoded += b" " * (-len(encoded) % 8)
    return struct.pack("<Q", len(encoded)) + encoded + data


def read(path, whole: bytes):
    path.write_bytes(whole)
    with path.open("rb") as file:
        found = layout.read(file, len(whole))
        return found, layout.mapped(file, found)


def of_two(first: list[int], second: list[int], dtype: str = "I16"):
    """Two arrays of one axis, whose lengths fit their offsets."""
    return {
        name: {
            "dtype": dtype,
            "shape": [(offsets[1] - offsets[0]) // 2],
            "data_offsets": offsets,
        }
        for name, offsets in (("x", first), ("y", second))
    }


def changed(**change: object):
    return {**GOOD, "x": {**GOOD["x"], **change}}


def without(key: str):
    return {**GOOD, "x": {name: value for name, value in GOOD["x"].items() if name != key}}


NESTED = b'{"x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
MALFORMED = {
    "empty": b"",
    "seven bytes": b"\0" * 7,
    "no header": struct.pack("<Q", 0) + DATA,
    "header longer than the file": struct.pack("<Q", 2**63) + DATA,
    "header of more than a million bytes": content(b'{"x": "' + b"a" * 1_000_000 + b'"}'),
    "not UTF-8": content(b'{"\xff": 1}'),
    "not JSON": content(b"{"),
    "a list": content([GOOD]),
    "a number": content(b"7", align=False),
    "nested deep": content(NESTED),
    "nested below the end of a string": content(b'{"\\"": ' + b"[" * 900 + b"]" * 900 + b"}"),
    "a name twice": content(json.dumps(GOOD).replace("a", "x", 1).encode()[:-1] + b', "x": {}}'),
    "metadata that are a list": content({**GOOD, "__metadata__": ["a"]}),
    "metadata that are no texts": content({**GOOD, "__metadata__": {"a": 1}}),
    "an array that is a list": content({**GOOD, "x": [1, 2]}),
    "unknown dtype": content(changed(dtype="F8_E4M3")),
    "dtype that is a list": content(changed(dtype=["I16"])),
    "no dtype": content(without("dtype")),
    "no shape": content(without("shape")),
    "no offsets": content(without("data_offsets")),
    "an unknown field": content(changed(stride=1)),
    "shape that is a number": content(changed(shape=16)),
    "shape with a fraction": content(changed(shape=[4, 4.0])),
    "shape with a truth value": content(changed(shape=[True, 16])),
    "shape below 0": content(changed(shape=[-4, -4])),
    "shape of nine axes": content(changed(shape=[16, *[1] * 8])),
    "shape that does not fit": content(changed(shape=[4, 5])),
    "shape whose product overflows": content(changed(shape=[2**32, 2**32])),
    "shape that is huge": content(changed(shape=[10**30])),
    "shape that is empty and huge": content(changed(shape=[0, 10**30], data_offsets=[0, 0]), b""),
    "shape that is empty and overflows": content(
        changed(shape=[0, 2**40, 2**40], data_offsets=[0, 0]), b""
    ),
    "three offsets": content(changed(data_offsets=[0, 16, 32])),
    "offsets that fall": content(changed(data_offsets=[32, 0])),
    "offsets that are texts": content(changed(data_offsets=["0", "32"])),
    "offsets with a fraction": content(changed(data_offsets=[0.0, 32.0])),
    "offsets that are NaN": content(b'{"x":{"dtype":"U8","shape":[],"data_offsets":[NaN,NaN]}}'),
    "offsets that are infinite": content(
        b'{"x":{"dtype":"U8","shape":[],"data_offsets":[0,1e999]}}'
    ),
    "offset of 5,000 digits": content(
        b'{"x":{"dtype":"U8","shape":[],"data_offsets":[0,' + b"1" * 5000 + b"]}}"
    ),
    "offsets beyond the file": content(changed(shape=[17], data_offsets=[0, 34])),
    "bytes after the last array": content(changed(shape=[15], data_offsets=[0, 30])),
    "a gap before the first": content(changed(shape=[15], data_offsets=[2, 32])),
    "a gap between": content(of_two([0, 8], [10, 32])),
    "an overlap": content(of_two([0, 18], [16, 32])),
    "twice the same bytes": content(of_two([0, 32], [0, 32])),
    "an empty one within another": content(of_two([0, 32], [16, 16])),
    "not aligned in the file": content(json.dumps(GOOD).encode().ljust(201), align=False),
    "not aligned among the arrays": content(
        {
            "x": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]},
            "y": {"dtype": "I16", "shape": [1], "data_offsets": [1, 3]},
        },
        bytes(3),
    ),
}
"""Each is wrong in one way."""


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_files_are_refused_in_one_short_line(tmp_path, name):
    with pytest.raises((LayoutError, StrictJsonError)) as caught:
        read(tmp_path / "file", MALFORMED[name])
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 120


def test_the_header_that_the_malformed_ones_are_made_from_is_good(tmp_path):
    found, arrays = read(tmp_path / "file", content(GOOD))
    assert found.metadata == {"a": "b"}
    np.testing.assert_array_equal(arrays["x"], np.arange(16, dtype=np.int16).reshape(4, 4))
    read(tmp_path / "file", content(of_two([0, 16], [16, 32])))


def test_arrays_of_no_axes_and_of_no_elements_are_read(tmp_path):
    described = {
        "one": {"dtype": "I16", "shape": [], "data_offsets": [0, 2]},
        "none": {"dtype": "F64", "shape": [0, 2**20, 2**30], "data_offsets": [2, 2]},
    }
    _, arrays = read(tmp_path / "file", content(described, b"\7\0"))
    assert arrays["one"].shape == ()
    assert arrays["one"] == 7
    assert arrays["none"].shape == (0, 2**20, 2**30)


STRICTER = (
    "an unknown field",
    "shape of nine axes",
    "not aligned in the file",
    "not aligned among the arrays",
)
"""What the library takes."""


@pytest.mark.parametrize("name", MALFORMED)
def test_the_library_refuses_what_we_refuse(name):
    if name in STRICTER:
        load(MALFORMED[name])
        return
    with pytest.raises((SafetensorError, ValueError)):  # the latter from numpy
        load(MALFORMED[name])


OFFSETS = st.sampled_from([0, 2, 4, 8, 30, 32, 34, -2, 2**63, True, None])
ARRAY = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(["I16", "U8", "F64", "BOOL"]),
        "shape": st.lists(st.sampled_from([0, 1, 2, 4, 8, 16, 32, 2**62]), max_size=3),
        "data_offsets": st.lists(OFFSETS, min_size=2, max_size=2),
    }
)


@given(st.dictionaries(st.sampled_from(["x", "y", "__metadata__"]), ARRAY, max_size=2))
def test_what_we_read_the_library_reads_the_same(tmp_path_factory, described):
    whole = content(described)
    try:
        _, arrays = read(tmp_path_factory.getbasetemp() / "described", whole)
    except LayoutError:
        return
    theirs = load(whole)
    assert arrays.keys() == theirs.keys()
    for name, array in arrays.items():
        assert (array.dtype, array.shape) == (theirs[name].dtype, theirs[name].shape)
        assert array.tobytes() == theirs[name].tobytes()


@settings(max_examples=30)
@given(
    st.dictionaries(
        st.text(max_size=8).filter(lambda name: name != "__metadata__"),
        arrays_of.arrays(
            st.sampled_from([np.int8, np.uint8, np.int16, np.int64, np.float16, np.float64]),
            arrays_of.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
        ),
        max_size=4,
    ),
    st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=2),
)
def test_what_we_write_we_and_the_library_read(tmp_path_factory, arrays, metadata):
    path = tmp_path_factory.getbasetemp() / "written"
    with path.open("wb") as file:
        layout.write(file, metadata, arrays)
    whole = path.read_bytes()
    found, ours = read(path, whole)
    theirs = load(whole)
    assert found.metadata == metadata
    assert arrays.keys() == ours.keys() == theirs.keys()
    for name, array in arrays.items():
        for read_back in (ours[name], theirs[name]):
            assert (read_back.dtype, read_back.shape) == (array.dtype, array.shape)
            assert read_back.tobytes() == array.tobytes()


def test_what_the_library_writes_we_read(tmp_path):
    arrays = {"b": np.arange(6.0).reshape(2, 3), "a": np.array([1], dtype=np.uint8)}
    found, ours = read(tmp_path / "file", save(arrays, metadata={"飞": "斋\n"}))
    assert found.metadata == {"飞": "斋\n"}
    for name, array in arrays.items():
        np.testing.assert_array_equal(ours[name], array)
