"""Reading among players who may be of several kinds (`policies.players.kinds`).

**Ranges** are those of the kinds. **A raise** is challenged by the next player with the probability
that follows from their hand and their limit. A raise loses if the next player challenges it and it
is false. If they let it pass, another player is taken to lose the round:

    risk(raise) = sum over the next player's limits and hands of
                      P(limit, hand) * c(raise | limit, hand) * P(raise is false | hand)

So a player who knows that the next player challenges late keeps raising, until a challenge is the
smaller risk. With two players, a raise that is let pass comes back to its bidder, so every raise is
taken to be challenged.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.rules import Rules
from zhaifei.policies.players.kinds import Kinds, Known, Prior
from zhaifei.policies.players.reading import (
    FLOOR,
    POWER,
    PlausibleBidding,
    Reading,
    Risks,
    places_of_others,
)

Ints = NDArray[np.int64]
Bits = NDArray[np.bool_]
Floats = NDArray[np.float64]


class DoubtingReading(Reading):
    """Ranges and decisions among players of unknown kinds."""

    kinds: Kinds

    def __init__(self, rules: Rules, power: float = POWER, floor: float = FLOOR) -> None:
        plausible = PlausibleBidding(rules, power, floor)
        super().__init__(rules, plausible)
        self.kinds = self._kinds_of(rules, plausible)

    def _kinds_of(self, rules: Rules, plausible: PlausibleBidding) -> Kinds:
        """Return the kinds that other players may be of."""
        return Kinds(rules, plausible)

    def range_of(self, history: Ints, places: Sequence[int]) -> Floats:
        """See Reading."""
        range_: Floats = self._limits_of(history, places).sum(axis=1)
        return range_

    def _limits_of(self, history: Ints, places: Sequence[int]) -> Floats:
        """Return [turn, limit, hand] the probability of each limit and hand of the player who made
        the bids at these places."""
        return self.kinds.ranges(self._known(history, places))[0]

    def _known(self, history: Ints, places: Sequence[int], prior: Prior | None = None) -> Known:
        """Return the beliefs about the player who made the bids at these places; `prior` are those
        before the round, by default about somebody who has never bid."""
        known = self.kinds.before(prior or self.kinds.prior(len(history)))
        for place in places:
            known = self.kinds.after(known, history[:, :place], history[:, place])
        return known

    def _risks(self, history: Ints) -> Risks:
        """See Reading."""
        places = places_of_others(self.rules, history)
        next_, *others = (self._limits_of(history, its) for its in places)
        rest = [one.sum(axis=1) for one in others]
        passing = self._passing(next_)
        return self._risks_if(passing, next_.sum(axis=1), rest)

    def challenges_after(self, history: Ints, raises: Ints) -> Bits:
        """Return [raise, hand] whether the next player, who decides as this reading does, would
        challenge each of the `raises` [raise] after the `history` [bid], for three players or more.
        Only the range of the player who raises depends on the raise."""
        made = np.column_stack([np.tile(history, (raises.size, 1)), raises])
        *others, raiser = places_of_others(self.rules, made)
        next_, *rest = (self._limits_of(made[:1], its) for its in others)
        ranges = [one.sum(axis=1) for one in (*rest, self._limits_of(made, raiser))]
        risks = self._risks_if(self._passing(next_), next_.sum(axis=1), ranges)
        return self._challenged(made, risks)

    def _passing(self, limits: Floats) -> Floats:
        """Return [turn, dice, bid] the probability that a player with these `limits`
        [turn, limit, hand] lets each bid pass and holds `dice` dice that count."""
        dice, kind = self._showdowns.dice, self._showdowns.kind
        turns, number, hands = limits.shape
        count = self._showdowns.count(limits.reshape(-1, hands))
        count = count.reshape(turns, number, dice.size, -1)
        passing = np.zeros((turns, dice.size, kind.size))
        for limit, challenges in enumerate(self.kinds.challenges):
            passing += count[:, limit][:, :, kind] * (1.0 - challenges)
        return passing

    def _risks_if(self, passing: Floats, next_: Floats, rest: list[Floats]) -> Risks:
        """Return the risks if the next player has the range `next_` [turn, hand] and lets bids pass
        with the probabilities `passing` [turn, dice, bid]. `rest` [player] are the ranges of all
        others. With two players, every raise is taken to be challenged."""
        showdowns = self._showdowns
        without = showdowns.distribution(rest)
        true = self._true(showdowns.distribution([next_], without))
        raising = 1.0 - true
        if self.rules.players == 2:
            return Risks(true, raising)
        false = 1.0 - self._reached(without, 2 * len(showdowns.dice) - 1)
        for dice in showdowns.dice:
            raising -= passing[:, dice, np.newaxis] * false[:, dice : dice + len(showdowns.dice)]
        return Risks(true, raising)
