"""Advice for the whole range: each hand's is what it gets alone, and the rest are its averages."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

import zhaifei
from tests.command_line import LONG
from tests.policies import resolving_policies
from tests.policies.reading_policies import VARIANTS as OF_READING
from tests.policies.small_policies import every_other_node, histories, mover, random_policy
from zhaifei.game.bids import Bid, IllegalBid, action_of, domain, legal_bids
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.advice.advice import Advice, Believed, RangeAdvice, Solved, Source
from zhaifei.policies.advice.advising import Adviser, Question, advise, advise_range
from zhaifei.policies.measure.anytime import last_of
from zhaifei.policies.players.reading import PlausibleBidding
from zhaifei.policies.players.reading_policy import ReadingPolicy, as_played
from zhaifei.policies.players.resolving import ODD, POWER, TREMBLE, ResolvingPolicy
from zhaifei.policies.players.table_policy import TablePolicy

VARIANTS = {
    "two dice": preset("basic", dice=2, faces=3),
    "3 players, jump": preset("liars_dice", players=3, faces=2, jump_challenge=True),
    "3 players, doubled": preset("liars_dice", players=3, faces=2).changed(doubled=(2, 4)),
}
any_variant = pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS)


def asked(policy: TablePolicy, history: Sequence[Bid], seconds: float = 0.0) -> RangeAdvice:
    """The answer for two players, and the one of several before the range is played out."""
    answers = advise_range(policy, Question(history=history, seconds=seconds))
    return next(answers) if policy.rules.players > 2 else last_of(answers, lambda one: None)


def check(policy: TablePolicy, history: Sequence[Bid], seconds: float = 0.0) -> RangeAdvice:
    """Compare with what each hand is told alone before anything is played out, and all figures with
    their definitions."""
    found = asked(policy, history, seconds)
    weights = found.weights
    assert weights.sum() == pytest.approx(1.0)
    assert (weights >= 0.0).all()
    for place, hand in enumerate(hands(policy.rules)):
        answers = advise(policy, hand, Question(history=history, seconds=seconds))
        alone = next(answers) if policy.rules.players > 2 else last_of(answers, lambda one: None)
        together = found.hands[place]
        assert (together.hand, together.ground) == (hand, alone.ground)
        assert together.own_on_path == alone.own_on_path
        assert [chance for _, chance in together.true] == pytest.approx(
            [chance for _, chance in alone.true], abs=1e-12
        )
        assert [one.action for one in together.actions] == [one.action for one in alone.actions]
        for array, name in ((found.strategy, "probability"), (found.values, "value")):
            expected = [getattr(one, name) for one in alone.actions]
            assert array[place].tolist() == pytest.approx(expected, abs=1e-12)
    earned = 0.0
    for place, action in enumerate(found.actions):
        taken = [w * p for w, p in zip(weights, found.strategy[:, place], strict=True)]
        assert action.share == pytest.approx(sum(taken))
        if action.share > 0.0:
            value = sum(t * v for t, v in zip(taken, found.values[:, place], strict=True))
            assert action.value == pytest.approx(value / sum(taken))
            earned += value
        else:
            assert action.value is None
        assert action.value_of_all == pytest.approx(weights @ found.values[:, place])
    assert found.value == pytest.approx(earned)
    assert sum(action.share for action in found.actions) == pytest.approx(1.0)
    shares = [action.share for action in found.ranked]
    assert shares == sorted(shares, reverse=True)
    return found


@any_variant
def test_each_hand_is_advised_as_alone(rules: Rules) -> None:
    policy = random_policy(rules)
    every = histories(rules)
    for history in [(), *every[1 :: max(1, len(every) // 12)]]:
        check(policy, history)


@any_variant
def test_weights_are_those_of_hands_that_bid_so(rules: Rules) -> None:
    """As the policy is played: with three players it opens with less risk than its table."""
    policy, seen = random_policy(rules), set()
    played = as_played(policy)
    for history in histories(rules)[::3]:
        turns = [mover(rules, history[:place]) for place in range(len(history) + 1)]
        own = [place for place in range(len(history)) if turns[place] == turns[-1]]
        weights = np.array(probabilities(rules))
        for place, hand in product(own, range(weights.size)):
            bid = action_of(rules, history[place])
            weights[hand] *= played.strategy(history[:place])[hand, bid]
        found = asked(policy, history)
        seen.add(found.believed)
        if weights.sum() > 0.0:
            assert found.believed is Believed.POLICY
            np.testing.assert_allclose(found.weights, weights / weights.sum(), atol=1e-9)
        else:
            assert found.believed is Believed.READ
    assert Believed.POLICY in seen


def test_bids_that_the_policy_never_makes_say_nothing_of_the_own_hand() -> None:
    rules = VARIANTS["two dice"]
    never, *_, last = legal_bids(rules, None)
    found = check(random_policy(rules, never=never), (never, last))
    assert found.believed is Believed.UNKNOWN
    np.testing.assert_array_equal(found.weights, probabilities(rules))
    assert not any(one.own_on_path for one in found.hands)


def test_policies_that_forget_are_asked() -> None:
    policy = zhaifei.solve(Rules.of(dice=1, faces=3), recall="bid,mode", iterations=500)
    for history in [(), *histories(policy.rules)[1::40]]:
        check(policy, history, LONG)


@pytest.mark.parametrize("rules", OF_READING, ids=str)
def test_hands_are_read_as_alone(rules: Rules) -> None:
    policy = every_other_node(random_policy(rules))
    every, seen = histories(rules), set()
    for history in every[:: max(1, len(every) // 15)]:
        found = check(policy, history)
        seen |= {one.ground is Source.READ for one in found.hands}
    assert seen == {False, True}


def test_own_bids_that_are_never_made_are_read() -> None:
    rules = OF_READING[0]
    policy = every_other_node(random_policy(rules))
    opened = ReadingPolicy(policy).strategy(())
    bids = domain(rules)
    never = next(bid for bid in legal_bids(rules, None) if not opened[:, bids.index(bid)].any())
    raised = legal_bids(rules, never)[0]
    found = check(policy, (never, raised, legal_bids(rules, raised)[0]))
    assert found.believed is Believed.READ
    assert (found.weights > 0.0).all()
    assert not np.allclose(found.weights, probabilities(rules))


# What the others may hold


@any_variant
def test_others_are_known_by_the_bids_of_the_policy(rules: Rules) -> None:
    policy = random_policy(rules)
    for history in histories(rules)[::9]:
        advice = asked(policy, history)
        found = advice.others
        assert found.shape == (rules.players - 1, len(hands(rules)))
        assert found.sum(axis=1) == pytest.approx(1.0)
        if advice.ground is not Source.READ:
            expected = Adviser(policy).beliefs.followed(history).ranges
            np.testing.assert_array_equal(found, expected)


def test_others_are_read_where_the_hands_are() -> None:
    rules = OF_READING[0]
    policy, seen = every_other_node(random_policy(rules)), False
    for history in histories(rules)[1::3]:
        advice = asked(policy, history)
        if advice.ground is Source.READ:
            seen = True
            reading = ReadingPolicy(policy).reading
            read = reading.ranges(policy.actions(history)[np.newaxis])
            np.testing.assert_array_equal(advice.others, np.concatenate(read))
    assert seen


def test_an_odd_bid_is_believed_to_be_plausible() -> None:
    policy, history = odd()
    (found,) = asked(policy, history, LONG).others
    made = policy.actions(history)
    likely = PlausibleBidding(policy.rules, POWER)(made[np.newaxis, :1], made[1:])[0]
    played = policy.strategy(history[:1])[:, made[1]]
    expected = probabilities(policy.rules) * ((1.0 - TREMBLE) * played + TREMBLE * likely)
    np.testing.assert_allclose(found, expected / expected.sum())


# Solving again


def is_solved(advice: Advice) -> bool:
    return isinstance(advice.ground, Solved)


def odd() -> tuple[TablePolicy, tuple[Bid, Bid]]:
    """A policy, and its likeliest opening with a raise that it never answers it with."""
    policy = resolving_policies.blueprint(200)
    opening, reply = resolving_policies.odd_history(policy)
    return policy, (domain(policy.rules)[opening], domain(policy.rules)[reply])


def test_after_an_odd_bid_each_hand_is_advised_by_the_solution() -> None:
    policy, history = odd()
    found = check(policy, history, LONG)
    assert isinstance(found.ground, Solved)
    assert found.believed is Believed.TREMBLING
    # The hands that would not have opened so are solved for by themselves.
    strange = ResolvingPolicy(policy).strange(tuple(policy.actions(history).tolist()), 0)
    assert strange.any()
    assert found.weights[strange].sum() < ODD < found.weights[~strange].min()
    assert all(map(is_solved, found.hands))


def test_after_own_odd_bids_the_range_is_plausible() -> None:
    policy, history = odd()
    raised = (*history, legal_bids(policy.rules, history[-1])[0])
    found = check(policy, raised, LONG)
    assert found.believed is Believed.TREMBLING
    assert (found.weights > 0.0).all()


def test_on_the_line_the_table_answers_hands_that_bid_so() -> None:
    policy, history = odd()
    check(policy, history[:1], LONG)
    bids = domain(policy.rules)
    likely = probabilities(policy.rules) @ policy.strategy(history[:1])
    reply = bids[int(likely[: len(bids)].argmax())]
    found = check(policy, (history[0], reply), LONG)
    assert found.ground is Source.POLICY
    assert found.believed is Believed.POLICY
    solved = np.array([*map(is_solved, found.hands)])
    assert solved.any()
    assert found.weights[solved].sum() < ODD


def test_without_time_the_table_answers() -> None:
    policy, history = odd()
    assert not any(map(is_solved, check(policy, history).hands))


def test_bids_before_an_unknown_one_are_needed() -> None:
    policy, _ = odd()
    with pytest.raises(ZhaifeiError, match="give the bids before it, or a hand"):
        zhaifei.advise_range(policy, "斋2×3")
    with pytest.raises(IllegalBid, match="can never be made"):
        zhaifei.advise_range(policy, "斋1×3")


def test_the_python_api_reads_what_people_write() -> None:
    policy, history = odd()
    text = " ".join(map(str, history))
    found = zhaifei.advise_range(policy, str(history[1]), text, resolve=LONG, caution="certified")
    assert isinstance(found.ground, Solved)
    assert found.ground.caution == "certified"
    assert found.history == history
    assert found.strategy.shape == found.values.shape == (len(found.hands), len(found.actions))
