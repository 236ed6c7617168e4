"""The OpenSpiel game `python_zhaifei` and its parameters. Importing this module registers it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyspiel

from game.bids import action_count, domain, legal_bids, strength
from game.errors import ZhaifeiError
from game.hands import hands
from game.openspiel.observer import ZhaifeiObserver
from game.openspiel.state import ZhaifeiState
from game.rounds import Settlement, utilities
from game.rules import Rules, RulesError, preset, preset_name

DEFAULTS: Mapping[str, Any] = {
    "rules": "zhaifei",
    "players": 2,
    "dice": 0,
    "faces": 0,
    "jump_challenge": False,
    "rounds": 1,
}
"""Game parameters. `rules` names a preset; 0 dice or faces select the preset's own number;
`jump_challenge` is 跳开. Seat 0 opens a single round; several rounds are a match, whose first
starter is drawn, and then the loser of each round starts the next."""

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
    """Return all game parameters: `params`, and defaults for the rest. Raises RulesError."""
    values = {**DEFAULTS, **params}
    for name, value in values.items():
        if name not in DEFAULTS:
            raise RulesError(
                "unknown parameter {name!r}; known parameters are {known}",
                name=name, known=", ".join(DEFAULTS),
            )  # fmt: skip
        wanted = type(DEFAULTS[name])
        if type(value) is not wanted:
            raise RulesError(
                "{name} is {value!r}; it must be of type {type}",
                name=name, value=value, type=wanted.__name__,
            )  # fmt: skip
    if values["rounds"] < 1:
        raise RulesError("rounds is {rounds}; it must be positive", rounds=values["rounds"])
    return values


def rules_from(params: Mapping[str, Any]) -> Rules:
    """Return the rules that game parameters describe. Raises RulesError, also for rules that are
    not played for penalty points."""
    values = parameters(params)
    rules = preset(
        values["rules"],
        players=values["players"],
        dice=values["dice"] or None,
        faces=values["faces"] or None,
        jump_challenge=values["jump_challenge"],
    )
    rules.verify_costs_points()
    return rules


def parameters_of(rules: Rules, rounds: int = 1) -> dict[str, Any]:
    """Return the game parameters that describe `rules`: the inverse of `rules_from`.

    Raises RulesError for rules that differ from every preset in more than sizes and 跳开, or that
    are not played for penalty points.
    """
    rules.verify_costs_points()
    name = preset_name(rules)
    if name is None:
        raise RulesError(
            "the OpenSpiel game supports only presets, in any size; {rules} is not one", rules=rules
        )
    return {
        "rules": name,
        "players": rules.players,
        "dice": rules.dice,
        "faces": rules.faces,
        "jump_challenge": rules.jump_challenge,
        "rounds": rounds,
    }


def load_game(rules: Rules, rounds: int = 1) -> ZhaifeiGame:
    """Return the OpenSpiel game of `rules`, of one round or a match of several. Raises RulesError
    as `parameters_of` does."""
    game: ZhaifeiGame = pyspiel.load_game(GAME_TYPE.short_name, parameters_of(rules, rounds))
    return game


def longest_round(rules: Rules) -> int:
    """Return the number of actions in the longest round: a bid of each strength from the weakest
    opening up, and a challenge."""
    weakest = min(strength(rules, bid) for bid in legal_bids(rules, None))
    levels = {strength(rules, bid) for bid in domain(rules)}
    return sum(level >= weakest for level in levels) + 1


class ZhaifeiGame(pyspiel.Game):  # type: ignore[misc]
    """A game of `rounds` rounds of the variant `rules`."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        params = dict(params or {})
        self.rules = rules_from(params)
        self.rounds: int = parameters(params)["rounds"]
        # Returns are extreme if one player loses the most points in every round.
        most = Settlement(domain(self.rules)[0], 0, 1, 0, points=self.rules.furthest_challenge)
        payoffs = utilities(self.rules, most)
        starters = self.rules.players if self.draws_starter else 0
        info = pyspiel.GameInfo(
            num_distinct_actions=action_count(self.rules),
            max_chance_outcomes=max(len(hands(self.rules)), starters),
            num_players=self.rules.players,
            min_utility=self.rounds * min(payoffs),
            max_utility=self.rounds * max(payoffs),
            utility_sum=0.0,
            max_game_length=self.rounds * longest_round(self.rules),
        )
        super().__init__(GAME_TYPE, info, params)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by game parameters: OpenSpiel's own pickling would lose `rules`."""
        return ZhaifeiGame, (self.get_parameters(),)

    @property
    def draws_starter(self) -> bool:
        """Return whether chance draws the starter: in a match; seat 0 opens a single round."""
        return self.rounds > 1

    def new_initial_state(self) -> ZhaifeiState:
        """Return the state before the first roll; in a match, before the first starter is drawn."""
        return ZhaifeiState(self, self.rules, self.rounds)

    def max_chance_nodes_in_history(self) -> int:
        """Return one per player and round, and one for the draw of the first starter of a match."""
        return self.rounds * self.rules.players + self.draws_starter

    def make_py_observer(
        self,
        iig_obs_type: pyspiel.IIGObservationType | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> ZhaifeiObserver:
        """Return an observer for `iig_obs_type`, by default the imperfect-recall observation.

        Raises ZhaifeiError if observation `params` are given."""
        if params:
            raise ZhaifeiError("observation parameters are not supported: {params}", params=params)
        # C++ passes empty parameters instead of a missing type, hence `or`.
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return ZhaifeiObserver(self.rules, kind, self.rounds)


pyspiel.register_game(GAME_TYPE, ZhaifeiGame)
