"""Score a player who is known by its answers alone: what it loses a round against a policy, with
luck taken out as in `policies.review.luck`.

Each round is dealt anew, and the player opens every N-th of them: it sits N - 1 places after the
opener, N - 2, and so on. The dice of a round, and the numbers that the policy draws in it, depend
on the seed only. What is corrected are the roll and the draws of the policy; those of the player
are not, because nobody knows its strategy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.match import roll
from zhaifei.game.rounds import Round
from zhaifei.game.views import View
from zhaifei.policies.play.played import PlayedRound
from zhaifei.policies.play.stepping import SteppedRound
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.reading_policy import as_played
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.policies.review.luck import RoundLuck, Shares, round_luck, seat_values
from zhaifei.policies.review.reviewing import Estimate, estimate

MOST_ROUNDS = 1_000_000
"""The most rounds of a scored match."""
_DICE, _DRAWS = 0, 1
"""The streams of random numbers of a seed."""


class Rate(NamedTuple):
    """An estimate in penalty points a round."""

    mean: float
    margin: float | None
    """Half the width of the 95% confidence interval; None with fewer than two rounds."""


@dataclass(frozen=True)
class Score:
    """The result of a scored match."""

    rounds: int
    """The number of rounds that have ended."""
    points: int
    """The penalty points that the player took."""
    lost: Rate
    """What the player lost a round, luck taken out. Each player pays the own points and earns an
    equal share of the others', and the value of the seat is taken off."""
    plain: Rate
    """The same from the points alone, without corrections for luck."""
    decisions: int
    """The number of decisions of the player."""
    illegal: int
    """The number of answers that could not be read or were illegal."""


@dataclass
class ScoredMatch:
    """Rounds of a player from outside against a policy, as it is played at tables, in all other
    seats."""

    policy: TablePolicy
    rounds: int
    """The number of rounds to play."""
    seed: int
    decisions: int = field(default=0, init=False)
    """The number of decisions of the player."""
    illegal: int = field(default=0, init=False)
    """The number of answers that could not be read or were illegal."""
    ended: list[PlayedRound] = field(default_factory=list, init=False)
    """The rounds that have ended, oldest first, with all dice."""

    def __post_init__(self) -> None:
        if not 1 <= self.rounds <= MOST_ROUNDS:
            raise ZhaifeiError(
                "a scored match has 1 to {most:,} rounds, not {rounds:,}",
                most=MOST_ROUNDS,
                rounds=self.rounds,
            )
        self.policy.rules.verify_costs_points()
        self._player = PolicyPlayer(as_played(self.policy))
        self._worth = seat_values(self.policy)
        self._dice = np.random.default_rng([self.seed, _DICE])
        self._lucks: list[RoundLuck] = []
        self._shares = Shares()
        self._round = self._deal()
        self._advance()

    @property
    def view(self) -> View | None:
        """The view of the player, who decides now; None once all rounds are played."""
        return None if self.is_over else self._round.view

    @property
    def is_over(self) -> bool:
        """Whether all rounds are played."""
        return len(self.ended) >= self.rounds

    def act(self, action: int) -> None:
        """Take the action for the player, and play up to its next decision. Raise IllegalBid or
        IllegalChallenge without changing the round, and ZhaifeiError once all rounds are played;
        the callers count such answers by `refuse`."""
        if self.is_over:
            raise ZhaifeiError("the match is over")
        self._round.act(action)
        self.decisions += 1
        self._advance()

    def refuse(self) -> None:
        """Count an answer that could not be read or was illegal."""
        self.illegal += 1

    def score(self) -> Score:
        """Return the result of the rounds that have ended. Raise ZhaifeiError before the first
        one has."""
        if not self._lucks:
            raise ZhaifeiError("no round has ended yet")
        error = self._worth.error * len(self._lucks)
        return Score(
            rounds=len(self._lucks),
            points=sum(_points(played, seat) for played, seat in self._seated()),
            lost=_lost([one.skill for one in self._lucks], error),
            plain=_lost([one.earned - one.value for one in self._lucks], error),
            decisions=self.decisions,
            illegal=self.illegal,
        )

    def _seated(self) -> list[tuple[PlayedRound, int]]:
        """Return the rounds that have ended, each with the seat of the player."""
        return [(played, self._seat(number)) for number, played in enumerate(self.ended)]

    def _seat(self, number: int) -> int:
        """Return the seat of the player in this round, counted from the opener, who has seat 0."""
        return -number % self.policy.rules.players

    def _deal(self) -> SteppedRound:
        number, rules = len(self.ended), self.policy.rules
        draws = np.random.default_rng([self.seed, _DRAWS, number]).spawn(rules.players)
        deciders = [self._player.sit(own) for own in draws]
        return SteppedRound(Round(rules, roll(rules, self._dice)), deciders, self._seat(number))

    def _advance(self) -> None:
        """Settle rounds that have ended and deal the next ones until the player decides."""
        while self._round.view is None:
            self._settle(self._round.played)
            if self.is_over:
                return
            self._round = self._deal()

    def _settle(self, played: PlayedRound) -> None:
        """Take the luck out of a round, with the share of luck that earlier rounds suggest."""
        seat = self._round.seat
        known = {one: self._player for one in range(self.policy.rules.players) if one != seat}
        luck = round_luck(self.policy, self._worth, played, seat, known, self._shares.next)
        self._shares.learn(luck)
        self._lucks.append(luck)
        self.ended.append(played)


def _points(played: PlayedRound, seat: int) -> int:
    assert played.losses is not None, "the round has ended"
    return played.losses[seat]


def _lost(earned: Sequence[float], error: float) -> Rate:
    """Return what is lost a round, from what is earned in each of some rounds; `error` is that of
    their sum."""
    total: Estimate = estimate(earned, error)
    margin = None if total.margin is None else total.margin / len(earned)
    return Rate(0.0 - total.total / len(earned), margin)
