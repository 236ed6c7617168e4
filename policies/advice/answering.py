"""From beliefs to advice: the figures of every action, as people hear them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import Bid, action_count, action_of, challenge_action, challengeable
from zhaifei.game.rules import Rules
from zhaifei.policies.advice.advice import Rows, Source
from zhaifei.policies.advice.values import Figures, Part, true_with
from zhaifei.solver.abstraction import BETWEEN_ENDS, WHOLE, Abstraction, considered_tables

Floats = NDArray[np.float64]

OnStrategy = Callable[[Floats], object]
"""A callback that gets the policy's strategy [place, action] for the hands of the question, before
the values are computed, which takes longer."""


def rows_under(
    rules: Rules,
    part: Part,
    said: tuple[Bid, ...],
    abstraction: Abstraction = WHOLE,
    on_strategy: OnStrategy = lambda played: None,
    *,
    earlier_unknown: bool = False,
) -> Rows:
    """Return the advice for the hands of `part` after the bids `said`, which `abstraction` reads
    as the history of the beliefs.

    Figures are averaged over the beliefs; the value of an action, over those in which it is legal.
    All sums add the weights in the same order, and are divided by the total weight at the end. So
    an average of probabilities is at most 1, despite rounding.
    """
    tables, own, first = considered_tables(rules, abstraction), part.own, part.beliefs[0]
    distances = challengeable(rules, len(said))
    total, chances = 0.0, np.zeros((own.size, len(distances)))
    strategy = np.zeros((own.size, action_count(rules)))
    values, legal = np.zeros((2, *strategy.shape)), np.zeros(strategy.shape[1])
    for one in part.beliefs:
        total += one.weight
        strategy += one.weight * one.rest.strategy(one, own)
        for place, distance in enumerate(distances):
            bid = action_of(rules, one.history[-distance])
            chances[:, place] += one.weight * true_with(tables, bid, one.ranges)[own]
    strategy /= total
    chances /= total
    on_strategy(strategy)
    for one in part.beliefs:
        found = one.rest.values(one, own, len(part.beliefs))
        values += one.weight * np.nan_to_num(found)
        legal += one.weight * ~np.isnan(found[0][0])
    with np.errstate(invalid="ignore"):
        values /= legal
    figures = first.rest.chosen(first, own, Figures(strategy, *values))
    usual = figures.strategy[np.arange(own.size), strategy.argmax(axis=1)]
    on_path = np.ones(own.size, dtype=np.bool_)
    taken_for = None
    if not earlier_unknown:
        figures, chances = _spoken(rules, abstraction, part, said, figures, chances)
        taken_for = None if first.history == said else first.history
    listed = np.flatnonzero(~np.isnan(figures.values[0]))
    return Rows(
        rules,
        own,
        said,
        listed,
        strategy=np.take(figures.strategy, listed, axis=1),
        values=np.take(figures.values, listed, axis=1),
        errors=np.take(figures.errors, listed, axis=1),
        chances=chances,
        grounds=(first.ground,) * own.size,
        own_on_path=on_path if first.own_on_path is None else first.own_on_path[own],
        left_out=(usual == 0.0) & first.rest.overrules,
        earlier_unknown=earlier_unknown,
        taken_for=taken_for,
    )


def _spoken(
    rules: Rules,
    abstraction: Abstraction,
    part: Part,
    said: tuple[Bid, ...],
    figures: Figures,
    chances: Floats,
) -> tuple[Figures, Floats]:
    """Return the figures and the chances that bids are true, both after the bids as which
    `abstraction` reads `said`, as those after `said`.

    The table of an abstraction may list bids that cannot follow `said`. They are left out, and
    their probability goes to the strongest idle bid (`solver.abstraction`). The table answers idle
    bids that it never makes itself, but it does not store how the player goes on who made one. So
    the values of raises are unknown after such a bid.
    """
    if not abstraction.idle or not said:
        return figures, chances
    (beliefs,) = part.beliefs
    last, challenge = action_of(rules, said[-1]), challenge_action(rules)
    strategy = np.minimum(abstraction.spoken((last,), figures.strategy.copy()), 1.0)
    values, errors = figures.values.copy(), figures.errors.copy()
    values[:, : min(last + 1, abstraction.idle)] = np.nan
    if beliefs.ground is Source.UNREACHED:
        errors[:, :challenge] = BETWEEN_ENDS
    if beliefs.history != said:
        tables = considered_tables(rules, abstraction)
        true = true_with(tables, last, beliefs.ranges)[part.own]
        values[:, challenge], errors[:, challenge] = 1.0 - 2.0 * true, 0.0
        chances = true[:, np.newaxis]
    return Figures(strategy, values, errors), chances
