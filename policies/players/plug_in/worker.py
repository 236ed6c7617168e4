"""A user's strategy file in a process of its own: `python -m policies.players.plug_in.worker`.

`policies.players.plug_in.plug_in` starts it and talks to it in lines of JSON: first what to load,
then a question each, and each is answered by one line. Nothing is unpickled. What the file prints
is swallowed, so that it cannot get between the answers; what it writes to stderr is shown.
"""

from __future__ import annotations

import json
import operator
import os
import random
import reprlib
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from threading import Thread
from traceback import walk_tb
from types import ModuleType
from typing import Any, TextIO

import numpy as np

from game.bids import Bid, action_of, domain
from game.elimination import legal_bids_with
from game.notation import parse_bid
from game.rules import Mode, Rules
from game.views import SeatBid, View
from policies.players.decider import StrategyMethods

METHODS = ("challenge_bid", "make_bid")
"""What makes a class a strategy."""
_LONGEST = 200
"""Characters of a text that the file has made."""
_SHORT = reprlib.Repr()  # also of what refers to itself, or cannot be represented
_SHORT.maxstring = _SHORT.maxother = 100


class InvalidAnswer(Exception):
    """What was returned is no answer."""


def main() -> None:
    """Answers until there are no more questions."""
    questions, answers = _own_pipes()

    def answer(found: Mapping[str, Any]) -> None:
        answers.write(json.dumps(found) + "\n")
        answers.flush()

    setup = json.loads(questions.readline())
    Thread(target=_leave_with, args=(setup["parent"],), daemon=True).start()
    path, rules = Path(setup["path"]), Rules.from_dict(setup["rules"])
    try:
        classes = strategies_in(path)
        strategy = classes[0]() if len(classes) == 1 else None
    except BaseException as error:  # the file may raise SystemExit too
        answer({"number": 0, "raised": told(error, path)})
        return
    answer({"number": 0, "classes": [one.__name__ for one in classes]})
    if strategy is None:
        return
    for line in questions:
        question = json.loads(line)
        view = read_view(rules, question["seen"])
        found = decide(strategy, path, view, question["calls"], question["seed"])
        answer({"number": question["number"], **found})


def _own_pipes() -> tuple[TextIO, TextIO]:
    """What comes in and goes out, out of reach of `print` and `input`."""
    pipes = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    return pipes


def _leave_with(parent: int) -> None:
    """Who hangs does not notice that the pipes are closed."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def strategies_in(path: Path) -> list[type[StrategyMethods]]:
    """The classes that the file defines which have both METHODS. What it imports is looked for
    beside it too. Raises whatever the file does."""
    sys.path.append(str(path.parent))
    module = ModuleType(f"plug_in_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # as dataclasses need it
    exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)
    return [
        one
        for one in dict.fromkeys(one for one in vars(module).values() if isinstance(one, type))
        if one.__module__ == module.__name__
        and all(callable(getattr(one, method, None)) for method in METHODS)
    ]


# Questions


def write_view(view: View) -> dict[str, Any]:
    """All of it but the rules, in plain values; bids are actions."""
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
    """The inverse of `write_view`."""
    history = tuple(SeatBid(seat, domain(rules)[action]) for seat, action in written["history"])
    dice_counts = tuple(written["dice_counts"])
    last = history[-1].bid if history else None
    return View(
        rules,
        written["seat"],
        tuple(written["dice"]),
        dice_counts,
        history,
        legal_bids_with(rules, last, sum(dice_counts)) if written["may_bid"] else (),
        written["turns_until_own"],
        written["out_of_turn"],
    )


# Answers


def decide(
    strategy: StrategyMethods, path: Path, view: View, calls: list[str], seed: int
) -> dict[str, Any]:
    """Calls these METHODS until there is a decision: {"challenge": whether}, {"bid": [mode, count,
    face]}; or what went wrong: {"call": method, "raised": as `told`} or {"call": method,
    "returned": text}.

    Each decision has its own `seed`, for `random` and for NumPy's global numbers, so that equal
    questions have equal answers, whatever was asked before.
    """
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002  # for those who use it
    for call in calls:
        returned: object = None
        try:
            returned = getattr(strategy, call)(view)
            if call == "make_bid":
                bid = as_bid(returned, view)
                return {"bid": [bid.mode, bid.count, bid.face]}
            if as_bool(returned):
                return {"challenge": True}
        except InvalidAnswer:
            return {"call": call, "returned": _printable(_SHORT.repr(returned))}
        except BaseException as error:  # SystemExit too
            return {"call": call, "raised": told(error, path)}
    return {"challenge": False}


def as_bool(returned: object) -> bool:
    """Python's or NumPy's True and False, and nothing else. Raises InvalidAnswer."""
    if isinstance(returned, bool | np.bool_):
        return bool(returned)
    raise InvalidAnswer


def as_bid(returned: object, view: View) -> Bid:
    """A Bid, (mode, count, face), (count, face) in the mode of the current bid or, at the start of
    a round, in the first mode of the rules, or text. Raises InvalidAnswer."""
    if isinstance(returned, Bid):
        returned = returned.mode, returned.count, returned.face
    try:
        if isinstance(returned, str):
            return parse_bid(returned)
        if not isinstance(returned, tuple | list):
            raise InvalidAnswer
        if len(returned) == 2:
            last = view.current_bid
            returned = last.mode if last else view.rules.modes[0], *returned
        mode, count, face = returned
        count, face = operator.index(count), operator.index(face)
        if isinstance(mode, str):
            return parse_bid(f"{mode}{count}x{face}")
        return Bid(Mode(mode), count, face)
    except (TypeError, ValueError) as error:  # a NotationError is a ValueError
        raise InvalidAnswer from error


def told(error: BaseException, path: Path) -> dict[str, Any]:
    """The type, the text and, if there is one, the line of the file where it was raised."""
    lines = [
        line
        for frame, line in walk_tb(error.__traceback__)
        if frame.f_code.co_filename == str(path)
    ]
    text = str(error)
    if isinstance(error, SyntaxError) and error.filename == str(path):
        lines, text = [error.lineno or 0], error.msg
    return {
        "type": type(error).__name__,
        "text": _printable(text),
        "line": lines[-1] if lines else None,
    }


def _printable(text: str) -> str:
    """One line that any terminal can show."""
    line = " ".join(text.split())
    shown = "".join(one if one.isprintable() else "?" for one in line)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"


if __name__ == "__main__":
    main()
