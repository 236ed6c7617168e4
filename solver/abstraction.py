"""Abstractions: the bids that players consider while a round is solved, how a strategy for them
reads the other bids, and what that may cost.

The whole game has no need of one (`WHOLE`). Rounds of two players in which any count may open do.
Such a round can begin with a long run of bids that are nearly always true and say little. A tree
that follows all these runs would consist of little else. Let the *idle* bids be the bids up to some
count, the *top* bids the idle bids with exactly this count, and the *low* bids the other idle bids.
`w` is the weakest low bid, `m` the strongest low bid, and `s` the strongest idle bid. *G* is the
round as it is played, in which all idle bids may be made. *R* is the round with few idle bids, in
which

    w, the top bids and bids that are not idle  open the round,
    m, the top bids and bids that are not idle  follow w,
    s and bids that are not idle                follow other idle bids.

**A strategy for R plays G as well.** In G, idle bids come first, since all other bids are stronger.
The strategy *reads* them as idle bids of R: the first as `w` if it is low, the second as `m` if it
is low, and all others as themselves. If the result is not a history of R, the reading depends only
on the last idle bid and on who is to move. A low last bid is read as `w` or as `w, m`; a top one as
itself or as `w` and itself (without low bids, as the weakest idle bid and `s`). The strategy goes
on from the history it has read, in which the same player is to move. What R allows there is legal
in G, with one exception: an answer to `w` with an idle bid other than `s` that is no stronger than
the opening that was read as `w`. Such an answer is replaced by `s`.

**What a best response earns in G.** A responder *misleads* the strategy in two cases. Either the
strategy challenges an idle bid of theirs that it reads as another bid. Or it has made an idle bid
that *leaves room*: after it G allows idle bids that R does not. Let `c` bound the probability that
this happens, whatever the responder does. *A best response earns in G at least what it earns in R,
and at most 2c more.*

At least: whatever the responder may do in R, they may do in G, where the strategy reads it as what
it is.

At most: a responder who follows a plan in G can follow a similar plan in R, and make there the bids
that the strategy reads, as long as R has these bids. Then the strategy acts in both with the same
probabilities. Unless the responder misleads the strategy, the round ends after the same bid in
both, and so with the same loser. Misleading gains 2 points at most, from -1 to +1. `c` is bounded
by what the strategy does at few histories (`misled`):

- If the strategy answers: it reads a low opening as `w`, which it may challenge, and a top opening
  as itself. If it answers `s` or a bid that is not idle, no idle bid is left. Other idle answers
  leave room, and count as misleading.
- If the strategy opens with `w`: it reads a low answer as `m`, which it may challenge, and a top
  answer as itself. After that it makes `s` or no idle bid, and no idle bid is left. An opening with
  a top bid other than `s` leaves room, and counts as misleading.

**Each player is solved separately**, in a round where this player *spares* idle bids and considers
even fewer: the opener only `w` and `s`, the player who answers only `s`. The other player considers
all bids of R. So a best response to the player's strategy is the same as in R, and no idle bid of
the player leaves room. The tree has few histories in which this player has made idle bids. The cost
of having fewer choices is part of what a best response gains.

How many bids are idle is a guess (`idle_count`). Its cost is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import Bid, challenge_action, counting_faces, domain
from zhaifei.game.hands import probabilities
from zhaifei.game.parts import Raising
from zhaifei.game.rules import Rules
from zhaifei.game.tables import NO_BID, BidTables, bid_tables
from zhaifei.solver.bounds import BestResponse, Bounds, History

Play = Callable[[Sequence[Bid]], NDArray[np.float64]]
"""The strategy that a table plays after a history of R: [hand, action] float64."""
BETWEEN_ENDS = 2.0
"""Penalty points between losing a round and winning it."""
_OPENER, _OTHER = 0, 1


@dataclass(frozen=True)
class Abstraction:
    """Which bids players consider in a round. Bids are actions, and idle bids are the first
    actions: the low bids, then the top bids."""

    low: int = 0
    """The number of low bids."""
    idle: int = 0
    """The number of idle bids; 0 if players consider everything that the rules allow."""
    spares: int | None = None
    """The player who is solved alone and spares idle bids: 0 for the opener, 1 for the other. None
    if both players are solved."""

    def considers(self, last: int, bid: int) -> bool:
        """Return whether `bid` is considered after `last`, or NO_BID, if it is legal."""
        if bid >= self.idle - 1:
            return True
        if last == NO_BID:
            return bid == 0 < self.low or (bid >= self.low and self.spares != _OPENER)
        return last == 0 < self.low and bid >= self.low - 1 and self.spares != _OTHER

    def read(self, history: Sequence[int]) -> History:
        """Return the history of R as which a strategy reads `history`, a history of G."""
        run = sum(bid < self.idle for bid in history)
        firsts = (0, self.low - 1)
        read = tuple(
            firsts[place] if bid < self.low and place < len(firsts) else bid
            for place, bid in enumerate(history[:run])
        )
        for last, bid in zip((NO_BID, *read), read, strict=False):
            if bid <= last or not self.considers(last, bid):
                read = self._by_the_last(read[-1], run)
                break
        return (*read, *history[run:])

    def _by_the_last(self, last: int, run: int) -> History:
        """Return how a `run` of idle bids is read by its `last` bid alone."""
        is_low = last < self.low
        if run % 2 == 1:
            return (0,) if is_low else (last,)
        if not self.low:
            return 0, self.idle - 1
        return 0, self.low - 1 if is_low else last

    def spoken(self, history: Sequence[int], played: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return `played` [hand, action] as a strategy after `history`, a history of G: bids that
        cannot follow its last bid are replaced by `s`. Works in place."""
        if self.idle and history:
            too_weak = played[:, : min(history[-1] + 1, self.idle)]
            replaced = too_weak.sum(axis=1)
            too_weak[:] = 0.0
            played[:, self.idle - 1] += replaced
        return played

    def misled(self, rules: Rules, play: Play) -> tuple[float, float]:
        """Return upper bounds of the probability that a responder misleads a strategy for R: as
        opener, and as the player who answers."""
        opener, other = (probabilities(rules, player) for player in range(2))
        bids, challenge = domain(rules), challenge_action(rules)
        first_bids = play(())
        opens = opener @ first_bids
        leaves_room = float(sum(opens[self.low : max(0, self.idle - 1)]))
        if not self.low:
            return 0.0, leaves_room
        answers = other @ play(bids[:1])
        room_after = {self.low - 1, *range(self.low, self.idle - 1)} - {0}
        by_opener = answers[challenge] + sum(answers[bid] for bid in room_after)
        came, second = opener * first_bids[:, 0], bids[self.low - 1]
        challenged = 0.0 if self.low == 1 else came @ play((bids[0], second))[:, challenge]
        return float(by_opener), leaves_room + float(challenged)

    def certified(self, rules: Rules, play: Play, response: BestResponse) -> BestResponse:
        """Return bounds of what a best response to a strategy for R earns in each seat of G, given
        the bounds for R."""
        if not self.idle:
            return response
        seats = tuple(
            Bounds(seat.lower, min(1.0, seat.upper + BETWEEN_ENDS * chance))
            for seat, chance in zip(response.seats, self.misled(rules, play), strict=True)
        )
        return replace(response, seats=seats)


WHOLE = Abstraction()
"""The whole game: players consider everything that the rules allow."""


def abstraction_of(rules: Rules) -> Abstraction:
    """Return the abstraction in which a two-player round of a match is solved. This is WHOLE where
    fewer bids would not help."""
    if (
        rules.bidding.raising is not Raising.STRONGER
        or len(rules.bidding.modes) > 1
        or rules.bidding.first_count > 1
    ):
        return WHOLE
    return with_idle_bids(rules, idle_count(rules))


def with_idle_bids(rules: Rules, count: int) -> Abstraction:
    """Return the abstraction in which the bids of `rules` up to this `count` are idle. In these
    rules any count opens, and bids of one mode are raised by strength."""
    bids = domain(rules)
    return Abstraction(
        sum(bid.count < count for bid in bids), sum(bid.count <= count for bid in bids)
    )


def solved_alone(whole: Abstraction) -> list[Abstraction]:
    """Return the abstractions in which each player is solved separately, the opener first, or
    `whole` alone if no bids are idle."""
    if not whole.idle:
        return [whole]
    return [replace(whole, spares=player) for player in (_OPENER, _OTHER)]


def idle_count(rules: Rules) -> int:
    """Return the largest count of idle bids, from how many dice are expected to count towards a
    bid. The formula was found by trying: with one more, fewer choices cost too much; with one less,
    trees are several times as large."""
    faces = len(counting_faces(rules, domain(rules)[0]))
    found = (6 * rules.total_dice * faces - 3 * rules.faces) // (5 * rules.faces)
    return min(max(0, found), rules.total_dice - 1)


@lru_cache
def considered_tables(rules: Rules, abstraction: Abstraction) -> BidTables:
    """Return the tables of `rules` with `legal` and `first_raise` for the bids that are considered
    alone."""
    tables = bid_tables(rules)
    if not abstraction.idle:
        return tables
    legal = tables.legal.copy()
    for last in range(NO_BID, abstraction.idle):
        for bid in range(abstraction.idle):
            legal[last + 1, bid] &= abstraction.considers(last, bid)
    first_raise = np.where(legal.any(axis=1), legal.argmax(axis=1), legal.shape[1])
    for array in (legal, first_raise):
        array.setflags(write=False)
    return tables._replace(legal=legal, first_raise=first_raise)
