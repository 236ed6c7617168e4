"""An environment of TextArena: agents play a match of Liar's Dice against each other by text.

    import textarena
    from zhaifei.app.agents.text_arena import ENVIRONMENT, register

    register()
    env = textarena.make(ENVIRONMENT, rounds=10)
    env.reset(num_players=2, seed=1)

The reward of a player is what it earned a round: each pays the own penalty points, and gets an
equal share of those of others. TextArena wants one answer more after an illegal one; a second one
in the same decision ends the match, and costs the reward of every round that is left.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import textarena

from zhaifei.app.agents.text_game import (
    position_text,
    read_action,
    round_text,
    rules_text,
    score_line,
)
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.match import Match
from zhaifei.game.rounds import Round
from zhaifei.game.rules import preset
from zhaifei.policies.play.played import played_round
from zhaifei.policies.play.seeds import drawn_seed
from zhaifei.policies.play.simulation import utilities_of

ENVIRONMENT = "LiarsDiceOfChina-v0"
"""The name under which `register` makes the environment known."""
_Kind = textarena.ObservationType


def register() -> None:
    """Make ENVIRONMENT known to `textarena.make`, with TextArena's usual wrappers for language
    models. Raise ValueError if it is known already."""
    wrappers = [
        textarena.wrappers.LLMObservationWrapper,
        textarena.wrappers.ActionFormattingWrapper,
    ]
    textarena.envs.registration.register(
        id=ENVIRONMENT, entry_point=LiarsDice, default_wrappers=wrappers
    )


class LiarsDice(textarena.Env):
    """A match of some rounds for penalty points. Players are seats, from 0 for TextArena and from 1
    in texts."""

    def __init__(self, rounds: int = 10, rules: str = "zhaifei") -> None:
        """`rules` is the name of a preset in which no dice are lost."""
        self._rounds, self._preset = rounds, rules

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Begin a match. The dice depend on the seed alone; None draws one. Raise ZhaifeiError for
        a number of players that the rules do not have."""
        rules = preset(self._preset, players=num_players)
        rules.verify_costs_points()
        drawn = drawn_seed() if seed is None else seed
        self._match = Match(rules, np.random.default_rng(drawn))
        self.state = textarena.FFAMultiPlayerState(num_players=num_players, seed=seed)
        self.state.reset(game_state={}, player_prompt_function=self._prompt)
        self._deal()

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Take the answer of the player in turn. Return whether the match is over, and what
        TextArena tells of the step."""
        # To the player alone: an answer may begin with thoughts about the own dice.
        turn = self._round.turn
        self.state.add_observation(
            from_id=turn, to_id=turn, message=action, observation_type=_Kind.PLAYER_ACTION
        )
        try:
            self._take(action)
        except ZhaifeiError as why:
            self._refuse(str(why))
        else:
            self._go_on()
        done, info = self.state.step(rotate_player=False)
        return bool(done), info

    @property
    def _round(self) -> Round:
        assert self._match.round is not None, "a round is in progress"
        return self._match.round

    def _prompt(self, player_id: int, game_state: dict[str, Any]) -> str:
        return rules_text(self._match.rules)

    def _deal(self) -> None:
        self._match.deal()
        self._actions: list[int] = []
        self._ask()

    def _ask(self) -> None:
        """Give the turn to the player who decides, and show the position."""
        turn = self._round.turn
        self.state.manually_set_current_player_id(new_player_id=turn, force=True)
        self._tell(position_text(self._round.view()), _Kind.GAME_BOARD, turn)

    def _take(self, answer: str) -> None:
        action = read_action(self._round.view(), answer)
        self._round.take(action)
        self._actions.append(action)

    def _go_on(self) -> None:
        """Show what has ended, and go on with the round, the next round or the result."""
        if not self._round.is_over:
            self._ask()
            return
        its = self._round
        played = played_round(its.rules, its.starter, its.hands, self._actions)
        self._match.settle()
        told = f"{round_text(its.rules, played)}\n{score_line(its.rules, self._match.score)}"
        self._tell(told, _Kind.GAME_MESSAGE)
        if self._match.played < self._rounds:
            self._deal()
        else:
            self.state.set_game_outcome(self._rewards(), "all rounds are played")

    def _refuse(self, why: str) -> None:
        """Let TextArena ask once more, or end the match at the player's cost."""
        turn = self._round.turn
        if self.state.set_invalid_move(reason=why):
            self._match.score[turn] += self._rounds - self._match.played
            self.state.set_game_outcome(self._rewards(), f"illegal answer: {why}")

    def _rewards(self) -> dict[int, float]:
        earned = utilities_of(np.array(self._match.score)) / self._rounds
        return dict(enumerate(earned.tolist()))

    def _tell(self, text: str, kind: Any, player: int = -1) -> None:
        self.state.add_observation(to_id=player, message=f"\n{text}", observation_type=kind)
