"""The one place that reads and writes bids, hands and histories as text.

A bid is printed `飞4×6`; read are also `飞4x6`, `f4x6`, `fei 4 6`, `z2x5`, `斋 2*5`.
A history is its bids, oldest first, separated by spaces. A challenge is `challenge`, and
`challenge 2` is one of the bid made two bids ago (跳开); read are also `c`, `开`, `c2`, `跳开2`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from game.bids import Bid, action_of, challenge_action, domain, verify_history
from game.errors import ZhaifeiError
from game.hands import Hand, verify_hand
from game.rules import Mode, Rules

CHALLENGE = "challenge"

_MODES = {
    "飞": Mode.FEI, "fei": Mode.FEI, "f": Mode.FEI,
    "斋": Mode.ZHAI, "zhai": Mode.ZHAI, "z": Mode.ZHAI,
}  # fmt: skip
# Case is folded in ASCII only: in Unicode, "ı" would match "i" and then be no key of _MODES.
_BID = re.compile(r"((?ai:飞|斋|fei|zhai|f|z))\s*([0-9]{1,3})(?:\s*[xX×*]\s*|\s+)([0-9]{1,3})")
_CHALLENGE = re.compile(r"(?ai:challenge|c|跳开|开|检验)\s*([1-9]?)")


class NotationError(ZhaifeiError):
    """Text that is not in the notation."""


def parse_bid(text: str) -> Bid:
    """Raises NotationError. Whether the bid is legal is for `game.bids` to say."""
    match = _BID.fullmatch(text.strip())
    if match is None:
        raise NotationError(
            "{text!r} is not a bid; write it like 飞4x6, f4x6, fei 4 6 or z2x5", text=text
        )
    return _bid(match)


def parse_history(rules: Rules, text: str) -> tuple[Bid, ...]:
    """Bids separated by spaces or commas. Raises NotationError or IllegalBid."""
    bids, place = [], 0
    for match in _BID.finditer(text):
        _verify_gap(text, place, match.start())
        bids.append(_bid(match))
        place = match.end()
    _verify_gap(text, place, len(text))
    history = tuple(bids)
    verify_history(rules, history)
    return history


def format_history(history: Iterable[Bid]) -> str:
    """The inverse of `parse_history`."""
    return " ".join(map(str, history))


def parse_hand(rules: Rules, text: str) -> Hand:
    """Digits in any order, spaces and commas allowed. Raises NotationError or IllegalHand."""
    digits = re.sub(r"[\s,]", "", text)
    if not re.fullmatch(r"[0-9]+", digits):
        raise NotationError(
            "{text!r} is not a hand; write the faces of your dice, like 11346", text=text
        )
    return verify_hand(rules, map(int, digits))


def format_hand(hand: Hand) -> str:
    """The inverse of `parse_hand`."""
    return "".join(map(str, hand))


def parse_action(rules: Rules, text: str) -> int:
    """A bid or a challenge. Raises NotationError, or IllegalBid outside the domain; whether a
    challenge reaches too far back is for `game.rounds` to say."""
    match = _CHALLENGE.fullmatch(text.strip())
    if match is not None:
        return challenge_action(rules, int(match[1] or 1))
    if _BID.fullmatch(text.strip()) is None:
        raise NotationError(
            "{text!r} is neither a bid, like 飞4x6 or z2x5, nor a challenge, like challenge or c",
            text=text,
        )
    return action_of(rules, parse_bid(text))


def format_action(rules: Rules, action: int) -> str:
    """The inverse of `parse_action`."""
    distance = action - challenge_action(rules) + 1
    if distance < 1:
        return str(domain(rules)[action])
    return CHALLENGE if distance == 1 else f"{CHALLENGE} {distance}"


def _bid(match: re.Match[str]) -> Bid:
    mode, count, face = match.groups()
    return Bid(_MODES[mode.lower()], int(count), int(face))


def _verify_gap(text: str, start: int, end: int) -> None:
    gap = text[start:end]
    inner = start > 0 and end < len(text)
    if not re.fullmatch(r"[\s,]*", gap) or (inner and not gap):
        unread = re.sub(r"^[\s,]+|[\s,]+$", "", text[start:])
        raise NotationError(
            "cannot read the history {text!r} from {unread!r} on; "
            "write bids like 飞3x4 or z2x5, separated by spaces",
            text=text, unread=unread,
        )  # fmt: skip
