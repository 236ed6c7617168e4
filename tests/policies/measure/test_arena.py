"""The arena agrees with rounds that are played and counted one by one, and with exact values."""

import math
import re
from collections import defaultdict
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.command_line import LONG
from tests.policies.play.test_simulation import Erratic, OtherDraws
from tests.policies.small_policies import random_policy
from zhaifei.game.bids import action_of
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.catalogue.shipped import LEARNED
from zhaifei.policies.measure import arena
from zhaifei.policies.measure.arena import (
    Standings,
    entrants,
    everybody,
    exact_values,
    play_arena,
)
from zhaifei.policies.measure.comparison import matchups, seatings
from zhaifei.policies.measure.evaluation import refine_duel
from zhaifei.policies.measure.play_counts import PlayCounts
from zhaifei.policies.play import simulation
from zhaifei.policies.play.simulation import deal, penalty_share
from zhaifei.policies.players.player import BatchPlayer
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.reader import NAME as READER
from zhaifei.policies.players.rule_based import NAMES, RandomPolicy
from zhaifei.policies.players.table_policy import save_policy

SMALL = Rules.of(dice=1, faces=2)
TWO = Rules.of(dice=2, faces=3)
THREE = Rules.of(players=3, dice=1, faces=3, jump_challenge=True)
FOUR = Rules.of(players=4, dice=2, faces=3, jump_challenge=True)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give exact values enough time on any machine."""
    monkeypatch.setattr(arena, "_EXACT_SECONDS", LONG)


def finished(players: list[BatchPlayer], rounds: int, seed: int = 0) -> Standings:
    *_, last = play_arena(players, players[0].rules, rounds, seed)
    return last


# a slow count


def slow_count(
    players: list[Erratic], deals: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[PlayCounts]]:
    """Return cells [row, column], their margins and counts, computed round by round."""
    rules, number = players[0].rules, len(players)
    dealt = np.concatenate([part for part, _ in deal(rules, deals, seed)])
    counts = [PlayCounts() for _ in players]
    samples: dict[tuple[int, int], list[float]] = defaultdict(list)
    for of_deal in dealt:
        differences: dict[tuple[int, int], list[float]] = defaultdict(list)
        for table in matchups(number, rules.players):
            for seating in seatings(table):
                points = one_round([players[one] for one in seating], of_deal, seating, counts)
                for row, column in permutations(set(seating), 2):
                    rates = [
                        sum(points[seat] for seat, one in enumerate(seating) if one == who)
                        / seating.count(who)
                        for who in (row, column)
                    ]
                    differences[row, column].append(rates[1] - rates[0])
        for pair, found in differences.items():
            samples[pair].append(float(np.mean(found)))
    saved, margin = np.zeros((2, number, number))
    for pair, found in samples.items():
        saved[pair] = np.mean(found)
        margin[pair] = 1.959964 * np.std(found, ddof=1) / math.sqrt(deals)
    return saved, margin, counts


def one_round(
    players: list[Erratic],
    dealt: NDArray[np.int64],
    seating: tuple[int, ...],
    counts: list[PlayCounts],
) -> list[int]:
    """Play a round, add it to `counts` [entrant], and return [seat] the points."""
    rules = players[0].rules
    table = Round(rules, [hands(rules)[hand] for hand in dealt])
    while table.settlement is None:
        bids = [action_of(rules, bid) for bid in table.history]
        mine, turn = counts[seating[table.turn]], table.turn
        table.take(players[turn].decide(dealt[turn], bids))
        mine.bids += table.settlement is None
        mine.challenges += table.settlement is not None
    ended = table.settlement
    for seat in range(rules.players):
        one = counts[seating[seat]]
        one.units += 1
        one.all_rounds += 1
        one.decided += ended.loser == seat
        one.rounds += 1
        one.length += len(table.history)
        one.lost += ended.cost if ended.loser == seat else 0
    challenger, bidder = (
        counts[seating[seat]] for seat in (ended.challenge.challenger, ended.challenge.bidder)
    )
    challenger.right += not ended.bid_was_true
    challenger.jumps += ended.cost > 1
    bidder.challenged += 1
    bidder.true += ended.bid_was_true
    return [ended.cost if ended.loser == seat else 0 for seat in range(rules.players)]


@pytest.mark.parametrize(
    ("rules", "number"),
    [(TWO, 3), (THREE, 3), (THREE, 4), (FOUR, 2)],
    ids=["pairs", "one table", "tables of three of four", "one among copies"],
)
def test_standings_equal_a_count_round_by_round(
    monkeypatch: pytest.MonkeyPatch, rules: Rules, number: int
) -> None:
    monkeypatch.setattr(simulation, "_BATCH", 25)  # so that parts are put together
    players = [Erratic(rules, place) for place in range(number)]
    rounds = 60 * max(len(seatings(table)) for table in matchups(number, rules.players))
    found = finished([*players], rounds, seed=3)
    saved, margin, counts = slow_count(players, 60, seed=3)
    assert found.deals == 60
    assert found.played == found.planned == sum(one.rounds for one in counts) // rules.players
    np.testing.assert_allclose([[one.mean for one in row] for row in found.cells], saved)
    np.testing.assert_allclose(
        [[one.margin for one in row] for row in found.cells], margin, rtol=1e-6
    )
    assert found.counts == counts
    assert any(one.jumps for one in counts) == (rules.players > 2)


def test_two_players_ratings_are_the_log_odds_of_rounds_won() -> None:
    found = finished([Erratic(TWO, 1), Erratic(TWO, 2)], 2000)
    first, second = found.counts
    assert found.ratings is not None
    difference = found.ratings[0].value - found.ratings[1].value
    assert difference == pytest.approx(400 * math.log10(second.lost / first.lost))
    # The share of rounds won is (1 + saved) / 2; log odds change by 1 / (p q) of it.
    share = (1 + found.cells[0][1].mean) / 2
    deviation = found.cells[0][1].margin / 1.959964 / 2
    expected = 400 / math.log(10) * deviation / (share * (1 - share)) / 2
    assert found.ratings[0].deviation == pytest.approx(expected, rel=1e-6)


def test_results_scatter_as_the_margins_say() -> None:
    """At tables of three, where deals, seatings and tables are all averaged."""
    names, number = ("random", "honest", "conservative", "aggressive"), 200
    players = [load_player(name, THREE) for name in names]
    found = [finished(players, 300, seed) for seed in range(number)]
    # A standard deviation from n samples has a relative error of about 1 / sqrt(2 n).
    tolerance = 4.0 / math.sqrt(2 * number)
    cells = [one.cells[0][1] for one in found]
    claimed = math.sqrt(np.mean([(cell.margin / 1.96) ** 2 for cell in cells]))
    assert np.std([cell.mean for cell in cells], ddof=1) == pytest.approx(claimed, rel=tolerance)
    rated = [one.ratings[0] for one in found if one.ratings is not None]
    assert len(rated) == number
    claimed = math.sqrt(np.mean([rating.deviation**2 for rating in rated]))
    deviation = np.std([rating.value for rating in rated], ddof=1)
    assert deviation == pytest.approx(claimed, rel=tolerance)


# the cross table


@pytest.mark.parametrize("rules", [TWO, THREE, FOUR], ids=str)
def test_what_the_row_saves_the_column_pays(rules: Rules) -> None:
    found = finished([load_player(name, rules) for name in NAMES], 2000)
    for row, cells in enumerate(found.cells):
        assert (cells[row].mean, cells[row].margin) == (0.0, 0.0)
        for column, cell in enumerate(cells):
            other = found.cells[column][row]
            assert cell.mean == pytest.approx(-other.mean, abs=1e-12)
            assert cell.margin == pytest.approx(other.margin, abs=1e-12)
            assert (cell.lower, cell.upper) == (cell.mean - cell.margin, cell.mean + cell.margin)


@pytest.mark.parametrize("rules", [TWO, THREE, FOUR], ids=str)
def test_equal_players_save_nothing_and_are_rated_equal(rules: Rules) -> None:
    one = RandomPolicy(rules)
    found = finished([one, OtherDraws(one)], 20_000)
    cell = found.cells[0][1]
    assert 0.0 < cell.margin < 0.05
    # The margin is 1.96 standard deviations.
    assert abs(cell.mean) <= 4.0 / 1.96 * cell.margin
    assert found.ratings is not None
    assert abs(found.ratings[0].value - 1500) <= 4.0 * found.ratings[0].deviation


def test_identical_players_save_exactly_nothing() -> None:
    found = finished([Erratic(TWO, 1), Erratic(TWO, 1)], 500)
    assert (found.cells[0][1].mean, found.cells[0][1].margin) == (0.0, 0.0)


def test_two_player_cells_agree_with_penalty_shares() -> None:
    """Both come from the same deals: a player who saves v takes (1 - v) / 2 of the points."""
    one, other = load_player("honest", TWO), load_player("random", TWO)
    cell = finished([one, other], 5000, seed=7).cells[0][1]
    share = penalty_share(one, other, TWO, 5000, seed=7)
    assert share.share == pytest.approx((1 - cell.mean) / 2)
    assert share.margin == pytest.approx(cell.margin / 2)


def test_exact_values_lie_where_the_sampled_ones_do() -> None:
    policies = [random_policy(SMALL, seed) for seed in range(3)]
    players: list[BatchPlayer] = [PolicyPlayer(policy) for policy in policies]
    found = finished([*players, RandomPolicy(SMALL)], 100_000)
    first, *_, exact = exact_values([*players, RandomPolicy(SMALL)])
    assert first == {}
    assert set(exact) == set(permutations(range(3), 2))
    for (row, column), bounds in exact.items():
        *_, (opener, responder) = refine_duel(policies[row], policies[column])
        cell = found.cells[row][column]
        assert bounds.gap < 1e-4
        assert bounds.lower == pytest.approx((opener.lower + responder.lower) / 2, abs=1e-5)
        assert cell.margin < 0.01
        assert abs(cell.mean - bounds.lower) <= 4.0 / 1.96 * cell.margin
    assert max(abs(bounds.lower) for bounds in exact.values()) > 0.05  # or nothing would be told


def test_exact_values_are_for_two_players_only() -> None:
    assert list(exact_values([load_player("honest", THREE), load_player("aggressive", THREE)])) == [
        {}
    ]


# the same again


def test_a_seed_gives_the_same_standings_and_another_seed_others() -> None:
    players = [load_player(name, THREE) for name in NAMES]
    first, again, other = (finished(players, 1000, seed) for seed in (1, 1, 2))
    assert first == again
    assert first.cells != other.cells


def test_standings_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "_BATCH", 30)
    players = [load_player(name, TWO) for name in ("random", "honest", "aggressive")]
    found = list(play_arena(players, TWO, 200, 0))
    assert [one.deals for one in found] == [30, 60, 90, 100]
    assert [one.played for one in found] == [180, 360, 540, 600]
    assert {one.planned for one in found} == {600}
    assert found[0].counts != found[-1].counts


def test_there_are_no_ratings_before_both_players_lost_a_round() -> None:
    found = finished(
        [load_player("random", preset("zhaifei")), load_player("honest", preset("zhaifei"))], 2
    )
    assert found.ratings is None


# who may enter


def test_players_are_entered_by_name_or_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.safetensors"
    save_policy(file, random_policy(SMALL))
    assert [str(one) for one in entrants(["honest", str(file)], SMALL, 0)] == ["honest", str(file)]


def test_default_entrants_are_all_named_players_and_the_known_policy(places: Path) -> None:
    assert everybody(SMALL) == [*NAMES, READER]
    *named, known = everybody(preset("zhaifei"))
    assert named == [*NAMES, READER, *LEARNED, "single-bid"]
    assert Path(known).exists()


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "an arena needs at least 2 players, but you named 0"),
        (["honest"], "an arena needs at least 2 players, but you named 1"),
        (["honest", "random", "honest"], "honest is named twice: each player enters once"),
        (["honest", "nobody"], "no player is called 'nobody'"),
    ],
)
def test_invalid_entrants_are_refused(names: list[str], message: str) -> None:
    with pytest.raises(ZhaifeiError, match=re.escape(message)):
        entrants(names, TWO, 0)


def test_a_file_is_one_player_whatever_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    save_policy(tmp_path / "mine.safetensors", random_policy(SMALL))
    with pytest.raises(ZhaifeiError, match="is named twice"):
        entrants(["mine.safetensors", str(tmp_path / "mine.safetensors")], SMALL, 0)
