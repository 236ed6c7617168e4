"""The safetensors layout: a length, a JSON text that describes the arrays, and their bytes.

    bytes 0 to 7      the length of the JSON text, little-endian
    the JSON text     texts by name under `__metadata__`; an array under each other name:
                      `{"dtype": "F32", "shape": [2, 3], "data_offsets": [start, stop]}`
    the arrays        offsets count from here; there are no gaps and no overlaps

We read it ourselves, more strictly than the library, which cannot open a path that is not UTF-8,
copies the arrays, and accepts arrays that are not aligned. Nor can the library write to an open
file, which an atomic write needs. Tests compare both.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from io import BufferedRandom, BufferedReader
from typing import Any, NamedTuple, Protocol

import numpy as np
import xxhash
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.solver.files.strict_json import parse_object

_LENGTH_BYTES = 8
_METADATA = "__metadata__"
_MOST_BYTES = 1_000_000
"""The longest JSON text, in bytes."""
_MOST_AXES = 8
_LARGEST = 2**62
"""The most bytes of an array, axes of length 0 not counted: the limit of numpy."""
_DTYPES = {
    name: np.dtype(dtype)
    for name, dtype in {
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
    }.items()
}
_DTYPE_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


class LayoutError(ZhaifeiError):
    """A file that does not have the layout."""


class Entry(NamedTuple):
    """One array of a file."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    start: int
    """The offset of its first byte, counted from the first byte of all arrays."""

    @property
    def stop(self) -> int:
        """The offset after its last byte."""
        return self.start + math.prod(self.shape) * self.dtype.itemsize


class Layout(NamedTuple):
    """The contents of a file, and where they are."""

    metadata: Mapping[str, str]
    entries: tuple[Entry, ...]
    """The arrays in the order of their bytes, which cover the rest of the file without gaps."""
    start: int
    """The offset in the file of the first byte of all arrays."""


# Writing


def arranged(arrays: Mapping[str, NDArray[Any]]) -> tuple[Entry, ...]:
    """Return the entries of `arrays` in a file: the widest types first, so that all are aligned."""
    ordered = sorted(arrays.items(), key=lambda item: (-item[1].dtype.itemsize, item[0]))
    entries, start = [], 0
    for name, array in ordered:
        entries.append(Entry(name, array.dtype, array.shape, start))
        start = entries[-1].stop
    return tuple(entries)


OnDisk = BufferedReader | BufferedRandom
"""A file that can be mapped."""


class Source(Protocol):
    """Whatever gives bytes, such as a file that is open for reading."""

    def read(self, size: int = -1, /) -> bytes:
        """Return the next `size` bytes, fewer at the end; by default all."""


class Sink(Protocol):
    """Whatever takes bytes, such as a file that is open for writing."""

    def write(self, data: bytes | memoryview, /) -> object:
        """Take all of `data`."""


def beginning(metadata: Mapping[str, str], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return all bytes of a file that come before the arrays."""
    described = {entry.name: _describe(entry) for entry in arranged(arrays)}
    layout = {_METADATA: metadata, **described}
    encoded = json.dumps(layout, ensure_ascii=False, separators=(",", ":")).encode()
    encoded += b" " * (-len(encoded) % _LENGTH_BYTES)
    return len(encoded).to_bytes(_LENGTH_BYTES, "little") + encoded


def write(file: Sink, metadata: Mapping[str, str], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a complete file. Arrays that are not C-contiguous are copied, one at a time."""
    file.write(beginning(metadata, arrays))
    for entry in arranged(arrays):
        file.write(np.ascontiguousarray(arrays[entry.name]).data)


def _describe(entry: Entry) -> dict[str, Any]:
    return {
        "dtype": _DTYPE_NAMES[entry.dtype],
        "shape": list(entry.shape),
        "data_offsets": [entry.start, entry.stop],
    }


# Reading


def read(file: Source, size: int) -> Layout:
    """Return the layout of `file`, which has `size` bytes and is at its beginning. Afterwards the
    file is at the first byte of the arrays, whose bytes are not read.

    Raise LayoutError or StrictJsonError unless the JSON text is within bounds and describes every
    array by a known dtype, a shape, and offsets that fit them. The arrays must be aligned and cover
    the rest of the file without gaps.
    """
    length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
    start = _LENGTH_BYTES + length
    if not 0 < length <= min(_MOST_BYTES, size - _LENGTH_BYTES):
        raise LayoutError("the header has a wrong length")
    try:
        described = parse_object(file.read(length).decode())
    except UnicodeDecodeError as error:
        raise LayoutError("the header is not text") from error
    metadata = described.pop(_METADATA, {})
    if not (isinstance(metadata, dict) and all(isinstance(one, str) for one in metadata.values())):
        raise LayoutError("the metadata are not texts")
    entries = sorted(
        (_entry(name, one) for name, one in described.items()),
        key=lambda entry: (entry.start, entry.stop),
    )
    _verify_cover(entries, start, size)
    return Layout(metadata, tuple(entries), start)


def _entry(name: str, described: object) -> Entry:
    match described:
        case {"dtype": str(dtype), "shape": list(shape), "data_offsets": [start, stop], **others}:
            known = dtype in _DTYPES and len(shape) <= _MOST_AXES and not others
            if known and all(_is_size(number) for number in (*shape, start, stop)):
                entry = Entry(name, _DTYPES[dtype], tuple(shape), start)
                largest = math.prod(max(length, 1) for length in shape) * entry.dtype.itemsize
                if largest <= _LARGEST and stop == entry.stop:
                    return entry
    raise LayoutError("array {name!r} is not described correctly", name=name[:40])


def _is_size(number: object) -> bool:
    return type(number) is int and number >= 0


def _verify_cover(entries: Iterable[Entry], start: int, size: int) -> None:
    """Raise LayoutError unless the entries are aligned and cover a file of `size` bytes from
    `start` on."""
    end = 0
    for entry in entries:
        if entry.start != end or (entry.stop > end and (start + end) % entry.dtype.itemsize):
            raise LayoutError("the arrays overlap, leave gaps, or are not aligned")
        end = entry.stop
    if start + end != size:
        raise LayoutError("it has {found} bytes instead of {right}", found=size, right=start + end)


def mapped(file: OnDisk, layout: Layout) -> dict[str, NDArray[Any]]:
    """Return the arrays, memory-mapped and read-only."""
    whole = np.memmap(file, dtype=np.uint8, mode="r")
    return {
        entry.name: np.ndarray(
            entry.shape, entry.dtype, buffer=whole, offset=layout.start + entry.start
        )
        for entry in layout.entries
    }


# Checksums


def checksum_of_arrays(text: str, arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return the checksum of a file that holds `text` and `arrays`; see `checksum_of_file`."""
    entries = arranged(arrays)
    checksum = _begun(text, entries)
    for entry in entries:
        checksum.update(np.ascontiguousarray(arrays[entry.name]).data)
    return checksum.hexdigest()


def checksum_of_file(text: str, layout: Layout, file: OnDisk) -> str:
    """Return the checksum of `text`, of the names, dtypes and shapes of all arrays, and of their
    bytes, which are read from `file` to its end.

    The checksum is xxh3_128, which is about as fast as memory (Collet 2012-2023, xxHash). It finds
    damage, but does not protect against intent: anybody can compute it.
    """
    checksum = _begun(text, layout.entries)
    hashlib.file_digest(file, lambda: checksum)
    return checksum.hexdigest()


def _begun(text: str, entries: Iterable[Entry]) -> xxhash.xxh3_128:
    """Return the checksum state after everything but the bytes of the arrays."""
    described = [(entry.name, _DTYPE_NAMES[entry.dtype], entry.shape) for entry in entries]
    return xxhash.xxh3_128(json.dumps([text, described]).encode())
