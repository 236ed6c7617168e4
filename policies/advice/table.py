"""Advice at a table with real dice, where it may be known how players bid.

As long as only unknown players have bid, the advice is that of `policies.advice.advising`.
Otherwise the others' hands are read from their bids, by their characters. With two players, the
advice is then a best response to an opponent who holds such hands, and from here on plays the
policy (`solver.response.replies`). Where the opponent's mass is below LEAST, the responder no
longer raises within the tree. With more players, the actions of least risk
(`policies.players.reading`) are played out among such players.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zhaifei.game.bids import (
    Bid,
    action_of,
    challengeable,
    domain,
    mover_after,
    places_by,
)
from zhaifei.game.hands import Hand, hand_index
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.advice.advice import ActionAdvice, Advice, Ground, Source
from zhaifei.policies.advice.advising import Adviser
from zhaifei.policies.advice.answering import rows_under
from zhaifei.policies.advice.characters import Character, likelihoods, plausible
from zhaifei.policies.advice.values import (
    Beliefs,
    BestResponse,
    Part,
    Read,
    Rest,
    numbers,
    true_with,
)
from zhaifei.policies.players.mixed_bidding import SeatedBidding
from zhaifei.policies.players.reading import Reading
from zhaifei.policies.players.reading_policy import ReadingPolicy
from zhaifei.policies.players.resolving import LEAST
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.response.replies import Replies


class TableQuestion(NamedTuple):
    """A question about a position at the table."""

    rules: Rules
    starter: int
    """The seat that began; the person's own seat is 0."""
    hand: Hand
    bids: tuple[Bid, ...]
    characters: tuple[Character, ...]
    """[seat]"""

    @property
    def turn(self) -> int:
        """The seat whose turn it is."""
        return (self.starter + mover_after(self.rules, self.bids)) % self.rules.players

    @property
    def ground(self) -> Source:
        """What a reading of the bids rests on."""
        return Source.DESCRIBED if self.is_described else Source.READ

    @property
    def is_described(self) -> bool:
        """Whether a player has bid whose character is not unknown."""
        made = range(min(len([bid for bid in self.bids if not bid.doubled]), self.rules.players))
        seats = {(self.starter + place) % self.rules.players for place in made} - {0}
        return any(self.characters[seat] is not Character.UNKNOWN for seat in seats)


class TableAdvice(NamedTuple):
    """The probabilities and the advice at the table."""

    true: tuple[tuple[Bid, float], ...]
    """The bids that the player in turn may challenge, the last one first, each with the probability
    that it is true."""
    chances: tuple[float, ...]
    """[bid] the probability that each bid is true."""
    actions: tuple[ActionAdvice, ...]
    """The possible actions, the best first; empty if it is another player's turn, or not yet
    known."""
    ground: Ground
    described: bool = False
    """Whether it counts that a player has bid whose character is not unknown."""


def advise_table(
    policy: TablePolicy | None, adviser: Adviser | None, question: TableQuestion
) -> TableAdvice:
    """Return the advice, and how likely bids are true. Without a policy and its `adviser`, read the
    bids alone. Raise ZhaifeiError if the question has no answer."""
    found = read_table(policy, question)
    if question.turn != 0:
        return found
    if adviser is not None and not question.is_described:
        advice = adviser.advise(question.hand, question.bids)
        return TableAdvice(advice.true, found.chances, tuple(advice.ranked), advice.ground)
    own = np.array([hand_index(question.rules, question.hand)])
    part = Part(own, [_described(policy, question)])
    advice = rows_under(question.rules, part, question.bids).row(0)
    if adviser is not None and isinstance(adviser.policy, ReadingPolicy):
        advice = _played_out(adviser.policy, question, advice)
    return found._replace(actions=tuple(advice.ranked), ground=advice.ground)


def _played_out(policy: ReadingPolicy, question: TableQuestion, advice: Advice) -> Advice:
    """Return `advice` with the values of rounds among the players of the table, as described."""
    from zhaifei.policies.advice.played_out import play_out_among  # noqa: PLC0415  # not for two
    from zhaifei.policies.players.rollouts import Rollouts  # noqa: PLC0415

    rules, known = question.rules, plausible(question.rules)
    seats = [(question.starter + turn) % rules.players for turn in range(rules.players)]
    people = [None if seat == 0 else known.get(question.characters[seat]) for seat in seats]
    *_, found = play_out_among(Rollouts(policy, people=people), advice)
    return found


def read_table(policy: TablePolicy | None, question: TableQuestion) -> TableAdvice:
    """Return how likely bids are true, without actions: this is known sooner."""
    rules, chances = question.rules, _chances(_reading(policy, question), question)
    earlier = [question.bids[-distance] for distance in challengeable(rules, len(question.bids))]
    true = tuple((bid.claim, chances[action_of(rules, bid)]) for bid in earlier)
    return TableAdvice(true, chances, (), question.ground, question.is_described)


def _described(policy: TablePolicy | None, question: TableQuestion) -> Beliefs:
    """Return what the person believes in their own turn, by the characters of the others."""
    rules, made = question.rules, numbers(question.rules, question.bids)
    reading = _reading(policy, question)
    ranges = np.concatenate(reading.ranges(np.array([made], dtype=np.int64)))
    rest: Rest = Read(rules, reading)
    if policy is not None and rules.players == 2 and policy.remembers_all:
        replies = Replies(bid_tables(rules), policy.below(made))
        rest = BestResponse(rules, replies, LEAST[min(len(made), len(LEAST) - 1)])
    return Beliefs(question.bids, ranges, question.ground, rest)


def _reading(policy: TablePolicy | None, question: TableQuestion) -> Reading:
    """Return the model that reads the bids at this table."""
    kinds = likelihoods(policy, question.rules)
    seats = [kinds[one] for one in question.characters]
    return Reading(question.rules, SeatedBidding(question.rules, question.starter, seats))


def _chances(reading: Reading, question: TableQuestion) -> tuple[float, ...]:
    """Return [bid] the probability that each bid is true."""
    rules = question.rules
    made = numbers(rules, question.bids)
    bids = np.array([made], dtype=np.int64)
    others = [
        reading.range_of(bids, places_by(rules, made, seat - question.starter))
        for seat in range(1, rules.players)
    ]
    own, ranges = hand_index(rules, question.hand), np.concatenate(others)
    tables = bid_tables(rules)
    return tuple(float(true_with(tables, bid, ranges)[own]) for bid in range(len(domain(rules))))
