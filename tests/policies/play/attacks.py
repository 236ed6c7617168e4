"""Attacks on dice that are hidden: what somebody computes from texts within reach."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress

from zhaifei.game.hands import Hand
from zhaifei.game.match import Match, roll
from zhaifei.game.notation import parse_hand
from zhaifei.game.rules import Rules
from zhaifei.policies.play.table import generators


def computed(
    rules: Rules, own: Sequence[Hand], *texts: str, left: Sequence[Sequence[int]] = ()
) -> set[tuple[Hand | None, ...]]:
    """Return the dice [seat] of the last round that a player in seat 0 can compute from these
    texts. The player's own dice in each round were `own`; `left` [round, seat] are the numbers of
    dice where dice are lost. A text gives away the dice by a line of a record, or by a number in it
    if the number is the seed."""
    dice = left or [()] * len(own)
    found = {_last_dealt(rules, own, dice, int(one)) for text in texts for one in _numbers(text)}
    return found - {()} | {hands for text in texts for hands in _recorded(rules, len(own), text)}


def _numbers(text: str) -> set[str]:
    return {one for one in re.findall(r"\d+", text) if len(one) <= 40}


def _last_dealt(
    rules: Rules, own: Sequence[Hand], dice: Sequence[Sequence[int]], seed: int
) -> tuple[Hand, ...]:
    """The dice of the last round by this seed; none if it deals others than the player's own."""
    random = Match(rules, generators(seed, rules.players)[0]).random
    hands: tuple[Hand, ...] = ()
    for hand, left in zip(own, dice, strict=True):
        hands = roll(rules, random, left)
        if hands[0] != hand:
            return ()
    return hands


def _recorded(rules: Rules, number: int, text: str) -> list[tuple[Hand | None, ...]]:
    """What the lines of a record that is in the text tell of a round."""
    found, its = [], 0
    for line in text.splitlines():
        with suppress(ValueError):
            fields = json.loads(line)
            if isinstance(fields, dict):
                its = fields.get("round", its)
                if its == number and "dice" in fields:
                    dice = fields["dice"]
                    found.append(tuple(one and parse_hand(rules, one, len(one)) for one in dice))
    return found
