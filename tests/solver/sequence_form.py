"""Linear programmes over realisation plans, solved by HiGHS: values from another kind of method.

The sequence form (Koller, Megiddo & von Stengel 1996) knows nothing of ranges, public trees or
iterations. A *sequence* of a seat is one of its hands and the public history up to an action of its
own; the empty one stands for no action yet. A *plan* gives each sequence the probability with which
the seat plays its own part of it: that of the actions at an information set add up to that of the
sequence that leads there. What is held at an information set is a share of that sequence.
"""

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import bmat, coo_array, csr_array, vstack

from tests.solver import plain_game
from zhaifei.game.bids import action_count, domain
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.rules import Rules, preset
from zhaifei.solver.tables.held import Held

SOLVED = 1e-7
"""What HiGHS answers for, per constraint; a value adds up a few of them."""
SMALL = {
    "2 faces": Rules.of(dice=1, faces=2),
    "3 faces": Rules.of(dice=1, faces=3),
    "2 dice": Rules.of(dice=2, faces=2),
    "2 dice, liar's dice": preset("liars_dice", dice=2, faces=2),
    "liar's dice": preset("liars_dice", faces=4),
    "doubled": Rules.of(dice=1, faces=2, doubled=(2,)),
    "doubled twice": Rules.of(dice=1, faces=2, doubled=(2, 4), giving_up="half"),
}

History = tuple[int, ...]
Strategy = Callable[[History], np.ndarray]
"""[hand, action] after a history."""


class Sequences:
    """The sequences of one seat: their places, and what makes numbers of them a plan."""

    def __init__(self, rules: Rules, seat: int) -> None:
        self.rules, self.seat = rules, seat
        self.histories = [
            history
            for history in plain_game.histories(rules)
            if len(history) % rules.players == seat
        ]
        self.place: dict[tuple[int, History] | None, int] = {None: 0}
        for history, hand in product(self.histories, range(len(hands(rules)))):
            for action in plain_game.legal_actions(rules, history):
                self.place[hand, (*history, action)] = len(self.place)

    def before(self, hand: int, history: History) -> int:
        """The place of the last sequence on the way to an information set, or to the end."""
        own = [length for length in range(len(history)) if length % self.rules.players == self.seat]
        return self.place[(hand, history[: own[-1] + 1]) if own else None]

    def all_before(self, history: History) -> list[int]:
        """[hand] what `before` finds."""
        return [self.before(hand, history) for hand in range(len(hands(self.rules)))]

    @property
    def constraints(self) -> tuple[csr_array, np.ndarray]:
        """What plans x fulfil: matrix @ x = right side; the first row is for the empty sequence."""
        rows, columns, values = [0], [0], [1.0]
        sets = product(self.histories, range(len(hands(self.rules))))
        for row, (history, hand) in enumerate(sets, start=1):
            actions = plain_game.legal_actions(self.rules, history)
            rows += [row] * (1 + len(actions))
            columns += [self.before(hand, history)]
            columns += [self.place[hand, (*history, action)] for action in actions]
            values += [-1.0] + [1.0] * len(actions)
        matrix = coo_array((values, (rows, columns)), (rows[-1] + 1, len(self.place)))
        return matrix.tocsr(), np.eye(1, rows[-1] + 1)[0]

    def holding(self, held: Sequence[Held]) -> tuple[csr_array, np.ndarray]:
        """The same for plans that play what is held in this seat."""
        matrix, right = self.constraints
        rows, columns, values, row = [], [], [], 0
        for one in held:
            if len(one.history) % self.rules.players != self.seat:
                continue
            actions = plain_game.legal_actions(self.rules, one.history)
            for hand, action in product(np.flatnonzero(one.hands).tolist(), actions):
                rows += [row, row]
                columns += [self.place[hand, (*one.history, action)]]
                columns += [self.before(hand, one.history)]
                values += [1.0, -float(one.played[hand, action])]
                row += 1
        if row == 0:
            return matrix, right
        more = coo_array((values, (rows, columns)), (row, len(self.place))).tocsr()
        return vstack([matrix, more]).tocsr(), np.concatenate([right, np.zeros(row)])

    def plan(self, strategy: Strategy) -> np.ndarray:
        """[sequence] the plan that plays this."""
        plan = np.ones(len(self.place))
        for history in self.histories:
            played = strategy(history)
            for hand, action in product(
                range(len(played)), plain_game.legal_actions(self.rules, history)
            ):
                way = plan[self.before(hand, history)]
                plan[self.place[hand, (*history, action)]] = way * played[hand, action]
        return plan

    def strategy(self, plan: np.ndarray) -> Strategy:
        """Return the strategy of a plan, which makes the weakest bid where the plan has no
        probability."""

        def played(history: History) -> np.ndarray:
            actions = plain_game.legal_actions(self.rules, history)
            result = np.zeros((len(hands(self.rules)), action_count(self.rules)))
            for hand in range(len(result)):
                shares = plan[[self.place[hand, (*history, action)] for action in actions]]
                shares = shares.clip(min=0.0) if shares.sum() > 1e-9 else np.eye(len(actions))[0]
                result[hand, actions] = shares / shares.sum()
            return result

        return played


@lru_cache
def sequences(rules: Rules, seat: int) -> Sequences:
    return Sequences(rules, seat)


class End(NamedTuple):
    """A way that a round can end."""

    deal: tuple[int, ...]
    """[seat] the hands."""
    history: History
    action: int
    """The action that ends it."""
    chance: float
    """The probability of the hands."""
    earned: tuple[float, ...]
    """[seat]"""


@lru_cache
def endings(rules: Rules) -> list[End]:
    """Every way that a round can end."""
    found, seats, bids = [], range(rules.players), len(domain(rules))
    deals = list(product(range(len(hands(rules))), repeat=rules.players))
    priors = [probabilities(rules, seat) for seat in seats]
    chances = [
        float(np.prod([priors[seat][hand] for seat, hand in enumerate(deal)])) for deal in deals
    ]
    for history in plain_game.histories(rules):
        for action in plain_game.legal_actions(rules, history):
            end = plain_game.ended(rules, history, action - bids) if action >= bids else None
            if end is None:
                continue
            paid = [plain_game.pays(rules, end, seat) for seat in seats]
            found += [
                End(deal, history, action, chance, tuple(float(one[deal]) for one in paid))
                for deal, chance in zip(deals, chances, strict=True)
                if chance > 0.0
            ]
    return found


def places(rules: Rules, end: End) -> list[int]:
    """[seat] the sequence of each that ends like this."""
    ended = (*end.history, end.action)
    return [sequences(rules, seat).before(end.deal[seat], ended) for seat in range(rules.players)]


# Best responses


def best_plan_value(rules: Rules, seat: int, strategy: Strategy) -> float:
    """What the best plan in `seat` earns, all others playing `strategy`."""
    plans = [sequences(rules, other).plan(strategy) for other in range(rules.players)]
    earned = np.zeros(len(sequences(rules, seat).place))
    for end in endings(rules):
        ends = places(rules, end)
        others = [plans[other][ends[other]] for other in range(rules.players) if other != seat]
        earned[ends[seat]] += end.chance * float(np.prod(others)) * end.earned[seat]
    matrix, right = sequences(rules, seat).constraints
    solved = linprog(-earned, A_eq=matrix, b_eq=right, bounds=(0.0, None), method="highs")
    assert solved.status == 0, solved.message
    return -float(solved.fun)


# Equilibria


@lru_cache
def payoffs(rules: Rules) -> csr_array:
    """[sequence of seat 0, sequence of seat 1] what seat 0 earns, times the chance of the hands."""
    first, second = sequences(rules, 0), sequences(rules, 1)
    chances = np.multiply.outer(probabilities(rules, 0), probabilities(rules, 1))
    parts, bids = [], len(domain(rules))
    for history in plain_game.histories(rules):
        for action in plain_game.legal_actions(rules, history):
            if action < bids:
                continue
            end, ended = plain_game.ended(rules, history, action - bids), (*history, action)
            ends = np.meshgrid(first.all_before(ended), second.all_before(ended), indexing="ij")
            parts.append((chances * plain_game.pays(rules, end, 0), *ends))
    values, rows, columns = (
        np.concatenate([*map(np.ravel, each)]) for each in zip(*parts, strict=True)
    )
    return coo_array((values, (rows, columns)), (len(first.place), len(second.place))).tocsr()


@lru_cache
def equilibrium(rules: Rules, seat: int) -> tuple[float, Strategy]:
    """What `seat` can make sure of in a game of two, and how: the plan that earns most against the
    best reply, whose value is that of its dual."""
    value, plan = best_plan(rules, seat, ())
    return value, sequences(rules, seat).strategy(plan)


def best_plan(
    rules: Rules,
    seat: int,
    held: Sequence[Held],
    lacking: Collection[tuple[int, History]] = (),
) -> tuple[float, np.ndarray]:
    """What `seat` can make sure of if both play what is held, and the plan. The seat never plays
    the sequences that are `lacking`."""
    earned = payoffs(rules) if seat == 0 else -payoffs(rules).T
    matrix, right = sequences(rules, seat).holding(held)
    other_matrix, other_right = sequences(rules, 1 - seat).holding(held)
    allowed = np.ones(matrix.shape[1], dtype=bool)
    allowed[[sequences(rules, seat).place[one] for one in lacking]] = False
    # The largest other_right @ dual, where other_matrix.T @ dual <= earned.T @ plan.
    solved = linprog(
        np.concatenate([np.zeros(matrix.shape[1]), -other_right]),
        A_ub=bmat([[-earned.T, other_matrix.T]]),
        b_ub=np.zeros(other_matrix.shape[1]),
        A_eq=bmat([[matrix, csr_array((matrix.shape[0], other_matrix.shape[0]))]]),
        b_eq=right,
        bounds=[(0.0, None if may else 0.0) for may in allowed]
        + [(None, None)] * other_matrix.shape[0],
        method="highs",
    )
    assert solved.status == 0, solved.message
    return -float(solved.fun), solved.x[: matrix.shape[1]]
