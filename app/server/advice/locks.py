"""Answers about a decision against an opponent who is supposed to play in some way, computed in a
worker process, and the lock files that say so."""

from __future__ import annotations

from itertools import accumulate
from math import inf
from pathlib import Path
from typing import NamedTuple

import numpy as np

from zhaifei.app.server.advice.decisions import action_row, bids_of, no_such_hand
from zhaifei.app.server.advice.known import needed
from zhaifei.app.server.asked import Fields
from zhaifei.game.bids import Bid, action_count, action_of
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand, hands, verify_hand, verify_hand_left, with_dice
from zhaifei.game.notation import (
    format_action,
    format_hand,
    format_history,
    parse_action,
    parse_bid,
)
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.advice.advice import Advice, Locked
from zhaifei.policies.advice.advising import Question
from zhaifei.policies.advice.advising import advise as advise_by
from zhaifei.policies.advice.locked import LockAnswer
from zhaifei.policies.catalogue.lock_file import parse_locks
from zhaifei.policies.measure.anytime import last_of
from zhaifei.policies.review.decisions import WORK_A_SECOND

MOST_LOCKS = 20
"""The most locks of a question."""
WORK = 4 * WORK_A_SECOND
"""The work that a solution takes at most, so that it is the same on every machine."""
SOURCE = "locks"
"""The name of the locks in messages."""


class Lock(NamedTuple):
    """What the player in turn is supposed to do after some bids."""

    after: tuple[int, ...]
    """The bids and doubles of the round until then, as actions."""
    held: tuple[int, ...]
    """Dice of the hands that do so; without dice, all hands do."""
    action: int
    percent: int
    """How often they do so, from 1 to 100. Otherwise they play as before."""


class LockedDecision(NamedTuple):
    """A decision of the player in turn, and what is locked."""

    rules: Rules
    hand: tuple[int, ...]
    history: tuple[int, ...]
    """The bids and doubles of the round so far, as actions."""
    locks: tuple[Lock, ...]
    """Where several have the same bids and a hand, the first counts."""
    answer: str
    """The value of a LockAnswer."""


def advise_locked(policy: Path | None, asked: LockedDecision) -> Fields:
    """Return the share and value of each legal action against the locks, and which of them count.
    Equal questions get equal answers. Raise ZhaifeiError if a lock or the position cannot be, or no
    policy is known for the rules."""
    rules = asked.rules
    text, bids = lock_file(rules, asked.locks), bids_of(rules, asked.history)
    if asked.answer not in {one.value for one in LockAnswer}:
        raise ZhaifeiError("there is no answer {name!r} to locks", name=asked.answer)
    question = Question(
        history=bids,
        seconds=inf,
        work=WORK,
        locks=parse_locks(rules, text, SOURCE),
        answer=LockAnswer(asked.answer),
    )
    hand = verify_hand(rules, asked.hand)
    found = last_of(advise_by(needed(policy, rules), hand, question), lambda advice: None)
    return _written(rules, found, asked.locks)


def lock_file(rules: Rules, locks: tuple[Lock, ...]) -> str:
    """Return the text of a lock file. Raise ZhaifeiError if a lock cannot be."""
    if not locks:
        raise ZhaifeiError("nothing is locked yet")
    if len(locks) > MOST_LOCKS:
        raise ZhaifeiError("these are too many locks: take some away")
    text = "".join(_text_of(rules, lock) for lock in locks)
    parse_locks(rules, text, SOURCE)
    return text


def _text_of(rules: Rules, lock: Lock) -> str:
    """Return a lock as a lock file writes it. Raise ZhaifeiError if it cannot be."""
    if not 0 <= lock.action < action_count(rules):
        raise ZhaifeiError("there is no action {number}", number=lock.action)
    if not 1 <= lock.percent <= 100:
        raise ZhaifeiError("a lock has 1 to 100 percent, not {percent}", percent=lock.percent)
    bids, held = bids_of(rules, lock.after), verify_hand_left(rules, lock.held)
    return lock_text(rules, bids, held, lock.action, lock.percent)


def lock_text(rules: Rules, bids: tuple[Bid, ...], held: Hand, action: int, percent: int) -> str:
    """Return a lock as a lock file writes it: after these bids the hands with the dice `held` take
    the action in `percent` % of cases."""
    lines = [f"- after: {format_history(bids) or 'start'}"]
    if held:
        lines.append(f"  hands: {_hands_with(rules, held)}")
    name = format_action(rules, action)
    lines.append(f"  play: {{{name}: 1}}" if percent == 100 else f"  mix: {{{name}: {percent}%}}")
    return "\n".join(lines) + "\n"


def _hands_with(rules: Rules, held: Hand) -> str:
    """Return the hands with some dice, as a lock file writes them. Where dice of one face count as
    they lie, a bid names the hands."""
    chosen = with_dice(rules, held)
    if not chosen.any():
        raise no_such_hand()
    if len({*held}) == 1:
        bid = f"z{len(held)}x{held[0]}"
        counted = bid_tables(rules).matches[action_of(rules, parse_bid(bid))]
        if np.array_equal(counted >= len(held), chosen):
            return bid
    named = (format_hand(hands(rules)[hand]) for hand in np.flatnonzero(chosen))
    return f"[{', '.join(named)}]"


def _written(rules: Rules, advice: Advice, locks: tuple[Lock, ...]) -> Fields:
    """Return the advice with actions as numbers, those most often taken first."""
    last = advice.history[-1] if advice.history else None
    ground = advice.ground
    assert isinstance(ground, Locked), "the question has locks"
    return {
        "actions": [
            action_row(parse_action(rules, one.action, last), one) for one in advice.ranked
        ],
        "chance": advice.p_true,
        "used": [place for place, line in enumerate(_lines(rules, locks)) if line in ground.lines],
        "read": ground.read,
        "gap": ground.gap,
    }


def _lines(rules: Rules, locks: tuple[Lock, ...]) -> list[int]:
    """Return the lines of the lock file at which the locks begin, from 1."""
    lengths = (_text_of(rules, lock).count("\n") for lock in locks)
    return [*accumulate(lengths, initial=1)][:-1]
