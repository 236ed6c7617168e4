"""Rounds with few idle bids: which bids are considered, how others are read, and what best
responses earn in the whole round, by a search that asks the strategy after each history of it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from zhaifei.game.bids import Bid, action_count, can_bid, challenge_action, domain, legal_bids
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.notation import parse_history
from zhaifei.game.positions import round_rules
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import NO_BID, bid_tables
from zhaifei.solver.abstraction import (
    WHOLE,
    Abstraction,
    Play,
    abstraction_of,
    considered_tables,
    idle_count,
    solved_alone,
    with_idle_bids,
)
from zhaifei.solver.bounds import BestResponse, Bounds, History
from zhaifei.solver.response.query_search import QuerySearch

CLASSIC = round_rules(preset("classic", players=2), (5, 5))
CALL = challenge_action(round_rules(preset("classic", dice=(2, 2)), (2, 2)))
THREE, ONE = abstraction_of(CLASSIC), with_idle_bids(CLASSIC, 1)


def classic(dice: tuple[int, int], faces: int = 6) -> Rules:
    return round_rules(preset("classic", dice=dice, faces=faces), dice)


def actions(text: str) -> History:
    return tuple(domain(CLASSIC).index(bid) for bid in parse_history(CLASSIC, text))


def considered(rules: Rules, abstraction: Abstraction, last: Bid | None) -> list[Bid]:
    """The raises that are considered, weakest first."""
    bids, tables = domain(rules), considered_tables(rules, abstraction)
    row = tables.legal[0 if last is None else bids.index(last) + 1]
    return [bid for bid, can in zip(bids, row, strict=True) if can]


@pytest.mark.parametrize(
    ("dice", "count"),
    [((5, 5), 3), ((4, 5), 3), ((4, 4), 2), ((2, 5), 2), ((3, 3), 1), ((1, 3), 1), ((2, 1), 0)],
)
def test_the_more_dice_the_more_bids_are_idle(dice: tuple[int, int], count: int) -> None:
    rules = classic(dice)
    assert idle_count(rules) == count
    its, counts = abstraction_of(rules), [bid.count for bid in domain(rules)]
    assert [one < its.idle for one in range(len(counts))] == [one <= count for one in counts]
    assert [one < its.low for one in range(len(counts))] == [one < count for one in counts]


@pytest.mark.parametrize("name", ["knockout", "increment"])
def test_other_orders_of_bids_have_no_idle_ones(name: str) -> None:
    rules = round_rules(preset(name, players=2, dice=5), (5, 5))
    assert abstraction_of(rules) == WHOLE
    assert solved_alone(WHOLE) == [WHOLE]


@pytest.mark.parametrize("rules", [CLASSIC, preset("zhaifei", players=3, dice=2)], ids=str)
def test_in_the_whole_game_everything_is_considered_and_read_as_itself(rules: Rules) -> None:
    assert considered_tables(rules, WHOLE) is bid_tables(rules)
    history = np.flatnonzero(bid_tables(rules).legal[0])[:3].tolist()
    assert WHOLE.read(history) == tuple(history)


@pytest.mark.parametrize(
    ("spares", "last", "may"),
    [
        (None, "", "1x2 3x2 3x3 3x4 3x5 3x6"),
        (0, "", "1x2 3x6"),
        (1, "", "1x2 3x2 3x3 3x4 3x5 3x6"),
        (None, "1x2", "2x6 3x2 3x3 3x4 3x5 3x6"),
        (0, "1x2", "2x6 3x2 3x3 3x4 3x5 3x6"),
        (1, "1x2", "3x6"),
        (None, "2x6", "3x6"),
        (None, "3x4", "3x6"),
        (None, "3x6", ""),
        (None, "4x2", ""),
    ],
)
def test_few_idle_bids_are_considered_and_all_others(
    spares: int | None, last: str, may: str
) -> None:
    before = parse_history(CLASSIC, last)[0] if last else None
    others = [bid for bid in legal_bids(CLASSIC, before) if bid.count > 3]
    its = replace(THREE, spares=spares)
    assert considered(CLASSIC, its, before) == [*parse_history(CLASSIC, may), *others]
    place = NO_BID if before is None else domain(CLASSIC).index(before)
    first = considered_tables(CLASSIC, its).first_raise[place + 1]
    assert domain(CLASSIC)[first] == considered(CLASSIC, its, before)[0]


def test_where_one_is_the_largest_idle_count_none_are_low() -> None:
    ones = [bid for bid in domain(CLASSIC) if bid.count == 1]
    assert (ONE.low, ONE.idle) == (0, len(ones))
    assert considered(CLASSIC, ONE, None) == list(legal_bids(CLASSIC, None))
    assert considered(CLASSIC, ONE, ones[0])[:1] == ones[-1:]
    assert considered(CLASSIC, replace(ONE, spares=0), None)[:1] == ones[-1:]


READ = [
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
]


@pytest.mark.parametrize(("made", "read"), READ)
def test_idle_bids_are_read_as_the_few(made: str, read: str) -> None:
    assert THREE.read(actions(made)) == actions(read)
    assert THREE.read(actions(read)) == actions(read)


@pytest.mark.parametrize(
    ("made", "read"),
    [("1x3", "1x3"), ("1x3 1x6", "1x3 1x6"), ("1x3 1x4", "1x2 1x6"), ("1x2 1x3 1x4", "1x4")],
)
def test_without_low_bids_top_ones_are_read_as_themselves(made: str, read: str) -> None:
    assert ONE.read(actions(made)) == actions(read)


@pytest.mark.parametrize("count", [1, 2])
def test_whatever_is_read_could_have_been_bid_and_the_same_player_moves(count: int) -> None:
    """After all runs of idle bids of a small round."""
    rules, todo = classic((2, 2), faces=4), list[History]([()])
    its = with_idle_bids(rules, count)
    legal = considered_tables(rules, its).legal
    while todo:
        made = todo.pop()
        todo += [(*made, bid) for bid in range(made[-1] + 1 if made else 0, its.idle)]
        read = its.read(made)
        assert len(read) % 2 == len(made) % 2
        before = (NO_BID, *read)[: len(read)]
        assert all(legal[last + 1, bid] for last, bid in zip(before, read, strict=True))


# Best responses in the whole round


class Random:
    """A strategy for the round with few idle bids that does everything that is considered."""

    def __init__(self, rules: Rules, abstraction: Abstraction, seed: int) -> None:
        self.rules, self.abstraction, self._seed = rules, abstraction, seed

    def strategy(self, history: Sequence[Bid]) -> NDArray[np.float64]:
        bids = domain(self.rules)
        numbers = [bids.index(bid) for bid in history]
        random = np.random.default_rng([self._seed, *numbers])
        played = np.zeros((len(hands(self.rules)), action_count(self.rules)))
        legal = [bids.index(bid) for bid in self._raises(tuple(history))]
        if self._may_challenge(tuple(numbers)) or not legal:
            legal.append(challenge_action(self.rules))
        played[:, legal] = random.exponential(size=(len(played), len(legal))) ** 2
        return played / played.sum(axis=1, keepdims=True)

    def _raises(self, history: tuple[Bid, ...]) -> Sequence[Bid]:
        return considered(self.rules, self.abstraction, history[-1] if history else None)

    def _may_challenge(self, history: History) -> bool:
        return bool(history)


class Careful(Random):
    """One that nobody can mislead."""

    def _raises(self, history: tuple[Bid, ...]) -> Sequence[Bid]:
        sparing = replace(self.abstraction, spares=len(history) % 2)
        return considered(self.rules, sparing, history[-1] if history else None)

    def _may_challenge(self, history: History) -> bool:
        low = self.abstraction.low
        return bool(history) and (not low or history not in {(0,), (0, low - 1)})


def response(player: Random, abstraction: Abstraction) -> BestResponse:
    """Best responses among the bids of the `abstraction`."""
    rules, its, bids = player.rules, player.abstraction, domain(player.rules)

    def strategy(history: History) -> NDArray[np.float64]:
        read = its.read(history)
        played = player.strategy([bids[bid] for bid in read])
        spoken = its.spoken(history, played.copy())
        too_weak = [
            place
            for place, bid in enumerate(bids)
            if history and not can_bid(rules, bid, bids[history[-1]]) and played[:, place].any()
        ]
        assert not too_weak or read == (0,)
        assert not spoken[:, too_weak].any()
        moved = played[:, too_weak].sum(axis=1)
        np.testing.assert_allclose(spoken[:, its.idle - 1], played[:, its.idle - 1] + moved)
        return spoken

    def strategies(histories: Sequence[History]) -> list[NDArray[np.float64]]:
        return [strategy(history) for history in histories]

    *_, result = QuerySearch(considered_tables(rules, abstraction), strategies).refine()
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
@pytest.mark.parametrize(("rules", "count"), ROUNDS, ids=str)
def test_who_cannot_be_misled_is_exploited_in_the_whole_round_as_with_few_idle_bids(
    rules: Rules, count: int, seed: int
) -> None:
    few = with_idle_bids(rules, count)
    careful = Careful(rules, few, seed)
    assert few.misled(rules, careful.strategy) == (0.0, 0.0)
    in_few, in_whole = response(careful, few), response(careful, WHOLE)
    for one, other in zip(in_few.seats, in_whole.seats, strict=True):
        assert one.upper == pytest.approx(other.upper, abs=1e-9)
    # A best response to one player is the same where that player is solved by themselves.
    for seat, alone in enumerate(reversed(solved_alone(few))):
        assert alone.spares == 1 - seat
        found = response(careful, alone)
        assert found.seats[seat].upper == pytest.approx(in_few.seats[seat].upper, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("rules", "count"), ROUNDS, ids=str)
def test_what_misleading_is_worth_is_bounded(rules: Rules, count: int, seed: int) -> None:
    few = with_idle_bids(rules, count)
    random = Random(rules, few, seed)
    in_few, in_whole = response(random, few), response(random, WHOLE)
    bounds = few.certified(rules, random.strategy, in_few)
    for one, other, bound in zip(in_few.seats, in_whole.seats, bounds.seats, strict=True):
        assert one.lower - 1e-9 <= other.upper
        assert other.lower <= bound.upper + 1e-9
    assert min(few.misled(rules, random.strategy)) > 0.0 or not few.low


LOW = with_idle_bids(classic((2, 2), faces=6), 2)
"""飞1×2 to 飞1×6 are low, 飞2×2 to 飞2×6 are top."""


def playing(opens: dict[int, float], answers: dict[int, float], then: float) -> Play:
    """All hands alike open and answer 飞1×2 with these probabilities by action, and challenge the
    answer 飞1×6 with the probability `then`."""
    rules = classic((2, 2))
    actions, hands = challenge_action(rules) + 1, len(probabilities(rules))

    def play(history: Sequence[Bid]) -> NDArray[np.float64]:
        row = np.zeros(actions)
        shares = (opens, answers, {challenge_action(rules): then})[len(history)]
        row[list(shares)] = list(shares.values())
        return np.tile(row, (hands, 1))

    return play


@pytest.mark.parametrize(
    ("opens", "answers", "then", "misled"),
    [
        ({0: 1.0}, {}, 0.0, (0.0, 0.0)),
        ({0: 1.0}, {CALL: 0.25}, 0.0, (0.25, 0.0)),  # an opening read as 飞1×2 is challenged
        ({0: 1.0}, {4: 0.5}, 0.0, (0.5, 0.0)),  # 飞1×6 leaves room
        ({0: 1.0}, {4: 0.25, 6: 0.125, 9: 0.5}, 0.0, (0.375, 0.0)),  # and 飞2×3, but not 飞2×6
        ({0: 0.5, 12: 0.5}, {}, 0.25, (0.0, 0.125)),  # an answer read as 飞1×6 is challenged
        ({7: 0.25, 9: 0.75}, {}, 1.0, (0.0, 0.25)),  # opening with 飞2×4 leaves room, not 飞2×6
    ],
)
def test_how_often_a_strategy_is_misled_by_hand(
    opens: dict[int, float],
    answers: dict[int, float],
    then: float,
    misled: tuple[float, float],
) -> None:
    rules = classic((2, 2))
    play = playing(opens, answers, then)
    assert LOW.misled(rules, play) == pytest.approx(misled, abs=1e-6)
    found = BestResponse((Bounds(0.1, 0.2), Bounds(0.3, 0.4)), 1, 0.0)
    bounds = LOW.certified(rules, play, found).seats
    assert [one.lower for one in bounds] == [0.1, 0.3]
    assert bounds[0].upper == pytest.approx(min(1.0, 0.2 + 2.0 * misled[0]), abs=1e-6)
    assert bounds[1].upper == pytest.approx(min(1.0, 0.4 + 2.0 * misled[1]), abs=1e-6)
