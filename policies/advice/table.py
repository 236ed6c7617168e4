"""Advice among people of whom something is known: at a table with real dice, or from records.

As long as nothing is known of anybody, the advice is that of `policies.advice.advising`. Otherwise
it is that of a player who learns (`policies.learning.player`). The table plays where the bids and
the earlier rounds are likelier from people who follow it. Elsewhere the others' hands are read from
their bids, as these people bid, and the action of least risk is taken. Either choice is then played
out among such people (`policies.players.playing_out`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from zhaifei.game.bids import (
    Bid,
    domain,
    mover_after,
    places_by,
    verify_history,
)
from zhaifei.game.hands import Hand, hand_index, verify_hand
from zhaifei.game.notation import parse_action
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.advice.advice import Advice, Floats, Source
from zhaifei.policies.advice.advising import Adviser
from zhaifei.policies.advice.answering import rows_under
from zhaifei.policies.advice.beliefs import PolicyBeliefs
from zhaifei.policies.advice.people import Person, people_of, person_of
from zhaifei.policies.advice.shown import PlayShown, shown_in
from zhaifei.policies.advice.values import Beliefs, Part, Read, numbers, true_with
from zhaifei.policies.learning.familiar import FamiliarReading
from zhaifei.policies.learning.memory import MOST
from zhaifei.policies.learning.player import LearningPlayer, follows_at
from zhaifei.policies.learning.programs import EVERY, POLICY, program_names
from zhaifei.policies.learning.reading import LearnedReading
from zhaifei.policies.play.played import PlayedRound
from zhaifei.policies.players.kinds import People
from zhaifei.policies.players.reading_policy import ReadingPolicy
from zhaifei.policies.players.table_policy import TablePolicy, opening_policy
from zhaifei.solver.abstraction import WHOLE

if TYPE_CHECKING:
    from zhaifei.policies.players.rollouts import Rollouts


class TableQuestion(NamedTuple):
    """A question about a position at the table."""

    rules: Rules
    starter: int
    """The seat that began; the person's own seat is 0."""
    hand: Hand
    bids: tuple[Bid, ...]
    people: tuple[Person, ...]
    """[seat] what is believed about each player before the round; that of seat 0 is not used."""

    @property
    def turn(self) -> int:
        """The seat whose turn it is."""
        return (self.starter + mover_after(self.rules, self.bids)) % self.rules.players

    @property
    def is_known(self) -> bool:
        """Whether something is known of one of the others."""
        return any(one != person_of(self.rules) for one in self.people[1:])


class PeopleAdviser:
    """Gives advice among people, and keeps what does not depend on the question."""

    def __init__(self, rules: Rules, policy: TablePolicy | None) -> None:
        """Nobody is believed to follow a table unless there is a `policy` that remembers all bids
        and considers all of them (`solver.abstraction`)."""
        found = policy if policy is not None and policy.remembers_all else None
        found = found if found is not None and found.abstraction == WHOLE else None
        self.rules, self._is_followed = rules, found is not None
        plain = found or opening_policy(rules)
        self._player = LearningPlayer(ReadingPolicy(plain, follows_at(rules)), "")
        self._table = PolicyBeliefs(plain)

    def refine(self, hand: Hand, said: Sequence[Bid], people: Sequence[Person]) -> Iterator[Advice]:
        """Yield advice to the player to move after the bids `said`, better and better. `people` are
        the others, in the order of turns. Raise IllegalBid or IllegalHand."""
        verify_history(self.rules, tuple(said))
        mover = mover_after(self.rules, said)
        verify_hand(self.rules, hand, mover)
        found, known = self._people(people), any(one != person_of(self.rules) for one in people)
        part = self._part(hand_index(self.rules, hand), tuple(said), found)
        advice = rows_under(self.rules, part, tuple(said)).row(0)
        if advice.ground is Source.READ and known:
            advice = replace(advice, ground=Source.DESCRIBED)
        yield advice
        from zhaifei.policies.advice.played_out import play_out_among  # noqa: PLC0415  # compiles

        yield from play_out_among(self._among(found, said), advice, known=known)

    def earned(
        self,
        hand: Hand,
        said: Sequence[Bid],
        people: Sequence[Person],
        actions: Sequence[str],
    ) -> Floats:
        """Return [action, round] what each of the `actions`, in the notation of `game.notation`,
        earns in penalty points, in as many rounds as the last answer of `refine`. The other
        arguments are those of `refine`. All actions meet the same hands and random numbers."""
        from zhaifei.policies.players.rollouts import STEPS  # noqa: PLC0415  # compiles

        last, bids = said[-1] if said else None, numbers(self.rules, said)
        taken = [parse_action(self.rules, one, last) for one in actions]
        rollouts = self._among(self._people(people), said)
        return rollouts.earned(hand_index(self.rules, hand), bids, taken, STEPS[-1][0])

    def shown(self, rules: Rules, played: PlayedRound) -> tuple[PlayShown | None, ...]:
        """Return [seat] what a round by `rules`, those of this adviser, shows of each player."""
        programs = len(program_names(rules))
        known = programs if self._is_followed else min(programs, EVERY.index(POLICY))
        return shown_in(self._reading, known, rules, played)

    def chances(self, question: TableQuestion) -> tuple[float, ...]:
        """Return [bid] the probability that each bid is true."""
        rules, made = question.rules, numbers(question.rules, question.bids)
        bids, reading = np.array([made], dtype=np.int64), self._reading
        others = [
            reading.range_among(
                bids,
                places_by(rules, made, seat - question.starter),
                self._people([question.people[seat]]),
            )
            for seat in range(1, rules.players)
        ]
        own, ranges = hand_index(rules, question.hand), np.concatenate(others)
        tables = bid_tables(rules)
        return tuple(
            float(true_with(tables, bid, ranges)[own]) for bid in range(len(domain(rules)))
        )

    @cached_property
    def _reading(self) -> LearnedReading:
        """What infers the hands of the others, who may be programs where there are any."""
        return self._player.familiar if program_names(self.rules) else self._player.reading

    @cached_property
    def _rollouts(self) -> Rollouts:
        from zhaifei.policies.players.rollouts import Rollouts  # noqa: PLC0415  # compiles

        return Rollouts(self._player.policy)

    def _among(self, people: People, said: Sequence[Bid]) -> Rollouts:
        """Return what plays rounds out among these people after the bids `said`."""
        from zhaifei.policies.advice.played_out import rollouts_among  # noqa: PLC0415  # compiles

        if isinstance(self._reading, FamiliarReading):
            bids = numbers(self.rules, said)
            return rollouts_among(self._rollouts, self._reading, people, bids)
        return self._rollouts.among(people, mover_after(self.rules, said))

    def _people(self, people: Sequence[Person]) -> People:
        found = people_of(people)
        if self._is_followed:
            return found
        nobody, program = np.full_like(found.odds, -MOST), found.program.copy()
        program[:, :, EVERY.index(POLICY) :] = -MOST
        return found._replace(odds=nobody, program=program)

    def _part(self, own: int, history: tuple[Bid, ...], people: People) -> Part:
        """Return what is believed with the hand `own` after `history`."""
        bids = np.array([numbers(self.rules, history)], dtype=np.int64)
        hand, reading = np.array([own]), self._reading.among(people)
        evidence = self._learned(people) + reading.evidence(bids)
        if not self._player.reads(bids, people, evidence)[0, own]:
            return Part(hand, [self._table.followed(history)])
        ranges = np.concatenate(reading.ranges(bids))
        rest = Read(self.rules, reading)
        return Part(hand, [Beliefs(history, ranges, Source.READ, rest)])

    def _learned(self, people: People) -> Floats:
        """Return [turn] the evidence of the earlier rounds that all others follow the table."""
        first = people_of([person_of(self.rules)])
        learned: Floats = (people.following - first.following).sum(axis=1)
        return learned


def advise_in_turn(
    people: PeopleAdviser, adviser: Adviser | None, question: TableQuestion
) -> Advice:
    """Return the advice to the player in seat 0, whose turn it is: that of the `adviser`, if there
    is one, as long as nothing is known of the others. Raise ZhaifeiError if the question has no
    answer."""
    if adviser is not None and not question.is_known:
        return adviser.advise(question.hand, question.bids)
    *_, advice = people.refine(question.hand, question.bids, question.people[1:])
    return advice
