"""Advise at a table with real dice, and learn from its rounds how players bid, by querying a policy
in a worker process.

**What bids mean** depends on who makes them. Each player has one of three characters:

- *unknown*: bids like the policy, or now and then what the player's own dice support;
- *careful*: bids what the player's own dice support, so that bids tell much;
- *bluffs*: bids tell little.

The latter two are `policies.players.reading.PlausibleBidding` with other settings. As long as only
unknown players have bid, the advice is that of `zhaifei query`. Otherwise the others' hands are
read from their bids. With two players, the advice is then a best response to an opponent who holds
such hands, and from here on plays the policy (`solver.response.replies`). Where the opponent's mass
is below LEAST, the responder no longer raises within the tree. With more players, the action of
least risk is taken (`policies.players.reading`).

**Learning.** Shown dice give the likelihood of their player's bids under each character. No player
has exactly one of the three characters, so the log-likelihood of a bid is multiplied by TEMPER.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import Bid, action_of, challengeable, domain
from zhaifei.game.hands import Hand, hand_index
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.advice.advice import ActionAdvice, Advice, action_advice, true_with
from zhaifei.policies.play.played import PlayedRound
from zhaifei.policies.players.mixed_bidding import MixedBidding, SeatedBidding
from zhaifei.policies.players.reading import Likelihood, PlausibleBidding, Reading
from zhaifei.policies.players.resolving import LEAST
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.policies.players.table_reading import SURPRISE
from zhaifei.solver.response.replies import Replies

Floats = NDArray[np.float64]


class Character(Enum):
    """How a player bids."""

    UNKNOWN = "unknown"
    CAREFUL = "careful"
    BLUFFS = "bluffs"


CHARACTERS = tuple(Character)
_SETTINGS = {Character.CAREFUL: (6.0, 0.02), Character.BLUFFS: (1.0, 0.3)}
"""The power and the floor of each character's plausible bidding."""
_BEFORE = {Character.UNKNOWN: 0.5, Character.CAREFUL: 0.25, Character.BLUFFS: 0.25}
"""The prior probability of each character."""
TEMPER = 0.5
_FLOOR = 1e-9
"""The least probability of a bid: damaged files have smaller ones."""
SURE = 0.75
"""The probability from which on a player is taken to have the learnt character."""


class Question(NamedTuple):
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
        return (self.starter + len(self.bids)) % self.rules.players

    @property
    def is_described(self) -> bool:
        """Whether a player has bid whose character is not unknown."""
        made = range(min(len(self.bids), self.rules.players))
        seats = {(self.starter + place) % self.rules.players for place in made} - {0}
        return any(self.characters[seat] is not Character.UNKNOWN for seat in seats)


class Ground(Enum):
    """The source of an advice."""

    POLICY = "policy"
    """The policy's own lines."""
    SOLVED = "solved"
    """The position was solved again."""
    READ = "read"
    """The others' hands are read from their bids, as bids of unknown players."""
    DESCRIBED = "described"
    """The others' hands are read from their bids, as bids of players whose characters were said or
    learnt."""


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


class Advises(Protocol):
    """Gives advice to the player to move."""

    def advise(self, hand: Hand, history: Sequence[Bid]) -> Advice:
        """Return advice. Raise ZhaifeiError if the hand or history is invalid."""


def advise_table(
    policy: TablePolicy | None, adviser: Advises | None, question: Question
) -> TableAdvice:
    """Return the advice, and how likely bids are true. Without a policy and its `adviser`, read the
    bids alone. Raise ZhaifeiError if the question has no answer."""
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
    """Return how likely bids are true, without actions: this is known sooner."""
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
    """Return the model that reads the bids at this table."""
    kinds = likelihoods(policy, question.rules)
    seats = [kinds[one] for one in question.characters]
    return Reading(question.rules, SeatedBidding(question.rules, question.starter, seats))


def likelihoods(policy: TablePolicy | None, rules: Rules) -> dict[Character, Likelihood]:
    """Return the likelihood of bids for each character."""
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
    """Return the actions, the best first, against players whose ranges `reading` knows."""
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
    """The evidence of a round on the characters of its players."""

    likely: tuple[tuple[float, ...], ...]
    """[seat][character] the logarithm of the likelihood of the player's bids."""
    bids: tuple[int, ...]
    """[seat] the number of the player's bids for which the dice are known."""


class Learnt(NamedTuple):
    """The character of a player, as learnt from some rounds."""

    probability: dict[Character, float]
    bids: int
    """The number of bids for which the dice are known."""

    @property
    def likeliest(self) -> Character:
        """The likeliest character."""
        return max(self.probability, key=self.probability.__getitem__)

    @property
    def character(self) -> Character:
        """The character that the player is taken to have."""
        sure = self.probability[self.likeliest] >= SURE
        return self.likeliest if sure else Character.UNKNOWN


def evidence_of(policy: TablePolicy | None, rules: Rules, played: PlayedRound) -> Evidence:
    """Return the evidence of a round on how each player bids."""
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
    """Return the logarithm of the likelihood of the bids at these places with `hand`."""
    found = 0.0
    for place in places:
        before = np.array([history[:place]], dtype=np.int64).reshape(1, -1)
        likely = kind(before, np.array([history[place]]))[0, hand_index(rules, hand)]
        found += math.log(max(float(likely), _FLOOR))
    return found


def learnt_from(found: Sequence[tuple[tuple[float, ...], int]]) -> Learnt:
    """Return what the rounds say of a player. Each round gives [character] the logarithm of the
    likelihood of the bids, and the number of bids with known dice."""
    logs = np.log([_BEFORE[one] for one in CHARACTERS])
    for likely, _ in found:
        logs += TEMPER * np.array(likely)
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    return Learnt(
        dict(zip(CHARACTERS, shares.tolist(), strict=True)), sum(bids for _, bids in found)
    )
