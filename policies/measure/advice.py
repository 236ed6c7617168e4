"""Advice of a policy on one decision: its strategy for a hand, the probability that the last bid is
true, and the value of each action.

Values are in penalty points: what the player to move earns in the round if everybody then follows
the policy. Opponents' ranges follow from their bids by Bayes' rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.bids import (
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
from game.hands import Hand, hand_index, probabilities
from game.notation import format_action
from game.rules import Rules
from game.tables import bid_tables
from policies.players.reading import Reading
from policies.players.reading_policy import ReadingPolicy
from policies.players.table_policy import TablePolicy
from solver.showdown import matching_dice, probability_true
from solver.value.action_values import Line, action_values, empty_line

_CUTS = (2e-3, 2e-4, 2e-5, 2e-6, 2e-7)
"""Values are computed along all lines of play that are more probable than a cut. The next finer cut
is tried as long as some value may be off by more than _CLOSE and few lines were followed. How far
values may be off is part of the advice."""
_CLOSE = 2e-3
_FEW_LINES = 400
"""How many lines count as few in each position, at least,"""
_FEW_OF_TWO, _FEW_OF_MANY = 100_000, 5000
"""and in all positions of a question together: so an answer takes tenths of a second. With more
than two players a line takes longer."""
_HISTORY_CUT = 1e-3
"""If earlier bids are unknown, histories less probable than this are ignored."""
_MOST_HISTORIES = 64
"""If earlier bids are unknown, at most this many histories are averaged over."""


@dataclass(frozen=True)
class ActionAdvice:
    """Advice on one legal action."""

    action: str
    """In the notation of `game.notation`."""
    probability: float
    """How often the policy takes it with this hand."""
    value: float
    """The penalty points that it earns if all players then follow the policy."""
    value_error: float
    """A bound of the error of `value`, which comes from lines of play that were omitted."""


class Solved(NamedTuple):
    """How a position was solved again (`policies.players.resolving`)."""

    gap: float
    """What best responses still gain in the game that was solved, in penalty points."""
    caution: str
    """How little what is believed of the opponent counts: the value of a Caution."""


class Locked(NamedTuple):
    """How locks entered an answer (`policies.measure.locked_advice`)."""

    source: str
    """The file."""
    lines: tuple[int, ...]
    """Where the locks begin, in the file, that are about bids on this line of play."""
    answer: str
    """The value of a LockAnswer."""
    read: bool
    """Whether the opponent, locked so, never bids like this, and their hand is read from their
    bids."""
    gap: float | None
    """What best responses still gain in the game that was solved, in penalty points; None for a
    best response, which is exact."""


@dataclass(frozen=True)
class Advice:
    """What a policy advises a player to move."""

    hand: Hand
    """The player's own."""
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
    """Whether the policy would make the player's own earlier bids with this hand. If not, it may
    not have learned what to do now."""
    read: bool = False
    """Whether the table of the policy does not play here, and the others' ranges are read from
    their bids (`policies.players.reading_policy`); values are then those of
    `policies.players.reading.Reading.values`. `on_path` and `own_on_path` say nothing of it and are
    True."""
    solved: Solved | None = None
    """How the position was solved again, if the advice comes from that; `on_path` and `own_on_path`
    are then True. Values are those of best play from here against the solution, and errors what
    playing the solution falls short of them."""
    locked: Locked | None = None
    """The locks of the opponent, if there are any; `on_path` and `own_on_path` are then True.
    Values are those of best play from here."""

    @property
    def ranked(self) -> list[ActionAdvice]:
        """The actions by probability, highest first; equally probable ones by value, highest
        first."""
        return sorted(self.actions, key=lambda action: (-action.probability, -action.value))

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


class _Position(NamedTuple):
    """A history as the player to move sees it."""

    history: tuple[Bid, ...]
    weight: float
    """The probability of the history, given the player's own hand."""
    ranges: NDArray[np.float64]
    """[player, hand] of the other players in the order of their turns, each summing to 1."""
    reading: Reading | None = None
    """What read the ranges and decides, instead of the table."""


def faced_bids(rules: Rules, bid: Bid | None, history: Sequence[Bid]) -> tuple[Bid, ...] | None:
    """Return the bids of the round for a player who faces `bid` after `history`, which may end with
    it; None if those before the bid are unknown. Raises IllegalBid."""
    if bid is not None and not history and not can_bid(rules, bid, None):
        return None
    bids = tuple(history)
    if bid is not None and bids[-1:] != (bid,):
        bids = (*bids, bid)
    verify_history(rules, bids)
    return bids


class Adviser:
    """Gives advice from one policy; keeps tables and scratch memory between questions."""

    def __init__(self, policy: TablePolicy | ReadingPolicy) -> None:
        self.policy, self.rules = policy, policy.rules
        self._reader = policy if isinstance(policy, ReadingPolicy) else None
        self._table = policy.plain if isinstance(policy, ReadingPolicy) else policy
        self._bids = bid_tables(policy.rules)
        self._line: Line = empty_line(self._bids)

    def advise(self, hand: Hand, history: Sequence[Bid]) -> Advice:
        """Return advice to the player to move after `history`. Raises IllegalBid or IllegalHand."""
        bids, own = self._table.actions(history), hand_index(self.rules, hand)
        if self._reader is not None and self._reader.reads(bids[np.newaxis])[0, own]:
            position = self._read(tuple(history), self._reader.reading)
            return self._mix(
                hand, [position], earlier_unknown=False, on_path=True, own_on_path=True
            )
        ranges, on_path = self.ranges(history)
        return self._mix(
            hand,
            [_Position(tuple(history), 1.0, ranges)],
            earlier_unknown=False,
            on_path=on_path,
            own_on_path=self._bids_so(hand, history),
        )

    def _bids_so(self, hand: Hand, history: Sequence[Bid]) -> bool:
        """Return whether the policy with `hand` would have made the mover's earlier bids."""
        own = hand_index(self.rules, hand)
        return all(
            self._table.strategy(history[:place])[own, action_of(self.rules, history[place])] > 0.0
            for place in range(len(history) % self.rules.players, len(history), self.rules.players)
        )

    def advise_on_last(self, hand: Hand, bid: Bid) -> Advice:
        """Return advice for a player who faces `bid` and does not know the bids before it.

        The advice is the average over the histories in which players who follow the policy, the one
        to move with `hand`, come to `bid`, weighted by their probability. If there are none, the
        ranges are those before the round, or read from this bid. Raises IllegalBid or IllegalHand.
        """
        verify_can_arise(self.rules, bid)
        positions = sorted(self._ways_to(hand, bid), key=lambda way: -way.weight)
        positions = positions[:_MOST_HISTORIES]
        on_path = len(positions) > 0
        if not on_path and self._reader is not None:
            positions, on_path = [self._read((bid,), self._reader.reading)], True
        if not on_path:
            positions = [_Position((bid,), 1.0, self._priors())]
        return self._mix(hand, positions, earlier_unknown=True, on_path=on_path, own_on_path=True)

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
        players = self.rules.players
        ranges, on_path = self._priors(), True
        for player in range(players - 1):
            for place in range((len(history) + 1 + player) % players, len(history), players):
                played = self._table.strategy(history[:place])
                ranges[player] *= played[:, action_of(self.rules, history[place])]
            total = ranges[player].sum()
            if total > 0.0:
                ranges[player] /= total
            else:
                ranges[player], on_path = probabilities(self.rules), False
        return ranges, on_path

    def _read(self, history: tuple[Bid, ...], reading: Reading) -> _Position:
        """Return the position in which the others' ranges are read from the bids, which need not
        begin a round."""
        bids = np.array([self._actions(history)], dtype=np.int64)
        return _Position(history, 1.0, np.concatenate(reading.ranges(bids)), reading)

    def _priors(self) -> NDArray[np.float64]:
        """Return [player, hand] the other players' ranges before the round."""
        return np.tile(probabilities(self.rules), (self.rules.players - 1, 1))

    def _ways_to(self, hand: Hand, bid: Bid) -> Iterator[_Position]:
        """Yield the histories after which the player, in any seat, faces `bid`, if their
        probability is at least _HISTORY_CUT."""
        players = self.rules.players
        own, wanted = hand_index(self.rules, hand), action_of(self.rules, bid)
        start = _Position((), 1.0 / players, self._priors())
        waiting = [(start, ahead) for ahead in range(players)]
        while waiting:
            # The player's own turn is `ahead` turns away. Ranges are in the order of turns after
            # it, so the range of the player who moves now is `ahead` places from the end.
            position, ahead = waiting.pop()
            history, weight, ranges = position.history, position.weight, position.ranges
            played = self.policy.strategy(history)
            if ahead == 0:
                for action in np.flatnonzero(played[own, :wanted] * weight >= _HISTORY_CUT):
                    raised = (*history, domain(self.rules)[action])
                    share = float(played[own, action])
                    waiting.append((_Position(raised, weight * share, ranges), players - 1))
                continue
            # Only the player right before the own turn can have made the bid.
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
        hand: Hand,
        positions: list[_Position],
        *,
        earlier_unknown: bool,
        on_path: bool,
        own_on_path: bool,
    ) -> Advice:
        """Return the average advice over positions that share their last bid.

        The value of an action is averaged over the positions where it is legal. Weights are added
        in the same order wherever they are, and divided by their sum at the end: so an average of
        probabilities is at most 1, however sums are rounded.
        """
        own, history = hand_index(self.rules, hand), positions[0].history
        distances = challengeable(self.rules, 1 if earlier_unknown else len(history))
        arises = on_path or not earlier_unknown
        total, true = 0.0, np.zeros(len(distances) if history else 0)
        strategy = np.zeros(action_count(self.rules))
        values, legal = np.zeros((2, strategy.size)), np.zeros(strategy.size)
        for position in positions:
            weight = position.weight
            total += weight
            true += [weight * self._p_true(own, position, one) for one in distances if history]
            strategy += weight * self._played(own, position, arises=arises)
            found = self._values(own, position, self._few_lines(len(positions)))
            values += weight * np.nan_to_num(found)
            legal += weight * ~np.isnan(found[0])
        p_true, *earlier_true = (true / total).tolist() or [None]
        return Advice(
            hand=hand,
            history=history[-1:] if earlier_unknown else history,
            earlier_unknown=earlier_unknown,
            p_true=p_true,
            earlier_true=tuple(earlier_true),
            actions=tuple(
                ActionAdvice(
                    format_action(self.rules, action),
                    float(strategy[action] / total),
                    *(values[:, action] / legal[action]).tolist(),
                )
                for action in np.flatnonzero(legal).tolist()
            ),
            on_path=on_path,
            own_on_path=own_on_path,
            read=any(position.reading is not None for position in positions),
        )

    def _played(self, own: int, position: _Position, *, arises: bool) -> NDArray[np.float64]:
        """Return [action] the policy's strategy for the hand `own`. If no play of the policy
        `arises` there, it challenges, as strategy tables do in all unreached positions."""
        if position.reading is not None:
            decided: NDArray[np.float64] = position.reading.strategy(
                self._actions(position.history)
            )[own]
            return decided
        if arises:
            played: NDArray[np.float64] = self.policy.strategy(position.history)[own]
            return played
        strategy = np.zeros(action_count(self.rules))
        strategy[challenge_action(self.rules)] = 1.0
        return strategy

    def _few_lines(self, positions: int) -> int:
        """Return how many lines count as few in each of so many positions."""
        together = _FEW_OF_TWO if self.rules.players == 2 else _FEW_OF_MANY
        return max(_FEW_LINES, together // positions)

    def _values(self, own: int, position: _Position, few: int) -> NDArray[np.float64]:
        """Return [2, action] expected values in penalty points and bounds of their errors; NaN for
        illegal actions."""
        bids = self._actions(position.history)
        if position.reading is not None:
            values = position.reading.values(own, bids)
            return np.stack([values, np.where(np.isnan(values), np.nan, 0.0)])
        history = np.array(bids, dtype=np.int64)
        for cut in _CUTS:
            self._line.followed[0] = 0
            found: NDArray[np.float64] = action_values(
                self._bids, self._table.table, self._line, history, position.ranges, own, cut
            )
            if self._line.followed[0] > few or np.nanmax(found[1]) <= _CLOSE:
                break
        return found

    def _actions(self, history: tuple[Bid, ...]) -> tuple[int, ...]:
        return tuple(action_of(self.rules, bid) for bid in history)

    def _p_true(self, own: int, position: _Position, distance: int) -> float:
        """The probability that the bid made `distance` bids ago is true."""
        bid = action_of(self.rules, position.history[-distance])
        matches = self._bids.matches[bid]
        counts = matching_dice(matches, position.ranges, self.rules.dice)
        return probability_true(int(self._bids.claimed[bid]), int(matches[own]), counts)
