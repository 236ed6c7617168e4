"""The reader, a player that solves nothing. It infers each other player's range from how likely
their bids are from several kinds of players (`policies.players.kinds`). Then it takes the action of
least immediate risk (`policies.players.doubting`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import Bid, action_of, verify_history
from zhaifei.game.messages import Message
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.players.compiled_reading import MANY, decisions, empty_table, model_of
from zhaifei.policies.players.doubting import DoubtingReading
from zhaifei.policies.players.reading import FLOOR, POWER
from zhaifei.solver.bounds import History
from zhaifei.solver.playouts.beliefs import Model
from zhaifei.solver.playouts.walk import READS

NAME = "reader"


def description() -> Message:
    """Return a one-line description of the reader."""
    return Message(
        "reads the others' hands out of their bids, then takes the smaller risk: that a challenge "
        "finds the bid true, or that its likeliest raise is false"
    )


@dataclass(frozen=True)
class Reader:
    """A Policy without randomness, for any rules that are played for penalty points. `power` and
    `floor` are those of `PlausibleBidding`."""

    rules: Rules
    power: float = POWER
    floor: float = FLOOR
    _reading: DoubtingReading = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        reading = DoubtingReading(self.rules, self.power, self.floor)
        object.__setattr__(self, "_reading", reading)

    @cached_property
    def _model(self) -> Model:
        return model_of(self._reading, bid_tables(self.rules), empty_table(self.rules))

    def strategy(self, history: Sequence[Bid]) -> NDArray[np.float64]:
        """See Policy."""
        verify_history(self.rules, tuple(history))
        return self.strategies([tuple(action_of(self.rules, bid) for bid in history)])[0]

    def strategies(self, histories: Sequence[History]) -> list[NDArray[np.float64]]:
        """See Policy."""
        return [self._reading.strategy(history) for history in histories]

    def draw(
        self,
        hand: NDArray[np.int64],
        history: NDArray[np.int64],
        uniform: NDArray[np.float64],
    ) -> NDArray[np.int64]:
        """Return [turn] int64 actions; the arguments are those of `BatchPlayer.act`. No
        randomness is used."""
        compiles = self.rules.players > 2 and history.shape[1] and len(history) >= MANY
        if compiles and len(np.unique(history, axis=0)) >= MANY:
            return decisions(self._model, self.rules, hand, history, uniform, READS)
        return self._reading.decide(hand, history)
