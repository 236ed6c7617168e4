"""Play rounds and matches in which dice are lost, move by move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from zhaifei.game.bids import challenge_action, domain
from zhaifei.game.elimination import Elimination, EliminationRound, Outcome
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.names import load_decider
from zhaifei.policies.players.decider import Decider


@dataclass(frozen=True)
class MatchPlayer:
    """Plays matches of `rules`, in which dice are lost, with a separate decider for each seat."""

    rules: Rules
    name: str

    def __str__(self) -> str:
        return self.name

    def decider(self, random: np.random.Generator) -> Decider:
        """Return a decider, which draws from `random`. Raise as `load_decider` does."""
        return load_decider(self.name, self.rules, random)


def play_round(state: EliminationRound, deciders: Sequence[Decider]) -> Outcome:
    """Play a round to its end and return its outcome; `deciders` is [seat]."""
    while state.outcome is None:
        take_turn(state, deciders[state.turn])
    return state.outcome


def take_turn(state: EliminationRound, decider: Decider) -> int:
    """Carry out the decision of `decider` for the player in turn, and return it. An illegal action
    forfeits the decision. A player who can only challenge does so without a query."""
    view, bids = state.view(), domain(state.rules)
    challenge = challenge_action(state.rules)
    has_choice = state.is_asked or view.legal_bids
    action = decider.decide(view) if has_choice else challenge
    if action == challenge and state.can_challenge():
        state.challenge()
    elif 0 <= action < len(bids) and bids[action] in view.legal_bids:
        state.bid(bids[action])
    else:
        state.forfeit()  # asked out of turn, the player declines
    return action


def play_match(
    match: Elimination,
    deciders: Sequence[Decider],
    on_round: Callable[[EliminationRound], None] | None = None,
) -> int:
    """Play a match to its end and return the seat of the winner; `deciders` is [seat]. `on_round`
    is called after each round."""
    while match.winner is None:
        state = match.deal()
        play_round(state, deciders)
        match.settle()
        if on_round is not None:
            on_round(state)
    return match.winner
