"""Values from another kind of method: linear programmes over realisation plans, solved by HiGHS.

The sequence form (Koller, Megiddo & von Stengel 1996) knows nothing of ranges, public trees or
iterations. A *sequence* of a seat is one of its hands and the public history up to an action of its
own; the empty one stands for no action yet. A *plan* gives each sequence the probability with which
the seat plays its own part of it: that of the actions at an information set add up to that of the
sequence that leads there.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import product

import numpy as np
import pyspiel
import pytest
from scipy.optimize import linprog
from scipy.sparse import bmat, coo_array, csr_array

from game.bids import challenge_action, domain
from game.hands import hands, probabilities
from game.rounds import count_dice
from game.rules import Rules, preset
from game.tables import bid_tables
from solver.bounds import Bounds
from solver.response.several_players import best_response_in
from solver.response.table_search import best_response
from solver.tables.recall import recall_tables
from solver.tables.strategy_table import StrategyTable, strategy_table
from tests.solver import measured

CUTS = [0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 1e-5, 0.0]
SOLVED = 1e-7
"""What HiGHS answers for, per constraint; a value adds up a few of them."""

History = tuple[int, ...]
Strategy = Callable[[History], np.ndarray]
"""[hand, action] after a history."""


class Sequences:
    """The sequences of one seat: their places, and what makes numbers of them a plan."""

    def __init__(self, rules: Rules, seat: int) -> None:
        self.rules, self.seat = rules, seat
        self.histories = [
            history for history in measured.histories(rules) if len(history) % rules.players == seat
        ]
        self.place: dict[tuple[int, History] | None, int] = {None: 0}
        for history, hand in product(self.histories, range(len(hands(rules)))):
            for action in measured.legal_actions(rules, history):
                self.place[hand, (*history, action)] = len(self.place)

    def before(self, hand: int, history: History) -> int:
        """The place of the last sequence on the way to an information set, or to the end."""
        own = [length for length in range(len(history)) if length % self.rules.players == self.seat]
        return self.place[(hand, history[: own[-1] + 1]) if own else None]

    @property
    def constraints(self) -> tuple[csr_array, np.ndarray]:
        """What plans x fulfil: matrix @ x = right side; the first row is for the empty sequence."""
        rows, columns, values = [0], [0], [1.0]
        sets = product(self.histories, range(len(hands(self.rules))))
        for row, (history, hand) in enumerate(sets, start=1):
            actions = measured.legal_actions(self.rules, history)
            rows += [row] * (1 + len(actions))
            columns += [self.before(hand, history)]
            columns += [self.place[hand, (*history, action)] for action in actions]
            values += [-1.0] + [1.0] * len(actions)
        matrix = coo_array((values, (rows, columns)), (rows[-1] + 1, len(self.place)))
        return matrix.tocsr(), np.eye(1, rows[-1] + 1)[0]

    def plan(self, strategy: Strategy) -> np.ndarray:
        """[sequence] the plan that plays this."""
        plan = np.ones(len(self.place))
        for history in self.histories:
            played = strategy(history)
            for hand, action in product(
                range(len(played)), measured.legal_actions(self.rules, history)
            ):
                way = plan[self.before(hand, history)]
                plan[self.place[hand, (*history, action)]] = way * played[hand, action]
        return plan

    def strategy(self, plan: np.ndarray) -> Strategy:
        """What a plan plays; where it does not lead, the weakest bid."""

        def played(history: History) -> np.ndarray:
            actions = measured.legal_actions(self.rules, history)
            result = np.zeros((len(hands(self.rules)), challenge_action(self.rules) + 1))
            for hand in range(len(result)):
                shares = plan[[self.place[hand, (*history, action)] for action in actions]]
                shares = shares.clip(min=0.0) if shares.sum() > 1e-9 else np.eye(len(actions))[0]
                result[hand, actions] = shares / shares.sum()
            return result

        return played


@lru_cache
def sequences(rules: Rules, seat: int) -> Sequences:
    return Sequences(rules, seat)


@lru_cache
def endings(rules: Rules) -> list[tuple[tuple[int, ...], History, float, int]]:
    """Every way that a round can end: hands, bids, the probability of the hands, who loses."""
    held, bids, found = hands(rules), domain(rules), []
    for deal in product(range(len(held)), repeat=rules.players):
        chance = float(np.prod(probabilities(rules)[list(deal)]))
        counted = [count_dice(rules, bid, [held[hand] for hand in deal]) for bid in bids]
        for history in measured.histories(rules)[1:]:
            is_true = counted[history[-1]] >= bids[history[-1]].count
            loser = (len(history) - (0 if is_true else 1)) % rules.players
            found.append((deal, history, chance, loser))
    return found


def places(rules: Rules, deal: tuple[int, ...], history: History) -> list[int]:
    """[seat] the sequence of each that ends like this; the seat in turn challenges."""
    ended = (*history, challenge_action(rules))
    return [sequences(rules, seat).before(deal[seat], ended) for seat in range(rules.players)]


# Best responses


def best_plan_value(rules: Rules, seat: int, strategy: Strategy) -> float:
    """What the best plan in `seat` earns, all others playing `strategy`."""
    plans = [sequences(rules, other).plan(strategy) for other in range(rules.players)]
    earned = np.zeros(len(sequences(rules, seat).place))
    for deal, history, chance, loser in endings(rules):
        ends = places(rules, deal, history)
        others = [plans[other][ends[other]] for other in range(rules.players) if other != seat]
        utility = -1.0 if loser == seat else 1.0 / (rules.players - 1)
        earned[ends[seat]] += chance * float(np.prod(others)) * utility
    matrix, right = sequences(rules, seat).constraints
    solved = linprog(-earned, A_eq=matrix, b_eq=right, bounds=(0.0, None), method="highs")
    assert solved.status == 0, solved.message
    return -float(solved.fun)


# Equilibria


@lru_cache
def payoffs(rules: Rules) -> csr_array:
    """[sequence of seat 0, sequence of seat 1] what seat 0 earns, times the chance of the hands."""
    ends = np.array([places(rules, deal, history) for deal, history, *_ in endings(rules)])
    values = [chance * (1.0 if loser == 1 else -1.0) for *_, chance, loser in endings(rules)]
    shape = tuple(len(sequences(rules, seat).place) for seat in (0, 1))
    return coo_array((values, (ends[:, 0], ends[:, 1])), shape).tocsr()


@lru_cache
def equilibrium(rules: Rules, seat: int) -> tuple[float, Strategy]:
    """What `seat` can make sure of in a game of two, and how: the plan that earns most against the
    best reply, whose value is that of its dual."""
    earned = payoffs(rules) if seat == 0 else -payoffs(rules).T
    matrix, right = sequences(rules, seat).constraints
    other_matrix, other_right = sequences(rules, 1 - seat).constraints
    # The largest other_right @ dual, where other_matrix.T @ dual <= earned.T @ plan.
    solved = linprog(
        np.concatenate([np.zeros(matrix.shape[1]), -other_right]),
        A_ub=bmat([[-earned.T, other_matrix.T]]),
        b_ub=np.zeros(other_matrix.shape[1]),
        A_eq=bmat([[matrix, csr_array((matrix.shape[0], other_matrix.shape[0]))]]),
        b_eq=right,
        bounds=[(0.0, None)] * matrix.shape[1] + [(None, None)] * other_matrix.shape[0],
        method="highs",
    )
    assert solved.status == 0, solved.message
    plan = solved.x[: matrix.shape[1]]
    return -float(solved.fun), sequences(rules, seat).strategy(plan)


def both(rules: Rules) -> Strategy:
    """An equilibrium, for whoever is in turn."""
    return lambda history: equilibrium(rules, len(history) % 2)[1](history)


def written_down(rules: Rules, strategy: Strategy) -> StrategyTable:
    """The table that remembers all bids and plays this."""
    nodes = {}
    for history in measured.histories(rules):
        actions = measured.legal_actions(rules, history)
        # With full recall a context is the set of bids made, one bit each.
        nodes[sum(1 << bid for bid in history)] = (actions, strategy(history)[:, actions].T)
    ordered = [nodes[context] for context in sorted(nodes)]
    return strategy_table(
        recall_tables(rules, "full"),
        np.array(sorted(nodes), dtype=np.int64),
        np.cumsum([0, *(len(actions) for actions, _ in ordered)]),
        np.concatenate([actions for actions, _ in ordered]).astype(np.int16),
        np.concatenate([shares for _, shares in ordered]).astype(np.float32),
    )


# Best responses


any_tables = pytest.mark.parametrize("variant", measured.VARIANTS)
any_kind = pytest.mark.parametrize("kind", measured.KINDS)


@lru_cache
def lp_values(variant: str, kind: str) -> list[float]:
    """[seat] what the best plan against a table earns."""
    case = measured.case(variant, kind)
    return [
        best_plan_value(case.rules, seat, lambda history: measured.strategy_at(case, history))
        for seat in (0, 1)
    ]


def general(rules: Rules, strategy: Strategy, cut: float) -> list[Bounds]:
    """[seat] what the search for any policy says."""
    return [
        best_response_in(bid_tables(rules), seat, lambda asked: [strategy(h) for h in asked], cut)
        for seat in range(rules.players)
    ]


def inside(value: float, bounds: Bounds, margin: float = SOLVED) -> bool:
    return bounds.lower - margin <= value <= bounds.upper + margin


@any_kind
@any_tables
def test_at_every_cut_both_searches_hold_the_value_of_the_best_plan(variant, kind):
    case = measured.case(variant, kind)
    for cut in CUTS:
        of_tables = best_response(case.tables, case.table, cut).seats
        of_any = general(case.rules, lambda history: measured.strategy_at(case, history), cut)
        for seat, value in enumerate(lp_values(variant, kind)):
            assert inside(value, of_tables[seat]), cut
            assert inside(value, of_any[seat]), cut
            if cut == 0.0:
                assert max(of_tables[seat].gap, of_any[seat].gap) < 1e-9


@pytest.mark.parametrize("name", ["zhaifei", "liars_dice"])
def test_at_every_cut_the_value_of_the_best_plan_among_three_is_held(name):
    rules = preset(name, players=3, dice=1, faces=2)

    def strategy(history: History) -> np.ndarray:
        rng = np.random.default_rng([11, *history])
        result = np.zeros((len(hands(rules)), challenge_action(rules) + 1))
        actions = measured.legal_actions(rules, history)
        result[:, actions] = rng.dirichlet(np.full(len(actions), 0.5), len(result))
        return result

    exact = [best_plan_value(rules, seat, strategy) for seat in range(3)]
    for cut in CUTS:
        for value, bounds in zip(exact, general(rules, strategy, cut), strict=True):
            assert inside(value, bounds), cut
    assert all(bounds.gap < 1e-9 for bounds in general(rules, strategy, 0.0))


# Equilibria


SMALL = {
    "2 faces": Rules(dice=1, faces=2),
    "3 faces": Rules(dice=1, faces=3),
    "2 dice": Rules(dice=2, faces=2),
    "2 dice, liar's dice": preset("liars_dice", dice=2, faces=2),
    "liar's dice": preset("liars_dice", faces=4),
}
LIARS_DICE = preset("liars_dice")
any_small = pytest.mark.parametrize("rules", SMALL.values(), ids=SMALL)


def test_the_value_of_liars_dice_with_one_die_is_the_known_one():
    assert equilibrium(LIARS_DICE, 0)[0] == pytest.approx(-7 / 258, abs=SOLVED)


@any_small
def test_what_both_seats_can_make_sure_of_sums_to_nothing(rules):
    assert equilibrium(rules, 0)[0] == pytest.approx(-equilibrium(rules, 1)[0], abs=SOLVED)


@pytest.mark.parametrize("rules", [*SMALL.values(), LIARS_DICE], ids=[*SMALL, "6 faces"])
def test_an_equilibrium_is_certified_not_to_be_exploitable(rules):
    tables, table = bid_tables(rules), written_down(rules, both(rules))
    result = best_response(tables, table)
    assert result.exact
    assert result.exploitability.upper < 1e-6
    assert result.exploitability.lower > -1e-6
    assert inside(equilibrium(rules, 0)[0], result.seats[0], margin=1e-6)


@any_small
def test_at_every_cut_both_searches_hold_the_value_of_the_game(rules):
    """What best responses to an equilibrium earn is what the game is worth."""
    value = equilibrium(rules, 0)[0]
    tables, table = bid_tables(rules), written_down(rules, both(rules))
    for cut in CUTS:
        of_tables = best_response(tables, table, cut).seats
        for bounds in (of_tables, general(rules, both(rules), cut)):
            assert inside(value, bounds[0], margin=1e-6), cut
            assert inside(-value, bounds[1], margin=1e-6), cut
            if cut == 0.0:
                assert bounds[0].upper + bounds[1].upper < 2e-6


def test_the_best_plan_is_the_best_response_of_openspiel():
    """Of what OpenSpiel's own game calls the uniform policy."""
    game_ = pyspiel.load_game("liars_dice(dice_sides=4)")
    uniform = pyspiel.UniformRandomPolicy(game_)
    rules, root = SMALL["liar's dice"], game_.new_initial_state()

    def strategy(history: History) -> np.ndarray:
        actions = measured.legal_actions(rules, history)
        result = np.zeros((len(hands(rules)), challenge_action(rules) + 1))
        result[:, actions] = 1 / len(actions)
        return result

    for seat in (0, 1):
        theirs = pyspiel.TabularBestResponse(game_, seat, uniform).value_from_state(root)
        assert best_plan_value(rules, seat, strategy) == pytest.approx(theirs, abs=SOLVED)
