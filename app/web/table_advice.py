"""What to do at a table with real dice, and what its rounds say of the players: asked of a policy
in a worker process.

**What bids mean** depends on who makes them. Each player is one of three:

- *unknown*: bids like the policy, or now and then what the own dice support;
- *careful*: bids what the own dice support, so that bids tell much;
- *bluffs*: bids tell little.

The latter two are `policies.players.reading.PlausibleBidding` with other settings. As long as only
unknown players have bid, the advice is what `zhaifei query` says. Otherwise the others' hands are
read from their bids. With two players, what is best is then a best response to an opponent who
holds such hands, and from here on plays the policy (`solver.response.replies`; values leave out
what is LEAST likely). With more, the action of least risk is taken (`policies.players.reading`).

**Learning.** Dice that were shown say how likely the bids of their player were for each of the
three. Players are none of the three exactly, so a bid counts for TEMPER of what it would.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from game.bids import Bid, action_of, challengeable, domain
from game.hands import Hand, hand_index
from game.rules import Rules
from game.tables import bid_tables
from policies.measure.advice import ActionAdvice, Advice, action_advice, true_with
from policies.play.played import PlayedRound
from policies.players.mixed_bidding import MixedBidding, SeatedBidding
from policies.players.reading import Likelihood, PlausibleBidding, Reading
from policies.players.resolving import LEAST
from policies.players.table_policy import TablePolicy
from policies.players.table_reading import SURPRISE
from solver.response.replies import Replies

Floats = NDArray[np.float64]


class Character(Enum):
    """How a player bids."""

    UNKNOWN = "unknown"
    CAREFUL = "careful"
    BLUFFS = "bluffs"


CHARACTERS = tuple(Character)
_SETTINGS = {Character.CAREFUL: (6.0, 0.02), Character.BLUFFS: (1.0, 0.3)}
"""The power and the floor of their plausible bidding."""
_BEFORE = {Character.UNKNOWN: 0.5, Character.CAREFUL: 0.25, Character.BLUFFS: 0.25}
"""The probability of each before anything is known."""
TEMPER = 0.5
_FLOOR = 1e-9
"""The least probability of a bid: damaged files have smaller ones."""
SURE = 0.75
"""The probability from which on a player is taken to be what was learnt."""


class Question(NamedTuple):
    """What is asked."""

    rules: Rules
    starter: int
    """The seat that began; the own is 0."""
    hand: Hand
    bids: tuple[Bid, ...]
    characters: tuple[Character, ...]
    """[seat]"""

    @property
    def turn(self) -> int:
        """The seat whose turn it is."""
        return (self.starter + len(self.bids)) % self.rules.players

    @property
    def is_described(self) -> bool:
        """Whether a player has bid whose bids mean something else than those of an unknown one."""
        made = range(min(len(self.bids), self.rules.players))
        seats = {(self.starter + place) % self.rules.players for place in made} - {0}
        return any(self.characters[seat] is not Character.UNKNOWN for seat in seats)


class Ground(Enum):
    """What advice comes from."""

    POLICY = "policy"
    """The policy's own lines."""
    SOLVED = "solved"
    """The position was solved again."""
    READ = "read"
    """The others' hands are read from their bids, as players bid of whom nothing is known."""
    DESCRIBED = "described"
    """And as those bid who are said, or have turned out, to be of some kind."""


class TableAdvice(NamedTuple):
    """What is known at the table."""

    true: tuple[tuple[Bid, float], ...]
    """The bids that the player in turn may challenge, the last one first, each with the probability
    that it is true."""
    chances: tuple[float, ...]
    """[bid] the probability that each bid is true."""
    actions: tuple[ActionAdvice, ...]
    """What can be done, the best first; empty if it is another player's turn, or not yet known."""
    ground: Ground


class Advises(Protocol):
    """Gives advice to the player to move."""

    def advise(self, hand: Hand, history: Sequence[Bid]) -> Advice:
        """Return advice. Raise ZhaifeiError."""


def advise_table(
    policy: TablePolicy | None, adviser: Advises | None, question: Question
) -> TableAdvice:
    """Return what to do, and how likely bids are true. Without a policy and its `adviser` bids are
    read alone. Raise ZhaifeiError."""
    own_turn = question.turn == 0
    if own_turn and adviser is not None and not question.is_described:
        advice = adviser.advise(question.hand, question.bids)
        ground = Ground.READ if advice.read else Ground.POLICY
        if advice.solved is not None:
            ground = Ground.SOLVED
        chances = read_table(policy, question).chances
        return TableAdvice(tuple(advice.true), chances, tuple(advice.ranked), ground)
    reading = _reading(policy, question)
    found = _read(reading, question)
    if own_turn:
        found = found._replace(actions=_against(policy, reading, question))
    return found


def read_table(policy: TablePolicy | None, question: Question) -> TableAdvice:
    """Return how likely bids are true, which is soon known, but not yet what to do."""
    return _read(_reading(policy, question), question)


def _read(reading: Reading, question: Question) -> TableAdvice:
    chances = _chances(reading, question)
    places = challengeable(question.rules, len(question.bids))
    earlier = [question.bids[-distance] for distance in places]
    return TableAdvice(
        true=tuple((bid, chances[action_of(question.rules, bid)]) for bid in earlier),
        chances=chances,
        actions=(),
        ground=Ground.DESCRIBED if question.is_described else Ground.READ,
    )


def _reading(policy: TablePolicy | None, question: Question) -> Reading:
    """Return what reads the bids at this table."""
    kinds = likelihoods(policy, question.rules)
    seats = [kinds[one] for one in question.characters]
    return Reading(question.rules, SeatedBidding(question.rules, question.starter, seats))


def likelihoods(policy: TablePolicy | None, rules: Rules) -> dict[Character, Likelihood]:
    """Return what the bids of each kind of player mean."""
    plausible = PlausibleBidding(rules)
    found: dict[Character, Likelihood] = {
        one: PlausibleBidding(rules, *settings) for one, settings in _SETTINGS.items()
    }
    found[Character.UNKNOWN] = (
        plausible if policy is None else MixedBidding(policy, SURPRISE, plausible)
    )
    return found


def _chances(reading: Reading, question: Question) -> tuple[float, ...]:
    """Return [bid] the probability that each bid is true."""
    rules = question.rules
    bids = np.array([[action_of(rules, bid) for bid in question.bids]], dtype=np.int64)
    others = [
        reading.range_of(
            bids, range((seat - question.starter) % rules.players, bids.size, rules.players)
        )
        for seat in range(1, rules.players)
    ]
    own, ranges = hand_index(rules, question.hand), np.concatenate(others)
    tables = bid_tables(rules)
    return tuple(float(true_with(tables, bid, ranges)[own]) for bid in range(len(domain(rules))))


def _against(
    policy: TablePolicy | None, reading: Reading, question: Question
) -> tuple[ActionAdvice, ...]:
    """Return the actions, the best first, against players of whom `reading` knows what they
    hold."""
    rules, own = question.rules, np.array([hand_index(question.rules, question.hand)])
    made = tuple(action_of(rules, bid) for bid in question.bids)
    history = np.array([made], dtype=np.int64)
    if policy is not None and rules.players == 2 and policy.remembers_all:
        (other,) = reading.ranges(history)
        least = LEAST[min(len(made), len(LEAST) - 1)]
        replies = Replies(bid_tables(rules), policy.below(made))
        values = replies.by_action(made, other[0], least=least).T[own]
        best = np.nanargmax(values, axis=1)
    else:
        values, best = reading.values(own, made), reading.decide(own, history)
    played = np.zeros(values.shape)
    played[0, best[0]] = 1.0
    (found,) = action_advice(rules, played, values, np.zeros(values.shape))
    return tuple(sorted(found, key=lambda one: (-one.probability, -one.value)))


# Learning


class Evidence(NamedTuple):
    """What a round says of the players."""

    likely: tuple[tuple[float, ...], ...]
    """[seat][character] the logarithm of how likely the bids were,"""
    bids: tuple[int, ...]
    """[seat] and how many there were with dice that are known."""


class Learnt(NamedTuple):
    """What some rounds say of a player."""

    probability: dict[Character, float]
    bids: int
    """How many bids there were with dice that are known."""

    @property
    def likeliest(self) -> Character:
        """The likeliest kind."""
        return max(self.probability, key=self.probability.__getitem__)

    @property
    def character(self) -> Character:
        """What the player is taken to be."""
        sure = self.probability[self.likeliest] >= SURE
        return self.likeliest if sure else Character.UNKNOWN


def evidence_of(policy: TablePolicy | None, rules: Rules, played: PlayedRound) -> Evidence:
    """Return what a round says of how each player bids."""
    kinds = likelihoods(policy, rules)
    history = [action_of(rules, one) for one in played.bids(rules)]
    likely, bids = [], []
    for seat in range(rules.players):
        places = range((seat - played.starter) % rules.players, len(history), rules.players)
        hand = played.hands[seat]
        if hand is None:
            likely.append((0.0,) * len(CHARACTERS))
            bids.append(0)
            continue
        likely.append(
            tuple(_how_likely(rules, kinds[one], history, places, hand) for one in CHARACTERS)
        )
        bids.append(len(places))
    return Evidence(tuple(likely), tuple(bids))


def _how_likely(
    rules: Rules, kind: Likelihood, history: list[int], places: range, hand: Hand
) -> float:
    """Return the logarithm of how likely the bids at these places were with `hand`."""
    found = 0.0
    for place in places:
        before = np.array([history[:place]], dtype=np.int64).reshape(1, -1)
        likely = kind(before, np.array([history[place]]))[0, hand_index(rules, hand)]
        found += math.log(max(float(likely), _FLOOR))
    return found


def learnt_from(found: Sequence[tuple[tuple[float, ...], int]]) -> Learnt:
    """Return what the rounds say of a player, each by [character] the logarithm of how likely the
    bids were, and how many had known dice."""
    logs = np.log([_BEFORE[one] for one in CHARACTERS])
    for likely, _ in found:
        logs += TEMPER * np.array(likely)
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    return Learnt(
        dict(zip(CHARACTERS, shares.tolist(), strict=True)), sum(bids for _, bids in found)
    )
