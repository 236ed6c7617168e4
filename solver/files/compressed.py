"""Files that are compressed as a whole: one Zstandard frame (RFC 8878), which states its length.

Checkpoints take less than a third of the disk like this. Compressing the least at level 1 is
quicker than writing what it saves.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedRandom, BufferedReader
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.files.safetensors_layout import LayoutError, Sink, Source

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_MAGIC = b"\x28\xb5\x2f\xfd"
"""The first bytes of a frame."""
_LONGEST_BEGINNING = 18
"""The most bytes in which a frame states its length."""
_LEVEL = 1
_CHUNK = 1 << 24


class _Compressing:
    """A Sink that compresses what it takes, of `size` bytes in all, into another."""

    def __init__(self, sink: Sink, size: int) -> None:
        self._sink, self._frame = (
            sink,
            zstd.ZstdCompressor(
                options={
                    zstd.CompressionParameter.compression_level: _LEVEL,
                    zstd.CompressionParameter.checksum_flag: 1,
                }
            ),
        )
        self._frame.set_pledged_input_size(size)

    def write(self, data: bytes | memoryview, /) -> None:
        """See Sink."""
        if memoryview(data).nbytes:
            numbers: NDArray[np.uint8] = np.frombuffer(data, dtype=np.uint8)
            for start in range(0, numbers.size, _CHUNK):
                self._sink.write(self._frame.compress(numbers[start : start + _CHUNK].data))

    def end(self) -> None:
        """Write what is left of the frame."""
        self._sink.write(self._frame.flush())


@contextmanager
def compressing(sink: Sink, size: int) -> Iterator[Sink]:
    """Return a Sink that compresses into `sink` what it takes, which must be `size` bytes in all.
    The frame is complete when the context ends."""
    frame = _Compressing(sink, size)
    yield frame
    frame.end()


def length_if_compressed(file: BufferedReader) -> int | None:
    """Return the number of bytes that `file`, which is at its beginning, has when it is not
    compressed; None if it is not compressed now. Raise LayoutError if the frame does not say."""
    beginning = file.read(_LONGEST_BEGINNING)
    file.seek(0)
    if not beginning.startswith(_MAGIC):
        return None
    try:
        length = zstd.get_frame_info(beginning).decompressed_size
    except zstd.ZstdError as error:
        raise _damaged() from error
    if length is None:
        raise _damaged()
    return length


@contextmanager
def decompressing(file: BufferedReader) -> Iterator[Source]:
    """Return the contents of the compressed `file`, to be read once from the beginning. Raise
    LayoutError where they are damaged."""
    try:
        with zstd.ZstdFile(file) as plain:
            yield plain
    except (zstd.ZstdError, EOFError) as error:
        raise _damaged() from error


@contextmanager
def decompressed(file: BufferedReader, beside: Path) -> Iterator[BufferedRandom]:
    """Return a temporary file, at its beginning, with the contents of the compressed `file`. Its
    disk is free when nobody has it open or mapped. It lies in the directory `beside`, where large
    files have room, or else where the system keeps temporary files. Raise LayoutError for damaged
    contents, and OSError."""
    with tempfile.TemporaryFile(dir=beside if os.access(beside, os.W_OK) else None) as plain:
        with decompressing(file) as contents:
            shutil.copyfileobj(contents, plain, _CHUNK)
        plain.seek(0)
        yield plain


def _damaged() -> LayoutError:
    return LayoutError("its compressed contents are damaged")
