"""Infer the other players' ranges from their bids, and take the action of least immediate risk.

**Reading.** Given the bids, hands are independent, so each player has a range of their own. It is
proportional to the probability of each hand before the round, times the likelihood of each of the
player's bids in the round. `PlausibleBidding` is a likelihood for players who bid what their own
dice support. An unknown player may also be of another kind: the reader and the solved policies use
`policies.players.doubting`.

**Deciding.** A challenge loses if the bid is true; a raise loses if it is false and the next player
challenges it. `Reading` computes these probabilities from the own hand and the ranges of all
others, and takes the action of least probability. Ties go to the weakest raise, and to a raise
rather than a challenge. Plausible bidding does not say which bids are challenged, so every raise is
taken to be challenged here, which overstates the risk of raises. Multiplying this risk by .9, .8,
.7 or .5 made the mean share of the penalty points worse with two players, and changed it by less
than .002 with three and six. These shares are among the players for which POWER and FLOOR were
chosen. To know which bids the next player challenges is worth a lot: see
`policies.players.doubting` and `table_reading`.

**It never jumps (跳开)**, because jumping costs it points. Suppose it took the action with the
highest expected value in points: `d * ((1 - p) / (N - 1) - p)` for a challenge of the bid made `d`
bids ago that is true with probability `p`. The columns are its shares of the penalty points (five
dice, 6,000 rounds a table, all bids read as plausible). It sat alone among the six rule-based
players that know their dice (the mean of six tables), or among copies of itself that never jump:

    players  fair   rule-based: never, jumping   copies that never jump
    3        .333   .153  .165                   .342 +- .006
    4        .250   .102  .108                   .268 +- .007
    5        .200   .098  .103                   .231 +- .010
    6        .167   .085  .088                   .188 +- .009
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bidding import bidding, states_after
from zhaifei.game.bids import (
    action_count,
    challenge_action,
    domain,
    endings_after,
    mover_of,
    places_by,
    plain_bids,
    settled_by,
)
from zhaifei.game.hands import probabilities
from zhaifei.game.rules import Rules
from zhaifei.game.tables import NO_BID, bid_tables
from zhaifei.policies.players.rule_based import chances, gives_up_on
from zhaifei.solver.bounds import History
from zhaifei.solver.showdown import BatchShowdowns, tails_of

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

Likelihood = Callable[[Ints, Ints], Floats]
"""Maps histories [turn, bid] of one length, and the bid [turn] that followed each, to [turn, hand]
float64: the probability of the bid with each hand of the player who made it."""

POWER, FLOOR = 3.0, 0.05
"""The settings of `PlausibleBidding`, chosen by `benchmarks/reading.py` for the shares of the
reader among `honest`, `aggressive` and `face-by-face` players."""
TIE = 1e-9
"""Risks that differ by at most this count as equal, since rounding depends on the batch size."""
CHUNK = 256
"""The number of histories that are read together, which take some megabytes."""
_NEVER = 2.0
"""A risk above that of every legal action."""


class PlausibleBidding:
    """A Likelihood: a player makes each legal bid with a probability proportional to
    `(floor + p) ** power`. Here `p` is the probability that the bid is true, given the player's own
    hand only.

    With `power` 0 bids carry no information; with a high power, players bid what their own dice
    support. `floor` bounds the information in a single bid, since players bluff. Players consider
    the bids in `legal` [state, bid], or all legal ones if it is None.
    """

    def __init__(
        self,
        rules: Rules,
        power: float = POWER,
        floor: float = FLOOR,
        legal: NDArray[np.bool_] | None = None,
    ) -> None:
        self.weight: Floats = (floor + chances(rules)) ** power
        """[bid, hand]"""
        self._rules = rules
        self.total: Floats = (bidding(rules).legal if legal is None else legal) @ self.weight
        """[state, hand] the sum of the weights of all bids that are legal in the state."""

    def __call__(self, history: Ints, bid: Ints) -> Floats:
        """See Likelihood."""
        likelihood: Floats = self.weight[bid] / self.total[states_after(self._rules, history)]
        return likelihood


class Risks(NamedTuple):
    """The risks of each bid for the player to move, by the number `own` of their dice that count
    towards it."""

    true: Floats
    """[turn, own, bid] the probability that the bid is true."""
    raising: Floats
    """[turn, own, bid] the probability that the bid, made as a raise, is false and challenged by
    the next player."""


class Reading:
    """Ranges and decisions after many histories at once."""

    def __init__(self, rules: Rules, likelihood: Likelihood) -> None:
        self.rules = rules
        self._likelihood = likelihood
        self._showdowns = BatchShowdowns(bid_tables(rules))
        self._legal = bidding(rules).legal
        self._plain = len(plain_bids(rules))

    def ranges(self, history: Ints) -> list[Floats]:
        """Return [player] the ranges [turn, hand] of the other players, each summing to 1.
        `history` is [turn, bid]; players are in the order of turns after the player to move."""
        return [self.range_of(history, its) for its in places_of_others(self.rules, history)]

    def range_of(self, history: Ints, places: Sequence[int]) -> Floats:
        """Return [turn, hand] the range of the player who made the bids at these places."""
        range_: Floats = np.tile(probabilities(self.rules), (len(history), 1))
        for place in places:
            range_ *= self._likelihood(history[:, :place], history[:, place])
            range_ /= range_.sum(axis=1, keepdims=True)
        return range_

    def _risks(self, history: Ints) -> Risks:
        """Return the risks after each history [turn, bid]."""
        true = self._true(self._showdowns.distribution(self.ranges(history)))
        return Risks(true, 1.0 - true)

    def decide(self, hand: Ints, history: Ints) -> Ints:
        """Return [turn] int64, the action of least risk with `hand` [turn] after each `history`
        [turn, bid]."""
        action = np.empty(hand.size, dtype=np.int64)
        different, group = np.unique(history, axis=0, return_inverse=True)
        group = group.reshape(-1)
        for start in range(0, len(different), CHUNK):
            chunk = slice(start, start + CHUNK)
            those = np.flatnonzero((group >= start) & (group < start + CHUNK))
            risks = self._risks(different[chunk])
            action[those] = self._least_risk(
                history[those], *self._held(risks, group[those] - start, hand[those])
            )
        return action

    def likely(self, hand: Ints, history: Ints) -> Floats:
        """Return [turn, bid] the probability that each bid is true for the player to move, with
        `hand` [turn] after `history` [turn, bid]."""
        return self._held(self._risks(history), np.arange(hand.size), hand)[0]

    def decide_all(self, history: Ints) -> Ints:
        """Return [turn, hand] int64, the action of least risk with every hand after each `history`
        [turn, bid]."""
        return self._decided(history, self._risks(history))

    def _decided(self, history: Ints, risks: Risks) -> Ints:
        """Return what `decide_all` does, with the risks after each history."""
        hands = bid_tables(self.rules).hands
        turn, hand = np.divmod(np.arange(len(history) * hands), hands)
        held = self._held(risks, turn, hand)
        return self._least_risk(history[turn], *held).reshape(-1, hands)

    def _challenged(self, history: Ints, risks: Risks) -> NDArray[np.bool_]:
        """Return [turn, hand] whether `_decided` challenges, after histories [turn, bid] that end
        with a bid and no double. It is several times as fast."""
        showdowns = self._showdowns
        legal = self._legal[states_after(self.rules, history)].copy()
        legal[:, self._plain :] = False
        raising = np.where(legal[:, np.newaxis], risks.raising, _NEVER)
        least = np.full((len(history), *showdowns.own.shape), _NEVER)
        for kind, own in enumerate(showdowns.own):
            bids = np.flatnonzero(showdowns.kind == kind)
            least[:, kind] = raising[:, :, bids].min(axis=2, initial=_NEVER)[:, own]
        last, turn = last_of(history)[:, np.newaxis], np.arange(len(history))[:, np.newaxis]
        true = risks.true[turn, showdowns.matches[last[:, 0]], last]
        challenges: NDArray[np.bool_] = true < least.min(axis=1) - TIE
        return challenges

    def values(self, hand: Ints, history: History) -> Floats:
        """Return [place, action] float64, the value of each action with each `hand` [place] after
        `history`, in penalty points; NaN for illegal actions.

        If the next player lets a raise pass, another player is taken to lose the round. So, among
        the bids and the challenge of the last bid, the action of least risk has the highest value.
        """
        bids = np.array([history], dtype=np.int64)
        likely, raising = self._held(self._risks(bids), np.zeros(hand.size, dtype=np.int64), hand)
        win = 1.0 / (self.rules.players - 1)
        values: Floats = np.full((hand.size, action_count(self.rules)), np.nan)
        legal = np.flatnonzero(self._legal[states_after(self.rules, bids)[0]])
        values[:, legal] = win * (1.0 - raising[:, legal]) - raising[:, legal]
        for double in legal[legal >= self._plain].tolist():  # the other player shows the dice
            bid, stakes = domain(self.rules)[double], self.rules.stakes.doubled
            loses = likely[:, double] if bid.doubled % 2 else 1.0 - likely[:, double]
            values[:, double] = stakes[bid.doubled - 1] * (win - (1.0 + win) * loses)
        bids_made = [domain(self.rules)[bid] for bid in history]
        for action in endings_after(self.rules, bids_made):
            ended = settled_by(self.rules, bids_made, action - challenge_action(self.rules))
            assert ended is not None, "the ending is legal"
            true = likely[:, history[-ended.back]] if ended.claimed else np.ones(hand.size)
            loses = 1.0 - true if ended.turned else true
            values[:, action] = ended.cost * (win * (1.0 - loses) - loses)
        return values

    def strategy(self, history: History) -> Floats:
        """Return [hand, action] the decisions of all hands after `history` as a strategy."""
        action = self.decide_all(np.array([history], dtype=np.int64))[0]
        return one_hot(action, action_count(self.rules))

    def _true(self, others: Floats) -> Floats:
        """Return [turn, own, bid] the probability that each bid is true if `own` dice of the player
        to move count towards it; `others` is the `BatchShowdowns.distribution` of all others."""
        return self._reached(others, len(self._showdowns.dice))

    def _reached(self, others: Floats, own: int) -> Floats:
        """Return [turn, dice, bid] the probability that each bid is true if 0, 1, ... `own` - 1
        dice count towards it, besides those with the `distribution` of `others`."""
        tails, showdowns = tails_of(others), self._showdowns
        missing = np.clip(showdowns.claimed - np.arange(own)[:, np.newaxis], 0, tails.shape[1] - 1)
        true: Floats = tails[:, missing, showdowns.kind] / tails[:, :1, showdowns.kind]
        return true

    def _held(self, risks: Risks, turn: Ints, hand: Ints) -> tuple[Floats, Floats]:
        """Return [place, bid] the risks after the history of `turn` [place] with `hand` [place]."""
        own = self._showdowns.matches[:, hand].T
        bid = np.arange(own.shape[1])
        true, raising = (risk[turn[:, np.newaxis], own, bid] for risk in risks)
        return true, raising

    def _least_risk(self, history: Ints, true: Floats, raising: Floats) -> Ints:
        """Return [turn] the action after the `history` [turn, bid], with the risks
        [turn, bid]."""
        last = last_of(history)
        raises = np.where(self._legal[states_after(self.rules, history)], raising, _NEVER)
        challenge = true[np.arange(last.size), last]
        challenge[last == NO_BID] = _NEVER
        risk = np.column_stack([raises, challenge])
        risk[:, self._plain : -1] = _NEVER  # it does not double
        action: Ints = (risk <= risk.min(axis=1, keepdims=True) + TIE).argmax(axis=1)
        return action + self._gives_up(last, challenge)

    def _gives_up(self, last: Ints, true: Floats) -> NDArray[np.bool_]:
        """Return [turn] whether the player gives up, after each `last` bid [turn] that is `true`
        [turn] with this probability."""
        found = np.zeros(last.size, dtype=np.bool_)
        for bid in np.unique(last[last >= self._plain]).tolist():
            at = last == bid
            found[at] = gives_up_on(self.rules, domain(self.rules)[bid], true[at])
        return found


def one_hot(action: Ints, actions: int) -> Floats:
    """Return [hand, action] the strategy that takes the one `action` [hand] with each hand."""
    strategy: Floats = (action[:, np.newaxis] == np.arange(actions)).astype(np.float64)
    return strategy


def places_of(rules: Rules, history: Ints, ahead: int) -> list[int]:
    """Return the places of the bids by the player who sits `ahead` seats after the player to move
    after each `history` [turn, bid]. Histories of three players or more must end with as many
    doubles (`policies.players.player.BatchPlayer`)."""
    bids = history[0].tolist()
    return places_by(rules, bids, mover_of(rules, bids) + ahead)


def places_of_others(rules: Rules, history: Ints) -> list[list[int]]:
    """Return [player] `places_of` all players except the player to move, in the order of turns."""
    return [places_of(rules, history, ahead) for ahead in range(1, rules.players)]


def last_of(history: Ints) -> Ints:
    """Return [turn] the last bid of each history."""
    return history[:, -1] if history.shape[1] else np.full(len(history), NO_BID)
