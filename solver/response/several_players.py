"""Best responses to any policy, for any number of players: a certified interval.

Use this engine for three players or more. It queries the policy for batches of histories, and
convolves the ranges of several opponents, with numpy. For two players `table_search` and
`query_search` give the same interval faster.

The responder sits in one seat and has perfect recall. All others play the same fixed policy, of
which only its answers to queries are known. Hands are independent given the bids, so all that is
known of another player is their *reach*: for each hand, its probability times the probability of
bidding like this with it. The *mass* m of a history is the product, over the other players, of the
sums of their reaches. Values are vectors over the responder's own hands, in penalty points. They
are not divided by the mass, so they add up. An ending with the cost c pays its loser -c and
everyone else c / (N - 1) (`solver.bidding.Settled`); c is at most D. A value at a history lies
between -D m and D m / (N - 1). Doubles are raises.

Where the responder moves after the bids h, and where another player does,

    V(h) = max( C(h), max over raises b of V(h, b) )
    V(h) = T(h) + sum over raises r of V(h, r)

with `C`: the best ending now; `T`: what the parts of the mover's reach that end the round pay. In
V(h, r) the mover's reach is multiplied by the probability of r. An ending is settled for all
hands at once, from the distribution of how many of the others' dice count. If the responder is
neither the challenger nor the bidder it pays them c / (N - 1) whatever the dice. Of all the bids
that another player may challenge at most one is the responder's. The policy is queried where
another player moves, for many histories at once. No query is needed where there is only one action:
no raise is left, and one ending.

**Lower bound.** Every number in a `lower` vector is earned, or exceeded, by some strategy of the
responder with this hand. A history that is not opened has the following lower bound. Where the
responder moves, it is what challenging the last bid pays, or `C` once it is known. Where another
player moves and challenging the last bid is their only action, it is what this challenge pays.
Elsewhere it is -D m. Where the policy has answered, T and the lower bounds of the replies add up.
Of several raises the responder can make the best for each hand. An information set is one own hand
and one public history, so strategies for different hands and after different histories can be
combined.

**Upper bound.** Every number in an `upper` vector is at least V. At a history that is not opened it
is D m / (N - 1), with two exceptions. It is the lower bound where another player moves and has one
action, and where the responder moves, no raise is left, and `C` is known. T and the upper bounds of
the replies add up. Where the responder moves, the upper bound is the maximum over the challenges
and *all* raises, opened or not.

**What is left out.** `held` is a threshold that decides what is opened and nothing else. A history
that is worth no more than it, with some own hand, cannot change with this hand what the responder
earns from the start. At the root nothing is held. Where the responder moves,
`floor = max(held, lower)` is held for each raise: a raise that pays no more is not needed. Where
another player moves, let U be the sum of T and of the upper bounds of all replies, and u the upper
bound of reply r. Then `held - (U - u)` is held for r: if r is worth no more, then T and all replies
together are worth no more than `held`. The *promise* of a raise or a reply is by how much, averaged
over own hands, opening it can move what matters. For a hand this is at most the gap between its
bounds, and at most the amount by which a raise beats the floor, or by which U exceeds what is held.
If the promise is at most the cut, the raise or reply is not opened.

**Cut 0.** Then, with every own hand, an opened history has `lower = upper` or `upper <= held`. The
proof is by induction from the leaves. Take an own hand with `upper > held` at the end.

- The responder moves. If a challenge is the maximum, `lower = upper`. Otherwise some raise has the
  upper bound `upper`. If the raise was not opened, its bounds coincide or its upper bound is at
  most the floor. If it was opened, the same holds by induction, with the floor at that time. The
  floor only rises, and where it exceeds `held` it is `lower`. So in every case `upper <= lower`.
- Another player moves. U only falls, so it was above `held` all the time. A reply not opened has
  bounds that coincide, or U would be at most `held`. A reply opened when the sum was U has, by
  induction, bounds that coincide or an upper bound of at most `held - (U - u)`; but the latter
  would have made the sum at most `held`. So all bounds of replies coincide, and so do their sums.

At the root nothing is held, so both bounds are V. The proof does not depend on where bounds come
from, so bounds from an earlier search of the same history may replace those of unopened ones.

**Rounding.** All sums are in float64, and made of nonnegative numbers and of differences of such
sums: counting the dice of each player's hands, convolving, adding up challenges and replies,
dividing a strategy by its sum. `solver.bounds.rounding` bounds their errors for rounds of any
length. The bound widens the result at either end.

Johanson et al. 2011 walk the public tree with all hands at once and compute the exact value for two
players; bounds, cuts and the step to N players are ours. For two players and a policy that is a
table, `solver.response.table_search` computes the same in compiled code.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.tables import NO_BID, BidTables, longest_history
from zhaifei.solver.anytime import Limits, by_cuts, cuts
from zhaifei.solver.bidding import mover_of_bids, state_of_bids
from zhaifei.solver.bounds import BestResponse, Bounds, History, Strategies, rounding
from zhaifei.solver.showdown import BatchShowdowns
from zhaifei.solver.tables.queries import query

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]

COARSEST, FINEST, CUT_RATIO = 0.16, 1e-14, 0.25
"""The first cut of `refine_several_players`, the finest before 0, and the ratio of successive
cuts."""
KNOWN_BYTES = 2**28
"""Memory for bounds that one sweep stores for the next."""


class SeveralPlayersError(ZhaifeiError):
    """A seat that does not exist in the rules."""


class Span(NamedTuple):
    """Bounds of values, in arrays whose last axis is the responder's own hand."""

    lower: Vector
    upper: Vector


# The rules


class ResponderRules(BatchShowdowns):
    """The rules as they apply to the responder in one seat, and their challenges."""

    def __init__(self, tables: BidTables, seat: int) -> None:
        if not 0 <= seat < tables.players:
            raise SeveralPlayersError(
                "there is no seat {seat}: the {players} seats are 0 to {last}",
                seat=seat,
                players=tables.players,
                last=tables.players - 1,
            )
        super().__init__(tables)
        self.bids = tables
        self.seat = seat
        self.win = 1.0 / (tables.players - 1)
        """What everyone but the loser gets, per point that the ending costs."""
        self.least, self.most = -float(tables.most_cost), tables.most_cost * self.win
        """The least and the most that a round can pay."""

    def mover(self, history: History) -> int:
        """Return the player who moves after `history`."""
        return mover_of_bids(self.bids, history)

    def turns_on(self, bids: Indices) -> Indices:
        """Return how many turns after their bidder's the next turn comes: see
        `solver.bidding.turns_on`."""
        return np.where(bids // self.bids.plain % 2, -1, 1)

    def raises(self, history: History) -> list[int]:
        """Return the bids that may follow `history`."""
        legal: list[int] = np.flatnonzero(
            self.bids.legal[state_of_bids(self.bids, history)]
        ).tolist()
        return legal

    def endings(self, length: int) -> list[int]:
        """Return the endings that some histories of `length` bids allow."""
        found: list[int] = np.flatnonzero(self.bids.back <= length).tolist()
        return found

    def settled_by(self, ending: int, last: Indices, history: History) -> Indices:
        """Return the bids that the `ending` settles, [turn] or, if all turns have the same, [1].
        The turns have the last bids `last` [turn], and begin like `history`."""
        back = self.bids.back[ending]
        return last if back == 1 else np.array([history[len(history) - back]])

    def forced(self, states: Indices, last: Indices, length: int) -> NDArray[np.bool_]:
        """Return, for each of `states` after `length` bids, the `last` of them given, whether the
        challenge of the last bid is the only action: no raise and no other ending is left."""
        only: NDArray[np.bool_] = self.bids.first_raise[states] == len(self.kind)
        if length == 0:
            return np.zeros_like(only)
        for ending in self.endings(length)[1:]:
            # An ending that settles an earlier bid can settle any bid.
            only &= (self.bids.back[ending] == 1) & (self.bids.cost[last, ending] == 0)
        return only

    def paid(self, bids: Indices, ending: int, mass: Vector, true: Vector, *, ends: bool) -> Vector:
        """Return what the `ending` pays the responder if it settles `bids`. Arrays broadcast.

        The others come there with the mass `mass`, and with the part `true` of it the challenger
        loses. The responder takes the ending (`ends`), or made the settled bid."""
        challenges = self.bids.turned[bids, ending] != ends
        lost, won = np.where(challenges, true, mass - true), np.where(challenges, mass - true, true)
        earned: Vector = self.bids.cost[bids, ending] * (self.win * won - lost)
        return earned


# Turns of the other players


class Turn(NamedTuple):
    """Another player's turn, after the policy has answered and before a reply is opened."""

    history: History
    reach: Vector
    """[player, hand] the reaches; the responder's row has no meaning."""
    replies: Indices
    """[reply] the raises that may be worth opening."""
    parts: Vector
    """[reply, hand] the part of the mover's reach that makes each reply."""
    each: Span
    """[reply, own] bounds of each reply's value."""
    total: Span
    """[hand] bounds of the turn's value, with all replies and challenges."""


class Turns:
    """One player's turns after histories that differ in their last bid only: the policy's answers,
    and the bounds that follow from them without opening a reply. Among three and more, a turn after
    a double is one player's, and the turns after other raises are another's."""

    def __init__(
        self,
        rules: ResponderRules,
        policy: Strategies,
        histories: Sequence[History],
        reach: Vector,
        said: Vector | None = None,
    ) -> None:
        """`histories` are sorted by their last bids. `reach` [player, hand] is common to all,
        except for the player who bid last. This player's reaches are `said` [turn, hand], unless
        the player is the responder or nobody has bid."""
        self.rules, self.histories, self.reach, self.said = rules, histories, reach, said
        self.length = len(histories[0])
        last = np.array([history[-1] if history else NO_BID for history in histories])
        self.last: Indices = last
        self.states = np.array([state_of_bids(rules.bids, history) for history in histories])
        """[turn] the state of the bidding."""
        self.mover = rules.mover(histories[0])
        self.speaker = (self.mover - int(rules.turns_on(last[:1])[0])) % rules.bids.players
        first = rules.bids.first_raise[self.states].min()
        self.replies: Indices = np.arange(first, len(rules.kind))
        self.hands: Indices = np.flatnonzero(reach[self.mover])
        """[place] the hands that the mover may hold."""
        self.calls = 0
        self.parts = self._ask(policy)
        """[turn, place, action] the mover's reach split by action: the replies, then the
        challenges."""
        counts, rest = self._count_parts(), rules.tails(self._bystanders())
        self.each = self._bound_replies(counts[:, : self.replies.size], rest)
        """[turn, reply, own] bounds of each reply's value."""
        paid = self._settle_endings(counts[:, self.replies.size :], rest)
        self.total = Span(*(paid + rules.spread(bound, self.replies) for bound in self.each))
        """[turn, hand] bounds of each turn's value."""

    def _ask(self, policy: Strategies) -> Vector:
        rules, reach = self.rules, self.reach[self.mover, self.hands]
        actions = self.replies.size + rules.bids.endings
        parts = np.zeros((len(self.histories), reach.size, actions))
        parts[:, :, self.replies.size] = reach  # where challenging the last bid is the only action
        first = len(rules.kind) - self.replies.size
        open_ = np.flatnonzero(~rules.forced(self.states, self.last, self.length)).tolist()
        self.calls = len(open_)
        answers = query(rules.bids, policy, [self.histories[turn] for turn in open_])
        for turn, answer in zip(open_, answers, strict=True):
            np.multiply(answer[self.hands, first:], reach[:, np.newaxis], out=parts[turn])
        return parts

    def _count_parts(self) -> Vector:
        """Return [turn, action, dice] the mass of each part by how many dice count: towards the
        reply, or towards the bid that the ending settles."""
        rules, (turns, _, actions) = self.rules, self.parts.shape
        rows = np.arange(turns * actions).reshape(turns, 1, actions)
        own = np.zeros((self.hands.size, actions), dtype=np.int64)
        own[:, : self.replies.size] = rules.matches[self.replies][:, self.hands].T
        cells = rules.dice.size * rows + own
        for ending in rules.endings(self.length):
            matches = rules.matches[self._settled_by(ending)][:, self.hands]
            cells[:, :, self.replies.size + ending] += matches
        size = rows.size * rules.dice.size
        counts = np.bincount(cells.reshape(-1), self.parts.reshape(-1), size).astype(np.float64)
        return counts.reshape(turns, actions, rules.dice.size)

    def _settled_by(self, ending: int) -> Indices:
        """Return the bids that the `ending` settles, [turn] or, if all turns have the same, [1]."""
        return self.rules.settled_by(ending, self.last, self.histories[0])

    def _bystanders(self) -> list[Vector]:
        """Return the reaches of all but the responder and the mover."""
        others = set(range(self.rules.bids.players)) - {self.rules.seat, self.mover}
        return [
            self.reach[[player]] if self.said is None or player != self.speaker else self.said
            for player in others
        ]

    def _bound_replies(self, counts: Vector, rest: Vector) -> Span:
        """Return [turn, reply, own] bounds of each unopened reply's value."""
        rules = self.rules
        mass = (counts.sum(axis=2) * rest[:, :1, 0])[:, :, np.newaxis]
        upper = np.repeat(rules.most * mass, rules.dice.size, axis=2)
        states = rules.bids.after[self.states][:, self.replies]
        forced = rules.forced(states, self.replies, self.length + 1)
        lower = np.repeat(rules.least * mass, rules.dice.size, axis=2)
        won = rules.win * rules.bids.cost[self.replies, 0][:, np.newaxis] * mass
        lower[forced] = np.broadcast_to(won, lower.shape)[forced]
        own = (self.mover + rules.turns_on(self.replies)) % rules.bids.players == rules.seat
        if own.any():
            replies = self.replies[own]
            true = rules.true_mass(counts[:, own], replies[np.newaxis], rest)
            paid = rules.paid(replies[:, np.newaxis], 0, mass[:, own], true, ends=True)
            lower[:, own] = paid
        upper[forced] = lower[forced]
        return Span(lower, upper)

    def _settle_endings(self, counts: Vector, rest: Vector) -> Vector:
        """Return [turn, hand] what the mover's endings pay; `counts` is [turn, ending, dice]."""
        rules = self.rules
        masses = (counts.sum(axis=2) * rest[:, :1, 0])[:, :, np.newaxis]
        paid = np.zeros((len(self.histories), rules.bids.hands))
        for ending in rules.endings(self.length):
            mass, bids = masses[:, ending], self._settled_by(ending)
            other = self.mover - rules.bids.back[ending] * rules.turns_on(bids)[0]
            if other % rules.bids.players != rules.seat:
                paid += rules.win * rules.bids.cost[bids, ending][:, np.newaxis] * mass
                continue
            counted = counts[:, ending : ending + 1]
            true = rules.true_mass(counted, bids[:, np.newaxis], rest, ending)[:, 0]
            earned = rules.paid(bids[:, np.newaxis], ending, mass, true, ends=False)
            own = np.broadcast_to(rules.matches[bids], paid.shape)
            paid += np.take_along_axis(earned, own, axis=1)
        return paid

    def turn(self, index: int, cut: float) -> Turn:
        """Return the turn at `index`, with the replies that can promise more than `cut`."""
        lower, upper = self.each.lower[index], self.each.upper[index]
        kept = np.flatnonzero((upper - lower).max(axis=1, initial=0.0) > cut)
        parts = np.zeros((kept.size, self.reach.shape[1]))
        parts[:, self.hands] = self.parts[index][:, kept].T
        reach = self.reach
        if self.said is not None:
            reach = reach.copy()
            reach[self.speaker] = self.said[index]
        return Turn(
            self.histories[index],
            reach,
            self.replies[kept],
            parts,
            Span(lower[kept], upper[kept]),
            Span(self.total.lower[index], self.total.upper[index]),
        )


class TurnReplies:
    """The replies of a turn, with bounds of each reply's value for every own hand."""

    def __init__(self, rules: ResponderRules, turn: Turn) -> None:
        self.turn = turn
        self.mover = rules.mover(turn.history)
        self.histories = [(*turn.history, bid) for bid in turn.replies.tolist()]
        self.own_next = np.array([rules.mover(one) == rules.seat for one in self.histories], bool)
        """[reply] whether the responder moves next."""
        own = rules.matches[turn.replies]
        self.each = Span(*(np.take_along_axis(bound, own, axis=1) for bound in turn.each))
        """[reply, hand] bounds of each reply's value."""
        self.rest = Span(
            turn.total.lower - self.each.lower.sum(axis=0),
            turn.total.upper - self.each.upper.sum(axis=0),
        )
        """[hand] bounds of the challenges and of all replies that are not listed."""
        if self.own_next.any():
            self._end_otherwise(rules)
        self.challenge = self.each.lower.copy()
        """[reply, hand] what the responder's best ending earns after the reply, if they move
        next."""

    def _end_otherwise(self, rules: ResponderRules) -> None:
        """Add to the bounds what the responder can earn after each reply by an ending other than
        the challenge of the reply."""
        turn, bids = self.turn, rules.bids
        endings = rules.endings(len(turn.history) + 1)[1:]
        if not endings:
            return
        others = set(range(bids.players)) - {rules.seat, self.mover}
        rest = rules.tails([turn.reach[[player]] for player in others])
        by_kind = rules.count(turn.parts)
        mass = turn.parts.sum(axis=1)[:, np.newaxis] * rest[0, 0, 0]
        lower, replies = self.each.lower, np.arange(turn.replies.size)
        for ending in endings:
            settled = rules.settled_by(ending, turn.replies, (*turn.history, NO_BID))
            settled = np.broadcast_to(settled, turn.replies.shape)
            counts = by_kind[replies, :, rules.kind[settled]]
            true = rules.true_mass(counts[np.newaxis], settled[np.newaxis], rest, ending)[0]
            true = np.take_along_axis(true, rules.matches[settled], axis=1)
            earned = rules.paid(settled[:, np.newaxis], ending, mass, true, ends=True)
            legal = (bids.cost[settled, ending] > 0) & self.own_next
            lower[legal] = np.maximum(lower[legal], earned[legal])
        states = bids.after[state_of_bids(bids, turn.history), turn.replies]
        ends = (bids.first_raise[states] == len(rules.kind)) & self.own_next
        self.each.upper[ends] = lower[ends]

    def total(self) -> Span:
        """Return [hand] bounds of the turn's value."""
        lower, upper = self.each
        return Span(self.rest.lower + lower.sum(axis=0), self.rest.upper + upper.sum(axis=0))

    def reach(self, place: int) -> Vector:
        """Return [player, hand] the reaches after the reply at `place`."""
        reach = self.turn.reach.copy()
        reach[self.mover] = self.turn.parts[place]
        return reach


# Search


class SeatSearch:
    """The search for one seat. Its bounds are stored and only get tighter."""

    def __init__(self, tables: BidTables, seat: int, policy: Strategies) -> None:
        self.rules, self.policy = ResponderRules(tables, seat), policy
        self.nodes = 0
        """Histories opened where the responder moves."""
        self.calls = 0
        """Queries that the policy has answered."""
        self.cut, self.deadline = 0.0, np.inf
        hands, players = self.rules.bids.hands, tables.players
        self.known: dict[History, Span] = {
            (): Span(np.full(hands, self.rules.least), np.full(hands, self.rules.most))
        }
        """[hand] the bounds found so far, by history."""
        self.room = KNOWN_BYTES // (players * 16 * hands)
        """How many histories `known` may hold."""
        self.margin = rounding(tables, longest_history(tables.after))

    def bounds(self) -> Bounds:
        """Return bounds of what a best response earns."""
        lower, upper = (
            float(self.rules.prior[self.rules.seat] @ bound) for bound in self.known[()]
        )
        return Bounds(lower - self.margin, upper + self.margin)

    def sweep(self, cut: float, deadline: float = np.inf) -> None:
        """Open everything that promises more than `cut`, until `deadline` on the monotonic
        clock."""
        self.cut, self.deadline = cut, deadline
        rules = self.rules
        root = Span(*(bound[np.newaxis] for bound in self.known[()]))
        if not self._worth_opening(np.inf):
            return
        reach = rules.prior
        held = np.full(rules.bids.hands, -np.inf)
        if rules.seat == 0:
            # There is no bid to challenge: the least that any raise earns takes its place.
            found = self._open_own((), reach, np.full(rules.bids.hands, rules.least), held)
        else:
            found = self._open_other(self._ask([()], reach)[0].turn(0, cut), held)
        self._tighten(root, 0, (), found)

    def _open_own(self, history: History, reach: Vector, challenge: Vector, held: Vector) -> Span:
        """Return [hand] bounds where the responder moves; the best challenge pays `challenge`
        [hand]."""
        self.nodes += 1
        raises = [(*history, bid) for bid in self.rules.raises(history)]
        turns = self._ask(raises, reach)
        each = _joined([of_mover.total for of_mover in turns])
        self._recall(raises, each)
        floor = np.maximum(np.maximum(held, challenge), each.lower.max(axis=0))
        order = self._order(self._promise(each, each.upper - floor))
        one = [(of_mover, index) for of_mover in turns for index in range(len(of_mover.histories))]
        opened = [one[place][0].turn(one[place][1], self.cut) for place in order]
        del one, turns  # They are large, and this function recurses below.
        for place, turn in zip(order, opened, strict=True):
            row = Span(each.lower[place], each.upper[place])
            if self._worth_opening(self._promise(row, row.upper - floor)):
                self._tighten(each, place, turn.history, self._open_other(turn, floor))
                floor = np.maximum(floor, each.lower[place])
        lower, upper = (np.maximum(challenge, bound.max(axis=0)) for bound in each)
        return Span(lower, upper)

    def _open_other(self, turn: Turn, held: Vector) -> Span:
        """Return [hand] bounds of another player's turn."""
        replies = TurnReplies(self.rules, turn)
        each = replies.each
        self._recall(replies.histories, each)
        nexts = self._ask_next(replies, held)
        for place in self._order(self._promise(each, replies.total().upper - held)):
            if not replies.own_next[place] and place not in nexts:
                continue  # The deadline came before the query.
            row, most = Span(each.lower[place], each.upper[place]), replies.total().upper
            if not self._worth_opening(self._promise(row, most - held)):
                continue
            rest = held - (most - row.upper)
            if replies.own_next[place]:
                reach, challenge = replies.reach(place), replies.challenge[place]
                found = self._open_own(replies.histories[place], reach, challenge, rest)
            else:
                found = self._open_other(nexts[place], rest)
            self._tighten(each, place, replies.histories[place], found)
        return replies.total()

    def _ask_next(self, replies: TurnReplies, held: Vector) -> dict[int, Turn]:
        """Return, by place, the turns after the replies that are worth opening, where the responder
        does not move next. Tighten `replies` by what the queries find."""
        each = replies.each
        promised = self._order(self._promise(each, replies.total().upper - held))
        places = sorted(place for place in promised if not replies.own_next[place])
        if not places or not self._worth_opening(np.inf):
            return {}
        histories = [replies.histories[place] for place in places]
        turns = self._ask(histories, replies.turn.reach, replies.turn.parts[places])
        each_turn = [
            of_mover.turn(index, self.cut)
            for of_mover in turns
            for index in range(len(of_mover.histories))
        ]
        nexts = dict(zip(places, each_turn, strict=True))
        for place, turn in nexts.items():
            self._tighten(each, place, turn.history, turn.total)
        return nexts

    def _ask(
        self, histories: Sequence[History], reach: Vector, said: Vector | None = None
    ) -> list[Turns]:
        """Return the turns after `histories`, which differ in their last bid only and end with the
        double if there is one, in their order: those of each player together."""
        turns, first = list[Turns](), 0
        for _, of_mover in groupby(histories, self.rules.mover):
            some = [*of_mover]
            part = slice(first, first + len(some))
            own = None if said is None else said[part]
            turns.append(Turns(self.rules, self.policy, some, reach, own))
            self.calls += turns[-1].calls
            first = part.stop
        return turns

    def _promise(self, bounds: Span, room: Vector) -> Any:
        """Return the promise: by how much, averaged over own hands, opening can move what matters.
        `room` is how far the upper bound is above what is held."""
        gain = np.minimum(bounds.upper - bounds.lower, room)
        return gain.clip(min=0.0) @ self.rules.prior[self.rules.seat]

    def _order(self, promises: Vector) -> list[int]:
        """Return the places whose promise is above the cut, the most promising first."""
        order: list[int] = np.argsort(-promises, kind="stable").tolist()
        return [place for place in order if promises[place] > self.cut]

    def _worth_opening(self, promise: float) -> bool:
        return promise > self.cut and time.monotonic() < self.deadline

    def _recall(self, histories: Sequence[History], each: Span) -> None:
        """Intersect `each` [history, hand] with what earlier sweeps have found."""
        for place, history in enumerate(histories):
            known = self.known.get(history)
            if known is not None:
                _intersect(each, place, known)

    def _tighten(self, each: Span, place: int, history: History, found: Span) -> None:
        """Intersect row `place` of `each` [history, hand] with `found`, and store it for later
        sweeps."""
        _intersect(each, place, found)
        if history in self.known or len(self.known) < self.room:
            self.known[history] = Span(each.lower[place].copy(), each.upper[place].copy())


def _joined(spans: Sequence[Span]) -> Span:
    """Return new arrays with the rows of all `spans` [row, hand] in their order."""
    lower, upper = (np.concatenate(bounds) for bounds in zip(*spans, strict=True))
    return Span(lower, upper)


def _intersect(each: Span, place: int, bounds: Span) -> None:
    np.maximum(each.lower[place], bounds.lower, out=each.lower[place])
    np.minimum(each.upper[place], bounds.upper, out=each.upper[place])


# Users


@dataclass(frozen=True)
class SeveralPlayersResponse(BestResponse):
    """What a best response earns in each seat if all others play the policy."""

    cut: float
    """Everything with a larger promise has been opened, if there was time."""
    calls: int
    """Queries that the policy has answered."""


def best_response_in(tables: BidTables, seat: int, policy: Strategies, cut: float = 0.0) -> Bounds:
    """Return bounds of what a best response in `seat` (0 opens) earns if all others play `policy`,
    in penalty points per round; exact for a cut of 0.

    Raises IllegalStrategy if the policy returns an invalid strategy, and SeveralPlayersError if
    there is no such seat.
    """
    search = SeatSearch(tables, seat, policy)
    search.sweep(cut)
    return search.bounds()


def refine_several_players(
    tables: BidTables, policy: Strategies, *, gap: float = 0.0, seconds: float = np.inf
) -> Iterator[SeveralPlayersResponse]:
    """Yield bounds for all seats that only get tighter. Stop when `exploitability` is known to
    `gap` or exactly, or after about `seconds` (plus at most one batch of the policy's answers).

    Each seat gets an equal share of the time that is left. Raises IllegalStrategy if the policy
    returns an invalid strategy.
    """
    limits = Limits(gap, seconds)
    searches = [SeatSearch(tables, seat, policy) for seat in range(tables.players)]

    def sweep(cut: float) -> SeveralPlayersResponse:
        for search in searches:
            now = time.monotonic()
            share = (limits.deadline - now) / (tables.players - search.rules.seat)
            search.sweep(cut, now + share)
        return SeveralPlayersResponse(
            seats=tuple(search.bounds() for search in searches),
            cut=cut,
            nodes=sum(search.nodes for search in searches),
            calls=sum(search.calls for search in searches),
            seconds=limits.seconds,
        )

    yield from by_cuts(sweep, cuts(COARSEST, FINEST, CUT_RATIO), limits)
