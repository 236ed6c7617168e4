"""The automaton of the bidding against a plain, slow twin of the rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from zhaifei.game.bidding import bidding
from zhaifei.game.bids import Bid, Ending, action_of, settled_by
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
    Rules.of(dice=1, faces=2, doubled=(2,)),
    Rules.of(dice=1, faces=2, doubled=(2, 4, 8)),
    Rules.of(dice=1, faces=2, doubled=(2, 4), giving_up="half", ones_end_fei=True),
    Rules.of(dice=1, faces=2, doubled=(3, 5), giving_up="forbidden"),
    Rules.of(dice=1, faces=2, modes=(Mode.ZHAI,), raising="one_more", doubled=(2, 4)),
]
LONGEST = 5


def said(rules: Rules) -> Iterator[Bid]:
    """Every bid that can be put into words."""
    for mode, level in product(rules.bidding.modes, range(len(rules.stakes.doubled) + 1)):
        for count in range(1, rules.highest_count + 1):
            for face in range(1, rules.faces + 1):
                ones_are_wild = mode is Mode.FEI and face == 1
                if not ones_are_wild and face in rules.nameable_faces(mode):
                    yield Bid(mode, count, face, level)


def rank(rules: Rules, bid: Bid) -> int:
    return rules.faces + 1 if bid.face == 1 and rules.bidding.ones_highest else bid.face


def is_more(rules: Rules, bid: Bid, last: Bid, times: Fraction = Fraction(1)) -> bool:
    """Whether a bid counts more than `times` as much as the last, or as much of a higher face."""
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
    if bid.doubled or (history and history[-1].doubled):  # 劈 answers its bid, 反劈 answers 劈
        return bool(history) and bid == replace(history[-1], doubled=history[-1].doubled + 1)
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


def ways_to_end(rules: Rules, history: History) -> list[tuple[int, int, int, bool]]:
    """How many bids back each ending reaches, the count from which on the challenger loses, what it
    costs, and whether the other player is the challenger; as people tell the rules."""
    if not history:
        return []
    stakes, level = rules.stakes, history[-1].doubled
    if not level:
        furthest = rules.players - 1 if stakes.jump_challenge else 1
        reached = range(1, min(furthest, len(history)) + 1)
        return [(back, history[-back].count, back, False) for back in reached]
    at_stake = stakes.doubled[level - 1]
    shows = (1, history[-1].count, at_stake, level % 2 == 1)
    price = {"one": 1, "half": at_stake // 2, "forbidden": 0}[stakes.giving_up]
    return [shows, (1, 0, price, False)] if price else [shows]


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
        endings = [settled_by(rules, history, ending) for ending in range(rules.endings)]
        assert [ending for ending in endings if ending] == ways_to_end(rules, history)
        for number, back in enumerate(automaton.back.tolist()):
            found = None
            if back <= len(history):
                last = action_of(rules, history[-back])
                of_bid = automaton.claimed, automaton.cost, automaton.turned
                found = Ending(back, *(one[last, number].item() for one in of_bid))
            assert (found if found and found.cost else None) == endings[number]
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
