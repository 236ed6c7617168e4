"""The tables of matches for dice."""

import gzip
import re

import pytest

from zhaifei.app.pocket.match_tables import (
    MATCHES,
    decisions_of_match,
    every_match,
    match_table,
    match_titles,
)
from zhaifei.app.pocket.rules_tables import PLAYERS, key_of
from zhaifei.app.pocket.shapes import as_json
from zhaifei.game.bids import Bid, State, domain
from zhaifei.game.hands import hands_of
from zhaifei.game.legal import legal_bids_with
from zhaifei.game.rules import preset
from zhaifei.policies.catalogue.shipped import certified, shipped_path
from zhaifei.policies.players.rule_based_decider import raise_by_rule

MOST_OF_RULES = 10_000
MOST_OF_DECISIONS = 50_000
"""The most bytes that a file takes when it is compressed."""


@pytest.mark.parametrize("rules", every_match(), ids=key_of)
def test_rules_are_small(rules) -> None:
    assert len(gzip.compress(as_json(match_table(rules)))) < MOST_OF_RULES


@pytest.mark.parametrize("rules", every_match()[:3] + every_match()[-1:], ids=key_of)
def test_bids_with_fewer_dice_are_the_first(rules) -> None:
    within = match_table(rules)["match"]["within"]
    assert len(within) == rules.total_dice + 1
    for table in range(1, rules.total_dice + 1):
        assert legal_bids_with(rules, State(), table) == domain(rules)[: within[table]]
    last = Bid(domain(rules)[0].mode, 2, 4)
    raises = [domain(rules).index(bid) for bid in legal_bids_with(rules, State(last), 7)]
    runs = match_table(rules)["runs"][domain(rules).index(last) + 1]
    bids = [
        bid
        for first, size in zip(runs[::3], runs[2::3], strict=True)
        for bid in range(first, first + size)
    ]
    assert [bid for bid in bids if bid < within[7]] == raises


def test_hands_of_all_sizes_are_numbered_together() -> None:
    rules = preset("classic", players=3)
    written = match_table(rules)
    hands = written["hands"].split()
    assert hands == [
        "".join(map(str, hand)) for dice in range(5, 0, -1) for hand in hands_of(rules, dice)
    ]
    assert len(hands) == len({*hands}) == len(written["rolls"])
    assert all(len(row) == len(hands) for row in written["matches"])
    ones = written["shows"].index("12"), hands.index("112")
    assert written["matches"][ones[0]][ones[1]] == "3"


@pytest.mark.parametrize("name", MATCHES)
def test_decisions_of_fewer_players_are_not_repeated(name: str) -> None:
    written = [decisions_of_match(name, players) for players in (2, 3)]
    assert [[*one] for one in written] == [
        [str(dice) for dice in range(2, 11)],
        [str(dice) for dice in range(11, 16)],
    ]
    assert all(len(gzip.compress(as_json(one))) < MOST_OF_DECISIONS for one in written)


@pytest.mark.parametrize("name", MATCHES)
def test_decisions_are_those_of_the_rules(name: str) -> None:
    """At a total of six dice, as in a match of two."""
    rules, table = preset(name, players=2), 6
    written = decisions_of_match(name, 2)[str(table)]
    every = [hand for dice in range(5, 0, -1) for hand in hands_of(rules, dice)]
    bids = domain(rules)[: 5 * table]
    for rule, decided in written.items():
        assert len(decided["states"]) == 1 + len(bids)
        for state, (pattern, *actions) in enumerate(decided["states"]):
            rows = _rows(decided["patterns"][pattern])
            last = bids[state - 1] if state else None
            for place in range(0, len(every), 23):
                bid = raise_by_rule(rule, rules, every[place], State(last), table)
                action = len(bids) if bid is None else bids.index(bid)
                assert actions[rows[place]] == action


def _rows(pattern: str) -> list[int]:
    """[hand] the rows that a pattern names in runs."""
    runs = re.findall(r"(\D)(\d*)", pattern)
    return [ord(letter) - ord("A") for letter, size in runs for _ in range(int(size or 1))]


def test_titles_are_in_both_languages() -> None:
    titles = match_titles()
    assert [*titles] == [*MATCHES]
    assert all(one["zh"] != one["en"] for one in titles.values())
    assert {rules.players for rules in every_match()} == {*PLAYERS}


def test_what_a_policy_is_certified_for_is_told_with_its_name() -> None:
    knockout, classic = (match_table(preset(name, players=2)) for name in MATCHES)
    assert knockout["policy"] == "knockout-2p.safetensors"
    path = shipped_path(preset("knockout", players=2))
    assert path is not None
    assert knockout["figure"] == certified(path)
    assert (classic["policy"], classic["figure"]) == (None, None)
