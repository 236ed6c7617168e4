"""Advice of a policy that reads off its lines: figures are those of the reading, by hand."""

from dataclasses import replace

import numpy as np
import pytest

from tests.policies.players import reading_twin as twin
from tests.policies.reading_policies import VARIANTS, Known, policy_for
from tests.policies.small_policies import histories, legal_actions, random_policy
from zhaifei.game.bids import Bid, challenge_action, domain, legal_bids
from zhaifei.game.hands import Hand, hands
from zhaifei.game.notation import format_action
from zhaifei.game.rules import Rules
from zhaifei.policies.advice.advice import ActionAdvice, Advice, Opening, Source
from zhaifei.policies.advice.advising import Adviser
from zhaifei.policies.advice.choice import advised_surely
from zhaifei.policies.players.reading_policy import OPENING_FOLLOWS, ReadingPolicy


def at_once(adviser: Adviser, hand: Hand, history: tuple[Bid, ...]) -> Advice:
    """The advice before anything is played out."""
    return next(adviser.refine(hand, history))


each = pytest.mark.parametrize("rules", VARIANTS, ids=str)


def check(advice: Advice, policy: ReadingPolicy, hand: Hand, history: tuple[Bid, ...]) -> None:
    """Compare all figures with those of the twin."""
    rules, known = policy.rules, Known(policy, history)
    ranges, risks = known.ranges, known.risks(hand)
    win, challenge = 1.0 / (rules.players - 1), challenge_action(rules)
    assert advice.p_true == pytest.approx(risks[challenge])
    chances = [true for _, true in advice.true]
    assert chances == pytest.approx(
        [twin.true(rules, bid, hand, ranges) for bid in history[::-1][: len(chances)]]
    )
    decided = known.decision(hand)
    for action, each_ in zip(legal_actions(rules, history), advice.actions, strict=True):
        assert each_.action == format_action(rules, action)
        assert each_.probability == (action == decided)
        if rules.stakes.doubled and (action >= challenge or domain(rules)[action].doubled):
            check_doubled(each_, known, hand, action)
            continue
        distance = max(1, action - challenge + 1)
        risk = risks.get(action, chances[distance - 1])
        # The value may be a small difference of larger figures, so the risk is compared.
        assert (win - each_.value / distance) / (1.0 + win) == pytest.approx(risk)
        # Nobody knows what a jump earns: others let the bid pass, and the policy never does it.
        unknown = max(each_.value + distance, distance * win - each_.value)
        assert each_.value_error == (pytest.approx(unknown) if distance > 1 else 0.0)
        assert each_.is_clear == (distance == 1)


def check_doubled(found: ActionAdvice, known: Known, hand: Hand, action: int) -> None:
    """A double, or what may end the round where there are doubles: as if all dice were shown."""
    rules, last = known.rules, known.history[-1]
    win, challenge = 1.0 / (rules.players - 1), challenge_action(rules)
    level = last.doubled if action >= challenge else last.doubled + 1
    stakes, true = (1, *rules.stakes.doubled)[level], twin.true(rules, last, hand, known.ranges)
    doubts = level % 2 == (action < challenge)
    loses = true if doubts else 1.0 - true
    if action > challenge:
        assert (found.value, found.value_error) == (-1.0, 0.0)
        return
    assert (win - found.value / stakes) / (1.0 + win) == pytest.approx(loses)
    most = rules.stakes.doubled[-1]
    unknown = max(found.value + most, most * win - found.value)
    assert found.value_error == (pytest.approx(unknown) if action < challenge else 0.0)


def check_table(advice: Advice, plain: Advice) -> None:
    """Compare with what the table says, of which what is surely worse is left out."""
    played, values, errors = np.array(
        [(one.probability, one.value, one.value_error) for one in plain.actions]
    ).T
    kept = advised_surely(played, values, errors)
    assert [one.probability for one in advice.actions] == pytest.approx(kept.tolist())
    assert advice.overruled == (kept[played.argmax()] == 0.0)
    same = [
        replace(one, probability=was.probability)
        for one, was in zip(advice.actions, plain.actions, strict=True)
    ]
    assert replace(advice, actions=tuple(same), overruled=False) == plain


@each
def test_an_opening_has_the_value_of_the_criterion_that_chose_it(rules: Rules) -> None:
    policy = policy_for(rules)
    by_table = Adviser(policy.plain)
    openings = legal_bids(rules, None)
    win = 1.0 / (rules.players - 1)
    for place, hand in enumerate(hands(rules)):
        advice, table = at_once(Adviser(policy), hand, ()), by_table.advise(hand, ())
        costs = policy.plain.opening_cost[:, place].astype(float)
        best, error = max(
            (
                (one.value + cost, one.value_error)
                for one, cost in zip(table.actions, costs, strict=True)
            ),
            key=lambda pair: pair[0] - pair[1],
        )
        for bid, cost, one in zip(openings, costs, advice.actions, strict=True):
            true = twin.chance(rules, bid, hand)
            challenged = win * true - (1.0 - true)
            assert one.value == pytest.approx(
                OPENING_FOLLOWS * (best - cost) + (1.0 - OPENING_FOLLOWS) * challenged
            )
            assert one.value_error == pytest.approx(OPENING_FOLLOWS * error)
        chosen = advice.ranked[0]
        assert chosen.probability == 1.0
        assert chosen.value == max(one.value for one in advice.actions)
        assert advice.ground == Opening(OPENING_FOLLOWS)


@each
def test_what_is_read_and_what_is_not(rules: Rules) -> None:
    policy = policy_for(rules)
    ours, plain = Adviser(policy), Adviser(policy.plain)
    later, seen = [one for one in histories(rules) if one], set()
    for history in later[:: max(1, len(later) // 40)]:
        for hand in hands(rules):
            advice = at_once(ours, hand, history)
            read = advice.ground is Source.READ
            assert read != Known(policy, history).table_plays(hand)
            seen.add(read)
            if read:
                assert advice.own_on_path
                check(advice, policy, hand, history)
            else:
                check_table(advice, plain.advise(hand, history))
    assert seen == {False, True}


def test_a_last_bid_that_the_policy_never_makes_is_read_by_itself() -> None:
    rules = VARIANTS[0]
    never = domain(rules)[2]
    plain = random_policy(rules, never=never)
    policy = ReadingPolicy(plain)
    for hand in hands(rules):
        advice = Adviser(policy).advise_on_last(hand, never)
        assert advice.earlier_unknown
        assert advice.ground is Source.READ
        check(advice, policy, hand, (never,))
