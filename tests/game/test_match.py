import copy
from collections import Counter
from itertools import product
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.game.strategies import any_rules
from zhaifei.game.bids import domain, legal_bids
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.match import Match, Standing, first_starter, roll, standings
from zhaifei.game.notation import parse_action
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules

THREE = Rules.of(players=3, jump_challenge=True)


def play_round(match: Match, choices: np.random.Generator) -> Round:
    """Deals and plays a round to its end with legal actions drawn from `choices`."""
    state = match.deal()
    rules = match.rules
    while state.settlement is None:
        raises = [domain(rules).index(bid) for bid in legal_bids(rules, state.last)][:4]
        challenges = [
            len(domain(rules)) + distance - 1
            for distance in range(1, rules.players)
            if state.can_challenge(distance)
        ]
        state.take(int(choices.choice(raises + challenges)))
    return state


def play_said(match: Match, hands: list[str], said: str) -> None:
    """Plays a round with these hands and these actions, and settles it."""
    rules = match.rules
    match.round = Round(rules, [tuple(map(int, hand)) for hand in hands], match.starter)
    for text in said.split():
        match.round.take(parse_action(rules, text))
    match.settle()


# Bookkeeping


def test_a_match_by_hand():
    match = Match(THREE, np.random.default_rng(0))
    match.starter = 1
    # Four dice count towards sixes, five towards twos.
    table = ["16623", "24345", "15254"]
    record = []
    for said in (
        "f4x6 c",  # Seat 1's bid is true: seat 2, which challenges, takes a point.
        "f4x6 f5x6 f6x6 c2",  # Seat 0's bid is false, and seat 2 jumped over seat 1's.
        "f6x2 f6x3 c2",  # Seat 0's bid is false again.
        "f4x6 f5x6 c2",  # Seat 0's bid is true: seat 2 takes two points.
    ):
        starter = match.starter
        play_said(match, table, said)
        record.append((starter, match.starter, tuple(match.score)))
    assert record == [
        (1, 2, (0, 0, 1)),
        (2, 0, (2, 0, 1)),
        (0, 0, (4, 0, 1)),
        (0, 2, (4, 0, 3)),
    ]
    assert match.standings() == [Standing(1, 1, 0), Standing(2, 2, 3), Standing(3, 0, 4)]
    assert [end.cost for end in match.settled] == [1, 2, 2, 2]


@given(any_rules(max_dice=2, max_faces=4), st.integers(0, 2**32), st.integers(0, 5))
def test_the_loser_starts_the_next_round_and_points_add_up(rules, seed, rounds):
    match, choices = Match(rules, np.random.default_rng(seed)), np.random.default_rng(seed + 1)
    points = Counter()
    starter = match.starter
    assert starter in range(rules.players)
    for number in range(rounds):
        state = play_round(match, choices)
        assert state.starter == starter
        end = match.settle()
        assert end == state.settlement == match.settled[-1]
        starter = end.challenge.challenger if end.bid_was_true else end.challenge.bidder
        points[starter] += end.cost
        assert match.starter == starter
        assert match.round is None
        assert len(match.settled) == number + 1
    assert match.score == [points[seat] for seat in range(rules.players)]
    assert match.standings() == standings(rules, match.score, [])


def test_the_first_seat_starts_every_round_where_players_have_different_numbers_of_dice():
    uneven, even = Rules.of(uneven=(2, 1), dice=2), Rules.of(dice=2)
    assert [first_starter(uneven, seat) for seat in (0, 1)] == [0, 0]
    assert [first_starter(even, seat) for seat in (0, 1)] == [0, 1]
    match, choices = Match(uneven, np.random.default_rng(0)), np.random.default_rng(1)
    for _ in range(20):
        assert match.starter == play_round(match, choices).starter == 0
        match.settle()
    assert {settlement.loser for settlement in match.settled} == {0, 1}


def test_a_round_is_dealt_once_and_settled_after_its_end():
    match = Match(Rules(), np.random.default_rng(1))
    with pytest.raises(ZhaifeiError, match="the round has not ended yet"):
        match.settle()
    state = match.deal()
    for attempt in (match.deal, match.settle):
        before = copy.deepcopy((match.round, match.score, match.starter, match.settled))
        with pytest.raises(ZhaifeiError, match="the round has not ended yet"):
            attempt()
        assert (match.round, match.score, match.starter, match.settled) == before
    state.take(parse_action(match.rules, "f3x4"))
    state.take(parse_action(match.rules, "c"))
    with pytest.raises(ZhaifeiError):  # It is still to be settled.
        match.deal()
    match.settle()
    with pytest.raises(ZhaifeiError):  # Once only.
        match.settle()
    assert sum(match.score) == 1
    assert match.deal() is not state


# Standings


@pytest.mark.parametrize(
    ("points", "ranked"),
    [
        ([0, 0], [(1, 0), (1, 1)]),
        ([3, 1, 1, 0], [(1, 3), (2, 1), (2, 2), (4, 0)]),
        ([2, 2, 5, 2], [(1, 0), (1, 1), (1, 3), (4, 2)]),
        ([7, 5, 6], [(1, 1), (2, 2), (3, 0)]),
    ],
)
def test_rank_is_by_fewest_points_and_equal_points_share_a_rank(points, ranked):
    expected = [Standing(rank, seat, points[seat]) for rank, seat in ranked]
    assert standings(Rules.of(players=len(points)), points, []) == expected


@given(st.lists(st.integers(0, 5), min_size=2, max_size=8))
def test_everybody_stands_somewhere_behind_all_with_fewer_points(points):
    result = standings(Rules.of(players=len(points)), points, [])
    assert sorted(place.seat for place in result) == list(range(len(points)))
    for place, standing in enumerate(result):
        assert standing.score == points[standing.seat]
        ahead = [other for other in result[:place] if other.score < standing.score]
        assert standing.rank == len(ahead) + 1
        assert all(other.score >= standing.score for other in result[place:])


# Chance


def assert_frequencies(counts: Counter, chances: dict[object, float], draws: int) -> None:
    """Each outcome came up as often as its chance has it, within five standard errors: even with a
    few dozen outcomes, fewer than one sound run in ten thousand fails, and the seeds are fixed."""
    assert set(counts) <= set(chances)
    assert sum(chances.values()) == pytest.approx(1)
    for outcome, chance in chances.items():
        error = sqrt(draws * chance * (1 - chance))
        assert abs(counts[outcome] - draws * chance) <= 5 * error, outcome


@pytest.mark.parametrize("players", [2, 3, 8])
def test_the_first_starter_is_drawn_uniformly(players):
    draws = 3000
    starters = Counter(
        Match(Rules.of(players=players, dice=1), np.random.default_rng(seed)).starter
        for seed in range(draws)
    )
    assert_frequencies(starters, dict.fromkeys(range(players), 1 / players), draws)


def test_each_die_is_rolled_fairly_and_apart_from_all_others():
    """The two dice of each of two players: the chance of a table is how many of 3^4 rolls of four
    single dice show it."""
    rules, random, draws = Rules.of(dice=2, faces=3), np.random.default_rng(2), 20_000
    counts = Counter(roll(rules, random) for _ in range(draws))
    rolls = Counter(
        (tuple(sorted(dice[:2])), tuple(sorted(dice[2:]))) for dice in product((1, 2, 3), repeat=4)
    )
    assert_frequencies(counts, {table: number / 81 for table, number in rolls.items()}, draws)


def test_five_dice_show_each_face_as_often():
    """Of all dice rolled, a sixth show each face; the dice are independent, so the standard error
    is that of single dice."""
    rules, random, draws = Rules.of(players=8), np.random.default_rng(3), 500
    faces = Counter(face for _ in range(draws) for hand in roll(rules, random) for face in hand)
    assert_frequencies(faces, dict.fromkeys(range(1, 7), 1 / 6), draws * 40)


@given(any_rules(max_dice=3, max_faces=4), st.integers(0, 2**32), st.data())
def test_equal_seeds_give_the_same_starter_and_dice_whatever_is_played(rules, seed, data):
    one, other = (Match(rules, np.random.default_rng(seed)) for _ in range(2))
    assert one.starter == other.starter
    for _ in range(4):
        hands = []
        for match in (one, other):
            choices = np.random.default_rng(data.draw(st.integers(0, 2**32)))
            hands.append(play_round(match, choices).hands)
            match.settle()
        assert hands[0] == hands[1]


def test_other_seeds_give_other_dice():
    tables = {roll(Rules(), np.random.default_rng(seed)) for seed in range(20)}
    assert len(tables) == 20  # Two are equal with a chance of about a hundredth; seeds are fixed.
