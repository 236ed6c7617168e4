"""The tools of `zhaifei mcp` as plain functions: arguments as an agent sends them, answers as
`--json` of the commands gives them. A user's mistake raises ZhaifeiError.

Agents name players, matches and records; no argument is a path, and no tool writes a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

from zhaifei.app.agents.matches import Matches, new_match, new_scored_match, verify_names
from zhaifei.app.agents.records import kept_record
from zhaifei.app.agents.text_game import rules_text
from zhaifei.app.server.rooms.room import Goal
from zhaifei.app.terminal.as_json import (
    advice_json,
    evaluation_json,
    range_json,
    record_json,
    review_json,
    summary_json,
    with_stakes,
)
from zhaifei.game.bids import can_bid
from zhaifei.game.chances import chance
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.house import SWITCHES
from zhaifei.game.notation import format_hand, parse_bid, parse_hand, parse_history
from zhaifei.game.rules import PRESETS, Rules, preset
from zhaifei.policies.advice.advice import RangeAdvice
from zhaifei.policies.advice.advising import Question, advise, advise_range
from zhaifei.policies.catalogue.known import load_any, load_for
from zhaifei.policies.catalogue.names import player_names
from zhaifei.policies.measure.anytime import last_of
from zhaifei.policies.measure.timed_evaluation import TimedEvaluation
from zhaifei.policies.play.record_text import parse_rounds
from zhaifei.policies.review.decisions import reviewer_of
from zhaifei.policies.review.reviewing import review_match, reviewed_seat, summarise

MOST_SECONDS = 60.0
"""The most time that an agent may ask for."""


class Variant(TypedDict, total=False):
    """The rules of a table, by the name of a preset and what differs from it."""

    name: str
    """The name of a preset."""
    players: int
    dice: int | list[int]
    faces: int
    jump_challenge: bool
    house: list[str]
    """The names of house rules."""


with_config(ConfigDict(extra="forbid"))(Variant)

Table = Annotated[
    Variant | None,
    Field(
        description="The rules: name of a preset (zhaifei by default), players, dice (5, or [5, 3] "
        "for two players), faces, jump_challenge and house, a list of house rules. The tool "
        "`rules` lists all names."
    ),
]
Hand = Annotated[str, Field(description="The faces of your dice, like 11346.")]
History = Annotated[str, Field(description="All bids of the round, oldest first: f3x2 f4x6 z3x5.")]
Player = Annotated[
    str, Field(description="A player's name; by default the policy known for the rules.")
]
Seconds = Annotated[float, Field(ge=0.0, le=MOST_SECONDS, description="Time for the answer.")]


class Tools:
    """The tools, and the matches that they play."""

    def __init__(self) -> None:
        self._matches = Matches()

    def rules(self, rules: Table = None) -> dict[str, Any]:
        """Explain the rules of Liar's Dice (斋飞), and list presets, house rules and players."""
        its = _rules(rules)
        return {
            "text": rules_text(its),
            "rules": its.to_dict(),
            "presets": list(PRESETS),
            "house_rules": {name: str(switch.does) for name, switch in SWITCHES.items()},
            "players": player_names(its),
        }

    def chance(self, hand: Hand, bid: str, rules: Table = None) -> dict[str, Any]:
        """Return the probability that a bid is true, given your dice alone."""
        its = _rules(rules)
        own, its_bid = parse_hand(its, hand), parse_bid(bid, its)
        others = its.total_dice - len(own)
        return {
            "hand": format_hand(own),
            "bid": str(its_bid),
            "may_open": can_bid(its, its_bid, None),
            "p_true": chance(its, its_bid, own, others),
        }

    def advice(
        self,
        hand: Hand = "",
        history: History = "",
        rules: Table = None,
        policy: Player = "",
        seconds: Seconds = 2.0,
    ) -> dict[str, Any]:
        """Return what the policy does with your hand after these bids: the probability and the
        value of every action, in penalty points. Without a hand, answer for all hands that you may
        hold."""
        its = _rules(rules)
        found, record = load_for(_named(its, policy), its)
        loaded = found.at(its.dice_by_player)
        bids = parse_history(loaded.rules, history)
        question = Question(history=bids, seconds=seconds)
        if hand:
            own = parse_hand(loaded.rules, hand)
            advice = last_of(advise(loaded, own, question), _ignore)
            told = advice_json(loaded.rules, advice)
        else:
            ranged: RangeAdvice = last_of(advise_range(loaded, question), _ignore)
            told = range_json(loaded.rules, ranged)
        stakes = found.stakes(its.dice_by_player, len(bids))
        if stakes is not None:
            told = with_stakes(loaded.rules, told, stakes)
        return {"policy": record_json(record), **told}

    def best_response(
        self,
        policy: Player = "",
        rules: Table = None,
        seconds: Seconds = 30.0,
        decisions: Annotated[int, Field(ge=0, le=20)] = 5,
    ) -> dict[str, Any]:
        """Return what a best response earns against a player, certified in the full game, and the
        decisions by which it gains most."""
        its = _rules(rules)
        loaded, record = load_any(_named(its, policy), its)
        evaluation = TimedEvaluation(loaded, seconds=max(seconds, 1.0))
        if decisions:
            evaluation.verify_shows_decisions()
        responses = evaluation.best_responses()
        shown = evaluation.decisions(decisions) if decisions else None
        return {"policy": record_json(record), **evaluation_json(responses, [], {}, shown)}

    def review(
        self,
        rounds: Annotated[
            str,
            Field(
                description="Rounds, one a line: '2 players, starter 1: f3x2 z2x4 c; me=1: 11346; "
                "2: 23455'. Tools of matches and `zhaifei record` write and read this form."
            ),
        ] = "",
        record: Annotated[str, Field(description="Or the name of a kept record.")] = "",
        seat: Annotated[int | None, Field(ge=1, description="By default the seat of 'me'.")] = None,
        seconds: Seconds = 2.0,
    ) -> dict[str, Any]:
        """Review rounds that were played: what each decision cost, what was best, and what was
        luck."""
        if bool(rounds) == bool(record):
            raise ZhaifeiError("give either rounds or the name of a record")
        match = kept_record(record) if record else parse_rounds(rounds, "rounds")
        own = reviewed_seat(match, None if seat is None else seat - 1)
        loaded, known = load_for(None, match.rules)
        found = review_match(reviewer_of(loaded, seconds), match, own)
        told = {**review_json(found), "policy": record_json(known)}
        return {"matches": [told], "summary": summary_json(summarise([found]))}

    def new_match(
        self,
        rules: Table = None,
        opponents: Annotated[
            list[str], Field(max_length=8, description="Names of players, in turn.")
        ] = [],  # noqa: B006  # a schema needs the default
        seat: Annotated[int, Field(ge=1, description="Your seat.")] = 1,
        goal: Annotated[
            Literal["rounds", "points", "dice"],
            Field(description="What ends the match; 'dice' where dice are lost."),
        ] = "rounds",
        number: Annotated[int, Field(description="The number of rounds or points.")] = 10,
        seed: Annotated[int | None, Field(description="By default drawn.")] = None,
    ) -> dict[str, Any]:
        """Begin a match against players of the program; play it by `act`. Others' dice are shown
        when a round has ended."""
        its = _rules(rules)
        aim = Goal("dice", 0) if its.loses_dice else Goal(goal, number)
        name = self._matches.add(new_match(its, opponents, seat, aim, seed))
        return self.look(name)

    def new_scored_match(
        self,
        rules: Table = None,
        rounds: Annotated[int, Field(ge=1, le=100_000)] = 100,
        seed: Annotated[int | None, Field(description="By default drawn.")] = None,
    ) -> dict[str, Any]:
        """Begin a scored match against the certified policy; play it by `act`. At its end the
        result tells the points that you lost a round, with luck taken out. Illegal answers are
        counted, and you answer again."""
        return self.look(self._matches.add(new_scored_match(_rules(rules), rounds, seed)))

    def look(self, match: Annotated[str, Field(description="Its name.")]) -> dict[str, Any]:
        """Return the position in a match, and the rounds that have ended since the last look."""
        return {"match": match, **self._matches[match].look()}

    def act(
        self,
        match: Annotated[str, Field(description="Its name.")],
        action: Annotated[str, Field(description="A bid like f5x4 or z2x5, or challenge.")],
    ) -> dict[str, Any]:
        """Take your action in a match, and return the next position in which you decide."""
        self._matches[match].act(action)
        return self.look(match)


def _rules(rules: Variant | None) -> Rules:
    """Return the rules that an agent names. Raise RulesError or HouseError."""
    its: dict[str, Any] = dict(rules or {})
    return preset(its.pop("name", "zhaifei"), **its)


def _named(rules: Rules, name: str) -> Path | None:
    """Return the name of a player as the catalogue takes it, None for no name. Raise ZhaifeiError
    for what is not a player's name."""
    if not name:
        return None
    verify_names(rules, [name])
    return Path(name)


def _ignore(result: object) -> None:
    """Take no notice of a result that will be refined."""
