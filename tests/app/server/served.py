"""`zhaifei web` in a process of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from tests.command_line import Running, environment


class Served(Running):
    """A server that has said where it is."""

    def __init__(self, *arguments: object, data: Path, **options: Any) -> None:
        variables = environment(XDG_DATA_HOME=str(data), PYTHONUNBUFFERED="1")
        super().__init__("web", "--port", 0, *arguments, env=variables, **options)
        out = self.process.stdout
        assert out is not None
        self.said = "".join(_until(out, "Ctrl-C closes it\n"))
        found = re.findall(r"https?://\S+", self.said)
        self.full_address = found[0]
        self.address = found[0].partition("?")[0].rstrip("/")
        self.behind_proxy = found[-1].rstrip("/")
        """Where it listens, if `address` is that of a proxy."""


def _until(out: IO[str], last: str) -> Iterator[str]:
    """The lines before this one."""
    for line in out:
        if line == last:
            return
        yield line
