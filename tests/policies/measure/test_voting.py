"""Maximal lotteries, where they are known."""

import numpy as np
import pytest

from zhaifei.policies.measure.voting import MOST, maximal_lottery


def test_who_beats_everybody_has_the_whole_lottery() -> None:
    found = maximal_lottery(np.array([[0, -0.1, 0.3], [0.1, 0, 0.01], [-0.3, -0.01, 0]]))
    assert found is not None
    assert found.tolist() == pytest.approx([0, 1, 0])


def test_a_cycle_is_shared_by_the_margins_between_the_others() -> None:
    """Rock, paper, scissors in which one win is worth three times as much."""
    margins = np.zeros((4, 4))
    for row, column, margin in ((0, 1, 3.0), (1, 2, 1.0), (2, 0, 1.0), (0, 3, 9.0), (1, 3, 9.0)):
        margins[row, column], margins[column, row] = margin, -margin
    margins[2, 3], margins[3, 2] = 9.0, -9.0
    found = maximal_lottery(margins)
    assert found is not None
    assert found.tolist() == pytest.approx([0.2, 0.2, 0.6, 0])


def test_no_player_beats_the_lottery() -> None:
    random = np.random.default_rng(0)
    for players in (1, 2, 5, 8):
        margins = random.normal(size=(players, players))
        margins -= margins.T
        found = maximal_lottery(margins)
        assert found is not None
        assert found.sum() == pytest.approx(1.0)
        assert found.min() >= -1e-9
        assert (margins @ found).max() <= 1e-8


def test_larger_arenas_have_none() -> None:
    assert maximal_lottery(np.zeros((MOST + 1, MOST + 1))) is None
