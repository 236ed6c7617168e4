"""What a policy says about a hand: the strategy, the chance that the bid is true, and values."""

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
from game.tables import bid_tables
from policies.players.table_policy import TablePolicy
from solver.showdown import matching_dice, probability_true
from solver.value.action_values import Line, action_values, empty_line

_CUTS = (2e-3, 2e-4, 2e-5)
_FEW_LINES, _FEW_LINES_OF_MANY = 400, 5000
"""Actions are valued by following all lines likelier than a cut, refined as long as few lines were
followed, so that an answer takes milliseconds, with more than two players tenths of a second: there
more is left open by each line cut. These many are for all positions that a question is about
together. How far values may be off is part of the answer."""
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
    """Penalty points that it earns when all players go on with the policy."""
    value_error: float
    """A bound of how far the value is off, because unlikely lines were not followed."""


@dataclass(frozen=True)
class Advice:
    """What the policy says; actions are in the order of `game.bids`, challenges last."""

    hand: Hand
    history: tuple[Bid, ...]
    earlier_unknown: bool
    """Whether `history` is the last bid only, whatever came before it."""
    p_true: float | None
    """Probability that the last bid is true, given the hand and the others' ranges."""
    earlier_true: tuple[float, ...]
    """The same of the bids made 2, 3, ... bids ago, as far as they may be challenged; none if they
    are unknown."""
    actions: tuple[ActionAdvice, ...]
    on_path: bool
    """Whether the policy itself ever bids as each of the others did; who did not has an unknown
    range, taken as before the round."""
    own_on_path: bool
    """Whether the policy itself, with this hand, ever bids as its owner did; if not, it need not
    have learnt what to do now."""

    @property
    def ranked(self) -> list[ActionAdvice]:
        """What the policy does most comes first; of the rest, what is worth most."""
        return sorted(self.actions, key=lambda action: (-action.probability, -action.value))

    @property
    def true(self) -> list[tuple[Bid, float]]:
        """The bids that may be challenged, as far as they are known, the last one first, and the
        probability that each is true."""
        chances = [] if self.p_true is None else [self.p_true, *self.earlier_true]
        return list(zip(reversed(self.history), chances, strict=False))


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
    ranges: NDArray[np.float64]
    """[player, hand] those of the others in the order of their turns, each summing to 1."""


class Adviser:
    """Answers questions about one policy; keeps what further questions can reuse."""

    def __init__(self, policy: TablePolicy) -> None:
        self.policy, self.rules = policy, policy.rules
        self._bids = bid_tables(policy.rules)
        self._line: Line = empty_line(self._bids)

    def advise(self, hand: Hand, history: Sequence[Bid]) -> Advice:
        """Advice for the player in turn after `history`. Raises IllegalBid or IllegalHand."""
        ranges, on_path = self.ranges(history)
        return self._mix(
            hand,
            [_Position(tuple(history), 1.0, ranges)],
            earlier_unknown=False,
            on_path=on_path,
            own_on_path=self._bids_so(hand, history),
        )

    def _bids_so(self, hand: Hand, history: Sequence[Bid]) -> bool:
        """Whether the policy with `hand` ever makes the bids of the player in turn."""
        own = hand_index(self.rules, hand)
        return all(
            self.policy.strategy(history[:place])[own, action_of(self.rules, history[place])] > 0.0
            for place in range(len(history) % self.rules.players, len(history), self.rules.players)
        )

    def advise_on_last(self, hand: Hand, bid: Bid) -> Advice:
        """Advice facing `bid` with the bids before it unknown: the mixture over all ways in which
        players of the policy, one of them with `hand`, come to it."""
        verify_can_arise(self.rules, bid)
        positions = sorted(self._ways_to(hand, bid), key=lambda way: -way.weight)
        positions = positions[:_MOST_HISTORIES]
        on_path = len(positions) > 0
        if not on_path:
            positions = [_Position((bid,), 1.0, self._priors())]
        return self._mix(hand, positions, earlier_unknown=True, on_path=on_path, own_on_path=True)

    def advise_facing(self, hand: Hand, bid: Bid | None, history: Sequence[Bid] = ()) -> Advice:
        """Return advice for the player who faces `bid` after `history`, which may end with it.

        Without a history, a bid that may open a round opened it, and of other bids those before
        are unknown; without either the advice is how to open. Raises IllegalBid or IllegalHand.
        """
        if bid is not None and not history and not can_bid(self.rules, bid, None):
            return self.advise_on_last(hand, bid)
        bids = tuple(history)
        if bid is not None and bids[-1:] != (bid,):
            bids = (*bids, bid)
        verify_history(self.rules, bids)
        return self.advise(hand, bids)

    def ranges(self, history: Sequence[Bid]) -> tuple[NDArray[np.float64], bool]:
        """What the bids say of the others, by Bayes' rule: [player, hand] in the order of their
        turns, the next one first. And whether the policy ever bids like that; the range of who
        does not is that before the round."""
        players = self.rules.players
        ranges, on_path = self._priors(), True
        for player in range(players - 1):
            for place in range((len(history) + 1 + player) % players, len(history), players):
                played = self.policy.strategy(history[:place])
                ranges[player] *= played[:, action_of(self.rules, history[place])]
            total = ranges[player].sum()
            if total > 0.0:
                ranges[player] /= total
            else:
                ranges[player], on_path = probabilities(self.rules), False
        return ranges, on_path

    def _priors(self) -> NDArray[np.float64]:
        """[player, hand] what is known of the others before the round."""
        return np.tile(probabilities(self.rules), (self.rules.players - 1, 1))

    def _ways_to(self, hand: Hand, bid: Bid) -> Iterator[_Position]:
        """Histories that end in `bid`, with the own turn next, in any seat, likely enough to
        matter."""
        players = self.rules.players
        own, wanted = hand_index(self.rules, hand), action_of(self.rules, bid)
        start = _Position((), 1.0 / players, self._priors())
        waiting = [(start, ahead) for ahead in range(players)]
        while waiting:
            # Ranges are in the order of turns, so who moves now is as many places on as the own
            # turn is ahead, counted from the end.
            (history, weight, ranges), ahead = waiting.pop()
            played = self.policy.strategy(history)
            if ahead == 0:
                for action in np.flatnonzero(played[own, :wanted] * weight >= _HISTORY_CUT):
                    raised = (*history, domain(self.rules)[action])
                    share = float(played[own, action])
                    waiting.append((_Position(raised, weight * share, ranges), players - 1))
                continue
            # Only the last before the own turn can have made the bid.
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
        """The average of what the policy says in the positions, which share their last bid; the
        value of an action, of those where it is legal."""
        own = hand_index(self.rules, hand)
        total = sum(position.weight for position in positions)
        shares = [position.weight / total for position in positions]
        arises = on_path or not earlier_unknown
        strategy = np.zeros(action_count(self.rules))
        values, legal = np.zeros((2, strategy.size)), np.zeros(strategy.size)
        for share, position in zip(shares, positions, strict=True):
            strategy += share * self._played(own, position, arises=arises)
            found = self._values(own, position, self._few_lines(len(positions)))
            values += share * np.nan_to_num(found)
            legal += share * ~np.isnan(found[0])
        history = positions[0].history
        distances = challengeable(self.rules, 1 if earlier_unknown else len(history))
        true = [
            sum(
                share * self._p_true(own, position, distance)
                for share, position in zip(shares, positions, strict=True)
            )
            for distance in distances
            if history
        ]
        return Advice(
            hand=hand,
            history=history[-1:] if earlier_unknown else history,
            earlier_unknown=earlier_unknown,
            p_true=true[0] if true else None,
            earlier_true=tuple(true[1:]),
            actions=tuple(
                ActionAdvice(
                    format_action(self.rules, action),
                    float(strategy[action]),
                    *(values[:, action] / legal[action]).tolist(),
                )
                for action in np.flatnonzero(legal).tolist()
            ),
            on_path=on_path,
            own_on_path=own_on_path,
        )

    def _played(self, own: int, position: _Position, *, arises: bool) -> NDArray[np.float64]:
        """[action] the strategy; what play never comes to is challenged, as all unreached is."""
        if arises:
            played: NDArray[np.float64] = self.policy.strategy(position.history)[own]
            return played
        strategy = np.zeros(action_count(self.rules))
        strategy[challenge_action(self.rules)] = 1.0
        return strategy

    def _few_lines(self, positions: int) -> int:
        """Of each of so many positions."""
        if self.rules.players == 2:
            return _FEW_LINES
        return max(_FEW_LINES, _FEW_LINES_OF_MANY // positions)

    def _values(self, own: int, position: _Position, few: int) -> NDArray[np.float64]:
        """[2, action] expected values and how far they may be off; NaN for what is forbidden."""
        history = np.array([action_of(self.rules, bid) for bid in position.history], dtype=np.int64)
        for cut in _CUTS:
            self._line.followed[0] = 0
            found: NDArray[np.float64] = action_values(
                self._bids, self.policy.table, self._line, history, position.ranges, own, cut
            )
            if self._line.followed[0] > few:
                break
        return found

    def _p_true(self, own: int, position: _Position, distance: int) -> float:
        """The probability that the bid made `distance` bids ago is true."""
        bid = action_of(self.rules, position.history[-distance])
        matches = self._bids.matches[bid]
        counts = matching_dice(matches, position.ranges, self.rules.dice)
        return probability_true(int(self._bids.claimed[bid]), int(matches[own]), counts)
