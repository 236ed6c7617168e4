"""The game as text: a position as a prompt, an answer as an action. All adapters for programs that
play by text share this module.

An answer is one action in the notation of `game.notation`. It stands in the last [brackets] of the
text or, without brackets, on its last line that is not empty; so an answer may begin with thoughts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from zhaifei.app.locale import chosen, say, say_action, say_message, say_rules
from zhaifei.app.rules_told import rules_told
from zhaifei.game.bids import action_of, endings_after
from zhaifei.game.notation import CHALLENGE, format_action, format_hand, format_history, parse_step
from zhaifei.game.public_state import DECLINE
from zhaifei.game.rules import Rules
from zhaifei.game.stakes import loss, score_name
from zhaifei.game.views import View
from zhaifei.policies.play.played import UNNAMED, PlayedMatch, PlayedRound
from zhaifei.policies.play.record_text import CHINESE, ENGLISH, format_rounds

_BRACKETED = re.compile(r"\[([^\[\]]*)\]")
EXAMPLE = "飞5×4"
"""A bid of most variants, to show how an answer looks."""
_SHOWN = 16
"""The most bids that a prompt lists; there may be hundreds."""


def rules_text(rules: Rules) -> str:
    """Return the rules in plain words, and how to write an action."""
    lines = [say_rules(rules), *rules_told(rules)]
    lines.append(
        say(
            "Write a bid as {bid} or f5x4, with z for 斋, and a challenge as {challenge}. Your "
            "answer is the text in the last [brackets], or else the last line.",
            bid=EXAMPLE,
            challenge=say_action(CHALLENGE),
        )
    )
    return "\n".join(lines)


def position_text(view: View) -> str:
    """Return what the player with this view knows, and what it may do now."""
    lines = [
        say(
            "You are in seat {seat} of {players} and hold {dice}. Dice on the table: {table}.",
            seat=view.seat + 1,
            players=view.rules.players,
            dice=" ".join(map(str, view.dice)),
            table=sum(view.dice_counts),
        ),
        _bids_text(view),
        *_legal_text(view),
    ]
    return "\n".join(lines)


def _bids_text(view: View) -> str:
    if not view.history:
        return say("You open the round: nobody has bid yet.")
    bids = ", ".join(
        say("{bid} (seat {seat})", bid=made.bid, seat=made.seat + 1) for made in view.history
    )
    return say("Bids so far: {bids}", bids=bids)


def _legal_text(view: View) -> list[str]:
    """Return the legal actions as lines; of many bids only the weakest and the strongest."""
    bids = [str(bid) for bid in view.legal_bids]
    if len(bids) > _SHOWN:
        bids = [*bids[:_SHOWN], "…", bids[-1]]
    endings = [say_action(one) for one in legal_actions(view)[len(view.legal_bids) :]]
    found = []
    if bids:
        found.append(say("You may bid, weakest first: {bids}", bids=", ".join(bids)))
    if endings:
        found.append(say("Instead of a bid you may answer: {actions}", actions=", ".join(endings)))
    return found


def legal_actions(view: View) -> list[str]:
    """Return every action that the player, who decides now, may take, bids first: in the notation
    of `game.notation`."""
    rules = view.rules
    actions = [action_of(rules, bid) for bid in view.legal_bids]
    if view.can_challenge:
        actions += endings_after(rules, view.bids)
    if _is_asked(view):
        actions.append(DECLINE)
    return [format_action(rules, action) for action in actions]


def _is_asked(view: View) -> bool:
    """Return whether the player is asked to challenge the last bid or to let it stand."""
    return view.rules.stakes.out_of_turn and bool(view.history) and not view.legal_bids


def answer_in(text: str) -> str:
    """Return the part of an answer that is the action; of an empty answer, an empty
    text."""
    bracketed = _BRACKETED.findall(text)
    if bracketed:
        return str(bracketed[-1]).strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def read_action(view: View, text: str) -> int:
    """Return the action in an answer of the player with this view. Raise as
    `game.notation.parse_step` does; whether the action is legal is for the round to say."""
    last = view.current_bid
    return parse_step(view.rules, answer_in(text), last)


def position_json(view: View) -> dict[str, object]:
    """Return a position as data: the seat from 1, the dice, the bids and the legal actions."""
    return {
        "seat": view.seat + 1,
        "hand": format_hand(view.dice),
        "history": format_history(view.bids),
        "legal": legal_actions(view),
        "text": position_text(view),
    }


def round_text(rules: Rules, played: PlayedRound) -> str:
    """Return a round that has ended, with all dice: as a line that `zhaifei record` reads, and what
    it cost whom."""
    names = (UNNAMED,) * rules.players
    match = PlayedMatch(rules, names, None, None, None, "", (played,))
    line = format_rounds(match, CHINESE if chosen() == "zh" else ENGLISH)
    if played.loser is None:
        return line
    who = say("seat {seat}", seat=played.loser + 1)
    return f"{line}\n{say_message(loss(rules, played.cost, who))}"


def score_line(rules: Rules, score: Sequence[int]) -> str:
    """Return a `score` [seat] as a line."""
    told = ", ".join(
        f"{say('seat {seat}', seat=seat)}: {points}" for seat, points in enumerate(score, 1)
    )
    return f"{say_message(score_name(rules))}: {told}"
