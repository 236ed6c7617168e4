"""Reading players who may be programs, against Bayes' rule with everything written out."""

from functools import cache
from itertools import product
from math import exp, prod
from typing import NamedTuple

import numpy as np
import pytest

from tests.policies.players import reading_twin as twin
from tests.policies.players.reading_cases import few_histories, indices
from tests.policies.reading_policies import VARIANTS, policy_for
from zhaifei.game.bids import Bid, action_of, challenge_action, legal_bids
from zhaifei.game.hands import Hand, hands, probabilities
from zhaifei.game.rules import Rules
from zhaifei.policies.learning.familiar import CONSIDERED, FamiliarReading
from zhaifei.policies.players.kinds import LIMIT_SHARES, People
from zhaifei.policies.players.manners import SHARES
from zhaifei.policies.players.policy import Policy
from zhaifei.policies.players.reader import Reader
from zhaifei.policies.players.rule_based import RULES, rule_based
from zhaifei.policies.players.table_reading import SURPRISE

SMALL = [rules for rules in VARIANTS if not rules.stakes.doubled]
each_small = pytest.mark.parametrize("rules", SMALL, ids=str)
History = tuple[Bid, ...]


def known_people(rules: Rules, programs: int) -> People:
    """Each of the others differs; some programs are too unlikely to be considered."""
    others, random = rules.players - 1, np.random.default_rng(3)
    style = random.dirichlet(np.ones(len(SHARES)), (1, others))
    limit = random.dirichlet(np.ones(len(LIMIT_SHARES)), (1, others))
    program = random.normal(-1.0, 2.0, (1, others, programs))
    program[0, 0, :2] = -9.0
    return People(random.normal(0.0, 1.0, (1, others)), style, limit, program)


@cache
def policies_of(rules: Rules) -> list[Policy]:
    return [*(rule_based(name, rules) for name in RULES), Reader(rules), policy_for(rules)]


@cache
def strategies(rules: Rules, history: History) -> list[np.ndarray]:
    """The strategy of each program, then that of the table."""
    return [one.strategy(history) for one in (*policies_of(rules), policy_for(rules).plain)]


class Held(NamedTuple):
    """The probability of a hand, together with what its holder is."""

    follows: float
    limits: tuple[float, ...]
    programs: tuple[float, ...]

    @property
    def all(self) -> float:
        return self.follows + sum(self.limits) + sum(self.programs)


class Twin:
    """What the player to move believes after a history."""

    def __init__(
        self, rules: Rules, reading: FamiliarReading, people: People, history: History
    ) -> None:
        self.rules, self.reading, self.people, self.history = rules, reading, people, history
        self.others = [self._other(player) for player in range(rules.players - 1)]
        """By hand, the next one first."""

    def _cases(self, player: int) -> tuple[float, float, list[float]]:
        odds, program = float(self.people.odds[0, player]), self.people.program[0, player]
        total = 1.0 + exp(odds) + sum(exp(one) for one in program)
        return 1.0 / total, exp(odds) / total, [exp(one) / total for one in program]

    def weights(self, player: int) -> dict[Hand, Held]:
        """The likelihood of the hand and the bids in each case, without its probability."""
        found, kinds = {}, self.reading.kinds
        style, limit = self.people.style[0, player], self.people.limit[0, player]
        for place, hand in enumerate(hands(self.rules)):
            prior = float(probabilities(self.rules)[place])
            styles, limits, follows = style * prior, limit.copy(), prior
            programs = [prior] * self.people.program.shape[2]
            for made in twin.places_of(self.rules, self.history, player + 1):
                before = self.history[:made]
                its = indices(self.rules, before), indices(self.rules, self.history)[:, made]
                styles = styles * kinds.styles(*its)[0, :, place]
                limits = limits * kinds.raised(its[0])[0, :, place]
                follows *= float(self.reading.following(*its)[0, place])
                usual = float(kinds.plausible(*its)[0, place])
                played = [one[place, its[1][0]] for one in strategies(self.rules, before)[:-1]]
                programs = [
                    one * ((1.0 - SURPRISE) * float(plays) + SURPRISE * usual)
                    for one, plays in zip(programs, played, strict=True)
                ]
            both = tuple((styles.sum() * limits).tolist())
            found[hand] = Held(follows, both, tuple(programs))
        return found

    def _other(self, player: int) -> dict[Hand, Held]:
        other, follows, programs = self._cases(player)
        considered = [one if one >= CONSIDERED else 0.0 for one in programs]
        joint = {
            hand: Held(
                follows * held.follows,
                tuple(other * one for one in held.limits),
                tuple(a * b for a, b in zip(considered, held.programs, strict=True)),
            )
            for hand, held in self.weights(player).items()
        }
        total = sum(held.all for held in joint.values())
        return {
            hand: Held(
                held.follows / total,
                tuple(one / total for one in held.limits),
                tuple(one / total for one in held.programs),
            )
            for hand, held in joint.items()
        }

    def times(self, player: int) -> float:
        """How many times likelier the player's bids are if they follow the table."""
        other, _, programs = self._cases(player)
        seen = self.weights(player).values()
        otherwise = other * sum(sum(held.limits) for held in seen)
        for place, one in enumerate(programs):
            if one >= CONSIDERED:
                otherwise += one * sum(held.programs[place] for held in seen)
        return sum(held.follows for held in seen) / (otherwise / (other + sum(programs)))

    def _challenges(self, bid: Bid, place: int, held: Held) -> float:
        """The probability that the next player holds the hand at this `place` and challenges."""
        raised, ends = (*self.history, bid), challenge_action(self.rules)
        limited = twin.challenged(self.rules, bid, hands(self.rules)[place])
        found = sum(a * b for a, b in zip(held.limits, limited, strict=True))
        *others, policy = held.programs
        *programs, _, table = strategies(self.rules, raised)
        for program, one in zip(programs, others, strict=True):
            found += one * float(program[place, ends])
        return found + (held.follows + policy) * float(table[place, ends])

    def risk(self, hand: Hand, bid: Bid) -> float:
        """The probability that the next player challenges a raise, and that it is false."""
        found = 0.0
        challenges = {
            one: self._challenges(bid, place, self.others[0][one])
            for place, one in enumerate(hands(self.rules))
        }
        for dealt in product(*(other.items() for other in self.others)):
            dice = (*hand, *(die for one, _ in dealt for die in one))
            if not twin.is_true(self.rules, bid, dice):
                (next_hand, _), *others = dealt
                found += challenges[next_hand] * prod(one.all for _, one in others)
        return found

    def decision(self, hand: Hand) -> int:
        """The action of least risk; of several the first, bids before the challenge."""
        last = self.history[-1] if self.history else None
        found = {
            action_of(self.rules, bid): self.risk(hand, bid) for bid in legal_bids(self.rules, last)
        }
        if last is not None:
            ranges = [{one: held.all for one, held in other.items()} for other in self.others]
            found[challenge_action(self.rules)] = twin.true(self.rules, last, hand, ranges)
        return min(found, key=lambda action: (round(found[action], 9), action))


@each_small
def test_beliefs_and_decisions_are_those_of_the_twin(rules: Rules) -> None:
    reading = FamiliarReading(policy_for(rules))
    people = known_people(rules, len(reading.programs.names))
    for history in few_histories(rules)[::3]:
        expected, turn = Twin(rules, reading, people, history), indices(rules, history)
        met = reading.met(turn, people)
        for player, one in enumerate(met):
            held = expected.others[player].values()
            assert one.follows[0] == pytest.approx([its.follows for its in held], abs=1e-6)
            for place, its in enumerate(held):
                assert one.limits[0, :, place] == pytest.approx(its.limits, abs=1e-6)
                assert one.programs[0, :, place] == pytest.approx(its.programs, abs=1e-6)
            assert np.exp(one.evidence[0]) == pytest.approx(expected.times(player), rel=1e-4)
        decided = [expected.decision(hand) for hand in hands(rules)]
        assert reading.decide_met(turn, met)[0].tolist() == decided


@each_small
def test_programs_are_told_apart_by_what_they_show(rules: Rules) -> None:
    reading = FamiliarReading(policy_for(rules))
    for history in few_histories(rules)[1::3]:
        bids, ends = indices(rules, history), np.array([challenge_action(rules)])
        asked = np.arange(len(reading.programs.names))[np.newaxis] != 1
        for place, hand in product(range(rules.players), range(len(hands(rules)))):
            shown = reading.shown_programs(place, np.array([hand]), bids, ends, asked)
            expected = np.zeros(len(reading.programs.names))
            for made in range(len(history) + 1):
                if made % rules.players != place:
                    continue
                before, last = bids[:, :made], bids[:, made : made + 1]
                if last.size:
                    usual, action = reading.kinds.plausible(before, last[0])[0, hand], last[0, 0]
                else:
                    passes = reading.kinds.raised(before)[0, :, hand] @ LIMIT_SHARES
                    usual, action = 1.0 - passes, ends[0]
                played = [one[hand, action] for one in strategies(rules, history[:made])[:-1]]
                expected += np.log((1.0 - SURPRISE) * np.array(played) + SURPRISE * usual)
            expected[1] = np.nan
            np.testing.assert_allclose(shown[0], expected, atol=1e-5)
