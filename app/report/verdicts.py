"""Claims about the shipped policy, checked against the measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from zhaifei.policies.catalogue.shipped import LEARNED, SOLVED
from zhaifei.policies.research.report_measurements import MatchResults, TwoPlayerResults
from zhaifei.solver.bounds import Bounds

_A_FIFTH = 0.2
"""The largest allowed ratio of our exploitability to that of the least exploitable learned
player."""
_A_HUNDREDTH = 0.01
"""The bound on the share of matches that a best response gains."""


@dataclass(frozen=True)
class Verdict:
    """A claim of the report, and whether the measurements support it."""

    claim: str
    holds: bool
    figures: str
    """The supporting figures, as a sentence."""


def verdicts(duels: TwoPlayerResults) -> list[Verdict]:
    """Return the claims about the shipped policy, each with whether the measurements support it."""
    return [_loses_to_no_one(duels), _beats_the_learned(duels), _a_fifth_as_exploitable(duels)]


def verdicts_of_matches(matches: MatchResults) -> list[Verdict]:
    """Return the claims about the policy shipped for whole matches of two, each with whether the
    arena and the certified figure support it."""
    ours, name = matches.standings.cells[matches.ours], str(matches.players[matches.ours])
    others = [place for place in range(len(matches.players)) if place != matches.ours]
    closest = min(others, key=lambda place: ours[place].lower)
    least, gain = ours[closest], SOLVED[name].figure
    return [
        Verdict(
            "The shipped policy loses to no one: every margin's interval is above zero.",
            least.lower > 0.0,
            f"Against {matches.players[closest]} it does worst: it wins [{least.lower:+.1%}, "
            f"{least.upper:+.1%}] more of the matches than the other.",
        ),
        Verdict(
            f"A best response gains less than {_A_HUNDREDTH:.0%} of matches.",
            gain < _A_HUNDREDTH,
            f"It wins at most {gain:.3%} of matches more than half against {name}, certified over "
            "all rounds that a match comes to.",
        ),
    ]


def earned_against(duels: TwoPlayerResults, other: int) -> Bounds:
    """Return the points per round that the shipped policy earns against player `other`: certified
    bounds if they are known, otherwise the 95% confidence interval."""
    if (duels.ours, other) in duels.exact:
        return duels.exact[duels.ours, other]
    cell = duels.closely.get(other, duels.standings.cells[duels.ours][other])
    return Bounds(cell.lower, cell.upper)


def _loses_to_no_one(duels: TwoPlayerResults) -> Verdict:
    others = [place for place in range(len(duels.players)) if place != duels.ours]
    return _wins(duels, "The shipped policy loses to no one.", others)


def _beats_the_learned(duels: TwoPlayerResults) -> Verdict:
    claim = "It beats every learned player by a margin whose interval excludes zero."
    return _wins(duels, claim, _learned(duels))


def _wins(duels: TwoPlayerResults, claim: str, others: Sequence[int]) -> Verdict:
    closest = min(others, key=lambda place: earned_against(duels, place).lower)
    least = earned_against(duels, closest)
    figures = f"Against {duels.names[closest]} it earns least: {_interval(least)} points a round."
    return Verdict(claim, least.lower > 0.0, figures)


def _a_fifth_as_exploitable(duels: TwoPlayerResults) -> Verdict:
    best = min(_learned(duels), key=lambda place: duels.exploitability[place].lower)
    ours, theirs = duels.exploitability[duels.ours], duels.exploitability[best]
    return Verdict(
        "It is at most a fifth as exploitable as the best learned player.",
        ours.upper <= _A_FIFTH * theirs.lower,
        f"A best response takes {_interval(ours)} points a round from it, and {_interval(theirs)} "
        f"from {duels.names[best]}, at least {theirs.lower / ours.upper:.1f} times as much.",
    )


def _learned(duels: TwoPlayerResults) -> list[int]:
    return [place for place, one in enumerate(duels.players) if str(one) in LEARNED]


def _interval(bounds: Bounds) -> str:
    return f"[{bounds.lower:.4f}, {bounds.upper:.4f}]"
