"""The questions that lead from what players know of their table to its rules.

The terminal and the page ask them. Answers name house rules (`game.house`), so that no rule is
described a second time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from zhaifei.app.locale import say, say_message
from zhaifei.game.bids import Bid, legal_bids
from zhaifei.game.house import SWITCHES, WITHOUT
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, default_first_count, preset

JUMP = "jump"
"""The answer that allows 跳开, which is no house rule."""
_FIRST = {"first_count": "first-count", "first_zhai": "first-zhai", "first_ones": "first-ones"}
"""The names of house rules on openings, by question."""
_CANNOT_BE_PLAYED = "straight=by-wish"
STAKES = ("2", "2-4", "2-8")
"""The stakes of 劈 and 反劈 to choose from: those met in public programs."""


@dataclass(frozen=True)
class Choice:
    """A question with answers to choose from."""

    name: str
    asked: str
    options: tuple[tuple[str, str], ...]
    """The house rules of each answer, with spaces between them and JUMP among them, and its
    text."""
    many: bool = False
    """Whether any of the answers may hold, or none of them. Otherwise one holds, usually the
    first."""


@dataclass(frozen=True)
class Count:
    """A question for the least count of a bid that opens."""

    name: str
    asked: str
    usual: int
    most: int
    """The number of dice on the table."""


@dataclass
class Answers:
    """The answers to the questions."""

    players: int = 2
    counts: dict[str, int] = field(default_factory=dict)
    """The counts by question; a count that is not given is the usual one."""
    chosen: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The chosen answers by question; a question without an answer has its usual one."""

    def rules(self) -> Rules:
        """Return the rules. Raise ZhaifeiError if the answers contradict each other."""
        asked = {question.name for question in questions(self)}
        usual = default_first_count(self.players, 5)
        names = [f"{_FIRST[name]}={count}" for name, count in self._counts(usual)]
        names += [
            house
            for name, given in self.chosen.items()
            if name in asked
            for answer in given
            for house in answer.split()
        ]
        house = [name for name in names if name != JUMP]
        return preset("zhaifei", players=self.players, jump_challenge=JUMP in names, house=house)

    def _counts(self, usual: int) -> Iterator[tuple[str, int]]:
        """Yield the counts that are not those of other bids anyway."""
        of_fei = self.counts.get("first_count", usual)
        of_zhai = self.counts.get("first_zhai", of_fei)
        of_ones = self.counts.get("first_ones", of_zhai)
        kinds = {"first_count": of_fei, "first_zhai": of_zhai, "first_ones": of_ones}
        others = usual, of_fei, of_zhai
        for (name, count), other in zip(kinds.items(), others, strict=True):
            if count != other:
                yield name, count


def counts(answers: Answers) -> tuple[Count, ...]:
    """Return the questions for the counts of openings, as 飞, as 斋 and on ones."""
    usual, given = default_first_count(answers.players, 5), answers.counts
    fei = given.get("first_count", usual)
    zhai, most = given.get("first_zhai", fei), 5 * answers.players
    return (
        Count("first_count", say("The first bid of a round, as 飞, at least"), usual, most),
        Count("first_zhai", say("The first bid of a round, as 斋, at least"), fei, most),
        Count("first_ones", say("The first bid of a round, on ones, at least"), zhai, most),
    )


def questions(answers: Answers) -> Iterator[Choice]:
    """Yield the questions with answers to choose from. Some depend on `answers` before them."""
    players = answers.players
    yield _reading("fei_to_zhai", say("Which 斋 bids may follow 飞?"), players)
    yield _reading("zhai_to_fei", say("Which 飞 bids may follow 斋?"), players)
    yield _any_of("ones", ("ones_highest", "ones_end_fei"), say("What holds for ones?"))
    yield _any_of("hands", ("straight", "five_alike"), say("What holds for whole hands?"))
    if players > 2:
        yield _jumps(players)
        if any(answers.chosen.get("jump", ())):
            return  # 跳开 and 劈 exclude each other
    yield _doubles()
    if any(answers.chosen.get("doubles", ())):
        yield _giving_up()


def _reading(name: str, asked: str, players: int) -> Choice:
    """Return the question for what follows between 飞 and 斋."""
    names = _names((name,))
    texts = [WITHOUT[name], *(SWITCHES[one].does for one in names)]
    values = ["strength", *(SWITCHES[one].value for one in names)]
    said = (
        say_message(text) + _example(name, value, players)
        for text, value in zip(texts, values, strict=True)
    )
    return Choice(name, asked, tuple(zip(["", *names], said, strict=True)))


def _any_of(name: str, fields: tuple[str, ...], asked: str) -> Choice:
    """Return the question for the house rules that hold, of those that set one of the fields."""
    options = ((one, say_message(SWITCHES[one].does)) for one in _names(fields))
    return Choice(name, asked, tuple(options), many=True)


def _jumps(players: int) -> Choice:
    """Return the question for 跳开."""
    options = [
        ("", say("no")),
        (JUMP, say("yes, for as many points as the bid lies back")),
        (f"{JUMP} jump-cost=one", say("yes, for one point")),
        (f"{JUMP} jump-cost=two", say("yes, for two points")),
    ]
    if players == 3:  # two points are as many as the bid lies back
        options.pop()
    return Choice("jump", say("May earlier bids be challenged (跳开)?"), tuple(options))


def _doubles() -> Choice:
    """Return the question for 劈 and 反劈."""
    options = [("", say("no"))]
    for stakes in STAKES:
        first, *then = stakes.split("-")
        text = say("劈, for {points} points", points=first)
        if then:
            text += say(", and 反劈, for {points}", points=then[0])
        options.append((f"doubles={stakes}", text))
    return Choice(
        "doubles", say("May a player double (劈) instead of challenging?"), tuple(options)
    )


def _giving_up() -> Choice:
    """Return the question for what it costs to give up."""
    options = (
        ("", say("one point")),
        ("giving-up=half", say("half the points")),
        ("giving-up=forbidden", say("nobody may give up: the dice are shown")),
    )
    return Choice("giving_up", say("After 劈, what does it cost to give up (认输)?"), options)


def _example(name: str, value: str, players: int) -> str:
    """Return the weakest bid that follows another between 飞 and 斋 by this reading, in brackets;
    nothing if no bid follows."""
    last = _BEFORE[name]
    other = {"fei_to_zhai": "forbidden", "zhai_to_fei": "forbidden", name: value}
    rules = Rules.of(
        players=players, fei_to_zhai=other["fei_to_zhai"], zhai_to_fei=other["zhai_to_fei"]
    )
    follow = (bid for bid in legal_bids(rules, last) if bid.mode is not last.mode)
    first = min(follow, key=lambda bid: (bid.count, bid.face), default=None)
    if first is None:
        return ""
    return say(" (after {last} at least {bid})", last=last, bid=first)


_BEFORE: Mapping[str, Bid] = {
    "fei_to_zhai": Bid(Mode.FEI, 6, 4),
    "zhai_to_fei": Bid(Mode.ZHAI, 3, 4),
}
"""The bids of the examples."""


def _names(fields: tuple[str, ...]) -> list[str]:
    """Return the names of the house rules that set one of the fields to a value and that can be
    played."""
    return [
        name for name, one in SWITCHES.items() if one.field in fields and name != _CANNOT_BE_PLAYED
    ]
