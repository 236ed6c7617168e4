"""Programs that may sit at the table: players of whom it is known exactly what they do.

    honest, ...:  the rule-based players (`policies.players.rule_based`), but for the random one
    reader:       the reader (`policies.players.reader`)
    policy:       the solved policy as it plays without a memory; with three players or more

A player of a rule decides by the own hand and the state of the bidding, so all decisions are a
table. The others are asked, which is slow. So they are asked only where it matters who they are.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bidding import states_after
from zhaifei.game.bids import challenge_action
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.players import reader
from zhaifei.policies.players.doubting import DoubtingReading
from zhaifei.policies.players.reading import CHUNK
from zhaifei.policies.players.reading_policy import ReadingPolicy
from zhaifei.policies.players.rule_based import RULES, decisions

Ints = NDArray[np.int64]
Bits = NDArray[np.bool_]
Floats = NDArray[np.float64]

READER, POLICY = reader.NAME, "policy"
EVERY = (*RULES, READER, POLICY)
"""The names of all programs."""
KEPT = 2**14
"""The most answers that are kept, of 2 kB each with five dice."""


def program_names(rules: Rules) -> tuple[str, ...]:
    """Return the names of the programs that may sit at a table of these rules, the first ones of
    EVERY. With two players, whoever plays the policy follows its table, so it is left out. Where
    bids may be doubled (劈), no program is known."""
    if rules.stakes.doubled:
        return ()
    return EVERY if rules.players > 2 else EVERY[:-1]


class Programs:
    """The programs for the rules of a policy."""

    def __init__(self, policy: ReadingPolicy) -> None:
        self._rules = policy.rules
        by_state = [[its[name] for name in RULES] for its in decisions(policy.rules)]
        acts = np.array(by_state, dtype=np.int16).transpose(1, 0, 2)
        self.acts: NDArray[np.int16] = np.ascontiguousarray(acts)
        """[rule, state, hand] the action of each rule."""
        self._challenge = challenge_action(policy.rules)
        self.reader = DoubtingReading(policy.rules)
        self.names = program_names(policy.rules)
        """[program]"""
        asked: dict[str, Callable[[Ints, Ints], Floats]]
        asked = {READER: self._read, POLICY: policy.played}
        self._asked = tuple(asked[name] for name in self.names[self.rules :])
        self._kept: dict[tuple[int, ...], Floats] = {}

    @property
    def rules(self) -> int:
        """The number of programs that are rules; they are the first ones."""
        return len(self.acts)

    def played(self, history: Ints, action: Ints, wanted: Bits) -> Floats:
        """Return [turn, program, hand] the probability with which each program takes the `action`
        [turn] after the `history` [turn, bid]; 0 where it is not `wanted` [turn, program]."""
        states = states_after(self._rules, history)
        found = np.zeros((*wanted.shape, bid_tables(self._rules).hands))
        its = self.acts[:, states].transpose(1, 0, 2)
        found[:, : self.rules] = its == action[:, np.newaxis, np.newaxis]
        found[~wanted] = 0.0
        for place in range(self.rules, len(self.names)):
            turns = np.flatnonzero(wanted[:, place])
            if turns.size:
                found[turns, place] = self._answers(place, history[turns], action[turns])
        return found

    def challenging(self, states: Ints) -> Bits:
        """Return [rule, turn, hand] whether each rule challenges in the `states` [turn]."""
        challenges: Bits = self.acts[:, states] >= self._challenge
        return challenges

    def _answers(self, place: int, history: Ints, action: Ints) -> Floats:
        """Return [turn, hand] what the program at this place answers. Equal questions are asked
        once, as long as the answers are kept."""
        keys = [(place, *one) for one in np.column_stack([history, action]).tolist()]
        new = {key: turn for turn, key in enumerate(keys) if key not in self._kept}
        if len(self._kept) + len(new) > KEPT:
            self._kept.clear()
            new = {key: turn for turn, key in enumerate(keys)}
        asked = [*new]
        for first in range(0, len(asked), CHUNK):
            some = asked[first : first + CHUNK]
            turns = [new[key] for key in some]
            found = self._asked[place - self.rules](history[turns], action[turns])
            self._kept.update(zip(some, found, strict=True))
        return np.array([self._kept[key] for key in keys])

    def _read(self, history: Ints, action: Ints) -> Floats:
        read = self.reader.decide_all(history) == action[:, np.newaxis]
        played: Floats = read.astype(np.float64)
        return played
