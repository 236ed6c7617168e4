"""Values of two-player matches in which dice are lost, from the values of their rounds.

A *position* of a match is the start of a round: the dice of the player who opens it, and the dice
of the other player. A round is played as a game for a point (`game.positions.round_rules`). The
value of a match is the probability of winning it.

**The value of a match.** Let `p(s)` be the probability that the opener of a round at the position
`s` wins this round in an equilibrium of it. Define `W(s)`, for the opener, from the last position
back:

    W(s) = p(s) * A(s) + (1 - p(s)) * B(s)

`A(s)` is the opener's value after winning the round: 1 if the match is then over. `B(s)` is the
opener's value after losing it: 0 if the match is then over. Otherwise they are `W` of the next
position, or 1 minus this if the other player opens next. *If `A(s) >= B(s)` at every position, `W`
is the value of the match, and playing an equilibrium of each round, whatever was played before, is
an equilibrium of the match.*

The proof is by induction over the dice on the table. Let the claim hold for all positions after
`s`. A round reveals dice that are then rolled anew, so nothing that was played before matters for
what comes after it. After the round each player can secure the value of the next position by
playing on like this, and gets no more against a player who does. So the opener at `s` earns `B(s)`,
and `A(s) - B(s)` more if they win the round. This is an increasing function of winning the round
(or constant: then all play is equally good), and equilibria of zero-sum games stay the same under
it. Hence an equilibrium of the round for winning it, followed by such play, is an equilibrium from
`s` on, and its value is the `W(s)` above.

**A best response.** A policy plays each round by its position alone. Let `b(s)` be the probability
with which a best response wins the round, and `A`, `B` the responder's own values after it. If
`A(s) >= B(s)`, a best response by the opener wins from `s` on with probability
`b(s) * A(s) + (1 - b(s)) * B(s)`, by the same induction; likewise for a responder who does not
open. With upper bounds `b'`, `A'`, `B'` in their place the probability has an upper bound even
without this condition, since a response that wins the round with probability `q <= b` gets

    q * A + (1 - q) * B <= q * A' + (1 - q) * B' <= max(B', b' * A' + (1 - b') * B')

and with lower bounds a lower one: a response that wins the round with probability `b >= b'` gets

    b * A + (1 - b) * B >= b * A' + (1 - b) * B' >= min(A', b' * A' + (1 - b') * B').

So what is proven of a policy does not depend on the condition. The value of a match does. It is a
property of the game that winning a round is never worse than losing it. This is not proven here:
`match_values` checks it at each position, and raises `WinningIsWorse` if it fails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.match import next_starter, winner_of
from zhaifei.game.positions import round_rules
from zhaifei.game.rules import Rules, with_dice
from zhaifei.solver.bounds import Bounds

Position = tuple[int, int]
"""The dice of the player who opens the round, and the dice of the other player."""
OPENER, RESPONDER = 0, 1
"""The players of a round, as its seats are numbered."""
_ROUNDING = 1e-12


class WinningIsWorse(ZhaifeiError):
    """Losing some round is better than winning it, so rounds cannot be solved one by one."""


class After(NamedTuple):
    """How a match goes on after a round."""

    position: Position | None
    """None if the match is over."""
    swapped: bool
    """Whether the opener of this round does not open the next; at the end, whether the opener has
    lost."""


def after(rules: Rules, position: Position, winner: int) -> After:
    """Return how the match goes on if OPENER or RESPONDER is the `winner` of the round at
    `position`."""
    dice = list(position)
    dice[1 - winner] -= 1
    if winner_of(dice) is not None:
        return After(None, swapped=winner == RESPONDER)
    starter = next_starter(rules, dice, 1 - winner, winner)
    return After((dice[starter], dice[1 - starter]), swapped=starter == RESPONDER)


def positions_of(rules: Rules) -> list[Position]:
    """Return the positions of matches by `rules`, sorted by the dice on the table, fewest first:
    all positions that follow a position are before it in the list. Raise RulesError unless rounds
    of the match are two-player games for a point.

    They are all pairs of numbers of dice that the players may be left with, whoever opens. Some of
    them never come up between players who begin with equal numbers of dice. (Where losers start,
    nobody with all of their dice opens against fewer.) But a match at the table may start from any
    numbers of dice.
    """
    round_rules(rules, rules.dice_by_player)  # raises RulesError
    first, second = rules.dice_by_player
    left = [(own, other) for own in range(1, first + 1) for other in range(1, second + 1)]
    both = {*left, *((other, own) for own, other in left)}
    return sorted(both, key=lambda position: (sum(position), position))


def start_of(rules: Rules) -> Position:
    """Return the position at which a match of two by `rules` begins."""
    opener, responder = rules.dice_by_player
    return opener, responder


def comes_to(rules: Rules, wanted: Rules) -> bool:
    """Return whether matches by `rules` are solved round by round, reach the position where a match
    by `wanted` begins, and go on from there by the same rules."""
    for one in (rules, wanted):
        if one.players != 2 or not one.loses_dice:
            return False
    same = with_dice(rules, wanted.dice_by_player) == wanted
    return same and start_of(wanted) in positions_of(rules)


def winning(points: float) -> float:
    """Return the probability of winning a round whose value is `points` penalty points."""
    return (1.0 + points) / 2.0


def stakes(
    rules: Rules, position: Position, player: int, worth: Callable[[Position, int], float]
) -> tuple[float, float]:
    """Return the value of the rest of the match to `player`, OPENER or RESPONDER, after winning and
    after losing the round at `position`. `worth` returns the value of a position to its OPENER or
    its RESPONDER."""
    ends = []
    for winner in (player, 1 - player):
        following = after(rules, position, winner)
        if following.position is None:
            ends.append(1.0 if winner == player else 0.0)
        else:
            ends.append(worth(following.position, player ^ following.swapped))
    won, lost = ends
    return won, lost


def _verify_won(position: Position, won: float, lost: float) -> None:
    """Raise WinningIsWorse if losing the round is better for the opener."""
    if won < lost - _ROUNDING:
        raise WinningIsWorse(
            "with {own} against {other} dice it is better to lose the round ({lost:.6f}) than to "
            "win it ({won:.6f}): such matches are not solved round by round",
            own=position[OPENER],
            other=position[RESPONDER],
            won=won,
            lost=lost,
        )


def worth_by(values: Mapping[Position, float]) -> Callable[[Position, int], float]:
    """Return a function for the value of a position to OPENER or RESPONDER; `values` are the values
    to the opener."""
    return lambda at, player: values[at] if player == OPENER else 1.0 - values[at]


def match_values(rules: Rules, rounds: Mapping[Position, float]) -> dict[Position, float]:
    """Return the probability that the opener wins the match, for each position. `rounds` are the
    values of the rounds to their openers, in penalty points. Raise WinningIsWorse if losing a round
    is better than winning it."""
    values: dict[Position, float] = {}
    for position in positions_of(rules):
        won, lost = stakes(rules, position, OPENER, worth_by(values))
        _verify_won(position, won, lost)
        chance = winning(rounds[position])
        values[position] = chance * won + (1.0 - chance) * lost
    return values


Seats = tuple[Bounds, Bounds]
"""Bounds for the player who opens a round, and for the player who does not."""


def match_response(
    rules: Rules, rounds: Mapping[Position, Sequence[Bounds]]
) -> dict[Position, Seats]:
    """Return bounds of the probability that a best response to a policy wins the match, for each
    position, as opener and as responder. `rounds` bounds what a best response earns in each seat of
    the rounds, in penalty points."""
    lower = _responses(
        rules,
        {at: [one.lower for one in seats] for at, seats in rounds.items()},
        lambda won, lost, mixed: min(won, mixed),
    )
    upper = _responses(
        rules,
        {at: [one.upper for one in seats] for at, seats in rounds.items()},
        lambda won, lost, mixed: max(lost, mixed),
    )
    return {
        position: (
            Bounds(lower[position][OPENER], upper[position][OPENER]),
            Bounds(lower[position][RESPONDER], upper[position][RESPONDER]),
        )
        for position in lower
    }


def _responses(
    rules: Rules,
    rounds: Mapping[Position, Sequence[float]],
    bound: Callable[[float, float, float], float],
) -> dict[Position, tuple[float, float]]:
    """Return bounds of the probability that a best response wins, for each position, as opener and
    as responder. `rounds` bounds what it earns in the rounds, in penalty points. `bound` combines
    the values of the match after winning a round, after losing it, and on average."""
    values: dict[Position, tuple[float, float]] = {}

    def worth(position: Position, player: int) -> float:
        return values[position][player]

    for position in positions_of(rules):
        found = []
        for player in (OPENER, RESPONDER):
            won, lost = stakes(rules, position, player, worth)
            chance = min(1.0, max(0.0, winning(rounds[position][player])))
            found.append(bound(won, lost, chance * won + (1.0 - chance) * lost))
        values[position] = (found[OPENER], found[RESPONDER])
    return values


def gain_of(rules: Rules, response: Mapping[Position, Seats]) -> Bounds:
    """Return bounds of the share of matches that a best response gains: the share it wins beyond
    one half. The share is averaged over who opens the first round and, if players begin with
    different numbers of dice, over who has which. If both players play the same policy, each wins
    half."""
    first, second = rules.dice_by_player
    seats = [seat for position in {(first, second), (second, first)} for seat in response[position]]
    half = Bounds(-0.5, -0.5)
    return sum(seats, start=Bounds(0.0, 0.0)) / len(seats) + half
