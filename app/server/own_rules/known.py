"""The policies that are known for rules, some of which are solved while the server runs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from zhaifei.app.pocket.pocket_policies import pocket_path
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.known import default_path, known_record

_REMEMBERED = 256
"""Rules whose policy is remembered."""


class Known(NamedTuple):
    """The policy of some rules."""

    path: Path | None
    """Its file; None if no policy is known."""
    changed: int
    """When the file was last written, in ns; 0 without one."""


async def known_policy(rules: Rules) -> Known:
    """Return the policy that is known for some rules. Files are looked for beside the event loop,
    and read again only once a policy was written or deleted."""
    return await asyncio.to_thread(_remembered, rules)


async def own_policy(rules: Rules) -> Path | None:
    """Return the file of the policy for rules that the server may solve. The answer is None where
    the page has a policy: workers remember what was known for some rules, but they load a policy
    that is named."""
    return None if pocket_path(rules) is not None else (await known_policy(rules)).path


def _remembered(rules: Rules) -> Known:
    with suppress(ZhaifeiError, OSError):
        directory = default_path(rules).parent
        return _known(rules, directory, tuple(_files(directory)))
    return _known(rules, None, ())


def _files(directory: Path) -> Iterator[tuple[str, int]]:
    """Yield the name of each policy file, and when it was last written."""
    for path in sorted(directory.glob("*.safetensors")):
        yield path.name, path.stat().st_mtime_ns


@lru_cache(_REMEMBERED)
def _known(rules: Rules, directory: Path | None, files: tuple[tuple[str, int], ...]) -> Known:
    """Return the policy that is known while the `directory` has these `files`."""
    with suppress(ZhaifeiError, OSError):  # a damaged file is as good as none
        record = known_record(rules)
        if record is not None:
            path = Path(record.name)
            return Known(path, path.stat().st_mtime_ns)
    return Known(None, 0)
