"""What a round is played for: penalty points or dice."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.messages import Message
from zhaifei.game.rules import Rules


class Unit(Enum):
    """What players are compared by: the smallest part of play that has a result of its own."""

    ROUND = "round"
    MATCH = "match"


def unit_of_play(rules: Rules) -> Unit:
    """Return the unit of play: a match where it ends with one winner, else a round, since a match
    for penalty points may stop after any round."""
    return Unit.ROUND if most_rounds(rules) is None else Unit.MATCH


def first_score(rules: Rules) -> list[int]:
    """Return [seat] the score at the start of a match: no penalty points, or all dice."""
    return [*rules.dice_by_player] if rules.loses_dice else [0] * rules.players


def score_after(rules: Rules, score: Sequence[int], loser: int, cost: int) -> list[int]:
    """Return [seat] the `score` after a round that cost its loser `cost` points or dice."""
    change = change_of_score(rules, cost)
    return [one + change * (seat == loser) for seat, one in enumerate(score)]


def score_before(rules: Rules, score: list[int], dice: Sequence[int]) -> list[int]:
    """Return [seat] the score before a round with these numbers of `dice` [seat]: the dice left, or
    the penalty points in `score`."""
    return [*dice] if rules.loses_dice else score


def full_dice(rules: Rules, starter: int) -> tuple[int, ...]:
    """Return [seat] the numbers of dice of a round that `starter` opens, before any die is lost."""
    dice = rules.dice_by_player
    if rules.loses_dice:
        return dice
    return tuple(dice[(seat - starter) % rules.players] for seat in range(rules.players))


def dice_at(rules: Rules, score: Sequence[int], starter: int) -> tuple[int, ...]:
    """Return [seat] the numbers of dice of the round that `starter` opens at this `score`."""
    return tuple(score) if rules.loses_dice else full_dice(rules, starter)


def verify_dice(rules: Rules, dice: Sequence[int], starter: int) -> None:
    """Raise ZhaifeiError unless the players may have these numbers of `dice` [seat] in a round that
    `starter` opens."""
    most = full_dice(rules, starter)
    if len(dice) != rules.players:
        raise ZhaifeiError(
            "{found} numbers of dice for {players} players", found=len(dice), players=rules.players
        )
    if tuple(dice) != dice_at(rules, dice, starter):
        raise ZhaifeiError("nobody loses dice by these rules")
    for seat, (left, full) in enumerate(zip(dice, most, strict=True), 1):
        if not 0 <= left <= full:
            raise ZhaifeiError(
                "seat {seat} cannot have {dice} dice left, only 0 to {most}",
                seat=seat,
                dice=left,
                most=full,
            )


def most_rounds(rules: Rules) -> int | None:
    """Return the number of rounds after which a match is over at the latest; None if it may always
    go on. Where dice are lost, each round costs a die, and one player keeps some."""
    return rules.total_dice - 1 if rules.loses_dice else None


def change_of_score(rules: Rules, cost: int) -> int:
    """Return by how much the score of the loser changes if a round costs `cost`."""
    return -cost if rules.loses_dice else cost


def score_name(rules: Rules) -> Message:
    """Return what the score of a player counts, as the heading of a column."""
    return Message("dice left") if rules.loses_dice else Message("penalty points")


def loss(rules: Rules, cost: int, who: str) -> Message:
    """Return the sentence that says what a round cost its loser, who is called `who`."""
    if rules.loses_dice:
        return Message("one die lost by {who}", who=who)
    if cost == 1:
        return Message("one penalty point for {who}", who=who)
    return Message("{points} penalty points for {who}", points=cost, who=who)
