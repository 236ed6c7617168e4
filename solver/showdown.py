"""Settling challenges: who wins, given the range of each player.

A bid claims that at least `claimed` dice on the table *count* towards it. Given the bids, hands are
independent, so what a challenge pays follows from one *distribution* per player: the mass of their
range by how many of their dice count. Bids of one *kind*, that is of one mode and face, count the
same dice, so they share distributions.

Every engine settles challenges in two steps. Each step has a form for float32 and a form for
float64, because they are vectorised differently:

| step | float32, all hands | float64, all hands | float64, listed hands |
|---|---|---|---|
| distribution of a range | `count_having`, `count_matching` | `settle_range` | `count_listed` |
| payment by own dice | `pay_walker`, `sum_false` | `settle_range` | `pay`, `true_mass` |

- Forms for all hands make one pass over the hands for each number of dice. A pass without a
  scattered write vectorises; a single pass that adds to `counts[matches[hand]]` does not.
  `count_having` takes all sums in one pass, for up to five dice; `count_matching` takes one each.
- Forms for listed hands serve ranges that hold a few dozen hands, where one scattered pass is best.
  `solver.cfr.tree_challenges` has a form in float32 for all kinds of bids at once.
- The numpy forms at the end serve callers that query a policy and settle many turns at once.

Distributions are *exact* (`counts`: index n is the mass with exactly n dice) or *tails* (index n is
the mass with at least n dice); `accumulate` turns exact ones into tails. `convolve` adds the dice
of another player. Payments are penalty points saved: the loser pays what the ending
costs (`solver.bidding.Settled`), and every other of N players earns this divided by N - 1.

Kernels work in place, allocate nothing, and accept ranges that are not normalised.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import BidTables
from zhaifei.solver.machine.jit import hot_kernel

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
TWO = np.float32(2.0)
TINY = np.finfo(np.float32).tiny
"""The least float32 of full precision: the reciprocal of a smaller number may be infinite."""


# Rules


class ShowdownTables(NamedTuple):
    """The rules by kind of bid, with the prior in float64."""

    prior: NDArray[np.float64]
    """[player, hand] the probability of each hand."""
    kind: NDArray[np.int64]
    """[bid]"""
    matches: NDArray[np.int8]
    """[kind, hand] how many dice of the hand count."""
    sorted_hands: NDArray[np.int64]
    """[kind, place] the hands by how many of their dice count."""
    first_place: NDArray[np.int64]
    """[kind, dice + 2] index n is where in `sorted_hands` the hands begin of which n dice count."""
    claimed: NDArray[np.int64]
    """[bid]"""
    legal: NDArray[np.bool_]
    """[state, bid] whether the bid may follow."""
    after: NDArray[np.int64]
    """[state, bid] the state after the bid, or -1 if the bid may not follow."""
    first_raise: NDArray[np.int64]
    """[state] the first raise, or the number of bids if no raise is left."""
    back: NDArray[np.int64]
    """[ending] as in BidTables, like the next three."""
    settled: NDArray[np.int64]
    """[bid, ending]"""
    cost: NDArray[np.int64]
    """[bid, ending]"""
    turned: NDArray[np.bool_]
    """[bid, ending]"""
    plain: int
    """The number of bids that are no doubles; the doubles follow them."""
    most_cost: int
    """The most penalty points that a round can cost."""


def showdown_tables(tables: BidTables) -> ShowdownTables:
    """Return the rules by kind of bid. The prior is the prior of `tables` without its rounding."""
    _, first = np.unique(tables.kind, return_index=True)
    matches = tables.matches[first]
    exactly = np.arange(tables.dice + 2)
    # A player's priors are whole multiples of the smallest: rounding to float32 can be undone.
    smallest = np.where(tables.prior > 0.0, tables.prior, np.inf).min(axis=1, keepdims=True)
    multiples = np.rint(tables.prior / smallest).astype(np.float64)
    return ShowdownTables(
        prior=multiples / multiples.sum(axis=1, keepdims=True),
        kind=tables.kind,
        matches=matches,
        sorted_hands=np.argsort(matches, axis=1, kind="stable"),
        first_place=(matches[:, np.newaxis, :] < exactly[:, np.newaxis]).sum(axis=2),
        claimed=tables.claimed,
        legal=tables.legal,
        after=tables.after,
        first_raise=tables.first_raise,
        back=tables.back,
        settled=tables.settled,
        cost=tables.cost,
        turned=tables.turned,
        plain=tables.plain,
        most_cost=tables.most_cost,
    )


# Payments of a single challenge


@hot_kernel
def holds(missing: int, matching: int) -> bool:
    """Return whether a bid that needs `missing` more dice is true if `matching` more dice count."""
    return matching >= missing


@hot_kernel
def payoffs(
    points: float, players: int, seat: int, challenger: int, bidder: int
) -> tuple[float, float]:
    """Return what a challenge for `points` pays `seat` if the bid is true and if it is false."""
    win = points / (players - 1)
    if seat == challenger:
        return -points, win
    if seat == bidder:
        return win, -points
    return win, win


# Distributions: float32, all hands


@hot_kernel
def count_having(
    range_: NDArray[np.float32],
    mass: np.float32,
    matches: NDArray[np.uint32],
    counts: NDArray[np.float32],
) -> None:
    """Write into `counts` [dice + 1] the mass of `range_` [hand] by how many dice count, which are
    `matches` [hand]. `mass` is the mass of all hands.

    Five sums share a pass, or memory would be read five times; the rest of the mass has no dice.
    """
    last, none = counts.size - 1, mass
    for count in range(1, counts.size, 5):
        two, three = np.uint32(min(count + 1, last)), np.uint32(min(count + 2, last))
        four, five = np.uint32(min(count + 3, last)), np.uint32(min(count + 4, last))
        one = np.uint32(count)
        a, b, c, d, e = ZERO, ZERO, ZERO, ZERO, ZERO
        for hand in range(range_.size):
            held, own = range_[hand], matches[hand]
            a += held if own == one else ZERO
            b += held if own == two else ZERO
            c += held if own == three else ZERO
            d += held if own == four else ZERO
            e += held if own == five else ZERO
        counts[count], counts[two], counts[three], counts[four], counts[five] = a, b, c, d, e
    for count in range(1, counts.size):
        none -= counts[count]
    counts[0] = max(none, ZERO)


@hot_kernel
def count_matching(
    range_: NDArray[np.float32], matches: NDArray[np.int8], dice: int, counts: NDArray[np.float32]
) -> None:
    """Write into `counts` [>= dice + 1] the mass of `range_` [hand] by how many dice count. They
    are `matches` [hand], at most `dice`."""
    for count in range(dice + 1):
        mass, wanted = ZERO, np.int8(count)
        for hand in range(range_.size):
            mass += range_[hand] if matches[hand] == wanted else ZERO
        counts[count] = mass


# Distributions: float64, listed hands


@hot_kernel
def count_listed(
    hands: NDArray[np.int64],
    reach: NDArray[np.float64],
    support: int,
    matches: NDArray[np.int8],
    counts: NDArray[np.float64],
) -> None:
    """Write into `counts` [dice + 1] the mass of a listed range by how many dice count. The range
    has `support` places: `hands` [place] with `reach` [place]."""
    for dice in range(counts.size):
        counts[dice] = 0.0
    for place in range(support):
        counts[matches[hands[place]]] += reach[place]


# Distributions: any precision


@hot_kernel
def accumulate(counts: NDArray[np.float64]) -> None:
    """Turn the masses with exactly 0, 1, ... dice into the masses with at least 0, 1, ... dice, in
    place."""
    for dice in range(counts.size - 2, -1, -1):
        counts[dice] += counts[dice + 1]


@hot_kernel
def convolve(
    total: NDArray[np.float32] | NDArray[np.float64],
    most: int,
    counts: NDArray[np.float32] | NDArray[np.float64],
    dice: int,
) -> None:
    """Add another player's dice to the distribution `total`, in place.

    `counts` is exact, for up to `dice` dice; `most` is the number of dice in `total` with theirs.
    """
    for count in range(most, -1, -1):  # downwards, so that it works in place
        convolved = total[count] * counts[0]
        for theirs in range(1, min(count, dice) + 1):
            convolved += total[count - theirs] * counts[theirs]
        total[count] = convolved


# Payments by own dice: float32


@hot_kernel
def pay_walker(
    counts: NDArray[np.float32],
    claimed: int,
    stake: np.float32,
    win: np.float32,
    challenges: bool,
    earned: NDArray[np.float32],
) -> None:
    """Write into `earned` [own] what a challenge pays a player with `own` dice that count. The
    player `challenges` or else made the bid, and the others' dice have the exact distribution
    `counts`. The loser of the two pays `stake`, the other gets `win`."""
    mass, at_stake, false = ZERO, win + stake, ZERO
    for theirs in range(counts.size):
        mass += counts[theirs]
    for theirs in range(min(counts.size, claimed - earned.size)):
        false += counts[theirs]
    for own in range(earned.size - 1, -1, -1):
        one_less = claimed - own - 1  # the most of the others' dice with which the bid is false
        more = counts[min(max(one_less, 0), counts.size - 1)]
        false += more if 0 <= one_less < counts.size else ZERO  # no branch to predict
        if challenges:
            earned[own] = at_stake * false - stake * mass
        else:
            earned[own] = win * mass - at_stake * false


@hot_kernel
def sum_false(
    total: NDArray[np.float32], dice: int, claimed: int, false_mass: NDArray[np.float32]
) -> float:
    """Write into `false_mass` [own] the mass with which the bid is false if `own` dice count beside
    those in the exact distribution `total` of `dice` dice. Return the whole mass of `total`."""
    mass = ZERO
    for own in range(false_mass.size):
        false_mass[own] = ZERO
    for count in range(dice + 1):
        mass += total[count]
        for own in range(min(false_mass.size, claimed - count)):
            false_mass[own] += total[count]
    return float(mass)


# Payments by own dice: float64


@hot_kernel
def mass_of_at_least(missing: int, tails: NDArray[np.float64]) -> float:
    """Return the mass with at least `missing` dice; `missing` may be negative or beyond `tails`."""
    mass: float = tails[max(missing, 0)] if missing < tails.size else 0.0
    return mass


@hot_kernel
def true_mass(claimed: int, counts: NDArray[np.float64], tails: NDArray[np.float64]) -> float:
    """Return the mass with which a bid is true. One player's dice have the exact distribution
    `counts`, all others' together have `tails`."""
    true = 0.0
    for dice in range(counts.size):
        true += counts[dice] * mass_of_at_least(claimed - dice, tails)
    return true


@hot_kernel
def pay(claimed: int, tails: NDArray[np.float64], sign: float, paid: NDArray[np.float64]) -> None:
    """Write into `paid` [own] what a challenge pays the bidder, times `sign`, for two players: one
    holds `own` dice that count, the other's dice have `tails`."""
    for own in range(paid.size):
        paid[own] = sign * (2.0 * mass_of_at_least(claimed - own, tails) - tails[0])


@hot_kernel
def settle_range(
    claimed: int,
    matches: NDArray[np.int8],
    range_: NDArray[np.float64],
    sign: float,
    tails: NDArray[np.float64],
    value: NDArray[np.float64],
) -> None:
    """Write into `value` [hand] what a challenge pays, for two players, if the other holds the
    hands of `range_` [hand]: `sign` where the bid is true, `-sign` where it is false.

    `tails` [dice + 2] is scratch. It is summed for one number of dice after the other, which
    vectorises: twice as fast as hand by hand.
    """
    most = tails.size - 1
    for number in range(most):
        total = 0.0
        for hand in range(range_.size):
            total += range_[hand] if matches[hand] >= number else 0.0
        tails[number] = total
    tails[most] = 0.0
    for hand in range(range_.size):
        missing = min(max(claimed - matches[hand], 0), most)
        value[hand] = sign * (2.0 * tails[missing] - tails[0])


# numpy, float64: one challenge


def matching_dice(
    matches: NDArray[np.int8], ranges: Iterable[NDArray[np.float64]], dice: int
) -> NDArray[np.float64]:
    """Return [count] the mass with which players with these `ranges`, [hand] each with up to `dice`
    dice, together hold exactly `count` dice that count: `matches` [hand] per hand."""
    counts = np.ones(1)
    for range_ in ranges:
        counts = np.convolve(counts, np.bincount(matches, range_, dice + 1))
    return counts


def true_and_false(claimed: int, own: int, counts: NDArray[np.float64]) -> tuple[float, float]:
    """Return the masses with which a bid is true and false for a player with `own` dice that count,
    if the others' dice have the exact distribution `counts`."""
    missing = max(0, claimed - own)
    return float(counts[missing:].sum()), float(counts[:missing].sum())


def probability_true(claimed: int, own: int, counts: NDArray[np.float64]) -> float:
    """Return the probability that a bid is true for a player with `own` dice that count, if the
    others' dice have the exact distribution `counts`, which need not be normalised.

    It is in [0, 1] however sums are rounded: the rounded sum of two masses is no less than either
    mass.
    """
    true, false = true_and_false(claimed, own, counts)
    return true / (true + false)


def paid_by_seat(
    players: int, challenger: int, bidder: int, true: float, false: float
) -> NDArray[np.float64]:
    """Return [seat] what a challenge for one point pays if the bid is true with mass `true` and
    false with mass `false`. Negative seats count from the end."""
    win = 1.0 / (players - 1)
    earned = np.full(players, win * (true + false))
    earned[challenger] = win * false - true
    earned[bidder] = win * true - false
    return earned


# numpy, float64: many challenges at once


class BatchShowdowns:
    """Distributions and payments for many turns at once, by matrix products.

    Axis `own` is how many dice of the responder's hand count, `dice` how many dice of another
    player's hand count.
    """

    def __init__(self, tables: BidTables) -> None:
        game = showdown_tables(tables)
        self.prior = game.prior
        """[player, hand]"""
        self.claimed, self.settled = game.claimed, game.settled
        """[bid], and [bid, ending]"""
        self.dice: NDArray[np.int64] = np.arange(tables.dice + 1)
        self.matches = tables.matches.astype(np.int64)
        """[bid, hand]"""
        self.kind = game.kind
        """[bid]"""
        self.of_kind = np.eye(len(game.matches))[game.kind]
        """[bid, kind] 1 if the bid is of the kind."""
        self.own = game.matches.astype(np.int64)
        """[kind, hand] how many dice of the hand count."""
        having = game.matches[np.newaxis] == self.dice[:, np.newaxis, np.newaxis]
        self.having = having.reshape(-1, tables.hands).astype(np.float64)
        """[dice * kind, hand] 1 if exactly `dice` dice of the hand count."""

    def count(self, reach: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return [turn, dice, kind] the mass of `reach` [turn, hand] by how many dice count."""
        shape = len(reach), self.dice.size, self.of_kind.shape[1]
        counts: NDArray[np.float64] = (reach @ self.having.T).reshape(shape)
        return counts

    def tails(self, reaches: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return [turn, dice + 1, kind] the mass with which players with these reaches together
        hold at least 0, 1, ... dice that count, and 0 at the end. Each reach is [turn, hand] or
        [1, hand]."""
        return tails_of(self.distribution(reaches))

    def distribution(
        self, reaches: Sequence[NDArray[np.float64]], others: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Return [turn, dice, kind] the mass with which players with these reaches, and `others`
        of whom it is given, together hold exactly `dice` dice that count. Each reach is
        [turn, hand] or [1, hand]."""
        total = np.ones((1, 1, self.of_kind.shape[1])) if others is None else others
        for reach in reaches:
            total = _convolve_all(total, self.count(reach))
        return total

    def true_mass(
        self,
        counts: NDArray[np.float64],
        bids: NDArray[np.int64],
        tails: NDArray[np.float64],
        ending: int = 0,
    ) -> NDArray[np.float64]:
        """Return [turn, column, own] the mass with which the challenger loses if the `ending`
        settles bids.

        `counts` [turn, column, dice] is one player's reach by how many dice count, `bids` is
        [turn or 1, column], and `tails` are the tails of the other players.
        """
        claimed = self.settled[bids, ending][:, :, np.newaxis, np.newaxis]
        missing = claimed - self.dice[:, np.newaxis] - self.dice
        missing = missing.clip(0, tails.shape[1] - 1)
        kind = self.kind[bids][:, :, np.newaxis, np.newaxis]
        turn = np.arange(len(tails))[:, np.newaxis, np.newaxis, np.newaxis]
        true: NDArray[np.float64] = np.matmul(counts[:, :, np.newaxis], tails[turn, missing, kind])[
            :, :, 0
        ]
        return true

    def spread(self, earned: NDArray[np.float64], bids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return [turn, hand] the sum of `earned` [turn, bid, own] over `bids` [bid]."""
        by_kind = np.matmul(earned.transpose(0, 2, 1), self.of_kind[bids])
        total = np.zeros((len(earned), self.own.shape[1]))
        # One large matrix product is slower: the threads of a busy machine wait for each other.
        for kind, own in enumerate(self.own):
            total += by_kind[:, own, kind]
        return total


def tails_of(distribution: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return [turn, dice + 1, kind] the mass of at least 0, 1, ... dice, and 0 at the end, of a
    `distribution` [turn, dice, kind]."""
    tails = distribution[:, ::-1].cumsum(axis=1)[:, ::-1]
    return np.concatenate([tails, np.zeros_like(tails[:, :1])], axis=1)


def _convolve_all(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return [turn, dice, kind] the distribution of the sum of both; a first axis of 1 serves all
    turns."""
    turns, size = max(len(one), len(other)), one.shape[1] + other.shape[1] - 1
    total = np.zeros((turns, size, one.shape[2]))
    for dice in range(other.shape[1]):
        total[:, dice : dice + one.shape[1]] += one * other[:, dice : dice + 1]
    return total
