"""Policies that come with the package."""

from __future__ import annotations

from pathlib import Path

from game.rules import Rules, preset

_DATA = Path(__file__).parent / "data"


def shipped_path(rules: Rules) -> Path | None:
    """The file of the policy shipped for `rules`, if there is one. README.md says how it was made
    and how exploitable it is."""
    if rules == preset("zhaifei"):
        return _DATA / "zhaifei-2p.safetensors"
    return None
