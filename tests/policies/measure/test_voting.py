"""Maximal lotteries and soft Condorcet scores, where they are known."""

from itertools import permutations

import numpy as np
import pyspiel
import pytest

from zhaifei.policies.measure.voting import MOST, SCORES, maximal_lottery, soft_condorcet


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


def test_scores_put_players_into_the_order_that_contradicts_the_fewest_votes() -> None:
    random = np.random.default_rng(5)
    for players in (2, 3, 4, 5):
        # Players of different strength, with noise that makes some votes contradict the order.
        strength = random.permutation(players).astype(float)
        margins = np.subtract.outer(strength, strength) + random.normal(size=(players, players))
        margins -= margins.T

        def contradicted(order: tuple[int, ...], votes: np.ndarray = margins) -> float:
            return sum(
                max(votes[worse, better], 0.0)
                for place, better in enumerate(order)
                for worse in order[place + 1 :]
            )

        found = tuple(np.argsort(-soft_condorcet(margins)).tolist())
        assert found == min(permutations(range(players)), key=contradicted)


def test_scores_are_those_of_openspiel() -> None:
    """Its votes are drawn at random, so they are few, and the steps many."""
    votes = {("a", "b"): 3, ("b", "a"): 1, ("b", "c"): 3, ("c", "b"): 2, ("c", "a"): 2}
    margins = np.zeros((3, 3))
    for (better, worse), number in votes.items():
        margins["abc".index(better), "abc".index(worse)] += number
    listed = [(number, list(vote)) for vote, number in votes.items()]
    twin = pyspiel.sco.SoftCondorcetOptimizer(
        listed, *SCORES, batch_size=11, temperature=10.0, rng_seed=1, alternative_names=[*"abc"]
    )
    twin.run_solver(100_000, 20.0)
    twin.run_solver(100_000, 1.0)
    theirs = [twin.ratings()[name] for name in "abc"]
    assert soft_condorcet(margins).tolist() == pytest.approx(theirs, abs=2.0)


def test_equal_players_have_equal_scores() -> None:
    assert soft_condorcet(np.zeros((3, 3))).tolist() == [50.0, 50.0, 50.0]
    margins = np.array([[0, 0, 1], [0, 0, 1], [-1, -1, 0]], dtype=float)
    first, second, last = soft_condorcet(margins)
    assert first == second == pytest.approx(100.0)
    assert last == pytest.approx(0.0)
    assert soft_condorcet(np.zeros((0, 0))).tolist() == []
