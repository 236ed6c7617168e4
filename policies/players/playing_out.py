"""Play the rest of a round many times, to measure what actions are worth.

**Who sits there.** Each other player follows the table with the probability that their bids so far
leave (`policies.players.table_reading`), and then plays as `ReadingPolicy` does, as the player who
asks does. Otherwise the player is of one of the `policies.players.manners`: a style, a limit and a
hand are drawn given the bids, and all remain for the rest of the round. Something may be known of
each player before the round.

**Programs.** A player may also be a program of which it is known what it does (`Programs`). How
likely that is, and which hand it holds then, are given for the bids so far. In the rest of the
round such a player decides by their rule, but the beliefs of everybody leave the case out.

All actions are played out with the same hands, kinds and random numbers, so that noise which they
have in common cancels out of their differences. The random numbers depend on the question alone:
equal questions get equal answers.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import mover_of
from zhaifei.game.tables import longest_history
from zhaifei.policies.players.kinds import People
from zhaifei.policies.players.reading_policy import ReadingPolicy
from zhaifei.solver.playouts.beliefs import Floats, Model, Seats
from zhaifei.solver.playouts.walk import FOLLOWER, Dealt, Ints, Walk, play_out, walk_of

SEED = 18
"""The seed of the rounds that all questions are answered by."""
_NO_ROUNDS = np.zeros((0, 0), dtype=np.int64)
_NOTHING = Dealt(_NO_ROUNDS, _NO_ROUNDS, _NO_ROUNDS, np.zeros((0, 0)))


class Played(NamedTuple):
    """How rounds ended. Axis `action` is that of the actions asked about."""

    loser: Ints
    """[action, round] the player who lost, in the order of turns from the opener."""
    cost: Ints
    """[action, round] the penalty points that the loser took."""

    def utilities(self, player: int, players: int) -> Floats:
        """Return [action, round] what each round was worth to `player`, in penalty points. The
        loser pays their points, and every other player earns an equal share of them."""
        earned: Floats = np.where(self.loser == player, -1.0, 1.0 / (players - 1)) * self.cost
        return earned


class Programs(NamedTuple):
    """The programs that other players may be after the bids of a question. Axis `ahead` is in the
    order of turns after the player to move."""

    follows: Floats
    """[ahead] the probability that each player follows the table if they are no program."""
    held: Floats
    """[ahead, program, hand] the probability that the player is the program and holds the hand."""
    style: Ints
    """[program] how it plays, as `solver.playouts.walk.Dealt` numbers styles below 0."""
    acts: NDArray[np.int16]
    """[rule, state, hand] the actions of programs that decide by a rule."""


class PlayingOut:
    """Plays rounds out among the players whom a ReadingPolicy expects."""

    def __init__(self, policy: ReadingPolicy, seed: int = SEED) -> None:
        self._rules, self._model, self._seed = policy.rules, policy.model, seed
        self._longest = longest_history(policy.plain.tables.after) + 1
        self._programs: Programs | None = None

    def among(self, people: People, mover: int, programs: Programs | None = None) -> PlayingOut:
        """Return what plays rounds out in which this is believed about the other players, in one
        turn, by the player at the place `mover` in the order of turns from the opener. With
        `programs` it plays out after their bids only, and `people` is what is believed about
        players who are no programs."""
        found = copy(self)
        found._model, found._programs = _among(self._model, people, mover), programs
        if programs is not None:
            found._model = found._model._replace(acts=programs.acts)
        return found

    def seats(self, history: Sequence[int]) -> Seats:
        """Return what everybody believes about each seat after the bids of `history`."""
        return self._walk(history, _NOTHING).seats

    def deal(
        self,
        own: Sequence[int],
        history: Sequence[int],
        rounds: int,
        *,
        copies: bool = False,
        follower: int = FOLLOWER,
    ) -> Dealt:
        """Return `rounds` rounds for each hand of `own`, one hand after the other. In these rounds
        the player to move after the bids of `history` holds the hand, and the others what they may
        hold after their bids. Others who follow the table are of the kind `follower`; with
        `copies`, all others are."""
        seats = self.seats(history)
        if copies:
            seats.follows[:] = 1.0
        dealt = []
        for hand in own:
            random = np.random.default_rng([self._seed, hand, *history])
            dealt.append(self._deal(np.full(rounds, hand), history, seats, follower, random))
        return Dealt(*map(np.concatenate, zip(*dealt, strict=True)))

    def deal_range(
        self, weights: Floats, history: Sequence[int], action: int, rounds: int
    ) -> Dealt:
        """Return `rounds` rounds as `deal` does, in which the player to move holds each hand as
        often as its `weights` [hand] say. They differ from those of other actions."""
        random = np.random.default_rng([self._seed, weights.size, action, *history])
        own = drawn_index(weights, random.random(rounds))
        return self._deal(own, history, self.seats(history), FOLLOWER, random)

    def _deal(
        self,
        own: Ints,
        history: Sequence[int],
        seats: Seats,
        follower: int,
        random: np.random.Generator,
    ) -> Dealt:
        """Return rounds in which the player to move holds the hands `own` [round]."""
        mover, rounds, players = mover_of(self._rules, history), own.size, self._rules.players
        hands, limits = own[:, np.newaxis].repeat(players, axis=1), np.zeros((rounds, players), int)
        styles = np.full((rounds, players), FOLLOWER)
        for ahead in range(1, players):
            seat = (mover + ahead) % players
            likely = seats.follows[seat]
            if self._programs is not None:
                likely = self._programs.follows[ahead - 1]
            follows = random.random(rounds) < likely
            hands[:, seat] = drawn_index(seats.following[seat], random.random(rounds))
            styles[:, seat] = follower
            others = _draw_kinds(seats, seat, random.random((3, rounds)))
            for chosen, other in zip((hands, styles, limits), others, strict=True):
                chosen[~follows, seat] = other[~follows]
            if self._programs is not None:
                its = hands[:, seat], styles[:, seat]
                _seat_programs(self._programs, ahead, *its, random.random(rounds))
        return Dealt(hands, styles, limits, random.random((rounds, self._longest)))

    def play(self, dealt: Dealt, history: Sequence[int], actions: Sequence[int] | Ints) -> Played:
        """Play the rounds `dealt` once for each of the `actions` [action] of the player to move
        after `history`; `actions` [action, round] may differ from round to round."""
        played = Played(*np.empty((2, len(actions), len(dealt.hand)), dtype=np.int64))
        threads = min(len(actions), os.cpu_count() or 1)

        def play(first: int) -> None:
            walk = self._walk(history, dealt)
            for place in range(first, len(actions), threads):
                walk.action[:] = actions[place]
                play_out(self._model, walk, len(history), played.loser[place], played.cost[place])

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(play, range(threads)))
        return played

    def _walk(self, history: Sequence[int], dealt: Dealt) -> Walk:
        return walk_of(self._model, history, dealt, self._longest)


def _draw_kinds(seats: Seats, seat: int, uniform: Floats) -> tuple[Ints, Ints, Ints]:
    """Return [round] the hands, styles and limits of a player who follows no table; `uniform` is
    [3, round]."""
    hand = drawn_index(seats.other[seat], uniform[0])
    style = _drawn_each(seats.style[seat, hand], uniform[1])
    return hand, style, _drawn_each(seats.limit[seat, hand], uniform[2])


def _seat_programs(
    programs: Programs, ahead: int, hand: Ints, style: Ints, uniform: Floats
) -> None:
    """Write the `hand` [round] and `style` [round] of a player in the rounds in which they are a
    program; `uniform` [round] are the random numbers, from [0, 1)."""
    held = programs.held[ahead - 1]
    total = held.sum()
    rounds = np.flatnonzero(uniform < total)
    if rounds.size:
        chosen = drawn_index(held.reshape(-1), uniform[rounds] / total)
        program, hand[rounds] = np.divmod(chosen, held.shape[1])
        style[rounds] = programs.style[program]


def drawn_index(weight: Floats, uniform: Floats) -> Ints:
    """Return [round] an index drawn by its `weight` [index]; `uniform` [round] are the random
    numbers, from [0, 1)."""
    ends = weight.cumsum()
    chosen: Ints = np.searchsorted(ends, uniform * ends[-1], side="right")
    return chosen.clip(max=weight.size - 1)


def _drawn_each(weight: Floats, uniform: Floats) -> Ints:
    """Return [round] an index drawn by the weights [round, index]."""
    ends = weight.cumsum(axis=1)
    chosen: Ints = (ends <= (uniform * ends[:, -1])[:, np.newaxis]).sum(axis=1)
    return chosen.clip(max=weight.shape[1] - 1)


def _among(model: Model, people: People, mover: int) -> Model:
    """Return the model with what is believed about the others by the player at the place `mover`.
    Everybody believes the same about a player, so the others trust the table by the same odds."""
    others = (mover + 1 + np.arange(model.players - 1)) % model.players
    odds, shares, limits = model.odds.copy(), model.shares.copy(), model.limits.copy()
    odds[others], shares[others] = people.odds[0], people.style[0]
    limits[others, : people.limit.shape[2]] = people.limit[0]
    learned = odds - model.odds
    trust = model.trust - (learned.sum() - learned)
    return model._replace(odds=odds, shares=shares, limits=limits, trust=trust)
