"""The help at the table: a summary of the rules and of the input."""

from __future__ import annotations

from collections.abc import Iterator

from zhaifei.app.locale import say
from zhaifei.app.rules_told import openings_by_mode, rules_told
from zhaifei.game.bids import MODE_SIGNS
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules


def rules_help(rules: Rules) -> Iterator[str]:
    """Yield the paragraphs of the help: the rules, and how to type."""
    yield from rules_told(rules)
    yield say("Type:")
    for mode, bid in openings_by_mode(rules).items():
        letter, name = ("f", "fei") if mode is Mode.FEI else ("z", "zhai")
        without = f", {bid.count}{bid.face}, {bid.count}个{bid.face}"  # the mode may be omitted
        yield (
            f"  {MODE_SIGNS[mode]}{bid.count}x{bid.face}, {letter}{bid.count}x{bid.face}, "
            f"{name} {bid.count} {bid.face}{without if mode is rules.bidding.modes[0] else ''}"
        )
    yield say("  c, challenge, 开: challenge the last bid")
    if rules.furthest_challenge > 1:
        yield say("  c2, 跳开2: challenge the bid made 2 bids ago")
    if rules.stakes.out_of_turn and rules.players > 2:
        yield say("  n, 过: let the bid stand")
    if rules.stakes.doubled:
        yield say("  劈, double: play for more points    认输, give up: do not show the dice")
    yield say("  ?: show this help    q: leave and show the standings")
