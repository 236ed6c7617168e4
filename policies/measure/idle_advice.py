"""Advice of a policy that was solved with few idle bids, as advice for the whole round."""

from __future__ import annotations

from dataclasses import replace

from zhaifei.game.bids import Bid, can_bid, idle_bids, state_after
from zhaifei.game.notation import CHALLENGE
from zhaifei.game.rules import Rules
from zhaifei.policies.measure.advice import ActionAdvice, Advice
from zhaifei.policies.measure.range_advice import RangeAdvice
from zhaifei.solver.value.idle_bids import BETWEEN_ENDS, whole_round


def in_the_whole_round(rules: Rules, advice: Advice, history: tuple[Bid, ...]) -> Advice:
    """Return `advice` after `history`, the bids that were made in the whole round.

    The policy reads some low bids as weaker ones (`solver.value.idle_bids.reading`). So it may list
    bids that cannot follow the bid that was made. They are left out, and their probability goes to
    the strongest idle bid, as the theorem in `solver.value.idle_bids` has it.

    The table answers idle bids that it never makes itself, but it does not store how the player
    goes on who made one. So the values of raises are unknown after such a bid.

    `rules` are those of the round that was solved.
    """
    if rules.idle_count == 0 or not history:
        return advice
    whole, idle = whole_round(rules), idle_bids(rules)
    after = state_after(whole, history)
    too_weak = {str(bid) for bid in (*idle.low, *idle.top) if not can_bid(whole, bid, *after)}
    more = sum(one.probability for one in advice.actions if one.action in too_weak)
    kept = [one for one in advice.actions if one.action not in too_weak]
    actions = [_with(one, str(idle.strongest), more) for one in kept]
    if not advice.on_path and advice.solved is None:
        actions = [_unclear(one) for one in actions]
    return replace(advice, actions=tuple(actions))


def _with(one: ActionAdvice, name: str, more: float) -> ActionAdvice:
    """Return an action, more probable by `more` if it is the one called `name`."""
    if one.action != name:
        return one
    return replace(one, probability=min(1.0, one.probability + more))


def _unclear(one: ActionAdvice) -> ActionAdvice:
    """Return an action, with an unknown value if it is a raise."""
    return one if one.action == CHALLENGE else replace(one, value_error=BETWEEN_ENDS)


def range_in_the_whole_round(
    rules: Rules, advice: RangeAdvice, history: tuple[Bid, ...]
) -> RangeAdvice:
    """Return the advice for all hands as `in_the_whole_round` does for one."""
    hands = tuple(in_the_whole_round(rules, one, history) for one in advice.hands)
    return replace(advice, hands=hands)
