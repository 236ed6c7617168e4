"""Solving rounds of two players with few low bids, one player at a time.

Where any count may open, a round can begin with a long run of bids that are nearly always true and
say little. A tree that follows all these runs would consist of little else. Let the *idle* bids be
the bids up to some count, the *top* bids the idle bids with exactly this count, and the *low* bids
the other idle bids. `w` is the weakest low bid, `m` the strongest low bid, and `s` the strongest
idle bid. *R* is the round with few idle bids (`game.bids.idle_bids_after`). In the whole round *G*
all idle bids may be made. In R,

    w, the top bids and bids that are not idle  open the round,
    m, the top bids and bids that are not idle  follow w,
    s and bids that are not idle                follow other idle bids.

**A strategy for R plays G as well.** In G, idle bids come first, since all other bids are stronger.
The strategy *reads* them as idle bids of R: the first as `w` if it is low, the second as `m` if it
is low, and all others as themselves. If the result is not a history of R, the reading depends only
on the last idle bid and on who is to move. A low last bid is read as `w` or as `w, m`; a top one as
itself or as `w` and itself (without low bids, as the weakest idle bid and `s`). The strategy goes
on from the history it has read, in which the same player is to move. What R allows there is legal
in G, with one exception: an answer to `w` with an idle bid other than `s` that is no stronger than
the opening that was read as `w`. Such an answer is replaced by `s`.

**What a best response earns in G.** A responder *misleads* the strategy in two cases. Either the
strategy challenges an idle bid of theirs that it reads as another bid. Or it has made an idle bid
that *leaves room*: after it G allows idle bids that R does not. Let `c` bound the probability that
this happens, whatever the responder does. *A best response earns in G at least what it earns in R,
and at most 2c more.*

At least: whatever the responder may do in R, they may do in G, where the strategy reads it as what
it is.

At most: a responder who follows a plan in G can follow a similar plan in R, and make there the bids
that the strategy reads, as long as R has these bids. Then the strategy acts in both with the same
probabilities. Unless the responder misleads the strategy, the round ends after the same bid in
both, and so with the same loser. Misleading gains 2 points at most, from -1 to +1. `c` is bounded
by what the strategy does at few histories (`misled`):

- If the strategy answers: it reads a low opening as `w`, which it may challenge, and a top opening
  as itself. If it answers `s` or a bid that is not idle, no idle bid is left. Other idle answers
  leave room, and count as misleading.
- If the strategy opens with `w`: it reads a low answer as `m`, which it may challenge, and a top
  answer as itself. After that it makes `s` or no idle bid, and no idle bid is left. An opening with
  a top bid other than `s` leaves room, and counts as misleading.

**Each player is solved separately**, in a round where this player makes even fewer idle bids
(`Rules.sparing`): the opener only `w` and `s`, the player who answers only `s`. The other player
may do all that R allows. So a best response to the player's strategy is the same as in R, and no
idle bid of the player leaves room. The tree has few histories in which this player has made idle
bids. The cost of having fewer choices is part of what a best response gains.

How many bids are idle is a guess (`idle_count`). Its cost is measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import (
    Bid,
    IdleBids,
    action_of,
    can_bid,
    challenge_action,
    counting_faces,
    domain,
    idle_bids,
    state_after,
)
from zhaifei.game.hands import probabilities
from zhaifei.game.rules import Raising, Rules, Sparing
from zhaifei.solver.bounds import BestResponse, Bounds

History = tuple[Bid, ...]
Play = Callable[[History], NDArray[np.float64]]
"""A strategy's probabilities after a history of R: [hand, action] float64."""
BY_PLAYER = (Sparing.OPENER, Sparing.OTHER)
BETWEEN_ENDS = 2.0
"""Penalty points between losing a round and winning it."""


def with_idle_bids(rules: Rules) -> Rules:
    """Return R, the round by which the two-player round of `rules` is solved. This is the round
    itself where fewer bids would not help."""
    if rules.raising is not Raising.STRONGER or len(rules.modes) > 1 or rules.first_count > 1:
        return rules
    return replace(rules, idle_count=idle_count(rules))


def by_player(rules: Rules) -> list[Rules]:
    """Return the rules of the rounds in which each player is solved separately, given the rules of
    R. If no bids are idle, return the rules of R alone."""
    if rules.idle_count == 0:
        return [rules]
    return [replace(rules, sparing=player) for player in BY_PLAYER]


def whole_round(rules: Rules) -> Rules:
    """Return the rules of G, given the rules of R."""
    return replace(rules, idle_count=0)


def idle_count(rules: Rules) -> int:
    """Return the largest count of idle bids, from how many dice are expected to count towards a
    bid. The formula was found by trying: with one more, fewer choices cost too much; with one less,
    trees are several times as large."""
    faces = len(counting_faces(rules, domain(rules)[0]))
    found = (6 * rules.total_dice * faces - 3 * rules.faces) // (5 * rules.faces)
    return min(max(0, found), rules.total_dice - 1)


def reading(rules: Rules, history: History) -> History:
    """Return the history of R as which a strategy for R reads `history`, a history of G; `rules`
    are the rules of R."""
    idle = idle_bids(rules)
    run = sum(bid in idle for bid in history)
    stand_in = (*idle.low[:1], *idle.low[-1:], *history[2:run])
    read = tuple(bid if bid in idle.top else stand_in[at] for at, bid in enumerate(history[:run]))
    if not all(can_bid(rules, bid, *state_after(rules, read[:at])) for at, bid in enumerate(read)):
        read = _by_the_last(idle, read[-1], run)
    return (*read, *history[run:])


def _by_the_last(idle: IdleBids, last: Bid, run: int) -> History:
    """Return how a `run` of idle bids is read by its `last` bid alone."""
    if run % 2 == 1:
        return (last if last in idle.top else idle.low[0],)
    if not idle.low:
        return idle.top[0], idle.strongest
    return idle.low[0], last if last in idle.top else idle.low[-1]


def misled(rules: Rules, play: Play) -> tuple[float, float]:
    """Return upper bounds of the probability that a responder misleads a strategy for R: as opener,
    and as the player who answers. `rules` are the rules of R."""
    idle = idle_bids(rules)
    opener, other = (probabilities(rules, player) for player in range(2))
    first_bids = play(())
    opens = opener @ first_bids
    leaves_room = float(sum(opens[action_of(rules, bid)] for bid in idle.top[:-1]))
    if not idle.low:
        return 0.0, leaves_room
    weakest, strongest, challenge = idle.low[0], idle.low[-1], challenge_action(rules)
    answers = other @ play((weakest,))
    room_after = {strongest, *idle.top[:-1]} - {weakest}
    by_opener = answers[challenge] + sum(answers[action_of(rules, bid)] for bid in room_after)
    came = opener * first_bids[:, action_of(rules, weakest)]
    challenged = 0.0 if strongest == weakest else came @ play((weakest, strongest))[:, challenge]
    return float(by_opener), leaves_room + float(challenged)


def in_the_whole_round(rules: Rules, play: Play, response: BestResponse) -> BestResponse:
    """Return bounds of what a best response to a strategy for R earns in each seat of G, given the
    bounds for R. `rules` are the rules of R."""
    if rules.idle_count == 0:
        return response
    seats = tuple(
        Bounds(seat.lower, min(1.0, seat.upper + BETWEEN_ENDS * chance))
        for seat, chance in zip(response.seats, misled(rules, play), strict=True)
    )
    return replace(response, seats=seats)
