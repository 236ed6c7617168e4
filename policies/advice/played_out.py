"""Advice for several players by playing the rest of the round out (`policies.players.rollouts`).

For one hand, the choice and the values beside it are those of the same rounds. Actions that were
not played out are unclear. For a range, the choices are the policy's, and each action is played out
with the hands that take it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import repeat

import numpy as np

from zhaifei.game.bids import action_of, mover_of
from zhaifei.game.hands import hand_index
from zhaifei.game.notation import format_action, parse_action
from zhaifei.game.rules import Rules
from zhaifei.policies.advice.advice import (
    ActionAdvice,
    Advice,
    Floats,
    Ints,
    PlayedOut,
    PlayedRange,
    RangeAdvice,
)
from zhaifei.policies.advice.people import people_of, person_of
from zhaifei.policies.learning.familiar import FamiliarReading
from zhaifei.policies.learning.programs import EVERY, POLICY, READER
from zhaifei.policies.players.intervals import margin_of
from zhaifei.policies.players.kinds import People
from zhaifei.policies.players.playing_out import Programs
from zhaifei.policies.players.rollouts import Rollouts, Tried
from zhaifei.solver.playouts.walk import FOLLOWER, READS, RULE


def play_out(rollouts: Rollouts, advice: Advice) -> Iterator[Advice]:
    """Yield `advice` with the values of actions that were played out, from more and more rounds.
    Equal advice gets equal values."""
    rules = rollouts.rules
    bids = [action_of(rules, bid) for bid in advice.history]
    yield from _told(advice, rollouts, rollouts.refine(hand_index(rules, advice.hand), bids))


def play_out_among(rollouts: Rollouts, advice: Advice, *, known: bool) -> Iterator[Advice]:
    """Yield `advice` as `play_out` does; `known` says whether something is known of the others. The
    player takes actions as `advice` says instead of as the policy of `rollouts` does."""
    rules = rollouts.rules
    bids = [action_of(rules, bid) for bid in advice.history]
    last = advice.history[-1] if advice.history else None
    actions = np.array([parse_action(rules, one.action, last) for one in advice.actions])
    figures = np.array([(one.probability, one.value) for one in advice.actions])
    hand = hand_index(rules, advice.hand)
    tried = rollouts.try_out(hand, bids, actions, *figures.T)
    yield from _told(advice, rollouts, tried, known=known)


_PLAYS = {READER: READS, POLICY: FOLLOWER}
"""How programs that are no rules play the rest of a round."""
_POLICY = EVERY.index(POLICY)


def rollouts_among(
    rollouts: Rollouts, reading: FamiliarReading, people: People, bids: Sequence[int]
) -> Rollouts:
    """Return what plays rounds out after `bids` among these `people`, in one turn, who may be
    programs. Rules decide as they do, the reader reads hands as the player who asks does, and the
    policy plays as others do who follow the table. Beliefs in the rest of the round are of players
    who are no programs, and as likely follow the policy."""
    met = reading.met(np.array([bids], dtype=np.int64), people)
    follows, otherwise = (
        np.array([getattr(one, case)[0].sum() for one in met]) for case in ("follows", "limits")
    )
    style = [_PLAYS.get(name, RULE - place) for place, name in enumerate(reading.programs.names)]
    programs = Programs(
        follows=follows / (follows + otherwise),
        held=np.concatenate([one.programs for one in met]),
        style=np.array(style),
        acts=reading.programs.acts,
    )
    first = people_of([person_of(reading.rules)])
    odds = first.odds + _following(people) - _following(first)
    return rollouts.among(people._replace(odds=odds), mover_of(reading.rules, bids), programs)


def _following(people: People) -> Floats:
    """Return [turn, player] the logarithm of the odds that the player follows the table or is the
    policy."""
    rest, policy = people.program[:, :, :_POLICY], people.program[:, :, _POLICY:]
    follows = np.logaddexp(people.odds, np.logaddexp.reduce(policy, axis=2))
    odds: Floats = follows - np.logaddexp(0.0, np.logaddexp.reduce(rest, axis=2))
    return odds


def _told(
    advice: Advice, rollouts: Rollouts, found: Iterable[Tried], *, known: bool = False
) -> Iterator[Advice]:
    """Yield `advice` with the figures of actions that were tried."""
    rules = rollouts.rules
    for tried in found:
        figures = _advised(rules, tried)
        unclear = 2.0 * rollouts.policy.plain.tables.most_cost
        yield replace(
            advice,
            actions=tuple(
                figures.get(one.action) or replace(one, probability=0.0, value_error=unclear)
                for one in advice.actions
            ),
            ground=PlayedOut(tried.earned.shape[1], known),
            overruled=tried.overrules,
        )


RANGE_ROUNDS = 512, 2048
"""The rounds for each action of a range, in each step."""
LEAST_SHARE = 0.002
"""Actions that the range takes more seldom are not played out."""


def play_out_range(rollouts: Rollouts, advice: RangeAdvice) -> Iterator[RangeAdvice]:
    """Yield `advice` for a range with the values of what its hands do, from more and more rounds.
    Equal advice gets equal values."""
    bids = [action_of(rollouts.rules, bid) for bid in advice.history]
    taken = advice.weights[:, np.newaxis] * advice.strategy
    shares = taken.sum(axis=0)
    places = np.flatnonzero(shares >= min(LEAST_SHARE, shares.max()))

    def play(place: int, rounds: int) -> tuple[Ints, Floats]:
        action = int(advice.legal[place])
        return rollouts.earned_by_range(taken[:, place], bids, action, rounds)

    for rounds in RANGE_ROUNDS:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = pool.map(play, places.tolist(), repeat(rounds))
            own, earned = map(np.stack, zip(*found, strict=True))
        yield replace(advice, played=PlayedRange(places, own, earned))


def _advised(rules: Rules, tried: Tried) -> dict[str, ActionAdvice]:
    """Return the advice on each action that was played out, by its name."""
    names = (format_action(rules, action) for action in tried.actions.tolist())
    figures = tried.chosen.tolist(), tried.values.tolist(), margin_of(tried.earned).tolist()
    return {one[0]: ActionAdvice(*one) for one in zip(names, *figures, strict=True)}
