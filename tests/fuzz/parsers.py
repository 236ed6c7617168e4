"""Fuzz everything that reads text: what people type, and what rules and games are written as.

A parser here is a function that reads a text, with one that writes what it returns, and one that
draws values. Two things must hold:

- what is written is read as the value that was drawn;
- any text is read as a value, which is read again from what is written of it, or refused with an
  error meant for users, whose message is bounded. Any other exception is a failure.

`texts` draws texts from a random number generator of the standard library, thousands a second:
written values, changed here and there, and random pieces of the grammar. Hypothesis drives it too,
in tests/fuzz/test_parsers.py. Every input is drawn from the seed of a run and its own number alone,
so each can be reproduced without those before it.
"""

from __future__ import annotations

import itertools
import json
import math
import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, partial
from importlib.metadata import version
from typing import Any

import click

from tests.fuzz.result import Failure, FuzzResult
from zhaifei.app.agents.text_game import answer_in
from zhaifei.app.locale import LANGUAGES, explain, of_locale
from zhaifei.app.terminal.argument_types import MOST, parse_count, parse_duration, parse_points
from zhaifei.app.terminal.group import Commands
from zhaifei.app.terminal.person import folded
from zhaifei.game.bids import (
    Bid,
    action_count,
    action_of,
    challenge_action,
    challengeable,
    domain,
    gives_up_action,
    legal_bids,
    plain_bids,
)
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands
from zhaifei.game.legal import can_give_up
from zhaifei.game.notation import (
    format_action,
    format_actions,
    format_hand,
    format_history,
    parse_action,
    parse_actions,
    parse_bid,
    parse_hand,
    parse_history,
    parse_step,
    read_back,
)
from zhaifei.game.openspiel import RoundSoFar, parameters_of, rules_from
from zhaifei.game.parts import Mode, Raising
from zhaifei.game.positions import round_rules
from zhaifei.game.rules import PRESETS, Rules, preset, preset_name
from zhaifei.game.texts import LONGEST
from zhaifei.game.views import SeatBid, View
from zhaifei.policies.catalogue.lock_file import parse_locks
from zhaifei.policies.play.played import YOU, PlayedMatch, PlayedRound, played_round
from zhaifei.policies.play.record_lines import format_match
from zhaifei.policies.play.record_reading import parse_match
from zhaifei.policies.play.record_text import format_rounds, parse_rounds
from zhaifei.policies.players.locks import Locks
from zhaifei.policies.players.plug_in.worker import InvalidAnswer, as_bid
from zhaifei.policies.review.deck import TOP, Card, Deck, Source, format_deck, parse_deck
from zhaifei.solver.files.strict_json import parse_object
from zhaifei.solver.tables.recall import recall_tables

LONGEST_MESSAGE = 1500
"""The most characters of an error: it quotes a few values, each of bounded length."""


REFUSALS = (ZhaifeiError, click.UsageError, InvalidAnswer)
"""What parsers raise for a text that they do not read."""


@dataclass(frozen=True)
class Parser:
    """Something that reads text."""

    name: str
    read: Callable[[str], Any]
    """Returns a value that can be compared. Raises ZhaifeiError, or click's errors."""
    write: Callable[[Any], str] | None
    """Writes a value so that it is read again; None if nothing does."""
    draw: Callable[[random.Random], Any]
    """Draws a value or, if nothing writes values, a text that is read."""
    pieces: Sequence[str] = ()
    """Of which texts close to the grammar are made."""
    is_json: bool = False
    """Whether it reads JSON, whose values are altered too."""

    def drawn(self, chance: random.Random) -> str:
        """Return the text of a value."""
        value = self.draw(chance)
        return value if self.write is None else self.write(value)

    def verify_written(self, chance: random.Random) -> None:
        """Raise AssertionError unless a value is read from what is written of it."""
        value = self.draw(chance)
        if self.write is None:
            self.verify(value)
            return
        text = self.write(value)
        found = self.read(text)
        assert found == value, f"{text!r} was read as {found!r}"

    def verify(self, text: str) -> None:
        """Raise AssertionError unless `text` is read or refused as the module says."""
        try:
            value = self.read(text)
        except ZhaifeiError as error:
            for message in (str(error), explain(error)):
                assert 0 < len(message) <= LONGEST_MESSAGE, f"{len(message)} characters of error"
            return
        except REFUSALS:
            return
        if self.write is not None:
            written = self.write(value)
            again = self.read(written)
            assert again == value, f"{written!r} was read as {again!r} instead of {value!r}"


# Values


@cache
def _rules() -> tuple[Rules, ...]:
    """Rules of all kinds, few enough for their tables to be kept."""
    chance = random.Random(14)
    return (
        preset("zhaifei"),
        preset("basic"),
        preset("liars_dice"),
        preset("knockout"),
        preset("increment"),
        preset("zhaifei", players=4, jump_challenge=True),
        Rules.of(players=8, dice=9, faces=9),
        Rules.of(dice=1, faces=2),
        *(_any_rules(chance) for _ in range(8)),
        preset("published"),
        Rules.of(doubled=(2, 4)),
        Rules.of(players=3, doubled=(2, 4)),
    )


def _any_rules(chance: random.Random) -> Rules:
    players, dice, faces = chance.randint(2, 8), chance.randint(1, 5), chance.randint(2, 6)
    loses = chance.random() < 0.2
    return Rules.of(
        players=players,
        dice=dice,
        faces=faces,
        modes=chance.choice([(Mode.FEI,), (Mode.ZHAI,), (Mode.FEI, Mode.ZHAI)]),
        wild=chance.randint(1, faces),
        wild_may_be_named=chance.random() < 0.5,
        first_count=chance.randint(0, players * dice),
        jump_challenge=not loses and chance.random() < 0.5,
        raising=chance.choice([*Raising]),
        loses_dice=loses,
        winner_starts=loses and chance.random() < 0.5,
        out_of_turn=loses and chance.random() < 0.5,
        forfeits=loses and chance.random() < 0.5,
    )


def _history(rules: Rules, chance: random.Random) -> tuple[Bid, ...]:
    """A legal history, often a long one."""
    bids: list[Bid] = []
    reach = chance.choice([1, 2, 3, 1000])
    for _ in range(chance.choice([0, 1, 2, 3, 5, 30])):
        raises = legal_bids(rules, bids[-1] if bids else None)
        if not raises:
            break
        bids.append(chance.choice(raises[:reach]))
    return tuple(bids)


def _actions(rules: Rules, chance: random.Random) -> tuple[int, ...]:
    """The actions of a round, which may challenge further back than there are bids."""
    said = _history(rules, chance)
    bids = tuple(action_of(rules, bid) for bid in said)
    if can_give_up(rules, said) and chance.random() < 0.5:
        return (*bids, gives_up_action(rules))
    distance = chance.randint(0, rules.furthest_challenge)
    return (*bids, challenge_action(rules, distance)) if distance else bids


def _duration(chance: random.Random) -> float:
    whole, any_size = float(chance.randint(1, 100_000)), math.exp(chance.uniform(-600, 600))
    return chance.choice([whole, chance.uniform(1e-9, 1e6), any_size])


def _write_duration(seconds: float) -> str:
    return f"{Decimal(seconds):f}s"  # exactly


def _count(chance: random.Random) -> int:
    most = chance.choice([100, MOST])
    return chance.choice([chance.randint(1, most), int(10 ** chance.randint(0, 18))])


def _recall(chance: random.Random) -> str:
    if chance.random() < 0.1:
        return "full"
    features = [
        "bid",
        *(chance.choice(["bid", "face", "mode", "-"]) for _ in range(chance.randint(0, 3))),
    ]
    limits = (
        "" if place == 0 or chance.random() < 0.5 else f"<{chance.randint(0, 40)}"
        for place in range(len(features))
    )
    return ",".join(f"{feature}{limit}" for feature, limit in zip(features, limits, strict=True))


def _read_recall(rules: Rules, text: str) -> object:
    return tuple(array.tobytes() for array in recall_tables(rules, text))


def _read_history(rules: Rules, text: str) -> tuple[Bid, ...]:
    bids = parse_history(rules, text)
    str(read_back(text, bids))  # can be said
    return bids


def _read_locale(text: str) -> int:
    return LANGUAGES.index(of_locale({"LANG": text}))


def _write_preset(rules: Rules) -> str:
    name = preset_name(rules)
    assert name is not None
    return name


def _any_preset(chance: random.Random) -> Rules:
    return preset(chance.choice([*PRESETS]))


def _from_json(read: Callable[[Any], Any], text: str) -> Any:
    """Read what a JSON text holds; a text that is not JSON is refused elsewhere."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ZhaifeiError("not JSON") from error
    return read(values)


def _parameters(chance: random.Random) -> Rules:
    name, faces = chance.choice([*PRESETS]), chance.randint(2, 9)
    if chance.random() < 0.3 and not preset(name).counting.by_hand:
        dice = chance.randint(1, 9), chance.randint(1, 9)
        rules = preset(name, dice=dice, faces=faces)
        solved = rules.loses_dice and not rules.bidding.forced_opening
        return round_rules(rules, dice) if solved and chance.random() < 0.5 else rules
    stakes = preset(name).stakes
    may_jump = not stakes.loses_dice and not stakes.doubled
    return preset(
        name,
        players=chance.randint(2, 8),
        dice=chance.randint(1, 9),
        faces=faces,
        jump_challenge=may_jump and chance.random() < 0.5,
    )


def _read_parameters(values: Any) -> Rules:
    if not isinstance(values, dict):  # OpenSpiel passes nothing else
        raise ZhaifeiError("no parameters")
    return rules_from(values)


def _round(chance: random.Random) -> RoundSoFar:
    """A round of OpenSpiel's game, in any state."""
    current = RoundSoFar(_rules()[5], starter=None)
    for _ in range(chance.randint(0, 12)):
        if current.settlement is not None:
            break
        if current.is_rolled:
            action = chance.choice(current.legal_actions()[-40:])
        else:
            action = chance.choice(current.chance_outcomes())[0]
        current = current.after(action)
    return current


def _write_round(current: RoundSoFar) -> str:
    places = [hands(current.rules).index(hand) for hand in current.hands]
    starter = [] if current.starter is None else [current.starter]
    return " ".join(map(str, [*starter, *places, *current.actions]))


def _read_round(text: str) -> RoundSoFar:
    current = RoundSoFar(_rules()[5], starter=None)
    for word in text.split()[:50]:
        if not re.fullmatch(r"-?[0-9]{1,18}", word):
            raise ZhaifeiError("OpenSpiel passes whole numbers of 64 bits")
        if current.settlement is not None:
            raise ZhaifeiError("the round has ended")
        current = current.after(int(word))
    return current


_SEEN = View(
    preset("zhaifei"),
    1,
    (1, 2, 2, 3, 6),
    (5, 5),
    (SeatBid(0, Bid(Mode.FEI, 3, 4)),),
    (Bid(Mode.FEI, 9, 6),),
    0,
    False,
)


def _answer(chance: random.Random) -> str:
    bid = chance.choice(domain(_SEEN.rules))
    mode = chance.choice([bid.mode, "飞斋"[bid.mode], "fz"[bid.mode]])
    answer = chance.choice([str(bid), [mode, bid.count, bid.face], [bid.count, bid.face]])
    return json.dumps(answer, ensure_ascii=False)


@cache
def _options() -> dict[str, click.Parameter]:
    """Every option and argument that takes a value, by its command and name."""
    return {
        f"{verb} {one.opts[0]}": one
        for verb, command in Commands().items()
        for one in command.params
        if not getattr(one, "is_flag", False)
    }


def _deck(chance: random.Random) -> Deck:
    """A drill deck with a few cards."""
    deck = Deck(chance.randint(0, 100))
    for _ in range(chance.randint(0, 4)):
        rules = chance.choice(
            [
                one
                for one in _rules()
                if not one.loses_dice and one.bidding.raising is Raising.STRONGER
            ]
        )
        if chance.random() < 0.5:
            deck.reviewed[rules] = "2026-11-22T20-15-00.000000Z friday.jsonl"
        card = Card(
            rules,
            chance.choice(hands(rules)),
            _history(rules, chance),
            chance.choice([*Source]),
            chance.randint(0, TOP),
            chance.randint(0, 200),
            chance.randint(0, 9),
        )
        deck.add(card)
    return deck


def _option(chance: random.Random) -> str:
    name = chance.choice([*_options()])
    return f"{name}={chance.choice(['1', '1e6', '0.5', '2m', 'en', 'q', '飞4x6'])}"


def _read_option(text: str) -> None:
    """Convert the value of an option, as `verb --option=value`."""
    name, _, value = text.partition("=")
    option = _options().get(name) or _options()["solve --iterations"]
    option.type.convert(value, option, None)


def _played(chance: random.Random, rules: Rules) -> PlayedMatch:
    """A match with known and unknown dice, without a seed."""
    names = [chance.choice(("?", "a=b", "A: 1", "lost", "老王", "3")) for _ in range(rules.players)]
    you = chance.choice((None, chance.randrange(rules.players)))
    if you is not None:
        names[you] = YOU
    rounds = tuple(_played_round(chance, rules) for _ in range(chance.randint(1, 3)))
    return PlayedMatch(rules, tuple(names), you, None, None, version("zhaifei"), rounds)


def _played_round(chance: random.Random, rules: Rules) -> PlayedRound:
    dice = [chance.choice((None, chance.choice(hands(rules)))) for _ in range(rules.players)]
    actions = [action_of(rules, bid) for bid in _history(rules, chance)]
    starter = chance.randrange(rules.players)
    if not actions or chance.random() < 0.3:
        return played_round(rules, starter, dice, actions)
    distance = chance.choice(challengeable(rules, len(actions)))
    challenger = (starter + len(actions)) % rules.players
    parties = (challenger, (challenger - distance) % rules.players)
    loser = chance.choice((None, *parties))
    actions.append(challenge_action(rules, distance))
    try:
        return played_round(rules, starter, dice, actions, loser)
    except ZhaifeiError:  # the dice tell that it was the other
        return played_round(rules, starter, dice, actions)


def _known_match(chance: random.Random) -> PlayedMatch:
    players, dice = chance.randint(2, 8), chance.randint(1, 5)
    name = chance.choice(("zhaifei", "basic", "liars_dice"))
    return _played(
        chance, preset(name, players=players, dice=dice, jump_challenge=chance.random() < 0.5)
    )


def _any_match(chance: random.Random) -> PlayedMatch:
    return _played(chance, _any_rules(chance).changed(**_FOR_POINTS))


_FOR_POINTS: dict[str, Any] = {
    "loses_dice": False,
    "raising": Raising.STRONGER,
}


def _read_record(text: str) -> PlayedMatch:
    return parse_match(text.encode(errors="surrogatepass").splitlines(keepends=True))


def _read_damaged_record(text: str) -> PlayedMatch:
    """Read what is whole of a record: all of it, unless something is told."""
    lines = text.encode(errors="surrogatepass").splitlines(keepends=True)
    told: list[ZhaifeiError] = []
    match = parse_match(lines, tell=told.append)
    if told:
        with suppress(ZhaifeiError):
            raise AssertionError(f"told for nothing: {parse_match(lines)}")
    else:
        assert parse_match(lines) == match
    return match


def _locks(chance: random.Random) -> str:
    """A lock file for two dice of three faces, in YAML or JSON, that may contradict itself."""
    locks = [_lock(chance) for _ in range(chance.randint(1, 4))]
    text = json.dumps(locks, ensure_ascii=False)
    if chance.random() < 0.5:
        return text
    return "\n".join(
        "- " + "\n  ".join(f"{key}: {json.dumps(one[key], ensure_ascii=False)}" for key in one)
        for one in locks
    )


_LOCKED = Rules.of(dice=2, faces=3)


def _lock(chance: random.Random) -> dict[str, Any]:
    history = _history(_LOCKED, chance)[:3]
    raises = [*map(str, legal_bids(_LOCKED, history[-1] if history else None)), "c"]
    way = chance.choice(["play", "mix", "times"])
    return {
        "after": chance.choice([format_history(history) or "start", [format_history(history)]]),
        "hands": chance.choice(["all", "12", "z1x3", "f2x3", ["11", "飞1x2"]]),
        way: {chance.choice(raises): chance.choice(["1", 1, "1/2", "0.3", "100%", 0])},
    }


def _read_locks(text: str) -> Locks:
    return parse_locks(_LOCKED, text)


# Parsers

_ADDRESS = (
    *("rules=", "southern", "ktv", "house=", "doubles=2-4", "pi", "redouble"),
    *("players=", "history=", "hand=", "jump=", "&", ",", "%2C", "%00", "+", ";", "token="),
)
_DIGITS = (*"0123456789", "10", "999", "٣", "３", "²", *"一二两幺十廿", "九十九")
_MODES = (*"飞斋飛齋fFzZｆＺ", "fei", "zhai", "FEI", "ﬀ", "feı")
_GAPS = (*" \u3000\t\n,，、\u00a0\u2028\x1c\x00", "  ", "\r\n")
_SIGNS = (*"x×X*个個ｘ＊.-+_劈",)
_CHALLENGES = (*"c开開跳Ｃ", "跳开", "不信", "检验", "檢驗", "challenge", "CHALLENGE")
_DOUBLES = ("劈", "反", "反劈", "pi", "double", "redouble", "认输", "give up")
_BIDS = (*_DIGITS, *_MODES, *_GAPS, *_SIGNS, *_CHALLENGES, *_DOUBLES)
_NUMBERS = (*_DIGITS, *_GAPS, *"eE._+-", "nan", "inf", "1e400", "1e18", "0x1")
_JSON = (
    *'{}[]:,"1 ',
    "null",
    "true",
    "false",
    "-1",
    "1e999",
    "0.5",
    "9" * 30,
    "9" * 5000,
    "NaN",
    "Infinity",
    '"modes"',
    '"飞"',
    '"fei"',
    '"players"',
    '"rules"',
    '"zhaifei"',
    "[]",
    "{}",
    '"\\ud800"',
    "[" * 2000,
)

_YAML = (
    "- ",
    "\n",
    "\n  ",
    "after: ",
    "hands: ",
    "play: ",
    "mix: ",
    "times: ",
    "start",
    "all",
    "z1x3",
    "f3x3",
    *"{}[]&*!|>%@`'\"#,?:\t",
    "---\n",
    "&a ",
    "*a",
    "<<: ",
    "!!int ",
    '"\\UFFFFFFFF"',
    '"\\ud800"',
    "\ufeff",
    "\x85",
    "\u2028",
)


_RECORD = (
    '{"round": 1, "starter": 1}\n',
    '{"seat": 1, "action": "f9x2"}\n',
    "\n",
    "\r",
    '{"loser": 1, "points": 1}\n',
    '{"seat": 2, "action": "c"}\n',
    '"dice": [null, "11"]',
)
_ROUNDS = (
    "5人",
    "3 players",
    "2 dice",
    "2骰",
    "4面",
    "先手",
    "starter ",
    "first",
    "jump",
    "跳开",
    "basic",
    "; ",
    *"；:：=＝我输号?#\n",
    "me",
    "me=2",
    "lost",
    "loser ",
    "seat ",
    "1: 11346",
    "2: 26",
)


@cache
def parsers(rules: Rules) -> dict[str, Parser]:
    """Return every parser by its name; those of bids and hands are for `rules`."""
    bids = plain_bids(rules)
    # A double is read only after its bid.
    actions = [*range(len(bids)), *range(len(domain(rules)), action_count(rules))]
    found = [
        Parser("bid", parse_bid, str, lambda chance: chance.choice(bids), _BIDS),
        Parser(
            "bid of the rules",
            partial(parse_bid, rules=rules),
            str,
            lambda chance: chance.choice(bids),
            _BIDS,
        ),
        Parser(
            "hand",
            partial(parse_hand, rules),
            format_hand,
            lambda chance: chance.choice(hands(rules)),
            (*_DIGITS, *_GAPS),
        ),
        Parser(
            "history",
            partial(_read_history, rules),
            format_history,
            partial(_history, rules),
            _BIDS,
        ),
        Parser(
            "action",
            partial(parse_action, rules),
            partial(format_action, rules),
            lambda chance: chance.choice(actions),
            _BIDS,
        ),
        Parser(
            "answer of an agent",
            lambda text: parse_step(rules, answer_in(text)),
            lambda action: f"I say [{format_action(rules, action)}]",
            lambda chance: chance.choice(actions),
            (*_BIDS, "[", "]", "\n", "pass", "forfeit"),
        ),
        Parser(
            "actions",
            partial(parse_actions, rules),
            partial(format_actions, rules),
            partial(_actions, rules),
            _BIDS,
        ),
        Parser(
            "typed line",
            lambda text: parse_action(rules, folded(text)),
            partial(format_action, rules),
            lambda chance: chance.choice(actions),
            _BIDS,
        ),
        Parser(
            "recall",
            partial(_read_recall, rules),
            None,
            _recall,
            ("bid", "face", "mode", "-", "<", ",", "full", *_DIGITS, *_GAPS),
        ),
        Parser("duration", parse_duration, _write_duration, _duration, (*_NUMBERS, *"hmsHMSd")),
        Parser("count", parse_count, str, _count, _NUMBERS),
        Parser(
            "points",
            parse_points,
            str,
            lambda chance: math.exp(chance.uniform(-700, 700)),
            _NUMBERS,
        ),
        Parser(
            "rules",
            partial(_from_json, Rules.from_dict),
            lambda rules: json.dumps(rules.to_dict()),
            _any_rules,
            _JSON,
            is_json=True,
        ),
        Parser("name of rules", preset, _write_preset, _any_preset, (*PRESETS, *_GAPS)),
        Parser(
            "OpenSpiel parameters",
            partial(_from_json, _read_parameters),
            lambda rules: json.dumps(parameters_of(rules)),
            _parameters,
            _JSON,
            is_json=True,
        ),
        Parser(
            "OpenSpiel actions",
            _read_round,
            _write_round,
            _round,
            (*_DIGITS, *_GAPS, "-1", "251", "252"),
        ),
        Parser(
            "locale",
            _read_locale,
            None,
            lambda chance: chance.choice(("zh_CN.UTF-8", "en_US", "C", "ZH")),
            ("zh", "en", "_", ".", *_GAPS),
        ),
        Parser(
            "answer of a strategy",
            partial(_from_json, partial(as_bid, view=_SEEN)),
            None,
            _answer,
            (*_JSON, *_BIDS),
            is_json=True,
        ),
        Parser(
            "option", _read_option, None, _option, (*_NUMBERS, *_BIDS, "=", "/", "..", "\udcff")
        ),
        Parser(
            "header",
            parse_object,
            json.dumps,
            lambda chance: _any_rules(chance).to_dict(),
            _JSON,
            is_json=True,
        ),
        Parser("record", _read_record, format_match, _any_match, (*_RECORD, *_JSON, *_BIDS)),
        Parser(
            "damaged record",
            _read_damaged_record,
            format_match,
            _any_match,
            (*_RECORD, *_JSON, *_BIDS, "\n"),
        ),
        Parser(
            "header of a record",
            _read_record,
            format_match,
            lambda chance: replace(_any_match(chance), rounds=()),
            _JSON,
            is_json=True,
        ),
        Parser("rounds in lines", parse_rounds, format_rounds, _known_match, (*_ROUNDS, *_BIDS)),
        Parser("drill deck", parse_deck, format_deck, _deck, (*_BIDS, *_NUMBERS), is_json=True),
        Parser("locks", _read_locks, None, _locks, (*_YAML, *_BIDS, *_NUMBERS)),
    ]
    return {parser.name: parser for parser in found}


# Texts


def some_text(parser: Parser, chance: random.Random) -> str:
    """Return a text: a written value with a few changes, or pieces of the grammar in any order."""
    if chance.random() < 0.3:
        count = chance.choice((0, 1, 2, 4, 8, 16, 32))
        text = "".join(chance.choice(parser.pieces) for _ in range(count))
    else:
        text = parser.drawn(chance)
        if parser.is_json and chance.random() < 0.8:
            return _altered(text, chance)
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3, 6))):
        text = _changed(parser, text, chance)
    if chance.random() < 0.002:  # long ones take long
        text = (text or chance.choice(parser.pieces)) * LONGEST
        text = text[: chance.choice((LONGEST, LONGEST + 1, chance.randint(1, LONGEST)))]
    return text


def _changed(parser: Parser, text: str, chance: random.Random) -> str:
    """Return `text` with one change."""
    start = chance.randint(0, len(text))
    stop = min(len(text), start + chance.choice((0, 1, 1, 2, 5)))
    match chance.randrange(6):
        case 0:
            middle = ""
        case 1:
            middle = text[start:stop] * 2
        case 2:
            middle = chr(
                chance.choice((0x7F, 0x600, 0x3100, 0xFFFF, 0x10FFFF)) - chance.randrange(99)
            )
        case 3:
            middle = text[start:stop].translate(_WIDE)
        case 4:
            return text[start:] + chance.choice(parser.pieces) + text[:start]
        case _:
            middle = chance.choice(parser.pieces)
    return text[:start] + middle + text[stop:]


def _altered(text: str, chance: random.Random) -> str:
    """Return a JSON text in which one or two values are others, missing, or in addition."""
    values = json.loads(text)
    if not isinstance(values, dict):
        return json.dumps(_any_value(chance))
    for _ in range(chance.randint(1, 2)):
        name = chance.choice([*values, "version", "modes", ""])
        if chance.random() < 0.2:
            values.pop(name, None)
        else:
            values[name] = _any_value(chance)
    return json.dumps(values)


def _any_value(chance: random.Random, depth: int = 0) -> Any:
    """Return any value that JSON can have."""
    if depth < 3 and chance.random() < 0.3:
        inner = [_any_value(chance, depth + 1) for _ in range(chance.randint(0, 3))]
        return {str(one)[:9]: one for one in inner} if chance.random() < 0.5 else inner
    return chance.choice(
        (
            None,
            True,
            False,
            0,
            1,
            -1,
            2,
            7,
            1.0,
            0.5,
            -0.0,
            math.nan,
            math.inf,
            1e308,
            2**31,
            2**63,
            10**400,
            "",
            "fei",
            "zhai",
            "FEI",
            "飞",
            "stronger",
            "zhaifei",
            "basic",
            "0",
            "x" * 20_000,
        )
    )


_WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}


_SHAPES = (
    "9",
    "1 ",
    "4x6 ",
    "4  ",
    " ",
    ",",
    ", ",
    "飞",
    "斋 4个6 ",
    "1h",
    ".",
    "9.",
    "_1",
    "bid,",
    "-,",
    "e",
    "\U0010ffff",
    "[",
)
_ENDS = (("", ""), ("飞4", "x"), ("1", "s"), ("bid,", "x"))


def shaped(length: int) -> Iterator[str]:
    """Yield texts of this length that repeat a piece, alone and between others: what a parser that
    tries again and again takes longest for."""
    for shape, (before, after) in itertools.product(_SHAPES, _ENDS):
        text = before + shape * length
        yield text[: length - len(after)] + after


# Runs


def one_input(seed: int, number: int) -> tuple[Parser, Rules, str | None, random.Random]:
    """Return what input `number` of the run `seed` is: a parser, the rules it is for, and a text,
    or None for a value that is written and read; with the generator of that value."""
    chance = random.Random(f"{seed} {number}")
    rules = chance.choice(_rules())
    parser = chance.choice([*parsers(rules).values()])
    text = None if chance.random() < 0.2 else some_text(parser, chance)
    return parser, rules, text, chance


def try_input(seed: int, number: int) -> tuple[str, Failure | None]:
    """Try input `number` of the run `seed`. Return the name of its parser, and the failure."""
    parser, _, text, chance = one_input(seed, number)
    try:
        if text is None:
            parser.verify_written(chance)
        else:
            parser.verify(text)
    except Exception as error:
        return parser.name, failure(seed, number, f"{type(error).__name__}: {str(error)[:500]}")
    return parser.name, None


def failure(seed: int, number: int, outcome: str) -> Failure:
    """Return the failure of input `number` of the run `seed`, with its line in the corpus."""
    parser, rules, text, _ = one_input(seed, number)
    line = json.dumps({"parser": parser.name, "rules": rules.to_dict(), "text": text})
    again = f"try_input({seed}, {number}) of tests.fuzz.parsers"
    return Failure(parser.name, outcome, f"{again}: {line[:3000]}")


def fuzz_parsers(
    seconds: float,
    count: int | None = None,
    seed: int = 0,
    first: int = 0,
    on_input: Callable[[int], None] = lambda number: None,
) -> FuzzResult:
    """Try inputs `first`, `first` + 1, ... of the run `seed` for `seconds`, at most `count` inputs.
    Call `on_input` with the number of each input before it is tried."""
    result, end = FuzzResult(), time.monotonic() + seconds
    numbers = itertools.count(first) if count is None else range(first, first + count)
    for number in numbers:
        if time.monotonic() >= end:
            break
        on_input(number)
        name, failure = try_input(seed, number)
        result.inputs[name] += 1
        if failure is not None:
            result.failures.append(failure)
    return result
