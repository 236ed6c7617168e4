"""A policy for two players that re-solves the game where the other player leaves its strategy
table.

A table says little about histories that its own self-play rarely reaches: training has barely
visited them. Where nothing is stored, every hand challenges. A bid of the other player is *odd* if
it makes the probability of their bids since the last solution fall below ODD. After an odd bid the
game is solved again from there (`solver.resolving.subgame`). Later decisions of the round follow
that solution, until the next odd bid.

**Ranges.** The range of the other player is *plausible*: each of their bids has the likelihood

    (1 - TREMBLE) * the hand's probability of the bid in the solution so far
    + TREMBLE * plausible bidding

where `PlausibleBidding` bids what its own dice support. The player's own range follows from their
own strategy, mixed with just enough plausible bidding to keep every hand in it: OWN_TREMBLE.

**Caution** sets how small a share of the other's range is the believed one. With the rest, the
other player chooses before the position to take instead what they could have had elsewhere
(`solver.cfr.gadget`). The three levels:

- "certified": the share is so small that a best response can gain at most .001 by it. No solution
  is played by which a best response gains more: the earlier strategy stays until there has been
  time to solve.
- "normal": if a solution gives away more than its *room*, the position is solved once more as at
  "certified". If time runs out before that helps, the solution that gives away least is played,
  because the table would challenge with every hand.
- "exploiting": any solution is played.

**Idle bids.** A table of two players who were each solved by themselves (`solver.abstraction`)
never makes most idle bids, but each player was solved against all of them. So an idle bid of the
other player is not odd where the table stores the history after it.

**Own odd bids** do not occur in play, but people who ask for advice make them. After an own odd bid
the other player is modelled as re-solving with plausible beliefs. No guarantee has to be kept
there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import Bid
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import probabilities
from zhaifei.game.rules import Rules
from zhaifei.policies.players.kept import Kept
from zhaifei.policies.players.policy import Policy, SingleQueries
from zhaifei.policies.players.reading import PlausibleBidding
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.bounds import History
from zhaifei.solver.resolving.subgame import Alternatives, Effort, Ranges, Solution, solve
from zhaifei.solver.response.replies import Replies
from zhaifei.solver.tables.strategy_table import NO_NODE, StrategyTable, node_of, strategy_after

Floats = NDArray[np.float64]

ODD = 1e-3
"""A bid is odd if it makes the probability of the other's bids since the last solution fall below
this."""
OWN_ODD = 1e-6
"""An own bid is odd if its probability is below this."""
TREMBLE, OWN_TREMBLE = 0.01, 0.001
"""The share of plausible bidding in the likelihood of each bid, of the other player and of the own
bids."""
POWER = 2.0
"""The power of plausible bidding: see `PlausibleBidding`."""
LEAST = (0.01, 0.01, 0.001)
"""[bids made] the value of alternatives before a bid ignores actions of the own range with a
smaller probability, or it would take seconds early in a round: see `solver.response.replies`.
Ignoring them leaves less room, and is no less safe (`solver.cfr.gadget`)."""
MEMORY = 100_000_000
"""Bytes of solutions and ranges that a policy keeps."""


class Caution(Enum):
    """How much may be given up against a best response, to gain against plausible players."""

    CERTIFIED = "certified"
    NORMAL = "normal"
    EXPLOITING = "exploiting"

    @property
    def shares(self) -> tuple[float, ...]:
        """The shares of the other's range that are believed: the first is tried first, the next if
        the solution leaves no room."""
        safest = 0.0005
        return {"certified": (safest,), "normal": (0.2, safest), "exploiting": (0.5,)}[self.value]

    @property
    def gap(self) -> float:
        """The most that a best response may gain from a position, in penalty points, because it is
        not solved exactly."""
        return 0.001 if self is Caution.CERTIFIED else 0.003

    @property
    def room(self) -> float | None:
        """What a solution may give a best response, in penalty points, before a safer solution is
        sought; None for any amount."""
        return {"certified": 0.001, "normal": 0.003, "exploiting": None}[self.value]

    @property
    def keeps_the_table(self) -> bool:
        """Whether the table is played rather than a solution that gives away more than the room."""
        return self is Caution.CERTIFIED


_Key = tuple[int, History, bool]
"""The seat, the bids, and whether the position was solved for hands that would not have bid so."""


class Known(NamedTuple):
    """The strategy from some position on: the table, or a solution."""

    at: Callable[[History], StrategyTable]
    """Returns a table that stores the strategy after this history."""
    table: Callable[[History], StrategyTable]
    """Returns a table that stores the strategy after this history and after all that continue
    it."""
    replies: Callable[[History], Replies]
    """Returns best replies to the table, from this history on."""
    solution: Solution | None
    believed: float = 1.0
    """The share of the other's range that is believed in the solution."""


def known_solution(solution: Solution, replies: Replies, believed: float = 1.0) -> Known:
    """Return the strategy of a solution, with the best `replies` to it and the share of the other's
    range that is `believed` in it."""

    def table(_: History) -> StrategyTable:
        return solution.table

    return Known(table, table, lambda _: replies, solution, believed)


class _PlainReplies:
    """Best replies to the table of a policy. Reads only the parts of the table that are queried."""

    def __init__(self, plain: TablePolicy) -> None:
        self._plain = plain
        self._table: StrategyTable | None = None
        self._replies: Replies | None = None

    def __call__(self, history: History) -> Replies:
        """Return best replies from `history` on."""
        table = self._plain.below(history)
        if self._replies is None or self._table is not table:
            self._table = table
            self._replies = Replies(self._plain.tables, table, self._replies)
        return self._replies


@dataclass(frozen=True)
class Standing:
    """The knowledge of one player, the asking one, after a history. Ranges are [hand] float64; each
    sums to 1."""

    known: Known
    own: Floats
    """The range of the asking player, given their play."""
    shown: Floats
    """The plausible range of the asking player, as the other player sees it."""
    other: Floats
    """The plausible range of the other player."""
    expected: Floats
    """The range of the other player if they have played the known strategy."""
    held: Floats
    """[hand] the probability that the asking player's strategy makes their bids since the last
    solution."""
    since: float = 1.0
    """The probability of the other's bids since the last solution."""

    def size(self, history: History) -> int:
        """Return the bytes that it takes to keep this knowledge after `history`. The solution
        counts only if it was found at `history`."""
        ranges = (self.own, self.shown, self.other, self.expected, self.held)
        solution = self.known.solution
        found = solution.size if solution is not None and solution.made == history else 0
        return found + sum(range_.nbytes for range_ in ranges)


@dataclass(frozen=True)
class ResolvingPolicy(SingleQueries):
    """A Policy: the table `plain`, of two players and full recall, and solutions of positions."""

    plain: TablePolicy
    caution: Caution = Caution.NORMAL
    effort: Effort = field(default_factory=Effort)
    deepest: int | None = None
    """After more bids than this nothing is solved again; None stands for no limit."""
    memory: int = MEMORY
    """The most bytes of results to keep; positions beyond that are solved again when needed."""
    _plausible: PlausibleBidding = field(init=False, repr=False, compare=False)
    _starts: list[Standing] = field(init=False, repr=False, compare=False)
    """[seat] the knowledge at the start of a round."""
    _kept: Kept[_Key, Standing] = field(init=False, repr=False, compare=False)
    _had: Kept[History, Floats] = field(init=False, repr=False, compare=False)
    """[hand] by history, the value of the other player there against the table."""

    def __post_init__(self) -> None:
        if not _can_solve(self.plain):
            raise unsolvable()
        known = Known(self.plain.upto, self.plain.below, _PlainReplies(self.plain), None)
        plausible = PlausibleBidding(self.rules, POWER, legal=self.plain.tables.legal)
        object.__setattr__(self, "_plausible", plausible)
        priors = [np.array(probabilities(self.rules, seat)) for seat in range(2)]
        starts = [
            Standing(known, own, own, other, other, np.ones(own.size))
            for own, other in (priors, priors[::-1])
        ]
        object.__setattr__(self, "_starts", starts)
        object.__setattr__(self, "_kept", Kept(self.memory))
        object.__setattr__(self, "_had", Kept(self.memory // 10))

    @property
    def rules(self) -> Rules:
        """See Policy."""
        return self.plain.rules

    def strategy(self, history: Sequence[Bid]) -> Floats:
        """See Policy."""
        bids = tuple(self.plain.actions(history).tolist())
        played = self.played(self.standing(bids, len(bids) % 2).known, bids)
        return self.plain.spoken(history, played)

    def played(self, known: Known, history: History) -> Floats:
        """Return [hand, action], the strategy after `history`, bids as the table reads them."""
        return strategy_after(known.at(history), self.plain.tables, history)

    def standing(self, history: History, seat: int, hand: int | None = None) -> Standing:
        """Return the knowledge of the player in `seat` (0 opens) after `history`. If their `hand`
        would hardly have bid as they did, the position is solved for such hands too."""
        *_, standing = self.refine(history, seat, hand)
        return standing

    def refine(self, history: History, seat: int, hand: int | None = None) -> Iterator[Standing]:
        """Yield the knowledge so far while the position is being solved, and last what `standing`
        returns."""
        if not history:
            yield self._starts[seat]
            return
        before, after = self._arrived(history, seat)
        strange = hand is not None and bool(after.held[hand] < ODD)
        key = seat, history, strange
        kept = self._kept.get(key)
        if kept is not None:
            yield kept
            return
        for standing in self._solved(before, after, history, seat, strange=strange):
            yield standing
        self._kept.put(key, standing, standing.size(history))

    def again(self, history: History, seat: int, hand: int, effort: Effort) -> Standing:
        """Return `standing` after an odd bid of the other player, solved from the same beliefs with
        another `effort`. Its result serves to judge the first solution."""
        before, after = self._arrived(history, seat)
        believed = self.standing(history, seat, hand).known.believed
        prior = self._starts[seat].other
        had = Alternatives(self._had_before(before, history), prior, believed)
        ranges = _ranges(after, strange=bool(after.held[hand] < ODD))
        *_, solution = self._solutions(history, ranges, had, effort)
        return self._with(after, solution, believed, own_moved=False)

    def _solutions(
        self, history: History, ranges: Ranges, alternatives: Alternatives | None, effort: Effort
    ) -> Iterator[Solution]:
        abstraction = self.plain.abstraction
        return solve(self.rules, history, ranges, alternatives, effort, abstraction=abstraction)

    def strange(self, history: History, seat: int) -> NDArray[np.bool_]:
        """Return [hand] whether the player in `seat` would hardly have bid with the hand as they
        did since the last solution."""
        return (self._arrived(history, seat)[1] if history else self._starts[seat]).held < ODD

    def _arrived(self, history: History, seat: int) -> tuple[Standing, Standing]:
        """Return the knowledge before the last bid of `history`, and after it without
        re-solving."""
        before = self.standing(history[:-1], seat)
        return before, self._after(before, history, own=(len(history) - 1) % 2 == seat)

    def _after(self, before: Standing, history: History, *, own: bool) -> Standing:
        """Return the knowledge after the last bid of `history` without re-solving."""
        made, bid = history[:-1], history[-1]
        played = self.played(before.known, made)[:, bid]
        turn = np.array([made], dtype=np.int64).reshape(1, -1)
        likely = self._plausible(turn, np.array([bid]))[0]
        if own:
            return replace(
                before,
                own=_normalised(before.own * _mixed(played, likely, OWN_TREMBLE)),
                shown=_normalised(before.shown * _mixed(played, likely, TREMBLE)),
                held=before.held * played,
            )
        expected = before.expected * played
        chance = float(expected.sum())
        other = _normalised(before.other * _mixed(played, likely, TREMBLE))
        counted = 1.0 if self._is_answered_idle_bid(before, history) else chance
        return replace(
            before,
            other=other,
            expected=expected / chance if chance > 0.0 else other,
            since=before.since * counted,
        )

    def _is_answered_idle_bid(self, before: Standing, history: History) -> bool:
        """Return whether the last bid of `history` is idle, and the table stores an answer that was
        solved against all idle bids."""
        if history[-1] >= self.plain.abstraction.idle or before.known.solution is not None:
            return False
        made = np.array(history, dtype=np.int64)
        return node_of(self.plain.upto(history), made, made.size) != NO_NODE

    def _solved(
        self, before: Standing, after: Standing, history: History, seat: int, *, strange: bool
    ) -> Iterator[Standing]:
        """Yield the knowledge after the last bid of `history`, each time from a better solution."""
        own = (len(history) - 1) % 2 == seat
        too_deep = self.deepest is not None and len(history) > self.deepest
        odd = after.since < ODD or strange
        if own:
            odd = bool(
                before.own @ self.played(before.known, history[:-1])[:, history[-1]] < OWN_ODD
            )
        if too_deep or not odd:
            yield after
            return
        effort = self.effort._replace(gap=min(self.effort.gap, self.caution.gap))
        if own:
            ranges = Ranges(after.other, after.shown)
            for solution in self._solutions(history, ranges, None, effort):
                yield self._with(after, solution, 1.0, own_moved=True)
            return
        yield from self._safest(before, after, history, seat, effort, strange=strange)

    def _safest(
        self,
        before: Standing,
        after: Standing,
        history: History,
        seat: int,
        effort: Effort,
        *,
        strange: bool,
    ) -> Iterator[Standing]:
        """Yield the knowledge after an odd bid of the other player, each time from a safer
        solution."""
        ranges = _ranges(after, strange=strange)
        had, shares = self._had_before(before, history), self.caution.shares
        room = float("inf") if strange or self.caution.room is None else self.caution.room
        known, least, halfway, ends = after, float("inf"), float("inf"), float("inf")
        for share in shares:
            alternatives = Alternatives(had, self._starts[seat].other, share)
            left = effort._replace(seconds=min(effort.seconds, ends - time.monotonic()))
            for solution in self._solutions(history, ranges, alternatives, left):
                if ends == float("inf"):  # kernels are compiled now
                    halfway = time.monotonic() + effort.seconds / 2.0
                    ends = time.monotonic() + effort.seconds
                found = self._with(after, solution, share, own_moved=False)
                given = self._given(found, before.own, alternatives) if room < np.inf else 0.0
                if given <= room or (given < least and not self.caution.keeps_the_table):
                    known, least = found, given
                yield known
                if given > room and share != shares[-1] and time.monotonic() > halfway:
                    break
            if least <= room:
                return

    def _had_before(self, before: Standing, history: History) -> Floats:
        """Return [hand], the best known value of the other player, who has made the last bid of
        `history`.

        It is the larger of two values against the known strategy: the value before the bid, as far
        as it is quickly computed, and the value after it.
        """
        known, made = before.known, history[:-1]
        value = self._had.get(made) if known.solution is None else None
        if value is None:
            least = LEAST[min(len(made), len(LEAST) - 1)]
            value = known.replies(made).value(made, before.own, moves=True, least=least)
            if known.solution is None:
                self._had.put(made, value, value.nbytes)
        after = known.replies(history).value(history, before.own, moves=False)
        best: Floats = np.maximum(value, after)
        return best

    def _given(self, found: Standing, own: Floats, had: Alternatives) -> float:
        """Return how much the other player gains, in penalty points, by reaching the position where
        `found` was solved, given the `own` range and the values they `had`. It is the quantity in
        the theorem of `solver.cfr.gadget`, which holds however inexact the solution is."""
        assert found.known.solution is not None
        made = found.known.solution.made
        value = found.known.replies(made).value(made, own, moves=False)
        return float(had.prior @ np.maximum(value - had.value, 0.0))

    def _with(
        self, after: Standing, solution: Solution, believed: float, *, own_moved: bool
    ) -> Standing:
        """Return `after` with a solution in which the share `believed` of the other's range is
        believed. If the last bid was an own one, the other player has solved, and their range stays
        as it was."""
        shared = self._starts[0].known.replies(solution.made)
        replies = Replies(self.plain.tables, solution.table, shared)
        known = known_solution(solution, replies, believed)
        return replace(
            after,
            known=known,
            expected=after.other if own_moved else solution.other,
            held=np.ones(after.own.size),
            since=1.0,
        )


def _ranges(after: Standing, *, strange: bool) -> Ranges:
    """Return the ranges from which the position is solved. For hands with which the player would
    not have bid so, the own range is the plausible one."""
    return Ranges(after.shown if strange else after.own, after.other)


def _mixed(played: Floats, plausible: Floats, tremble: float) -> Floats:
    """Return [hand], the likelihood of a bid."""
    return (1.0 - tremble) * played + tremble * plausible


def _normalised(range_: Floats) -> Floats:
    normalised: Floats = range_ / range_.sum()
    return normalised


def _can_solve(policy: TablePolicy) -> bool:
    return policy.rules.players == 2 and policy.remembers_all


def unsolvable() -> ZhaifeiError:
    """Return the error for a policy whose positions cannot be solved again."""
    return ZhaifeiError("only policies of two players that remember all bids solve again")


PLAYING = Effort(passes=150)
"""The effort of players, whose decisions must not depend on the speed of the machine."""


def resolving(
    policy: Policy,
    caution: Caution = Caution.NORMAL,
    effort: Effort | None = None,
    memory: int = MEMORY,
) -> ResolvingPolicy | None:
    """Return `policy` with positions solved again, or None unless it is a table of two players that
    remembers all bids. It keeps at most `memory` bytes of results."""
    if not isinstance(policy, TablePolicy) or not _can_solve(policy):
        return None
    return ResolvingPolicy(policy, caution, effort or Effort(), memory=memory)
