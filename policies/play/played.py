"""Rounds and matches as records keep them. Some of their dice may be unknown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from zhaifei.game.bids import Bid, challenge_action, domain, state_after, verify_bid
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand
from zhaifei.game.rounds import Round, count_dice, verify_challenge
from zhaifei.game.rules import Rules

YOU = "you"
"""The name of the person's seat."""
UNNAMED = "?"
"""The name of a seat whose player is unknown."""


@dataclass(frozen=True)
class PlayedRound:
    """A recorded round, from the roll to the challenge or as far as it went."""

    starter: int
    """The seat that began, from 0."""
    hands: tuple[Hand | None, ...]
    """[seat] the dice; None if they are unknown."""
    actions: tuple[int, ...]
    """The bids and, if the round ended, the challenge, numbered as in `game.bids`."""
    points: tuple[int, ...] | None
    """[seat] the penalty points of this round. None if it did not end, or if the known dice do not
    determine the loser and nobody named one."""

    @property
    def loser(self) -> int | None:
        """The seat that lost; None if the loser is unknown or the round did not end."""
        return None if self.points is None else self.points.index(max(self.points))

    def bids(self, rules: Rules) -> tuple[Bid, ...]:
        """Return the bids, oldest first."""
        return tuple(domain(rules)[one] for one in self.actions if one < challenge_action(rules))

    def decisions(self, rules: Rules, seat: int) -> list[tuple[tuple[Bid, ...], int]]:
        """Return the decisions of a seat, oldest first: the bids before each, and its action."""
        bids = self.bids(rules)
        first = (seat - self.starter) % rules.players
        return [
            (bids[:place], self.actions[place])
            for place in range(first, len(self.actions), rules.players)
        ]

    def challenged(self, rules: Rules) -> Challenged | None:
        """Return the challenged bid, its bidder and its challenger; None if the round did not
        end."""
        distance = self.actions[-1] - challenge_action(rules) + 1 if self.actions else 0
        if distance < 1:
            return None
        challenger = (self.starter + len(self.actions) - 1) % rules.players
        bidder = (challenger - distance) % rules.players
        return Challenged(self.bids(rules)[-distance], bidder, challenger, distance)

    def replayed(self, rules: Rules) -> Round | None:
        """Return the round in its last state; None if some dice are unknown."""
        hands = [hand for hand in self.hands if hand is not None]
        if len(hands) < len(self.hands):
            return None
        round_ = Round(rules, hands, self.starter)
        for action in self.actions:
            round_.take(action)
        return round_


@dataclass(frozen=True)
class PlayedMatch:
    """A recorded match."""

    rules: Rules
    seats: tuple[str, ...]
    """[seat] the names as `play` shows them; YOU for the person, UNNAMED for an unknown player."""
    you: int | None
    """The seat of the person, from 0; None if no person played."""
    seed: int | None
    policy: str | None
    """The name or the file of the policy that played or gave the hints."""
    version: str
    """The version of zhaifei."""
    rounds: tuple[PlayedRound, ...]

    @property
    def points(self) -> tuple[int, ...]:
        """[seat] the penalty points, as far as they are known."""
        return total_points(self.rules, self.rounds)


def total_points(rules: Rules, rounds: Iterable[PlayedRound]) -> tuple[int, ...]:
    """Return [seat] the penalty points of these rounds, as far as they are known."""
    known = [played.points for played in rounds if played.points is not None]
    return tuple(sum(points[seat] for points in known) for seat in range(rules.players))


@dataclass(frozen=True)
class Challenged:
    """A challenge, whose result may be unknown."""

    bid: Bid
    bidder: int
    """The seat of the player who made the bid, from 0."""
    challenger: int
    """The seat of the player who challenged it, from 0."""
    distance: int
    """The number of bids since the challenged bid, itself included: the points that the loser
    takes."""


def played_round(
    rules: Rules,
    starter: int,
    hands: Sequence[Hand | None],
    actions: Sequence[int],
    loser: int | None = None,
) -> PlayedRound:
    """Return a round with these legal actions, and with its points if the loser is known: from the
    known dice, or as the given `loser`. `hands` is [seat]. Raise ZhaifeiError if `loser` cannot
    have lost."""
    played = PlayedRound(starter, tuple(hands), tuple(actions), None)
    challenged = played.challenged(rules)
    if challenged is None:
        if loser is not None:
            raise ZhaifeiError("nobody has lost yet: the last bid has not been challenged")
        return played
    lost = _loser_by_dice(rules, challenged, hands)
    if loser is None:
        loser = lost
    elif loser not in (challenged.challenger, challenged.bidder):
        raise ZhaifeiError(
            "seat {seat} cannot have lost: seat {challenger} challenged a bid of seat {bidder}",
            seat=loser + 1,
            challenger=challenged.challenger + 1,
            bidder=challenged.bidder + 1,
        )
    elif lost not in (None, loser):
        raise ZhaifeiError(
            "seat {seat} cannot have lost: by the dice the other has", seat=loser + 1
        )
    if loser is None:
        return played
    points = tuple(challenged.distance if seat == loser else 0 for seat in range(rules.players))
    return PlayedRound(played.starter, played.hands, played.actions, points)


def _loser_by_dice(
    rules: Rules, challenged: Challenged, hands: Sequence[Hand | None]
) -> int | None:
    """Return the seat that lost; None if the known dice do not determine it."""
    known = [hand for hand in hands if hand is not None]
    counted = count_dice(rules, challenged.bid, known)
    if counted >= challenged.bid.count:
        return challenged.challenger
    unknown = rules.most_counted * (len(hands) - len(known))
    return challenged.bidder if counted + unknown < challenged.bid.count else None


def verify_next(rules: Rules, before: Sequence[int], action: int) -> None:
    """Raise ZhaifeiError unless `action` may follow the actions `before` it."""
    distance = action - challenge_action(rules) + 1
    if before and before[-1] >= challenge_action(rules):
        raise ZhaifeiError("the round has ended")
    if distance >= 1:
        verify_challenge(rules, len(before), distance)
    else:
        state = state_after(rules, [domain(rules)[bid] for bid in before])
        verify_bid(rules, domain(rules)[action], *state)
