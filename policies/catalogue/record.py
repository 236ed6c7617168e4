"""What is recorded of how exploitable a policy is, so that policies can be compared without being
measured again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from game.rules import Rules
from policies.catalogue.shipped import certified

Measure = Literal["exploitability", "nash_conv"]
Source = Literal["certified", "training", "unknown"]


class PolicyRecord(NamedTuple):
    """A policy, and what is known of it."""

    name: str
    """The name of a player, or the path of a file: what `--policy` takes."""
    measure: Measure
    figure: float | None
    """Penalty points per round; None if it is not recorded."""
    source: Source
    """Whether the figure is certified (no best response takes more), or was measured in training,
    before the strategy was rounded for the file."""


def measure_of(rules: Rules) -> Measure:
    """Return by what policies for `rules` are compared, which training records under this name."""
    return "exploitability" if rules.players == 2 else "nash_conv"


def record_of(name: str, path: Path, rules: Rules, training: Mapping[str, Any]) -> PolicyRecord:
    """Return what is recorded of the policy in the file at `path`, which says `training` of how it
    was made. A figure that is no finite number of at least 0 counts as unknown."""
    measure = measure_of(rules)
    figure = certified(path)
    if figure is not None:
        return PolicyRecord(name, measure, figure, "certified")
    measured = training.get(measure)
    if isinstance(measured, int | float) and 0.0 <= measured < math.inf:
        return PolicyRecord(name, measure, float(measured), "training")
    return PolicyRecord(name, measure, None, "unknown")
