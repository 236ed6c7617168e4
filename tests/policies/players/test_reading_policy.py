"""The policy that reads: the table among players who seem to follow it, reading elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.policies.players import reading_twin as twin
from tests.policies.reading_policies import VARIANTS, Known, policy_for
from tests.policies.small_policies import histories, random_policy
from tests.solver.dense_tables import start_of, with_rows
from zhaifei.game.bids import Bid, action_of, challenge_action, domain, legal_bids
from zhaifei.game.hands import Hand, hand_index, hands
from zhaifei.game.notation import parse_history
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.players.policy import SingleQueries
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.reading_policy import OPENING_FOLLOWS, ReadingPolicy
from zhaifei.policies.players.rule_based import chances
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.policies.players.table_reading import TableReading
from zhaifei.solver.response.full_recall import opening_values
from zhaifei.solver.tables.recall import recall_tables
from zhaifei.solver.tables.strategy_table import dense, strategy_table

each = pytest.mark.parametrize("rules", VARIANTS, ids=str)


@each
def test_each_hand_makes_the_opening_that_costs_least_among_both_kinds_of_players(
    rules: Rules,
) -> None:
    policy = policy_for(rules)
    values = opening_values(bid_tables(rules), policy.plain.table)
    openings = legal_bids(rules, None)
    for place, (hand, row) in enumerate(zip(hands(rules), policy.strategy(()), strict=True)):
        best, players = values[:, place].max(), rules.players
        risks = [
            OPENING_FOLLOWS * float(np.float16(best - value)) * (players - 1) / players
            + (1.0 - OPENING_FOLLOWS) * (1.0 - twin.chance(rules, bid, hand))
            for bid, value in zip(openings, values[:, place].tolist(), strict=True)
        ]
        least = openings[min(range(len(risks)), key=lambda one: round(risks[one], 9))]
        assert row[action_of(rules, least)] == row.sum() == 1.0


def test_the_surer_others_follow_the_table_the_less_its_openings_may_cost() -> None:
    rules = VARIANTS[2]
    plain = random_policy(rules)
    bids = bid_tables(rules)
    false = 1.0 - chances(rules)[bids.legal[0]]
    cost = plain.opening_cost.astype(np.float64)
    place = np.cumsum(bids.legal[0]) - 1
    hand = np.arange(len(hands(rules)))
    sure, unsure = (ReadingPolicy(plain, opening_follows=one).opening for one in (1.0 - 1e-9, 1e-9))
    assert (cost[place[sure], hand] == 0.0).all()
    np.testing.assert_array_equal(false[place[unsure], hand], false.min(axis=0))
    assert (sure != unsure).any()


def decisions(policy: ReadingPolicy) -> list[tuple[Known, Hand, NDArray[np.float64]]]:
    """What is known after some histories, and how each hand plays."""
    later = [history for history in histories(policy.rules) if history]
    return [
        (known, hand, row)
        for history in later[:: max(1, len(later) // 60)]
        for known in [Known(policy, history)]
        for hand, row in zip(hands(policy.rules), policy.strategy(history), strict=True)
    ]


@each
def test_the_table_plays_where_the_bids_are_those_of_players_who_follow_it(rules: Rules) -> None:
    policy = policy_for(rules)
    plays = [one for one in decisions(policy) if one[0].table_plays(one[1])]
    assert plays
    for known, hand, row in plays:
        played = policy.plain.strategy(known.history)
        np.testing.assert_array_equal(row, played[hand_index(rules, hand)])


@each
def test_elsewhere_the_action_of_least_risk_is_taken(rules: Rules) -> None:
    read = [one for one in decisions(policy_for(rules)) if not one[0].table_plays(one[1])]
    assert read
    for known, hand, row in read:
        assert row.max() == row.sum() == 1.0
        assert row.argmax() == known.decision(hand)


def test_a_hand_that_would_not_have_bid_so_reads() -> None:
    # The table opens 飞1×2 with a two only. After two raises that only the table makes so often,
    # a two goes on with the table; with a one the opener reads.
    rules = VARIANTS[0]
    bids = parse_history(rules, "f1x2 f2x2 f3x2")
    plain = only(random_policy(rules), bids[1:])
    first, end = plain.table.first_row[0], plain.table.end_row[0]
    probability = dense(plain.table)
    probability[first:end] = 0.0
    actions = plain.table.action[first:end].tolist()
    for bid, hand in ((bids[0], (2,)), (bids[1], (1,))):
        row = first + actions.index(action_of(rules, bid))
        probability[row, hand_index(rules, hand)] = 1.0
    policy = ReadingPolicy(replace(plain, source=with_rows(plain.table, probability)))
    (reads,) = policy.reads(policy.plain.actions(bids)[np.newaxis])
    assert reads[hand_index(rules, (1,))]
    assert not reads[hand_index(rules, (2,))]


def only(policy: TablePolicy, bids: Sequence[Bid]) -> TablePolicy:
    """The table, but with every hand making one of these raises where it is stored and legal."""
    table, rules = policy.table, policy.rules
    probability = dense(table)
    wanted = [action_of(rules, bid) for bid in bids]
    for first, end in zip(table.first_row.tolist(), table.end_row.tolist(), strict=True):
        rows = [row for row in range(first, end) if table.action[row] in wanted]
        if rows:
            probability[first:end] = 0.0
            probability[rows[0]] = 1.0
    return replace(policy, source=with_rows(table, probability))


@each
def test_what_others_do_is_learnt_from_their_bids(rules: Rules) -> None:
    for history in histories(rules)[::7]:
        policy = policy_for(rules)
        known = Known(policy, history)
        reading, bids = policy.reading, policy.plain.actions(history)[np.newaxis]
        assert reading.evidence(bids)[0] == pytest.approx(np.log(known.times), abs=1e-6)
        found = reading.beliefs(bids)
        for belief, range_, other in zip(found, reading.ranges(bids), known.others, strict=True):
            follows = sum(kind.follows for kind in other.values())
            assert belief.follows[0, 0] == pytest.approx(follows)
            assert range_[0] == pytest.approx([other[hand].both for hand in hands(rules)])


def test_long_rounds_of_surprises_are_no_trouble() -> None:
    # Each bid is far likelier by plausible bidding; their product would leave the floating numbers.
    rules = Rules.of(players=3)
    table = strategy_table(
        recall_tables(rules, "full"),
        np.zeros(1, dtype=np.int64),
        np.array([0, 1]),
        np.array([5], dtype=np.int16),
        np.ones((1, 252), dtype=np.float32),
    )
    reading = TableReading(rules, table, surprise=1e-300)
    weakest = np.arange(141)[np.newaxis]
    for belief in reading.beliefs(weakest):
        assert np.isfinite(belief.range).all()
        assert belief.range.sum() == pytest.approx(1.0)
        assert 0.0 <= belief.follows[0, 0] <= 1.0


@dataclass
class Asked(SingleQueries):
    """The same policy, of which only strategies are asked."""

    policy: ReadingPolicy

    @property
    def rules(self) -> Rules:
        return self.policy.rules

    def strategy(self, history: Sequence[Bid]) -> NDArray[np.float64]:
        return self.policy.strategy(history)


@each
def test_what_is_drawn_is_what_the_strategy_says(rules: Rules) -> None:
    policy, random = policy_for(rules), np.random.default_rng(0)
    known = histories(rules)
    alike = [(len(one), one[-1].doubled if one else 0) for one in known]
    for length, level in {*alike}:
        rows = [
            [action_of(rules, bid) for bid in one]
            for one, its in zip(known, alike, strict=True)
            if its == (length, level)
        ]
        every = np.array(rows * 10, dtype=np.int64).reshape(10 * len(rows), length)
        history = random.permutation(every)
        hand = random.integers(len(hands(rules)), size=len(history))
        uniform = random.random(len(history))
        drawn = PolicyPlayer(policy).act(hand, history, uniform)
        np.testing.assert_array_equal(
            drawn, PolicyPlayer(Asked(policy)).act(hand, history, uniform)
        )


def test_what_is_not_stored_is_not_challenged_blindly() -> None:
    # The table knows the start of a round only. After 飞1×2 the others' hands are unknown to it.
    rules = Rules.of(players=3, dice=1, faces=2)
    full = random_policy(rules)
    plain = TablePolicy(rules, full.recall, start_of(full.table))
    policy = ReadingPolicy(plain)
    challenge = challenge_action(rules)
    history = (domain(rules)[0],)
    assert (plain.strategy(history)[:, challenge] == 1.0).all()
    assert (policy.strategy(history)[:, challenge] == 0.0).all()
