"""What a policy says about a hand: the strategy, the chance that the bid is true, and values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.bids import Bid, action_of, challenge_action, domain, verify_can_arise
from game.errors import ZhaifeiError
from game.hands import Hand, hand_index, probabilities
from game.notation import format_action
from game.tables import bid_tables
from policies.table import TablePolicy
from solver.values import Lines, action_values, empty_lines

_CUTS = (1e-3, 1e-4, 1e-5)
_FEW_LINES = 250
"""Actions are valued by following all lines likelier than a cut, refined as long as few lines were
followed, so that an answer takes milliseconds; how far values may be off is part of it."""
_HISTORY_CUT = 1e-3
"""Histories less likely than this are not considered when earlier bids are unknown."""
_MOST_HISTORIES = 64


@dataclass(frozen=True)
class ActionAdvice:
    """One legal action."""

    action: str
    """As the notation prints it."""
    probability: float
    """How often the policy takes it with this hand."""
    value: float
    """Penalty points that it earns when both players go on with the policy."""
    value_error: float
    """A bound of how far the value is off, because unlikely lines were not followed."""


@dataclass(frozen=True)
class Advice:
    """What the policy says; actions are in the order of `game.bids`, the challenge last."""

    hand: Hand
    history: tuple[Bid, ...]
    earlier_unknown: bool
    """Whether `history` is the last bid only, whatever came before it."""
    p_true: float | None
    """Probability that the last bid is true, given the hand and the opponent's range."""
    actions: tuple[ActionAdvice, ...]
    on_path: bool
    """Whether the policy itself ever bids as the opponent did; otherwise their range is unknown
    and taken as before the round."""
    own_on_path: bool
    """Whether the policy itself, with this hand, ever bids as its owner did; if not, it need not
    have learnt what to do now."""


def openings(policy: TablePolicy) -> list[tuple[Bid, float]]:
    """The opening bids by how often the policy makes them over all hands, most frequent first."""
    played = probabilities(policy.rules) @ policy.strategy(())
    shares = zip(domain(policy.rules), played.tolist(), strict=False)
    return sorted(((bid, share) for bid, share in shares if share > 0), key=lambda pair: -pair[1])


class _Position(NamedTuple):
    """A history as the player in turn sees it."""

    history: tuple[Bid, ...]
    weight: float
    """Probability of the history, given the own hand."""
    range_: NDArray[np.float64]
    """[hand] the opponent's range, summing to 1."""


class Adviser:
    """Answers questions about one two-player policy; keeps what further questions can reuse.

    Raises ZhaifeiError for other numbers of players.
    """

    def __init__(self, policy: TablePolicy) -> None:
        if policy.rules.players != 2:
            raise ZhaifeiError(f"advice is for 2 players; the policy is for {policy.rules.players}")
        self.policy, self.rules = policy, policy.rules
        self._bids = bid_tables(policy.rules)
        self._lines: Lines = empty_lines(self._bids)

    def advise(self, hand: Hand, history: Sequence[Bid]) -> Advice:
        """Advice for the player in turn after `history`. Raises IllegalBid or IllegalHand."""
        range_, on_path = self.opponent_range(history)
        position = _Position(tuple(history), 1.0, range_)
        advice = self._mix(hand, [position], earlier_unknown=False, on_path=on_path)
        return replace(advice, own_on_path=self._bids_so(hand, history))

    def _bids_so(self, hand: Hand, history: Sequence[Bid]) -> bool:
        """Whether the policy with `hand` ever makes the bids of the player in turn."""
        own = hand_index(self.rules, hand)
        return all(
            self.policy.strategy(history[:place])[own, action_of(self.rules, history[place])] > 0.0
            for place in range(len(history) - 2, -1, -2)
        )

    def advise_on_last(self, hand: Hand, bid: Bid) -> Advice:
        """Advice facing `bid` with the bids before it unknown: the mixture over all ways in which
        two players of the policy, one of them with `hand`, come to it."""
        verify_can_arise(self.rules, bid)
        positions = sorted(self._ways_to(hand, bid), key=lambda way: -way.weight)
        positions = positions[:_MOST_HISTORIES]
        if positions:
            return self._mix(hand, positions, earlier_unknown=True, on_path=True)
        before = _Position((bid,), 1.0, probabilities(self.rules))
        return self._mix(hand, [before], earlier_unknown=True, on_path=False)

    def opponent_range(self, history: Sequence[Bid]) -> tuple[NDArray[np.float64], bool]:
        """[hand] what the bids say of the opponent of the player in turn, by Bayes' rule, and
        whether the policy ever bids like that; if not, the range before the round."""
        range_ = probabilities(self.rules).copy()
        for place in range(len(history) - 1, -1, -2):
            played = self.policy.strategy(history[:place])
            range_ *= played[:, action_of(self.rules, history[place])]
        total = range_.sum()
        if total <= 0.0:
            return probabilities(self.rules), False
        return range_ / total, True

    def _ways_to(self, hand: Hand, bid: Bid) -> Iterator[_Position]:
        """Histories that end in the opponent's `bid`, by either seat, likely enough to matter."""
        own, wanted = hand_index(self.rules, hand), action_of(self.rules, bid)
        start = _Position((), 0.5, probabilities(self.rules))
        waiting = [(start, False), (start, True)]
        while waiting:
            (history, weight, range_), own_turn = waiting.pop()
            played = self.policy.strategy(history)
            if own_turn:
                for action in np.flatnonzero(played[own, :wanted] * weight >= _HISTORY_CUT):
                    raised = (*history, domain(self.rules)[action])
                    share = float(played[own, action])
                    waiting.append((_Position(raised, weight * share, range_), False))
                continue
            likely = range_ @ played[:, : wanted + 1]
            for action in np.flatnonzero(likely * weight >= _HISTORY_CUT):
                share = float(likely[action])
                raised = (*history, domain(self.rules)[action])
                way = _Position(raised, weight * share, range_ * played[:, action] / share)
                if action == wanted:
                    yield way
                else:
                    waiting.append((way, True))

    def _mix(
        self, hand: Hand, positions: list[_Position], *, earlier_unknown: bool, on_path: bool
    ) -> Advice:
        """The average of what the policy says in the positions, which share their last bid."""
        own = hand_index(self.rules, hand)
        actions = challenge_action(self.rules) + 1
        strategy, values, p_true = np.zeros(actions), np.zeros((2, actions)), 0.0
        total = sum(position.weight for position in positions)
        for position in positions:
            share = position.weight / total
            arises = on_path or not earlier_unknown
            strategy += share * self._played(own, position, arises=arises)
            values += share * self._values(own, position)
            p_true += share * self._p_true(own, position)
        history = positions[0].history
        return Advice(
            hand=hand,
            history=history[-1:] if earlier_unknown else history,
            earlier_unknown=earlier_unknown,
            p_true=p_true if history else None,
            actions=tuple(
                ActionAdvice(
                    format_action(self.rules, action), float(strategy[action]), value, error
                )
                for action, (value, error) in enumerate(values.T.tolist())
                if not np.isnan(value)
            ),
            on_path=on_path,
            own_on_path=True,
        )

    def _played(self, own: int, position: _Position, *, arises: bool) -> NDArray[np.float64]:
        """[action] the strategy; what play never comes to is challenged, as all unreached is."""
        if arises:
            played: NDArray[np.float64] = self.policy.strategy(position.history)[own]
            return played
        strategy = np.zeros(challenge_action(self.rules) + 1)
        strategy[challenge_action(self.rules)] = 1.0
        return strategy

    def _values(self, own: int, position: _Position) -> NDArray[np.float64]:
        """[2, action] expected values and how far they may be off; NaN for what is forbidden."""
        history = np.array([action_of(self.rules, bid) for bid in position.history], dtype=np.int64)
        for cut in _CUTS:
            self._lines.followed[0] = 0
            found: NDArray[np.float64] = action_values(
                self._bids, self.policy.table, self._lines, history, position.range_, own, cut
            )
            if self._lines.followed[0] > _FEW_LINES:
                break
        return found

    def _p_true(self, own: int, position: _Position) -> float:
        if not position.history:
            return float("nan")
        bid = action_of(self.rules, position.history[-1])
        matches = self._bids.matches[bid]
        true = matches[own] + matches >= self._bids.claimed[bid]
        return float(position.range_[true].sum())
