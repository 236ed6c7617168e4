"""Files of arrays with a header: written atomically, read without unpickling, with a checksum.

Files have the safetensors layout (`solver.files.safetensors_layout`), with two texts as metadata.
`zhaifei` is our header, in JSON: it names the kind of the file and the version of the format.
`zhaifei.checksum` covers this header and all arrays, and is verified before anything is returned.
It detects damage, not manipulation: whoever alters a file can compute the checksum again. So
loaders still validate everything that they read.

Checkpoints are compressed as a whole (`solver.files.compressed`).
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.solver.files import safetensors_layout as layout
from zhaifei.solver.files.atomic_files import StorageError, write_atomically
from zhaifei.solver.files.compressed import (
    compressing,
    decompressed,
    decompressing,
    length_if_compressed,
)
from zhaifei.solver.files.header import Header
from zhaifei.solver.files.safetensors_layout import Layout, LayoutError, OnDisk, Sink, Source
from zhaifei.solver.files.strict_json import StrictJsonError, parse_object

__all__ = [
    "NAMES",
    "VERSIONS",
    "Kind",
    "Loaded",
    "StorageError",
    "kind_of",
    "load",
    "load_header",
    "save",
]

_KEY, _CHECKSUM_KEY = "zhaifei", "zhaifei.checksum"

Kind = Literal["policy", "match", "checkpoint", "part", "weights", "training", "values"]
"""The kind of a file:

- `policy`, `match`: a policy, of one round or of all rounds of a match;
- `checkpoint`, `part`: a checkpoint of a solver's run, or a part of one;
- `weights`, `training`: the weights of a learned player, or a checkpoint of its run;
- `values`: the action values of a tabular learner."""
VERSIONS: dict[Kind, int] = {
    "policy": 5,
    "match": 2,
    "checkpoint": 4,
    "part": 1,
    "weights": 2,
    "training": 2,
    "values": 2,
}


_COMPRESSED: tuple[Kind, ...] = ("checkpoint", "part")
"""The kinds that are written compressed. Files of all kinds are read either way."""


class Loaded(NamedTuple):
    """The contents of a file."""

    header: Header
    arrays: dict[str, NDArray[Any]]
    """The arrays, memory-mapped and read-only. They do not change if `save` replaces the file."""


def save(
    path: Path, kind: Kind, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a file completely or not at all: under a temporary name, flushed to disk, then renamed.

    `header` must be serialisable as JSON. Only arrays that are not C-contiguous are copied. Raise
    StorageError; an earlier file at `path` is then intact.
    """
    text = json.dumps({**header, "kind": kind, "version": VERSIONS[kind]}, ensure_ascii=False)
    write = _write_compressed if kind in _COMPRESSED else _write
    write_atomically(path, lambda file: write(file, text, arrays))


def _write(file: Sink, text: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a whole file. The checksum precedes the arrays, so they are read twice."""
    layout.write(file, _metadata(text, arrays), arrays)


def _write_compressed(file: Sink, text: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a whole file as `_write` does, but compressed."""
    metadata = _metadata(text, arrays)
    size = len(layout.beginning(metadata, arrays)) + sum(one.nbytes for one in arrays.values())
    with compressing(file, size) as frame:
        layout.write(frame, metadata, arrays)


def _metadata(text: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, str]:
    return {_KEY: text, _CHECKSUM_KEY: layout.checksum_of_arrays(text, arrays)}


def kind_of(path: Path) -> Kind:
    """Return the kind of a file. The arrays are not read. Raise StorageError."""
    return _kind_of(_header_of(path, "policy"))


def load_header(path: Path, kind: Kind) -> Header:
    """Return the header of a file of `kind`. The arrays, and so the checksum, are not verified.
    Raise StorageError."""
    header = _header_of(path, kind)
    _verify_kind(path, header, kind)
    return header


def _header_of(path: Path, kind: Kind) -> Header:
    """Return the header of a file, which may be of another kind than `kind`."""
    with _opened(path, kind) as file, _whole(path):
        length = length_if_compressed(file)
        if length is None:
            return _read(path, file, _size_of(file))[1]
        with decompressing(file) as plain:
            return _read(path, plain, length)[1]


def load(path: Path, kind: Kind) -> Loaded:
    """Return the header and the arrays of a file of `kind`. Raise StorageError.

    The file is opened once, so header and arrays belong together even if another process replaces
    the file meanwhile. The whole file is read to verify its checksum. `save` never
    changes a file in place. If another program shortens the file, reading its arrays ends the
    process. A compressed file takes as much disk as without compression while its arrays are in
    use.
    """
    with _opened(path, kind) as file, _whole(path), _plain(path, file, kind) as plain:
        found, header = _read(path, plain, _size_of(plain))
        _verify_kind(path, header, kind)
        _verify_checksum(path, found, plain)
        return Loaded(header, layout.mapped(plain, found))


@contextmanager
def _plain(path: Path, file: BufferedReader, kind: Kind) -> Iterator[OnDisk]:
    """Return `file`, or what it holds if it is compressed. In that case raise StorageError for a
    file of another kind than `kind`, before much is decompressed."""
    length = length_if_compressed(file)
    if length is None:
        yield file
        return
    with decompressing(file) as beginning:
        _verify_kind(path, _read(path, beginning, length)[1], kind)
    file.seek(0)
    with decompressed(file, path.parent) as plain:
        yield plain


def _size_of(file: OnDisk) -> int:
    return os.fstat(file.fileno()).st_size


@contextmanager
def _opened(path: Path, kind: Kind) -> Iterator[BufferedReader]:
    """Open a file for reading. Errors of the system, on opening and on reading, become
    StorageErrors; `kind` selects the message for a missing file."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise StorageError("{path} is not a regular file", path=path)
        with open(path, "rb", opener=_open_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise StorageError("{path} is not a regular file", path=path)
            yield file
    except (FileNotFoundError, NotADirectoryError) as error:
        raise StorageError(
            "there is no checkpoint file {path}"
            if kind in ("checkpoint", "part", "training")
            else "there is no policy file {path}",
            path=path,
        ) from error
    except OSError as error:
        raise StorageError("cannot read {path}: {why}", path=path, why=error.strerror) from error


def _open_at_once(path: str, flags: int) -> int:
    """Open a file without blocking, in case `path` has become a FIFO."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


@contextmanager
def _whole(path: Path) -> Iterator[None]:
    """Turn the errors of a file that does not have the layout into StorageErrors."""
    try:
        yield
    except (LayoutError, StrictJsonError) as error:
        raise StorageError(
            "{path} is not a whole safetensors file: {error}", path=path, error=error
        ) from error


def _read(path: Path, file: Source, size: int) -> tuple[Layout, Header]:
    """Return the layout and the header of a file of any kind, which has `size` bytes, after
    validating the kind and the version. Raise StorageError, LayoutError or StrictJsonError."""
    found = layout.read(file, size)
    try:
        header = Header(parse_object(found.metadata[_KEY]))
        header.choice("kind", VERSIONS)
        header.whole("version", least=1)
    except (KeyError, ZhaifeiError) as error:
        raise StorageError(
            "{path} is a safetensors file, but not one of zhaifei's", path=path
        ) from error
    return found, header


def _kind_of(header: Header) -> Kind:
    return cast(Kind, header.choice("kind", VERSIONS))


def _verify_kind(path: Path, header: Header, kind: Kind) -> None:
    found, version = _kind_of(header), header.whole("version")
    if found != kind:
        raise StorageError(
            "{path} is {found}, not {wanted}",
            path=path,
            found=NAMES[found],
            wanted=NAMES[kind],
        )
    if version != VERSIONS[kind]:
        raise StorageError(
            "{path} has format version {version}; this zhaifei reads version {latest}",
            path=path,
            version=version,
            latest=VERSIONS[kind],
        )


def _verify_checksum(path: Path, found: Layout, file: OnDisk) -> None:
    """Raise StorageError unless the checksum is right. `file` must be positioned at the arrays."""
    checksum = found.metadata.get(_CHECKSUM_KEY)
    if checksum != layout.checksum_of_file(found.metadata[_KEY], found, file):
        raise StorageError("{path} is damaged: its checksum is wrong", path=path)


NAMES = {
    "policy": ZhaifeiError("a policy file"),
    "match": ZhaifeiError("a policy file of whole matches"),
    "checkpoint": ZhaifeiError("a checkpoint file"),
    "part": ZhaifeiError("a part of a checkpoint"),
    "weights": ZhaifeiError("a weights file"),
    "training": ZhaifeiError("a checkpoint file of 'train'"),
    "values": ZhaifeiError("a file of action values"),
}
"""{kind: its description}, quoted in error messages and translated together with them."""
