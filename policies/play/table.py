"""A table in progress: a decider in each seat, the match that they play, and an onlooker."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import action_of
from zhaifei.game.elimination import Elimination, EliminationRound
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand, hand_index
from zhaifei.game.match import Match
from zhaifei.game.rounds import Round
from zhaifei.game.views import View
from zhaifei.policies.play.elimination import MatchPlayer, take_turn
from zhaifei.policies.players.decider import Decider
from zhaifei.policies.players.player import Player, verify_rules
from zhaifei.policies.players.plug_in.memory import apart

AnyMatch = Match | Elimination
AnyRound = Round | EliminationRound
AnyPlayer = Player | MatchPlayer


class Leaves(Exception):
    """Raised by a Decider for a person who leaves the table; it is not an error."""


class Onlooker(Protocol):
    """Is notified of everything that happens at a table, without dice that must stay hidden.

    A score [seat] is penalty points or, where dice are lost, the dice left.
    """

    def begin(
        self, number: int, starter: int, score: Sequence[int], known: Mapping[int, Hand], /
    ) -> None:
        """Round `number`, from 1, begins with this score; `known` has the hands that may be shown,
        by seat."""

    def act(self, view: View, action: int, /) -> None:
        """The player in turn, whose view this was, takes the action. Where dice are lost it may be
        illegal, or `policies.players.decider.DECLINE`."""

    def settle(self, round_: AnyRound, score: Sequence[int], /) -> None:
        """The round has ended; the score now includes it."""


@dataclass(frozen=True)
class Onlookers:
    """Several onlookers as one, which passes every event to each of them in order."""

    each: Sequence[Onlooker]

    def begin(
        self, number: int, starter: int, score: Sequence[int], known: Mapping[int, Hand]
    ) -> None:
        """See Onlooker."""
        for one in self.each:
            one.begin(number, starter, score, known)

    def act(self, view: View, action: int) -> None:
        """See Onlooker."""
        for one in self.each:
            one.act(view, action)

    def settle(self, round_: AnyRound, score: Sequence[int]) -> None:
        """See Onlooker."""
        for one in self.each:
            one.settle(round_, score)


class SeatedPlayer:
    """A Decider for one seat, which asks a Player. Only its decisions draw from `random`."""

    def __init__(self, player: Player, random: np.random.Generator) -> None:
        self._player, self._random = player, random

    def decide(self, view: View) -> int:
        """See Decider."""
        hand, history = question(view)
        return int(self._player.act(hand, history, self._random.random(1))[0])


def question(view: View) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the hand [1] and the bids [1, bid] of a view, as a Player is asked."""
    rules = view.rules
    bids = [action_of(rules, bid) for bid in view.bids]
    return np.array([hand_index(rules, view.dice)]), np.array([bids], dtype=np.int64)


@dataclass
class LiveTable:
    """Plays a match, round by round."""

    match: AnyMatch
    seats: Sequence[Decider]
    """[seat] who decides there."""
    onlooker: Onlooker
    shown: Collection[int] = ()
    """The seats whose dice the onlooker may show during a round; at its end it may show all."""

    def __post_init__(self) -> None:
        players = self.match.rules.players
        if len(self.seats) != players:
            raise ZhaifeiError(
                "{seats} seats for {players} players", seats=len(self.seats), players=players
            )

    def play(self, rounds: int | None, between: Callable[[], object] = lambda: None) -> None:
        """Play `rounds` rounds (None: to the end of the match, if it has one), or until a person
        leaves. `between` is called after each round but the last; it may raise Leaves. Raise as
        `play_round` does."""
        with suppress(Leaves):
            self.play_round()
            while not self.match.is_over and (rounds is None or self.match.played < rounds):
                between()
                self.play_round()

    def play_round(self) -> None:
        """Play one round, from the roll to its score.

        Raise Leaves if a person leaves and, in a match for penalty points, IllegalBid or
        IllegalChallenge for an illegal decision; then the round does not count.
        """
        match = self.match
        round_ = match.deal()
        known = {seat: tuple(round_.hands[seat]) for seat in self.shown}
        self.onlooker.begin(match.played + 1, round_.starter, match.score, known)
        if isinstance(round_, Round):
            self._play_for_points(round_)
        else:
            self._play_for_dice(round_)
        match.settle()
        self.onlooker.settle(round_, match.score)

    def _play_for_points(self, round_: Round) -> None:
        while round_.settlement is None:
            view = round_.view(round_.turn)
            action = self.seats[view.seat].decide(view)
            round_.take(action)
            self.onlooker.act(view, action)

    def _play_for_dice(self, round_: EliminationRound) -> None:
        for bid in round_.history:  # the dice have made it
            own = tuple(round_.hands[round_.starter])
            view = replace(
                round_.view(),
                seat=round_.starter,
                dice=own,
                history=(),
                legal_bids=(bid,),
                turns_until_own=0,
            )
            self.onlooker.act(view, action_of(round_.rules, bid))
        while round_.outcome is None:
            view = round_.view()
            action = take_turn(round_, self.seats[view.seat])
            self.onlooker.act(view, action)


def sit_down(players: Sequence[AnyPlayer], seed: int) -> tuple[AnyMatch, list[Decider]]:
    """Return a match that has not begun, and [seat] a decider for each player.

    The dice and each player have their own random generator, so that no player's decisions change
    the dice or the numbers that others draw. A strategy file has a process of its own in each seat.
    Raise ZhaifeiError if players have different rules, and as `MatchPlayer.decider` and
    `policies.players.plug_in.memory.apart` do.
    """
    rules = players[0].rules
    for player in players:
        verify_rules(player, rules)
    dice, own = generators(seed, len(players))
    match = Elimination(rules, dice) if rules.loses_dice else Match(rules, dice)
    seated = zip(apart(players), own, strict=True)
    return match, [_seated(player, random) for player, random in seated]


def _seated(player: AnyPlayer, random: np.random.Generator) -> Decider:
    if isinstance(player, MatchPlayer):
        return player.decider(random)
    return SeatedPlayer(player, random)


def generators(seed: int, players: int) -> tuple[np.random.Generator, list[np.random.Generator]]:
    """Return the generator of the dice, and [seat] that of each player."""
    dice, *own = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(1 + players))
    return dice, own
