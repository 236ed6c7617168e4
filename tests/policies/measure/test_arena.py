"""The arena agrees with rounds and matches that are played and counted one by one, and with exact
values."""

import math
import re
import zlib
from collections import defaultdict
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.command_line import LONG
from tests.policies.play.test_simulation import Erratic, OtherDraws
from tests.policies.small_policies import random_policy
from zhaifei.game.bids import Bid, action_of
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands
from zhaifei.game.match import Match
from zhaifei.game.parts import Mode
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset
from zhaifei.game.stakes import Unit, unit_of_play
from zhaifei.game.views import View
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.catalogue.shipped import LEARNED
from zhaifei.policies.measure import arena
from zhaifei.policies.measure.anytime import last_of
from zhaifei.policies.measure.arena import (
    Entrants,
    Standings,
    default_units,
    entrants,
    everybody,
    exact_values,
    final_standings,
    play_arena,
)
from zhaifei.policies.measure.comparison import Estimate, Seating, matchups, seatings
from zhaifei.policies.measure.evaluation import refine_duel
from zhaifei.policies.measure.play_counts import PlayCounts
from zhaifei.policies.play import simulation
from zhaifei.policies.play.playing import play_match
from zhaifei.policies.play.simulation import deal, penalty_share
from zhaifei.policies.players.decider import Decider, TwoStepDecider
from zhaifei.policies.players.player import BatchPlayer
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.reader import NAME as READER
from zhaifei.policies.players.rule_based import NAMES, RandomPolicy
from zhaifei.policies.players.table_policy import save_policy

SMALL = Rules.of(dice=1, faces=2)
TWO = Rules.of(dice=2, faces=3)
THREE = Rules.of(players=3, dice=1, faces=3, jump_challenge=True)
FOUR = Rules.of(players=4, dice=2, faces=3, jump_challenge=True)
KNOCKOUT = preset("knockout", players=3, dice=2)
INCREMENT = preset("increment", players=3, dice=2)
KNOCKOUT_OF_TWO = preset("knockout", players=2, dice=2)
INCREMENT_OF_FOUR = preset("increment", dice=2)
BOTH = pytest.mark.parametrize("rules", [TWO, THREE, FOUR, KNOCKOUT, INCREMENT_OF_FOUR], ids=str)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give exact values enough time on any machine."""
    monkeypatch.setattr(arena, "_EXACT_SECONDS", LONG)


class ErraticDecider(TwoStepDecider):
    """Decides by a hash of the situation, and sometimes bids illegally."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __str__(self) -> str:
        return f"erratic {self.number}"

    def _draw(self, seen: View, of: int) -> int:
        situation = (self.number, seen.seat, seen.dice, seen.dice_counts, seen.history, of)
        return zlib.crc32(repr(situation).encode()) % of

    def challenge_bid(self, seen: View) -> bool:
        return self._draw(seen, 4) == 0

    def make_bid(self, seen: View) -> Bid | None:
        if self._draw(seen, 19) == 0:
            return None if self.number else Bid(Mode.FEI, 0, 1)
        return seen.legal_bids[self._draw(seen, min(5, len(seen.legal_bids)))]


def finished(players: Entrants, rules: Rules, units: int, seed: int = 0) -> Standings:
    *_, last = play_arena(players, rules, units, seed)
    return last


def erratic(rules: Rules, *numbers: int) -> Entrants:
    if unit_of_play(rules) is Unit.MATCH:
        return [ErraticDecider(number) for number in numbers]
    return [Erratic(rules, number) for number in numbers]


# a slow count


class Logged(NamedTuple):
    """A unit that was played by itself."""

    deal: int
    table: int
    seating: Seating
    seat: int
    """The seat that lost the round or won the match."""
    score: float
    """The score of this seat."""


def slow_log(
    players: Entrants, rules: Rules, deals: int, seed: int
) -> tuple[list[Logged], list[PlayCounts]]:
    """Return a log of every unit and the counts [entrant], played one by one."""
    log, counts = [], [PlayCounts() for _ in players]
    dealt: Sequence[NDArray[np.int64] | None] = [None] * deals
    if unit_of_play(rules) is Unit.ROUND:
        dealt = np.concatenate([part for part, _ in deal(rules, deals, seed)])
    for number, of_deal in enumerate(dealt):
        for place, table in enumerate(matchups(len(players), rules.players)):
            for seating in seatings(table):
                seated = [players[one] for one in seating]
                if of_deal is None:
                    match = Match(rules, np.random.default_rng([seed, 0, number]))
                    seat, score = one_match(seated, match, seating, counts), 1.0
                else:
                    points = one_round(seated, of_deal, seating, counts)
                    seat, score = int(np.argmax(points)), -float(max(points))
                log.append(Logged(number, place, seating, seat, score))
    return log, counts


def one_round(
    players: Sequence[Erratic],
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


def one_match(
    players: Sequence[Decider], match: Match, seating: Seating, counts: list[PlayCounts]
) -> int:
    """Play a match, add it to `counts` [entrant], and return the seat that wins."""
    rounds: list[Round] = []
    winner = play_match(match, players, rounds.append)
    for seat, one in enumerate(seating):
        mine = counts[one]
        mine.units += 1
        mine.decided += seat == winner
        mine.all_rounds += len(rounds)
        for state in rounds:
            count_round(mine, seat, state)
    return winner


def count_round(mine: PlayCounts, seat: int, state: Round) -> None:
    """Add what the player in `seat` did in a round to `mine`."""
    if not state.hands[seat]:
        return
    outcome = state.settlement
    assert outcome is not None
    makers = [state.bidder(place) for place in range(len(state.history) + 1)]
    mine.rounds += 1
    mine.length += len(state.history)
    mine.bids += makers[:-1].count(seat)
    mine.lost += outcome.loser == seat
    mine.forfeits += outcome.forfeiter == seat
    settled = outcome.challenge
    if settled is None:
        return
    mine.challenged += settled.bidder == seat
    mine.true += settled.bidder == seat and outcome.bid_was_true
    if settled.challenger == seat and outcome.forfeiter is None:
        mine.challenges += 1
        mine.right += not outcome.bid_was_true
        mine.out_of_turn += seat != makers[-1]
        mine.out_of_turn_right += seat != makers[-1] and not outcome.bid_was_true


@pytest.mark.parametrize(
    ("rules", "number"),
    [
        (TWO, 3),
        (THREE, 3),
        (THREE, 4),
        (FOUR, 2),
        (KNOCKOUT, 3),
        (INCREMENT, 4),
        (KNOCKOUT_OF_TWO, 3),
        (INCREMENT_OF_FOUR, 2),
    ],
    ids=str,
)
def test_standings_equal_a_count_one_by_one(
    monkeypatch: pytest.MonkeyPatch, rules: Rules, number: int
) -> None:
    monkeypatch.setattr(simulation, "_BATCH", 25)  # so that parts are put together
    tables = matchups(number, rules.players)
    of_rounds = unit_of_play(rules) is Unit.ROUND
    players, deals = erratic(rules, *range(number)), 60 if of_rounds else 12
    found = finished(players, rules, deals * max(len(seatings(table)) for table in tables), seed=3)
    log, counts = slow_log(players, rules, deals, seed=3)
    assert (found.deals, found.played, found.planned) == (deals, len(log), len(log))
    assert found.counts == counts
    rates, cells, alone = (defaultdict(list) for _ in range(3))
    for one_deal in range(deals):
        of_deal = [one for one in log if one.deal == one_deal]
        for one in range(number):
            rates[one].append(per_seat(of_deal, one, decided=True))
        for pair in permutations(range(number), 2):
            more = []
            for place, table in enumerate(tables):
                here = [one for one in of_deal if one.table == place]
                if {*pair} <= {*table}:
                    row, column = (per_seat(here, one, decided=False) for one in pair)
                    more.append(row - column)
                    if number < rules.players and table[0] == pair[0]:
                        alone[pair].append(per_seat(here, pair[0], decided=True))
            cells[pair].append(float(np.mean(more)))
    for one, samples in rates.items():
        verify(found.rates[one], samples)
    for (row, column), samples in cells.items():
        verify(found.cells[row][column], samples)
    assert (found.alone is None) == (not alone) == (number >= rules.players)
    for (row, column), samples in alone.items():
        assert found.alone is not None
        verify(found.alone[row][column], samples)


def per_seat(log: Sequence[Logged], one: int, *, decided: bool) -> float:
    """Return the decisive results, or the score, of an entrant per seat that it held."""
    mine = [played for played in log if played.seating[played.seat] == one]
    held = sum(played.seating.count(one) for played in log)
    return sum(1.0 if decided else played.score for played in mine) / held


def verify(estimate: Estimate | None, samples: Sequence[float]) -> None:
    """Check an estimate against what was sampled in each deal."""
    assert estimate is not None
    assert estimate.mean == pytest.approx(np.mean(samples))
    margin = 1.959964 * np.std(samples, ddof=1) / math.sqrt(len(samples))
    assert estimate.margin == pytest.approx(margin, rel=1e-6, abs=1e-9)


def test_counts_have_what_the_rules_allow() -> None:
    for rules in (TWO, THREE, FOUR, KNOCKOUT, INCREMENT, KNOCKOUT_OF_TWO, INCREMENT_OF_FOUR):
        counts = finished(erratic(rules, 0, 1, 2), rules, 60).counts
        total = {name: sum(getattr(one, name) for one in counts) for name in vars(counts[0])}
        assert min(total["right"], total["true"], total["challenges"]) > 0
        assert (total["jumps"] > 0) == rules.stakes.jump_challenge
        assert (total["forfeits"] > 0) == (unit_of_play(rules) is Unit.MATCH)
        assert (total["out_of_turn"] > 0) == (rules.stakes.out_of_turn and rules.players > 2)


@pytest.mark.parametrize(("rules", "units"), [(TWO, 2000), (KNOCKOUT_OF_TWO, 400)], ids=str)
def test_two_players_ratings_are_the_log_odds_of_units_won(rules: Rules, units: int) -> None:
    found = finished(erratic(rules, 1, 2), rules, units)
    first, second = found.counts
    assert found.ratings is not None
    one, other = found.ratings
    assert one is not None
    assert other is not None
    odds = 400 * math.log10(first.decided / second.decided)
    won = unit_of_play(rules) is Unit.MATCH
    assert one.value - other.value == pytest.approx(odds if won else -odds)
    # Log odds change by 1 / (p q) of the share p.
    share, deviation = found.rates[0].mean, found.rates[0].margin / 1.959964
    assert share == pytest.approx(first.decided / first.units)
    expected = 400 / math.log(10) * deviation / (share * (1 - share)) / 2
    assert one.deviation == pytest.approx(expected, rel=1e-6)


def test_results_scatter_as_the_margins_say() -> None:
    """At tables of three, where deals, seatings and tables are all averaged."""
    names, number = ("random", "honest", "conservative", "aggressive"), 200
    players = [load_player(name, THREE) for name in names]
    found = [finished(players, THREE, 300, seed) for seed in range(number)]
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


def test_margins_are_as_wide_as_results_scatter() -> None:
    """Repeat the arena with other seeds."""
    rules, number = preset("increment", players=2, dice=1), 150
    found = []
    for seed in range(number):
        players = entrants(["random", "honest"], rules, seed)
        found.append(finished(players, rules, 40, seed).rates[0])
    claimed = math.sqrt(np.mean([(one.margin / 1.959964) ** 2 for one in found]))
    # A standard deviation from n samples has a relative error of about 1 / sqrt(2 n).
    tolerance = 4.0 / math.sqrt(2 * number)
    assert np.std([one.mean for one in found], ddof=1) == pytest.approx(claimed, rel=tolerance)


# the cross table


@BOTH
def test_what_the_row_saves_the_column_pays(rules: Rules) -> None:
    units = 2000 if unit_of_play(rules) is Unit.ROUND else 60
    found = finished(entrants([*NAMES], rules, 0), rules, units)
    for row, cells in enumerate(found.cells):
        assert (cells[row].mean, cells[row].margin) == (0.0, 0.0)
        for column, cell in enumerate(cells):
            other = found.cells[column][row]
            assert cell.mean == pytest.approx(-other.mean, abs=1e-12)
            assert cell.margin == pytest.approx(other.margin, abs=1e-12)
            assert (cell.lower, cell.upper) == (cell.mean - cell.margin, cell.mean + cell.margin)


class Challenger(TwoStepDecider):
    """Challenges whenever it can."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name

    def challenge_bid(self, seen: View) -> bool:
        return True

    def make_bid(self, seen: View) -> Bid:
        return seen.legal_bids[len(seen.legal_bids) // 2]


@pytest.mark.parametrize("rules", [KNOCKOUT, INCREMENT, INCREMENT_OF_FOUR], ids=str)
def test_identical_players_win_equally_often(rules: Rules) -> None:
    players: list[Decider] = [Challenger(str(place)) for place in range(rules.players)]
    found = finished(players, rules, 200)
    assert [one.mean for one in found.rates] == pytest.approx([1 / rules.players] * rules.players)
    assert {cell.mean for row in found.cells for cell in row} == {0.0}
    assert found.ratings is not None
    values = [rating.value for rating in found.ratings if rating]
    assert values == pytest.approx([1500] * rules.players)


@pytest.mark.parametrize("number", [2, 3, 4, 5])
def test_wins_add_up_to_matches(number: int) -> None:
    players: list[Decider] = [ErraticDecider(place) for place in range(number)]
    found = finished(players, INCREMENT_OF_FOUR, 80)
    assert sum(counts.decided for counts in found.counts) == found.played
    assert sum(counts.units for counts in found.counts) == 4 * found.played
    for row, cells in enumerate(found.cells):
        for column, cell in enumerate(cells):
            assert cell.mean == pytest.approx(-found.cells[column][row].mean, abs=1e-12)


@pytest.mark.parametrize("rules", [TWO, THREE, FOUR], ids=str)
def test_equal_players_save_nothing_and_are_rated_equal(rules: Rules) -> None:
    one = RandomPolicy(rules)
    found = finished([one, OtherDraws(one)], rules, 20_000)
    cell = found.cells[0][1]
    assert 0.0 < cell.margin < 0.05
    # The margin is 1.96 standard deviations.
    assert abs(cell.mean) <= 4.0 / 1.96 * cell.margin
    assert found.ratings is not None
    assert abs(found.ratings[0].value - 1500) <= 4.0 * found.ratings[0].deviation


def test_identical_players_save_exactly_nothing() -> None:
    found = finished(erratic(TWO, 1, 1), TWO, 500)
    assert (found.cells[0][1].mean, found.cells[0][1].margin) == (0.0, 0.0)


def test_two_player_cells_agree_with_penalty_shares() -> None:
    """Both come from the same deals: a player who saves v takes (1 - v) / 2 of the points."""
    one, other = load_player("honest", TWO), load_player("random", TWO)
    cell = finished([one, other], TWO, 5000, seed=7).cells[0][1]
    share = penalty_share(one, other, TWO, 5000, seed=7)
    assert share.share == pytest.approx((1 - cell.mean) / 2)
    assert share.margin == pytest.approx(cell.margin / 2)


def test_exact_values_lie_where_the_sampled_ones_do() -> None:
    policies = [random_policy(SMALL, seed) for seed in range(3)]
    players: list[BatchPlayer] = [PolicyPlayer(policy) for policy in policies]
    found = finished([*players, RandomPolicy(SMALL)], SMALL, 100_000)
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


@pytest.mark.parametrize(("rules", "units"), [(THREE, 1000), (INCREMENT, 60)], ids=str)
def test_a_seed_gives_the_same_standings_and_another_seed_others(rules: Rules, units: int) -> None:
    first, again, other = (
        finished(entrants(["random", "honest", "aggressive"], rules, seed), rules, units, seed)
        for seed in (1, 1, 2)
    )
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
    rules = preset("zhaifei")
    found = finished(entrants(["random", "honest"], rules, 0), rules, 2)
    assert found.ratings is None


def test_standings_of_matches_grow_deal_by_deal_and_every_match_is_reported() -> None:
    told: list[tuple[int, int]] = []
    players = entrants(["honest", "random"], KNOCKOUT_OF_TWO, 0)
    found = list(play_arena(players, KNOCKOUT_OF_TWO, 10, 0, lambda *both: told.append(both)))
    assert [(one.deals, one.played, one.planned) for one in found] == [
        (2, 4, 10),
        (3, 6, 10),
        (4, 8, 10),
        (5, 10, 10),
    ]
    assert told == [(match, 10) for match in range(1, 11)]
    assert found[0].counts != found[-1].counts


@pytest.mark.parametrize(("rules", "units"), [(TWO, 50), (KNOCKOUT_OF_TWO, 10)], ids=str)
def test_final_standings_are_the_last_of_the_arena(rules: Rules, units: int) -> None:
    names, told = ["honest", "random"], list[tuple[int, int]]()
    *_, last = play_arena(entrants(names, rules, 0), rules, units, 0)
    players = entrants(names, rules, 0)
    assert final_standings(players, rules, units, 0, lambda *both: told.append(both)) == last
    assert told == ([(match, 10) for match in range(1, 11)] if rules == KNOCKOUT_OF_TWO else [])


def test_ctrl_c_leaves_the_deals_that_are_complete() -> None:
    def interrupt(done: int, planned: int) -> None:
        if done == 7:
            raise KeyboardInterrupt

    players = entrants(["honest", "random"], KNOCKOUT_OF_TWO, 0)
    found = last_of(play_arena(players, KNOCKOUT_OF_TWO, 10, 0, interrupt), lambda so_far: None)
    first, second, *_ = play_arena(
        entrants(["honest", "random"], KNOCKOUT_OF_TWO, 0), KNOCKOUT_OF_TWO, 10, 0
    )
    assert (found.played, found.planned) == (6, 10)
    assert found == second != first


def test_the_default_is_some_thousand_matches_in_at_least_ten_deals_or_1e5_rounds() -> None:
    assert default_units(2, TWO) == 100_000
    assert default_units(2, preset("knockout", players=2)) == 4000
    assert default_units(4, preset("knockout")) == 4000
    assert default_units(2, preset("knockout")) == 2000
    assert default_units(12, preset("knockout")) == 10 * 8  # at each of 495 tables


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


@pytest.mark.parametrize("rules", [TWO, KNOCKOUT], ids=str)
@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "an arena needs at least 2 players, but you named 0"),
        (["honest"], "an arena needs at least 2 players, but you named 1"),
        (["honest", "random", "honest"], "honest is named twice: each player enters once"),
        (["honest", "q-learner"], "q-learner does not play by these rules"),
        (["honest", "nobody"], "no player is called 'nobody'"),
    ],
)
def test_invalid_entrants_are_refused(rules: Rules, names: list[str], message: str) -> None:
    with pytest.raises(ZhaifeiError, match=re.escape(message)):
        entrants(names, rules, 0)


def test_a_file_is_one_player_whatever_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    save_policy(tmp_path / "mine.safetensors", random_policy(SMALL))
    with pytest.raises(ZhaifeiError, match="is named twice"):
        entrants(["mine.safetensors", str(tmp_path / "mine.safetensors")], SMALL, 0)
