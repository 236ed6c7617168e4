"""The pace of a figure: falls from one doubling of the passes to the next."""

import math

import numpy as np
import pytest

from zhaifei.solver.cfr.pace import Pace
from zhaifei.solver.files.state import StateError


def noted(figures: dict[int, float]) -> Pace:
    """The pace after these figures, by the number of passes."""
    (passes, figure), *others = figures.items()
    pace = Pace(passes, figure)
    for passes, figure in others:
        pace.note(passes, figure)
    return pace


def test_before_the_passes_have_doubled_nothing_is_known() -> None:
    assert math.isnan(noted({30: 0.2, 45: 0.12, 59: 0.1}).outlook)


def test_three_more_doublings_are_as_good_as_the_last() -> None:
    assert noted({30: 0.2, 45: 0.12, 60: 0.1}).outlook == pytest.approx(0.1 / 8)


def test_figures_are_compared_from_one_doubling_to_the_next() -> None:
    pace = noted({30: 0.2, 61: 0.1, 100: 0.07})
    assert pace.outlook == pytest.approx(0.1 / 8)
    pace.note(122, 0.09)
    assert pace.outlook == pytest.approx(0.09 * 0.9**3)


def test_a_figure_may_be_unknown_at_first() -> None:
    pace = noted({30: math.nan, 40: 0.2, 60: 0.15})
    assert math.isnan(pace.outlook)
    pace.note(80, 0.1)
    assert pace.outlook == pytest.approx(0.1 / 8)


def test_a_saved_pace_goes_on() -> None:
    pace, again = noted({30: 0.2, 60: 0.1, 90: 0.08}), Pace(90, 0.08)
    again.restore(pace.state())
    for one in (pace, again):
        one.note(120, 0.06)
    assert again.outlook == pace.outlook
    np.testing.assert_array_equal(again.state(), pace.state())


@pytest.mark.parametrize("state", [[math.nan] * 3, [0, 0.2, 0.5], [30, -0.2, 0.5], [30, 0.2, 1e10]])
def test_a_damaged_state_is_refused(state: list[float]) -> None:
    with pytest.raises(StateError, match="pace"):
        Pace(30, 0.2).restore(np.array(state))
