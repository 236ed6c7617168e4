"""A table in progress: a decider in each seat, the match that they play, and an onlooker."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from zhaifei.game.bids import action_of
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand
from zhaifei.game.match import Match
from zhaifei.game.rounds import Round
from zhaifei.game.views import View
from zhaifei.policies.play.playing import play_round
from zhaifei.policies.players.decider import Decider, Remembers
from zhaifei.policies.players.player import Player, verify_rules
from zhaifei.policies.players.plug_in.memory import apart


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
        """The player in turn, whose view this was, takes the action: a bid, a challenge, or DECLINE
        or FORFEIT of `game.public_state`."""

    def settle(self, round_: Round, score: Sequence[int], /) -> None:
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

    def settle(self, round_: Round, score: Sequence[int]) -> None:
        """See Onlooker."""
        for one in self.each:
            one.settle(round_, score)


@dataclass
class LiveTable:
    """Plays a match, round by round."""

    match: Match
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
        known = {seat: tuple(round_.hands[seat]) for seat in self.shown if round_.hands[seat]}
        self.onlooker.begin(match.played + 1, round_.starter, match.score, known)
        opening = round_.opening_view()
        if opening is not None:
            self.onlooker.act(opening, action_of(round_.rules, round_.history[0]))
        play_round(round_, self.seats, self.onlooker.act)
        match.settle()
        for seat, decider in enumerate(self.seats):
            if isinstance(decider, Remembers):
                decider.remember(round_, seat)
        self.onlooker.settle(round_, match.score)


def sit_down(players: Sequence[Player], seed: int) -> tuple[Match, list[Decider]]:
    """Return a match that has not begun, and [seat] a decider for each player.

    The dice and each player have their own random generator, so that no player's decisions change
    the dice or the numbers that others draw. A strategy file has a process of its own in each seat.
    Raise ZhaifeiError if players have different rules, and as `Player.sit` and
    `policies.players.plug_in.memory.apart` do.
    """
    rules = players[0].rules
    for player in players:
        verify_rules(player, rules)
    dice, own = generators(seed, len(players))
    seated = zip(apart(players), own, strict=True)
    return Match(rules, dice), [player.sit(random) for player, random in seated]


def generators(seed: int, players: int) -> tuple[np.random.Generator, list[np.random.Generator]]:
    """Return the generator of the dice, and [seat] that of each player."""
    dice, *own = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(1 + players))
    return dice, own
