"""Rounds of two solved with few low bids, since low bids say little, and each player by themselves.

Where any count may open, a round can begin with a long run of bids that are nearly always true. To
follow all of these runs would take nearly all of the tree. Let the *idle* bids be those up to some
count, the *top* ones those with just that count, and the *low* ones the others. `w` is the weakest
low bid, `m` the strongest, and `s` the strongest of all idle bids. *R* is the round in which idle
bids are few (`game.bids.idle_bids_after`); in the whole round *G* all may be made. In R,

    w, the top bids and bids that are not idle  open the round,
    m, the top bids and bids that are not idle  follow w,
    s and bids that are not idle                follow other idle bids.

**A strategy for R plays G as well.** It *reads* the idle bids that were made first in G (there are
none after others, which are stronger) as idle bids of R: the first, if low, as `w`, the second, if
low, as `m`, and others as themselves. If that is no history of R, what it reads depends on the last
of them alone, and on who is to move: as `w` or `w, m` if it is low, else as that bid or as `w` and
that bid (without low bids, as the weakest and `s`). It goes on by what it reads. Who is in turn is
the same. What R allows after that is legal in G, but for answers to `w` with idle bids other than
`s`; where the opening that was read as `w` is no weaker than such an answer, let it be `s` instead.

**What a best response earns in G.** A responder misleads the strategy if an idle bid of theirs that
is read as another one is challenged, or if the strategy has made an idle bid that leaves room for
another one that R does not have. Let `c` be a bound of how likely that is, whatever the responder
does. *A best response earns in G at least what it earns in R, and at most 2c more.*

At least: whatever the responder may do in R, they may do in G, where it is read as what it is.

At most: whoever follows a plan in G can follow one like it in R, and make there the bids that the
strategy reads, as long as R has them. Then the strategy does the same in both, with the same
probabilities, and the round ends after the same bid, and so with the same loser, but where they
mislead the strategy. That costs 2 points at most, from -1 to +1. And `c` is bounded by what the
strategy does at few histories (`misled`):

- Against who answers: an opening that is low is read as `w`, which may be challenged. A top one is
  read as itself. If the answer is `s`, no idle bid is left, and if it is not idle, neither. Other
  idle answers leave room, and count as misleading.
- Against who opens: if the opening is `w`, a low answer is read as `m`, which may be challenged,
  and a top one as itself; after that the strategy makes `s`, or no idle bid, and none is left. An
  opening with a top bid other than `s` leaves room, and counts as misleading.

**Each player is solved by themselves**, in a round where that player makes fewer idle bids still
(`Rules.sparing`): who opens makes only `w` and `s` of them, who answers only `s`. The other player
may do all that R allows. So a best response to the one whom the strategy plays is the same as in R,
nothing leaves room, and the tree has few histories in which this player has made idle bids. What it
costs to have fewer choices is part of what a best response gains.

How many bids are idle is a guess (`idle_count`). What it costs is measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from game.bids import (
    Bid,
    IdleBids,
    action_of,
    can_bid,
    challenge_action,
    counting_faces,
    domain,
    idle_bids,
)
from game.hands import probabilities
from game.rules import Raising, Rules, Sparing
from solver.bounds import BestResponse, Bounds

History = tuple[Bid, ...]
Play = Callable[[History], NDArray[np.float64]]
"""What a strategy does after a history of R: [hand, action] float64, probabilities."""
BY_PLAYER = (Sparing.OPENER, Sparing.OTHER)
_BETWEEN_ENDS = 2.0
"""Penalty points between losing a round and winning it."""


def with_idle_bids(rules: Rules) -> Rules:
    """Return R, the round by which the round of two by `rules` is solved: the round itself where
    fewer bids would not do."""
    if rules.raising is not Raising.STRONGER or len(rules.modes) > 1 or rules.first_count > 1:
        return rules
    return replace(rules, idle_count=idle_count(rules))


def by_player(rules: Rules) -> list[Rules]:
    """Return the rules of the rounds in which each player is solved by themselves, by those of R;
    where no bids are idle, the round alone."""
    if rules.idle_count == 0:
        return [rules]
    return [replace(rules, sparing=player) for player in BY_PLAYER]


def whole_round(rules: Rules) -> Rules:
    """Return the rules of G by those of R."""
    return replace(rules, idle_count=0)


def idle_count(rules: Rules) -> int:
    """Return the largest count of idle bids, by how many dice are expected to count towards a bid.
    It was found by trying: with one more, fewer choices cost too much, and with one less trees are
    several times as large."""
    faces = len(counting_faces(rules, domain(rules)[0]))
    found = (6 * rules.total_dice * faces - 3 * rules.faces) // (5 * rules.faces)
    return min(max(0, found), rules.total_dice - 1)


def reading(rules: Rules, history: History) -> History:
    """Return the history of R that a strategy for R takes `history` for, a history of G; `rules`
    are those of R."""
    idle = idle_bids(rules)
    run = sum(bid in idle for bid in history)
    stand_in = (*idle.low[:1], *idle.low[-1:], *history[2:run])
    read = tuple(bid if bid in idle.top else stand_in[at] for at, bid in enumerate(history[:run]))
    if not all(can_bid(rules, bid, last) for last, bid in zip((None, *read), read, strict=False)):
        read = _by_the_last(idle, read[-1], run)
    return (*read, *history[run:])


def _by_the_last(idle: IdleBids, last: Bid, run: int) -> History:
    """Return what a `run` of idle bids is read as by the `last` of them alone."""
    if run % 2 == 1:
        return (last if last in idle.top else idle.low[0],)
    if not idle.low:
        return idle.top[0], idle.strongest
    return idle.low[0], last if last in idle.top else idle.low[-1]


def misled(rules: Rules, play: Play) -> tuple[float, float]:
    """Return bounds of how likely a responder misleads a strategy for R, as opener and as the one
    who answers. `rules` are those of R."""
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
    """Return bounds of what a best response to a strategy for R earns in each seat of G, from
    bounds of what it earns in R. `rules` are those of R."""
    if rules.idle_count == 0:
        return response
    seats = tuple(
        Bounds(seat.lower, min(1.0, seat.upper + _BETWEEN_ENDS * chance))
        for seat, chance in zip(response.seats, misled(rules, play), strict=True)
    )
    return replace(response, seats=seats)
