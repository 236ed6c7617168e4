"""Rounds with few idle bids: what may be bid, how other bids are read, and what best responses earn
in the whole round, by a search that asks the strategy after each history of it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from zhaifei.game.bids import (
    Bid,
    IllegalBid,
    action_count,
    can_bid,
    challenge_action,
    domain,
    idle_bids,
    idle_bids_after,
    legal_bids,
    verify_bid,
)
from zhaifei.game.hands import hands
from zhaifei.game.notation import parse_history
from zhaifei.game.positions import round_rules
from zhaifei.game.rules import Rules, RulesError, Sparing, preset
from zhaifei.game.tables import bid_tables
from zhaifei.solver.bounds import BestResponse
from zhaifei.solver.response.query_search import QuerySearch
from zhaifei.solver.value.idle_bids import (
    by_player,
    idle_count,
    in_the_whole_round,
    misled,
    reading,
    whole_round,
    with_idle_bids,
)

CLASSIC = round_rules(preset("classic", players=2), (5, 5))
THREE = with_idle_bids(CLASSIC)
ONE = replace(CLASSIC, idle_count=1)


def classic(dice: tuple[int, int], faces: int = 6) -> Rules:
    return round_rules(preset("classic", dice=dice, faces=faces), dice)


@pytest.mark.parametrize(
    ("dice", "count"),
    [((5, 5), 3), ((4, 5), 3), ((4, 4), 2), ((2, 5), 2), ((3, 3), 1), ((1, 3), 1), ((2, 1), 0)],
)
def test_the_more_dice_the_more_bids_are_idle(dice: tuple[int, int], count: int) -> None:
    assert idle_count(classic(dice)) == with_idle_bids(classic(dice)).idle_count == count


@pytest.mark.parametrize("name", ["knockout", "increment"])
def test_other_orders_of_bids_have_no_idle_ones(name: str) -> None:
    rules = round_rules(preset(name, players=2, dice=5), (5, 5))
    assert with_idle_bids(rules) == rules
    assert by_player(rules) == [rules]


@pytest.mark.parametrize(
    ("sparing", "last", "may"),
    [
        (Sparing.NOBODY, "", "1x2 3x2 3x3 3x4 3x5 3x6"),
        (Sparing.OPENER, "", "1x2 3x6"),
        (Sparing.OTHER, "", "1x2 3x2 3x3 3x4 3x5 3x6"),
        (Sparing.NOBODY, "1x2", "2x6 3x2 3x3 3x4 3x5 3x6"),
        (Sparing.OPENER, "1x2", "2x6 3x2 3x3 3x4 3x5 3x6"),
        (Sparing.OTHER, "1x2", "3x6"),
        (Sparing.NOBODY, "2x6", "3x6"),
        (Sparing.NOBODY, "3x4", "3x6"),
        (Sparing.NOBODY, "3x6", ""),
        (Sparing.NOBODY, "4x2", ""),
    ],
)
def test_few_idle_bids_may_be_made_and_all_others(sparing: Sparing, last: str, may: str) -> None:
    rules = replace(THREE, sparing=sparing)
    before = parse_history(CLASSIC, last)[0] if last else None
    legal = [bid for bid in legal_bids(rules, before) if bid.count <= 3]
    assert legal == [*parse_history(CLASSIC, may)]
    others = [bid for bid in legal_bids(CLASSIC, before) if bid.count > 3]
    assert [bid for bid in legal_bids(rules, before) if bid.count > 3] == others
    tables = bid_tables(rules)
    row = tables.legal[domain(rules).index(before) + 1 if before else 0]
    assert [bid for bid, can in zip(domain(rules), row, strict=True) if can] == [*legal, *others]


def test_where_one_is_the_largest_idle_count_none_are_low() -> None:
    assert idle_bids(ONE).low == ()
    assert idle_bids_after(ONE, None) == frozenset(idle_bids(ONE).top)
    assert idle_bids_after(ONE, idle_bids(ONE).top[0]) == {idle_bids(ONE).strongest}


def test_an_idle_bid_that_may_not_be_made_is_refused_with_the_reason() -> None:
    low = idle_bids(THREE).low
    with pytest.raises(IllegalBid, match=r"with a count up to 3 these rules allow only few"):
        verify_bid(THREE, low[1], low[0])
    with pytest.raises(IllegalBid, match="is not stronger"):
        verify_bid(THREE, low[1], idle_bids(THREE).strongest)


@pytest.mark.parametrize(
    "change",
    [
        {"idle_count": 10},
        {"idle_count": -1},
        {"idle_count": 1.0},
        {"sparing": Sparing.OPENER},
        {"sparing": "both", "idle_count": 1},
        {"idle_count": 1, "first_count": 2},
        {"idle_count": 1, "loses_dice": True},
    ],
)
def test_rules_that_cannot_have_idle_bids_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(RulesError):
        replace(CLASSIC, **change)
    with pytest.raises(RulesError):
        replace(preset("zhaifei", players=2), idle_count=1)


@pytest.mark.parametrize(
    ("made", "read"),
    [
        ("", ""),
        ("1x2", "1x2"),
        ("2x3", "1x2"),
        ("3x4", "3x4"),
        ("4x2", "4x2"),
        ("1x5 2x2", "1x2 2x6"),
        ("1x5 3x3", "1x2 3x3"),
        ("1x5 3x3 5x2", "1x2 3x3 5x2"),
        ("3x2 3x6 4x3", "3x2 3x6 4x3"),
        ("1x2 2x4 3x6 4x2", "1x2 2x6 3x6 4x2"),
        # No histories with few idle bids: only the last idle bid counts.
        ("3x2 3x5", "1x2 3x5"),
        ("1x2 1x3 1x4", "1x2"),
        ("1x2 1x3 1x4 1x5", "1x2 2x6"),
        ("1x2 1x3 3x5", "3x5"),
        ("1x2 1x3 3x5 3x6 4x2", "1x2 3x6 4x2"),
    ],
)
def test_idle_bids_are_read_as_the_few(made: str, read: str) -> None:
    assert reading(THREE, parse_history(CLASSIC, made)) == parse_history(CLASSIC, read)


@pytest.mark.parametrize(
    ("made", "read"),
    [("1x3", "1x3"), ("1x3 1x6", "1x3 1x6"), ("1x3 1x4", "1x2 1x6"), ("1x2 1x3 1x4", "1x4")],
)
def test_without_low_bids_top_ones_are_read_as_themselves(made: str, read: str) -> None:
    assert reading(ONE, parse_history(CLASSIC, made)) == parse_history(CLASSIC, read)


# Best responses in the whole round


class Random:
    """A strategy for the round with few idle bids that does everything that `rules` allow."""

    def __init__(self, rules: Rules, seed: int) -> None:
        self.rules, self._seed = rules, seed

    def strategy(self, history: Sequence[Bid]) -> NDArray[np.float64]:
        bids = domain(self.rules)
        numbers = [bids.index(bid) for bid in history]
        random = np.random.default_rng([self._seed, *numbers])
        played = np.zeros((len(hands(self.rules)), action_count(self.rules)))
        legal = [bids.index(bid) for bid in self._raises(tuple(history))]
        if self._may_challenge(tuple(history)) or not legal:
            legal.append(challenge_action(self.rules))
        played[:, legal] = random.exponential(size=(len(played), len(legal))) ** 2
        return played / played.sum(axis=1, keepdims=True)

    def _raises(self, history: tuple[Bid, ...]) -> Sequence[Bid]:
        return legal_bids(self.rules, history[-1] if history else None)

    def _may_challenge(self, history: tuple[Bid, ...]) -> bool:
        return bool(history)


class Careful(Random):
    """One that nobody can mislead."""

    def _raises(self, history: tuple[Bid, ...]) -> Sequence[Bid]:
        player = (Sparing.OPENER, Sparing.OTHER)[len(history) % 2]
        return legal_bids(replace(self.rules, sparing=player), history[-1] if history else None)

    def _may_challenge(self, history: tuple[Bid, ...]) -> bool:
        low = idle_bids(self.rules).low
        return bool(history) and history not in {low[:1], (*low[:1], *low[-1:])}


def response(rules: Rules, player: Random) -> BestResponse:
    bids, few = domain(rules), player.rules
    strongest = bids.index(idle_bids(few).strongest)

    def strategy(history: tuple[Bid, ...]) -> NDArray[np.float64]:
        played = player.strategy(reading(few, history))
        for place, bid in enumerate(bids):
            if history and not can_bid(rules, bid, history[-1]) and played[:, place].any():
                assert reading(few, history) == idle_bids(few).low[:1]
                played[:, strongest] += played[:, place]
                played[:, place] = 0.0
        return played

    def strategies(histories: Sequence[Sequence[int]]) -> list[NDArray[np.float64]]:
        return [strategy(tuple(bids[bid] for bid in history)) for history in histories]

    *_, result = QuerySearch(bid_tables(rules), strategies).refine()
    assert result.exact
    return result


ROUNDS = [
    (classic((2, 2), faces=3), 2),
    (classic((2, 2), faces=4), 1),
    (classic((1, 2), faces=4), 1),
    (classic((2, 1), faces=3), 2),
    (round_rules(preset("classic_plain", dice=(2, 2), faces=3), (2, 2)), 2),
]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("whole", "count"), ROUNDS, ids=str)
def test_who_cannot_be_misled_is_exploited_in_the_whole_round_as_with_few_idle_bids(
    whole: Rules, count: int, seed: int
) -> None:
    few = replace(whole, idle_count=count)
    assert whole_round(few) == whole
    careful = Careful(few, seed)
    assert misled(few, careful.strategy) == (0.0, 0.0)
    in_few, in_whole = response(few, careful), response(whole, careful)
    for one, other in zip(in_few.seats, in_whole.seats, strict=True):
        assert one.upper == pytest.approx(other.upper, abs=1e-9)
    # A best response to one player is the same where that player is solved by themselves.
    for seat, rules in enumerate(reversed(by_player(few))):
        alone = response(rules, careful_in(rules, seed))
        assert alone.seats[seat].upper == pytest.approx(in_few.seats[seat].upper, abs=1e-9)


def careful_in(rules: Rules, seed: int) -> Random:
    """The careful player of the same seed, whose other seat does what these rules allow."""
    own = Careful(replace(rules, sparing=Sparing.NOBODY), seed)

    class Alone(Careful):
        def strategy(self, history: Sequence[Bid]) -> NDArray[np.float64]:
            return own.strategy(history)

    return Alone(own.rules, seed)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("whole", "count"), ROUNDS, ids=str)
def test_what_misleading_is_worth_is_bounded(whole: Rules, count: int, seed: int) -> None:
    few = replace(whole, idle_count=count)
    random = Random(few, seed)
    in_few, in_whole = response(few, random), response(whole, random)
    bounds = in_the_whole_round(few, random.strategy, in_few)
    for one, other, bound in zip(in_few.seats, in_whole.seats, bounds.seats, strict=True):
        assert one.lower - 1e-9 <= other.upper
        assert other.lower <= bound.upper + 1e-9
    assert min(misled(few, random.strategy)) > 0.0 or not idle_bids(few).low
