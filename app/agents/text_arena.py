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

from collections.abc import Sequence
from typing import Any

import textarena

from zhaifei.app.agents.shared_match import SharedMatch
from zhaifei.app.agents.text_game import position_text, round_text, rules_text, score_line
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import preset
from zhaifei.policies.play.played import PlayedRound
from zhaifei.policies.play.seeds import drawn_seed

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
        self._play = SharedMatch(rules, self._rounds, drawn_seed() if seed is None else seed)
        self.state = textarena.FFAMultiPlayerState(num_players=num_players, seed=seed)
        self.state.reset(game_state={}, player_prompt_function=self._prompt)
        self._go_on()

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Take the answer of the player in turn. Return whether the match is over, and what
        TextArena tells of the step."""
        # To the player alone: an answer may begin with thoughts about the own dice.
        turn = self.state.current_player_id
        self.state.add_observation(
            from_id=turn, to_id=turn, message=action, observation_type=_Kind.PLAYER_ACTION
        )
        told = len(self._play.ended)
        try:
            self._play.act(action)
        except ZhaifeiError as why:
            self._refuse(str(why))
        else:
            self._show(self._play.ended[told:])
            self._go_on()
        done, info = self.state.step(rotate_player=False)
        return bool(done), info

    def _prompt(self, player_id: int, game_state: dict[str, Any]) -> str:
        return rules_text(self._play.match.rules)

    def _go_on(self) -> None:
        """Give the turn to the player who decides, and show the position; or end the match."""
        its = self._play.round
        if its is None:
            self._end("all rounds are played")
            return
        self.state.manually_set_current_player_id(new_player_id=its.turn, force=True)
        self._tell(position_text(its.view()), _Kind.GAME_BOARD, its.turn)

    def _show(self, ended: Sequence[PlayedRound]) -> None:
        """Show everybody the rounds that have ended."""
        match = self._play.match
        for played in ended:
            told = f"{round_text(match.rules, played)}\n{score_line(match.rules, match.score)}"
            self._tell(told, _Kind.GAME_MESSAGE)

    def _refuse(self, why: str) -> None:
        """Let TextArena ask once more, or end the match at the player's cost."""
        if self.state.set_invalid_move(reason=why):
            self._end(f"illegal answer: {why}", offender=self.state.current_player_id)

    def _end(self, why: str, offender: int | None = None) -> None:
        rewards = dict(enumerate(self._play.rewards(offender)))
        self.state.set_game_outcome(rewards, why)

    def _tell(self, text: str, kind: Any, player: int = -1) -> None:
        self.state.add_observation(to_id=player, message=f"\n{text}", observation_type=kind)
