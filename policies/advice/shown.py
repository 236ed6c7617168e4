"""What recorded rounds show of each player whose dice were seen."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import action_of, challenge_action
from zhaifei.game.hands import hand_index
from zhaifei.game.rules import Rules
from zhaifei.policies.learning.familiar import FamiliarReading
from zhaifei.policies.learning.memory import Shown, shown_by
from zhaifei.policies.learning.reading import LearnedReading
from zhaifei.policies.play.played import PlayedRound

Ints = NDArray[np.int64]
Bits = NDArray[np.bool_]
Floats = NDArray[np.float64]

_GOES_ON = -1
"""Stands for the ending of a round that nobody has ended."""


class PlayShown(NamedTuple):
    """What a round shows of one player."""

    shown: Shown
    """What it shows by styles, limits and the table."""
    programs: int
    """The number of programs that can be asked what they would have done: the first ones of
    `policies.learning.programs`."""
    ask: Callable[[Bits], Floats]
    """Returns [0, program] what each of these programs says, as `by_programs` does, given which of
    them are asked [0, program]."""

    @property
    def is_told(self) -> bool:
        """Whether the player did something that counts."""
        return any(one.any() for one in self.shown)

    def by_programs(self, asked: Bits) -> Floats | None:
        """Return [0, program] the logarithm of the probability of what the player did by each
        program that is `asked` [0, program], and NaN for the others. Return None if there are no
        programs by the rules of the round. Where the policy cannot be asked, who follows it
        follows the table."""
        if not self.programs:
            return None
        both = min(self.programs, asked.shape[1])
        found = np.repeat(self.shown.table[:, np.newaxis], asked.shape[1], axis=1)
        found[:, :both] = self.ask(asked[:, :both])
        return found


def shown_in(
    reading: LearnedReading, programs: int, rules: Rules, played: PlayedRound
) -> tuple[PlayShown | None, ...]:
    """Return [seat] what a recorded round, for penalty points by `rules`, shows of each player. The
    first `programs` of those that the `reading` knows can be asked. None stands for a player whose
    dice are not known, and for everybody in a round without a bid."""
    if rules.table.uneven:
        return (None,) * rules.players
    history = np.array([[action_of(rules, bid) for bid in played.bids(rules)]], dtype=np.int64)
    ends = [one for one in played.actions if one >= challenge_action(rules)] or [_GOES_ON]
    found: list[PlayShown | None] = []
    for seat, hand in enumerate(played.hands):
        place = (seat - played.starter) % rules.players
        if hand is None or not history.size:
            found.append(None)
            continue
        its = np.array([hand_index(rules, hand)]), history, np.array(ends)
        ask = partial(_asked, reading, place, its)
        found.append(PlayShown(shown_by(reading, place, *its), programs, ask))
    return tuple(found)


def _asked(
    reading: LearnedReading, place: int, its: tuple[Ints, Ints, Ints], asked: Bits
) -> Floats:
    """Return what is kept as `PlayShown.ask`; `its` are the hand, the bids and the ending."""
    assert isinstance(reading, FamiliarReading), "only such a reading knows programs"
    every = np.zeros((1, len(reading.programs.names)), dtype=np.bool_)
    every[:, : asked.shape[1]] = asked
    return reading.shown_programs(place, *its, every)[:, : asked.shape[1]]
