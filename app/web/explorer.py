"""Model the explorer without its page: positions as in an address, and what is known of each.

A page keeps the advice for the whole range at each position, which a worker process computes, by
`explore`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from zhaifei.app.server.advice.locks import lock_text
from zhaifei.app.web.games import POINTS
from zhaifei.game.bids import (
    Bid,
    challenge_action,
    domain,
    mover_after,
    verify_history,
)
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand, verify_hand_left
from zhaifei.game.notation import (
    format_hand,
    parse_action,
    parse_history,
)
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, house_of, preset, preset_name
from zhaifei.game.texts import verify_length
from zhaifei.policies.advice.advice import Advice, RangeAdvice
from zhaifei.policies.advice.advising import Question, advise, advise_range
from zhaifei.policies.advice.locked import LockAnswer
from zhaifei.policies.catalogue.lock_file import parse_locks
from zhaifei.policies.measure.anytime import last_of
from zhaifei.policies.players.table_policy import TablePolicy

Floats = NDArray[np.float64]

_MODE_LETTERS = {Mode.FEI: "f", Mode.ZHAI: "z"}


class AddressError(ZhaifeiError):
    """Raised for an address that does not denote a position."""


@dataclass(frozen=True)
class Position:
    """A node of the tree, and the known dice of the player to move. Raise ZhaifeiError if the rules
    forbid it."""

    rules: Rules
    history: tuple[Bid, ...] = ()
    held: Hand = ()
    """Dice that the player to move is known to hold: a whole hand or only some of it."""

    def __post_init__(self) -> None:
        verify_history(self.rules, self.history)
        object.__setattr__(self, "held", verify_hand_left(self.rules, self.held))

    @property
    def address(self) -> str:
        """The query of the address, behind its question mark: the inverse of `parse_position`."""
        rules = self.rules
        name = preset_name(rules)
        said = {
            "rules": "" if name is None or name == POINTS[0] else name,
            "players": str(rules.players),
            "house": ",".join(house_of(rules)),
            "history": ",".join(map(_in_address, self.history)),
            "hand": format_hand(self.held),
            "jump": "1" if rules.stakes.jump_challenge else "",
        }
        return urlencode({name: text for name, text in said.items() if text}, safe=",")

    @property
    def mover(self) -> int:
        """The seat to move, from 0; the opener's seat is 0."""
        return mover_after(self.rules, self.history)

    @property
    def hand(self) -> Hand | None:
        """The whole hand of the player to move, if it is known."""
        return self.held if len(self.held) == self.rules.dice else None

    @property
    def last(self) -> Bid | None:
        """The last bid or double."""
        return self.history[-1] if self.history else None

    def after(self, bid: Bid) -> Position:
        """Return the position once the player to move has made `bid`. Raise IllegalBid if it is
        illegal."""
        return replace(self, history=(*self.history, bid), held=())

    def after_action(self, action: str) -> Position | None:
        """Return the position once the player to move has taken an action, in the notation of
        `game.notation`; None if it ends the round. Raise ZhaifeiError if it is illegal."""
        number = parse_action(self.rules, action, self.last)
        if number >= challenge_action(self.rules):
            return None
        return self.after(domain(self.rules)[number])

    def back(self, bids: int) -> Position:
        """Return the position after only the first `bids` bids."""
        kept = self.history[:bids]
        return replace(self, history=kept, held=self.held if kept == self.history else ())

    def holding(self, *dice: int) -> Position:
        """Return the position with these dice held. Raise IllegalHand if they are invalid."""
        return replace(self, held=dice)


def parse_position(said: Mapping[str, str]) -> Position:
    """Return the position that the fields of an address denote; fields of other names are ignored.

    Raise ZhaifeiError if they do not denote a position.
    """
    for text in said.values():
        verify_length(text)
    rules = _rules(said)
    history = parse_history(rules, said.get("history", ""))
    dice = said.get("hand", "")
    if not re.fullmatch(r"[0-9]*", dice, re.ASCII):
        raise AddressError(
            "{text!r} are no dice; write the faces that are held, like 116", text=dice
        )
    return Position(rules, history, verify_hand_left(rules, map(int, dice[: rules.dice + 1])))


def of_players(rules: Rules, players: int) -> Rules | None:
    """Return `rules` for another number of players, for two without 跳开; None if they do not fit
    that number."""
    jump = rules.stakes.jump_challenge and players > 2
    with suppress(ZhaifeiError):
        name = preset_name(rules) or POINTS[0]
        return preset(name, players=players, jump_challenge=jump, house=house_of(rules))
    return None


def _in_address(bid: Bid) -> str:
    if bid.doubled:
        return str(bid)
    return f"{_MODE_LETTERS[bid.mode]}{bid.count}x{bid.face}"


def _rules(said: Mapping[str, str]) -> Rules:
    """Return the rules that the fields of an address denote. Raise ZhaifeiError."""
    name, players = said.get("rules", POINTS[0]), said.get("players", "2")
    jump, house = said.get("jump", ""), said.get("house", "")
    if name not in POINTS:
        raise AddressError(
            "rules is {text!r}; it must be one of {names}", text=name, names=", ".join(POINTS)
        )
    if not re.fullmatch(r"[0-9]{1,3}", players, re.ASCII):
        raise AddressError("players is {text!r}; it must be a number, 2 to 8", text=players)
    if jump not in ("", "0", "1"):
        raise AddressError("jump is {text!r}; it must be 0 or 1", text=jump)
    return preset(
        name,
        players=int(players),
        jump_challenge=jump == "1",
        house=house.split(",") if house else (),
    )


def explore(policy: TablePolicy, position: Position, seconds: float = 2.0) -> RangeAdvice:
    """Return what `policy` advises at a position. With `seconds`, a position that the policy's own
    bids never reach is solved again for about that long. Raise ZhaifeiError if that is impossible.
    """
    question = Question(history=position.history, seconds=seconds)
    return last_of(advise_range(policy, question), lambda advice: None)


def explore_alone(policy: TablePolicy, position: Position) -> Advice:
    """Return what `policy` advises with the whole hand that is held at a position."""
    assert position.hand is not None, "the page asks about whole hands"
    question = Question(history=position.history)
    return last_of(advise(policy, position.hand, question), lambda advice: None)


# Locks


class LockQuestion(NamedTuple):
    """A question about one hand against an opponent who is partly locked."""

    position: Position
    """A position with a whole hand."""
    text: str
    """The locks, as in a lock file."""
    answer: LockAnswer = LockAnswer.BEST_RESPONSE
    seconds: float = 2.0


def explore_locked(policy: TablePolicy, question: LockQuestion) -> Advice:
    """Return the advice against the locks. Raise ZhaifeiError if the locks are invalid or dice are
    missing."""
    position, locks = question.position, parse_locks(policy.rules, question.text, LOCKS)
    if position.hand is None:
        raise ZhaifeiError("locks answer for one hand: tap all its dice")
    asked = Question(
        history=position.history, seconds=question.seconds, locks=locks, answer=question.answer
    )
    return last_of(advise(policy, position.hand, asked), lambda advice: None)


LOCKS = "locks"
"""The name of the page's locks in messages."""
MOST_LOCKS = 10_000
"""Most characters of locks that a page takes."""


def with_lock(text: str, position: Position, action: str, percent: int) -> str:
    """Return the locks in `text` after a new one. In the new lock the player to move at `position`,
    with the dice held there, takes `action` in `percent` % of cases, and otherwise plays as before.
    It takes precedence over all others. Raise ZhaifeiError if the page takes no more."""
    rules = position.rules
    number = parse_action(rules, action, position.last)
    longer = lock_text(rules, position.history, position.held, number, percent) + text
    verify_locks(rules, longer)
    return longer


def verify_locks(rules: Rules, text: str) -> None:
    """Raise ZhaifeiError unless `text` holds valid locks, and no more than a page takes."""
    if len(text) > MOST_LOCKS:
        raise ZhaifeiError("these are too many locks: take some away")
    parse_locks(rules, text, LOCKS)
