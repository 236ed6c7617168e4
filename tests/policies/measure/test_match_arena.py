"""The arena of matches agrees with matches that are logged and counted one by one."""

import math
import re
import zlib
from collections import defaultdict
from itertools import permutations

import numpy as np
import pytest

from zhaifei.game.bids import Bid
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.match import Match
from zhaifei.game.parts import Mode
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset
from zhaifei.game.views import View
from zhaifei.policies.measure.anytime import last_of
from zhaifei.policies.measure.arena import (
    Entrants,
    Standings,
    default_units,
    entrants,
    play_arena,
)
from zhaifei.policies.measure.comparison import matchups, seatings
from zhaifei.policies.measure.play_counts import PlayCounts
from zhaifei.policies.play.playing import play_match
from zhaifei.policies.players.decider import Decider, TwoStepDecider

KNOCKOUT = preset("knockout", players=3, dice=2)
INCREMENT = preset("increment", players=3, dice=2)
TWO = preset("knockout", players=2, dice=2)
FOUR = preset("increment", dice=2)
RULES = pytest.mark.parametrize(
    ("rules", "number"),
    [(KNOCKOUT, 3), (INCREMENT, 4), (TWO, 3), (FOUR, 2)],
    ids=["one table", "tables of three of four", "pairs", "one among copies"],
)


class Erratic(TwoStepDecider):
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


def finished(players: Entrants, rules: Rules, matches: int, seed: int = 0) -> Standings:
    *_, last = play_arena(players, rules, matches, seed)
    return last


def log_of(
    players: list[Decider], rules: Rules, deals: int, seed: int
) -> list[tuple[int, int, tuple[int, ...], int, list[Round]]]:
    """Return (deal, table, seating, winner, rounds) of every match."""
    log = []
    for deal in range(deals):
        for number, table in enumerate(matchups(len(players), rules.players)):
            for seating in seatings(table):
                match = Match(rules, np.random.default_rng([seed, 0, deal]))
                rounds: list[Round] = []
                winner = play_match(match, [players[one] for one in seating], rounds.append)
                log.append((deal, number, seating, winner, rounds))
    return log


@RULES
def test_wins_equal_a_count_match_by_match(rules: Rules, number: int) -> None:
    players: list[Decider] = [Erratic(place) for place in range(number)]
    most = max(len(seatings(table)) for table in matchups(number, rules.players))
    deals, seed = 12, 3
    found = finished(players, rules, deals * most, seed)
    log = log_of(players, rules, deals, seed)
    assert (found.deals, found.played, found.planned) == (deals, len(log), len(log))
    wins: dict[int, list[float]] = defaultdict(list)
    more: dict[tuple[int, int], list[float]] = defaultdict(list)
    alone: dict[tuple[int, int], list[float]] = defaultdict(list)
    for deal in range(deals):
        of_deal = [entry for entry in log if entry[0] == deal]
        for one in range(number):
            held = sum(seating.count(one) for _, _, seating, _, _ in of_deal)
            wins[one].append(sum(s[w] == one for _, _, s, w, _ in of_deal) / held)
        for row, column in permutations(range(number), 2):
            of_tables = []
            for place, table in enumerate(matchups(number, rules.players)):
                if {row, column} <= {*table}:
                    here = [(s, w) for _, at, s, w, _ in of_deal if at == place]
                    rate = {
                        one: sum(s[w] == one for s, w in here) / sum(s.count(one) for s, _ in here)
                        for one in (row, column)
                    }
                    of_tables.append(rate[row] - rate[column])
                    if number < rules.players and table[0] == row:
                        alone[row, column].append(rate[row])
            more[row, column].append(float(np.mean(of_tables)))

    def check(mean: float, margin: float, samples: list[float]) -> None:
        assert mean == pytest.approx(np.mean(samples))
        expected = 1.959964 * np.std(samples, ddof=1) / math.sqrt(deals)
        assert margin == pytest.approx(expected, rel=1e-6, abs=1e-9)

    for one, samples in wins.items():
        check(found.rates[one].mean, found.rates[one].margin, samples)
    for (row, column), samples in more.items():
        cell = found.cells[row][column]
        check(cell.mean, cell.margin, samples)
        assert (cell.lower, cell.upper) == (cell.mean - cell.margin, cell.mean + cell.margin)
    assert (found.alone is None) == (not alone) == (number >= rules.players)
    for (row, column), samples in alone.items():
        assert found.alone is not None
        cell_alone = found.alone[row][column]
        assert cell_alone is not None
        check(cell_alone.mean, cell_alone.margin, samples)


@RULES
def test_counts_equal_a_count_round_by_round(rules: Rules, number: int) -> None:
    players: list[Decider] = [Erratic(place) for place in range(number)]
    most = max(len(seatings(table)) for table in matchups(number, rules.players))
    found = finished(players, rules, 12 * most, seed=3)
    counts = [PlayCounts() for _ in players]
    for _, _, seating, winner, rounds in log_of(players, rules, 12, seed=3):
        for seat, one in enumerate(seating):
            mine = counts[one]
            mine.units += 1
            mine.decided += seat == winner
            mine.all_rounds += len(rounds)
            for state in rounds:
                count_round(mine, seat, state)
    assert found.counts == counts
    total = {name: sum(getattr(one, name) for one in counts) for name in vars(counts[0])}
    assert total["lost"] == sum(len(rounds) for *_, rounds in log_of(players, rules, 12, 3))
    assert min(total["forfeits"], total["right"], total["true"], total["challenges"]) > 0
    assert (total["out_of_turn"] > 0) == (rules.stakes.out_of_turn and rules.players > 2)


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


# what must hold


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


@pytest.mark.parametrize("rules", [KNOCKOUT, INCREMENT, FOUR], ids=str)
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
    players: list[Decider] = [Erratic(place) for place in range(number)]
    found = finished(players, FOUR, 80)
    assert sum(counts.decided for counts in found.counts) == found.played
    assert sum(counts.units for counts in found.counts) == 4 * found.played
    for row, cells in enumerate(found.cells):
        for column, cell in enumerate(cells):
            assert cell.mean == pytest.approx(-found.cells[column][row].mean, abs=1e-12)


def test_two_players_ratings_are_the_log_odds_of_matches_won() -> None:
    found = finished([Erratic(1), Erratic(2)], TWO, 400)
    first, second = found.counts
    assert found.ratings is not None
    one, other = found.ratings
    assert one is not None
    assert other is not None
    assert one.value - other.value == pytest.approx(
        400 * math.log10(first.decided / second.decided)
    )
    share = first.decided / first.units
    assert found.rates[0].mean == pytest.approx(share)
    deviation = found.rates[0].margin / 1.959964
    expected = 400 / math.log(10) * deviation / (share * (1 - share)) / 2
    assert one.deviation == pytest.approx(expected, rel=1e-6)


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


def test_a_seed_gives_the_same_standings_and_another_seed_others() -> None:
    names = ["random", "honest", "aggressive", "random-caller"]
    found = [finished(entrants(names, INCREMENT, seed), INCREMENT, 60, seed) for seed in (1, 1, 2)]
    assert found[0] == found[1]
    assert found[0].cells != found[2].cells


def test_standings_grow_deal_by_deal_and_every_match_is_reported() -> None:
    told: list[tuple[int, int]] = []
    players = entrants(["honest", "random"], TWO, 0)
    found = list(play_arena(players, TWO, 10, 0, lambda *both: told.append(both)))
    assert [(one.deals, one.played, one.planned) for one in found] == [
        (2, 4, 10),
        (3, 6, 10),
        (4, 8, 10),
        (5, 10, 10),
    ]
    assert told == [(match, 10) for match in range(1, 11)]
    assert found[0].counts != found[-1].counts


def test_ctrl_c_leaves_the_deals_that_are_complete() -> None:
    def interrupt(done: int, planned: int) -> None:
        if done == 7:
            raise KeyboardInterrupt

    players = entrants(["honest", "random"], TWO, 0)
    found = last_of(play_arena(players, TWO, 10, 0, interrupt), lambda so_far: None)
    first, second, *_ = play_arena(entrants(["honest", "random"], TWO, 0), TWO, 10, 0)
    assert (found.played, found.planned) == (6, 10)
    assert found == second != first


def test_the_default_is_some_thousand_matches_and_at_least_ten_deals() -> None:
    assert default_units(2, preset("knockout", players=2)) == 4000
    assert default_units(4, preset("knockout")) == 4000
    assert default_units(2, preset("knockout")) == 2000
    assert default_units(12, preset("knockout")) == 10 * 8  # at each of 495 tables


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["honest"], "an arena needs at least 2 players, but you named 1"),
        (["honest", "honest"], "honest is named twice: each player enters once"),
        (["honest", "q-learner"], "q-learner does not play by these rules"),
        (["honest", "nobody"], "no player is called 'nobody'"),
    ],
)
def test_invalid_entrants_are_refused(names: list[str], message: str) -> None:
    with pytest.raises(ZhaifeiError, match=re.escape(message)):
        entrants(names, KNOCKOUT, 0)
