"""A player who learns how the others play, and makes use of it.

The player has the table of a solved policy, reads hands as `policies.players.reading_policy` does,
and believes of each other player what the earlier rounds have taught (`policies.learning.memory`).

**Where the table plays.** As ReadingPolicy does, the player trusts the table where the bids of all
others are likelier from players who follow it; the earlier rounds count too. Everywhere else the
player takes the action of least risk, among the players whom the memory expects
(`policies.learning.familiar`): of some styles and limits, or programs that it knows.

**Two players.** Departing from the table can lose, so it is limited by a budget
(`policies.learning.budget`): the expected loss to any opponent is at most that of the table, plus
`BUDGET` penalty points a match. The player departs in no round before which the other player
more likely follows the table than not.

**More players.** What the player does without a memory is what ReadingPolicy does, but that others
may be programs. At the start of a round, hands are read once the earlier rounds speak against the
table so much that OPENING_FOLLOWS, too, would have fallen below one half.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import action_of, challenge_action, mover_of
from zhaifei.game.hands import hand_index, probabilities
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.game.views import View
from zhaifei.policies.learning.budget import Budget
from zhaifei.policies.learning.familiar import FamiliarReading
from zhaifei.policies.learning.gifts import Gifts
from zhaifei.policies.learning.learnable import verify_learnable
from zhaifei.policies.learning.memory import Memory, shown_by, unknown_people
from zhaifei.policies.learning.reading import LearnedReading
from zhaifei.policies.players.decider import Decider
from zhaifei.policies.players.kinds import People
from zhaifei.policies.players.player import question
from zhaifei.policies.players.reading import CHUNK
from zhaifei.policies.players.reading_policy import ReadingPolicy
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.policies.players.table_reading import FOLLOWS, log_odds
from zhaifei.solver.value.self_play import self_play

Ints = NDArray[np.int64]
Bits = NDArray[np.bool_]
Floats = NDArray[np.float64]

ROUNDS = 50
"""The number of rounds of a match where nobody says how many."""
FOLLOWS_OF_TWO = 0.49
"""The probability that the other one of two players follows the table, before they have bid. It is
below one half, so that the player departs from the table at once if the budget allows it."""


@dataclass(frozen=True)
class LearningPlayer:
    """A Player, called `name`, who remembers the earlier rounds of a match."""

    policy: ReadingPolicy
    name: str

    def __str__(self) -> str:
        return self.name

    @property
    def rules(self) -> Rules:
        """See Player."""
        return self.policy.rules

    @cached_property
    def reading(self) -> LearnedReading:
        """What infers the hands of the others."""
        return LearnedReading(self.rules, self.policy.plain.table)

    @cached_property
    def values(self) -> Floats:
        """[place] at least what the table earns against itself, in penalty points, for the opener
        and the other one of two players."""
        opener = self_play(self.policy.plain.tables, self.policy.plain.table)[0]
        return np.array([opener.upper, -opener.lower])

    @cached_property
    def familiar(self) -> FamiliarReading:
        """What infers the hands of the others during a match, where they may be programs."""
        return FamiliarReading(self.policy)

    @cached_property
    def gifts(self) -> Gifts:
        """What measures what the other one of two players gives away."""
        return Gifts(self.policy.plain)

    def reads(self, history: Ints, people: People, evidence: Floats) -> Bits:
        """Return [turn, hand] whether the player reads hands after each `history` [turn, bid],
        instead of trusting the table. `people` is what is believed about the others, and `evidence`
        [turn] that of this round and of the earlier ones (`Memory.learned`)."""
        if not history.shape[1]:
            reads = (people.following < self._least_odds).any(axis=1, keepdims=True)
            return np.repeat(reads, probabilities(self.rules).size, axis=1)
        return self.policy.reads(history, evidence)

    @property
    def _least_odds(self) -> float:
        """The logarithm of the least odds that everybody else follows the table, for which the
        player opens as ReadingPolicy does."""
        if self.rules.players == 2:
            return 0.0
        return log_odds(self.policy.follows) - log_odds(self.policy.opening_follows)

    def sit(self, random: np.random.Generator) -> Decider:
        """See Player."""
        return SeatedLearner(Learning(self, 1), random)


def learning_player(plain: TablePolicy, name: str) -> LearningPlayer:
    """Return the player, called `name`, who learns on top of the table `plain`. Raise ZhaifeiError
    as `verify_learnable` does."""
    verify_learnable(plain.rules, remembers_all=plain.remembers_all)
    return LearningPlayer(ReadingPolicy(plain, follows_at(plain.rules)), name)


def follows_at(rules: Rules) -> float:
    """Return the probability that somebody who has never bid follows the table."""
    return FOLLOWS_OF_TWO if rules.players == 2 else FOLLOWS


class Learning:
    """A LearningPlayer in several matches at once, which have nothing to do with each other. All
    rounds of one call have the same number of bids."""

    def __init__(self, player: LearningPlayer, matches: int) -> None:
        self.player, self.rules, self._policy = player, player.rules, player.policy
        others, programs = player.rules.players - 1, len(player.familiar.programs.names)
        self.memory = Memory(unknown_people(matches, others, player.policy.follows, programs))
        self.budget = Budget(matches)
        self.departs: Bits = np.ones(matches, dtype=np.bool_)
        """[match] whether the player departs from the table in this round."""
        self._misses: Bits = np.zeros(matches, dtype=np.bool_)
        """[match] whether the player would depart if the account allowed it."""
        self._own = np.ones((matches, probabilities(self.rules).size))
        """[match, hand] the probability of the player's actions in this round with each hand."""

    def begin(self, place: Ints, uniform: Floats) -> None:
        """Begin a round in each match, in which the player is at this `place` [match] in the order
        of turns from the opener; `uniform` [match] has random numbers from [0, 1)."""
        if self.rules.players > 2:
            return
        self._own[:] = 1.0
        wants = self.memory.people(np.arange(place.size)).following[:, 0] < 0.0
        self.departs = self.budget.stake(wants, self.player.values[place], uniform)
        self._misses = wants & ~self.departs

    def act(self, matches: Ints, hand: Ints, history: Ints, uniform: Floats) -> Ints:
        """Return [round] the player's actions in the `matches` [round]. The other arguments are
        those of `BatchPlayer.act`."""
        action = np.empty(hand.size, dtype=np.int64)
        for turns, decide in (
            (np.flatnonzero(~self.departs[matches]), self._play_table),
            (np.flatnonzero(self.departs[matches]), self._depart),
        ):
            if turns.size:
                some = matches[turns], hand[turns], history[turns], uniform[turns]
                action[turns] = decide(*some)
        return action

    def end(self, matches: Ints, place: int, dealt: Ints, history: Ints, action: Ints) -> None:
        """Learn from a round in each of the `matches` [round], in which this player was at the
        `place` in the order of turns from the opener and took a decision. The arguments are those
        of `remember`."""
        self.remember(matches, place, dealt, history, action)
        if self.rules.players == 2:
            gone = self.departs[matches]
            payoff = self._payoff(matches, place, dealt[:, 1 - place], history, action)
            self.budget.receive(matches[gone], payoff[gone])
            for round_ in np.flatnonzero(self._misses[matches]).tolist():
                its = int(dealt[round_, 1 - place]), history[round_].tolist(), int(action[round_])
                given = self.player.gifts.given(1 - place, *its)
                self.budget.credit(int(matches[round_]), given)

    def remember(self, matches: Ints, place: int, dealt: Ints, history: Ints, action: Ints) -> None:
        """Learn how the others played in a round in each of the `matches` [round]. `dealt`
        [round, place] are the hands that the challenge has shown, `history` [round, bid] the bids,
        and `action` [round] what ended the round."""
        players, reading = self.rules.players, self.player.familiar
        for player in range(players - 1):
            other = (place + 1 + player) % players
            its = dealt[:, other], history, action
            asked = self.memory.doubted(matches, player)
            program = reading.shown_programs(other, *its, asked)
            self.memory.add(matches, player, shown_by(reading, other, *its), program)

    def _play_table(self, matches: Ints, hand: Ints, history: Ints, uniform: Floats) -> Ints:
        return self._policy.plain.draw(hand, history, uniform)

    def _depart(self, matches: Ints, hand: Ints, history: Ints, uniform: Floats) -> Ints:
        """Return what `act` does in rounds in which the player departs from the table."""
        each = np.arange(hand.size)
        chunks = [slice(first, first + CHUNK) for first in range(0, hand.size, CHUNK)]
        found = [self._read(matches[some], history[some]) for some in chunks]
        reads, read = map(np.concatenate, zip(*found, strict=True))
        reading = reads[each, hand]
        action = read[each, hand]
        action[~reading] = self._trusting(hand[~reading], history[~reading], uniform[~reading])
        if self.rules.players == 2:
            played = self.player.familiar.played(history, action)
            self._own[matches] *= np.where(reads, read == action[:, np.newaxis], played)
        return action

    def _read(self, matches: Ints, history: Ints) -> tuple[Bits, Ints]:
        """Return [turn, hand] whether the player reads hands, instead of trusting the table, and
        [turn, hand] what the player does then."""
        people, reading = self.memory.people(matches), self.player.familiar
        met = reading.met(history, people)
        evidence = self.memory.learned(matches) + np.sum([one.evidence for one in met], axis=0)
        reads = self.player.reads(history, people, evidence)
        read, some = np.zeros(reads.shape, dtype=np.int64), np.flatnonzero(reads.any(axis=1))
        if some.size:
            read[some] = reading.decide_met(history[some], [one.of(some) for one in met])
        return reads, read

    def _trusting(self, hand: Ints, history: Ints, uniform: Floats) -> Ints:
        """Return [turn] what the player does where the table is trusted."""
        if history.shape[1] or self.rules.players == 2:
            return self._policy.plain.draw(hand, history, uniform)
        return self._policy.opening[hand]

    def _payoff(
        self, matches: Ints, place: int, other: Ints, history: Ints, action: Ints
    ) -> Floats:
        """Return [round] the expected payoff of rounds that have ended, given the bids and the hand
        of the `other` [round]: over the own hands that fit the player's actions. If rounding of
        the table left none, return the least payoff, -1."""
        tables, bid = bid_tables(self.rules), history[:, -1]
        range_ = self._own[matches] * probabilities(self.rules, place)
        missing = tables.claimed[bid] - tables.matches[bid, other]
        enough = tables.matches[bid] >= missing[:, np.newaxis]
        bids = (history.shape[1] - 1) % 2 == place
        earned = (range_ * np.where(enough == bids, 1.0, -1.0)).sum(axis=1)
        mass, worst = range_.sum(axis=1), np.full(matches.size, -1.0)
        payoff: Floats = np.divide(earned, mass, out=worst, where=mass > 0.0)
        return payoff


class SeatedLearner:
    """A Decider for one seat of a match."""

    def __init__(self, learning: Learning, random: np.random.Generator) -> None:
        self._learning, self._random = learning, random
        self._begun = False

    def decide(self, view: View) -> int:
        """See Decider."""
        hand, history = question(view)
        if not self._begun:
            place = mover_of(view.rules, history[0].tolist())
            self._learning.begin(np.array([place]), self._random.random(1))
            self._begun = True
        match = np.zeros(1, dtype=np.int64)
        return int(self._learning.act(match, hand, history, self._random.random(1))[0])

    def remember(self, round_: Round, seat: int) -> None:
        """See Remembers."""
        challenge, rules = round_.challenged, round_.rules
        assert challenge is not None, "the round is over"
        dealt = [hand_index(rules, round_.hands[one]) for one in round_.seats]
        history = [action_of(rules, bid) for bid in round_.history]
        distance = len(history) - round_.history.index(challenge.bid)
        match, ended = np.zeros(1, dtype=np.int64), challenge_action(rules, distance)
        its = np.array([dealt]), np.array([history]), np.array([ended])
        learn = self._learning.end if self._begun else self._learning.remember
        learn(match, round_.seats.index(seat), *its)
        self._begun = False
