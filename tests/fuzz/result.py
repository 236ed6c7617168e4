"""What a run of a fuzzer found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Failure:
    """An input that ended in anything but a value or a ZhaifeiError."""

    kind: str
    """What was fuzzed: a parser or a kind of file."""
    outcome: str
    """How it ended: an exception, a signal, a hang or a property that does not hold."""
    reproduce: str
    """How to see it again: a line of Python, a shell command or the path of a file."""

    def __str__(self) -> str:
        return f"{self.kind}: {self.outcome}\n  {self.reproduce}"


@dataclass
class FuzzResult:
    """How many inputs were tried, by kind, and what failed."""

    inputs: Counter[str] = field(default_factory=Counter)
    """The number of inputs by what was fuzzed: a parser or a kind of file."""
    failures: list[Failure] = field(default_factory=list)

    def __add__(self, other: FuzzResult) -> FuzzResult:
        return FuzzResult(self.inputs + other.inputs, self.failures + other.failures)

    @property
    def total(self) -> int:
        """Return the number of inputs of all kinds."""
        return self.inputs.total()
