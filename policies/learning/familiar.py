"""Ranges and decisions among players who may be programs (`policies.learning.programs`).

A player follows the table, is of the styles, or is one of the programs. After their bids, the joint
probability of each case and of the hand is that of the case before the round, times

    prior(hand) * product over their bids of the probability of the bid in this case

where a program makes a share SURPRISE of its bids by plausible bidding. A program that had less
than CONSIDERED of the probability before the round is left out.

**The next player**, if they are a program, challenges a raise with the hands with which the program
does. For a reader, what they believe after each raise is computed, unless the raise is false with
nearly every hand. The solved policy is taken to challenge as its table does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bidding import bidding, states_after
from zhaifei.game.bids import challenge_action, mover_of, places_by
from zhaifei.game.hands import probabilities
from zhaifei.policies.learning.programs import POLICY, READER, Programs
from zhaifei.policies.learning.reading import LearnedReading
from zhaifei.policies.players.kinds import LIMIT_SHARES, People, Prior
from zhaifei.policies.players.reading import Risks, places_of_others
from zhaifei.policies.players.reading_policy import ReadingPolicy

Ints = NDArray[np.int64]
Bits = NDArray[np.bool_]
Floats = NDArray[np.float64]

CONSIDERED = 0.01
"""The least probability of a program that is considered, and the least chance that a raise is true
with some hand, so that what programs do after it matters."""


class Met(NamedTuple):
    """The beliefs about one other player, given their bids: joint probabilities, which sum to 1."""

    follows: Floats
    """[turn, hand] that the player follows the table and holds the hand."""
    limits: Floats
    """[turn, limit, hand] that the player is of the styles, and of the limit and hand."""
    programs: Floats
    """[turn, program, hand] that the player is the program and holds the hand."""
    evidence: Floats
    """[turn] the logarithm of how many times likelier the player's bids are if they follow the
    table than otherwise."""

    def of(self, turns: Ints) -> Met:
        """Return the beliefs in some turns."""
        return Met(*(one[turns] for one in self))

    @property
    def range(self) -> Floats:
        """[turn, hand] the player's range."""
        range_: Floats = self.follows + self.limits.sum(axis=1) + self.programs.sum(axis=1)
        return range_


class FamiliarReading(LearnedReading):
    """Ranges and decisions among people of whom `People.program` says something."""

    def __init__(self, policy: ReadingPolicy) -> None:
        super().__init__(policy.rules, policy.plain.table)
        self.programs = Programs(policy)
        self._of = {name: place for place, name in enumerate(self.programs.names)}

    def program_played(self, history: Ints, action: Ints, usual: Floats, wanted: Bits) -> Floats:
        """Return [turn, program, hand] the probability with which each program that is `wanted`
        [turn, program] takes the `action` [turn] after the `history` [turn, bid]. It is mixed with
        `usual` [turn, hand], that of other players."""
        mixed = (1.0 - self._surprise) * self.programs.played(history, action, wanted)
        mixed += self._surprise * usual[:, np.newaxis]
        return mixed

    def shown_programs(
        self, place: int, hand: Ints, history: Ints, action: Ints, asked: Bits
    ) -> Floats:
        """Return [round, program] the logarithm of the probability of what a player did in some
        rounds if they are each program that is `asked` [round, program], and NaN for the others.
        The other arguments are those of `shown_by`."""
        rules, rounds, bids = self.rules, np.arange(hand.size), history[0].tolist()
        shown = np.where(asked, 0.0, np.nan)
        for made in places_by(rules, bids, place):
            its = history[:, :made], history[:, made]
            played = self.program_played(*its, self.kinds.plausible(*its), asked)
            shown += np.log(played[rounds, :, hand])
        if mover_of(rules, bids) == place:
            ends = np.flatnonzero(action == challenge_action(rules))
            its = history[ends], action[ends]
            usual = np.einsum("l,rlh->rh", LIMIT_SHARES, 1.0 - self.kinds.raised(history[ends]))
            played = self.program_played(*its, usual, asked[ends])
            shown[ends] += np.log(played[np.arange(ends.size), :, hand[ends]])
        return shown

    def met(self, history: Ints, people: People) -> list[Met]:
        """Return [player] the beliefs about the other `people`, in the order of turns, after each
        history [turn, bid]."""
        places = places_of_others(self.rules, history)
        return [self._met(history, its, people, player) for player, its in enumerate(places)]

    def ranges(self, history: Ints) -> list[Floats]:
        """See Reading."""
        return [one.range for one in self.met(history, self._named)]

    def range_among(self, history: Ints, places: Sequence[int], people: People) -> Floats:
        """See LearnedReading."""
        return self._met(history, places, people, 0).range

    def evidence(self, history: Ints) -> Floats:
        """See TableReading."""
        evidence: Floats = np.sum([one.evidence for one in self.met(history, self._named)], axis=0)
        return evidence

    def _met(self, history: Ints, places: Sequence[int], people: People, player: int) -> Met:
        """Return the beliefs about one `player`, who made the bids at these places."""
        prior = Prior(people.style[:, player], people.limit[:, player])
        table = self._beliefs(history, places, people.odds[:, player], prior)
        before = self._cases(people, player)
        holding = self._holding(history, places, before[:, 2:] >= CONSIDERED)
        likely = holding.sum(axis=2) / np.exp(table.seen)[:, np.newaxis]
        follows, one = np.exp(table.evidence), np.ones(len(history))
        case = before * np.column_stack([one, follows, likely])
        otherwise = (case.sum(axis=1) - case[:, 1]) / (before.sum(axis=1) - before[:, 1])
        case /= case.sum(axis=1, keepdims=True)
        total = np.maximum(holding.sum(axis=2, keepdims=True), np.finfo(np.float64).tiny)
        return Met(
            case[:, 1:2] * table.following,
            case[:, :1, np.newaxis] * table.limits,
            case[:, 2:, np.newaxis] * (holding / total),
            np.log(follows / otherwise),
        )

    @staticmethod
    def _cases(people: People, player: int) -> Floats:
        """Return [turn, case] the probabilities before the round that the `player` is of the
        styles, that they follow the table, and that they are each program."""
        odds, program = people.odds[:, player], people.program[:, player]
        case = np.column_stack([np.zeros_like(odds), odds, program])
        weight = np.exp(case - case.max(axis=1, keepdims=True))
        cases: Floats = weight / weight.sum(axis=1, keepdims=True)
        return cases

    def _holding(self, history: Ints, places: Sequence[int], wanted: Bits) -> Floats:
        """Return [turn, program, hand] the probability that a player holds the hand and makes the
        bids at these places if they are the program; 0 where it is not `wanted`."""
        holding = wanted[:, :, np.newaxis] * probabilities(self.rules)
        for place in places:
            its = history[:, :place], history[:, place]
            holding *= self.program_played(*its, self.kinds.plausible(*its), wanted)
        return holding

    def decide_met(self, history: Ints, met: Sequence[Met]) -> Ints:
        """Return [turn, hand] the action of least risk with every hand after each `history`
        [turn, bid], if this is believed about the others."""
        return self._decided(history, self._risks_among(history, met))

    def _risks(self, history: Ints) -> Risks:
        """See Reading."""
        return self._risks_among(history, self.met(history, self._named))

    def _risks_among(self, history: Ints, met: Sequence[Met]) -> Risks:
        """Return the risks after each history, if this is believed about the others."""
        next_, *others = met
        rest = [one.range for one in others]
        if self.rules.players == 2:
            return self._risks_if(np.zeros(0), next_.range, rest)
        passing = self._passing(next_.limits)
        following = next_.follows + next_.programs[:, self._of[POLICY]]
        turn, bid, follows = self._following_passes(history, following)
        passing[turn, :, bid] += follows
        every = self._showdowns.distribution([next_.range, *rest])
        likely = self._true(every).max(axis=1) >= CONSIDERED
        legal = self._legal[states_after(self.rules, history)] & likely
        for turn_, raises in enumerate(map(np.flatnonzero, legal)):
            if raises.size:
                some = self._program_passes(history[turn_], raises, next_.programs[turn_])
                passing[turn_][:, raises] += some
        return self._risks_if(passing, next_.range, rest)

    def _program_passes(self, history: Ints, raises: Ints, programs: Floats) -> Floats:
        """Return [dice, raise] the probability that a player who is one of the `programs`
        [program, hand] lets each raise pass and holds `dice` dice that count."""
        state = states_after(self.rules, history[np.newaxis])[0]
        after, rules = bidding(self.rules).after[state, raises], self.programs.rules
        part = np.zeros((raises.size, programs.shape[1]))
        if programs[:rules].any():
            part += np.einsum("ph,prh->rh", programs[:rules], ~self.programs.challenging(after))
        reader = programs[self._of[READER]]
        if reader.sum() >= CONSIDERED:
            part += reader * ~self.programs.reader.challenges_after(history, raises)
        matches, every = self._showdowns.matches[raises], self._showdowns.dice
        return np.stack([(part * (matches == dice)).sum(axis=1) for dice in every])
