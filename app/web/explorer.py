"""Model the explorer without its page: positions as in an address, and what is known of each.

A page keeps arrays of one size for each position, however much was computed to find them. A worker
process computes them, by `explore`.
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

from zhaifei.app.web.heat_map import holding
from zhaifei.game.bids import Bid, domain, verify_history
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand, hands, verify_hand_left
from zhaifei.game.notation import (
    CHALLENGE,
    format_hand,
    format_history,
    parse_bid,
    parse_history,
)
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, preset
from zhaifei.game.texts import verify_length
from zhaifei.policies.catalogue.lock_file import parse_locks
from zhaifei.policies.measure.advice import Advice, Believed, Solved
from zhaifei.policies.measure.anytime import last_of
from zhaifei.policies.measure.locked_advice import LockAnswer, locked_advice
from zhaifei.policies.measure.range_advice import (
    RangeAction,
    RangeAdvice,
    others_ranges,
    range_actions,
    refined_range,
)
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
        bids = ",".join(f"{_MODE_LETTERS[bid.mode]}{bid.count}x{bid.face}" for bid in self.history)
        said = {"players": str(self.rules.players), "history": bids, "hand": format_hand(self.held)}
        if self.rules.stakes.jump_challenge:
            said["jump"] = "1"
        return urlencode({name: text for name, text in said.items() if text}, safe=",")

    @property
    def mover(self) -> int:
        """The seat to move, from 0; the opener's seat is 0."""
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
        """Return the position once the player to move has made `bid`. Raise IllegalBid if it is
        illegal."""
        return replace(self, history=(*self.history, bid), held=())

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
    """The answer for a position. Arrays are float64; axis `hand` is in the order of
    `game.hands.hands`, axis `action` that of `names`."""

    rules: Rules
    names: tuple[str, ...]
    """[action] the legal actions, in the notation of `game.notation`."""
    strategy: Floats
    """[hand, action] probabilities."""
    values: Floats
    """[hand, action] in penalty points."""
    errors: Floats
    """[hand, action] bounds on the errors of `values`, in penalty points."""
    ranges: Floats
    """[player, hand] the range of each player in the order of turns, the player to move first."""
    believed: Believed
    """The source of the range of the player to move."""
    bids: tuple[Bid, ...]
    """The bids that may be challenged, the last one first."""
    true: Floats
    """[hand, bid] the probability that each bid is true."""
    solved: Solved | None
    read: bool
    on_path: bool
    opening_follows: float | None = None
    overruled: bool = False

    def weights(self, held: Hand = ()) -> Floats | None:
        """Return [hand] the range of the player to move given these held dice, or None if the
        player would never have bid so with them."""
        chosen = self.ranges[0] * holding(self.rules, held)
        total = chosen.sum()
        return chosen / total if total > 0.0 else None

    def share(self, held: Hand) -> float:
        """Return the probability that the player to move holds these dice."""
        return min(float(self.ranges[0] @ holding(self.rules, held)), 1.0)

    def actions(self, held: Hand = ()) -> tuple[RangeAction, ...]:
        """Return the actions of hands with the dice `held`, sorted by share and then by value, the
        highest first. If these hands would never have bid so, weigh them as dealt."""
        weights = self._weights(held)
        found = range_actions(self.names, weights, self.strategy, self.values, self.errors)
        return tuple(
            sorted(found, key=lambda one: (-one.share, not one.is_clear, -one.value_of_all))
        )

    def value(self, held: Hand = ()) -> float:
        """Return the average value of hands with the dice `held`, in penalty points."""
        return float(self._weights(held) @ self._earned)

    def chances(self, held: Hand = ()) -> list[tuple[Bid, float]]:
        """Return the average probability, over hands with the dice `held`, that each of `bids` is
        true."""
        chances = np.minimum(self._weights(held) @ self.true, 1.0).tolist()
        return list(zip(self.bids, chances, strict=True))

    def taking(self, action: str) -> Floats:
        """Return [hand] the probability that each hand takes this action."""
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
    """Return what `policy` knows of a position. With `seconds`, a position that the policy's own
    bids never reach is solved again for about that long. Raise ZhaifeiError if that is impossible.
    """
    asked = refined_range(policy, None, position.history, seconds=seconds)
    return explored(policy, last_of(asked, lambda advice: None))


def explored(policy: TablePolicy, advice: RangeAdvice) -> Explored:
    """Return the parts of `advice` that a page keeps."""
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
    asked = locked_advice(
        policy, position.hand, None, position.history, locks, question.answer, question.seconds
    )
    return last_of(asked, lambda advice: None)


LOCKS = "locks"
"""The name of the page's locks in messages."""
MOST_LOCKS = 10_000
"""Most characters of locks that a page takes."""


def with_lock(text: str, position: Position, action: str, percent: int) -> str:
    """Return the locks in `text` after a new one. In the new lock the player to move at `position`,
    with the dice held there, takes `action` in `percent` % of cases, and otherwise plays as before.
    It takes precedence over all others. Raise ZhaifeiError if the page takes no more."""
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
    """Raise ZhaifeiError unless `text` holds valid locks, and no more than a page takes."""
    if len(text) > MOST_LOCKS:
        raise ZhaifeiError("these are too many locks: take some away")
    parse_locks(rules, text, LOCKS)


def _hands_with(position: Position) -> str:
    """Return the hands with the dice held at `position`, as a lock file writes them."""
    held = position.held
    if len({*held}) == 1:
        return f"z{len(held)}x{held[0]}"
    chosen = np.flatnonzero(holding(position.rules, held))
    return "[" + ", ".join(format_hand(hands(position.rules)[hand]) for hand in chosen) + "]"
