"""Rounds that are played out together, in compiled code.

Beliefs depend on the bids alone, so rounds with the same bids share them. The rounds walk through
the tree of bids together, history by history, and beliefs are updated once for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import NO_BID
from zhaifei.solver.machine.jit import hot_kernel, kernel
from zhaifei.solver.playouts.beliefs import (
    BY_HAND,
    BY_STATE,
    FROM_STRONGEST,
    PLAUSIBLE,
    At,
    Model,
    Scratch,
    Seats,
    copy_seat,
    first_share,
    hear,
    scratch_for,
    seats_before,
)
from zhaifei.solver.playouts.decisions import Others, expect, gives_up, least_risk, others_of
from zhaifei.solver.tables.node_index import indexed_node
from zhaifei.solver.tables.rows import share_at
from zhaifei.solver.tables.sampling import drawn
from zhaifei.solver.tables.strategy_table import NO_NODE

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

FOLLOWER, TABLE = -1, -2
"""Stand for the style of a player who follows the table, and reads hands as ReadingPolicy does; and
of one who plays the table wherever it stores the bids, whoever the others are."""
READS, RULE = -3, -4
"""Stand for the style of a player who always reads hands, as FOLLOWER does off the table, and of
one who decides by the first rule of `Model.acts`. RULE - 1 is the second rule, and so on."""


class Dealt(NamedTuple):
    """Rounds to be played out. Axis `player` is in the order of turns from the opener."""

    hand: Ints
    """[round, player] the index of each hand."""
    style: Ints
    """[round, player] how each player bids, or FOLLOWER or TABLE."""
    limit: Ints
    """[round, player] the limit below which each player challenges, unless they follow the
    table."""
    uniform: Floats
    """[round, step] a random number from [0, 1) for each decision."""


class Walk(NamedTuple):
    """Memory for a walk. Axis `depth` is how many bids were made since the round has begun."""

    dealt: Dealt
    seats: Seats
    """The beliefs at the history of the walk."""
    before: Seats
    """As `seats`, but with an axis `depth` in place of `player`: the beliefs about the player who
    bid at each depth, before that bid."""
    scratch: Scratch
    others: Others
    after: Ints
    """[depth, 3] the state of the bidding at each depth, as in At."""
    history: Ints
    """[bid] the bids, oldest first."""
    end: Ints
    """[depth] where the rounds at each depth end in `order`."""
    next: Ints
    """[depth] where the rounds begin in `order` that have not been walked through."""
    order: Ints
    """[place] the rounds, those with the same bids side by side."""
    sorted: Ints
    """[place] scratch memory."""
    action: Ints
    """[round] what the player in turn does."""
    own: Floats
    """[round, player] the probability with which the table makes the player's own bids."""
    counts: Ints
    """[action + 1] scratch memory."""


def walk_of(model: Model, history: Sequence[int], dealt: Dealt, longest: int) -> Walk:
    """Return memory for a walk of the rounds `dealt`, which begin with the bids of `history` and
    make fewer than `longest` bids, and the beliefs after these bids."""
    rounds = len(dealt.hand)
    bids = np.zeros(longest, dtype=np.int64)
    bids[: len(history)] = history
    seats = seats_before(model)
    walk = Walk(
        dealt=dealt,
        seats=seats,
        before=Seats(*(np.empty((longest, *one.shape[1:]), one.dtype) for one in seats)),
        scratch=scratch_for(model),
        others=others_of(model),
        after=np.zeros((longest, len(At._fields)), dtype=np.int64),
        history=bids,
        end=np.zeros(longest, dtype=np.int64),
        next=np.zeros(longest, dtype=np.int64),
        **{one: np.zeros(rounds, dtype=np.int64) for one in ("order", "sorted", "action")},
        own=np.zeros((rounds, model.players)),
        counts=np.zeros(model.game.claimed.size + model.game.back.size + 1, dtype=np.int64),
    )
    _begin(model, walk, len(history))
    return walk


@hot_kernel
def mover(model: Model, made: int, last: int) -> int:
    """Return the player who moves after `made` bids (`game.bids.turn_of`)."""
    level = last // model.game.plain if last != NO_BID else 0
    return int((made - level - level % 2) % model.players)


@hot_kernel
def _at(walk: Walk, depth: int) -> At:
    return At(int(walk.after[depth, 0]), int(walk.after[depth, 1]), int(walk.after[depth, 2]))


@hot_kernel
def _advance(model: Model, walk: Walk, depth: int, into: int, bid: int) -> None:
    """Write at the depth `into` the state of the bidding after a `bid` at `depth`."""
    state, context = walk.after[depth, 0], walk.after[depth, 2]
    walk.after[into, 0] = model.game.after[state, bid]
    walk.after[into, 1] = bid
    walk.after[into, 2] = context + model.table.recall.code[0, bid + 1]


@kernel
def _begin(model: Model, walk: Walk, begun: int) -> None:
    """Walk to the history with which all rounds have `begun`, and write there what others are
    believed to hold."""
    walk.after[0, 1] = NO_BID
    for made in range(begun):
        after, bid = _at(walk, 0), walk.history[made]
        hear(model, walk.seats, walk.scratch, mover(model, made, after.last), after, bid)
        _advance(model, walk, 0, 0, bid)


@kernel
def play_out(model: Model, walk: Walk, begun: int, loser: Ints, cost: Ints) -> None:
    """Play rounds out that have `begun` with this number of bids, and write who loses [round] and
    what it costs [round]. The first decisions are those of `walk.action`."""
    rounds = loser.size
    for place in range(rounds):
        walk.order[place] = place
    _set_own(model, walk, begun)
    walk.next[0] = 0
    walk.end[0] = _settle(model, walk, begun, 0, rounds, loser, cost)
    depth = 0
    while depth >= 0:
        first = walk.next[depth]
        if first == walk.end[depth]:
            depth -= 1
            if depth >= 0:
                made = begun + depth
                player = mover(model, made, walk.after[depth, 1])
                copy_seat(walk.before, depth, walk.seats, player)
            continue
        bid = walk.action[walk.order[first]]
        end = first + 1
        while end < walk.end[depth] and walk.action[walk.order[end]] == bid:
            end += 1
        walk.next[depth] = end
        bid_together(model, walk, begun + depth, depth, first, end, bid)
        depth += 1
        decide(model, walk, begun + depth, depth, first, end)
        walk.next[depth] = first
        walk.end[depth] = _settle(model, walk, begun + depth, first, end, loser, cost)


@hot_kernel
def _set_own(model: Model, walk: Walk, begun: int) -> None:
    """Write with which probability the table makes the players' own bids so far."""
    walk.own[:, :] = 1.0
    context, last = 0, NO_BID
    for made in range(begun):
        bid, player = walk.history[made], mover(model, made, last)
        _play_own(model, walk, context, player, bid, 0, len(walk.own))
        context += model.table.recall.code[0, bid + 1]
        last = bid


@hot_kernel
def _play_own(
    model: Model,
    walk: Walk,
    context: int,
    player: int,
    bid: int,
    first: int,
    end: int,
) -> None:
    """Multiply `walk.own` by the probability of a `bid` of `player`, in the rounds from `first` to
    `end` in the order of the walk."""
    table, node = model.table, indexed_node(model.nodes, context)
    row = NO_NODE
    if node != NO_NODE:
        for place in range(table.first_row[node], table.end_row[node]):
            row = place if table.action[place] == bid else row
    for place in range(first, end):
        round_ = walk.order[place]
        share = 0.0
        if row != NO_NODE:
            share = share_at(table, node, row, walk.dealt.hand[round_, player]) * table.unit
        walk.own[round_, player] *= share


@hot_kernel
def bid_together(
    model: Model,
    walk: Walk,
    made: int,
    depth: int,
    first: int,
    end: int,
    bid: int,
) -> None:
    """Make a `bid` in the rounds from `first` to `end`, and keep what was believed of the bidder
    before."""
    after = _at(walk, depth)
    player = mover(model, made, after.last)
    copy_seat(walk.seats, player, walk.before, depth)
    _play_own(model, walk, after.context, player, bid, first, end)
    hear(model, walk.seats, walk.scratch, player, after, bid)
    walk.history[made] = bid
    _advance(model, walk, depth, depth + 1, bid)


@hot_kernel
def _settle(
    model: Model,
    walk: Walk,
    made: int,
    first: int,
    end: int,
    loser: Ints,
    cost: Ints,
) -> int:
    """Settle the rounds from `first` to `end` that have ended, and put those that go on before
    them, sorted by what is bid. Return where those end."""
    bids = model.game.claimed.size
    for place in range(first, end):
        round_ = walk.order[place]
        if walk.action[round_] >= bids:
            ending = walk.action[round_] - bids
            settled = walk.history[made - model.game.back[ending]]
            cost[round_] = model.game.cost[settled, ending]
            loser[round_] = _loser(model, walk.history, made, ending, walk.dealt.hand[round_])
    return _sort(walk, first, end, bids)


@hot_kernel
def _sort(walk: Walk, first: int, end: int, bids: int) -> int:
    """Sort the rounds from `first` to `end` by what is done. Return where the first round stands
    that has ended, or `end`."""
    counts = walk.counts
    for action in range(counts.size):
        counts[action] = 0
    for place in range(first, end):
        counts[walk.action[walk.order[place]] + 1] += 1
    for action in range(1, counts.size):
        counts[action] += counts[action - 1]
    going = first + counts[bids]
    for place in range(first, end):
        round_ = walk.order[place]
        action = walk.action[round_]
        walk.sorted[first + counts[action]] = round_
        counts[action] += 1
    for place in range(first, end):
        walk.order[place] = walk.sorted[place]
    return int(going)


@hot_kernel
def _loser(model: Model, history: Ints, made: int, ending: int, hands: Ints) -> int:
    """Return who loses a round that the `ending` ends after `made` bids of `history`."""
    game, players, last = model.game, model.players, history[made - 1]
    if model.giving_up == ending and last >= game.plain:
        return mover(model, made, last)
    back = game.back[ending]
    bid = history[made - back]
    back += bid // game.plain  # doubles follow their bid, one by one
    counted = 0
    for player in range(players):
        counted += game.matches[game.kind[bid], hands[player]]
    if counted >= game.claimed[bid]:  # the challenger loses
        return int((made if bid < game.plain else made - back + 1) % players)
    return int((made - back) % players)


# Decisions


@hot_kernel
def decide(model: Model, walk: Walk, made: int, depth: int, first: int, end: int) -> None:
    """Write what the player in turn does in the rounds from `first` to `end`."""
    after = _at(walk, depth)
    player = mover(model, made, after.last)
    node, evidence = indexed_node(model.nodes, after.context), 0.0
    for other in range(model.players):
        evidence += walk.seats.evidence[other] if other != player else 0.0
    is_trusted, expects = evidence >= model.trust[player], False
    for place in range(first, end):
        round_ = walk.order[place]
        hand, uniform = walk.dealt.hand[round_, player], walk.dealt.uniform[round_, depth]
        style, limit = walk.dealt.style[round_, player], walk.dealt.limit[round_, player]
        if style >= 0:
            walk.action[round_] = _decided_by_kind(model, style, limit, hand, after, uniform)
        elif style <= RULE:
            walk.action[round_] = model.acts[RULE - style, after.state, hand]
        elif (node != NO_NODE and style != READS) and (
            style == TABLE or (is_trusted and walk.own[round_, player] >= model.own)
        ):
            walk.action[round_] = drawn(model.table, node, hand, uniform)
        else:
            if not expects:
                expect(model, walk.seats, walk.scratch, walk.others, player, after)
                expects = True
            walk.action[round_] = least_risk(model, walk.others, hand, after)


@hot_kernel
def _decided_by_kind(
    model: Model, style: int, limit: int, hand: int, after: At, uniform: float
) -> int:
    """Return the action of a player of this style and limit: a challenge, or else a raise."""
    game, state, last = model.game, after.state, after.last
    dice = game.matches[game.kind[last], hand]
    challenges = 1.0 - model.raises[last, dice, limit]
    if last >= game.plain and gives_up(model, last, model.true[last, dice]):
        return int(game.claimed.size + model.giving_up)
    if game.first_raise[state] >= game.plain or uniform < challenges:
        return int(game.claimed.size)
    every = _enough_raises(model, style, hand, state)
    total, before = 0.0, 0
    for bid in range(game.first_raise[state], game.plain):
        if game.legal[state, bid]:
            total += _weight(model, style, hand, state, bid, before, every)
            before += _is_enough(model, style, hand, bid)
    left, action, before = (uniform - challenges) / (1.0 - challenges) * total, game.claimed.size, 0
    for bid in range(game.first_raise[state], game.plain):
        if not game.legal[state, bid]:
            continue
        weight = _weight(model, style, hand, state, bid, before, every)
        before += _is_enough(model, style, hand, bid)
        if weight > 0.0:
            action = bid
            if left < weight:
                break
            left -= weight
    return int(action)


@hot_kernel
def _enough_raises(model: Model, style: int, hand: int, state: int) -> int:
    """Return how many raises are likely enough for a style that asks for it."""
    game, every = model.game, 0
    if model.styles.form[style] in (BY_HAND, BY_STATE):
        return 0
    for bid in range(game.first_raise[state], game.plain):
        if game.legal[state, bid]:
            every += _is_enough(model, style, hand, bid)
    return every


@hot_kernel
def _is_enough(model: Model, style: int, hand: int, bid: int) -> bool:
    """Return whether the bid is likely enough for a style that asks for it."""
    styles = model.styles
    if styles.form[style] in (BY_HAND, BY_STATE):
        return False
    return bool(styles.enough[styles.place[style], bid, hand])


@hot_kernel
def _weight(
    model: Model, style: int, hand: int, state: int, bid: int, before: int, every: int
) -> float:
    """Return how much a player of this style likes a legal raise. Of the `every` raise that is
    likely enough, `before` are weaker."""
    styles = model.styles
    form, place = styles.form[style], styles.place[style]
    if form == BY_HAND:
        return float(styles.weight[place, bid, hand])
    if form == BY_STATE:
        return float(styles.fixed[place, state, bid])
    is_enough = styles.enough[place, bid, hand]
    if form == FROM_STRONGEST:
        before = max(every - before - is_enough, 0)
    plausible = styles.weight[PLAUSIBLE, bid, hand] * styles.share[PLAUSIBLE, state, hand]
    return first_share(styles, is_enough, plausible, before, every)
