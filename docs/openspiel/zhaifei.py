"""Zhaifei (斋飞), Liar's Dice as it is played in China.

Every player always has the same number of dice, seen only by their owner. In
turn, a player bids or challenges the last bid. A bid "at least `count` dice
show `face`" is made in one of two modes:

- fei (飞): ones are wild, and a bid names any face but one;
- zhai (斋): ones are only ones, and a bid names any face.

Each bid must be stronger than the one before. Strength is the count, doubled
under zhai, and then the face, so that fei 4 x 5 and zhai 2 x 5 are equally
strong. The first bid needs a count above the number of players (with one die
each, any count). A round ends with a challenge. If the bid is true the
challenger loses, otherwise the bidder loses. The loser gets -1, and every
other player an equal share of +1.

A chance outcome rolls all dice of one player: it is the index of a multiset
in lexicographic order. Actions are the bids by strength, fei before zhai,
and the challenge, which comes last.

Parameters: `players`, `dice` (of each player) and `faces`.
"""

import collections
import itertools
import math

import numpy as np

import pyspiel


_DEFAULTS = {"players": 2, "dice": 5, "faces": 6}
_MODES = ("f", "z")
_GAME_TYPE = pyspiel.GameType(
    short_name="python_zhaifei",
    long_name="Python Zhaifei (Chinese Liar's Dice)",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=8,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=True,
    parameter_specification=_DEFAULTS,
)


class Bid(collections.namedtuple("Bid", "mode count face")):
  """A bid; `mode` is "f" (fei) or "z" (zhai)."""

  @property
  def strength(self):
    """Returns what a later bid must exceed."""
    return self.count * (2 if self.mode == "z" else 1), self.face

  def is_true(self, dice):
    """Returns whether enough of all `dice` on the table show the face."""
    faces = {self.face, 1} if self.mode == "f" else {self.face}
    return sum(die in faces for die in dice) >= self.count

  def __str__(self):
    return f"{self.mode}{self.count}x{self.face}"


class ZhaifeiGame(pyspiel.Game):
  """A round of zhaifei."""

  def __init__(self, params=None):
    params = {**_DEFAULTS, **(params or {})}
    players, self.dice, self.faces = (params[name] for name in _DEFAULTS)
    if min(self.dice, self.faces - 1) < 1:
      raise ValueError("dice must be at least 1, and faces at least 2")
    self.hands = [*itertools.combinations_with_replacement(
        range(1, self.faces + 1), self.dice)]
    self.bids = sorted(
        (Bid(mode, count, face)
         for mode in _MODES
         for count in range(1, players * self.dice + 1)
         for face in range(2 if mode == "f" else 1, self.faces + 1)),
        key=lambda bid: (bid.strength, bid.mode))
    self.least_opening = 1 if self.dice == 1 else players + 1
    levels = {bid.strength for bid in self.bids
              if bid.strength >= (self.least_opening, 2)}
    super().__init__(_GAME_TYPE, pyspiel.GameInfo(
        num_distinct_actions=len(self.bids) + 1,
        max_chance_outcomes=len(self.hands),
        num_players=players,
        min_utility=-1.0,
        max_utility=1.0,
        utility_sum=0.0,
        max_game_length=len(levels) + 1), params)

  def new_initial_state(self):
    """Returns a state corresponding to the start of a game."""
    return ZhaifeiState(self)

  def max_chance_nodes_in_history(self):
    """Returns the number of chance nodes, one for each player."""
    return self.num_players()

  def make_py_observer(self, iig_obs_type=None, params=None):
    """Returns an object used for observing game state."""
    return ZhaifeiObserver(
        self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False),
        params)


class ZhaifeiState(pyspiel.State):
  """A state of a round."""

  def __init__(self, game):
    """Constructor; should only be called by Game.new_initial_state."""
    super().__init__(game)
    self._dealt = game.hands
    self._bids = game.bids
    self._least_opening = game.least_opening
    self.hands = []
    self.history_of_bids = []
    self.challenged = False

  def current_player(self):
    """Returns id of the next player to move, or TERMINAL if game is over."""
    if self.challenged:
      return pyspiel.PlayerId.TERMINAL
    if len(self.hands) < self.num_players():
      return pyspiel.PlayerId.CHANCE
    return len(self.history_of_bids) % self.num_players()

  def _legal_actions(self, player):
    """Returns a list of legal actions, sorted in ascending order."""
    assert player >= 0
    if not self.history_of_bids:
      return [action for action, bid in enumerate(self._bids)
              if bid.count >= self._least_opening]
    last = self._bids[self.history_of_bids[-1]]
    raises = [action for action, bid in enumerate(self._bids)
              if bid.strength > last.strength]
    return raises + [len(self._bids)]

  def chance_outcomes(self):
    """Returns the possible hands and their probabilities."""
    assert self.is_chance_node()
    dice = len(self._dealt[0])
    ways = [math.factorial(dice) // math.prod(
        math.factorial(hand.count(face)) for face in set(hand))
            for hand in self._dealt]
    return [(hand, way / sum(ways)) for hand, way in enumerate(ways)]

  def _apply_action(self, action):
    """Applies the specified action to the state."""
    if self.is_chance_node():
      self.hands.append(self._dealt[action])
    elif action == len(self._bids):
      self.challenged = True
    else:
      self.history_of_bids.append(action)

  def _action_to_string(self, player, action):
    """Action -> string."""
    if player == pyspiel.PlayerId.CHANCE:
      return "deal " + _hand_string(self._dealt[action])
    if action == len(self._bids):
      return "challenge"
    return str(self._bids[action])

  def is_terminal(self):
    """Returns True if the game is over."""
    return self.challenged

  def returns(self):
    """Total reward for each player over the course of the game so far."""
    players = self.num_players()
    if not self.challenged:
      return [0.0] * players
    made = len(self.history_of_bids)
    last = self._bids[self.history_of_bids[-1]]
    true = last.is_true(itertools.chain(*self.hands))
    loser = (made if true else made - 1) % players
    return [-1.0 if player == loser else 1 / (players - 1)
            for player in range(players)]

  def words(self):
    """Returns the bids, and the challenge, as strings."""
    bids = [str(self._bids[action]) for action in self.history_of_bids]
    return bids + ["challenge"] * self.challenged

  def __str__(self):
    """String for debug purposes. No particular semantics are required."""
    return " ".join(["/".join(map(_hand_string, self.hands))] + self.words())


class ZhaifeiObserver:
  """Observer, conforming to the PyObserver interface (see observation.py)."""

  def __init__(self, game, iig_obs_type, params):
    """Initializes an empty observation tensor."""
    if params:
      raise ValueError(f"Observation parameters not supported; passed {params}")
    players, bids = game.num_players(), len(game.bids)
    pieces = {}
    if iig_obs_type.private_info != pyspiel.PrivateInfoType.NONE:
      pieces["player"] = (players,)
    if iig_obs_type.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER:
      pieces["hand"] = (game.dice, game.faces)
    if iig_obs_type.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
      pieces["hands"] = (players, game.dice, game.faces)
    if iig_obs_type.public_info and iig_obs_type.perfect_recall:
      pieces["history"] = (bids + 1,)
    elif iig_obs_type.public_info:
      pieces.update(last_bid=(bids,), turn=(players,), challenged=(1,))
    sizes = [math.prod(shape) for shape in pieces.values()]
    self.tensor = np.zeros(sum(sizes), np.float32)
    parts = np.split(self.tensor, np.cumsum(sizes)[:-1]) if sizes else []
    self.dict = {name: part.reshape(shape)
                 for (name, shape), part in zip(pieces.items(), parts)}

  def set_from(self, state, player):
    """Updates `tensor` and `dict` to reflect `state` from PoV of `player`."""
    self.tensor.fill(0)
    if "player" in self.dict:
      self.dict["player"][player] = 1
    if "hand" in self.dict and player < len(state.hands):
      _write_hand(self.dict["hand"], state.hands[player])
    if "hands" in self.dict:
      for seat, hand in enumerate(state.hands):
        _write_hand(self.dict["hands"][seat], hand)
    if "history" in self.dict:
      self.dict["history"][state.history_of_bids] = 1
      self.dict["history"][-1] = state.challenged
    if "last_bid" in self.dict:
      if state.history_of_bids:
        self.dict["last_bid"][state.history_of_bids[-1]] = 1
      if len(state.hands) == state.num_players():
        turn = len(state.history_of_bids) % state.num_players()
        self.dict["turn"][turn] = 1
      self.dict["challenged"][0] = state.challenged

  def string_from(self, state, player):
    """Observation of `state` from the PoV of `player`, as a string."""
    pieces, words = [], state.words()
    if "player" in self.dict:
      pieces.append(f"p{player}")
    if "hand" in self.dict and player < len(state.hands):
      pieces.append("hand:" + _hand_string(state.hands[player]))
    if "hands" in self.dict:
      pieces.append("hands:" + "/".join(map(_hand_string, state.hands)))
    if "history" in self.dict:
      pieces += words
    if "last_bid" in self.dict:
      pieces += words[-1 - state.challenged:]
      if len(state.hands) == state.num_players():
        turn = len(state.history_of_bids) % state.num_players()
        pieces.append(f"turn:p{turn}")
    return " ".join(pieces)


def _hand_string(hand):
  """Returns the faces of a hand."""
  return "".join(map(str, hand))


def _write_hand(piece, hand):
  """Writes a hand as one-hot rows, one for each die."""
  piece[np.arange(len(hand)), np.array(hand) - 1] = 1


# Register the game with the OpenSpiel library

pyspiel.register_game(_GAME_TYPE, ZhaifeiGame)
