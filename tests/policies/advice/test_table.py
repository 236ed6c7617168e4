"""What to do among people of whom something is known."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.policies.reading_policies import VARIANTS, policy_for
from tests.policies.small_policies import histories, random_policy
from zhaifei.game.bids import Bid, action_of, domain, mover_after
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand, hand_index, hands, probabilities
from zhaifei.game.notation import format_action, parse_history
from zhaifei.game.rounds import count_dice
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.advice.advice import PlayedOut, Source
from zhaifei.policies.advice.advising import Adviser
from zhaifei.policies.advice.people import Character, Person, people_of, person_of
from zhaifei.policies.advice.table import (
    PeopleAdviser,
    TableQuestion,
    advise_in_turn,
)
from zhaifei.policies.catalogue.known import load_for
from zhaifei.policies.learning.player import Learning, LearningPlayer, follows_at
from zhaifei.policies.players.rollouts import STEPS
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.abstraction import WHOLE

FULL = preset("zhaifei", players=3, jump_challenge=True)
SMALL = Rules.of(players=2, dice=2, faces=3)


def question(bids: str, starter: int = 1, kind: Character | None = None) -> TableQuestion:
    people = (person_of(FULL), *[person_of(FULL, kind)] * 2)
    return TableQuestion(FULL, starter, (1, 1, 3, 4, 6), parse_history(FULL, bids), people)


@pytest.fixture(scope="module")
def policy() -> TablePolicy:
    return random_policy(SMALL)


@pytest.fixture(scope="module")
def alone() -> PeopleAdviser:
    return PeopleAdviser(FULL, None)


def small(bids: str, kind: Character | None = None, starter: int = 1) -> TableQuestion:
    its = parse_history(SMALL, bids)
    people = person_of(SMALL), person_of(SMALL, kind)
    return TableQuestion(SMALL, starter, (1, 3), its, people)


def test_unknown_players_bid_like_the_policy(policy: TablePolicy) -> None:
    adviser = Adviser(policy)
    people = PeopleAdviser(SMALL, policy)
    found = advise_in_turn(people, adviser, small("f3x3"))
    advice = adviser.advise((1, 3), parse_history(SMALL, "f3x3"))
    assert found.ground is Source.POLICY
    assert found.ranked == advice.ranked
    assert found.true == advice.true


@pytest.mark.parametrize("kind", Character)
@pytest.mark.parametrize("rules", [SMALL, VARIANTS[2]], ids=str)
def test_actions_are_played_out_among_people_of_whom_something_is_known(
    rules: Rules, kind: Character
) -> None:
    plain = policy_for(rules).plain if rules.players > 2 else random_policy(rules)
    people, adviser, seen = PeopleAdviser(rules, plain), Adviser(plain), []
    for history in histories(rules)[:: max(1, len(histories(rules)) // 8)]:
        starter = -mover_after(rules, history) % rules.players
        known = (person_of(rules), person_of(rules, kind), *[person_of(rules)] * rules.players)
        for hand in hands(rules)[::2]:
            asked = TableQuestion(rules, starter, hand, history, known[: rules.players])
            found = advise_in_turn(people, adviser, asked)
            again = advise_in_turn(people, adviser, asked)
            assert (found.ranked, found.true) == (again.ranked, again.true)
            assert found.ground == PlayedOut(STEPS[-1][0], known=True)
            assert sum(one.probability for one in found.actions) == pytest.approx(1.0)
            best = max(one.value - one.value_error for one in found.actions)
            assert found.ranked[0].value + found.ranked[0].value_error >= best
            unknown = asked._replace(people=(person_of(rules),) * rules.players)
            usual = advise_in_turn(people, adviser, unknown)
            seen.append(found.ranked[0].value != usual.ranked[0].value)
    assert any(seen)


@pytest.mark.parametrize("kind", Character)
@pytest.mark.parametrize("rules", [SMALL, VARIANTS[0]], ids=str)
def test_the_first_answer_is_what_a_player_who_learns_does(rules: Rules, kind: Character) -> None:
    plain = policy_for(rules).plain if rules.players > 2 else random_policy(rules)
    adviser, others = PeopleAdviser(rules, plain), [person_of(rules, kind)] * (rules.players - 1)
    learning, one = Learning(adviser._player, 1), np.zeros(1, dtype=np.int64)
    first = people_of(others)
    memory = learning.memory
    memory.odds[:], memory.program[:] = first.odds, first.program
    memory._style[:], memory._limit[:] = np.log(first.style), np.log(first.limit)
    for history in histories(rules)[:: max(1, len(histories(rules)) // 20)]:
        if not history and rules.players > 2:
            continue
        bids = np.array([[action_of(rules, bid) for bid in history]], dtype=np.int64)
        for hand in hands(rules):
            index = hand_index(rules, hand)
            reads, played = learning._read(one, bids)
            if not reads[0, index]:
                continue
            advice = next(adviser.refine(hand, history, others))
            (taken,) = [one.action for one in advice.actions if one.probability == 1.0]
            assert advice.ground is Source.DESCRIBED
            assert taken == format_action(rules, int(played[0, index]))
            best = max(one.value for one in advice.actions)
            assert advice.ranked[0].value == pytest.approx(best, abs=1e-6)


def test_whom_the_table_fits_it_answers() -> None:
    rules = VARIANTS[0]
    adviser = PeopleAdviser(rules, policy_for(rules).plain)
    follower = Person(9.0, *person_of(rules)[1:4], rounds=9)
    grounds = set()
    for history in histories(rules)[1::7]:
        for hand in hands(rules):
            found = next(adviser.refine(hand, history, [follower] * (rules.players - 1)))
            grounds.add(found.ground)
    assert Source.POLICY in grounds


def test_ranges_are_those_of_the_player_who_learns() -> None:
    rules = VARIANTS[1]
    adviser, kinds = PeopleAdviser(rules, policy_for(rules).plain), [None, *Character]
    people = [person_of(rules, kinds[seat % len(kinds)]) for seat in range(rules.players)]
    reading = adviser._player.familiar.among(people_of(people[1:]))
    for history in histories(rules)[1:30]:
        starter = -mover_after(rules, history) % rules.players
        bids = np.array([[action_of(rules, bid) for bid in history]])
        ranges = np.concatenate(reading.ranges(bids))
        for hand in hands(rules)[:3]:
            asked = TableQuestion(rules, starter, hand, history, tuple(people))
            chance = adviser.chances(asked)[action_of(rules, history[-1].claim)]
            assert chance == pytest.approx(true_of(rules, history[-1].claim, hand, ranges))


def true_of(rules: Rules, bid: Bid, hand: Hand, ranges: NDArray[np.float64]) -> float:
    """The probability that a bid is true, by summing over the hands of all others."""
    every, total = hands(rules), 0.0
    for held in product(range(len(every)), repeat=len(ranges)):
        chance = float(np.prod([range_[one] for range_, one in zip(ranges, held, strict=True)]))
        if count_dice(rules, bid, [hand, *[every[one] for one in held]]) >= bid.count:
            total += chance
    return total


def test_bids_of_careful_players_are_believed_more(alone: PeopleAdviser) -> None:
    (bid,) = parse_history(FULL, "f5x6")
    likely = [
        alone.chances(question("f5x6", kind=kind))[action_of(FULL, bid)]
        for kind in (Character.CAREFUL, None, Character.BLUFFS)
    ]
    assert likely == sorted(likely, reverse=True)


def test_chances_are_those_of_all_bids(alone: PeopleAdviser) -> None:
    asked = question("f5x5 f5x6")
    chances = alone.chances(asked)
    assert len(chances) == len(domain(FULL))
    for bid, chance in advise_in_turn(alone, None, asked).true:
        assert chance == pytest.approx(chances[action_of(FULL, bid)])
    assert all(0.0 <= one <= 1.0 + 1e-9 for one in chances)
    low, high = (action_of(FULL, parse_history(FULL, bid)[0]) for bid in ("f4x4", "f8x4"))
    assert chances[low] > chances[high]


def test_bids_that_may_be_challenged_by_a_jump(alone: PeopleAdviser) -> None:
    found = advise_in_turn(alone, None, question("f5x5 f5x6"))
    assert [str(bid) for bid, _ in found.true] == ["飞5×6", "飞5×5"]
    assert {"challenge", "challenge 2"} <= {one.action for one in found.actions}


def test_without_a_table_nobody_follows_one(alone: PeopleAdviser) -> None:
    believed = person_of(FULL)
    people = alone._people([believed, believed._replace(odds=5.0)])
    assert (people.odds < -10.0).all()
    player: LearningPlayer = alone._player
    assert player.policy.follows == follows_at(FULL)
    assert len(probabilities(FULL)) == player.policy.plain.tables.hands


def test_a_table_that_leaves_bids_out_is_not_followed() -> None:
    found, _ = load_for(None, preset("classic", players=2))
    plain = found.at((5, 5))
    assert plain.abstraction != WHOLE
    adviser = PeopleAdviser(plain.rules, plain)
    other = [person_of(plain.rules, Character.CAREFUL)]
    for history in ((), domain(plain.rules)[:1], domain(plain.rules)[3:8:2]):
        *_, advice = adviser.refine((1, 1, 3, 4, 6), history, other)
        assert advice.ground == PlayedOut(STEPS[-1][0], known=True)
        names = [one.action for one in advice.actions[:2]]
        assert adviser.earned((1, 1, 3, 4, 6), history, other, names).shape == (2, STEPS[-1][0])


def test_questions_without_an_answer(alone: PeopleAdviser) -> None:
    with pytest.raises(ZhaifeiError):
        next(alone.refine((1, 2), (), [person_of(FULL)] * 2))
    with pytest.raises(ZhaifeiError):
        next(
            alone.refine(
                (1, 1, 3, 4, 6), parse_history(FULL, "f5x6")[:1] * 2, [person_of(FULL)] * 2
            )
        )
