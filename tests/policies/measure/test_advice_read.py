"""Advice of a policy that reads off its lines: figures are those of the reading, by hand."""

import pytest

from game.bids import Bid, challenge_action, domain
from game.hands import Hand, hands
from game.notation import format_action
from game.rules import Rules
from policies.measure.advice import Advice, Adviser
from policies.players.reading_policy import ReadingPolicy
from tests.policies.players import reading_twin as twin
from tests.policies.reading_policies import VARIANTS, Known, policy_for
from tests.policies.small_policies import histories, legal_actions, random_policy

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
        distance = max(1, action - challenge + 1)
        risk = risks.get(action, chances[distance - 1])
        assert each_.value == pytest.approx(distance * (win * (1.0 - risk) - risk))
        assert each_.value_error == 0.0


@each
def test_what_is_read_and_what_is_not(rules: Rules) -> None:
    policy = policy_for(rules)
    ours, plain = Adviser(policy), Adviser(policy.plain)
    later, seen = [one for one in histories(rules) if one], set()
    for history in later[:: max(1, len(later) // 40)]:
        for hand in hands(rules):
            advice = ours.advise(hand, history)
            assert advice.read != Known(policy, history).table_plays(hand)
            seen.add(advice.read)
            if advice.read:
                assert advice.on_path
                assert advice.own_on_path
                check(advice, policy, hand, history)
            else:
                assert advice == plain.advise(hand, history)
    assert seen == {False, True}


def test_a_last_bid_that_the_policy_never_makes_is_read_by_itself() -> None:
    rules = VARIANTS[0]
    never = domain(rules)[2]
    plain = random_policy(rules, never=never)
    policy = ReadingPolicy(plain)
    for hand in hands(rules):
        advice = Adviser(policy).advise_on_last(hand, never)
        assert advice.earlier_unknown
        assert advice.read
        check(advice, policy, hand, (never,))
