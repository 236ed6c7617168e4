"""Reading in compiled code: the model that kernels of `solver.playouts` have of the players, and
the decisions of a player who reads hands after many histories at once.

The numpy forms, `policies.players.table_reading` and `policies.players.doubting`, need no
compiling. Compiled code takes a tenth of their time or less where histories are many.
"""

from __future__ import annotations

import math

import numpy as np

from zhaifei.game.bids import challenge_action, gives_up_action, mover_of
from zhaifei.game.hands import probabilities
from zhaifei.game.rules import Rules
from zhaifei.game.tables import BidTables
from zhaifei.policies.players.doubting import DoubtingReading
from zhaifei.policies.players.kinds import LIMIT_SHARES, Kinds, Style
from zhaifei.policies.players.reading import CHUNK, TIE, PlausibleBidding
from zhaifei.policies.players.styles import SLIP, STOP, FirstBidding, FixedBidding
from zhaifei.solver.playouts.answers import answer
from zhaifei.solver.playouts.beliefs import (
    BY_HAND,
    BY_STATE,
    FROM_STRONGEST,
    FROM_WEAKEST,
    LIMITS,
    NOBODY,
    Floats,
    Model,
    Styles,
)
from zhaifei.solver.playouts.walk import Dealt, Ints, walk_of
from zhaifei.solver.showdown import showdown_tables
from zhaifei.solver.tables.node_index import node_index
from zhaifei.solver.tables.recall import FULL, recall_tables
from zhaifei.solver.tables.strategy_table import STEPS, StrategyTable

MANY = CHUNK
"""The least number of different histories for which compiled code decides."""


def model_of(reading: DoubtingReading, tables: BidTables, table: StrategyTable) -> Model:
    """Return the model that a player with this `reading` has of the players at the table, if the
    player takes nobody to follow the `table`."""
    rules, kinds = reading.rules, reading.kinds
    padded = np.array([*LIMIT_SHARES, *[0.0] * (LIMITS - len(LIMIT_SHARES))])
    return Model(
        game=showdown_tables(tables),
        table=table,
        nodes=node_index(table),
        prior=np.array(probabilities(rules)),
        styles=_styles_of(kinds),
        true=np.ascontiguousarray(kinds.true.T),
        raises=_padded(1.0 - kinds.challenges.transpose(2, 1, 0)),
        shares=np.tile(kinds.shares, (rules.players, 1)),
        limits=np.tile(padded, (rules.players, 1)),
        limit_shares=padded,
        odds=np.full(rules.players, -math.inf),
        surprise=0.0,
        trust=np.full(rules.players, math.inf),
        own=0.0,
        tie=TIE,
        players=rules.players,
        acts=np.zeros((0, 1, 1), dtype=np.int16),
        giving_up=(
            gives_up_action(rules) - challenge_action(rules) if rules.stakes.doubled else NOBODY
        ),
    )


def empty_table(rules: Rules) -> StrategyTable:
    """Return a table that stores no history."""
    whole, one = np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64)
    action, hand = np.zeros(0, dtype=np.int16), np.zeros(0, dtype=np.uint16)
    share = np.zeros(0, dtype=np.uint16)
    for array in (whole, one, action, hand, share):
        array.setflags(write=False)  # as in other tables, for which kernels are compiled
    return StrategyTable(
        recall_tables(rules, FULL),
        whole,
        whole,
        whole,
        action,
        one,
        hand,
        share,
        hands=probabilities(rules).size,
        steps=STEPS,
        unit=1.0 / STEPS,
    )


def decisions(
    model: Model, rules: Rules, hand: Ints, history: Ints, uniform: Floats, style: int
) -> Ints:
    """Return [turn] int64, the actions after a bid or more of a player of a `style` of
    `solver.playouts.walk`, such as FOLLOWER or READS. The other arguments are those of
    `BatchPlayer.act`."""
    (turns, made), players = history.shape, rules.players
    mover = mover_of(rules, history[0].tolist())
    hands, styles = np.zeros((2, turns, players), dtype=np.int64)
    numbers = np.zeros((turns, made + 1))
    hands[:, mover], styles[:, mover], numbers[:, made] = hand, style, uniform
    walk = walk_of(model, (), Dealt(hands, styles, np.zeros_like(hands), numbers), made + 1)
    walk.order[:] = np.lexsort(history.T[::-1])
    answer(model, walk, np.ascontiguousarray(history))
    return walk.action


def _styles_of(kinds: Kinds) -> Styles:
    """Return the styles of the `kinds` as kernels take them."""
    weighted = [style for style in kinds.each if isinstance(style, PlausibleBidding)]
    fixed = [style for style in kinds.each if isinstance(style, FixedBidding)]
    first = [style for style in kinds.each if isinstance(style, FirstBidding)]
    types = [type(style) for style in kinds.each]
    bids, hands = weighted[0].weight.shape
    total = np.stack([style.total for style in weighted])
    enough = np.zeros((len(first), bids, hands), dtype=np.bool_)
    for place, style in enumerate(first):
        enough[place] = style.enough
    return Styles(
        form=np.array([_form_of(style) for style in kinds.each]),
        place=np.array([types[:number].count(its) for number, its in enumerate(types)]),
        opens=np.array([getattr(style, "opening", None) is not None for style in kinds.each]),
        weight=np.stack([style.weight for style in weighted]),
        share=np.divide(1.0, total, out=np.zeros_like(total), where=total > 0.0),
        fixed=np.stack([style.raises for style in fixed]),
        enough=enough,
        going_on=(1.0 - STOP) ** np.arange(bids + 1.0),
        stop=STOP,
        slip=SLIP,
    )


def _form_of(style: Style) -> int:
    if isinstance(style, FirstBidding):
        return FROM_WEAKEST if style.from_weakest else FROM_STRONGEST
    return BY_HAND if isinstance(style, PlausibleBidding) else BY_STATE


def _padded(raises: Floats) -> Floats:
    """Return [bid, dice, limit] the probabilities with limits that nobody has."""
    bids, dice, limits = raises.shape
    padded = np.zeros((bids, dice, LIMITS))
    padded[..., :limits] = raises
    return padded
