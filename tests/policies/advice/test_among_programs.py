"""Advice among people who play as programs do: it is what a player who learns would do there."""

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from tests.policies.reading_policies import policy_for
from tests.policies.small_policies import histories
from zhaifei.game.bids import action_of, challenge_action
from zhaifei.game.hands import hand_index, hands, probabilities
from zhaifei.game.notation import format_action
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules
from zhaifei.policies.advice.advice import PlayedOut, Source
from zhaifei.policies.advice.people import Person, learned, people_of, person_of, portrait_of
from zhaifei.policies.advice.seen import Record, people_seen
from zhaifei.policies.advice.table import PeopleAdviser
from zhaifei.policies.learning.player import Learning
from zhaifei.policies.learning.programs import READER
from zhaifei.policies.play.played import PlayedMatch, PlayedRound, played_round
from zhaifei.policies.players.policy import Policy
from zhaifei.policies.players.reader import Reader
from zhaifei.policies.players.rollouts import STEPS
from zhaifei.policies.players.rule_based import rule_based

RULES = Rules.of(players=3, dice=2, faces=2)
TWO = Rules.of(players=2, dice=2, faces=3)
ONE = np.zeros(1, dtype=np.int64)
HONEST, ROUNDS = "honest", 60


class Sitting(NamedTuple):
    """Rounds at a table, what a learner in seat 0 made of them, and what the advice did."""

    learning: Learning
    adviser: PeopleAdviser
    people: list[Person]


def rounds_of(players: list[Policy]) -> list[PlayedRound]:
    rules, random, found = players[0].rules, np.random.default_rng(2), []
    for number in range(ROUNDS):
        drawn = random.choice(len(hands(rules)), rules.players, p=probabilities(rules))
        dealt, starter = [hands(rules)[one] for one in drawn], number % rules.players
        round_, actions = Round(rules, dealt, starter), []
        while round_.challenged is None:
            view = round_.view()
            strategy = players[view.seat].strategy(view.bids)
            actions.append(int(strategy[hand_index(rules, view.dice)].argmax()))
            round_.take(actions[-1])
        found.append(played_round(rules, starter, dealt, actions))
    return found


@cache
def sitting(rules: Rules) -> Sitting:
    """An honest player is the next one, and then a reader."""
    others: list[Policy] = [rule_based(HONEST, rules), Reader(rules)]
    rounds = rounds_of([policy_for(rules), *others[: rules.players - 1]])
    adviser = PeopleAdviser(rules, policy_for(rules).plain)
    learning = Learning(adviser._player, 1)
    for one in rounds:
        place = -one.starter % rules.players
        seats = [(one.starter + turn) % rules.players for turn in range(rules.players)]
        dealt = [hand_index(rules, one.hands[seat] or ()) for seat in seats]
        bids = [action_of(rules, bid) for bid in one.bids(rules)]
        its = np.array([dealt]), np.array([bids]), np.array([one.actions[-1]])
        learning.remember(ONE, place, *its)
    match = PlayedMatch(rules, tuple("abc"[: rules.players]), 0, None, None, "0", tuple(rounds))
    seen = people_seen(lambda _: adviser, rules, [Record("it", match, 0)])
    return Sitting(learning, adviser, [one.person for one in seen])


each = pytest.mark.parametrize("rules", [RULES, TWO], ids=str)


@each
def test_the_advice_believes_what_the_player_who_learns_does(rules: Rules) -> None:
    its = sitting(rules)
    believed, expected = people_of(its.people), its.learning.memory.people(ONE)
    for one, other in zip(believed, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)


@each
def test_programs_are_named(rules: Rules) -> None:
    for person, name in zip(sitting(rules).people, (HONEST, READER), strict=False):
        portrait = portrait_of(person)
        assert portrait.program == name
        assert portrait.probability > 0.5
    assert portrait_of(person_of(rules)).program is None


@each
def test_ranges_and_first_choices_are_those_of_the_player_who_learns(rules: Rules) -> None:
    its, grounds = sitting(rules), []
    people, familiar = people_of(its.people), its.learning.player.familiar
    for history in histories(rules)[1 :: max(1, len(histories(rules)) // 12)]:
        bids = np.array([[action_of(rules, bid) for bid in history]])
        reads, decided = its.learning._read(ONE, bids)
        ranges = [one.range for one in familiar.met(bids, people)]
        for hand in hands(rules):
            index = hand_index(rules, hand)
            part = its.adviser._part(index, history, its.adviser._people(its.people))
            advice = next(its.adviser.refine(hand, history, its.people))
            grounds.append(advice.ground)
            assert reads[0, index] == (advice.ground is Source.DESCRIBED)
            if reads[0, index]:
                np.testing.assert_allclose(part.beliefs[0].ranges, np.concatenate(ranges))
                taken = format_action(rules, int(decided[0, index]))
                assert advice.ranked[0].action == taken
                assert advice.ranked[0].probability == 1.0
    assert Source.DESCRIBED in grounds


@each
def test_the_choice_agrees_with_the_values_beside_it(rules: Rules) -> None:
    its = sitting(rules)
    for history in histories(rules)[:: max(1, len(histories(rules)) // 4)]:
        for hand in hands(rules)[::3]:
            *_, advice = its.adviser.refine(hand, history, its.people)
            assert advice.ground == PlayedOut(STEPS[-1][0], known=True)
            sure = max(one.value - one.value_error for one in advice.actions)
            assert advice.ranked[0].value + advice.ranked[0].value_error >= sure


def test_challenges_are_worth_what_the_ranges_say() -> None:
    """The value of a challenge that is played out is that of the ranges, where programs count."""
    its, ends = sitting(RULES), challenge_action(RULES)
    people = people_of(its.people)
    for history in histories(RULES)[1 :: len(histories(RULES)) // 6]:
        bids = np.array([[action_of(RULES, bid) for bid in history]])
        reading = its.learning.player.familiar.among(people)
        for hand in (0, 2):
            expected = reading.values(np.array([hand]), tuple(bids[0].tolist()))[0, ends]
            earned = its.adviser.earned(hands(RULES)[hand], history, its.people, ["challenge"])[0]
            error = 4.0 * 1.5 / 2.0 / np.sqrt(earned.size)
            assert earned.mean() == pytest.approx(expected, abs=error)


def test_of_rounds_with_doubles_nothing_is_learned_of_programs() -> None:
    doubled = PeopleAdviser(Rules.of(players=2, dice=2, faces=3, doubled=(2,)), None)
    its, rules = sitting(TWO).people[0], doubled.rules
    bids = [action_of(rules, bid) for bid in histories(rules)[1]]
    played = played_round(rules, 0, hands(rules)[:2], [*bids, challenge_action(rules)])
    after = learned(its, [doubled.shown(rules, played)[1]])
    assert after.rounds == its.rounds + 1
    assert after.program == pytest.approx(its.program)
