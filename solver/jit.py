"""The one place for numba decorator settings.

`kernel` compiles without the GIL and caches on disk. numba notices another version of Python or of
its own, and a change of a kernel's own file, but not of what the kernel takes from other files:
callees, and constants, which it freezes. So the cache lives in a directory named after a hash of
all sources that a kernel may import from: any change starts a new one. The directory is under
`NUMBA_CACHE_DIR` or else the user's cache directory, so installs may be read-only; where neither
can be written, kernels are compiled in each process.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

import numba
from platformdirs import user_cache_path

import game
import solver

Function = TypeVar("Function", bound=Callable[..., object])

OPTIONS = {
    "nogil": True,
    "error_model": "numpy",
    # Sums may be reordered and maxima taken as if there were no NaN, so that both vectorise. No
    # kernel computes with a NaN; infinities and division stay exact.
    "fastmath": {"reassoc", "contract", "nsz", "nnan"},
}

PACKAGES = (game, solver)
"""Those of ours that have kernels, or that these import from."""

# numba's types differ between the versions we support.
_config: Any = numba.config
_njit: Any = numba.njit


def _digest_of_sources() -> str:
    """Return a hash of the names and contents of all files of PACKAGES, sub-packages included."""
    digest = blake2b(digest_size=8)
    for package in PACKAGES:
        root = Path(package.__path__[0])
        for source in sorted(root.rglob("*.py")):
            name, content = source.relative_to(root.parent).as_posix(), source.read_bytes()
            digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


@lru_cache
def _cache_directory() -> str | None:
    """None where no directory can be written. numba must not be left to find that out: it would
    turn to `__pycache__`, where kernels go stale."""
    name = _digest_of_sources()
    for root in (_config.CACHE_DIR, user_cache_path("zhaifei", appauthor=False) / "numba"):
        if not root:
            continue
        directory = Path(root) / name
        try:
            directory.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=directory):
                return str(directory)
        except OSError:
            continue
    return None


def _compile(function: Function, options: Mapping[str, object]) -> Function:
    directory = _cache_directory()
    before = _config.CACHE_DIR
    _config.CACHE_DIR = directory or before  # read while decorating, not when compiling
    try:
        compiled: Function = _njit(cache=directory is not None, **options)(function)
    finally:
        _config.CACHE_DIR = before
    return compiled


def kernel(function: Function) -> Function:
    """Compile `function` on first use; `.py_func` is the function itself.

    Kernels must not call themselves: numba crashes when it loads a recursive one from its cache
    (numba issue 6061).
    """
    return _compile(function, OPTIONS)


def hot_kernel(function: Function) -> Function:
    """As `kernel`, for inner steps that allocate nothing.

    They are inlined, and do not count references to the arrays they are passed: with a tuple of
    twenty arrays, counting took three quarters of the time of a traversal. Assigning an array to
    a slice allocates (numba refuses it here); write a loop.
    """
    return _compile(function, {**OPTIONS, "_nrt": False, "forceinline": True})
