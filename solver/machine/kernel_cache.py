"""Compiled kernels on disk, stored so that no damaged or unwritable file can end a run.

numba's own cache has an index for each function and numbered files of code. Two processes that
compile one function for different arguments at once may both take the same number; then one loads
the other's code. A damaged file raises whatever `pickle` raises, or crashes when its code runs.
Here each compiled signature has a file of its own. Its name is a hash of everything that it depends
on, it is written whole, and a checksum precedes its content. Code that cannot be read is compiled
again; code that cannot be written is compiled in each process. Where a source lies and when it was
written does not count, so installs with the same sources share their code.
"""

from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property, lru_cache
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numba
import numba.core.runtime
from numba.core.caching import FunctionCache
from numba.core.serialize import dumps

_DIGEST_BYTES = 16

# numba's types differ between the versions we support.
_new_cache: Any = FunctionCache
_runtime: Any = numba.core.runtime
_dumps: Any = dumps
_config: Any = numba.config


class KernelCache:
    """The cache that numba asks for the compiled code of one function, in place of its
    `FunctionCache`.

    It uses numba's own cache to find out what a signature's code depends on, and to convert code to
    plain values and back.
    """

    def __init__(
        self,
        function: Callable[..., object],
        directory: Path,
        options: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        """`options` are those with which the function is compiled."""
        self._function, self._directory = function, directory
        self._options = sorted(options)

    @cached_property
    def _numbas(self) -> Any:
        """numba's own cache. It is made when the kernel is first called, since making it tries to
        write a file, and a command imports ten times as many kernels as it calls. Raises
        RuntimeError if the directory cannot be written."""
        before = _config.CACHE_DIR
        _config.CACHE_DIR = str(self._directory)
        try:
            numbas = _new_cache(self._function)
        finally:
            _config.CACHE_DIR = before
        source = _digest_of_file(self._function.__code__.co_filename)
        prefix = self._place / numbas._impl.filename_base
        numbas._cache_file = _Files(prefix, (source, self._options))
        return numbas

    @property
    def _place(self) -> Path:
        return self._directory / self._function.__module__

    @property
    def cache_path(self) -> str:
        """The directory of the function's files."""
        return str(self._place)

    def load_overload(self, signature: object, context: object) -> object:
        """Return the compiled code for a signature, or None if it has to be compiled."""
        try:
            # numba's `load_overload` would first import everything that it can compile, which takes
            # longer than most commands. Compiled code needs only the allocator.
            _runtime.rtsys.initialize(context)
            return self._numbas._load_overload(signature, context)
        except Exception:  # numba may raise anything for unexpected contents
            return None

    def is_stored(self, signature: object, context: Any) -> bool:
        """Return whether there is a file of compiled code for a signature."""
        try:
            key = self._numbas._index_key(signature, context.codegen())
        except (OSError, RuntimeError):  # nothing can be read or written
            return False
        return self._numbas._cache_file.has(key)  # type: ignore[no-any-return]

    def save_overload(self, signature: object, compiled: object) -> None:
        """Store compiled code, if it can be written."""
        with suppress(OSError, RuntimeError):
            self._numbas.save_overload(signature, compiled)

    def flush(self) -> None:
        """Delete the code of all signatures."""
        self._numbas.flush()


class _Files:
    """Files that begin with `prefix`, one for each key: a digest, then the pickled key and
    value."""

    def __init__(self, prefix: Path, stamp: object) -> None:
        """`stamp` identifies the function's source and how it is compiled."""
        self._prefix, self._stamp = prefix, stamp

    def has(self, key: object) -> bool:
        return self._path(key).is_file()

    def load(self, key: object) -> object:
        try:
            content = self._path(key).read_bytes()
        except OSError:
            return None
        digest, pickled = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
        if digest != _digest(pickled):
            return None
        stored, value = pickle.loads(pickled)
        return value if stored == key else None

    def save(self, key: object, value: object) -> None:
        path = self._path(key)
        pickled: bytes = _dumps((key, value))
        path.parent.mkdir(exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_digest(pickled) + pickled)
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise

    def flush(self) -> None:
        for path in self._prefix.parent.glob(f"{self._prefix.name}.*.nbc"):
            path.unlink(missing_ok=True)

    def _path(self, key: object) -> Path:
        identity = repr((numba.__version__, self._stamp, key)).encode()
        return self._prefix.with_name(f"{self._prefix.name}.{_digest(identity).hex()}.nbc")


@lru_cache
def _digest_of_file(path: str) -> bytes:
    return _digest(Path(path).read_bytes())


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=_DIGEST_BYTES).digest()
