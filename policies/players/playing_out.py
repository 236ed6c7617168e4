"""Play the rest of a round many times, to measure what actions are worth.

**Who sits there.** Each other player follows the table with the probability that their bids so far
leave (`policies.players.table_reading`), and then plays as `ReadingPolicy` does, as the player who
asks does. Otherwise the player is of one of the kinds of `policies.players.kinds`: a style, a limit
and a hand are drawn given the bids, and both remain for the rest of the round.

All actions are played out with the same hands, kinds and random numbers, so that noise which they
have in common cancels out of their differences. The random numbers depend on the question alone:
equal questions get equal answers.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from zhaifei.game.bids import challenge_action, gives_up_action, mover_of
from zhaifei.game.hands import probabilities
from zhaifei.game.tables import longest_history
from zhaifei.policies.players.kinds import LIMIT_SHARES, SHARES
from zhaifei.policies.players.reading import TIE, PlausibleBidding
from zhaifei.policies.players.reading_policy import OWN, ReadingPolicy
from zhaifei.solver.playouts.beliefs import LIMITS, NOBODY, PLAUSIBLE, Floats, Model, Seats
from zhaifei.solver.playouts.walk import FOLLOWER, Dealt, Ints, Walk, play_out, walk_of
from zhaifei.solver.showdown import showdown_tables
from zhaifei.solver.tables.node_index import node_index

SEED = 18
"""The seed of the rounds that all questions are answered by."""
_SURE = 300.0
"""Logarithmic odds that no bids outweigh."""
People = Sequence[PlausibleBidding | None]
"""[player] how players bid of whom this is known, and None for the others."""
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


class PlayingOut:
    """Plays rounds out among the players whom a ReadingPolicy expects."""

    def __init__(self, policy: ReadingPolicy, seed: int = SEED, people: People = ()) -> None:
        """`people` are the players at the table, in the order of turns from the opener; nobody is
        known without them."""
        self._rules, self._model, self._seed = policy.rules, model_of(policy, people), seed
        self._longest = longest_history(policy.plain.tables.after) + 1

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
            follows = random.random(rounds) < seats.follows[seat]
            hands[:, seat] = drawn_index(seats.following[seat], random.random(rounds))
            styles[:, seat] = follower
            others = _draw_kinds(seats, seat, random.random((3, rounds)))
            for chosen, other in zip((hands, styles, limits), others, strict=True):
                chosen[~follows, seat] = other[~follows]
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


def model_of(policy: ReadingPolicy, people: People = ()) -> Model:
    """Return the model that `policy` has of the players at its table, of whom it may know how some
    bid. Then nobody trusts that all follow the table. Raise ZhaifeiError if the table is
    damaged."""
    rules, kinds = policy.rules, policy.reading.kinds
    people = people or (None,) * rules.players
    ways = [kinds.bidding, *dict.fromkeys(one for one in people if one is not None)]
    known = np.array([one is not None for one in people])
    total = np.stack([one.total for one in ways])
    return Model(
        game=showdown_tables(policy.plain.tables),
        table=policy.plain.table,
        nodes=node_index(policy.plain.table),
        prior=np.array(probabilities(rules)),
        bidding=np.array([0 if one is None else ways.index(one) for one in people]),
        weight=np.stack([one.weight for one in ways]),
        share=np.divide(1.0, total, out=np.zeros_like(total), where=total > 0.0),
        weakest=np.stack([np.zeros_like(kinds.climbs), kinds.climbs, kinds.stays]),
        raises=_padded(1.0 - kinds.challenges.transpose(2, 1, 0)),
        shares=np.where(known[:, np.newaxis], np.eye(len(SHARES))[PLAUSIBLE], SHARES),
        limit_shares=np.array([*LIMIT_SHARES, *[0.0] * (LIMITS - len(LIMIT_SHARES))]),
        odds=np.where(known, -_SURE, math.log(policy.follows / (1.0 - policy.follows))),
        surprise=policy.surprise,
        trust=_SURE if known.any() else math.log(policy.times),
        own=OWN,
        tie=TIE,
        players=rules.players,
        giving_up=(
            gives_up_action(rules) - challenge_action(rules) if rules.stakes.doubled else NOBODY
        ),
    )


def _padded(raises: Floats) -> Floats:
    """Return [bid, dice, limit] the probabilities with limits that nobody has."""
    bids, dice, limits = raises.shape
    padded = np.zeros((bids, dice, LIMITS))
    padded[..., :limits] = raises
    return padded
