"""The explorer without its page: positions as an address holds them, and what is known of each.

What a page keeps of a position are arrays of one size, whatever was computed to find them: that is
done in a worker process, by `explore`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from app.web.heat_map import holding
from game.bids import Bid, domain, verify_history
from game.errors import ZhaifeiError
from game.hands import Hand, hands, verify_hand_left
from game.notation import (
    CHALLENGE,
    format_hand,
    format_history,
    parse_bid,
    parse_history,
)
from game.rules import Mode, Rules, preset
from game.texts import verify_length
from policies.catalogue.lock_file import parse_locks
from policies.measure.advice import Advice, Believed, Solved
from policies.measure.anytime import last_of
from policies.measure.locked_advice import LockAnswer, locked_advice
from policies.measure.range_advice import (
    RangeAction,
    RangeAdvice,
    others_ranges,
    range_actions,
    refined_range,
)
from policies.players.table_policy import TablePolicy

Floats = NDArray[np.float64]

_MODE_LETTERS = {Mode.FEI: "f", Mode.ZHAI: "z"}


class AddressError(ZhaifeiError):
    """Raised for an address that is no position."""


@dataclass(frozen=True)
class Position:
    """Where somebody is in the tree. Raise ZhaifeiError for what the rules forbid."""

    rules: Rules
    history: tuple[Bid, ...] = ()
    held: Hand = ()
    """Dice that the player to move is known to hold: a whole hand or only some of it."""

    def __post_init__(self) -> None:
        verify_history(self.rules, self.history)
        object.__setattr__(self, "held", verify_hand_left(self.rules, self.held))

    @property
    def address(self) -> str:
        """What stands in the address behind the question mark: the inverse of `parse_position`."""
        bids = ",".join(f"{_MODE_LETTERS[bid.mode]}{bid.count}x{bid.face}" for bid in self.history)
        said = {"players": str(self.rules.players), "history": bids, "hand": format_hand(self.held)}
        if self.rules.jump_challenge:
            said["jump"] = "1"
        return urlencode({name: text for name, text in said.items() if text}, safe=",")

    @property
    def mover(self) -> int:
        """The seat to move, from 0: the opener's is 0."""
        return len(self.history) % self.rules.players

    @property
    def hand(self) -> Hand | None:
        """The whole hand of the player to move, if it is known."""
        return self.held if len(self.held) == self.rules.dice else None

    @property
    def is_over(self) -> bool:
        """Whether the last bid is the strongest of all, so that only a challenge is left."""
        return self.history[-1:] == domain(self.rules)[-1:]

    def after(self, bid: Bid) -> Position:
        """Return the position once the player to move has made `bid`. Raise IllegalBid."""
        return replace(self, history=(*self.history, bid), held=())

    def back(self, bids: int) -> Position:
        """Return the position after only so many bids."""
        kept = self.history[:bids]
        return replace(self, history=kept, held=self.held if kept == self.history else ())

    def holding(self, *dice: int) -> Position:
        """Return the position with these dice held. Raise IllegalHand."""
        return replace(self, held=dice)


def parse_position(said: Mapping[str, str]) -> Position:
    """Return the position that the parts of an address mean; parts of other names are left alone.

    Raise ZhaifeiError for what is no position.
    """
    for text in said.values():
        verify_length(text)
    rules = _rules(said.get("players", "2"), said.get("jump", ""))
    history = parse_history(rules, said.get("history", ""))
    dice = said.get("hand", "")
    if not re.fullmatch(r"[0-9]*", dice, re.ASCII):
        raise AddressError(
            "{text!r} are no dice; write the faces that are held, like 116", text=dice
        )
    return Position(rules, history, verify_hand_left(rules, map(int, dice[: rules.dice + 1])))


def _rules(players: str, jump: str) -> Rules:
    if not re.fullmatch(r"[0-9]{1,3}", players, re.ASCII):
        raise AddressError("players is {text!r}; it must be a number, 2 to 8", text=players)
    if jump not in ("", "0", "1"):
        raise AddressError("jump is {text!r}; it must be 0 or 1", text=jump)
    return preset("zhaifei", players=int(players), jump_challenge=jump == "1")


@dataclass(frozen=True, eq=False)
class Explored:
    """What is known of a position. Arrays are float64; axis `hand` is in the order of
    `game.hands.hands`, axis `action` that of `names`."""

    rules: Rules
    names: tuple[str, ...]
    """[action] the legal actions, in the notation of `game.notation`."""
    strategy: Floats
    """[hand, action]"""
    values: Floats
    """[hand, action] in penalty points,"""
    errors: Floats
    """[hand, action] and a bound of their errors."""
    ranges: Floats
    """[player, hand] what each player may hold, the one to move first, in the order of turns."""
    believed: Believed
    """What the first of them comes from."""
    bids: tuple[Bid, ...]
    """Those that may be challenged, the last one first,"""
    true: Floats
    """[hand, bid] and how likely each is true."""
    solved: Solved | None
    read: bool
    on_path: bool
    opening_follows: float | None = None
    overruled: bool = False

    def weights(self, held: Hand = ()) -> Floats | None:
        """Return [hand] what the player to move may hold who holds these dice; None if the player
        would not have bid so with them."""
        chosen = self.ranges[0] * holding(self.rules, held)
        total = chosen.sum()
        return chosen / total if total > 0.0 else None

    def share(self, held: Hand) -> float:
        """Return the probability that the player to move holds these dice."""
        return min(float(self.ranges[0] @ holding(self.rules, held)), 1.0)

    def actions(self, held: Hand = ()) -> tuple[RangeAction, ...]:
        """Return what those hands do, by share and then by value, the highest first; with hands
        that would not have bid so, as they are dealt."""
        weights = self._weights(held)
        found = range_actions(self.names, weights, self.strategy, self.values, self.errors)
        return tuple(
            sorted(found, key=lambda one: (-one.share, not one.is_clear, -one.value_of_all))
        )

    def value(self, held: Hand = ()) -> float:
        """Return what those hands earn, on the average."""
        return float(self._weights(held) @ self._earned)

    def chances(self, held: Hand = ()) -> list[tuple[Bid, float]]:
        """Return how likely each of `bids` is true for those hands, on the average."""
        chances = np.minimum(self._weights(held) @ self.true, 1.0).tolist()
        return list(zip(self.bids, chances, strict=True))

    def taking(self, action: str) -> Floats:
        """Return [hand] how often each hand takes this action."""
        return self.strategy[:, self.names.index(action)]

    def _weights(self, held: Hand) -> Floats:
        weights = self.weights(held)
        if weights is not None:
            return weights
        chosen = holding(self.rules, held).astype(np.float64)
        dealt: Floats = chosen / chosen.sum()
        return dealt

    @cached_property
    def _earned(self) -> Floats:
        earned: Floats = (self.strategy * self.values).sum(axis=1)
        return earned


def explore(policy: TablePolicy, position: Position, seconds: float = 2.0) -> Explored:
    """Return what `policy` knows of a position; with `seconds`, one that its own bids do not lead
    to is solved again for about so long. Raise ZhaifeiError."""
    asked = refined_range(policy, None, position.history, seconds=seconds)
    return explored(policy, last_of(asked, lambda advice: None))


def explored(policy: TablePolicy, advice: RangeAdvice) -> Explored:
    """Return what a page keeps of `advice`."""
    likely = [[chance for _, chance in one.true] for one in advice.hands]
    return Explored(
        rules=policy.rules,
        names=tuple(one.action for one in advice.hands[0].actions),
        strategy=advice.strategy,
        values=advice.values,
        errors=advice.errors,
        ranges=np.concatenate([advice.weights[np.newaxis], others_ranges(policy, advice)]),
        believed=advice.believed,
        bids=tuple(bid for bid, _ in advice.hands[0].true),
        true=np.array(likely).reshape(len(likely), -1),
        solved=advice.solved,
        read=advice.read,
        opening_follows=advice.opening_follows,
        overruled=advice.overruled,
        on_path=advice.on_path,
    )


# Locks


class LockQuestion(NamedTuple):
    """What is asked about a hand where an opponent is locked."""

    position: Position
    """With a whole hand."""
    text: str
    """As in a lock file."""
    answer: LockAnswer = LockAnswer.BEST_RESPONSE
    seconds: float = 2.0


def explore_locked(policy: TablePolicy, question: LockQuestion) -> Advice:
    """Return what to do against the locks. Raise ZhaifeiError."""
    position, locks = question.position, parse_locks(policy.rules, question.text, LOCKS)
    if position.hand is None:
        raise ZhaifeiError("locks answer for one hand: tap all its dice")
    asked = locked_advice(
        policy, position.hand, None, position.history, locks, question.answer, question.seconds
    )
    return last_of(asked, lambda advice: None)


LOCKS = "locks"
"""What messages call the locks on the page."""
MOST_LOCKS = 10_000
"""Characters of locks that a page takes."""


def with_lock(text: str, position: Position, action: str, percent: int) -> str:
    """Return the locks in `text` and another before them: that the player to move at `position`,
    with the dice held there, takes `action` so often, and otherwise plays as before. It counts
    before all others. Raise ZhaifeiError if the page takes no more."""
    after = format_history(position.history) or "start"
    lines = [f"- after: {after}"]
    if position.held:
        lines.append(f"  hands: {_hands_with(position)}")
    name = "challenge" if action == CHALLENGE else str(parse_bid(action))
    lines.append(f"  play: {{{name}: 1}}" if percent == 100 else f"  mix: {{{name}: {percent}%}}")
    longer = "\n".join(lines) + "\n" + text
    verify_locks(position.rules, longer)
    return longer


def verify_locks(rules: Rules, text: str) -> None:
    """Raise ZhaifeiError unless `text` holds locks, and no more than a page takes."""
    if len(text) > MOST_LOCKS:
        raise ZhaifeiError("these are too many locks: take some away")
    parse_locks(rules, text, LOCKS)


def _hands_with(position: Position) -> str:
    """Return the hands with the dice held at `position`, as a lock file has them."""
    held = position.held
    if len({*held}) == 1:
        return f"z{len(held)}x{held[0]}"
    chosen = np.flatnonzero(holding(position.rules, held))
    return "[" + ", ".join(format_hand(hands(position.rules)[hand]) for hand in chosen) + "]"
