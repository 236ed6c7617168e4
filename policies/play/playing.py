"""Play rounds and matches, move by move."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from zhaifei.game.bids import challenge_action
from zhaifei.game.match import Match
from zhaifei.game.rounds import Round, Settlement
from zhaifei.game.views import View
from zhaifei.policies.players.decider import Decider

Acted = Callable[[View, int], object]
"""Is called with the view of the player in turn and the action that was taken."""


def take_turn(round_: Round, decider: Decider) -> int:
    """Take the decision of `decider` for the player in turn, and return the action taken. A player
    who can only challenge the last bid, or show the dice, does so without a query.

    Where dice are lost, an illegal decision counts as `Round.taken_as` says; where rounds are for
    penalty points, raise IllegalBid or IllegalChallenge.
    """
    forced = only_choice(round_)
    action = round_.taken_as(decider.decide(round_.view()) if forced is None else forced)
    round_.take(action)
    return action


def only_choice(round_: Round) -> int | None:
    """Return the action of a player in turn who can only challenge the last bid, or show the dice;
    None if the player has a choice."""
    ends_otherwise = round_.can_challenge(2) or round_.can_give_up()
    has_choice = round_.legal_bids() or round_.is_asked or ends_otherwise
    return None if has_choice else challenge_action(round_.rules)


def play_round(
    round_: Round, deciders: Sequence[Decider], on_action: Acted | None = None
) -> Settlement:
    """Play a round to its end and return its settlement; `deciders` is [seat]. Raise as `take_turn`
    does."""
    while not round_.is_over:
        view = round_.view()
        action = take_turn(round_, deciders[view.seat])
        if on_action is not None:
            on_action(view, action)
    settlement = round_.settlement
    assert settlement is not None, "the round is over"
    return settlement


def play_match(
    match: Match,
    deciders: Sequence[Decider],
    on_round: Callable[[Round], None] | None = None,
) -> int:
    """Play a match in which dice are lost to its end and return the seat of the winner; `deciders`
    is [seat]. `on_round` is called after each round."""
    while match.winner is None:
        round_ = match.deal()
        play_round(round_, deciders)
        match.settle()
        if on_round is not None:
            on_round(round_)
    return match.winner
