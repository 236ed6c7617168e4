"""One MCCFR traversal: a player's regrets for all own hands, against sampled replies.

This is public chance sampling (Johanson et al. 2012) for a game without public chance. Both
players' hands stay ranges, never single hands, and only the *public replies* of the other players
are sampled. At a history where another player moves,

- what their challenges earn is added exactly, for the whole range;
- whether play goes on is drawn by the probability that the range raises;
- which raise is drawn from the range's own mixture, and Bayes' rule makes the next range.

So the value of every own action is unbiased for every own hand, as in external sampling (Lanctot
et al. 2009), but without the noise of dealing each other player one hand.

Deviations from the papers, all in this file and in `solver.cfr.infosets`:

- Regrets are weighted linearly (Brown & Sandholm 2019), the average uniformly.
- A slot whose regret is negative for every hand is skipped with a probability that grows with the
  size of the regret (`revisit_probability`). A slot that is visited nevertheless has its own regret
  reweighted, so that the expected sum stays the same; information sets below it are only visited
  less often.
- Where no action of a hand has positive regret, the hand plays the fallback, not uniformly. Regret
  matching may do anything there, since theorem 4 of Zinkevich et al. (2007) rests on Blackwell's
  condition, which then holds for any strategy. Uniform raises would make early trees explode.
- Averages are taken at a fixed fraction of the visits where the other player moves.
- A node is added after the visit that first reaches it; until then everybody challenges there.
- With several threads, tables are updated without locks; an update may be lost, rarely.

Tables, ranges and values are in single precision.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import NO_BID, BidTables
from zhaifei.solver.bidding import Settled, settled_at
from zhaifei.solver.cfr.infosets import (
    EMPTY,
    ILLEGAL,
    NO_ROW,
    InfoSetTable,
    base_bid,
    node_after,
    raises_end,
    slot_count,
)
from zhaifei.solver.machine.jit import hot_kernel
from zhaifei.solver.showdown import ONE, TINY, ZERO, convolve, count_matching, payoffs, sum_false
from zhaifei.solver.tables.recall import context_of

AVERAGED = 0.25
"""The fraction of visits to another player's node that add to its average."""
REVISITED = 3.0
"""The average number of slots that are visited at a node if all are pruned. It is higher where
regrets are small. At nodes with few actions, pruning saves little and adds noise."""
NO_RAISE = -1
LANES = 16


class Workspace(NamedTuple):
    """The arrays of one thread. `depth` counts the traverser's moves from 1; depth 0 is above
    them."""

    history: NDArray[np.int64]
    """[length] the bids of the current line of play, oldest first."""
    ranges: NDArray[np.float32]
    """[depth, player, hand] the range of each player, summing to 1."""
    length: NDArray[np.int64]
    """[depth] the number of bids before the traverser's move."""
    node: NDArray[np.int64]
    """[depth] the node of the traverser's move."""
    slots: NDArray[np.int64]
    """[depth] the number of slots to visit."""
    valued: NDArray[np.int64]
    """[depth] the number of these slots that have been opened or valued."""
    visited: NDArray[np.int64]
    """[depth, place] the slots that this traversal visits."""
    importance: NDArray[np.float32]
    """[depth, place] 1 over the probability of visiting the slot."""
    values: NDArray[np.float32]
    """[depth, place, hand] counterfactual values of the visited slots, in penalty points."""
    challenging: NDArray[np.float32]
    """[hand] the part of a range that makes one challenge."""
    ending: NDArray[np.float32]
    """[hand] the part of a range that makes any challenge."""
    scratch: NDArray[np.float32]
    """[hand] scratch."""
    lanes: NDArray[np.float32]
    """[LANES] scratch of `highest`."""
    counts: NDArray[np.float32]
    """[2, dice on the table + 1] distributions of matching dice."""
    false_mass: NDArray[np.float32]
    """[own matching dice] the probability that a bid is false."""
    random: NDArray[np.uint64]
    """[1] the state of the generator."""
    new_contexts: NDArray[np.int64]
    """[n, 3] the requested nodes: context, last bid, and number of bids that may be challenged."""
    new_slots: NDArray[np.int64]
    """[n] the slots that request a row."""
    requested: NDArray[np.int64]
    """[2] the number of requested nodes and of requested rows."""


def workspace(bids: BidTables, depth: int) -> Workspace:
    """Return a workspace for rounds in which a player makes at most `depth - 2` moves."""
    hands, actions = bids.prior.shape[1], bids.claimed.size + bids.endings
    return Workspace(
        history=np.zeros(actions, dtype=np.int64),
        ranges=np.zeros((depth, bids.players, hands), dtype=np.float32),
        length=np.zeros(depth, dtype=np.int64),
        node=np.zeros(depth, dtype=np.int64),
        slots=np.zeros(depth, dtype=np.int64),
        valued=np.zeros(depth, dtype=np.int64),
        visited=np.zeros((depth, actions), dtype=np.int64),
        importance=np.zeros((depth, actions), dtype=np.float32),
        values=np.zeros((depth, actions, hands), dtype=np.float32),
        challenging=np.zeros(hands, dtype=np.float32),
        ending=np.zeros(hands, dtype=np.float32),
        scratch=np.zeros(hands, dtype=np.float32),
        lanes=np.zeros(LANES, dtype=np.float32),
        counts=np.zeros((2, bids.players * bids.dice + 1), dtype=np.float32),
        false_mass=np.zeros(bids.dice + 1, dtype=np.float32),
        random=np.zeros(1, dtype=np.uint64),
        new_contexts=np.zeros((1 << 17, 3), dtype=np.int64),
        new_slots=np.zeros(1 << 19, dtype=np.int64),
        requested=np.zeros(2, dtype=np.int64),
    )


@hot_kernel
def copy(source: NDArray[np.float32], target: NDArray[np.float32]) -> None:
    """Copy `source` [hand] to `target` [hand], since numba's slice assignment would allocate."""
    for hand in range(source.size):
        target[hand] = source[hand]


@hot_kernel
def highest(values: NDArray[np.float32], lanes: NDArray[np.float32]) -> float:
    """Return the largest of `values` [hand], found lane by lane, because a plain maximum does not
    vectorise."""
    for lane in range(LANES):
        lanes[lane] = -np.inf
    whole = values.size - values.size % LANES
    for start in range(0, whole, LANES):
        for lane in range(LANES):
            lanes[lane] = max(lanes[lane], values[start + lane])
    largest = np.float32(-np.inf)
    for lane in range(LANES):
        largest = max(largest, lanes[lane])
    for hand in range(whole, values.size):
        largest = max(largest, values[hand])
    return float(largest)


@hot_kernel
def draw(random: NDArray[np.uint64]) -> float:
    """Return a uniform number from [0, 1) by SplitMix64 (Steele, Lea & Flood 2014)."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = random[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed = mixed ^ (mixed >> np.uint64(31))
    return float(mixed >> np.uint64(11)) * 2.0**-53


@hot_kernel
def seed_traversal(random: NDArray[np.uint64], seed: int, traversal: int) -> None:
    """Seed the generator for one traversal. Its numbers then depend neither on the thread that runs
    the traversal nor on the order of traversals."""
    random[0] = np.uint64(seed) * np.uint64(0xD1342543DE82EF95) + np.uint64(traversal)
    draw(random)
    random[0] ^= np.uint64(traversal) * np.uint64(0xBF58476D1CE4E5B9)


@hot_kernel
def settle(
    bids: BidTables, work: Workspace, depth: int, seat: int, mover: int, made: Settled
) -> float:
    """Settle an ending: write `work.false_mass` by own matching dice, and return the mass settled.

    The others' ranges are those at `depth`. A `mover` other than `seat`, who takes the ending,
    enters only with the part of their range in `work.challenging`.
    """
    total, other = work.counts[0], work.counts[1]
    for count in range(total.size):
        total[count] = ZERO
    total[0] = ONE
    dice = 0
    for player in range(bids.players):
        if player == seat:
            continue
        part = work.challenging if player == mover else work.ranges[depth, player]
        matches = bids.matches[made.bid]
        count_matching(part, matches, bids.dice, other)
        dice += bids.dice
        convolve(total, dice, other, bids.dice)
    return sum_false(total, dice, made.claimed, work.false_mass)


@hot_kernel
def add_ending_value(
    bids: BidTables,
    work: Workspace,
    depth: int,
    seat: int,
    length: int,
    ending: int,
    value: NDArray[np.float32],
) -> None:
    """Add to `value` [hand] what `seat` earns where the player to move takes the `ending`, which is
    legal."""
    made, players = settled_at(bids, work.history, length, ending), bids.players
    mass = settle(bids, work, depth, seat, length % players, made)
    challenger, bidder = made.challenger % players, made.bidder % players
    if_true, if_false = payoffs(float(made.cost), players, seat, challenger, bidder)
    matches = bids.matches[made.bid]
    for own in range(bids.dice + 1):
        false = work.false_mass[own]
        earned, wanted = np.float32(if_true * (mass - false) + if_false * false), np.int8(own)
        for hand in range(value.size):
            value[hand] += earned if matches[hand] == wanted else ZERO


@hot_kernel
def request_node(work: Workspace, context: int, last: int, challengeable: int) -> None:
    """Request a node for a history that has none. If too many are requested, the request is dropped
    and comes up again."""
    requested = work.requested[0]
    if requested < work.new_contexts.shape[0]:
        work.new_contexts[requested, 0] = context
        work.new_contexts[requested, 1] = last
        work.new_contexts[requested, 2] = challengeable
        work.requested[0] += 1


@hot_kernel
def request_row(work: Workspace, slot: int) -> None:
    """Request a row for a slot that has become worth playing; drop the request if there are too
    many."""
    requested = work.requested[1]
    if requested < work.new_slots.size:
        work.new_slots[requested] = slot
        work.requested[1] += 1


@hot_kernel
def is_played(table: InfoSetTable, slot: int) -> bool:
    """Return whether some hand plays `slot`."""
    played: bool = table.row[slot] != NO_ROW and table.top[slot] > 0.0
    return played


@hot_kernel
def split_challenge(
    table: InfoSetTable,
    node: int,
    ending: int,
    range_: NDArray[np.float32],
    challenging: NDArray[np.float32],
) -> float:
    """Write into `challenging` [hand] the part of `range_` that takes the `ending` at `node`;
    return its mass."""
    slot = 0 if ending == 0 else raises_end(table.bids, table.last[node]) + ending - 1
    scale, fallback = table.scale[node], table.fallback[node]
    regret = table.regret[table.row[table.first_slot[node] + slot]]
    mass = ZERO
    for hand in range(range_.size):
        share = fallback[hand] if slot == 0 else max(regret[hand], ZERO) * scale[hand]
        part = range_[hand] * share
        challenging[hand] = part
        mass += part
    return float(mass)


@hot_kernel
def settle_challenges(
    table: InfoSetTable,
    work: Workspace,
    depth: int,
    seat: int,
    node: int,
    length: int,
    value: NDArray[np.float32],
) -> float:
    """Add to `value` [hand] what the challenges of the player to move earn; return their mass.

    The part of the range that makes any challenge is left in `work.ending`.
    """
    bids, leaves = table.bids, work.ending
    range_ = work.ranges[depth, length % bids.players]
    for hand in range(leaves.size):
        leaves[hand] = ZERO
    slot = table.first_slot[node] + raises_end(bids, table.last[node]) - 1
    mass = 0.0
    for ending in range(min(bids.endings, length)):
        if ending == 0 or is_played(table, slot + ending):
            mass += split_challenge(table, node, ending, range_, work.challenging)
            add_ending_value(bids, work, depth, seat, length, ending, value)
            for hand in range(leaves.size):
                leaves[hand] += work.challenging[hand]
    return mass


@hot_kernel
def add_to_average(
    table: InfoSetTable,
    node: int,
    actions: int,
    range_: NDArray[np.float32],
    scratch: NDArray[np.float32],
) -> None:
    """Add the current strategy of every hand to the node's average, weighted by the hand's own
    reach."""
    slot, scale, fallback = table.first_slot[node], table.scale[node], table.fallback[node]
    average = table.average[table.row[slot]]
    for hand in range(range_.size):
        reach = range_[hand] / table.bids.prior[0, hand]
        scratch[hand] = reach * scale[hand]
        average[hand] += reach * fallback[hand]
    for action in range(1, actions):
        if is_played(table, slot + action):
            regret = table.regret[table.row[slot + action]]
            average = table.average[table.row[slot + action]]
            for hand in range(range_.size):
                average[hand] += scratch[hand] * max(regret[hand], ZERO)


@hot_kernel
def draw_hand(work: Workspace, range_: NDArray[np.float32], raising: float) -> int:
    """Draw a hand from the part of `range_` [hand] that does not challenge, of mass `raising`. It
    is `range_` without `work.ending`."""
    left = draw(work.random) * raising
    hand = 0
    while hand < range_.size - 1:
        left -= range_[hand] - work.ending[hand]
        if left <= 0.0:
            break
        hand += 1
    return hand


@hot_kernel
def scale_to_one(range_: NDArray[np.float32], mass: float) -> None:
    """Divide `range_` [hand] by its positive `mass`, in place."""
    normaliser = ONE / np.float32(mass)
    for hand in range(range_.size):
        range_[hand] *= normaliser


@hot_kernel
def sample_raise(
    table: InfoSetTable, work: Workspace, node: int, range_: NDArray[np.float32], raising: float
) -> int:
    """Draw a raise from the mixture over the range: first a hand that raises, then its raise.

    `raising` is the mass that does not challenge. Return NO_RAISE if rounding leaves no raise.
    """
    last = table.last[node]
    actions = raises_end(table.bids, last)
    first = 0 if last == NO_BID else 1
    hand = draw_hand(work, range_, raising)
    slot = table.first_slot[node]
    total = 0.0
    for action in range(first, actions):
        if is_played(table, slot + action):
            total += max(table.regret[table.row[slot + action], hand], np.float32(0.0))
    if total == 0.0:
        return 0 if first == 0 else NO_RAISE
    left = draw(work.random) * total
    drawn = NO_RAISE
    for action in range(first, actions):
        if is_played(table, slot + action):
            regret = table.regret[table.row[slot + action], hand]
            if regret > 0.0:
                drawn = action
                left -= regret
                if left <= 0.0:
                    break
    return drawn


@hot_kernel
def condition_on(table: InfoSetTable, node: int, action: int, range_: NDArray[np.float32]) -> float:
    """Update `range_` [hand] in place to the range after `action`, by Bayes' rule; return the
    probability of the action."""
    scale, fallback = table.scale[node], table.fallback[node]
    regret = table.regret[table.row[table.first_slot[node] + action]]
    mass = ZERO
    for hand in range(range_.size):
        share = fallback[hand] if action == 0 else max(regret[hand], ZERO) * scale[hand]
        range_[hand] *= share
        mass += range_[hand]
    if mass > 0.0:
        scale_to_one(range_, float(mass))
    return float(mass)


@hot_kernel
def reply(
    table: InfoSetTable,
    work: Workspace,
    depth: int,
    seat: int,
    length: int,
    value: NDArray[np.float32],
) -> bool:
    """Let the player to move reply: add to `value` [hand] what their challenges earn, and draw
    whether and how they raise.

    Return whether they raised. If so, the raise is in the history, and their range is conditioned
    on it.
    """
    bids = table.bids
    last = work.history[length - 1] if length > 0 else NO_BID
    range_ = work.ranges[depth, length % bids.players]
    context = context_of(table.recall, work.history, length)
    node = node_after(table, context, last)
    if node == EMPTY:
        request_node(work, context, last, min(length, bids.endings))
        copy(range_, work.challenging)
        add_ending_value(bids, work, depth, seat, length, 0, value)
        return False
    raising = 1.0 - settle_challenges(table, work, depth, seat, node, length, value)
    if draw(work.random) < AVERAGED:
        add_to_average(table, node, slot_count(bids, last), range_, work.scratch)
    if draw(work.random) >= raising:
        return False
    action = sample_raise(table, work, node, range_, raising)
    if action == NO_RAISE or condition_on(table, node, action, range_) <= 0.0:
        return False
    work.history[length] = base_bid(bids, last) + action
    return True


@hot_kernel
def revisit_probability(top: float, weight: float, actions: int) -> float:
    """Return the probability of visiting a slot whose regret is at most `top` < 0 for every hand.

    The slot is one of the `actions` slots of its node. A visit changes regrets by at most 2 *
    `weight` / probability, so a single reweighted visit does not lift them far above zero.
    """
    return min(1.0, max(REVISITED / actions, -weight / top))


@hot_kernel
def choose_slots(
    table: InfoSetTable, work: Workspace, depth: int, actions: int, weight: float
) -> None:
    """List in `work.visited` the slots to visit: all that some hand may play, and a sample of the
    others. The fallback is always visited, and comes first."""
    slot = table.first_slot[work.node[depth]]
    places = 0
    for action in range(actions):
        top = table.top[slot + action]
        importance = np.float32(1.0)
        if top == ILLEGAL:
            continue
        if action > 0 and top < 0.0:
            probability = revisit_probability(top, weight, actions)
            if draw(work.random) >= probability:
                continue
            importance = np.float32(1.0 / probability)
        work.visited[depth, places] = action
        work.importance[depth, places] = importance
        places += 1
    work.slots[depth] = places


@hot_kernel
def open_frame(
    table: InfoSetTable, work: Workspace, depth: int, seat: int, length: int, weight: float
) -> bool:
    """Play the others' replies up to the traverser's next move, and prepare that move at `depth`.

    The ranges at `depth` must be those after `length` bids. The value goes to the frame above.
    Return False if the line has ended and its value is complete.
    """
    value = work.values[depth - 1, work.valued[depth - 1] - 1]
    value[:] = 0.0
    while length % table.bids.players != seat:
        if not reply(table, work, depth, seat, length, value):
            return False
        length += 1
    return prepare_own_move(table, work, depth, seat, length, weight, value)


@hot_kernel
def prepare_own_move(
    table: InfoSetTable,
    work: Workspace,
    depth: int,
    seat: int,
    length: int,
    weight: float,
    value: NDArray[np.float32],
) -> bool:
    """List the slots to visit at `depth`. Return False if the history has no node yet: there a
    challenge ends the line, and `value` is complete."""
    bids = table.bids
    last = work.history[length - 1] if length > 0 else NO_BID
    context = context_of(table.recall, work.history, length)
    node = node_after(table, context, last)
    if node == EMPTY:
        request_node(work, context, last, min(length, bids.endings))
        add_ending_value(bids, work, depth, seat, length, 0, value)
        return False
    work.length[depth], work.node[depth] = length, node
    choose_slots(table, work, depth, slot_count(bids, last), weight)
    work.valued[depth] = 0
    if length > 0:
        work.values[depth, 0, :] = 0.0
        add_ending_value(bids, work, depth, seat, length, 0, work.values[depth, 0])
        work.valued[depth] = 1
    return True


@hot_kernel
def add_own_value(
    table: InfoSetTable, work: Workspace, depth: int, value: NDArray[np.float32]
) -> None:
    """Add to `value` [hand] what the current strategy earns over the visited slots.

    Other slots have no positive regret, so they are not played.
    """
    node = work.node[depth]
    slot, scale, fallback = table.first_slot[node], table.scale[node], table.fallback[node]
    gain, earned = work.challenging, work.values[depth, 0]
    for hand in range(value.size):
        gain[hand] = earned[hand] * fallback[hand]
    for place in range(1, work.slots[depth]):
        action = work.visited[depth, place]
        if is_played(table, slot + action):
            regret = table.regret[table.row[slot + action]]
            earned = work.values[depth, place]
            for hand in range(value.size):
                gain[hand] += earned[hand] * max(regret[hand], ZERO) * scale[hand]
    for hand in range(value.size):
        value[hand] += gain[hand]


@hot_kernel
def update_regrets(table: InfoSetTable, work: Workspace, depth: int, weight: float) -> None:
    """Add the regrets of the visited slots, relative to the value of the current strategy in
    `work.challenging`.

    This is linear CFR: regrets of iteration t have weight t (Brown & Sandholm 2019, section 3).
    """
    node = work.node[depth]
    slot, value, positive = table.first_slot[node], work.challenging, work.scratch
    for hand in range(value.size):
        positive[hand] = ZERO
    for place in range(work.slots[depth]):
        action = work.visited[depth, place]
        earned = work.values[depth, place]
        scale = np.float32(weight) * work.importance[depth, place]
        row = table.row[slot + action]
        if row == NO_ROW:
            for hand in range(value.size):
                earned[hand] -= value[hand]
            table.top[slot + action] += scale * highest(earned, work.lanes)
            if table.top[slot + action] > 0.0:
                request_row(work, slot + action)
            continue
        regret = table.regret[row]
        for hand in range(value.size):
            updated = regret[hand] + scale * (earned[hand] - value[hand])
            regret[hand] = updated
            positive[hand] += max(updated, ZERO)
        table.top[slot + action] = highest(regret, work.lanes)
    scale, fallback = table.scale[node], table.fallback[node]
    regret = table.regret[table.row[slot]]
    for hand in range(value.size):
        some = positive[hand] >= TINY
        scale[hand] = ONE / positive[hand] if some else ZERO
        fallback[hand] = max(regret[hand], ZERO) * scale[hand] if some else ONE


@hot_kernel
def start_line(bids: BidTables, work: Workspace) -> None:
    """Set up the first frame of a traversal."""
    for player in range(bids.players):
        copy(bids.prior[0], work.ranges[1, player])
    work.valued[0] = 1


@hot_kernel
def next_raise(table: InfoSetTable, work: Workspace, depth: int, seat: int, weight: float) -> int:
    """Make the traverser's next raise, at `depth` or above, once all lines below have been valued.

    Return the depth of the raise, or 0 after the last raise. The history and the ranges at the next
    depth are then those after the raise.
    """
    bids = table.bids
    while depth > 0:
        if work.valued[depth] == work.slots[depth]:
            value = work.values[depth - 1, work.valued[depth - 1] - 1]
            add_own_value(table, work, depth, value)
            update_regrets(table, work, depth, weight)
            depth -= 1
            continue
        length = work.length[depth]
        last = work.history[length - 1] if length > 0 else NO_BID
        action = work.visited[depth, work.valued[depth]]
        work.valued[depth] += 1
        if action >= raises_end(bids, last):
            ending = action - raises_end(bids, last) + 1
            value = work.values[depth, work.valued[depth] - 1]
            value[:] = 0.0
            if ending < length:
                add_ending_value(bids, work, depth, seat, length, ending, value)
            continue
        work.history[length] = base_bid(bids, last) + action
        for player in range(bids.players):
            copy(work.ranges[depth, player], work.ranges[depth + 1, player])
        return depth
    return 0


@hot_kernel
def traverse(table: InfoSetTable, work: Workspace, seat: int, weight: float) -> None:
    """Run one traversal for the player who makes moves `seat`, `seat + players`, ... of the round.

    Its value by own hand is left in `work.values[0, 0]`.
    """
    start_line(table.bids, work)
    depth = 1 if open_frame(table, work, 1, seat, 0, weight) else 0
    while depth > 0:
        depth = next_raise(table, work, depth, seat, weight)
        length = work.length[depth] + 1
        if depth > 0 and open_frame(table, work, depth + 1, seat, length, weight):
            depth += 1


@hot_kernel
def run_batch(
    table: InfoSetTable,
    work: Workspace,
    seed: int,
    sweeps: tuple[int, int, int],
    opener_value: NDArray[np.float64],
) -> None:
    """Run the sweeps start, start + step, ... below stop (`sweeps`). Each sweep is one traversal
    for every player.

    Add to `opener_value` [2] the sum of the first player's weighted values, and of the weights.
    """
    bids = table.bids
    for sweep in range(sweeps[0], sweeps[1], sweeps[2]):
        weight = sweep + 1.0
        for seat in range(bids.players):
            seed_traversal(work.random, seed, sweep * bids.players + seat)
            traverse(table, work, seat, weight)
            if seat == 0:
                for hand in range(bids.prior.shape[1]):
                    opener_value[0] += weight * bids.prior[0, hand] * work.values[0, 0, hand]
                opener_value[1] += weight
