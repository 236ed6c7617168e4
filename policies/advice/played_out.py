"""Advice for several players by playing the rest of the round out (`policies.players.rollouts`).

The choice and the values beside it are those of the same rounds. Actions that were not played out
are unclear.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from zhaifei.game.bids import action_of
from zhaifei.game.hands import hand_index
from zhaifei.game.notation import format_action
from zhaifei.game.rules import Rules
from zhaifei.policies.advice.advice import ActionAdvice, Advice, PlayedOut
from zhaifei.policies.players.intervals import margin_of
from zhaifei.policies.players.rollouts import Rollouts, Tried


def play_out(rollouts: Rollouts, advice: Advice) -> Iterator[Advice]:
    """Yield `advice` with the values of actions that were played out, from more and more rounds.
    Equal advice gets equal values."""
    rules = rollouts.rules
    bids = [action_of(rules, bid) for bid in advice.history]
    for tried in rollouts.refine(hand_index(rules, advice.hand), bids):
        known = _advised(rules, tried)
        unclear = 2.0 * rollouts.policy.plain.tables.most_cost
        yield replace(
            advice,
            actions=tuple(
                known.get(one.action) or replace(one, probability=0.0, value_error=unclear)
                for one in advice.actions
            ),
            ground=PlayedOut(tried.earned.shape[1]),
            overruled=tried.overrules,
        )


def _advised(rules: Rules, tried: Tried) -> dict[str, ActionAdvice]:
    """Return the advice on each action that was played out, by its name."""
    names = (format_action(rules, action) for action in tried.actions.tolist())
    figures = tried.chosen.tolist(), tried.values.tolist(), margin_of(tried.earned).tolist()
    return {one[0]: ActionAdvice(*one) for one in zip(names, *figures, strict=True)}
