"""Beliefs of the player to move: what the others may hold, what that rests on, and how the rest of
the round is played."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import Bid, action_of, domain, mover_after, verify_can_arise
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand, hand_index, probabilities
from zhaifei.policies.advice.advice import Believed, Ground, Opening, Solved, Source
from zhaifei.policies.advice.values import Beliefs, Challenging, Followed, Part, Read, Solution
from zhaifei.policies.players.reading import places_of
from zhaifei.policies.players.reading_policy import ReadingPolicy
from zhaifei.policies.players.resolving import ResolvingPolicy, Standing
from zhaifei.policies.players.table_policy import TablePolicy

Bits = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_HISTORY_CUT = 1e-3
"""If earlier bids are unknown, histories less probable than this are ignored."""
_MOST_HISTORIES = 64
"""If earlier bids are unknown, at most this many histories are averaged over."""


class PolicyBeliefs:
    """Beliefs that follow from the bids by Bayes' rule, where everybody plays one policy, or from a
    reading of the bids, where the policy reads them."""

    def __init__(self, policy: TablePolicy | ReadingPolicy) -> None:
        self.policy, self.rules = policy, policy.rules
        self._reader = policy if isinstance(policy, ReadingPolicy) else None
        self.table = policy.plain if isinstance(policy, ReadingPolicy) else policy
        self._followed = Followed(policy)

    def parts(self, own: Ints, history: tuple[Bid, ...]) -> list[Part]:
        """Return what is believed with the hands `own` [place] after `history`, bids as the table
        reads them."""
        if self._reader is None:
            return [Part(own, [self.followed(history)])]
        bids = self.table.actions(history)
        reads = self._reader.reads(bids[np.newaxis])[0, own]
        found = []
        if reads.any():
            found.append(Part(own[reads], [self._read(history, self._reader)]))
        if not reads.all():
            found.append(Part(own[~reads], [self.followed(history)]))
        return found

    def followed(self, history: tuple[Bid, ...]) -> Beliefs:
        """Return what is believed after `history`, if everybody follows the policy. The range of a
        player whose bids the policy would never make is the one before the round."""
        bids = self.table.actions(history)[np.newaxis]
        ranges = self._priors(history)
        ground: Ground = Source.POLICY
        if self._reader is not None and not history:
            ground = Opening(self._reader.opening_follows)
        for player in range(self.rules.players - 1):
            for place in places_of(self.rules, bids, player + 1):
                played = self.table.strategy(history[:place])
                ranges[player] *= played[:, action_of(self.rules, history[place])]
            total = ranges[player].sum()
            if total > 0.0:
                ranges[player] /= total
            else:
                ranges[player], ground = self._priors(history)[player], Source.UNREACHED
        own = self._own_on_path(history)
        return Beliefs(history, ranges, ground, self._followed, own_on_path=own)

    def _own_on_path(self, history: Sequence[Bid]) -> Bits:
        """Return [hand] whether the table would have made the mover's earlier bids."""
        would = np.ones(self.table.tables.hands, dtype=np.bool_)
        bids = self.table.actions(history)[np.newaxis]
        for place in places_of(self.rules, bids, 0):
            played = self.table.strategy(history[:place])
            would &= played[:, action_of(self.rules, history[place])] > 0.0
        return would

    def _read(self, history: tuple[Bid, ...], reader: ReadingPolicy) -> Beliefs:
        """Return what is believed if the others' ranges are read from the bids, which need not
        begin a round."""
        bids = np.array([[action_of(self.rules, bid) for bid in history]], dtype=np.int64)
        ranges = np.concatenate(reader.reading.ranges(bids))
        return Beliefs(history, ranges, Source.READ, Read(self.rules, reader.reading))

    def own_range(self, history: Sequence[Bid]) -> tuple[Floats, Believed]:
        """Return [hand] the range of the player to move after `history`, which sums to 1, and what
        it comes from. Raises IllegalBid."""
        history = self.table.read(history)
        bids = self.table.actions(history)
        prior = probabilities(self.rules, mover_after(self.rules, history))
        own, places = np.array(prior), places_of(self.rules, bids[np.newaxis], 0)
        for place in places:
            own *= self.policy.strategy(history[:place])[:, bids[place]]
        if own.sum() > 0.0:
            return own / own.sum(), Believed.POLICY
        if self._reader is None:
            return np.array(prior), Believed.UNKNOWN
        read = self._reader.reading.range_of(bids[np.newaxis], places)
        return read[0], Believed.READ

    def facing(self, hand: Hand, bid: Bid) -> Part:
        """Return what a player with `hand` believes who faces `bid` and does not know the bids
        before it. Raises IllegalBid.

        There is one Beliefs for each history in which players who follow the policy reach `bid`,
        the player to move with `hand`, weighted by its probability. If no history does, the ranges
        are those before the round, or read from `bid`.
        """
        verify_can_arise(self.rules, bid)
        if self.rules.table.uneven:
            raise ZhaifeiError(
                "{bid} does not open the round: where players have different numbers of dice, all "
                "bids before it are needed",
                bid=bid,
            )
        ways = sorted(self._ways_to(hand, bid), key=lambda way: -way.weight)[:_MOST_HISTORIES]
        if not ways and self._reader is not None:
            ways = [self._read((bid,), self._reader)]
        if not ways:
            rest = Challenging(self.policy)
            ways = [Beliefs((bid,), self._priors((bid,)), Source.UNREACHED, rest)]
        return Part(np.array([hand_index(self.rules, hand)]), ways)

    def _ways_to(self, hand: Hand, bid: Bid) -> Iterator[Beliefs]:
        """Yield what is believed after the histories after which the player, in any seat, faces
        `bid`, if their probability is at least _HISTORY_CUT."""
        players, bids = self.rules.players, domain(self.rules)
        own, wanted = hand_index(self.rules, hand), action_of(self.rules, bid)
        start = Beliefs((), self._priors(()), Source.POLICY, self._followed, 1.0 / players)
        waiting = [(start, ahead) for ahead in range(players)]
        while waiting:
            # The mover sits `ahead` seats before the own player. Ranges are in the order of turns
            # after the own turn, so the mover's range is `ahead` places from the end.
            way, ahead = waiting.pop()
            played = self.policy.strategy(way.history)[:, : wanted + 1]
            likely = way.ranges[-ahead] @ played if ahead else played[own]
            for action in np.flatnonzero(likely * way.weight >= _HISTORY_CUT).tolist():
                # An odd double is answered by the player before the one who made it.
                after = (ahead - (-1 if bids[action].doubled % 2 else 1)) % players
                if action == wanted and after:
                    continue  # another player faces the bid
                share, ranges = float(likely[action]), way.ranges.copy()
                if ahead:
                    ranges[-ahead] *= played[:, action] / share
                raised = _raised(way, bids[action], share, ranges)
                if action == wanted:
                    yield raised
                else:
                    waiting.append((raised, after))

    def _priors(self, history: Sequence[Bid]) -> Floats:
        """Return [player, hand] the ranges before the round of all players except the one to move
        after `history`, in the order of turns."""
        players, mover = self.rules.players, mover_after(self.rules, history)
        turns = range(mover + 1, mover + players)
        return np.stack([probabilities(self.rules, turn % players) for turn in turns])


def _raised(way: Beliefs, bid: Bid, share: float, ranges: Floats) -> Beliefs:
    """Return what is believed after one more bid, which is made with the probability `share`."""
    return way._replace(history=(*way.history, bid), weight=way.weight * share, ranges=ranges)


def solved_beliefs(
    policy: ResolvingPolicy, history: tuple[Bid, ...], standing: Standing
) -> Beliefs | None:
    """Return what is believed after `history`, bids as the table reads them, where `standing` is
    known; None unless the position was solved again."""
    solution = standing.known.solution
    if solution is None:
        return None
    bids = tuple(policy.plain.actions(history).tolist())
    rest = Solution(policy.rules, policy.plain.tables, standing.known, bids)
    ground = Solved(solution.gap, policy.caution.value)
    return Beliefs(history, standing.expected[np.newaxis], ground, rest)
