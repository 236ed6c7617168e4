"""Locks, by hand: one die of three faces, where the hands are 1, 2 and 3."""

import numpy as np
import pytest

from tests.policies.small_policies import every_other_node, random_policy
from zhaifei.game.bids import challenge_action, domain
from zhaifei.game.notation import parse_action
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.lock_file import parse_locks
from zhaifei.policies.players.locks import Locks
from zhaifei.policies.players.reading import PlausibleBidding
from zhaifei.policies.players.resolving import POWER
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.tables.held import Held

RULES = Rules.of(dice=1, faces=3, first_count=1)
POLICY = random_policy(RULES, seed=3)
BID, RAISE = "f1x2", "f1x3"
CHALLENGE = challenge_action(RULES)


def locks(text: str) -> Locks:
    return parse_locks(RULES, text)


def held(text: str, policy: TablePolicy = POLICY) -> Held:
    found = locks(text)
    (one,) = found.held(policy, found.locks)
    return one


def plays() -> np.ndarray:
    return POLICY.strategy([domain(RULES)[parse_action(RULES, BID)]])


def action(text: str) -> int:
    return parse_action(RULES, text)


def test_play_is_all_that_is_played() -> None:
    one = held(f"- {{after: {BID}, hands: 3, play: {{c: 1/4, {RAISE}: 3/4}}}}")
    assert one.history == (action(BID),)
    assert one.hands.tolist() == [False, False, True]
    assert one.played[2, CHALLENGE] == 0.25
    assert one.played[2, action(RAISE)] == 0.75
    assert np.count_nonzero(one.played[2]) == 2


def test_mix_leaves_the_rest_to_the_policy() -> None:
    one = held(f"- {{after: {BID}, mix: {{{RAISE}: 1/3}}}}")
    expected = plays() * 2 / 3
    expected[:, action(RAISE)] += 1 / 3
    assert one.hands.all()
    assert one.played == pytest.approx(expected)


def test_times_changes_the_ratio_to_the_rest() -> None:
    one = held(f"- {{after: {BID}, times: {{c: 3, {RAISE}: 0}}}}")
    tilted = plays()
    tilted[:, CHALLENGE] *= 3
    tilted[:, action(RAISE)] = 0
    assert one.played == pytest.approx(tilted / tilted.sum(axis=1, keepdims=True))


def test_with_each_hand_the_first_lock_counts() -> None:
    one = held(
        f"- {{after: {BID}, hands: 1, play: {{c: 1}}}}\n"
        f"- {{after: {BID}, hands: [1, 2], play: {{{RAISE}: 1}}}}"
    )
    assert one.hands.tolist() == [True, True, False]
    assert one.played[0, CHALLENGE] == one.played[1, action(RAISE)] == 1.0


def test_locks_after_other_bids_are_apart() -> None:
    text = f"- {{after: [{BID}, {RAISE}], play: {{c: 1}}}}"
    found = locks(text)
    assert {one.history for one in found.held(POLICY, found.locks)} == {
        (action(BID),),
        (action(RAISE),),
    }


def test_where_nothing_is_stored_hands_challenge_and_tilts_change_that() -> None:
    sparse = every_other_node(POLICY)
    lacking = next(
        history
        for history in range(len(domain(RULES)))
        if (sparse.strategy([domain(RULES)[history]])[:, CHALLENGE] == 1.0).all()
    )
    bid = domain(RULES)[lacking]
    assert (held(f"- {{after: {bid}, times: {{c: 0.5}}}}", sparse).played[:, CHALLENGE] == 1).all()


def test_who_is_left_with_nothing_bids_what_the_dice_support() -> None:
    """They challenge in the table, and must not."""
    bid = domain(RULES)[action(BID)]
    found = locks(f"- {{after: {bid}, play: {{c: 1}}}}")
    sparse = every_other_node(POLICY)
    for place in range(len(domain(RULES)) - 1):
        bid = domain(RULES)[place]
        if (sparse.strategy([bid])[:, CHALLENGE] == 1.0).all():
            break
    one = held(f"- {{after: {bid}, times: {{c: 0}}}}", sparse)
    raises = np.flatnonzero(one.played.any(axis=0))
    assert CHALLENGE not in raises
    expected = PlausibleBidding(RULES, POWER)(np.full((raises.size, 1), place), raises).T
    assert one.played[:, raises] == pytest.approx(expected)
    assert expected.sum(axis=1) == pytest.approx(1)
    assert found.rules == RULES


def test_who_is_left_without_a_bid_challenges() -> None:
    strongest = domain(RULES)[-2]
    only = domain(RULES)[-1]
    one = held(f"- {{after: {strongest}, hands: 1, times: {{{only}: 0}}}}")
    assert one.played[0, CHALLENGE] == 1.0
    assert one.played[0].sum() == 1.0


def test_every_row_is_a_strategy() -> None:
    for way in ("play: {c: 1}", "mix: {c: 0.3}", "mix: {c: 1}", "times: {c: 100}", "times: {c: 0}"):
        one = held(f"- {{after: {BID}, {way}}}")
        assert one.played.min() >= 0.0
        assert one.played.sum(axis=1) == pytest.approx(1)


def test_locks_on_other_lines_are_left_out() -> None:
    found = locks(
        f"- {{after: start, play: {{{BID}: 1}}}}\n"
        f"- {{after: {BID} {RAISE}, play: {{c: 1}}}}\n"
        f"- {{after: {RAISE}, play: {{c: 1}}}}"
    )
    assert [one.line for one in found.about((action(BID),))] == [1, 2]
    assert [one.line for one in found.about(())] == [1, 2, 3]
    assert [one.line for one in found.about((action(RAISE),))] == [1, 3]
