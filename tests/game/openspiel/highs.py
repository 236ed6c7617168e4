"""OpenSpiel's sequence-form linear programmes, solved by HiGHS.

`open_spiel.python.algorithms.sequence_form_lp` walks a game, writes its two programmes and gives
them to `lp_solver.LinearProgram`, which needs cvxpy and writes dense matrices. Neither the package
nor its tests need cvxpy, and matches are too large for dense matrices: here a class with the same
methods takes its place, which solves the same programmes with scipy. What is walked, and which
programmes are written, remains OpenSpiel's.
"""

import enum
import sys
from types import ModuleType
from unittest import mock

import numpy as np
import pyspiel
from scipy.optimize import linprog
from scipy.sparse import coo_array

SOLVED = 1e-7
"""What HiGHS answers for, per constraint; a value adds up a few of them."""


class ObjectiveType(enum.Enum):
    OBJ_MAX = 1
    OBJ_MIN = 2


class ConstraintType(enum.Enum):
    CONS_TYPE_LEQ = 1
    CONS_TYPE_GEQ = 2
    CONS_TYPE_EQ = 3


class LinearProgram:
    """As OpenSpiel's class of the name: variables and constraints have labels."""

    def __init__(self, objective: ObjectiveType) -> None:
        self._sign = 1.0 if objective is ObjectiveType.OBJ_MIN else -1.0
        self._bounds: dict[str, tuple[float | None, float | None]] = {}
        self._places: dict[str, int] = {}
        self._costs: dict[str, float] = {}
        self._rows: dict[str, dict[str, float]] = {}
        self._types: dict[str, ConstraintType] = {}
        self._right: dict[str, float] = {}

    def add_or_reuse_variable(
        self, label: str, lb: float | None = None, ub: float | None = None
    ) -> None:
        assert self._bounds.setdefault(label, (lb, ub)) == (lb, ub)
        self._places.setdefault(label, len(self._places))

    def add_or_reuse_constraint(self, label: str, ctype: ConstraintType) -> None:
        assert self._types.setdefault(label, ctype) is ctype
        self._rows.setdefault(label, {})

    def set_obj_coeff(self, label: str, value: float) -> None:
        self._costs[label] = value

    def set_cons_coeff(self, row: str, label: str, value: float) -> None:
        self._rows[row][label] = value

    def add_to_cons_coeff(self, row: str, label: str, value: float) -> None:
        self._rows[row][label] = self._rows[row].get(label, 0.0) + value

    def set_cons_rhs(self, row: str, value: float) -> None:
        self._right[row] = value

    def get_var_id(self, label: str) -> int:
        return self._places[label]

    def solve(self, solver: object = None) -> np.ndarray:
        """[variable] an optimal solution."""
        costs = np.zeros(len(self._places))
        for label, value in self._costs.items():
            costs[self._places[label]] = self._sign * value
        equal = [row for row, kind in self._types.items() if kind is ConstraintType.CONS_TYPE_EQ]
        bounded = [row for row in self._types if row not in {*equal}]
        signs = [
            -1.0 if self._types[row] is ConstraintType.CONS_TYPE_GEQ else 1.0 for row in bounded
        ]
        solved = linprog(
            costs,
            A_ub=self._matrix(bounded, signs),
            b_ub=np.multiply(signs, [self._right.get(row, 0.0) for row in bounded]),
            A_eq=self._matrix(equal, [1.0] * len(equal)),
            b_eq=[self._right.get(row, 0.0) for row in equal],
            bounds=[*self._bounds.values()],
            method="highs",
        )
        assert solved.status == 0, solved.message
        return solved.x

    def _matrix(self, rows: list[str], signs: list[float]) -> coo_array:
        entries = [
            (sign * value, place, self._places[label])
            for place, (row, sign) in enumerate(zip(rows, signs, strict=True))
            for label, value in self._rows[row].items()
        ]
        values, row_places, columns = zip(*entries, strict=True)
        shape = (len(rows), len(self._places))
        return coo_array((values, (row_places, columns)), shape).tocsr()


def _in_place_of_cvxpy() -> ModuleType:
    stand_in = ModuleType("open_spiel.python.algorithms.lp_solver")
    vars(stand_in).update(
        ObjectiveType=ObjectiveType,
        ConstraintType=ConstraintType,
        LinearProgram=LinearProgram,
        DEFAULT_SOLVER=None,
    )
    return stand_in


with mock.patch.dict(sys.modules, {"open_spiel.python.algorithms.lp_solver": _in_place_of_cvxpy()}):
    from open_spiel.python.algorithms import sequence_form_lp


def value(game: pyspiel.Game) -> float:
    """The value for player 0 of a game of two: what it can make sure of, and what the other must
    leave it, which are solved by a programme each."""
    first, second, *_ = sequence_form_lp.solve_zero_sum_game(game)
    assert abs(first + second) < 10 * SOLVED
    return float(first)
