"""The OpenSpiel game `python_zhaifei`: one round, from the roll to the challenge, or a match of
several.

Importing this module registers it: `pyspiel.load_game("python_zhaifei(players=3,dice=2)")`.
Actions are those of `game.bids`. A chance outcome is a hand's place in `game.hands.hands` or, where
the first starter of a match is drawn, a seat.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import fsum
from typing import Any

import pyspiel

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
from game.observer import ZhaifeiObserver, actions_text, dice_text, match_text
from game.rounds import Round, Settlement, utilities
from game.rules import Rules, RulesError, preset

DEFAULTS: Mapping[str, Any] = {
    "rules": "zhaifei",
    "players": 2,
    "dice": 0,
    "faces": 0,
    "jump_challenge": False,
    "rounds": 1,
}
"""Game parameters. `rules` names a preset; 0 dice or faces stand for the preset's own number;
`jump_challenge` is 跳开. One round is opened by seat 0; several are a match: the first starter is
drawn, then the loser of each round starts the next."""

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
    """All game parameters, the given ones and the rest by default. Raises RulesError."""
    values = {**DEFAULTS, **params}
    for name, value in values.items():
        if name not in DEFAULTS:
            raise RulesError(
                "no parameter is called {name!r}; there are {known}",
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
    """The rules that game parameters describe. Raises RulesError, also for rules that are not
    played for penalty points."""
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


def longest_round(rules: Rules) -> int:
    """Actions in the longest round: a bid of each strength from the weakest opening up, and the
    challenge."""
    weakest = min(strength(rules, bid) for bid in legal_bids(rules, None))
    levels = {strength(rules, bid) for bid in domain(rules)}
    return sum(level >= weakest for level in levels) + 1


class ZhaifeiGame(pyspiel.Game):  # type: ignore[misc]
    """`rounds` rounds of the variant that `rules` describes."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        params = dict(params or {})
        self.rules = rules_from(params)
        self.rounds: int = parameters(params)["rounds"]
        # Who loses the most points in every round makes the extremes, whoever that is.
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
        """Pickled by its parameters: OpenSpiel's own way would lose `rules`."""
        return ZhaifeiGame, (self.get_parameters(),)

    @property
    def draws_starter(self) -> bool:
        """Whether chance draws who starts: in a match. A single round is opened by seat 0."""
        return self.rounds > 1

    def new_initial_state(self) -> ZhaifeiState:
        """Before the first roll; in a match, before the first starter is drawn."""
        return ZhaifeiState(self)

    def max_chance_nodes_in_history(self) -> int:
        """One roll per player and round, and in a match the draw of the first starter."""
        return self.rounds * self.rules.players + self.draws_starter

    def make_py_observer(
        self,
        iig_obs_type: pyspiel.IIGObservationType | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> ZhaifeiObserver:
        """An observer of what `iig_obs_type` asks for; without it, of the default observation."""
        if params:
            raise ZhaifeiError("observation parameters are not supported: {params}", params=params)
        # C++ passes empty parameters in place of a missing type, hence `or`.
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return ZhaifeiObserver(self.rules, kind, self.rounds)


@cache
def _deals(rules: Rules) -> list[tuple[int, float]]:
    """Each hand's index and probability."""
    return list(enumerate(probabilities(rules).tolist()))


@cache
def _legal_bids(rules: Rules, last: int | None) -> list[int]:
    """The bids that may follow `last`, as actions, ascending."""
    bids = legal_bids(rules, None if last is None else domain(rules)[last])
    return [action_of(rules, bid) for bid in bids]


@dataclass(frozen=True)
class RoundSoFar:
    """A round from before the roll to its end; hands are rolled one by one, seat by seat.

    Immutable: each step gives a new one. OpenSpiel copies a state by copying its attributes deeply;
    the copies share what is immutable.
    """

    rules: Rules
    starter: int | None
    """None until it is drawn."""
    hands: tuple[Hand, ...] = ()
    """[seat] the hands rolled so far."""
    actions: tuple[int, ...] = ()
    """What the players did, oldest first: bids, and at the end the challenge."""
    settlement: Settlement | None = None
    """How the round ended."""

    def __deepcopy__(self, memo: object) -> RoundSoFar:
        return self

    @property
    def is_rolled(self) -> bool:
        """Whether everybody has a hand."""
        return len(self.hands) == self.rules.players

    @property
    def bids(self) -> tuple[Bid, ...]:
        """The bids made so far, oldest first."""
        bids = domain(self.rules)
        return tuple(bids[action] for action in self.actions if action < len(bids))

    @property
    def turn(self) -> int | None:
        """The seat whose turn it is, after the end the challenger; None before the roll."""
        if self.starter is None or not self.is_rolled:
            return None
        return (self.starter + len(self.bids)) % self.rules.players

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Before the roll: what chance may do and how likely that is."""
        if self.starter is None:
            players = self.rules.players
            return [(seat, 1 / players) for seat in range(players)]
        return _deals(self.rules)

    def legal_actions(self) -> list[int]:
        """What the player in turn may do, ascending."""
        distances = challengeable(self.rules, len(self.actions))
        challenges = [challenge_action(self.rules, distance) for distance in distances]
        return _legal_bids(self.rules, self.actions[-1] if self.actions else None) + challenges

    def after(self, action: int) -> RoundSoFar:
        """The round after what chance or the player in turn did. Raises ZhaifeiError."""
        if self.starter is None:
            if not 0 <= action < self.rules.players:
                raise ZhaifeiError("no player has the seat {seat}", seat=action)
            return replace(self, starter=action)
        if not self.is_rolled:
            if not 0 <= action < len(hands(self.rules)):
                raise IllegalHand("no hand has the index {index}", index=action)
            return replace(self, hands=(*self.hands, hands(self.rules)[action]))
        if not 0 <= action < action_count(self.rules):
            raise IllegalBid("no bid has the action {action}", action=action)
        state = Round(self.rules, self.hands, self.starter, self.bids)
        state.take(action)
        return replace(self, actions=(*self.actions, action), settlement=state.settlement)


class ZhaifeiState(pyspiel.State):  # type: ignore[misc]
    """A match in progress, of one round or of several."""

    def __init__(self, game: ZhaifeiGame) -> None:
        """Called by `ZhaifeiGame.new_initial_state` only."""
        super().__init__(game)
        self._rounds = game.rounds
        self._earlier: tuple[RoundSoFar, ...] = ()
        self._round = RoundSoFar(game.rules, starter=None if game.draws_starter else 0)

    @property
    def rules(self) -> Rules:
        return self._round.rules

    @property
    def earlier(self) -> tuple[RoundSoFar, ...]:
        """The rounds before the current one, oldest first."""
        return self._earlier

    @property
    def round(self) -> RoundSoFar:
        """The current round; after the end of the match the last one."""
        return self._round

    @property
    def hands(self) -> tuple[Hand, ...]:
        """The hands dealt so far in the current round, by seat."""
        return self._round.hands

    @property
    def actions(self) -> tuple[int, ...]:
        """What the players did in the current round, oldest first."""
        return self._round.actions

    @property
    def bids(self) -> tuple[Bid, ...]:
        """The bids made so far in the current round, oldest first."""
        return self._round.bids

    @property
    def settled(self) -> list[Settlement]:
        """How each round ended that has ended, oldest first."""
        ends = (played.settlement for played in (*self._earlier, self._round))
        return [end for end in ends if end is not None]

    @property
    def points(self) -> list[int]:
        """[seat] penalty points so far."""
        points = [0] * self.rules.players
        for end in self.settled:
            points[end.loser] += end.points
        return points

    def current_player(self) -> int:
        """The seat whose turn it is, or the pseudo-player of chance or of the end."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        turn = self._round.turn
        return int(pyspiel.PlayerId.CHANCE) if turn is None else turn

    def is_terminal(self) -> bool:
        """Whether the last round has ended."""
        # A round that has ended stays the current one only if no other follows.
        return self._round.settlement is not None

    def returns(self) -> list[float]:
        """[seat] penalty points saved, the sum over the rounds; zero until the match has ended."""
        if not self.is_terminal():
            return [0.0] * self.rules.players
        payoffs = [utilities(self.rules, end) for end in self.settled]
        return [fsum(payoff) for payoff in zip(*payoffs, strict=True)]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Each hand and its probability; where the first starter is drawn, each seat and its."""
        return self._round.chance_outcomes()

    def _legal_actions(self, player: int) -> list[int]:
        return self._round.legal_actions()

    def _apply_action(self, action: int) -> None:
        if self.is_terminal():
            raise ZhaifeiError("the round has ended")
        self._round = self._round.after(action)
        end = self._round.settlement
        if end is not None and len(self.settled) < self._rounds:
            self._earlier = (*self._earlier, self._round)
            self._round = RoundSoFar(self.rules, starter=end.loser)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            if self._round.starter is None:
                return f"p{action} starts"
            return f"deal {format_hand(hands(self.rules)[action])}"
        return format_action(self.rules, action)

    def __str__(self) -> str:
        """In a match what went before; the hands by seat; what the players did."""
        before = match_text(self) if self._rounds > 1 else []
        return " ".join([*before, dice_text(self._round), *actions_text(self._round)])


pyspiel.register_game(GAME_TYPE, ZhaifeiGame)
