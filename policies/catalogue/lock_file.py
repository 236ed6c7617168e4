"""Lock files: a list of locks (`policies.players.locks`) in YAML, and thus also in JSON.

    - after: start          # how the round is opened; or the bids so far, as in query --history
      hands: z1x6           # hands that make this bid true by themselves, or 11346, or a list
      play: {f3x6: 1}       # probabilities that sum to 1; or mix: and times:

People write such lists in YAML, and PyYAML reports the line of everything. Only its parser is used.
This module decides what a text means, so that 11346 is a hand and not a number, and no tag can
construct anything. Three things are refused before any tree is built: aliases, by which a short
text can stand for a huge one, tags, and deep nesting.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import yaml

from zhaifei.game.bids import (
    Bid,
    action_count,
    action_of,
    can_bid,
    challenge_action,
    domain,
    endings_after,
    legal_bids,
    state_after,
)
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hand_index
from zhaifei.game.notation import (
    format_action,
    format_history,
    parse_action,
    parse_bid,
    parse_hand,
    parse_history,
)
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.game.texts import LONGEST
from zhaifei.policies.players.locks import Lock, LockError, Locks, Way, lock_error

START = frozenset({"", "start", "开局"})
"""The ways to write the start of a round in place of bids."""
ALL = frozenset({"all", "全部"})
"""The ways to write all hands."""
_DEEPEST = 4
"""The deepest nesting of a file: a list of locks, which map to lists and maps."""
_NUMBER = re.compile(
    r"(?P<decimal>[0-9]{1,6}(?:\.[0-9]{1,12})?) ?(?P<percent>%?)"
    r"|(?P<upper>[0-9]{1,6})/(?P<lower>[0-9]{1,6})"
)
_KEYS = ("after", "hands", *(way.value for way in Way))

Read = TypeVar("Read")


class _Place(NamedTuple):
    """A line of a lock file."""

    source: str
    line: int

    def error(self, why: ZhaifeiError) -> LockError:
        """Return the error for a fault on this line."""
        return lock_error(self.source, self.line, why)

    def read(self, read: Callable[[Rules, str], Read], rules: Rules, text: str) -> Read:
        """Return the value of `text` by `read`. Raise LockError for whatever `read` refuses."""
        try:
            return read(rules, text)
        except ZhaifeiError as why:
            raise self.error(why) from why


def load_locks(path: Path, rules: Rules) -> Locks:
    """Read a lock file. Raise LockError, which names the line."""
    try:
        with path.open("rb") as file:
            read = file.read(4 * LONGEST + 1)
    except OSError as error:
        raise LockError(
            "cannot read {path}: {why}", path=path, why=error.strerror or error
        ) from error
    try:
        text = read.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = read.count(b"\n", 0, error.start) + 1
        why = ZhaifeiError("this is not text in UTF-8")
        raise _Place(str(path), line).error(why) from error
    return parse_locks(rules, text, str(path))


def parse_locks(rules: Rules, text: str, source: str = "locks") -> Locks:
    """Return the locks in `text`; messages call it `source`. Raise LockError, which names the
    line."""
    start = _Place(source, 1)
    if len(text) > LONGEST:
        raise start.error(
            ZhaifeiError("the file is too long: the limit is {most:,} characters", most=LONGEST)
        )
    root = _Parsed(source, text).root()
    if not isinstance(root, yaml.SequenceNode) or not root.value:
        raise start.error(
            ZhaifeiError(
                "there are no locks; each begins like '- after: f3x6', and 'play:' below it says "
                "what is done"
            )
        )
    locks = [lock for node in root.value for lock in _Entry(rules, source, node).locks()]
    _verify_each_counts(source, locks)
    return Locks(rules, source, tuple(locks))


def _verify_each_counts(source: str, locks: list[Lock]) -> None:
    """Raise LockError if a lock never applies because earlier locks name all of its hands."""
    seen: dict[tuple[Bid, ...], tuple[int, set[int]]] = {}
    for lock in locks:
        line, hands = seen.setdefault(lock.history, (lock.line, set()))
        if hands.issuperset(lock.hands):
            raise _Place(source, lock.line).error(
                ZhaifeiError(
                    "this lock never counts: those from line {line} on have all its hands after "
                    "the same bids, and the first counts",
                    line=line,
                )
            )
        hands.update(lock.hands)


class _Parsed:
    """A text parsed as YAML."""

    def __init__(self, source: str, text: str) -> None:
        self._source, self._text = source, text

    def root(self) -> yaml.Node | None:
        """Return the tree of the text, or None if it is empty. Raise LockError if it is not plain
        YAML."""
        try:
            self._verify_plain()
            node: yaml.Node | None = yaml.compose(self._text, Loader=yaml.SafeLoader)
        except LockError:
            raise
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            why = error.problem or error.context or "?"
            raise self._not_yaml(why, mark.line if mark else 0) from error
        except yaml.reader.ReaderError as error:
            line = self._text.count("\n", 0, error.position)
            raise self._not_yaml(error.reason, line) from error
        except (yaml.YAMLError, ValueError, OverflowError) as error:
            raise self._not_yaml(str(error), 0) from error  # invalid character references
        return node

    def _verify_plain(self) -> None:
        """Raise LockError for YAML that no lock file needs, and YAMLError for invalid YAML."""
        depth, documents = 0, 0
        for event in yaml.parse(self._text, Loader=yaml.SafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            documents += isinstance(event, yaml.DocumentStartEvent)
            tagged = getattr(event, "anchor", None) or getattr(event, "tag", None)
            if tagged or documents > 1 or depth > _DEEPEST:
                line = event.start_mark.line if event.start_mark else 0
                raise _Place(self._source, line + 1).error(
                    ZhaifeiError(
                        "a lock file may not have aliases, tags, several documents or deep nesting"
                    )
                )

    def _not_yaml(self, why: str, line: int) -> LockError:
        return _Place(self._source, line + 1).error(ZhaifeiError("not YAML: {why}", why=why))


class _Pair(NamedTuple):
    """A key and the node that it maps to."""

    key: str
    place: _Place
    """The place of the key."""
    value: yaml.Node


class _Entry:
    """One lock as written in the file."""

    def __init__(self, rules: Rules, source: str, node: yaml.Node) -> None:
        self._rules, self._source, self._place = rules, source, _at(source, node)
        self._said: dict[str, yaml.Node] = {}
        for key, place, value in self._pairs(node):
            if key not in _KEYS:
                raise place.error(
                    ZhaifeiError(
                        "{key!r} is unknown; a lock has {names}", key=key, names=", ".join(_KEYS)
                    )
                )
            self._said[key] = value

    def locks(self) -> list[Lock]:
        """Return the lock after each of the histories that it names."""
        if "after" not in self._said:
            raise self._place.error(ZhaifeiError("'after' is missing: the bids so far, or start"))
        ways = [way for way in Way if way.value in self._said]
        if len(ways) != 1:
            raise self._place.error(
                ZhaifeiError("a lock has one of play, mix and times: what is done after the bids")
            )
        hands = self._hands()
        histories = [self._history(one) for one in self._scalars(self._said["after"])]
        return [
            Lock(self._place.line, history, hands, ways[0], self._actions(ways[0], history))
            for history in histories
        ]

    # The text of the file

    def _pairs(self, node: yaml.Node) -> list[_Pair]:
        """Return the pairs of a map. Raise LockError if the node is not a map, or has a key
        twice."""
        if not isinstance(node, yaml.MappingNode) or not node.value:
            raise _at(self._source, node).error(
                ZhaifeiError("'name: value' is missing here; is there a space after the colon?")
            )
        pairs = [_Pair(self._text(key), _at(self._source, key), value) for key, value in node.value]
        seen: set[str] = set()
        for key, place, _ in pairs:
            if key in seen:
                raise place.error(_twice(key))
            seen.add(key)
        return pairs

    def _text(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise _at(self._source, node).error(
                ZhaifeiError("a list stands where a word or a number belongs")
            )
        text: str = node.value
        return text.strip()

    def _scalars(self, node: yaml.Node) -> list[yaml.Node]:
        """Return the nodes of a list; a single word stands for a list of one."""
        nodes: list[yaml.Node] = node.value if isinstance(node, yaml.SequenceNode) else [node]
        if not nodes:
            raise _at(self._source, node).error(ZhaifeiError("the list is empty"))
        return nodes

    def _read(self, read: Callable[[Rules, str], Read], node: yaml.Node) -> Read:
        """Return the value that `read` returns. Raise LockError for whatever it refuses."""
        return _at(self._source, node).read(read, self._rules, self._text(node))

    # The meaning of the text

    def _history(self, node: yaml.Node) -> tuple[Bid, ...]:
        return () if self._text(node) in START else self._read(parse_history, node)

    def _hands(self) -> tuple[int, ...]:
        """Return the hands that the lock names, ascending: hands that meet any of its
        conditions."""
        if "hands" not in self._said:
            return tuple(range(bid_tables(self._rules).hands))
        found = {
            hand
            for node in self._scalars(self._said["hands"])
            for hand in self._read(_hands_of, node)
        }
        return tuple(sorted(found))

    def _actions(self, way: Way, history: tuple[Bid, ...]) -> dict[int, float]:
        """Return the actions after `history` in the form of Lock.actions."""
        node, numbers = self._said[way.value], dict[int, Fraction]()
        for key, place, value in self._pairs(node):
            last = history[-1] if history else None
            action = place.read(partial(parse_action, last=last), self._rules, key)
            if not _is_legal(self._rules, action, history):
                raise place.error(_illegal(self._rules, action, history))
            if action in numbers:
                raise place.error(_twice(key))
            numbers[action] = self._read(_number, value)
        why = _wrong_numbers(self._rules, way, history, numbers)
        if why is not None:
            raise _at(self._source, node).error(why)
        return {action: float(number) for action, number in numbers.items()}


def _at(source: str, node: yaml.Node) -> _Place:
    return _Place(source, node.start_mark.line + 1)


def _twice(key: str) -> ZhaifeiError:
    return ZhaifeiError("{key!r} comes twice", key=key)


def _wrong_numbers(
    rules: Rules, way: Way, history: tuple[Bid, ...], numbers: Mapping[int, Fraction]
) -> ZhaifeiError | None:
    """Return the error for invalid probabilities or factors, or None."""
    total = sum(numbers.values(), Fraction(0))
    if way is Way.PLAY and total != 1:
        return ZhaifeiError(
            "these probabilities add up to {total:.6g}, not to 1; thirds are written 1/3, and mix: "
            "leaves the rest to the policy",
            total=float(total),
        )
    if way is Way.MIX and total > 1:
        return ZhaifeiError(
            "these probabilities add up to {total:.6g}, more than 1", total=float(total)
        )
    zero = {action for action, number in numbers.items() if number == 0}
    legal = {a for a in range(action_count(rules)) if _is_legal(rules, a, history)}
    if way is Way.TIMES and legal <= zero:
        return ZhaifeiError("these factors leave no legal action")
    return None


def _hands_of(rules: Rules, text: str) -> list[int]:
    """Return the hands that `text` names: one hand, or all hands that make a bid true by
    themselves. Raise ZhaifeiError."""
    if text in ALL:
        return list(range(bid_tables(rules).hands))
    if re.fullmatch(r"[0-9 ,]+", text):
        return [hand_index(rules, parse_hand(rules, text))]
    bid = parse_bid(text)
    matches = bid_tables(rules).matches[action_of(rules, bid)]
    found: list[int] = np.flatnonzero(matches >= bid.count).tolist()
    if not found:
        raise ZhaifeiError(
            "no hand has {bid} by itself: it has {dice} dice", bid=bid, dice=rules.dice
        )
    return found


def _number(rules: Rules, text: str) -> Fraction:
    """Return the number that `text` denotes. Raise ZhaifeiError."""
    found = _NUMBER.fullmatch(text)
    if found is None or (found["lower"] is not None and int(found["lower"]) == 0):
        raise ZhaifeiError("{text!r} is not a number, like 0.25 or 1/4", text=text)
    if found["lower"] is not None:
        return Fraction(int(found["upper"]), int(found["lower"]))
    return Fraction(found["decimal"]) / (100 if found["percent"] else 1)


def _is_legal(rules: Rules, action: int, history: tuple[Bid, ...]) -> bool:
    """Return whether the player to move after `history` may take `action`."""
    if action >= challenge_action(rules):
        return action in endings_after(rules, history)
    return can_bid(rules, domain(rules)[action], *state_after(rules, history))


def _illegal(rules: Rules, action: int, history: tuple[Bid, ...]) -> ZhaifeiError:
    """Return the error for an illegal action; it names the weakest legal bid or, after a double,
    every legal action."""
    raises = legal_bids(rules, *state_after(rules, history))
    if not history:
        return ZhaifeiError(
            "{action} cannot open a round; {bid} can",
            action=format_action(rules, action),
            bid=raises[0],
        )
    if history[-1].doubled:
        legal = [*(action_of(rules, bid) for bid in raises), *endings_after(rules, history)]
        return ZhaifeiError(
            "{action} is not legal after {history}; only {actions} can follow",
            action=format_action(rules, action),
            history=format_history(history),
            actions=", ".join(format_action(rules, one) for one in legal),
        )
    if not raises:
        return ZhaifeiError(
            "{action} is not legal after {history}: only a challenge is",
            action=format_action(rules, action),
            history=format_history(history),
        )
    return ZhaifeiError(
        "{action} is not legal after {history}; a challenge is, {bid}, and what is stronger",
        action=format_action(rules, action),
        history=format_history(history),
        bid=raises[0],
    )
