"""zhaifei (斋飞): a solver for Liar's Dice as it is played in China, with five dice each.

The names in `__all__` are the public Python API. They keep their names and meanings until the next
major version; the packages behind them may change. `__version__` is the version as text.

`zhaifei.app.api` defines the names. It is imported when one is first used, so that the command line
starts fast.

`python -m zhaifei` runs the command line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zhaifei.app.api import *

__all__ = [
    "PRESETS",
    "Advice",
    "BestResponse",
    "Bid",
    "Bounds",
    "Locks",
    "Mode",
    "Policy",
    "RangeAdvice",
    "Rules",
    "TablePolicy",
    "ZhaifeiError",
    "advise",
    "advise_range",
    "evaluate",
    "from_openspiel",
    "load_locks",
    "load_openspiel_game",
    "load_policy",
    "parse_locks",
    "preset",
    "save_policy",
    "solve",
    "to_openspiel",
]


def __getattr__(name: str) -> Any:
    """Return the part of the public API that has this name, or the version. Raise AttributeError
    for others."""
    if name == "__version__":
        from importlib.metadata import version

        return version("zhaifei")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from zhaifei.app import api

    return getattr(api, name)


def __dir__() -> list[str]:
    """Return the names of the public API and of the module itself."""
    return sorted({*globals(), *__all__, "__version__"})
