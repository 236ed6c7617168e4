"""Values of every action under beliefs about the others, by how the rest of the round is played.

**Choice and values agree.** Where a policy of several players chooses by its own criterion
(`policies.players.reading_policy`), the values are those of the criterion. Where its table or a
solution chooses, the advice leaves out actions that are worse by the values
(`policies.advice.choice`). So no value exceeds that of the most probable action by more than both
errors.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import (
    Bid,
    action_count,
    action_of,
    challenge_action,
    endings_after,
    legal_bids,
    settled_by,
    state_after,
)
from zhaifei.game.rules import Rules
from zhaifei.game.tables import BidTables
from zhaifei.policies.advice.advice import Ground
from zhaifei.policies.advice.choice import advised, advised_surely
from zhaifei.policies.players.reading import Reading, one_hot
from zhaifei.policies.players.reading_policy import ReadingPolicy
from zhaifei.policies.players.resolving import Known
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.bounds import History
from zhaifei.solver.response.replies import Replies
from zhaifei.solver.showdown import matching_dice, probability_true
from zhaifei.solver.tables.strategy_table import strategy_after
from zhaifei.solver.value.action_values import action_values, empty_line

Bits = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_CUTS = (2e-3, 2e-4, 2e-5, 2e-6, 2e-7)
"""Values are computed along all lines of play that are more probable than a cut. The next finer cut
is tried as long as the error of some value exceeds _CLOSE and few lines were followed. The errors
are part of the advice."""
_CLOSE = 2e-3
_FEW_LINES = 400
"""At least this many lines count as few in each position."""
_FEW_OF_TWO, _FEW_OF_MANY = 100_000, 5000
"""This many lines count as few in all positions of a question together, with two players and with
more, whose lines take longer. So an answer takes tenths of a second."""
_SOLUTION_CUT = 1e-6
"""Lines of a solution that are less probable than this are not followed."""


class Figures(NamedTuple):
    """The figures of some hands `own` [place]. Illegal actions have the values NaN."""

    strategy: Floats
    """[place, action] probabilities."""
    values: Floats
    """[place, action] in penalty points."""
    errors: Floats
    """[place, action] bounds of the errors of `values`, in penalty points."""


class Beliefs(NamedTuple):
    """What the player to move believes."""

    history: tuple[Bid, ...]
    """The bids as the policy reads them."""
    ranges: Floats
    """[player, hand] the ranges of the other players in the order of turns, each summing to 1."""
    ground: Ground
    """What `ranges` come from."""
    rest: Rest
    """How the rest of the round is played."""
    weight: float = 1.0
    """The probability of the history, given the player's own hand."""
    own_on_path: Bits | None = None
    """[hand] whether the policy would have made the player's own bids; None for all."""


class Part(NamedTuple):
    """The hands of a question for which the same is believed."""

    own: Ints
    """[place] int64, the hands, ascending."""
    beliefs: Sequence[Beliefs]
    """Several if the bids before the last are unknown: one for each way to the last bid."""


class Rest(ABC):
    """How the rest of a round is played after some bids. Methods get the beliefs that are held,
    with the `own` hands [place]."""

    overrules = False
    """Whether `chosen` may leave out the action that the policy takes most often for no other
    reason than its value."""

    @abstractmethod
    def strategy(self, held: Beliefs, own: Ints) -> Floats:
        """Return [place, action] the strategy, as far as it is known before the values."""

    @abstractmethod
    def values(self, held: Beliefs, own: Ints, positions: int) -> tuple[Floats, Floats]:
        """Return the values and bounds of their errors [place, action], where the question has this
        number of `positions`. The figures of a hand do not depend on the other hands in `own`."""

    def chosen(self, held: Beliefs, own: Ints, found: Figures) -> Figures:
        """Return what is advised of what was `found`, averaged over the positions."""
        return found


class Followed(Rest):
    """Everybody follows a policy along the lines of its table. Scratch memory is kept between
    questions."""

    def __init__(self, policy: TablePolicy | ReadingPolicy) -> None:
        self._policy = policy
        self._reader = policy if isinstance(policy, ReadingPolicy) else None
        self._table = policy.plain if isinstance(policy, ReadingPolicy) else policy
        self._line = empty_line(self._table.tables)
        self.overrules = self._reader is not None

    def strategy(self, held: Beliefs, own: Ints) -> Floats:
        """See Rest."""
        return self._policy.strategy(held.history)[own]

    def values(self, held: Beliefs, own: Ints, positions: int) -> tuple[Floats, Floats]:
        """See Rest."""
        rules, bids = self._policy.rules, self._table.tables
        together = _FEW_OF_TWO if rules.players == 2 else _FEW_OF_MANY
        few = max(_FEW_LINES, together // positions)
        made, asked = numbers(rules, held.history), np.arange(own.size)
        below, found = self._table.below(made), np.empty((2, own.size, action_count(rules)))
        for cut in _CUTS:
            self._line.followed[:] = 0
            found[:, asked] = action_values(
                bids,
                below,
                self._line,
                np.array(made, dtype=np.int64),
                held.ranges,
                own[asked],
                cut,
            )
            close = np.nanmax(found[1, asked], axis=1) <= _CLOSE
            asked = asked[~close & (self._line.followed[own[asked]] <= few)]
            if not asked.size:
                break
        if self._reader is not None and not made:
            self._weigh_openings(own, found, self._reader)
        return found[0], found[1]

    def _weigh_openings(self, own: Ints, found: Floats, reader: ReadingPolicy) -> None:
        """Replace the table's values of openings in `found` [2, place, action] by the values of the
        criterion of `reader`. They are computed from the opening with the highest certain value
        plus cost by the table, so all have the error of this opening's value."""
        legal, every = np.flatnonzero(self._table.tables.legal[0]), np.arange(own.size)
        values, errors = found[..., legal]
        earned = values + reader.plain.opening_cost.astype(np.float64)[:, own].T
        surest = (earned - errors).argmax(axis=1)
        found[0][:, legal] = reader.opening_values(earned[every, surest], own)
        found[1][:, legal] = reader.opening_follows * errors[every, surest, np.newaxis]

    def chosen(self, held: Beliefs, own: Ints, found: Figures) -> Figures:
        """See Rest. Only where the table of a policy of several players has chosen is anything left
        out."""
        if self._reader is None or not held.history:
            return found
        kept = [advised_surely(*one) for one in zip(*found, strict=True)]
        return found._replace(strategy=np.stack(kept))


class Challenging(Followed):
    """As Followed, after a last bid that the policy never makes: it challenges, as strategy tables
    do off their lines."""

    def strategy(self, held: Beliefs, own: Ints) -> Floats:
        """See Rest."""
        rules = self._policy.rules
        return one_hot(np.full(own.size, challenge_action(rules)), action_count(rules))


class Read(Rest):
    """The action of least risk is taken, by a reading of the others' bids."""

    def __init__(self, rules: Rules, reading: Reading) -> None:
        self._rules, self._reading = rules, reading

    def strategy(self, held: Beliefs, own: Ints) -> Floats:
        """See Rest."""
        return self._reading.strategy(numbers(self._rules, held.history))[own]

    def values(self, held: Beliefs, own: Ints, positions: int) -> tuple[Floats, Floats]:
        """See Rest."""
        rules, bids = self._rules, numbers(self._rules, held.history)
        values = self._reading.values(own, bids)
        errors = np.where(np.isnan(values), np.nan, 0.0)
        for action, cost in self._unknown(held.history):
            most = cost / (rules.players - 1)
            errors[:, action] = np.maximum(values[:, action] + cost, most - values[:, action])
        return values, errors

    def _unknown(self, history: Sequence[Bid]) -> Iterator[tuple[int, int]]:
        """Yield the actions whose values are guesses, each with the most points that it can cost:
        challenges of 跳开, which nobody else may make, and doubles, whose answer is unknown."""
        rules = self._rules
        if rules.stakes.jump_challenge:
            for jump in endings_after(rules, history)[1:]:
                ended = settled_by(rules, history, jump - challenge_action(rules))
                assert ended is not None, "the challenge is legal"
                yield jump, ended.cost
        if rules.stakes.doubled:
            for bid in legal_bids(rules, *state_after(rules, history)):
                if bid.doubled:
                    yield action_of(rules, bid), rules.stakes.doubled[-1]


class BestResponse(Rest):
    """The player to move plays a best response to a strategy of the other player. Values are
    exact."""

    def __init__(self, rules: Rules, replies: Replies) -> None:
        self._rules, self._replies = rules, replies

    def strategy(self, held: Beliefs, own: Ints) -> Floats:
        """See Rest. It is known only with the values."""
        return np.zeros((own.size, action_count(self._rules)))

    def values(self, held: Beliefs, own: Ints, positions: int) -> tuple[Floats, Floats]:
        """See Rest."""
        made = numbers(self._rules, held.history)
        values = self._replies.by_action(made, held.ranges[0]).T[own]
        return values, np.where(np.isnan(values), np.nan, 0.0)

    def chosen(self, held: Beliefs, own: Ints, found: Figures) -> Figures:
        """See Rest."""
        best = np.nanargmax(found.values, axis=1)
        return found._replace(strategy=one_hot(best, found.values.shape[1]))


class Solution(BestResponse):
    """Both players follow a solution of the position; values are those of a best response to it."""

    def __init__(self, rules: Rules, tables: BidTables, known: Known, history: History) -> None:
        super().__init__(rules, known.replies(history))
        self._tables, self._known = tables, known

    def strategy(self, held: Beliefs, own: Ints) -> Floats:
        """See Rest."""
        made = numbers(self._rules, held.history)
        return strategy_after(self._known.at(made), self._tables, made)[own]

    def chosen(self, held: Beliefs, own: Ints, found: Figures) -> Figures:
        """See Rest. The error of an action is what playing the solution after it falls short of its
        value; for actions that are not advised, what it falls short on the average."""
        kept = [advised(*one) for one in zip(found.strategy, found.values, strict=True)]
        strategy, made = np.stack(kept), numbers(self._rules, held.history)
        followed = action_values(
            self._tables,
            self._known.table(made),
            empty_line(self._tables),
            np.array(made, dtype=np.int64),
            held.ranges,
            own,
            _SOLUTION_CUT,
        )[0]
        short = np.maximum(found.values - followed, 0.0)
        average = (strategy * np.nan_to_num(short)).sum(axis=1, keepdims=True)
        return Figures(strategy, found.values, np.where(strategy == 0.0, average, short))


def numbers(rules: Rules, history: Sequence[Bid]) -> History:
    """Return the bids as actions."""
    return tuple(action_of(rules, bid) for bid in history)


def true_with(bids: BidTables, bid: int, ranges: Floats) -> Floats:
    """Return [hand] the probability that `bid` is true with each own hand, if the others have these
    `ranges` [player, hand]."""
    matches, claimed = bids.matches[bid], int(bids.claimed[bid])
    counts = matching_dice(matches, ranges, bids.dice)
    chances = [probability_true(claimed, dice, counts) for dice in range(bids.dice + 1)]
    of_hands: Floats = np.array(chances)[matches]
    return of_hands
