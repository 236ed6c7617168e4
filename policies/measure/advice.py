"""Advice of a policy on one decision: its strategy for a hand, the probability that the last bid is
true, and the value of each action.

A value is the penalty points that the player to move earns in the round if everybody then follows
the policy. Opponents' ranges follow from their bids by Bayes' rule.

**Choice and values agree.** Where a policy of several players chooses by its own criterion
(`policies.players.reading_policy`), the values are those of the criterion. Where its table chooses,
the advice leaves out actions that are surely worse by the values (`policies.measure.advised`). So
no value exceeds that of the most probable action by more than both errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import (
    Bid,
    action_count,
    action_of,
    can_bid,
    challenge_action,
    challengeable,
    domain,
    verify_can_arise,
    verify_history,
)
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand, hand_index, hands, probabilities, verify_hand
from zhaifei.game.notation import CHALLENGE, format_action
from zhaifei.game.rules import Rules
from zhaifei.game.tables import BidTables
from zhaifei.policies.measure.advised import advised_surely
from zhaifei.policies.players.reading import Reading, places_of
from zhaifei.policies.players.reading_policy import ReadingPolicy
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.abstraction import BETWEEN_ENDS
from zhaifei.solver.bounds import History
from zhaifei.solver.showdown import matching_dice, probability_true
from zhaifei.solver.value.action_values import Line, action_values, empty_line

Ints = NDArray[np.int64]

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
MOST_ERROR = 0.5
"""A value that may be off by more penalty points says nothing: the interval is as wide as what is
at stake in a round, and the value is shown as unclear."""
_HISTORY_CUT = 1e-3
"""If earlier bids are unknown, histories less probable than this are ignored."""
_MOST_HISTORIES = 64
"""If earlier bids are unknown, at most this many histories are averaged over."""


@dataclass(frozen=True)
class ActionAdvice:
    """Advice on one legal action."""

    action: str
    """The action in the notation of `game.notation`."""
    probability: float
    """The probability with which the policy takes the action with this hand."""
    value: float
    """The penalty points that the action earns if all players then follow the policy."""
    value_error: float
    """A bound of the error of `value`, which comes from lines of play that were omitted. Where
    hands are read, the value of a challenge of an earlier bid (跳开) is unknown: its error covers
    every possible result."""

    @property
    def is_clear(self) -> bool:
        """Whether the error is small enough for the value to be informative."""
        return self.value_error <= MOST_ERROR


class Solved(NamedTuple):
    """How a position was solved again (`policies.players.resolving`)."""

    gap: float
    """The gain of best responses in the game that was solved, in penalty points."""
    caution: str
    """The value of a Caution: how little the beliefs about the opponent count."""


class Locked(NamedTuple):
    """The use of locks in an answer (`policies.measure.locked_advice`)."""

    source: str
    """The file of the locks."""
    lines: tuple[int, ...]
    """The lines of the file at which locks on this line of play begin."""
    answer: str
    """The value of a LockAnswer."""
    read: bool
    """Whether the locked opponent would never bid like this, so that their hand is read from their
    bids."""
    gap: float | None
    """The gain of best responses in the game that was solved, in penalty points; None for a best
    response, which is exact."""


@dataclass(frozen=True)
class Advice:
    """The advice of a policy to the player to move."""

    hand: Hand
    """The player's own hand."""
    history: tuple[Bid, ...]
    earlier_unknown: bool
    """Whether `history` holds the last bid only and the bids before it are unknown."""
    p_true: float | None
    """The probability that the last bid is true, given the hand and the others' ranges; None if
    there is no bid."""
    earlier_true: tuple[float, ...]
    """The probabilities that the bids made 2, 3, ... bids ago are true, as far as the rules allow
    challenging them; empty if they are unknown."""
    actions: tuple[ActionAdvice, ...]
    """The legal actions in the order of `game.bids`, challenges last."""
    on_path: bool
    """Whether the policy would make the bids of every other player with some hand. The range of a
    player for whom it would not is taken to be the one before the round."""
    own_on_path: bool
    """Whether the policy would make the player's own earlier bids with this hand. If not, training
    may not have reached this decision."""
    read: bool = False
    """Whether the table of the policy does not play here, and the others' ranges are read from
    their bids (`policies.players.reading_policy`); values are then those of
    `policies.players.reading.Reading.values`. `on_path` and `own_on_path` say nothing of it and are
    True."""
    solved: Solved | None = None
    """How the position was solved again, if the advice comes from that; `on_path` and `own_on_path`
    are then True. Values are those of best play from here against the solution, and errors what
    playing the solution falls short of them."""
    opening_follows: float | None = None
    """The probability with which the others are taken to follow the policy, if the values are those
    of `ReadingPolicy.opening_values`; None elsewhere."""
    overruled: bool = False
    """Whether the action that the policy takes most often was left out, since its value is
    worse."""
    locked: Locked | None = None
    """The locks of the opponent, if there are any; `on_path` and `own_on_path` are then True.
    Values are those of best play from here."""
    taken_for: tuple[Bid, ...] | None = None
    """The bids for which the policy takes `history`; None if it takes them for themselves. Strategy
    and values of raises are those after `taken_for`."""

    @property
    def ranked(self) -> list[ActionAdvice]:
        """The actions by probability, highest first. Equally probable actions are sorted by value,
        highest first, with unclear values last."""
        return sorted(
            self.actions, key=lambda one: (-one.probability, not one.is_clear, -one.value)
        )

    @property
    def true(self) -> list[tuple[Bid, float]]:
        """The known bids that may be challenged, the last one first, each with the probability that
        it is true."""
        chances = [] if self.p_true is None else [self.p_true, *self.earlier_true]
        return list(zip(reversed(self.history), chances, strict=False))


def openings(policy: TablePolicy) -> list[tuple[Bid, float]]:
    """Return the opening bids that the policy makes, each with its probability over all hands, most
    probable first."""
    played = np.minimum(probabilities(policy.rules) @ policy.strategy(()), 1.0)  # sums are rounded
    shares = zip(domain(policy.rules), played.tolist(), strict=False)
    return sorted(((bid, share) for bid, share in shares if share > 0), key=lambda pair: -pair[1])


class Believed(Enum):
    """The source of the range of the player to move."""

    POLICY = "policy"
    """The policy makes the player's earlier bids with the hands of the range."""
    TREMBLING = "trembling"
    """As POLICY, but with a small weight of hands with which the bids are plausible, as in
    `ResolvingPolicy` where it solves a position again."""
    READ = "read"
    """The policy never bids like this; the range is read from the bids, as others would do it."""
    UNKNOWN = "unknown"
    """The policy never bids like this: the range is the one before the round."""


class OwnRange(NamedTuple):
    """The range of the player to move."""

    weights: NDArray[np.float64]
    """[hand] the probability of each hand, summing to 1."""
    believed: Believed


class _Position(NamedTuple):
    """A history as the player to move sees it."""

    history: tuple[Bid, ...]
    weight: float
    """The probability of the history, given the player's own hand."""
    ranges: NDArray[np.float64]
    """[player, hand] the ranges of the other players in the order of turns, each summing to 1."""
    reading: Reading | None = None
    """The reading that gave the ranges and decides instead of the table; None for the table."""


def faced_bids(rules: Rules, bid: Bid | None, history: Sequence[Bid]) -> tuple[Bid, ...] | None:
    """Return the bids of the round for a player who faces `bid` after `history`, which may end with
    `bid`. Return None if the bids before it are unknown. Raises IllegalBid."""
    if bid is not None and not history and not can_bid(rules, bid, None):
        return None
    bids = tuple(history)
    if bid is not None and bids[-1:] != (bid,):
        bids = (*bids, bid)
    verify_history(rules, bids)
    return bids


OnStrategy = Callable[[NDArray[np.float64]], object]
"""A callback that gets the policy's strategy [place, action] for the hands of the question, before
the values are computed, which takes longer."""


class Adviser:
    """Gives advice from one policy, and keeps tables and scratch memory between questions."""

    def __init__(
        self, policy: TablePolicy | ReadingPolicy, on_strategy: OnStrategy = lambda played: None
    ) -> None:
        self.policy, self.rules, self._on_strategy = policy, policy.rules, on_strategy
        self._reader = policy if isinstance(policy, ReadingPolicy) else None
        self._table = policy.plain if isinstance(policy, ReadingPolicy) else policy
        self._bids = self._table.tables
        self._line: Line = empty_line(self._bids)

    def advise(self, hand: Hand, history: Sequence[Bid]) -> Advice:
        """Return advice to the player to move after `history`. Raises IllegalBid or IllegalHand."""
        verify_hand(self.rules, hand, len(history) % self.rules.players)
        (advice,) = self.advise_hands(np.array([hand_index(self.rules, hand)]), history)
        return advice

    def advise_hands(self, own: Ints, history: Sequence[Bid]) -> list[Advice]:
        """Return advice to the player to move after `history` with each of the different hands
        `own` [place] int64. Raises IllegalBid."""
        said, history = tuple(history), self._table.read(history)
        bids = self._table.actions(history)
        reads, found = np.zeros(own.size, dtype=np.bool_), dict[int, Advice]()
        if self._reader is not None:
            reads = self._reader.reads(bids[np.newaxis])[0, own]
            if reads.any():
                position = self._read(tuple(history), self._reader.reading)
                found |= self._mix(own[reads], [position], earlier_unknown=False, on_path=True)
        if not reads.all():
            ranges, on_path = self.ranges(history)
            position = _Position(tuple(history), 1.0, ranges)
            found |= self._mix(
                own[~reads],
                [position],
                earlier_unknown=False,
                on_path=on_path,
                own_on_path=self._bids_so(history),
            )
            found |= {hand: spoken(self._table, one, said, ranges) for hand, one in found.items()}
        return [found[hand] for hand in own.tolist()]

    def advise_range(self, history: Sequence[Bid]) -> tuple[OwnRange, list[Advice]]:
        """Return the range of the player to move after `history`, and [hand] the advice for every
        hand. Raises IllegalBid."""
        every = np.arange(self._bids.hands)
        return self.own_range(history), self.advise_hands(every, history)

    def own_range(self, history: Sequence[Bid]) -> OwnRange:
        """Return the range of the player to move after `history`. Raises IllegalBid."""
        history, players = self._table.read(history), self.rules.players
        bids = self._table.actions(history)
        prior = probabilities(self.rules, len(bids) % players)
        own = np.array(prior)
        for place in places_of(0, len(bids), players):
            own *= self.policy.strategy(history[:place])[:, bids[place]]
        if own.sum() > 0.0:
            return OwnRange(own / own.sum(), Believed.POLICY)
        if self._reader is None:
            return OwnRange(np.array(prior), Believed.UNKNOWN)
        read = self._reader.reading.range_of(bids[np.newaxis], places_of(0, len(bids), players))
        return OwnRange(read[0], Believed.READ)

    def _bids_so(self, history: Sequence[Bid]) -> NDArray[np.bool_]:
        """Return [hand] whether the table would have made the mover's earlier bids."""
        would = np.ones(self._bids.hands, dtype=np.bool_)
        for place in places_of(0, len(history), self.rules.players):
            played = self._table.strategy(history[:place])
            would &= played[:, action_of(self.rules, history[place])] > 0.0
        return would

    def advise_on_last(self, hand: Hand, bid: Bid) -> Advice:
        """Return advice for a player who faces `bid` and does not know the bids before it.

        The advice is the average over the histories in which players who follow the policy reach
        `bid`, the player to move with `hand`, weighted by their probability. If no history does,
        the ranges are those before the round, or read from `bid`. Raises IllegalBid or IllegalHand.
        """
        verify_can_arise(self.rules, bid)
        if self.rules.table.uneven:
            raise ZhaifeiError(
                "{bid} does not open the round: where players have different numbers of dice, all "
                "bids before it are needed",
                bid=bid,
            )
        positions = sorted(self._ways_to(hand, bid), key=lambda way: -way.weight)
        positions = positions[:_MOST_HISTORIES]
        on_path = len(positions) > 0
        if not on_path and self._reader is not None:
            positions, on_path = [self._read((bid,), self._reader.reading)], True
        if not on_path:
            positions = [_Position((bid,), 1.0, self._priors(1))]
        own = hand_index(self.rules, hand)
        return self._mix(np.array([own]), positions, earlier_unknown=True, on_path=on_path)[own]

    def advise_facing(self, hand: Hand, bid: Bid | None, history: Sequence[Bid] = ()) -> Advice:
        """Return advice for the player who faces `bid` after `history`, which may end with it.

        Without a history, a bid that may open a round is taken to have opened it; before any other
        bid the history is unknown. Without both, the advice is how to open. Raises IllegalBid or
        IllegalHand.
        """
        bids = faced_bids(self.rules, bid, history)
        if bids is None:
            assert bid is not None
            return self.advise_on_last(hand, bid)
        return self.advise(hand, bids)

    def ranges(self, history: Sequence[Bid]) -> tuple[NDArray[np.float64], bool]:
        """Return the ranges of the other players after `history`, by Bayes' rule, and whether the
        policy would make all their bids.

        Ranges are [player, hand] float64, each summing to 1, in the order of turns: the next player
        first. The range of a player whose bids the policy would never make is the one before the
        round.
        """
        history, players = self._table.read(history), self.rules.players
        ranges, on_path = self._priors(len(history)), True
        for player in range(players - 1):
            for place in range((len(history) + 1 + player) % players, len(history), players):
                played = self._table.strategy(history[:place])
                ranges[player] *= played[:, action_of(self.rules, history[place])]
            total = ranges[player].sum()
            if total > 0.0:
                ranges[player] /= total
            else:
                ranges[player], on_path = self._priors(len(history))[player], False
        return ranges, on_path

    def _read(self, history: tuple[Bid, ...], reading: Reading) -> _Position:
        """Return the position in which the others' ranges are read from the bids, which need not
        begin a round."""
        bids = np.array([self._actions(history)], dtype=np.int64)
        return _Position(history, 1.0, np.concatenate(reading.ranges(bids)), reading)

    def _priors(self, bids_made: int) -> NDArray[np.float64]:
        """Return [player, hand] the ranges before the round of all players except the one to move
        after `bids_made` bids, in the order of turns."""
        players = self.rules.players
        turns = range(bids_made + 1, bids_made + players)
        return np.stack([probabilities(self.rules, turn % players) for turn in turns])

    def _ways_to(self, hand: Hand, bid: Bid) -> Iterator[_Position]:
        """Yield the histories after which the player, in any seat, faces `bid`, if their
        probability is at least _HISTORY_CUT."""
        players = self.rules.players
        own, wanted = hand_index(self.rules, hand), action_of(self.rules, bid)
        start = _Position((), 1.0 / players, self._priors(0))
        waiting = [(start, ahead) for ahead in range(players)]
        while waiting:
            # The player's own turn is `ahead` turns away. Ranges are in the order of turns after
            # the own turn, so the range of the current mover is `ahead` places from the end.
            position, ahead = waiting.pop()
            history, weight, ranges = position.history, position.weight, position.ranges
            played = self.policy.strategy(history)
            if ahead == 0:
                for action in np.flatnonzero(played[own, :wanted] * weight >= _HISTORY_CUT):
                    raised = (*history, domain(self.rules)[action])
                    share = float(played[own, action])
                    waiting.append((_Position(raised, weight * share, ranges), players - 1))
                continue
            # Only the player directly before the own turn can have made the bid.
            likely = ranges[-ahead] @ played[:, : wanted + (ahead == 1)]
            for action in np.flatnonzero(likely * weight >= _HISTORY_CUT):
                share = float(likely[action])
                raised = (*history, domain(self.rules)[action])
                after = ranges.copy()
                after[-ahead] *= played[:, action] / share
                way = _Position(raised, weight * share, after)
                if action == wanted:
                    yield way
                else:
                    waiting.append((way, ahead - 1))

    def _mix(
        self,
        own: Ints,
        positions: list[_Position],
        *,
        earlier_unknown: bool,
        on_path: bool,
        own_on_path: NDArray[np.bool_] | None = None,
    ) -> dict[int, Advice]:
        """Return by hand, for each of `own` [place], the average advice over positions that share
        their last bid; `own_on_path` is [hand], None for all.

        The value of an action is averaged over the positions where it is legal. All sums add the
        weights in the same order, and are divided by the total weight at the end. So an average of
        probabilities is at most 1, despite rounding.
        """
        history = positions[0].history
        distances = challengeable(self.rules, 1 if earlier_unknown else len(history))
        arises = on_path or not earlier_unknown
        total, true = 0.0, np.zeros((len(distances) if history else 0, own.size))
        strategy = np.zeros((own.size, action_count(self.rules)))
        values, legal = np.zeros((2, *strategy.shape)), np.zeros(strategy.shape[1])
        for position in positions:
            weight = position.weight
            total += weight
            for place in range(len(true)):
                true[place] += weight * self._p_true(own, position, distances[place])
            strategy += weight * self._played(own, position, arises=arises)
        strategy /= total
        self._on_strategy(strategy)
        for position in positions:
            weight = position.weight
            found = self._values(own, position, self._few_lines(len(positions)))
            values += weight * np.nan_to_num(found)
            legal += weight * ~np.isnan(found[0, 0])
        with np.errstate(invalid="ignore"):
            values /= legal
        advised = self._advised(strategy, values, positions[0])
        chances = (true / total).T.tolist()
        actions = action_advice(self.rules, advised, *values)
        return {
            hand: Advice(
                hand=hands(self.rules)[hand],
                history=history[-1:] if earlier_unknown else history,
                earlier_unknown=earlier_unknown,
                p_true=chances[place][0] if history else None,
                earlier_true=tuple(chances[place][1:]),
                actions=actions[place],
                on_path=on_path,
                own_on_path=own_on_path is None or bool(own_on_path[hand]),
                read=any(position.reading is not None for position in positions),
                opening_follows=None if history or self._reader is None else self._reader.follows,
                overruled=bool(advised[place, strategy[place].argmax()] == 0.0),
            )
            for place, hand in enumerate(own.tolist())
        }

    def _advised(
        self, strategy: NDArray[np.float64], values: NDArray[np.float64], position: _Position
    ) -> NDArray[np.float64]:
        """Return [place, action] the part of `strategy` [place, action] that is advised, given
        `values` [2, place, action]. Only where the table of a policy of several players has chosen
        is anything left out."""
        if self._reader is None or not position.history or position.reading is not None:
            return strategy
        return np.stack([advised_surely(*one) for one in zip(strategy, *values, strict=True)])

    def _played(self, own: Ints, position: _Position, *, arises: bool) -> NDArray[np.float64]:
        """Return [place, action] the policy's strategy for the hands `own`. Unless the position
        `arises` in the policy's play, it challenges, as strategy tables do off their lines."""
        if position.reading is not None:
            return position.reading.strategy(self._actions(position.history))[own]
        if arises:
            return self.policy.strategy(position.history)[own]
        strategy = np.zeros((own.size, action_count(self.rules)))
        strategy[:, challenge_action(self.rules)] = 1.0
        return strategy

    def _few_lines(self, positions: int) -> int:
        """Return how many lines count as few in each of `positions` positions, for one hand."""
        together = _FEW_OF_TWO if self.rules.players == 2 else _FEW_OF_MANY
        return max(_FEW_LINES, together // positions)

    def _values(self, own: Ints, position: _Position, few: int) -> NDArray[np.float64]:
        """Return [2, place, action] values in penalty points and bounds of their errors; NaN for
        illegal actions. The figures of a hand do not depend on the other hands in `own`."""
        if position.reading is not None:
            return self._values_read(own, self._actions(position.history), position.reading)
        found = self._values_followed(own, position, few)
        if self._reader is not None and not position.history:
            self._weigh_openings(own, found, self._reader)
        return found

    def _weigh_openings(self, own: Ints, found: NDArray[np.float64], reader: ReadingPolicy) -> None:
        """Replace the table's values of openings in `found` [2, place, action] by the values of the
        criterion of `reader`. They are computed from the opening with the highest certain value
        plus cost by the table, so all have the error of this opening's value."""
        legal, every = np.flatnonzero(self._bids.legal[0]), np.arange(own.size)
        values, errors = found[..., legal]
        earned = values + reader.plain.opening_cost.astype(np.float64)[:, own].T
        surest = (earned - errors).argmax(axis=1)
        found[0][:, legal] = reader.opening_values(earned[every, surest], own)
        found[1][:, legal] = reader.follows * errors[every, surest, np.newaxis]

    def _values_read(self, own: Ints, bids: History, reading: Reading) -> NDArray[np.float64]:
        """Return `_values` where hands are read after `bids`."""
        values = reading.values(own, bids)
        errors = np.where(np.isnan(values), np.nan, 0.0)
        for distance in challengeable(self.rules, len(bids))[1:]:
            jump, most = challenge_action(self.rules, distance), distance / (self.rules.players - 1)
            errors[:, jump] = np.maximum(values[:, jump] + distance, most - values[:, jump])
        return np.stack([values, errors])

    def _values_followed(self, own: Ints, position: _Position, few: int) -> NDArray[np.float64]:
        """Return `_values` if everybody follows the table."""
        bids = self._actions(position.history)
        history, asked = np.array(bids, dtype=np.int64), np.arange(own.size)
        found = np.empty((2, own.size, action_count(self.rules)))
        for cut in _CUTS:
            self._line.followed[:] = 0
            found[:, asked] = action_values(
                self._bids,
                self._table.below(bids),
                self._line,
                history,
                position.ranges,
                own[asked],
                cut,
            )
            close = np.nanmax(found[1, asked], axis=1) <= _CLOSE
            asked = asked[~close & (self._line.followed[own[asked]] <= few)]
            if not asked.size:
                break
        return found

    def _actions(self, history: tuple[Bid, ...]) -> tuple[int, ...]:
        return tuple(action_of(self.rules, bid) for bid in history)

    def _p_true(self, own: Ints, position: _Position, distance: int) -> NDArray[np.float64]:
        """Return [place] the probability that the bid made `distance` bids ago is true."""
        bid = action_of(self.rules, position.history[-distance])
        return true_with(self._bids, bid, position.ranges)[own]


def true_with(bids: BidTables, bid: int, ranges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return [hand] the probability that `bid` is true with each own hand, if the others have these
    `ranges` [player, hand]."""
    matches, claimed = bids.matches[bid], int(bids.claimed[bid])
    counts = matching_dice(matches, ranges, bids.dice)
    chances = [probability_true(claimed, dice, counts) for dice in range(bids.dice + 1)]
    of_hands: NDArray[np.float64] = np.array(chances)[matches]
    return of_hands


def spoken(
    policy: TablePolicy, advice: Advice, said: tuple[Bid, ...], ranges: NDArray[np.float64]
) -> Advice:
    """Return `advice` of `policy` after the bids for which it takes `said`, as advice after `said`;
    `ranges` [player, hand] are the others'.

    The table of an abstraction may list bids that cannot follow `said`. They are left out, and
    their probability goes to the strongest idle bid (`solver.abstraction`). The table answers idle
    bids that it never makes itself, but it does not store how the player goes on who made one. So
    the values of raises are unknown after such a bid.
    """
    abstraction, rules = policy.abstraction, policy.rules
    if not abstraction.idle or not said:
        return advice
    last, actions = action_of(rules, said[-1]), advice.actions
    names = [format_action(rules, bid) for bid in range(abstraction.idle)]
    too_weak = names[: last + 1]
    more = sum(one.probability for one in actions if one.action in too_weak)
    actions = tuple(
        replace(one, probability=min(1.0, one.probability + more * (one.action == names[-1])))
        for one in actions
        if one.action not in too_weak
    )
    if not advice.on_path and advice.solved is None:
        actions = tuple(
            one if one.action == CHALLENGE else replace(one, value_error=BETWEEN_ENDS)
            for one in actions
        )
    if advice.history == said:
        return replace(advice, actions=actions)
    true = float(true_with(policy.tables, last, ranges)[hand_index(rules, advice.hand)])
    actions = tuple(
        replace(one, value=1.0 - 2.0 * true, value_error=0.0) if one.action == CHALLENGE else one
        for one in actions
    )
    return replace(advice, history=said, taken_for=advice.history, p_true=true, actions=actions)


def action_advice(
    rules: Rules,
    strategy: NDArray[np.float64],
    values: NDArray[np.float64],
    errors: NDArray[np.float64],
) -> list[tuple[ActionAdvice, ...]]:
    """Return [place] the advice in arrays [place, action] on the legal actions, which have values
    other than NaN."""
    legal = np.flatnonzero(~np.isnan(values[0]))
    names = [format_action(rules, action) for action in legal.tolist()]
    figures = (each[:, legal].tolist() for each in (strategy, values, errors))
    return [tuple(map(ActionAdvice, names, *rows)) for rows in zip(*figures, strict=True)]
