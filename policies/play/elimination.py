"""Rounds and matches in which dice are lost, played move by move."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from game.elimination import Elimination, EliminationRound, Outcome
from policies.players.moves import Strategy, see


def play_round(state: EliminationRound, strategies: Sequence[Strategy]) -> Outcome:
    """Plays a round to its end; `strategies` is [seat]."""
    while state.outcome is None:
        decide(state, strategies[state.turn])
    return state.outcome


def decide(state: EliminationRound, strategy: Strategy) -> None:
    """The player in turn does what `strategy` says; who can only challenge is not asked."""
    seen = see(state)
    if not (state.is_asked or seen.legal_bids) or (
        state.can_challenge() and strategy.challenge_bid(seen)
    ):
        state.challenge()
    elif state.is_asked:
        state.decline()
    else:
        bid = strategy.make_bid(seen)
        if bid is None or bid not in seen.legal_bids:
            state.forfeit()
        else:
            state.bid(bid)


def play_match(
    match: Elimination,
    strategies: Sequence[Strategy],
    on_round: Callable[[EliminationRound], None] | None = None,
) -> int:
    """Plays a match to its end and returns the seat of the winner; `strategies` is [seat].
    `on_round` is told of each round that has ended."""
    while match.winner is None:
        state = match.deal()
        play_round(state, strategies)
        match.settle()
        if on_round is not None:
            on_round(state)
    return match.winner
