"""Answers about one decision, computed in a worker process."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from zhaifei.app.locale import speaking
from zhaifei.app.said import say_portrait
from zhaifei.app.server.advice.known import known, people, reviewer
from zhaifei.app.server.advice.rounds import verify_number
from zhaifei.app.server.asked import Fields
from zhaifei.game.bids import Bid, domain, mover_after, verify_history
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import verify_hand
from zhaifei.game.notation import parse_action
from zhaifei.game.rules import Rules
from zhaifei.policies.advice.advice import ActionAdvice, Advice, Ground, PlayedOut, Solved, Source
from zhaifei.policies.advice.costs import Cost, costs_of
from zhaifei.policies.advice.people import Character, Person, learned, person_of, portrait_of
from zhaifei.policies.advice.shown import PlayShown
from zhaifei.policies.advice.table import TableQuestion, advise_in_turn
from zhaifei.policies.play.lineup import verify_seat
from zhaifei.policies.play.played import PlayedRound, played_round
from zhaifei.policies.players.reader import NAME as READER
from zhaifei.policies.players.rule_based import NAMES
from zhaifei.policies.review.grades import BEST_COSTS

MOST_SEEN = 50
"""Rounds of a table that may be sent: what was learned from older ones hardly counts any more."""
POLICY = "policy"
"""The name by which the page calls copies of the policy."""
_BIDS = {
    "conservative": Character.CAREFUL,
    "honest": Character.CAREFUL,
    "probabilistic": Character.CAREFUL,
    "aggressive": Character.BLUFFS,
}
"""How the named players bid of whom more is known than of anybody."""
_SAID = {one.value: one for one in Character}
"""How somebody says that people bid."""


class Seen(NamedTuple):
    """A round of this table before the present one."""

    opener: int
    """The seat that opened; seats count from the player who asks, 0."""
    hands: tuple[tuple[int, ...], ...]
    """[seat] the dice; empty if nobody saw them."""
    actions: tuple[int, ...]
    """The bids, the doubles and the ending."""


class Decision(NamedTuple):
    """A position of the player in turn."""

    rules: Rules
    hand: tuple[int, ...]
    """The player's own dice; nobody else's are needed."""
    history: tuple[int, ...]
    """The bids and doubles of the round so far, as actions."""
    others: tuple[str, ...]
    """Who is believed to sit there, in the order of turns after the player: the name of a player,
    how somebody says that they bid, or an empty text for somebody unknown."""
    seen: tuple[Seen, ...] = ()
    """The earlier rounds of this table, oldest first, from which it is learned how they bid."""
    language: str = "en"
    """In which it is told what was learned."""


def advise(policy: Path | None, asked: Decision) -> Fields:
    """Return the share and value of each legal action, which are as good as the best, on what the
    numbers rest, and how each of the others bids. Equal questions get equal answers. Raise
    ZhaifeiError if the position cannot be."""
    question, rounds = question_of(asked), rounds_of(asked)
    rules, among = asked.rules, people(policy, asked.rules)
    question = _having_seen(question, [among.shown(rules, one) for one in rounds])
    adviser = None if known(policy, rules) is None else reviewer(policy, rules).adviser
    advice = advise_in_turn(among, adviser, question)
    others = question.people[1:]
    if adviser is not None and not question.is_known:
        costs = costs_of(advice, lambda actions: adviser.earned(advice, actions))
    else:
        costs = costs_of(
            advice,
            lambda actions: among.earned(question.hand, question.bids, others, actions),
        )
    return {**_written(rules, advice, costs), "people": _told(others, asked.language)}


def _having_seen(
    question: TableQuestion, shown: Sequence[tuple[PlayShown | None, ...]]
) -> TableQuestion:
    """Return the question with what rounds have `shown` [round][seat] of the others."""
    others = [
        _after(person, [its[seat] for its in shown])
        for seat, person in enumerate(question.people[1:], 1)
    ]
    return question._replace(people=(question.people[0], *others))


def _after(person: Person, rounds: Sequence[PlayShown | None]) -> Person:
    """Return what is believed about somebody after `rounds`."""
    return learned(person, rounds) if any(rounds) else person


def _told(others: Sequence[Person], language: str) -> list[str]:
    """Return what was learned of each of the others; an empty text if nothing was."""
    with speaking(language):
        return [say_portrait(portrait_of(one)) if one.rounds else "" for one in others]


def rounds_of(asked: Decision) -> tuple[PlayedRound, ...]:
    """Return the rounds that were seen. Raise ZhaifeiError for rounds that cannot be."""
    if len(asked.seen) > MOST_SEEN:
        raise ZhaifeiError("at most {most} rounds that were seen count", most=MOST_SEEN)
    return tuple(_played(asked.rules, one) for one in asked.seen)


def _played(rules: Rules, seen: Seen) -> PlayedRound:
    verify_seat(rules, seen.opener + 1)
    for action in seen.actions:
        verify_number(rules, action)
    if len(seen.hands) != rules.players:
        raise ZhaifeiError("hands has {players} lists, one for each seat", players=rules.players)
    hands = [verify_hand(rules, hand) if hand else None for hand in seen.hands]
    return played_round(rules, seen.opener, hands, seen.actions)


def bids_of(rules: Rules, history: tuple[int, ...]) -> tuple[Bid, ...]:
    """Return the bids of these numbers. Raise ZhaifeiError unless they may follow each other."""
    every = domain(rules)
    for one in history:
        if not 0 <= one < len(every):
            raise ZhaifeiError("there is no bid {number}", number=one)
    bids = tuple(every[one] for one in history)
    verify_history(rules, bids)
    return bids


def no_such_hand() -> ZhaifeiError:
    """Return the error for dice that no hand has, like a straight where straights are rolled
    again."""
    return ZhaifeiError("no hand has these dice")


def question_of(asked: Decision) -> TableQuestion:
    """Return the question with the player in seat 0. Raise ZhaifeiError for a position that cannot
    be."""
    rules, bids = asked.rules, bids_of(asked.rules, asked.history)
    mover = mover_after(rules, bids)
    hand = verify_hand(rules, asked.hand, mover)
    if len(asked.others) != rules.players - 1:
        raise ZhaifeiError("{others} others are at this table", others=rules.players - 1)
    others = [_person(rules, name) for name in asked.others]
    return TableQuestion(rules, -mover % rules.players, hand, bids, (person_of(rules), *others))


def _person(rules: Rules, name: str) -> Person:
    if name not in ("", POLICY, READER, *NAMES, *_SAID):
        raise ZhaifeiError("there is no player {name!r}", name=name)
    return person_of(rules, _SAID.get(name, _BIDS.get(name)))


def _written(rules: Rules, advice: Advice, costs: dict[str, Cost]) -> Fields:
    """Return the advice with actions as numbers, the best first. Values that are unclear are
    None."""
    last = advice.history[-1] if advice.history else None
    ranked = [(parse_action(rules, one.action, last), one) for one in advice.ranked]
    (best, _), *others = ranked
    return {
        "best": best,
        "equal": [number for number, one in others if _is_equal(costs.get(one.action))],
        "actions": [action_row(number, one) for number, one in ranked],
        "chance": advice.p_true,
        "ground": ground_fields(advice.ground),
    }


def _is_equal(cost: Cost | None) -> bool:
    """Return whether an action may cost no more than the best decisions do."""
    return cost is not None and cost.cost - cost.margin <= BEST_COSTS


def action_row(number: int, one: ActionAdvice) -> Fields:
    """Return the share and value of an action; a value that is unclear is None."""
    figures = (one.value, one.value_error) if one.is_clear else (None, None)
    return {
        "action": number,
        "share": one.probability,
        **dict(zip(("value", "error"), figures, strict=True)),
    }


def ground_fields(ground: Ground) -> Fields:
    """Return what the numbers rest on."""
    if isinstance(ground, Source):
        return {"kind": ground.value}
    if isinstance(ground, PlayedOut):
        return {"kind": "played", "rounds": ground.rounds, "known": ground.known}
    assert isinstance(ground, Solved), "whole rounds without locks are asked about"
    return {"kind": "solved", "gap": ground.gap}
