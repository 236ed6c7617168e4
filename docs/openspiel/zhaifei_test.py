"""Tests for Python Zhaifei."""

import pickle

from absl.testing import absltest
import pyspiel

from open_spiel.python.algorithms import cfr
from open_spiel.python.algorithms import exploitability
from open_spiel.python.games import zhaifei


def _played(game, *actions):
  """Returns the state after these actions, given as strings."""
  state = game.new_initial_state()
  for action in actions:
    state.apply_action(state.string_to_action(action))
  return state


class ZhaifeiTest(absltest.TestCase):

  def test_game_from_cc(self):
    """Runs our standard game tests, checking API consistency."""
    for params in ({}, {"players": 3, "dice": 2}, {"dice": 1, "faces": 3}):
      game = pyspiel.load_game("python_zhaifei", params)
      pyspiel.random_sim_test(game, num_sims=10, serialize=True, verbose=False)

  def test_bids(self):
    """Checks numbers of bids that were counted by hand."""
    game = zhaifei.ZhaifeiGame()
    self.assertLen(game.bids, 110)
    state = _played(game, "deal 11346", "deal 22256")
    self.assertLen(state.legal_actions(), 88)
    state = _played(game, "deal 11346", "deal 22256", "f4x5")
    words = [state.action_to_string(action) for action in state.legal_actions()]
    self.assertIn("z2x6", words)
    self.assertNotIn("z2x5", words)
    self.assertIn("challenge", words)

  def test_ones_are_wild_under_fei_only(self):
    """Checks who loses a challenge."""
    game = zhaifei.ZhaifeiGame()
    hands = ("deal 11346", "deal 22256")
    self.assertEqual(
        _played(game, *hands, "f5x2", "challenge").returns(), [1.0, -1.0])
    self.assertEqual(
        _played(game, *hands, "z4x2", "challenge").returns(), [-1.0, 1.0])

  def test_loser_pays_all_others(self):
    """Checks returns of more than two players."""
    game = zhaifei.ZhaifeiGame({"players": 3, "dice": 2})
    hands = ("deal 22", "deal 33", "deal 44")
    self.assertEqual(
        _played(game, *hands, "f4x2", "challenge").returns(), [-1.0, 0.5, 0.5])

  def test_cfr_plus_solves_it(self):
    """Checks that CFR+ nearly solves the smallest game."""
    game = pyspiel.load_game("python_zhaifei(dice=1,faces=2)")
    solver = cfr.CFRPlusSolver(game)
    for _ in range(100):
      solver.evaluate_and_update_policy()
    average = solver.average_policy()
    self.assertLess(exploitability.exploitability(game, average), 0.01)

  def test_pickle(self):
    """Checks pickling and unpickling of game and state."""
    game = pyspiel.load_game("python_zhaifei(players=3,dice=2)")
    self.assertEqual(str(game), str(pickle.loads(pickle.dumps(game))))
    state = _played(game, "deal 22", "deal 33", "deal 44", "f4x2")
    self.assertEqual(str(state), str(pickle.loads(pickle.dumps(state))))


if __name__ == "__main__":
  absltest.main()
