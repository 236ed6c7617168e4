"""Damage files: anywhere in their bytes, or in one place of their structure.

Damage of the structure leaves everything else right, the checksum often included, so that it gets
past the checks that come before the one that it is meant for.
"""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.solver.files import safetensors_layout

_DTYPES = {
    "U8": np.uint8,
    "I8": np.int8,
    "I16": np.int16,
    "I32": np.int32,
    "I64": np.int64,
    "U16": np.uint16,
    "F16": np.float16,
    "F32": np.float32,
    "F64": np.float64,
    "U64": np.uint64,
}
_NAMES = {np.dtype(dtype): name for name, dtype in _DTYPES.items()}
_METADATA, _OURS, _CHECKSUM = "__metadata__", "zhaifei", "zhaifei.checksum"
_STALE = 0.15
"""How often the checksum is left as it was."""


@dataclass
class Contents:
    """A file in parts."""

    header: Any
    """Usually a dict, as `solver.files.storage` stores it."""
    arrays: dict[str, NDArray[Any]]
    others: dict[str, str]
    """What else there is in the metadata: a checksum."""

    @classmethod
    def of(cls, data: bytes) -> Contents:
        length = int.from_bytes(data[:8], "little")
        layout = json.loads(data[8 : 8 + length])
        others = layout.pop(_METADATA)
        arrays = {}
        for name, entry in layout.items():
            start, stop = (8 + length + offset for offset in entry["data_offsets"])
            flat = np.frombuffer(data[start:stop], _DTYPES[entry["dtype"]])
            arrays[name] = flat.reshape(entry["shape"]).copy()
        return cls(json.loads(others.pop(_OURS)), arrays, others)

    def layout(self) -> dict[str, Any]:
        """Return the JSON that describes the file."""
        found, end = {}, 0
        for name, array in self._ordered():
            start, end = end, end + array.nbytes
            found[name] = {
                "dtype": _NAMES[array.dtype],
                "shape": list(array.shape),
                "data_offsets": [start, end],
            }
        text = self.header if isinstance(self.header, str) else json.dumps(self.header)
        return {_METADATA: {_OURS: text, **self.others}, **found}

    def body(self) -> bytes:
        """Return the bytes of the arrays."""
        return b"".join(array.tobytes() for _, array in self._ordered())

    def _ordered(self) -> list[tuple[str, NDArray[Any]]]:
        return sorted(self.arrays.items(), key=lambda one: (-one[1].dtype.itemsize, one[0]))


def _file(layout: str, body: bytes) -> bytes:
    encoded = layout.encode(errors="surrogatepass")
    encoded += b" " * (-len(encoded) % 8)
    return struct.pack("<Q", len(encoded)) + encoded + body


def _joined(contents: Contents) -> bytes:
    return _file(json.dumps(contents.layout()), contents.body())


# Bytes


def _flip_bit(data: bytearray, random: Random) -> None:
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def _set_byte(data: bytearray, random: Random) -> None:
    data[random.randrange(len(data))] = random.choice((0, 1, 0x7F, 0x80, 0xFF, 0x22, 0x7B, 0x7D))


def _truncate(data: bytearray, random: Random) -> None:
    del data[random.choice((random.randrange(len(data)), len(data) - random.randint(1, 16))) :]


def _extend(data: bytearray, random: Random) -> None:
    data += random.randbytes(random.choice((1, 8, 100)))


def _cut_out(data: bytearray, random: Random) -> None:
    start = random.randrange(len(data))
    del data[start : start + random.choice((1, 4, 8, 252))]


def _repeat(data: bytearray, random: Random) -> None:
    start, length = random.randrange(len(data)), random.choice((4, 8, 64, 512))
    data[start:start] = data[start : start + length]


def _blank(data: bytearray, random: Random) -> None:
    start, length = random.randrange(len(data)), random.choice((4, 16, 64, 512))
    data[start : start + length] = bytes([random.choice((0, 0xFF))]) * len(
        data[start : start + length]
    )


def _set_length(data: bytearray, random: Random) -> None:
    length = random.choice((0, 1, 8, 2**31, 2**63, 2**64 - 1, len(data), len(data) - 8))
    data[:8] = struct.pack("<Q", length)


_BYTES = (
    _flip_bit,
    _flip_bit,
    _flip_bit,
    _set_byte,
    _truncate,
    _extend,
    _cut_out,
    _repeat,
    _blank,
    _set_length,
)


def _damage_bytes(sample: bytes, random: Random) -> bytes:
    data = bytearray(sample)
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        if len(data) > 8:
            random.choice(_BYTES)(data, random)
    return bytes(data)


# The header

_DEEP: Any = []
for _ in range(60):
    _DEEP = [_DEEP]
_VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    3,
    7,
    255,
    256,
    10**9,
    2**31,
    2**53,
    2**63 - 1,
    2**63,
    2**64,
    2**128,
    10**30,
    10**400,
    0.0,
    -0.5,
    1.5,
    1e300,
    float("nan"),
    float("inf"),
    -float("inf"),
    "",
    "1",
    "full",
    "bid",
    "bid,bid",
    "bid," * 50 + "bid",
    "exact",
    "tree",
    "mccfr",
    "single-bid",
    "dqn",
    "ppo",
    "fei",
    "x" * 5000,
    "\x00\x1b[31m\n",
    "\ud800",
    "飞",
    [],
    [1],
    [[1, 2]],
    [[]],
    {},
    {"a": 1},
    _DEEP,
)


def _any_value(random: Random) -> Any:
    return deepcopy(random.choice(_VALUES))  # later damage may be within it


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return all containers in `value`, with their keys."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    found = [(value, key) for key in keys]
    for key in keys:
        if isinstance(value[key], dict | list):
            found += _places(value[key])
    return found


def _damage_header(contents: Contents, random: Random) -> None:
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        places = _places(contents.header)
        if not places:
            return
        container, key = random.choice(places)
        change = random.randrange(8)
        old = container[key]
        if change == 0:
            del container[key]
        elif change == 1 and isinstance(container, dict):
            container[str(random.choice(_VALUES))[:20]] = _any_value(random)
        elif change == 2 and type(old) is int:
            container[key] = old + random.choice((-1, 1, 2, 10, 1000))
        elif change == 3:
            other, place = random.choice(places)
            container[key] = json.loads(json.dumps(other[place]))
        elif change == 4 and isinstance(old, int | float) and abs(old) < 1e300:
            container[key] = random.choice((str(old), float(old), -old, [old], bool(old)))
        else:
            container[key] = _any_value(random)


def _replace_header(contents: Contents, random: Random) -> None:
    contents.header = random.choice(
        (
            "",
            "null",
            "[]",
            "3",
            '"text"',
            "{",
            "[" * 900 + "]" * 900,
            '{"a":' * 900 + "0" + "}" * 900,
            '{"kind": "policy", "kind": "checkpoint", "version": 1}',
            "NaN",
            "9" * 5000,
        )
    )


# The layout


def _entries(layout: dict[str, Any]) -> list[str]:
    return [name for name in layout if name != _METADATA]


def _damage_layout(contents: Contents, random: Random) -> bytes:
    layout, body = contents.layout(), contents.body()
    names = _entries(layout)
    name = random.choice(names)
    entry, other = layout[name], layout[random.choice(names)]
    change = random.randrange(11)
    if change == 0:
        entry["dtype"] = random.choice((*_DTYPES, "BOOL", "BF16", "F8_E4M3", "C64", "", "f32", 3))
    elif change == 1:
        shape = entry["shape"]
        entry["shape"] = random.choice(
            (
                [],
                [0],
                [*shape, 1],
                [1, *shape],
                shape[::-1],
                [0, *shape[1:]],
                [2**62, 0],
                [-1, *shape[1:]],
                [2**31, 2**31, 4],
                [2**63],
                ["1"],
                [1.0],
                [None],
                [1] * 40,
                [True],
                shape[:-1],
                None,
                {},
            )
        )
    elif change == 2:
        start, stop = entry["data_offsets"]
        entry["data_offsets"] = random.choice(
            (
                [start + 1, stop + 1],
                [start, stop - 1],
                [start, stop + 1],
                [-8, stop],
                [stop, start],
                [2**63, 2**63],
                [0, 0],
                [start],
                [start, stop, stop],
                None,
                [0, len(body)],
                [str(start), stop],
                [0.0, stop],
            )
        )
    elif change == 3:
        entry["data_offsets"] = other["data_offsets"]
    elif change == 4:
        entry["dtype"], other["dtype"] = other["dtype"], entry["dtype"]
    elif change == 5:
        entry["shape"], other["shape"] = other["shape"], entry["shape"]
    elif change == 6:
        del layout[name]
    elif change == 7:
        layout[random.choice(("x", "", "__metadata__", "\x00", "a" * 300))] = layout.pop(name)
    elif change == 8:
        entry[random.choice(("extra", "dtype", "shape"))] = _any_value(random)
    elif change == 9:
        layout[name] = _any_value(random)
    else:
        layout[_METADATA] = random.choice(
            ({}, None, [], {_OURS: 3}, {_OURS: None}, {_OURS: ""}, {"zhaifei2": "x"})
        )
    text = json.dumps(layout)
    if random.random() < 0.1:
        twin = json.dumps({name: layout.get(name)})[1:-1]
        text = f"{text[:-1]}, {twin}}}"  # the name twice
    return _file(text, body)


# Arrays


def _whole_numbers(array: NDArray[Any], place: int, random: Random) -> list[int]:
    """Return numbers that are right, or nearly so, somewhere in an array of whole numbers."""
    info, rows = np.iinfo(array.dtype), len(array)
    old, other = int(array.flat[place]), int(array.flat[random.randrange(array.size)])
    return [
        number
        for number in (
            -1,
            0,
            1,
            2,
            rows - 1,
            rows,
            rows + 1,
            info.min,
            info.max,
            info.max // 2,
            place,
            place - 1,
            place + 1,
            other,
            other,
            other + 1,
            old + 1,
            old - 1,
            -old,
            old ^ (1 << random.randrange(8)),
        )
        if info.min <= number <= info.max
    ]


_REALS = (
    np.nan,
    np.inf,
    -np.inf,
    -1.0,
    -0.0,
    0.0,
    1.0,
    2.0,
    1e-45,
    1e-38,
    1e-30,
    1e10,
    1e29,
    1e30,
    -1e30,
    1e31,
    3e38,
    -3e38,
    1e200,
    -1e308,
    5e-324,
    0.5,
)


def _set_entries(array: NDArray[Any], random: Random) -> None:
    for _ in range(random.choice((1, 1, 1, 2, 8))):
        place = random.randrange(array.size)
        if array.dtype.kind == "f":
            with np.errstate(over="ignore"):
                array.flat[place] = random.choice(_REALS)
        else:
            array.flat[place] = random.choice(_whole_numbers(array, place, random))


def _flip_bit_of_entry(array: NDArray[Any], random: Random) -> None:
    flat = array.reshape(-1).view(np.uint8)
    flat[random.randrange(flat.size)] ^= 1 << random.randrange(8)


def _swap_rows(array: NDArray[Any], random: Random) -> None:
    one, two = random.randrange(len(array)), random.randrange(len(array))
    array[[one, two]] = array[[two, one]]


def _fill(array: NDArray[Any], random: Random) -> None:
    start = random.randrange(len(array))
    rows = array[start : start + random.choice((1, 2, 10, len(array)))]
    if array.dtype.kind == "f":
        with np.errstate(over="ignore"):
            rows[:] = random.choice(_REALS)
    else:
        rows[:] = random.choice(_whole_numbers(array, 0, random))


def _scale(array: NDArray[Any], random: Random) -> None:
    with np.errstate(all="ignore"):
        factor = random.choice((-1, 0.5, 2, 1e20, 1e-20))
    array[:] = (array.astype(np.float64) * factor).astype(array.dtype)


def _shuffle(array: NDArray[Any], random: Random) -> None:
    array[:] = array[np.array(random.sample(range(len(array)), len(array)))]


_ENTRIES = (
    _set_entries,
    _set_entries,
    _set_entries,
    _set_entries,
    _flip_bit_of_entry,
    _swap_rows,
    _fill,
    _scale,
    _shuffle,
)


def _change_entries(array: NDArray[Any], random: Random) -> None:
    if array.size and array.ndim:
        with np.errstate(all="ignore"):
            random.choice(_ENTRIES)(array, random)


def _resized(array: NDArray[Any], random: Random) -> NDArray[Any]:
    rows = len(array)
    longer = random.choice((0, 1, rows - 1, rows + 1, 2 * rows))
    return np.resize(array, (max(longer, 0), *array.shape[1:]))


def _retyped(array: NDArray[Any], random: Random) -> NDArray[Any]:
    with np.errstate(all="ignore"):
        return array.astype(random.choice(list(_DTYPES.values())))


def _reshaped(array: NDArray[Any], random: Random) -> NDArray[Any]:
    shapes = ((-1,), (1, *array.shape), (*array.shape, 1), array.shape[::-1])
    return array.reshape(random.choice(shapes))


def _damage_arrays(contents: Contents, random: Random) -> None:
    arrays = contents.arrays
    name = random.choice(list(arrays))
    # Links and counts are small beside rows of numbers, and matter more.
    if random.random() < 0.5:
        name = min(random.sample(list(arrays), min(3, len(arrays))), key=lambda n: arrays[n].size)
    change = random.randrange(14)
    if change == 0 and arrays[name].ndim:
        arrays[name] = _resized(arrays[name], random)
    elif change == 1:
        arrays[name] = _retyped(arrays[name], random)
    elif change == 2:
        arrays[name] = _reshaped(arrays[name], random)
    elif change == 3:
        other = random.choice(list(arrays))
        arrays[name], arrays[other] = arrays[other], arrays[name]
    elif change == 4:
        arrays[random.choice((*arrays, "unknown"))] = arrays[name].copy()
    elif change == 5 and all(one.ndim for one in arrays.values()):
        for each in arrays:  # as if the run were smaller, in all arrays of this length
            if len(arrays[each]) == len(arrays[name]) and each != name:
                arrays[each] = arrays[each][:-1]
        arrays[name] = arrays[name][:-1]
    else:
        _change_entries(arrays[name], random)


def _damage_blocks(contents: Contents, random: Random) -> None:
    """Change the bytes of a block of a packed policy (`solver.tables.packing`); its size is mostly
    right afterwards."""
    blocks, packed = contents.arrays["blocks"], contents.arrays["packed"].tobytes()
    block, sizes = random.randrange(len(blocks)), blocks[:, -1]
    start, end = int(sizes[:block].sum()), int(sizes[: block + 1].sum())
    coded = np.frombuffer(packed[start:end], np.uint8).copy()
    if random.random() < 0.2:
        coded = _resized(coded, random)
    _change_entries(coded, random)
    joined = packed[:start] + coded.tobytes() + packed[end:]
    contents.arrays["packed"] = np.frombuffer(joined, np.uint8)
    if random.random() < 0.95:
        blocks[block, -1] = coded.size
    if random.random() < 0.1:
        _change_entries(blocks, random)


# All of it


def _checksummed(data: bytes) -> bytes:
    """Return the file with the checksum of its contents, if it is whole enough to have one."""
    file: io.BufferedReader = io.BufferedReader(io.BytesIO(data))
    try:
        layout = safetensors_layout.read(file, len(data))
    except ZhaifeiError:
        return data
    if not {_OURS, _CHECKSUM} <= layout.metadata.keys():
        return data
    right = safetensors_layout.checksum_of_file(layout.metadata[_OURS], layout, file)
    return data.replace(layout.metadata[_CHECKSUM].encode(), right.encode(), 1)


_PARTS: Mapping[str, Callable[[Contents, Random], None]] = {
    "header": _damage_header,
    "no header": _replace_header,
    "arrays": _damage_arrays,
}


def mutated(sample: bytes, random: Random) -> bytes:
    """Return a damaged copy of `sample`, the contents of a file. Equal states of `random` give
    equal copies."""
    what = random.choices(
        ("bytes", "layout", "header", "no header", "arrays"), (15, 12, 22, 1, 50)
    )[0]
    if what == "bytes":
        return _damage_bytes(sample, random)
    contents = Contents.of(sample)
    if what == "layout":
        damaged = _damage_layout(contents, random)
    elif what == "arrays" and "blocks" in contents.arrays and random.random() < 0.7:
        _damage_blocks(contents, random)
        damaged = _joined(contents)
    else:
        _PARTS[what](contents, random)
        damaged = _joined(contents)
    return damaged if random.random() < _STALE else _checksummed(damaged)
