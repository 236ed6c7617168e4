"""Simulate thousands of rounds, and estimate which share of the penalty points a player takes.

Rounds advance in step: all rounds in progress have the same number of bids. One seat decides at
once in all of them or, among three and more players, in all that end with as many doubles (劈).
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bidding import legal_endings, movers_after, states_after
from zhaifei.game.bids import action_count, domain, plain_bids
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands, roll_hands
from zhaifei.game.notation import format_action, format_hand, format_history
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.players.intervals import DEVIATIONS
from zhaifei.policies.players.player import BatchPlayer, verify_rules
from zhaifei.policies.players.plug_in.memory import apart, forget, has_memory

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_BATCH = 16_384
"""The number of rounds that advance in step, which take some megabytes."""
_SLOW_BATCH = 64
"""The number of such rounds if a player is slow and may take a tenth of a second to decide."""
_TOGETHER = 32_768
"""The number of rounds that are played together in several orders."""


class IllegalAction(ZhaifeiError):
    """Raised for an illegal action of a player; the message names the player, the situation and the
    reason."""


@dataclass(frozen=True)
class Ended:
    """How some rounds ended."""

    players: int
    bids: NDArray[np.int64]
    """[round] the number of bids, doubles included."""
    distance: NDArray[np.int64]
    """[round] how many bids before the end the challenged bid was made: 1 for the last bid, more
    for 跳开 and after doubles."""
    cost: NDArray[np.int64]
    """[round] the points that the loser takes."""
    challenger: NDArray[np.int64]
    """[round] the seat that challenged the bid, or doubled it first."""
    true: NDArray[np.bool_]
    """[round] whether the challenged bid was true."""
    loser: NDArray[np.int64]
    """[round] the seat that takes the points."""

    @property
    def bidder(self) -> NDArray[np.int64]:
        """[round] the seat whose bid was challenged."""
        return (self.bids - self.distance) % self.players

    @property
    def points(self) -> NDArray[np.int64]:
        """[round, seat] the penalty points."""
        points = np.zeros((self.bids.size, self.players), dtype=np.int64)
        points[np.arange(self.bids.size), self.loser] = self.cost
        return points


def utilities_of(points: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return [round, seat] the utilities of penalty points [round, seat]. Each player pays their
    own points, and earns an equal share of the points of every other player."""
    players = points.shape[-1]
    total = points.sum(axis=-1, keepdims=True)
    earned: NDArray[np.float64] = (total - players * points) / (players - 1)
    return earned


@dataclass(frozen=True)
class PenaltyShare:
    """An estimate of the share of all penalty points that one player takes."""

    share: float
    """1 / players is fair; less is better."""
    margin: float
    """Half the width of the 95% confidence interval."""
    rounds: int

    @property
    def lower(self) -> float:
        """The lower end of the confidence interval."""
        return max(0.0, self.share - self.margin)

    @property
    def upper(self) -> float:
        """The upper end of the confidence interval."""
        return min(1.0, self.share + self.margin)


def play_rounds(
    players: Sequence[BatchPlayer], rules: Rules, rounds: int, seed: int, place: Sequence[int] = ()
) -> NDArray[np.int64]:
    """Play `rounds` rounds between `players` [seat], of whom the first opens, and return
    [round, seat] int64, the penalty points. Equal arguments give equal points.

    The dice, and the random numbers for each decision, depend on the seed only and not on the
    players, so that the results of different players can be compared round by round. But at a
    table with a strategy file, which may remember dice, they also depend on the `place` of these
    rounds among others with the same seed: see `policies.players.plug_in.memory`.

    Raise ZhaifeiError unless there are as many players as the rules require and all play by these
    rules, and IllegalAction if one takes an illegal action.
    """
    if not place:  # or else whoever plays in all places has done so
        forget(players)
    dealt = deal(rules, rounds, seed, place=place if has_memory(players) else ())
    parts = [play_dealt(players, rules, *batch).points for batch in dealt]
    return np.concatenate([np.zeros((0, rules.players), dtype=np.int64), *parts])


def play_orders(
    players: Sequence[BatchPlayer],
    orders: Ints,
    rules: Rules,
    seed: int,
    place: Sequence[int] = (),
) -> NDArray[np.int64]:
    """Play the same rounds once in each of `orders` [order, round, seat], the places in `players`
    of those who sit there, and return [order, round, seat] int64, the penalty points.

    The points of an order that is the same in all rounds are those of `play_rounds`, at the place
    (*`place`, number of the order). With a strategy file at the table it has to be the same.
    Without one, the orders are played together: a player decides at once in all of them, which is
    several times as fast for one who reads hands. Raise as `play_rounds` does.
    """
    rounds = orders.shape[1]
    if has_memory(players):
        seated = enumerate([players[one] for one in order[0]] for order in orders)
        return np.stack([play_rounds(its, rules, rounds, seed, (*place, at)) for at, its in seated])
    _verify_seats([players[one] for one in orders[0, 0]], rules)
    points = np.zeros((len(orders), rounds, rules.players), dtype=np.int64)
    start = 0
    for dealt, random in deal(rules, rounds, seed):
        stop, together = start + len(dealt), max(1, _TOGETHER // len(dealt))
        for first in range(0, len(orders), together):
            some = slice(first, first + together), slice(start, stop)
            points[some] = _play_together(
                players, orders[some], rules, dealt, copy.deepcopy(random)
            )
        start = stop
    return points


def _play_together(
    players: Sequence[BatchPlayer],
    orders: Ints,
    rules: Rules,
    dealt: Ints,
    random: np.random.Generator,
) -> Ints:
    """Return [order, round, seat] the penalty points of the rounds `dealt` [round, seat], each
    played in each of `orders` [order, round, seat], the places in `players`."""
    every = np.tile(dealt, (len(orders), 1))
    points = np.zeros((len(every), rules.players), dtype=np.int64)
    seated, draws = orders.reshape(-1, rules.players), _Repeated(random, len(orders))
    for ending in endings(_asking(players), players, rules, every, draws, seated=seated):
        points[ending.rounds] = settled(rules, every[ending.rounds], ending).points
    return points.reshape(len(orders), len(dealt), rules.players)


def penalty_share(
    player: BatchPlayer, opponent: BatchPlayer, rules: Rules, rounds: int, seed: int
) -> PenaltyShare:
    """Estimate the share of all penalty points that `player` takes among copies of `opponent`, from
    about `rounds` rounds. Equal arguments give equal shares. Raise as `play_rounds` does.

    Each deal is played N times, with the same dice and the same random numbers: once with `player`
    in each of the N seats, counted from the opener. So every seat, opening and hand comes equally
    often, and a player that plays like `opponent` has a share of exactly 1 / N. If one of them is a
    strategy file, only the seats come equally often: each of the N rounds has dice of its own.
    """
    forget([player, opponent])
    deals = max(2, math.ceil(rounds / rules.players))
    alone = np.eye(rules.players, dtype=np.int64)
    orders = np.broadcast_to(alone[:, np.newaxis], (rules.players, deals, rules.players))
    points = play_orders([opponent, player], orders, rules, seed)
    own = np.einsum("srs->r", points).astype(np.float64)
    total = points.sum(axis=(0, 2)).astype(np.float64)
    return share_of(own, total, rounds=deals * rules.players)


def share_of(own: NDArray[np.float64], total: NDArray[np.float64], *, rounds: int) -> PenaltyShare:
    """Estimate a share of penalty points from two deals or more: `own` [deal] of `total` [deal], in
    points. `rounds` is only recorded in the result.

    **The interval.** Let deal `i` of `n` cost the player `x_i` points, and everybody together
    `y_i`, which varies with 跳开. Deals are independent, the rounds of one deal are not. The share
    is the ratio `R = sum(x_i) / sum(y_i)`, an estimate of E[x] / E[y]. With the residuals
    `e_i = x_i - R * y_i`, whose mean is 0,

        R - E[x] / E[y]  ~  mean of (x_i - y_i * E[x] / E[y]) / E[y]

    to first order in the deviations, and so Var[R] is about `sum(e_i^2) / ((n - 1) * n)` over the
    square of the mean of `y_i` (the delta method; Cochran 1977, ch. 6). The margin is 1.96 standard
    deviations.
    """
    share = own.sum() / total.sum()
    variance = np.var(own - share * total, ddof=1) / own.size / total.mean() ** 2
    return PenaltyShare(float(share), DEVIATIONS * math.sqrt(variance), rounds)


# Playing


Dealt = tuple[NDArray[np.int64], np.random.Generator]
"""[round, seat] int64, the indices of the hands of some rounds, and the generator for the
decisions."""


def deal(
    rules: Rules, rounds: int, seed: int, *, slow: bool = False, place: Sequence[int] = ()
) -> Iterator[Dealt]:
    """Yield `rounds` rounds in batches, smaller ones for `slow` players. Equal arguments give equal
    deals; those of different places are independent."""
    if place:
        of_place = np.random.SeedSequence(seed, spawn_key=tuple(place)).spawn(2)
        dice, draws = map(np.random.default_rng, of_place)
    else:
        dice, draws = (np.random.default_rng([seed, stream]) for stream in (0, 1))
    batch = _SLOW_BATCH if slow else _BATCH
    for start in range(0, rounds, batch):
        dealt = roll_hands(rules, min(batch, rounds - start), dice)
        yield dealt, draws.spawn(1)[0]


class Ending(NamedTuple):
    """Rounds that end after the same number of bids."""

    rounds: Ints
    """[ended] the number of each round."""
    history: Ints
    """[ended, bid] the bids, oldest first."""
    action: Ints
    """[ended] the action that ends the round."""


class _Repeated:
    """Draws the same random numbers for each of some orders."""

    def __init__(self, random: np.random.Generator, orders: int) -> None:
        self._random, self._orders = random, orders

    def random(self, size: int) -> Floats:
        """Return [size] numbers from [0, 1): size / orders of them, once for each order."""
        return np.tile(self._random.random(size // self._orders), self._orders)


class Uniform(Protocol):
    """A source of random numbers."""

    def random(self, size: int) -> Floats:
        """Return [size] numbers from [0, 1)."""


Act = Callable[[int, Ints, Ints, Ints, Floats], Ints]
"""Is called with the number of a player, the number [n] of some rounds, and
the arguments of `BatchPlayer.act` for them; returns the actions."""


def endings(
    act: Act,
    names: Sequence[object],
    rules: Rules,
    dealt: Ints,
    random: Uniform,
    begun: Sequence[int] = (),
    seated: Ints | None = None,
) -> Iterator[Ending]:
    """Play rounds as `play_dealt` does, and yield the rounds that end, after each number of bids.

    Players act by `act`; errors call them by their `names` [player]. Player 0 opens, and the others
    follow in order, unless `seated` [round, seat] tells who sits in which seat of each round.
    """
    bids = bid_tables(rules).claimed.size
    going = np.arange(len(dealt))
    history = np.tile(np.array(begun, dtype=np.int64), (len(dealt), 1))
    while going.size:
        # Numbers for ended rounds are drawn too, so that no round depends on the others.
        uniform = random.random(len(dealt))[going]
        action = np.empty(going.size, dtype=np.int64)
        for seat, some in _in_step(rules, history):
            for one, its in _by_player(seat, some, None if seated is None else seated[going]):
                held = dealt[going[its]]
                found = act(one, going[its], held[:, seat], history[its], uniform[its])
                _verify_actions(names[one], rules, held, history[its], found)
                action[its] = found
        ends = action >= bids
        if ends.any():
            yield Ending(going[ends], history[ends], action[ends])
        history = np.column_stack([history, action])[~ends]
        going = going[~ends]


def play_dealt(
    players: Sequence[BatchPlayer],
    rules: Rules,
    dealt: NDArray[np.int64],
    random: np.random.Generator,
    begun: Sequence[int] = (),
) -> Ended:
    """Play rounds with the hands `dealt` [round, seat], which have `begun` with these bids;
    `random` draws the numbers for the decisions. Raise as `play_rounds` does."""
    _verify_seats(players, rules)
    players = apart(players)
    parts: list[tuple[NDArray[np.int64], Ended]] = []
    for ending in endings(_asking(players), players, rules, dealt, random, begun):
        parts.append((ending.rounds, settled(rules, dealt[ending.rounds], ending)))
    order = np.argsort(np.concatenate([np.zeros(0, dtype=np.int64), *(of for of, _ in parts)]))
    bids, distance, cost, challenger, true, loser = (
        np.concatenate([np.zeros(0, dtype=np.int64), *(getattr(one, name) for _, one in parts)])[
            order
        ]
        for name in ("bids", "distance", "cost", "challenger", "true", "loser")
    )
    return Ended(rules.players, bids, distance, cost, challenger, true.astype(np.bool_), loser)


def _asking(players: Sequence[BatchPlayer]) -> Act:
    """Return the Act of `players` [player]."""

    def act(one: int, _: Ints, hand: Ints, history: Ints, uniform: Floats) -> Ints:
        return players[one].act(hand, history, uniform)

    return act


def _in_step(rules: Rules, history: Ints) -> list[tuple[int, Ints]]:
    """Return the seats that decide after some `history` [round, bid], each with its rounds."""
    rounds = np.arange(len(history))
    groups = [rounds]
    if rules.players > 2 and rules.stakes.doubled and history.shape[1]:
        doubles = history[:, -1] // len(plain_bids(rules))
        groups = [rounds[doubles == number] for number in np.unique(doubles)]
    return [(int(movers_after(rules, history[some])[0]), some) for some in groups]


def _by_player(seat: int, rounds: Ints, seated: Ints | None) -> list[tuple[int, Ints]]:
    """Return the players who decide in the `seat` in some `rounds`, each with their rounds;
    `seated` [round, seat] is that of `endings`."""
    if seated is None:
        return [(seat, rounds)]
    mover = seated[rounds, seat]
    return [(one, rounds[mover == one]) for one in np.unique(mover).tolist()]


def settled(rules: Rules, dealt: Ints, ending: Ending) -> Ended:
    """Return how the rounds of an `ending` were settled, for their hands `dealt` [ended, seat]."""
    tables, (_, history, action) = bid_tables(rules), ending
    made, way = history.shape[1], action - tables.claimed.size
    back = tables.back[way]
    bid = history[np.arange(len(history)), made - back]
    distance = back + bid // tables.plain  # doubles follow their bid, one by one
    counted = tables.matches[bid[:, np.newaxis], dealt].sum(axis=1)
    bidder = (made - distance) % tables.players
    challenger = np.where(bid < tables.plain, made, made - distance + 1) % tables.players
    true = counted >= tables.claimed[bid]
    loser = np.where(true, challenger, bidder)
    gives_up = tables.settled[bid, way] == 0
    loser[gives_up] = movers_after(rules, history)[gives_up]
    bids = np.full(len(history), made)
    cost = tables.cost[bid, way]
    return Ended(tables.players, bids, distance, cost, challenger, true, loser)


# Illegal actions


def _verify_seats(players: Sequence[BatchPlayer], rules: Rules) -> None:
    if len(players) != rules.players:
        raise ZhaifeiError(
            "{given} players take part; the rules are for {players}",
            given=len(players),
            players=rules.players,
        )
    for player in players:
        verify_rules(player, rules)


def _verify_actions(
    player: object,
    rules: Rules,
    dealt: NDArray[np.int64],
    history: NDArray[np.int64],
    action: NDArray[np.int64],
) -> None:
    """Raise IllegalAction for the first round in which the action of the player in turn is
    illegal."""
    rounds = len(history)
    if action.shape != (rounds,) or action.dtype.kind != "i":
        raise IllegalAction(
            "{player} must return {rounds} integer actions, but returned {type} of shape {shape}",
            player=player,
            rounds=rounds,
            type=action.dtype,
            shape=action.shape,
        )
    tables = bid_tables(rules)
    state = states_after(rules, history)
    possible = np.column_stack([tables.legal[state], legal_endings(rules, history)])
    clipped = np.clip(action, 0, possible.shape[1] - 1)
    legal = (clipped == action) & possible[np.arange(rounds), clipped]
    if not legal.all():
        place = int(legal.argmin())
        raise _illegal(player, rules, dealt[place], history[place], int(action[place]))


def _illegal(
    player: object,
    rules: Rules,
    dealt: NDArray[np.int64],
    history: NDArray[np.int64],
    action: int,
) -> IllegalAction:
    """Return the error for an illegal action, with the reason that a Round gives."""
    bids = tuple(domain(rules)[bid] for bid in history)
    table = Round(rules, [hands(rules)[place] for place in dealt], history=bids)
    situation = {
        "player": player,
        "hand": format_hand(hands(rules)[dealt[table.turn]]),
        "history": format_history(bids),
    }
    if not 0 <= action < action_count(rules):
        return IllegalAction(
            "{player} with {hand} after [{history}]: there is no action {action}, only 0 to {last}",
            **situation,
            action=action,
            last=action_count(rules) - 1,
        )
    try:
        table.take(action)
    except ZhaifeiError as reason:
        return IllegalAction(
            "{player} with {hand} after [{history}] wants to play {action}: {reason}",
            **situation,
            action=format_action(rules, action),
            reason=reason,
        )
    raise AssertionError(f"{situation} plays {action}, which is legal")
