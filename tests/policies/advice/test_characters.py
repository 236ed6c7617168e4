"""What to do at a table, and what its rounds say of the players."""

import math

import numpy as np
import pytest

from tests.policies.reading_policies import VARIANTS, policy_for
from tests.policies.small_policies import histories, random_policy
from zhaifei.game.bids import action_of, domain, mover_after
from zhaifei.game.hands import hand_index, hands, probabilities
from zhaifei.game.notation import parse_history
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.policies.advice.advice import PlayedOut, Source
from zhaifei.policies.advice.advising import Adviser
from zhaifei.policies.advice.characters import Character, evidence_of, learnt_from
from zhaifei.policies.advice.table import TableQuestion, advise_table
from zhaifei.policies.play.played import PlayedRound, played_round
from zhaifei.policies.players.reading import PlausibleBidding
from zhaifei.policies.players.rollouts import STEPS
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.response.replies import Replies

FULL = preset("zhaifei", players=3, jump_challenge=True)
SMALL = Rules.of(players=2, dice=2, faces=3)
UNKNOWN = (Character.UNKNOWN,) * 3


def question(bids: str, starter: int = 1, kinds: tuple[Character, ...] = UNKNOWN) -> TableQuestion:
    return TableQuestion(FULL, starter, (1, 1, 3, 4, 6), parse_history(FULL, bids), kinds)


@pytest.fixture(scope="module")
def policy() -> TablePolicy:
    return random_policy(SMALL)


def small(bids: str, kind: Character = Character.UNKNOWN, starter: int = 1) -> TableQuestion:
    its = parse_history(SMALL, bids)
    return TableQuestion(SMALL, starter, (1, 3), its, (Character.UNKNOWN, kind))


def test_unknown_players_bid_like_the_policy(policy: TablePolicy) -> None:
    adviser = Adviser(policy)
    found = advise_table(policy, adviser, small("f3x3"))
    advice = adviser.advise((1, 3), parse_history(SMALL, "f3x3"))
    assert found.ground is Source.POLICY
    assert found.actions == tuple(advice.ranked)
    assert found.true == tuple(advice.true)
    assert len(found.chances) == len(domain(SMALL))


def test_the_policy_says_nothing_of_players_who_are_described(policy: TablePolicy) -> None:
    found = advise_table(policy, Adviser(policy), small("f3x3", Character.CAREFUL))
    assert found.ground is Source.DESCRIBED
    assert found.actions[0].probability == 1.0
    assert sum(one.probability for one in found.actions) == 1.0
    # Who has not bid yet shows nothing.
    opening = advise_table(policy, Adviser(policy), small("", Character.CAREFUL, starter=0))
    assert opening.ground is Source.POLICY


def test_with_two_players_the_answer_is_a_best_response(policy: TablePolicy) -> None:
    found = advise_table(policy, Adviser(policy), small("f3x3", Character.BLUFFS))
    (bid,) = parse_history(SMALL, "f3x3")
    range_ = PlausibleBidding(SMALL, 1.0, 0.3)(
        np.zeros((1, 0), dtype=np.int64), np.array([action_of(SMALL, bid)])
    )[0] * probabilities(SMALL)
    replies = Replies(bid_tables(SMALL), policy.table)
    made = (action_of(SMALL, bid),)
    values = replies.by_action(made, range_ / range_.sum())[:, hand_index(SMALL, (1, 3))]
    assert found.actions[0].value == pytest.approx(np.nanmax(values), abs=0.02)
    assert found.actions[0].value == max(one.value for one in found.actions)


@pytest.mark.parametrize("kind", [Character.CAREFUL, Character.BLUFFS])
def test_with_several_players_actions_are_played_out_among_them(kind: Character) -> None:
    rules = VARIANTS[2]
    adviser, seen, unknown = Adviser(policy_for(rules)), [], (Character.UNKNOWN,) * rules.players
    for history in histories(rules)[:: len(histories(rules)) // 12]:
        starter = -mover_after(rules, history) % rules.players
        kinds = (Character.UNKNOWN, kind, *unknown[2:])
        for hand in hands(rules):
            asked = TableQuestion(rules, starter, hand, history, kinds)
            found = advise_table(adviser.policy, adviser, asked)
            assert found == advise_table(adviser.policy, adviser, asked)
            assert found.ground == PlayedOut(STEPS[-1][0])
            assert found.described == asked.is_described
            best = max(one.value - one.value_error for one in found.actions)
            assert found.actions[0].value + found.actions[0].value_error >= best
            if asked.is_described:
                asked = asked._replace(characters=unknown)
                usual = advise_table(adviser.policy, adviser, asked)
                seen.append(found.actions[0].value != usual.actions[0].value)
    assert any(seen)


def test_bids_of_careful_players_are_believed_more() -> None:
    chances = [
        dict(advise_table(None, None, question("f5x6", kinds=(Character.UNKNOWN, kind, kind))).true)
        for kind in (Character.CAREFUL, Character.UNKNOWN, Character.BLUFFS)
    ]
    likely = [next(iter(one.values())) for one in chances]
    assert likely == sorted(likely, reverse=True)


def test_chances_are_those_of_all_bids() -> None:
    asked = question("f5x5 f5x6")
    found = advise_table(None, None, asked)
    for bid, chance in found.true:
        assert chance == found.chances[action_of(FULL, bid)]
    assert all(0.0 <= one <= 1.0 + 1e-9 for one in found.chances)
    assert (
        found.chances[action_of(FULL, parse_history(FULL, "f4x4")[0])]
        > found.chances[action_of(FULL, parse_history(FULL, "f8x4")[0])]
    )


def test_in_the_turn_of_another_only_chances_are_told() -> None:
    found = advise_table(None, None, question("f5x6"))
    assert question("f5x6").turn == 2
    assert found.actions == ()
    assert [str(bid) for bid, _ in found.true] == ["飞5×6"]


def test_bids_that_may_be_challenged_by_a_jump() -> None:
    found = advise_table(None, None, question("f5x5 f5x6"))
    assert [str(bid) for bid, _ in found.true] == ["飞5×6", "飞5×5"]
    assert {"challenge", "challenge 2"} <= {one.action for one in found.actions}


# Learning


def round_of(hand: tuple[int, ...] | None, bids: str) -> PlayedRound:
    history = [action_of(FULL, bid) for bid in parse_history(FULL, bids)]
    return played_round(FULL, 1, (None, hand, None), history)


def learnt(hand: tuple[int, ...] | None, bids: str, times: int) -> dict[Character, float]:
    found = evidence_of(None, FULL, round_of(hand, bids))
    return learnt_from([(found.likely[1], found.bids[1])] * times).probability


def test_nothing_is_learnt_from_dice_that_nobody_saw() -> None:
    found = learnt_from([])
    assert found.character is Character.UNKNOWN
    assert learnt(None, "f8x6", 50) == pytest.approx(found.probability)


def test_bids_without_the_dice_for_them_are_bluffs() -> None:
    found = learnt((2, 2, 3, 3, 4), "f9x6", 10)
    assert max(found, key=found.__getitem__) is Character.BLUFFS
    assert math.isclose(sum(found.values()), 1.0)


def test_bids_with_the_dice_for_them_are_careful() -> None:
    found = learnt((1, 1, 6, 6, 6), "f4x6", 20)
    assert max(found, key=found.__getitem__) is Character.CAREFUL


def test_evidence_is_by_seat_and_by_bids_that_were_seen() -> None:
    found = evidence_of(None, FULL, round_of((1, 1, 6, 6, 6), "f4x6 f5x6 f6x6 f7x6"))
    assert found.bids == (0, 2, 0)
    assert found.likely[0] == (0.0, 0.0, 0.0)


def test_one_kind_is_taken_only_when_it_is_sure() -> None:
    sure = learnt_from([((-10.0, -10.0, 0.0), 5)])
    assert sure.character is Character.BLUFFS
    unsure = learnt_from([((0.0, 0.0, 0.5), 5)])
    assert unsure.character is Character.UNKNOWN
    assert unsure.bids == 5
