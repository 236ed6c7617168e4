from itertools import pairwise

import numpy as np
import pytest
from open_spiel.python.algorithms import exploitability

import zhaifei.game.openspiel  # noqa: F401  registers python_zhaifei
from tests.solver import measured
from tests.solver.black_boxes import (
    DOUBLED,
    DOUBLED_BY_SEVERAL,
    KINDS,
    VARIANTS,
    Policy,
    close,
    exact_values,
    inside,
    openspiel_game,
    openspiel_values,
    policy_of,
    rules_of,
    strategies_of,
    written_out,
)
from tests.solver.plain_game import legal_actions, mover
from zhaifei.game.bids import (
    domain,
)
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import probabilities
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.solver.bounds import Bounds
from zhaifei.solver.response import several_players as module
from zhaifei.solver.response.several_players import (
    SeatSearch,
    SeveralPlayersError,
    best_response_in,
    refine_several_players,
)
from zhaifei.solver.response.table_search import best_response
from zhaifei.solver.tables.queries import IllegalStrategy

CUTS = [1.0, 0.1, 0.01, 1e-3, 0.0]
MANY = [variant for variant in VARIANTS if "players" in variant]

any_variant = pytest.mark.parametrize("variant", VARIANTS | DOUBLED | DOUBLED_BY_SEVERAL)
any_kind = pytest.mark.parametrize("kind", KINDS)


def swept(tested: Policy, cut: float) -> list[Bounds]:
    seats = range(tested.rules.players)
    return [best_response_in(tested.tables, seat, tested, cut) for seat in seats]


# Exactness


@pytest.mark.parametrize(
    "variant",
    [*DOUBLED_BY_SEVERAL, *(name for name in VARIANTS if f"{name}, jump" not in VARIANTS)],
)
def test_the_exact_values_are_those_of_openspiel(variant):
    """What all searches are compared with. Where jumps are allowed, so are all other challenges."""
    found = openspiel_values(variant, policy_of(variant, "looks back"))
    assert exact_values(variant, "looks back") == pytest.approx(found, abs=1e-12)


@pytest.mark.parametrize(
    "variant", ["2 faces", "3 players, liar's dice", "3 players, doubled, half"]
)
def test_the_sum_over_seats_is_the_nash_conv_of_openspiel(variant):
    tested = policy_of(variant, "random")
    *_, result = refine_several_players(tested.tables, tested)
    game_ = openspiel_game(variant)
    theirs = exploitability.nash_conv(game_, written_out(game_, tested))
    assert close(theirs, result.nash_conv)
    assert close(theirs / game_.num_players(), result.exploitability)


# Certificates


@any_kind
@any_variant
def test_at_every_cut_the_intervals_hold_the_exact_values(variant, kind):
    exact, gaps = exact_values(variant, kind), []
    for cut in CUTS:
        seats = swept(policy_of(variant, kind), cut)
        for value, bounds in zip(exact, seats, strict=True):
            assert inside(value, bounds), cut
        gaps.append(sum(bounds.gap for bounds in seats))
    assert gaps[0] > 0.1  # Otherwise nothing was cut, and nothing tested.
    assert gaps[-1] < 1e-9


@any_kind
@any_variant
def test_refining_only_narrows_the_intervals_and_ends_with_the_exact_values(variant, kind):
    exact, tested = exact_values(variant, kind), policy_of(variant, kind)
    results = list(refine_several_players(tested.tables, tested))
    for result in results:
        for value, bounds in zip(exact, result.seats, strict=True):
            assert inside(value, bounds), result.cut
    for before, after in pairwise(results):
        for wide, narrow in zip(before.seats, after.seats, strict=True):
            assert wide.lower <= narrow.lower <= narrow.upper <= wide.upper
        assert before.cut > after.cut
        assert before.nodes <= after.nodes
        assert before.calls <= after.calls
    assert results[-1].exact


@any_variant
def test_bounds_that_are_not_kept_cost_time_and_nothing_else(variant, monkeypatch):
    exact, tested = exact_values(variant, "random"), policy_of(variant, "random")
    *_, kept = refine_several_players(tested.tables, tested)
    monkeypatch.setattr(module, "KNOWN_BYTES", 0)
    *_, result = refine_several_players(tested.tables, tested)
    assert result.exact
    assert result.nodes > kept.nodes
    assert all(inside(value, bounds) for value, bounds in zip(exact, result.seats, strict=True))


def test_refining_stops_at_the_gap_that_is_asked_for():
    tested = policy_of("3 players, basic", "random")
    results = list(refine_several_players(tested.tables, tested, gap=0.05))
    assert results[-1].exploitability.gap <= 0.05 < results[0].exploitability.gap
    assert all(result.exploitability.gap > 0.05 for result in results[:-1])
    assert not results[-1].exact


# Deadlines


class Clock:
    """Stands still but for the policy, which takes a second for every batch."""

    def __init__(self, tested: Policy) -> None:
        self.tested, self.now = tested, 0.0

    def monotonic(self) -> float:
        return self.now

    def __call__(self, histories):
        self.now += 1.0
        return self.tested(histories)


@any_kind
@any_variant
def test_a_search_that_runs_out_of_time_keeps_its_bounds(variant, kind, monkeypatch):
    exact, open_ = exact_values(variant, kind), []
    for seconds in (0, 1, 2, 3, 5, 10, 20, 30):
        clock = Clock(policy_of(variant, kind))
        monkeypatch.setattr(module.time, "monotonic", clock.monotonic)
        *_, result = refine_several_players(clock.tested.tables, clock, seconds=seconds)
        # Shares are fractions of seconds: what is asked in the last one counts for each seat.
        assert clock.now <= seconds + len(exact)
        for value, bounds in zip(exact, result.seats, strict=True):
            assert inside(value, bounds), seconds
        open_.append(result.nash_conv.gap)
    players, dearest = len(exact), bid_tables(rules_of(variant)).most_cost
    assert open_[0] == pytest.approx(players * dearest * (1 + 1 / (players - 1)))
    assert open_[-1] < open_[0]


def test_without_time_nobody_is_asked():
    tested = policy_of("3 players", "random")
    (result,) = refine_several_players(tested.tables, tested, seconds=0.0)
    assert tested.asked == []
    assert (result.calls, result.nodes) == (0, 0)


@pytest.mark.parametrize("variant", ["3 faces", "3 players"])
def test_every_seat_gets_its_share_of_the_time(variant, monkeypatch):
    """Each seat alone would take longer than that."""
    clock = Clock(policy_of(variant, "uniform"))
    monkeypatch.setattr(module.time, "monotonic", clock.monotonic)
    monkeypatch.setattr(module, "COARSEST", 1e-6)
    players = clock.tested.rules.players
    *_, result = refine_several_players(clock.tested.tables, clock, seconds=4 * players)
    for bounds in result.seats:
        assert bounds.gap < 1 + 1 / (players - 1) - 0.05


# What policies are asked


@any_kind
@any_variant
def test_a_sweep_asks_at_most_once_and_only_where_the_policy_decides(variant, kind):
    tested = policy_of(variant, kind)
    bids = len(domain(tested.rules))
    for seat in range(tested.rules.players):
        tested.asked.clear()
        best_response_in(tested.tables, seat, tested)
        asked = [history for batch in tested.asked for history in batch]
        assert len(asked) == len(set(asked))
        for history in asked:
            assert mover(tested.rules, history) != seat
            assert legal_actions(tested.rules, history) != [bids]
            for length in range(len(history)):  # All that others did has some probability.
                if mover(tested.rules, history[:length]) != seat:
                    played = tested.strategy(history[:length])
                    assert played[:, history[length]].any()


@any_variant
def test_all_raises_of_the_responder_are_asked_for_at_once(variant):
    tested = policy_of(variant, "random")
    best_response_in(tested.tables, 0, tested)
    for batch in tested.asked:
        (before,) = {history[:-1] for history in batch}
        if mover(tested.rules, before) == 0:
            raises = [
                a for a in legal_actions(tested.rules, before) if a < len(domain(tested.rules))
            ]
            (asked,) = {mover(tested.rules, history) for history in batch}
            open_ = [
                (*before, a)
                for a in raises
                if mover(tested.rules, (*before, a)) == asked
                and len(legal_actions(tested.rules, (*before, a))) > 1
            ]
            assert batch == open_


def test_calls_and_nodes_are_counted():
    tested = policy_of("3 players", "random")
    *_, result = refine_several_players(tested.tables, tested)
    assert result.calls == sum(len(batch) for batch in tested.asked)
    # Every history opened where the responder moves is one batch; so are others' turns.
    assert 0 < result.nodes < len(tested.asked)


@pytest.mark.parametrize(
    ("variant", "kind", "nodes", "calls"),
    [
        ("3 faces", "random", 89, 184),
        ("3 faces", "sparse", 37, 111),
        ("liar's dice", "random", 82, 110),
        ("3 players", "random", 141, 319),
        ("3 players", "sparse", 56, 176),
        ("4 players", "random", 72, 203),
    ],
)
def test_no_more_is_opened_than_is_needed(variant, kind, nodes, calls):
    """Counts of a search that leaves out all it can; one that leaves out less has higher ones."""
    tested = policy_of(variant, kind)
    searches = [SeatSearch(tested.tables, seat, tested) for seat in range(tested.rules.players)]
    for search in searches:
        search.sweep(0.0)
    assert sum(search.nodes for search in searches) <= nodes
    assert sum(search.calls for search in searches) <= calls


@pytest.mark.parametrize("kind", measured.KINDS)
@pytest.mark.parametrize("variant", measured.VARIANTS)
def test_no_more_is_opened_than_by_the_search_for_tables(variant, kind):
    case = measured.case(variant, kind)
    searches = [SeatSearch(case.tables, seat, strategies_of(case)) for seat in (0, 1)]
    for search in searches:
        search.sweep(0.0)
    theirs = best_response(case.tables, case.table)
    assert sum(search.nodes for search in searches) <= theirs.nodes


def test_a_raise_that_no_hand_gains_by_is_not_opened():
    """It is asked for what it answers to each bid, and then known to be beaten by one of them."""
    tested = policy_of("2 dice", "pure")
    always = np.zeros_like(tested.strategy((0,)))
    always[:, -1] = 1.0
    opens = tested.strategy(())

    def policy(histories):
        tested(histories)
        return [opens if history == () else always for history in histories]

    best_response_in(tested.tables, 0, policy)
    assert {len(history) for batch in tested.asked for history in batch} == {1}


# Tables, and policies made worse


@pytest.mark.parametrize("kind", measured.KINDS)
@pytest.mark.parametrize("variant", measured.VARIANTS)
def test_tables_get_the_same_values_as_from_the_search_for_tables(variant, kind):
    case = measured.case(variant, kind)
    theirs = best_response(case.tables, case.table)
    for seat, bounds in enumerate(theirs.seats):
        assert close(bounds.lower, best_response_in(case.tables, seat, strategies_of(case)))


def worse(tested: Policy):
    """The policy that now opens with the strongest bid, and challenges whatever it hears."""

    def policy(histories):
        strategies = [np.zeros_like(tested.strategy(history)) for history in histories]
        for history, strategy in zip(histories, strategies, strict=True):
            strategy[:, legal_actions(tested.rules, history)[-1]] = 1.0
        return strategies

    return policy


@pytest.mark.parametrize("variant", ["3 faces", "liar's dice", "3 players", "4 players"])
def test_a_policy_made_worse_is_found_to_be_worse(variant):
    tested = policy_of(variant, "uniform")
    *_, before = refine_several_players(tested.tables, tested, gap=0.02)
    *_, after = refine_several_players(tested.tables, worse(tested), gap=0.02)
    assert after.nash_conv.lower > before.nash_conv.upper


def test_who_always_challenges_loses_to_every_sure_bid():
    """One die, liar's dice: a bid of one of the own face is true, whatever the others hold."""
    for variant, faces, share in (("liar's dice", 4, 1.0), ("3 players, liar's dice", 2, 0.5)):
        tested = policy_of(variant, "uniform")
        players = tested.rules.players
        opener, *others = (
            best_response_in(tested.tables, seat, worse(tested)) for seat in range(players)
        )
        assert close(share, opener)
        # The policy opens with a wild face on every die: true once in faces to the players. Seat 1
        # challenges that; seat 2 of 3 only looks on.
        assert close(-(faces**-players) + share * (1 - faces**-players), others[0])
        assert all(close(share, bounds) for bounds in others[1:])


# What is refused


def nan(strategy):
    strategy[0, -1] = np.nan


def negative(strategy):
    strategy[0, -1], strategy[0, -2] = -0.5, 1.5


def illegal(strategy):
    strategy[0] = 0.0
    strategy[0, 0] = 1.0


def short(strategy):
    strategy[0] *= 0.999


@pytest.mark.parametrize("spoil", [nan, negative, illegal, short])
@pytest.mark.parametrize("variant", ["3 faces", "3 players"])
def test_answers_that_are_no_strategies_are_refused(variant, spoil):
    tested, wrong = policy_of(variant, "uniform"), (1, 3)

    def policy(histories):
        strategies = tested(histories)
        for history, strategy in zip(histories, strategies, strict=True):
            if history == wrong:
                spoil(strategy)
        return strategies

    with pytest.raises(IllegalStrategy, match=r"after the bids \[1, 3\]"):
        list(refine_several_players(tested.tables, policy))
    with pytest.raises(IllegalStrategy, match=r"after the bids \[1, 3\]"):
        best_response_in(tested.tables, 1, policy)


def test_too_few_answers_are_refused():
    tested = policy_of("3 faces", "uniform")
    with pytest.raises(IllegalStrategy, match="0 strategies for"):
        best_response_in(tested.tables, 0, lambda histories: [])


@pytest.mark.parametrize(("variant", "seat"), [("3 faces", 2), ("3 players", 3), ("3 faces", -1)])
def test_a_seat_where_nobody_sits_is_refused(variant, seat):
    tested = policy_of(variant, "uniform")
    with pytest.raises(SeveralPlayersError, match=f"no seat {seat}: ") as caught:
        best_response_in(tested.tables, seat, tested)
    assert isinstance(caught.value, ZhaifeiError)


# The full game


def chance_of(rules: Rules, bid: int) -> np.ndarray:
    """[hand] how likely the bid is true, if nothing is known of the others."""
    own, others = bid_tables(rules).matches[bid], np.array([1.0])
    for _ in range(rules.players - 1):
        others = np.convolve(others, np.bincount(own, probabilities(rules), rules.dice + 1))
    missing = domain(rules)[bid].count - own.astype(int)
    return np.array([others[max(0, count) :].sum() for count in missing])


@pytest.mark.parametrize("players", [2, 3, 6])
def test_who_always_challenges_is_met_with_the_likeliest_opening(players):
    rules = Rules.of(players=players)
    tested = Policy(rules, "uniform")
    win, openings = 1 / (players - 1), legal_actions(rules, ())
    chance = np.max([chance_of(rules, bid) for bid in openings], axis=0)
    value = probabilities(rules) @ (win * chance - (1 - chance))
    *_, result = refine_several_players(tested.tables, worse(tested))
    assert close(value, result.seats[0])
    # The strongest bid is never true, and everyone but the policy in seat 0 knows.
    for bounds in result.seats[1:]:
        assert bounds.lower == pytest.approx(win, abs=1e-6)
