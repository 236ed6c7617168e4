"""A user's strategy file in a process of its own, started by `policies.players.plug_in.supervisor`.

It exchanges lines of JSON with `policies.players.plug_in.process`. The first line names the file to
load; each other line is a question. Each line is answered by one line, which
`policies.players.plug_in.answers` reads. Nothing is unpickled. What the file prints to stdout is
discarded, so that it cannot mix with the answers; what it writes to stderr is shown.
"""

from __future__ import annotations

import json
import numbers
import operator
import os
import random
import reprlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from traceback import walk_tb
from types import ModuleType
from typing import Any, TextIO

import numpy as np

from zhaifei.game.bids import Bid, IllegalBid, action_of, challenge_action, domain, state_after
from zhaifei.game.legal import legal_bids_with
from zhaifei.game.notation import parse_bid
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules
from zhaifei.game.views import SeatBid, View
from zhaifei.policies.players.decider import StrategyMethods
from zhaifei.policies.players.plug_in.answers import (
    LARGEST,
    LONGEST_NAME,
    LONGEST_TEXT,
    MIXING,
    MOST_CLASSES,
)

METHODS = ("challenge_bid", "make_bid")
"""The methods of `policies.players.decider.StrategyMethods`; a class with both is a strategy."""
_SHORT = reprlib.Repr()  # copes with objects that refer to themselves or whose repr fails
_SHORT.maxstring = _SHORT.maxother = 100


class InvalidAnswer(Exception):
    """Raised for a returned value that is not a valid answer."""


def main() -> None:
    """Answer questions until there are no more."""
    questions, answers = _own_pipes()

    def answer(found: Mapping[str, Any]) -> None:
        answers.write(json.dumps(found) + "\n")
        answers.flush()

    setup = json.loads(questions.readline())
    path, rules = Path(setup["path"]), Rules.from_dict(setup["rules"])
    try:
        classes = strategies_in(path)
        strategy = classes[0]() if len(classes) == 1 else None
    except BaseException as error:  # the file may raise SystemExit too
        answer({"number": setup["number"], "raised": describe_error(error, path)})
        return
    names = [_name_of(one) for one in classes[:MOST_CLASSES]]
    answer({"number": setup["number"], "classes": names})
    if strategy is None:
        return
    for line in questions:
        question = json.loads(line)
        view = read_view(rules, question["seen"])
        asked = mix if question["calls"] == [MIXING] else decide
        found = asked(strategy, path, view, question["calls"], question["seed"])
        answer({"number": question["number"], **found})


def _own_pipes() -> tuple[TextIO, TextIO]:
    """Return the pipes for questions and answers, and detach `print` and `input` from them."""
    pipes = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    return pipes


def strategies_in(path: Path) -> list[type[StrategyMethods]]:
    """Return the classes with both METHODS that the file defines. Its imports are also searched for
    in its own directory. Raise whatever the file raises."""
    sys.path.append(str(path.parent))
    module = ModuleType(f"plug_in_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses look up their module there
    exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)
    return [
        one
        for one in dict.fromkeys(one for one in vars(module).values() if isinstance(one, type))
        if one.__module__ == module.__name__
        and all(callable(getattr(one, method, None)) for method in METHODS)
    ]


# Questions


def write_view(view: View) -> dict[str, Any]:
    """Return all of a view but the rules as plain values for JSON; bids are written as actions."""
    return {
        "seat": view.seat,
        "dice": view.dice,
        "dice_counts": view.dice_counts,
        "history": [(seat, action_of(view.rules, bid)) for seat, bid in view.history],
        "may_bid": bool(view.legal_bids),
        "turns_until_own": view.turns_until_own,
        "out_of_turn": view.out_of_turn,
    }


def read_view(rules: Rules, written: Mapping[str, Any]) -> View:
    """Return the view that `write_view` has written."""
    history = tuple(SeatBid(seat, domain(rules)[action]) for seat, action in written["history"])
    dice_counts = tuple(written["dice_counts"])
    state = state_after(rules, [bid for _, bid in history])
    return View(
        rules,
        written["seat"],
        tuple(written["dice"]),
        dice_counts,
        history,
        legal_bids_with(rules, state, sum(dice_counts)) if written["may_bid"] else (),
        written["turns_until_own"],
        written["out_of_turn"],
    )


# Answers


def decide(
    strategy: StrategyMethods, path: Path, view: View, calls: list[str], seed: int
) -> dict[str, Any]:
    """Call the METHODS in `calls` until a call decides, and return the decision: {"challenge":
    bool} or {"bid": [mode, count, face, doubled]}. Without either, the player gives up.

    If a call fails, return {"call": method, "raised": see `describe_error`} or {"call": method,
    "returned": text}.

    Each decision seeds `random` and NumPy's global generator with its own `seed`, so that equal
    questions have equal answers, whatever was asked before.
    """
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002  # strategies may use it
    for call in calls:
        returned: object = None
        try:
            returned = getattr(strategy, call)(view)
            if call == "make_bid":
                if returned is None and view.can_give_up:
                    break
                bid = as_bid(returned, view)
                return {"bid": [bid.mode, bid.count, bid.face, bid.doubled]}
            if as_bool(returned):
                return {"challenge": True}
        except InvalidAnswer:
            return {"call": call, "returned": _text_of(_SHORT.repr, returned)}
        except BaseException as error:  # SystemExit too
            return {"call": call, "raised": describe_error(error, path)}
    return {"challenge": False}


def mix(
    strategy: StrategyMethods, path: Path, view: View, calls: list[str], seed: int
) -> dict[str, Any]:
    """Call the method in `calls`, and return {"shares": [[action, probability], ...]}, with None in
    place of the list if the class has no such method. If the call fails, return as `decide`."""
    (call,) = calls
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002  # strategies may use it
    returned: object = None
    try:
        if not callable(method := getattr(strategy, call, None)):
            return {"shares": None}
        returned = method(view)
        return {"shares": as_shares(returned, view)}
    except InvalidAnswer:
        return {"call": call, "returned": _text_of(_SHORT.repr, returned)}
    except BaseException as error:  # SystemExit too
        return {"call": call, "raised": describe_error(error, path)}


def as_shares(returned: object, view: View) -> list[tuple[int, float]]:
    """Return (action, probability) from {bid or "challenge": number}; bids are written as for
    `as_bid`. Raise InvalidAnswer for anything else, such as a bid that does not exist."""
    if not isinstance(returned, Mapping):
        raise InvalidAnswer
    shares: dict[int, float] = {}
    for said, share in returned.items():
        if isinstance(share, bool) or not isinstance(share, numbers.Real):
            raise InvalidAnswer
        if not abs(value := float(share)) <= LARGEST:  # NaN fails too
            raise InvalidAnswer
        action = _as_action(said, view)
        shares[action] = shares.get(action, 0.0) + value
    return [*shares.items()]


def _as_action(said: object, view: View) -> int:
    if said == "challenge":
        return challenge_action(view.rules)
    try:
        return action_of(view.rules, as_bid(said, view))
    except IllegalBid as error:
        raise InvalidAnswer from error


def as_bool(returned: object) -> bool:
    """Return Python's or NumPy's True or False as a bool. Raise InvalidAnswer for anything else."""
    if isinstance(returned, bool | np.bool_):
        return bool(returned)
    raise InvalidAnswer


def as_bid(returned: object, view: View) -> Bid:
    """Return a bid from a Bid, (mode, count, face), (count, face), or text like "飞5x4".

    A double is a Bid or its text, like 劈. A bid without a mode has the mode of the current bid or,
    at the start of a round, the first mode of the rules. Raise InvalidAnswer for anything else.
    """
    bid = _parse_bid(returned, view)
    if max(abs(bid.count), abs(bid.face)) > LARGEST:
        raise InvalidAnswer
    return bid


def _parse_bid(returned: object, view: View) -> Bid:
    double = view.double
    if double is not None and returned in (double, str(double)):
        return double
    if isinstance(returned, Bid):
        returned = returned.mode, returned.count, returned.face
    try:
        if isinstance(returned, str):
            return parse_bid(returned)
        if not isinstance(returned, tuple | list):
            raise InvalidAnswer
        if len(returned) == 2:
            last = view.current_bid
            returned = last.mode if last else view.rules.bidding.modes[0], *returned
        mode, count, face = returned
        count, face = operator.index(count), operator.index(face)
        if isinstance(mode, str):
            return parse_bid(f"{mode}{count}x{face}")
        return Bid(Mode(mode), count, face)
    except (TypeError, ValueError) as error:  # a NotationError is a ValueError
        raise InvalidAnswer from error


def describe_error(error: BaseException, path: Path) -> dict[str, Any]:
    """Return the type and the text of an error, and the line of the file where it was raised or
    None."""
    lines = [
        line
        for frame, line in walk_tb(error.__traceback__)
        if frame.f_code.co_filename == str(path)
    ]
    text = _text_of(str, error)
    if isinstance(error, SyntaxError) and error.filename == str(path):
        lines, text = [_line_of(error)], _text_of(str, error.msg)
    return {
        "type": _name_of(type(error)),
        "text": text,
        "line": lines[-1] if lines else None,
    }


def _line_of(error: SyntaxError) -> int:
    """Return the line that the error names, or 0 if that is not a line: the file may have set
    anything."""
    line = error.lineno
    return line if type(line) is int and 0 <= line <= LARGEST else 0


def _text_of(describe: Callable[[object], str], value: object) -> str:
    """Return what `describe` says of `value`; it calls methods of the file, which may raise."""
    try:
        return _printable(describe(value), LONGEST_TEXT)
    except BaseException:
        return f"<{_name_of(type(value))} without a text>"


def _name_of(cls: type) -> str:
    """Return the name of a class, whatever its metaclass says."""
    return _printable(type.__dict__["__name__"].__get__(cls), LONGEST_NAME)


def _printable(text: str, longest: int) -> str:
    """Return the text as one line of at most `longest` characters that any terminal can show."""
    line = " ".join(text[: 2 * longest].split())
    shown = "".join(one if one.isprintable() else "?" for one in line)
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"
