"""Files of arrays with a header: written atomically, read without unpickling, with a checksum.

Files have the safetensors layout (`solver.files.safetensors_layout`), with two texts as metadata.
`zhaifei` is our header, in JSON: it names the kind of the file and the version of the format.
`zhaifei.checksum` covers this header and all arrays, and is verified before anything is returned.
It detects damage, not manipulation: whoever alters a file can compute the checksum again. So
loaders still validate everything that they read.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, cast

from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.solver.files import safetensors_layout as layout
from zhaifei.solver.files.atomic_files import StorageError, write_atomically
from zhaifei.solver.files.header import Header
from zhaifei.solver.files.safetensors_layout import Layout, LayoutError
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
    write_atomically(path, lambda file: _write(file, text, arrays))


def _write(file: BinaryIO, text: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a whole file. The checksum precedes the arrays, so they are read twice."""
    checksum = layout.checksum_of_arrays(text, arrays)
    layout.write(file, {_KEY: text, _CHECKSUM_KEY: checksum}, arrays)


def kind_of(path: Path) -> Kind:
    """Return the kind of a file. The arrays are not read. Raise StorageError."""
    with _opened(path, "policy") as file:
        return _kind_of(_read(path, file)[1])


def load_header(path: Path, kind: Kind) -> Header:
    """Return the header of a file of `kind`. The arrays, and so the checksum, are not verified.
    Raise StorageError."""
    with _opened(path, kind) as file:
        header = _read(path, file)[1]
    _verify_kind(path, header, kind)
    return header


def load(path: Path, kind: Kind) -> Loaded:
    """Return the header and the arrays of a file of `kind`. Raise StorageError.

    The file is opened once, so header and arrays belong together even if another process replaces
    the file meanwhile. The whole file is read to verify its checksum. `save` never
    changes a file in place. If another program shortens the file, reading its arrays ends the
    process.
    """
    with _opened(path, kind) as file:
        found, header = _read(path, file)
        _verify_kind(path, header, kind)
        _verify_checksum(path, found, file)
        return Loaded(header, layout.mapped(file, found))


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


def _read(path: Path, file: BufferedReader) -> tuple[Layout, Header]:
    """Return the layout and the header of a file of any kind, after validating the kind and the
    version. Raise StorageError."""
    try:
        found = layout.read(file, os.fstat(file.fileno()).st_size)
    except (LayoutError, StrictJsonError) as error:
        raise StorageError(
            "{path} is not a whole safetensors file: {error}", path=path, error=error
        ) from error
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


def _verify_checksum(path: Path, found: Layout, file: BufferedReader) -> None:
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
