"""The OpenSpiel game `python_zhaifei` and its parameters. Importing this module registers it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyspiel

from zhaifei.game.bidding import bidding
from zhaifei.game.bids import domain
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands_of
from zhaifei.game.legal import highest_count_with
from zhaifei.game.openspiel.observer import ZhaifeiObserver
from zhaifei.game.openspiel.round import distinct_actions
from zhaifei.game.openspiel.state import WHOLE_MATCH, ZhaifeiState, draws_starter, most_rounds
from zhaifei.game.parts import RulesError
from zhaifei.game.positions import round_rules
from zhaifei.game.public_state import Challenge
from zhaifei.game.rounds import Settlement, utilities
from zhaifei.game.rules import PRESETS, Rules, house_of, preset, preset_name
from zhaifei.game.tables import longest_history

DEFAULTS: Mapping[str, Any] = {
    "rules": "zhaifei",
    "players": 2,
    "dice": 0,
    "dice_by_player": "",
    "faces": 0,
    "jump_challenge": False,
    "house": "",
    "for_points": False,
    "rounds": 1,
}
"""Game parameters:

- `rules` names a preset;
- 0 `dice` or `faces` select the preset's own number;
- `dice_by_player`, as in 5:3, gives two players different numbers of dice;
- `jump_challenge` is 跳开;
- `house` names house rules (`game.house`), as in ones-highest+straight:nothing. They are joined by
  "+", and have ":" in place of "=", which OpenSpiel reserves;
- `for_points` converts a round in which two players play for a die to a round for a penalty point,
  by `round_rules`;
- `rounds` is the number of rounds, or 0 for a whole match in which dice are lost.

Seat 0 opens a single round. Several rounds for penalty points are a match. Its first starter is
drawn, and then the loser of each round starts the next; with different numbers of dice seat 0
starts every round. A whole match lasts until only one player has dice. Its first starter is drawn,
and the rules determine the later ones.
"""

_BETWEEN_DICE = ":"
"""The separator of `dice_by_player`. OpenSpiel ends a parameter at a comma, and reads digits and
hyphens as one number."""

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


def parameters(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return all game parameters: `params`, and defaults for the rest. Raise RulesError."""
    values = {**DEFAULTS, **params}
    for name, value in values.items():
        if name not in DEFAULTS:
            raise RulesError(
                "unknown parameter {name!r}; known parameters are {known}",
                name=name,
                known=", ".join(DEFAULTS),
            )
        wanted = type(DEFAULTS[name])
        if type(value) is not wanted:
            raise RulesError(
                "{name} is {value!r}; it must be of type {type}",
                name=name,
                value=value,
                type=wanted.__name__,
            )
    return values


def rules_from(params: Mapping[str, Any]) -> Rules:
    """Return the rules that game parameters describe. Raise RulesError, also for a number of rounds
    that is invalid under these rules."""
    values = parameters(params)
    rules = preset(
        values["rules"],
        players=values["players"],
        dice=_dice_from(values),
        faces=values["faces"] or None,
        jump_challenge=values["jump_challenge"],
        house=filter(None, values["house"].split("+")),
    )
    if values["for_points"]:
        rules = round_rules(rules, rules.dice_by_player)
    _verify_rounds(rules, values["rounds"])
    return rules


def _dice_from(values: Mapping[str, Any]) -> int | tuple[int, ...] | None:
    """Return the `dice` of `preset`. Raise RulesError."""
    text, dice = values["dice_by_player"], values["dice"]
    if not text:
        return dice or None
    if not re.fullmatch(f"[0-9]({_BETWEEN_DICE}[0-9])*", text):
        raise RulesError(
            "dice_by_player is {text!r}; it must be numbers of dice, like 5:3", text=text
        )
    numbers = tuple(map(int, text.split(_BETWEEN_DICE)))
    if dice not in (0, max(numbers)):
        raise RulesError(
            "dice is {dice}, but dice_by_player is {text}; dice must be 0 or {most}",
            dice=dice,
            text=text,
            most=max(numbers),
        )
    return numbers


def _verify_rounds(rules: Rules, rounds: int) -> None:
    """Raise RulesError unless a game of `rules` can have `rounds` rounds."""
    if rules.loses_dice and rounds not in (1, WHOLE_MATCH):
        raise RulesError(
            "rounds is {rounds}; where dice are lost it must be 1, or 0 for a whole match",
            rounds=rounds,
        )
    if not rules.loses_dice and rounds < 1:
        raise RulesError("rounds is {rounds}; it must be positive", rounds=rounds)


def parameters_of(rules: Rules, rounds: int = 1) -> dict[str, Any]:
    """Return the game parameters that describe `rules`: the inverse of `rules_from`.

    Raise RulesError unless `rules` are a preset, or a round of a preset by `round_rules`, up to
    sizes, 跳开 and house rules.
    """
    name = preset_name(rules)
    round_of = _match_of(rules) if name is None else None
    if name is None and round_of is None:
        raise RulesError(
            "the OpenSpiel game supports only presets, in any size; {rules} is not one", rules=rules
        )
    return {
        "rules": name or round_of,
        "players": rules.players,
        "dice": rules.dice,
        "dice_by_player": _BETWEEN_DICE.join(map(str, rules.table.uneven)),
        "faces": rules.faces,
        "jump_challenge": rules.stakes.jump_challenge,
        "house": "+".join(house_of(rules)).replace("=", ":"),
        "for_points": round_of is not None,
        "rounds": rounds,
    }


def _match_of(rules: Rules) -> str | None:
    """Return the name of the preset of which `rules` are one round, by `round_rules`, or None."""
    for name in PRESETS:
        match = preset(name, players=rules.players, dice=rules.dice, faces=rules.faces)
        try:
            if round_rules(match, rules.dice_by_player) == rules:
                return name
        except RulesError:
            continue
    return None


def load_game(rules: Rules, rounds: int = 1) -> ZhaifeiGame:
    """Return the OpenSpiel game of `rules`, with one round or a match of several. Raise RulesError
    as `parameters_of` does."""
    game: ZhaifeiGame = pyspiel.load_game(GAME_TYPE.short_name, parameters_of(rules, rounds))
    return game


def longest_round(rules: Rules, table: int | None = None) -> int:
    """Return the number of actions in the longest round with `table` dice on the table, by default
    all. It has the longest sequence of bids and a challenge, and everybody who is asked declines to
    challenge each bid."""
    dice = rules.total_dice if table is None else table
    asked = min(rules.players, dice) - 1 if rules.stakes.out_of_turn else 0
    return _most_bids(rules, dice) * (1 + asked) + 1


def _most_bids(rules: Rules, table: int) -> int:
    """Return the number of bids in the longest round with `table` dice on the table."""
    automaton, most = bidding(rules), highest_count_with(rules, table)
    too_high = [bid.count > most for bid in automaton.bids]
    return longest_history(np.where(too_high, -1, automaton.after))


class ZhaifeiGame(pyspiel.Game):  # type: ignore[misc]
    """A game of `rounds` rounds of the variant `rules`; 0 rounds are a whole match in which dice
    are lost."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        params = dict(params or {})
        self.rules = rules_from(params)
        self.rounds: int = parameters(params)["rounds"]
        worst, best = self._extreme_returns()
        starters = self.rules.players if self.draws_starter else 0
        info = pyspiel.GameInfo(
            num_distinct_actions=distinct_actions(self.rules),
            max_chance_outcomes=max(len(hands_of(self.rules, self.rules.dice)), starters),
            num_players=self.rules.players,
            min_utility=worst,
            max_utility=best,
            utility_sum=0.0,
            max_game_length=sum(longest_round(self.rules, table) for table in self._tables()),
        )
        super().__init__(GAME_TYPE, info, params)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by game parameters, because OpenSpiel's own pickling would lose `rules`."""
        return ZhaifeiGame, (self.get_parameters(),)

    @property
    def draws_starter(self) -> bool:
        """Return whether chance draws the first starter."""
        return draws_starter(self.rules, self.rounds)

    def _extreme_returns(self) -> tuple[float, float]:
        """Return the least and the largest return of a player."""
        if self.rounds == WHOLE_MATCH:
            return -1 / (self.rules.players - 1), 1.0
        # Returns are extreme if one player loses the most points in every round.
        most = Challenge(domain(self.rules)[0], 0, 1, int(bidding(self.rules).cost.max()))
        payoffs = utilities(self.rules, Settlement(0, 1, most, 0))
        return self.rounds * min(payoffs), self.rounds * max(payoffs)

    def _tables(self) -> list[int]:
        """Return [round] the dice on the table, in a game with the most rounds. Nobody is out while
        there are enough dice."""
        lost = 1 if self.rounds == WHOLE_MATCH else 0
        total = self.rules.total_dice
        return [total - lost * played for played in range(most_rounds(self.rules, self.rounds))]

    def new_initial_state(self) -> ZhaifeiState:
        """Return the state before the first roll; in a match, before the first starter is drawn."""
        return ZhaifeiState(self, self.rules, self.rounds)

    def max_chance_nodes_in_history(self) -> int:
        """Return the largest number of chance nodes: one per round and player with dice, and one if
        the first starter is drawn."""
        rolls = sum(min(self.rules.players, table) for table in self._tables())
        return rolls + self.draws_starter

    def make_py_observer(
        self,
        iig_obs_type: pyspiel.IIGObservationType | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> ZhaifeiObserver:
        """Return an observer for `iig_obs_type`, by default the imperfect-recall observation.

        Raise ZhaifeiError if observation `params` are given.
        """
        if params:
            raise ZhaifeiError("observation parameters are not supported: {params}", params=params)
        # C++ passes empty parameters instead of a missing type, hence `or`.
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return ZhaifeiObserver(self.rules, kind, self.rounds)


pyspiel.register_game(GAME_TYPE, ZhaifeiGame)
