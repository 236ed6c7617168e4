"""Every probability that is shown or returned is in [0, 1], however sums are rounded."""

import json
from collections.abc import Iterator
from itertools import pairwise, product

import numpy as np
import pytest

from tests.command_line import Solved, succeeds
from tests.policies.small_policies import histories, random_policy
from zhaifei.app.terminal.as_json import advice_json
from zhaifei.game.bids import can_bid, domain, legal_bids
from zhaifei.game.chances import at_least, chance
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.policies.measure.advice import Adviser, openings
from zhaifei.policies.players.table_policy import load_policy
from zhaifei.solver.showdown import matching_dice, probability_true

SMALL = [
    Rules.of(dice=1, faces=2),
    preset("basic", dice=2, faces=3),
    preset("basic", players=3, dice=1, faces=3),
    preset("liars_dice", players=3, faces=2, jump_challenge=True),
]
SHARES = {"p_true", "p_true_of_earlier", "probability", "share", "response", "policy"}
"""Keys of JSON objects under which every number is a probability or a share."""
small = pytest.mark.parametrize("rules", SMALL, ids=str)


def numbers(found: object) -> Iterator[float]:
    """Every number in a JSON value."""
    if isinstance(found, dict | list):
        for inner in found.values() if isinstance(found, dict) else found:
            yield from numbers(inner)
    elif isinstance(found, float):
        yield found


def shares(found: object, key: str = "") -> Iterator[float]:
    """Every probability or share in a JSON value, the ends of intervals of shares included."""
    if isinstance(found, dict):
        ends = {"lower", "upper"} if "share" in found else set()
        for name, inner in found.items():
            if name in SHARES | ends and not (isinstance(inner, dict) and "name" in inner):
                yield from numbers(inner) if name != "response" else shares(inner)
            else:
                yield from shares(inner)
    elif isinstance(found, list):
        for inner in found:
            yield from shares(inner)


def test_chances_of_hands() -> None:
    for rules in (*SMALL, preset("zhaifei"), preset("zhaifei", players=8)):
        for bid, own in product(domain(rules), hands(rules)):
            assert 0.0 <= chance(rules, bid, own, rules.total_dice - rules.dice) <= 1.0


def test_chances_of_dice() -> None:
    for faces, dice in product(range(2, 10), range(73)):
        for sides in range(faces + 1):
            found = at_least(dice, sides, faces)
            assert found[0] == 1.0
            assert all(0.0 <= less <= more for more, less in pairwise(found))


@small
def test_advice_in_every_position_of_small_games(rules: Rules) -> None:
    for seed in range(5):
        adviser = Adviser(random_policy(rules, seed))
        asked = [
            adviser.advise(own, history) for own in hands(rules) for history in histories(rules)
        ]
        reached = {history[-1] for history in histories(rules) if history}
        asked += [adviser.advise_on_last(own, bid) for own in hands(rules) for bid in reached]
        for advice in asked:
            found = [*shares(advice_json(rules, advice))]
            assert len(found) > len(advice.actions) or not advice.history
            assert all(0.0 <= share <= 1.0 for share in found), advice
        assert all(0.0 <= share <= 1.0 for _, share in openings(adviser.policy))


def test_bids_of_the_full_game(full_game: Solved) -> None:
    """Check every bid after every opening, for each number of counting dice in the own hand."""
    policy = load_policy(full_game.policy)
    adviser, tables = Adviser(policy), bid_tables(policy.rules)
    bids = domain(policy.rules)
    for opening in legal_bids(policy.rules, None):
        ranges, _ = adviser.ranges((opening,))
        for place, bid in enumerate(bids):
            counts = matching_dice(tables.matches[place], ranges, tables.dice)
            for own in np.unique(tables.matches[place]).tolist():
                assert 0.0 <= probability_true(bid.count, own, counts) <= 1.0
    advice = [
        adviser.advise(own, (bid,))
        for own in hands(policy.rules)[::25]
        for bid in bids[::9]
        if can_bid(policy.rules, bid, None)
    ]
    for each in advice:
        assert all(0.0 <= share <= 1.0 for share in shares(advice_json(policy.rules, each)))


def test_evaluations(one_die: Solved, liars_dice: Solved) -> None:
    for solved in (one_die, liars_dice):
        found = json.loads(succeeds("evaluate", solved.policy, "--json", "--show-response", 9))
        told = [*shares(found)]
        assert len(told) > 3 * len(found["penalty_share"]) + len(found["response"])
        assert all(0.0 <= share <= 1.0 for share in told), found
