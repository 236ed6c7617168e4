"""The automaton of the bidding against a plain, slow twin of the rules."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest

from zhaifei.game.bidding import bidding
from zhaifei.game.bids import Bid, challengeable
from zhaifei.game.parts import Mode, Raising
from zhaifei.game.rules import Rules, preset

History = tuple[Bid, ...]
SMALL = {"dice": 1, "faces": 3}
VARIANTS = [
    preset("zhaifei", **SMALL),
    preset("zhaifei", dice=2, faces=2),
    preset("zhaifei", players=3, dice=1, faces=2, jump_challenge=True),
    preset("basic", **SMALL),
    preset("knockout", **SMALL),
    preset("classic", **SMALL),
    preset("increment", **SMALL),
    *(
        preset("zhaifei", house=[house], **SMALL)
        for house in (
            "ones-highest",
            "fei-to-zhai=flat",
            "fei-to-zhai=more-than-half",
            "fei-to-zhai=forbidden",
            "zhai-to-fei=double-plus-one",
            "zhai-to-fei=forbidden",
            "ones-end-fei",
            "first-count=1",
            "first-zhai=2",
            "first-ones=1",
        )
    ),
    *(
        preset("zhaifei", dice=2, faces=2, house=[f"fei-to-zhai={one}", f"zhai-to-fei={other}"])
        for one, other in (
            ("half", "double-plus-one"),
            ("more-than-half", "double"),
            ("flat", "double"),
            ("flat", "plus-two"),
            ("flat", "plus-players"),
            ("one-less", "double"),
            ("one-less", "plus-two"),
            ("one-less", "forbidden"),
        )
    ),
    preset("ktv", **SMALL),
    preset("ktv", players=3, dice=1, faces=2),
    preset("zhaifei", house=["ones-end-fei", "ones-highest"], **SMALL),
    Rules.of(**SMALL, fei_to_zhai="flat", zhai_to_fei="double", ones_end_fei=True),
    preset("zhaifei", players=3, dice=1, faces=2, house=["ones-end-fei"], jump_challenge=True),
]
LONGEST = 5


def said(rules: Rules) -> Iterator[Bid]:
    """Every bid that can be put into words."""
    for mode in rules.bidding.modes:
        for count in range(1, rules.highest_count + 1):
            for face in range(1, rules.faces + 1):
                ones_are_wild = mode is Mode.FEI and face == 1
                if not ones_are_wild and face in rules.nameable_faces(mode):
                    yield Bid(mode, count, face)


def rank(rules: Rules, bid: Bid) -> int:
    return rules.faces + 1 if bid.face == 1 and rules.bidding.ones_highest else bid.face


def is_more(rules: Rules, bid: Bid, last: Bid, times: Fraction = Fraction(1)) -> bool:
    """Whether a bid counts more than so many times the last, or as many of a higher face."""
    higher = rank(rules, bid) > rank(rules, last)
    return bid.count > times * last.count or (bid.count == times * last.count and higher)


def may_raise(rules: Rules, bid: Bid, last: Bid) -> bool:
    """The readings of the rules between 飞 and 斋, one by one."""
    if bid.mode is last.mode:
        return is_more(rules, bid, last)
    count, before = bid.count, last.count
    if bid.mode is Mode.ZHAI:
        return {
            "strength": is_more(rules, bid, last, Fraction(1, 2)),
            "flat": is_more(rules, bid, last),
            "one_less": count >= before - 1,
            "half": count * 2 >= before,
            "more_than_half": count * 2 > before,
            "forbidden": False,
        }[rules.bidding.fei_to_zhai]
    return {
        "strength": is_more(rules, bid, last, Fraction(2)),
        "double": count >= 2 * before,
        "double_plus_one": count > 2 * before,
        "plus_two": count >= before + 2,
        "plus_players": count >= before + rules.players,
        "forbidden": False,
    }[rules.bidding.zhai_to_fei]


def may_open(rules: Rules, bid: Bid) -> bool:
    first = rules.bidding.first_count
    if bid.mode is Mode.ZHAI:
        first = rules.bidding.first_zhai or first
    if bid.face == rules.counting.wild:
        first = rules.bidding.first_ones or first
    return bid.count >= first


def may_follow(rules: Rules, history: History, bid: Bid) -> bool:
    """The rules as people tell them."""
    ones = rules.bidding.ones_end_fei and any(one.face == 1 for one in history)
    if bid.mode is Mode.FEI and ones:
        return False
    if rules.bidding.raising is Raising.ONE_MORE:
        return bid.count == (history[-1].count + 1 if history else 1)
    if not history:
        return may_open(rules, bid)
    last = history[-1]
    if rules.bidding.raising is Raising.FACE_OR_COUNT:
        more = bid.count > last.count
        return bid.face >= last.face + (not more) and bid.count >= last.count
    return may_raise(rules, bid, last)


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_the_automaton_says_what_the_rules_say_after_every_history(rules: Rules) -> None:
    automaton, seen = bidding(rules), 0
    assert {*automaton.bids} == {*said(rules)}
    waiting: list[tuple[History, int]] = [((), 0)]
    for history, state in waiting:
        seen += 1
        legal = {bid for bid in automaton.bids if may_follow(rules, history, bid)}
        row = automaton.legal[state].tolist()
        assert {bid for bid, can in zip(automaton.bids, row, strict=True) if can} == legal
        furthest = rules.players - 1 if rules.stakes.jump_challenge else 1
        distances = [distance for distance in range(1, furthest + 1) if distance <= len(history)]
        assert [*challengeable(rules, len(history))] == distances
        assert automaton.back[: len(distances)].tolist() == distances
        assert automaton.cost[:, : len(distances)].tolist() == [distances] * len(automaton.bids)
        for action in range(len(row) if len(history) < LONGEST else 0):
            after = int(automaton.after[state, action])
            assert (after >= 0) == row[action]
            if after >= 0:
                bid = automaton.bids[action]
                assert automaton.states[after].last == bid
                waiting.append(((*history, bid), after))
    assert seen > 1


def test_the_last_bid_tells_the_state_unless_ones_end_fei() -> None:
    plain, ends = bidding(Rules()), bidding(Rules.of(ones_end_fei=True))
    assert len(plain.states) == 1 + len(plain.bids) == 111
    # By hand: 斋 of 1 to 10 of five faces may have been made after ones or before.
    assert len(ends.states) == 111 + 10 * 5
    assert plain.bids == ends.bids
    assert not ends.legal.flags.writeable
