"""A table in progress: seats that decide, a match that counts, and who looks on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from game.bids import IllegalBid, action_of
from game.errors import ZhaifeiError
from game.hands import Hand, hand_index
from game.match import Match
from game.rounds import IllegalChallenge, Round, View
from policies.players.player import Player, verify_rules


class Leaves(Exception):
    """The person at the table wants to go; nothing went wrong."""


class Seat(Protocol):
    """Whoever decides in one seat, knowing no more than a View."""

    def decide(self, view: View) -> int:
        """The action, as `game.bids` numbers them, of the player whose turn and view it is. Raises
        Leaves."""

    def refused(self, error: IllegalBid | IllegalChallenge) -> None:
        """The rules do not allow what was decided; returns to be asked again, or raises."""


class Onlooker(Protocol):
    """Is told what happens at a table, and no more than it may show while a round goes on."""

    def begin(
        self, number: int, starter: int, points: Sequence[int], known: Mapping[int, Hand]
    ) -> None:
        """A round begins, counted from 1, with these penalty points by seat; `known` are the hands
        that may be shown."""

    def act(self, view: View, action: int) -> None:
        """The player whose view it is, and whose turn it was, does this."""

    def settle(self, round_: Round, points: Sequence[int]) -> None:
        """The round has ended; the points now include its own."""


class PlayerSeat:
    """A seat of a Player. `random` draws the numbers by which it decides, and nothing else."""

    def __init__(self, player: Player, random: np.random.Generator) -> None:
        self._player, self._random = player, random

    def decide(self, view: View) -> int:
        """See Seat."""
        rules = view.rules
        hand = np.array([hand_index(rules, view.hand)])
        history = np.array([[action_of(rules, bid) for bid in view.history]], dtype=np.int64)
        return int(self._player.act(hand, history, self._random.random(1))[0])

    def refused(self, error: IllegalBid | IllegalChallenge) -> None:
        """Asked again, it would decide the same."""
        raise error


@dataclass
class LiveTable:
    """Plays a match, round by round. `shown` are the seats whose dice everyone sees, while those
    of the others become known when the round is settled."""

    match: Match
    seats: Sequence[Seat]
    onlooker: Onlooker
    shown: Collection[int] = ()

    def __post_init__(self) -> None:
        players = self.match.rules.players
        if len(self.seats) != players:
            raise ZhaifeiError(
                "{seats} seats for {players} players", seats=len(self.seats), players=players
            )

    def play(self, rounds: int | None, between: Callable[[], object] = lambda: None) -> None:
        """So many rounds or, with None, rounds without end; less if a person leaves. `between` is
        called after each but the last; it may raise Leaves."""
        with suppress(Leaves):
            self.play_round()
            while rounds is None or len(self.match.settled) < rounds:
                between()
                self.play_round()

    def play_round(self) -> None:
        """One round, from the roll to the points. Raises Leaves if a person goes; then the round
        does not count."""
        match = self.match
        round_ = match.deal()
        known = {seat: round_.view(seat).hand for seat in self.shown}
        self.onlooker.begin(len(match.settled) + 1, round_.starter, match.points, known)
        while round_.settlement is None:
            view = round_.view(round_.turn)
            self.onlooker.act(view, self._decision(round_, view))
        match.settle()
        self.onlooker.settle(round_, match.points)

    def _decision(self, round_: Round, view: View) -> int:
        """The action taken. A refused one changes nothing, and the player decides again."""
        seat = self.seats[view.seat]
        while True:
            action = seat.decide(view)
            try:
                round_.take(action)
            except (IllegalBid, IllegalChallenge) as error:
                seat.refused(error)
            else:
                return action


def sit_down(players: Sequence[Player], seed: int) -> tuple[Match, list[Seat]]:
    """A match that has not begun, and a seat for each player. The dice and each player have random
    numbers of their own, so that nobody's decisions change another's luck. Raises ZhaifeiError for
    players of different rules."""
    rules = players[0].rules
    for player in players:
        verify_rules(player, rules)
    dice, *own = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(1 + len(players)))
    return Match(rules, dice), [
        PlayerSeat(player, random) for player, random in zip(players, own, strict=True)
    ]
