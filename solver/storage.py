"""Arrays with a header in safetensors files: written atomically, read without unpickling.

The header is a JSON text under one metadata key; it names what kind of file it is and the version
of the format, and both are checked before anything else is believed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from game.errors import ZhaifeiError
from solver.atomic_files import StorageError, write_atomically

__all__ = ["VERSIONS", "Kind", "StorageError", "kind_of", "load_arrays", "load_header", "save"]

_KEY = "zhaifei"
_LENGTH_BYTES = 8

Kind = Literal["policy", "checkpoint", "weights", "training", "values"]
"""A policy file, or a checkpoint of the run that makes one; the weights of a learned player, or a
checkpoint of the run that makes them; the action values of a tabular one."""
VERSIONS: dict[Kind, int] = {
    "policy": 2, "checkpoint": 1, "weights": 1, "training": 1, "values": 1,
}  # fmt: skip


def save(
    path: Path, kind: Kind, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a file completely or not at all: under a temporary name, flushed to disk, then renamed.

    `header` holds what JSON can. Raises StorageError; a file that was at `path` before is then
    intact.
    """
    text = json.dumps({**header, "kind": kind, "version": VERSIONS[kind]}, ensure_ascii=False)
    write_atomically(path, lambda file: _write(file, text, arrays))


def _write(file: BinaryIO, text: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write the safetensors format: the length of a JSON layout, the layout, and the arrays, the
    widest types first so that all are aligned.

    The library would write to a temporary name of its own, which stays behind if it is killed, and
    make a file that only its owner may read.
    """
    layout: dict[str, Any] = {"__metadata__": {_KEY: text}}
    ordered = sorted(arrays.items(), key=lambda item: (-item[1].dtype.itemsize, item[0]))
    end = 0
    for name, array in ordered:
        start, end = end, end + array.nbytes
        dtype, shape = _DTYPE_NAMES[array.dtype], list(array.shape)
        layout[name] = {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}
    encoded = json.dumps(layout, ensure_ascii=False, separators=(",", ":")).encode()
    encoded += b" " * (-len(encoded) % _LENGTH_BYTES)
    file.write(len(encoded).to_bytes(_LENGTH_BYTES, "little"))
    file.write(encoded)
    for _, array in ordered:
        file.write(np.ascontiguousarray(array).data)


def kind_of(path: Path) -> Kind:
    """Return the kind of a file. Raises StorageError."""
    _verify_is_file(path, "policy")
    kind: Kind = _read_header(path)["kind"]
    return kind


def load_header(path: Path, kind: Kind) -> dict[str, Any]:
    """Return the header of a file of `kind`. Raises StorageError."""
    _verify_is_file(path, kind)
    header = _read_header(path)
    found, version = header["kind"], header["version"]
    if found != kind:
        raise StorageError(
            "{path} is {found}, not {wanted}",
            path=path, found=_NAMES[found], wanted=_NAMES[kind],
        )  # fmt: skip
    if not isinstance(version, int) or version > VERSIONS[kind]:
        raise StorageError(
            "{path} has format version {version}; this zhaifei reads up to {latest}",
            path=path, version=version, latest=VERSIONS[kind],
        )  # fmt: skip
    return header


def _verify_is_file(path: Path, kind: Kind) -> None:
    if not path.is_file():
        raise StorageError(
            "there is no checkpoint file {path}"
            if kind in ("checkpoint", "training")
            else "there is no policy file {path}",
            path=path,
        )


def _read_header(path: Path) -> dict[str, Any]:
    """Return the header of a file of any kind, with its kind and version. Raises StorageError."""
    try:
        with safe_open(path, framework="np") as file:
            metadata = file.metadata() or {}
    except (OSError, SafetensorError) as error:
        raise StorageError(
            "{path} is not a whole safetensors file: {error}", path=path, error=error
        ) from error
    try:
        header = json.loads(metadata[_KEY])
        VERSIONS[header["kind"]], header["version"]
    except (KeyError, TypeError, ValueError) as error:
        raise StorageError(
            "{path} is a safetensors file, but not one of zhaifei's", path=path
        ) from error
    return dict(header)


def load_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file whose header was loaded, memory-mapped and read-only.

    The library would copy them. It has checked the layout already: a length, a JSON header with the
    offsets, and the aligned arrays.
    """
    with path.open("rb") as file:
        length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
        layout = json.loads(file.read(length))
    arrays = {}
    for name, entry in layout.items():
        if name == "__metadata__":
            continue
        start, stop = entry["data_offsets"]
        shape, dtype = tuple(entry["shape"]), _DTYPES[entry["dtype"]]
        if start == stop:
            arrays[name] = np.zeros(shape, dtype=dtype)
            continue
        offset = _LENGTH_BYTES + length + start
        mapped = np.memmap(path, dtype=dtype, mode="r", offset=offset, shape=shape)
        arrays[name] = np.asarray(mapped)
    return arrays


_DTYPES = {
    "U8": np.uint8, "I8": np.int8, "I16": np.int16, "I32": np.int32, "I64": np.int64,
    "U16": np.uint16, "F16": np.float16, "F32": np.float32, "F64": np.float64, "U64": np.uint64,
}  # fmt: skip
_NAMES = {
    "policy": ZhaifeiError("a policy file"),
    "checkpoint": ZhaifeiError("a checkpoint file"),
    "weights": ZhaifeiError("a weights file"),
    "training": ZhaifeiError("a checkpoint file of 'train'"),
    "values": ZhaifeiError("a file of action values"),
}
"""Each kind, in words that are explained with the error that quotes them."""
_DTYPE_NAMES = {np.dtype(dtype): name for name, dtype in _DTYPES.items()}
