"""The limit of a process's address space. This module imports nothing slow or large."""

from __future__ import annotations

import math


def address_limit() -> float:
    """Return the bytes of address space that `ulimit -v` allows, or infinity."""
    try:
        import resource  # noqa: PLC0415  # not on Windows
    except ImportError:
        return math.inf
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return math.inf if limit == resource.RLIM_INFINITY else limit
