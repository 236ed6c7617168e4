"""The OpenSpiel game `python_zhaifei`: one round, from the roll to the challenge.

Importing this module registers it: `pyspiel.load_game("python_zhaifei(players=3,dice=2)")`.
Actions are those of `game.bids`; a chance outcome is a hand's place in `game.hands.hands`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from game.bids import (
    Bid,
    IllegalBid,
    action_count,
    action_of,
    challenge_action,
    challengeable,
    domain,
    legal_bids,
    strength,
)
from game.errors import ZhaifeiError
from game.hands import Hand, IllegalHand, hands, probabilities
from game.notation import format_action, format_hand
from game.rounds import Round, Settlement, utilities
from game.rules import Rules, RulesError, preset

DEFAULTS: Mapping[str, Any] = {
    "rules": "zhaifei",
    "players": 2,
    "dice": 0,
    "faces": 0,
    "jump_challenge": False,
}
"""Game parameters. `rules` names a preset; 0 dice or faces stand for the preset's own number;
`jump_challenge` is 跳开."""

GAME_TYPE = pyspiel.GameType(
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
    parameter_specification=dict(DEFAULTS),
)


def rules_from(params: Mapping[str, Any]) -> Rules:
    """The rules that game parameters describe. Raises RulesError."""
    values = {**DEFAULTS, **params}
    for name, value in values.items():
        if name not in DEFAULTS:
            raise RulesError(f"no parameter is called {name!r}; there are {', '.join(DEFAULTS)}")
        wanted = type(DEFAULTS[name])
        if type(value) is not wanted:
            raise RulesError(f"{name} is {value!r}; it must be of type {wanted.__name__}")
    return preset(
        values["rules"],
        players=values["players"],
        dice=values["dice"] or None,
        faces=values["faces"] or None,
        jump_challenge=values["jump_challenge"],
    )


def longest_round(rules: Rules) -> int:
    """Actions in the longest round: a bid of each strength from the weakest opening up, and the
    challenge."""
    weakest = min(strength(rules, bid) for bid in legal_bids(rules, None))
    levels = {strength(rules, bid) for bid in domain(rules)}
    return sum(level >= weakest for level in levels) + 1


class ZhaifeiGame(pyspiel.Game):  # type: ignore[misc]
    """One variant of the game; `rules` says which."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        params = dict(params or {})
        self.rules = rules_from(params)
        # The most points make the extremes, whoever loses them.
        points = self.rules.furthest_challenge
        payoffs = utilities(self.rules, Settlement(domain(self.rules)[0], 0, 1, 0, points))
        info = pyspiel.GameInfo(
            num_distinct_actions=action_count(self.rules),
            max_chance_outcomes=len(hands(self.rules)),
            num_players=self.rules.players,
            min_utility=min(payoffs),
            max_utility=max(payoffs),
            utility_sum=0.0,
            max_game_length=longest_round(self.rules),
        )
        super().__init__(GAME_TYPE, info, params)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by its parameters: OpenSpiel's own way would lose `rules`."""
        return ZhaifeiGame, (self.get_parameters(),)

    def new_initial_state(self) -> ZhaifeiState:
        """The round before the roll."""
        return ZhaifeiState(self)

    def max_chance_nodes_in_history(self) -> int:
        """One roll per player."""
        return self.rules.players

    def make_py_observer(
        self,
        iig_obs_type: pyspiel.IIGObservationType | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> ZhaifeiObserver:
        """An observer of what `iig_obs_type` asks for; without it, of the default observation."""
        if params:
            raise ZhaifeiError(f"observation parameters are not supported: {params}")
        # C++ passes empty parameters in place of a missing type, hence `or`.
        return ZhaifeiObserver(
            self.rules, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        )


class _Variant:
    """What all states under the same rules share.

    OpenSpiel copies a state by copying its attributes deeply and serialises it by pickling them;
    this one refers to the shared value in both.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.bids = domain(rules)
        self.hands = hands(rules)
        self.deals = list(enumerate(probabilities(rules).tolist()))
        self._raises: dict[int | None, list[int]] = {}

    def legal_actions(self, bids_made: Sequence[int]) -> list[int]:
        """The actions that may follow these bids, ascending."""
        last = bids_made[-1] if bids_made else None
        if last not in self._raises:
            bids = legal_bids(self.rules, None if last is None else self.bids[last])
            self._raises[last] = [action_of(self.rules, bid) for bid in bids]
        distances = challengeable(self.rules, len(bids_made))
        return self._raises[last] + [challenge_action(self.rules, d) for d in distances]

    def __deepcopy__(self, memo: object) -> _Variant:
        return self  # `__reduce__` alone would do, but more than doubles the cost of a clone.

    def __reduce__(self) -> tuple[Any, ...]:
        return _variant, (self.rules,)


@lru_cache
def _variant(rules: Rules) -> _Variant:
    return _Variant(rules)


class ZhaifeiState(pyspiel.State):  # type: ignore[misc]
    """A round in progress: hands are dealt by chance, seat by seat; seat 0 makes the first bid."""

    def __init__(self, game: ZhaifeiGame) -> None:
        """Called by `ZhaifeiGame.new_initial_state` only."""
        super().__init__(game)
        self._variant = _variant(game.rules)
        # Plain tuples, since every clone copies them.
        self._deals: tuple[int, ...] = ()
        self._actions: tuple[int, ...] = ()
        self._returns: tuple[float, ...] = ()

    @property
    def rules(self) -> Rules:
        return self._variant.rules

    @property
    def hands(self) -> tuple[Hand, ...]:
        """The hands dealt so far, by seat."""
        return tuple(self._variant.hands[deal] for deal in self._deals)

    @property
    def actions(self) -> tuple[int, ...]:
        """What the players did, oldest first: bids, and at the end the challenge."""
        return self._actions

    @property
    def bids(self) -> tuple[Bid, ...]:
        """The bids made so far, oldest first."""
        bids = self._variant.bids
        return tuple(bids[action] for action in self._actions if action < len(bids))

    def current_player(self) -> int:
        """The seat whose turn it is, or the pseudo-player of chance or of the end."""
        if self._returns:
            return int(pyspiel.PlayerId.TERMINAL)
        if len(self._deals) < self.rules.players:
            return int(pyspiel.PlayerId.CHANCE)
        return len(self._actions) % self.rules.players

    def is_terminal(self) -> bool:
        """Whether a challenge was made."""
        return bool(self._returns)

    def returns(self) -> list[float]:
        """[seat] penalty points saved; zero until the round has ended."""
        return list(self._returns) or [0.0] * self.rules.players

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Each hand and its probability."""
        return self._variant.deals

    def _legal_actions(self, player: int) -> list[int]:
        return self._variant.legal_actions(self._actions)

    def _apply_action(self, action: int) -> None:
        variant = self._variant
        if self._returns:
            raise ZhaifeiError("the round has ended")
        if len(self._deals) < self.rules.players:
            if not 0 <= action < len(variant.hands):
                raise IllegalHand(f"no hand has the index {action}")
            self._deals = (*self._deals, action)
            return
        if not 0 <= action < action_count(self.rules):
            raise IllegalBid(f"no bid has the action {action}")
        state = Round(self.rules, self.hands, history=self.bids)
        state.take(action)
        if state.settlement is not None:
            self._returns = tuple(utilities(self.rules, state.settlement))
        self._actions = (*self._actions, action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {format_hand(self._variant.hands[action])}"
        return format_action(self.rules, action)

    def __str__(self) -> str:
        """The hands by seat, `-` where not dealt yet; then what the players did."""
        return " ".join([_dealt(self), *_said(self)])


def _dealt(state: ZhaifeiState) -> str:
    hands = [format_hand(hand) for hand in state.hands]
    return "/".join(hands + ["-"] * (state.rules.players - len(hands)))


def _said(state: ZhaifeiState) -> list[str]:
    return [format_action(state.rules, action) for action in state.actions]


class ZhaifeiObserver:
    """What a player sees of a state, as the tensor pieces in `dict` and as text.

    | piece | shape, float32 | there if |
    |---|---|---|
    | `player` | [players] one-hot: the observer | any private information |
    | `hand` | [dice, faces] one-hot per die, dice ascending | private: single player |
    | `hands` | [players, dice, faces] likewise, all seats | private: all players |
    | `history` | [actions] 1 for each bid made, and for the challenge | public, perfect recall |
    | `last_bid` | [bids] one-hot | public, no perfect recall |
    | `earlier_bids` | [distance - 2, bids] one-hot: those that 跳开 may challenge | 〃, and 跳开 |
    | `turn` | [players] one-hot: whose turn, after the end the challenger's | 〃 |
    | `challenged` | [distance - 1] one-hot: which bid was challenged to end the round | 〃 |

    `distance` runs up to `Rules.furthest_challenge`, which is 1 without 跳开. Bids only ever get
    stronger, so `history` tells their order and whose turn it is. Pieces are zero where there is
    nothing to show yet. Other players' hands stay hidden after the challenge as well: nobody
    decides any more.
    """

    def __init__(self, rules: Rules, iig_obs_type: pyspiel.IIGObservationType) -> None:
        self._rules = rules
        private, bids = iig_obs_type.private_info, len(domain(rules))
        reach = rules.furthest_challenge
        shapes: dict[str, tuple[int, ...]] = {}
        if private != pyspiel.PrivateInfoType.NONE:
            shapes["player"] = (rules.players,)
        if private == pyspiel.PrivateInfoType.SINGLE_PLAYER:
            shapes["hand"] = (rules.dice, rules.faces)
        if private == pyspiel.PrivateInfoType.ALL_PLAYERS:
            shapes["hands"] = (rules.players, rules.dice, rules.faces)
        if iig_obs_type.public_info and iig_obs_type.perfect_recall:
            shapes["history"] = (action_count(rules),)
        elif iig_obs_type.public_info:
            shapes["last_bid"] = (bids,)
            if reach > 1:
                shapes["earlier_bids"] = (reach - 1, bids)
            shapes["turn"] = (rules.players,)
            shapes["challenged"] = (reach,)

        sizes = [int(np.prod(shape)) for shape in shapes.values()]
        self.tensor: NDArray[np.float32] = np.zeros(sum(sizes), dtype=np.float32)
        parts = np.split(self.tensor, np.cumsum(sizes)[:-1]) if sizes else []
        # Views into the tensor: writing to a piece writes to it.
        self.dict: dict[str, NDArray[np.float32]] = {
            name: part.reshape(shape)
            for (name, shape), part in zip(shapes.items(), parts, strict=True)
        }

    def set_from(self, state: ZhaifeiState, player: int) -> None:
        """Writes what `player` sees of `state` into `tensor`."""
        self.tensor.fill(0)
        pieces, dealt = self.dict, state.hands
        if "player" in pieces:
            pieces["player"][player] = 1
        if "hand" in pieces and player < len(dealt):
            self._write_hand(pieces["hand"], dealt[player])
        if "hands" in pieces:
            for seat, hand in enumerate(dealt):
                self._write_hand(pieces["hands"][seat], hand)
        if "history" in pieces:
            pieces["history"][list(state.actions)] = 1
        if "last_bid" in pieces and state.bids:
            pieces["last_bid"][state.actions[len(state.bids) - 1]] = 1
        if "earlier_bids" in pieces:
            for place, action in enumerate(self._earlier(state)):
                pieces["earlier_bids"][place, action] = 1
        if "turn" in pieces and len(dealt) == self._rules.players:
            pieces["turn"][self._turn(state)] = 1
        if "challenged" in pieces and state.is_terminal():
            pieces["challenged"][state.actions[-1] - challenge_action(self._rules)] = 1

    def string_from(self, state: ZhaifeiState, player: int) -> str:
        """What `player` sees of `state`, as text."""
        words, dealt = [], state.hands
        if "player" in self.dict:
            words.append(f"p{player}")
        if "hand" in self.dict and player < len(dealt):
            words.append(f"hand:{format_hand(dealt[player])}")
        if "hands" in self.dict:
            words.append(f"hands:{_dealt(state)}")
        if "history" in self.dict:
            words += _said(state)
        if "last_bid" in self.dict and state.bids:
            words.append(f"last:{state.bids[-1]}")
        if "earlier_bids" in self.dict and (earlier := self._earlier(state)):
            bids = domain(self._rules)
            words.append("earlier:" + ",".join(str(bids[action]) for action in earlier))
        if "turn" in self.dict and len(dealt) == self._rules.players:
            words.append(f"turn:p{self._turn(state)}")
        if "challenged" in self.dict and state.is_terminal():
            distance = state.actions[-1] - challenge_action(self._rules) + 1
            words.append("challenged" if distance == 1 else f"challenged:{distance}")
        return " ".join(words)

    def _write_hand(self, piece: NDArray[np.float32], hand: Hand) -> None:
        piece[np.arange(self._rules.dice), np.array(hand) - 1] = 1

    def _earlier(self, state: ZhaifeiState) -> tuple[int, ...]:
        """The bids before the last one as far as 跳开 reaches, the latest first."""
        made = state.actions[: len(state.bids)]
        return made[-2 : -self._rules.furthest_challenge - 1 : -1]

    def _turn(self, state: ZhaifeiState) -> int:
        return len(state.bids) % self._rules.players


pyspiel.register_game(GAME_TYPE, ZhaifeiGame)
