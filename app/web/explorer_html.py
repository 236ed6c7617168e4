"""Render the explorer as HTML for `app.web.taps`, without state."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np

from zhaifei.app.locale import say, say_action
from zhaifei.app.said import (
    is_solved,
    lock_answer,
    locks_are_read,
    locks_used,
    say_figure,
    values_are,
)
from zhaifei.app.web.dice import die
from zhaifei.app.web.explorer import Explored, Position
from zhaifei.app.web.heat_map import Ink, drawn, heat, holding
from zhaifei.app.web.taps import button
from zhaifei.game.hands import hands
from zhaifei.game.notation import CHALLENGE, format_hand, parse_bid
from zhaifei.game.rules import preset
from zhaifei.policies.measure.advice import ActionAdvice, Believed, Locked

SHOWN = 12
"""Number of actions shown at first; hardly any range takes more."""
_PLACE = "/explorer"


class View(NamedTuple):
    """The player, colours and list that a page shows of a position."""

    player: int = 0
    """The player whose range is drawn: 0 is the player to move, then in the order of turns."""
    action: str | None = None
    """The action by whose frequency the hands are coloured; None colours by how often they bid
    so."""
    every: bool = False
    """Whether all actions are listed."""


def link(position: Position, text: str, classes: str = "") -> str:
    """Return a link to a position; `text` is HTML."""
    return f'<a class="{classes}" href="{_PLACE}?{escape(position.address)}">{text}</a>'


def seat_words(position: Position, player: int) -> str:
    """Return the name of a player; the opener is seat 1."""
    seat = say("seat {seat}", seat=(position.mover + player) % position.rules.players + 1)
    return say("{seat}, in turn", seat=seat) if player == 0 else seat


def path_html(position: Position) -> str:
    """Return the bids so far as links back, and links to other numbers of players."""
    sizes = "".join(
        link(
            Position(preset("zhaifei", players=number)),
            str(number),
            "z-touch" + " z-chosen" * (number == position.rules.players),
        )
        for number in range(2, 9)
    )
    steps = "".join(
        f"<li>{link(position.back(place + 1), str(bid))}</li>"
        for place, bid in enumerate(position.history)
    )
    start = link(position.back(0), escape(say("start of the round")))
    return (
        f'<section class="z-card"><h2>{escape(say("players"))}</h2>'
        f'<div class="z-row z-touch-row">{sizes}</div>'
        f'<nav aria-label="{escape(say("bids so far"))}"><ol class="z-path">'
        f"<li>{start}</li>{steps}</ol></nav></section>"
    )


def held_html(position: Position, found: Explored | None) -> str:
    """Return the dice by which hands are chosen, with a button for each."""
    held = "".join(
        button(f"drop {face}", die(face), "z-touch-die", label=say("not a {face}", face=face))
        for face in position.held
    )
    full = len(position.held) == position.rules.dice
    faces = (
        ""
        if full
        else "".join(
            button(
                f"hold {face}",
                die(face),
                "z-touch-die z-touch-add",
                label=say("a {face}", face=face),
            )
            for face in range(1, position.rules.faces + 1)
        )
    )
    row = f'<div class="z-row z-held">{held}</div>' if held else ""
    share = ""
    if found is not None and position.held:
        text = say("{share:.2%} of the range", share=found.share(position.held))
        share = f'<p class="z-quiet">{escape(text)}</p>'
    title = say("dice that the player to move holds")
    return (
        f'<section class="z-card"><h2>{escape(title)}</h2>{row}'
        f'<div class="z-dice-row">{faces}</div>{share}</section>'
    )


# Actions


def actions_html(position: Position, found: Explored, view: View) -> str:
    """Return a table of the actions of the chosen hands, with links to the next positions."""
    ranked = found.actions(position.held)
    shown = ranked if view.every else [one for one in ranked[:SHOWN] if one.share > 0.0005]
    rows = []
    for one in shown:
        if one.value is None or one.value_error is None:
            figure = say_figure(one.value_of_all, one.error_of_all)
        else:
            figure = say_figure(one.value, one.value_error)
        rows.append(
            f"<tr><td>{_step(position, one.action)}</td>"
            f'<td class="z-number">{one.share:.1%}{_bar(one.share)}</td>'
            f'<td class="z-number">{" ".join(figure)}</td>'
            f"<td>{_paint(one.action, view)}</td></tr>"
        )
    head = "".join(
        f'<th class="{kind}">{escape(text)}</th>'
        for text, kind in (
            (say("action"), ""),
            (say("share"), "z-number"),
            (say("value"), "z-number"),
            (say("map"), ""),
        )
    )
    more = (
        ""
        if view.every or len(shown) == len(ranked)
        else button(
            "every", escape(say("all {number} actions", number=len(ranked))), "z-touch-more"
        )
    )
    grounds = _grounds(position, found)
    return (
        f'<section class="z-card"><h2>{escape(_situation(position))}</h2>{grounds}'
        f'<div class="z-scroll"><table class="z-table"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>{more}</section>"
    )


def _situation(position: Position) -> str:
    if not position.history:
        return say("opening the round")
    return say("facing {bid}", bid=position.history[-1])


def _grounds(position: Position, found: Explored) -> str:
    """Return sentences on the source of the answer."""
    lines = [
        say("{bid} is true with probability {probability:.1%}", bid=bid, probability=chance)
        for bid, chance in found.chances(position.held)
    ]
    whose = (
        say("the chosen hands earn {value:+.3f}", value=found.value(position.held))
        if position.held
        else say("the range earns {value:+.3f}", value=found.value())
    )
    lines.append(whose)
    if position.held and found.weights(position.held) is None:
        lines.append(
            say(
                "the policy never bids like this with these dice; hands have their initial "
                "probabilities"
            )
        )
    lines += values_are(found)
    if found.solved is not None:
        lines.append(is_solved(found.solved))
    elif not found.read and (not found.on_path or found.believed is Believed.UNKNOWN):
        lines.append(
            say(
                "the policy never bids like this: the hands of those players have their "
                "initial probabilities"
            )
        )
    return "".join(f"<p>{escape(line)}</p>" for line in lines)


def _step(position: Position, action: str) -> str:
    """Return an action, as a link if the round goes on."""
    if action.startswith(CHALLENGE):
        return escape(say_action(action))
    return link(position.after(parse_bid(action)), escape(action))


def _bar(share: float) -> str:
    return f'<div class="z-bar" aria-hidden="true"><div style="width:{share:.1%}"></div></div>'


def _paint(action: str, view: View) -> str:
    return button(
        f"paint {action}",
        "◩",
        "z-touch-small",
        pressed=action == view.action,
        label=say("colour the hands by {action}", action=say_action(action)),
    )


# The map


def map_html(position: Position, found: Explored, view: View) -> str:
    """Return the map of all hands of one player."""
    players = "".join(
        button(
            f"player {player}", escape(seat_words(position, player)), pressed=player == view.player
        )
        for player in range(position.rules.players)
    )
    rules, weights = position.rules, found.ranges[view.player]
    chosen = None if view.player or not position.held else holding(rules, position.held)
    if view.action is None or view.player:
        colours = heat(rules, weights)
        title = say("the more colour, the more often a hand bids like this")
    else:
        colours = found.taking(view.action)
        title = say(
            "the more colour, the more often a hand takes {action}", action=say_action(view.action)
        )
    words = tuple(
        say(
            "{hand}: {share:.2%} of the range, {heat:.0%}",
            hand=format_hand(hand),
            share=float(weights[place]),
            heat=float(colours[place]),
        )
        for place, hand in enumerate(hands(rules))
    )
    label = f"{seat_words(position, view.player)}: {_summary(found, view.player)}"
    drawing = drawn(
        rules,
        Ink(colours, words),
        label=label,
        chosen=chosen,
        corner=say("ones"),
    )
    back = button("paint", escape(say("how they bid"))) if view.action and not view.player else ""
    note = say(
        "from the top: hands with no ones, one, two …; under each face the hands that have most of "
        "it, those with more of it higher; a tap on a hand chooses it"
    )
    return (
        f'<section class="z-card"><h2>{escape(say("what they may hold"))}</h2>'
        f'<div class="z-row">{players}{back}</div><p class="z-quiet">{escape(title)}</p>{drawing}'
        f'<p class="z-quiet">{escape(note)}</p>'
        f'<p class="z-quiet">{escape(_summary(found, view.player))}</p></section>'
    )


def _summary(found: Explored, player: int) -> str:
    """Return in words the distribution of a player's number of ones."""
    weights, rules = found.ranges[player], found.rules
    wild = np.array([hand.count(rules.counting.wild) for hand in hands(rules)])
    shares = [float(weights[wild == number].sum()) for number in range(rules.dice + 1)]
    return say(
        "ones: {shares}",
        shares=", ".join(f"{number} {share:.0%}" for number, share in enumerate(shares)),
    )


# Locks


def lock_html(position: Position, view: View) -> str:
    """Return the explanation of locks, and the buttons that add a lock."""
    note = say(
        "suppose that the player to move here does something: choose an action with ◩ and dice, "
        "if only some hands do it, lock it, and go on; where you decide against it, tap all five "
        "dice and ask"
    )
    adds = ""
    if view.action is not None:
        adds = "".join(
            button(
                f"lock {percent}",
                escape(
                    say(
                        "lock {action}: {percent}%", action=say_action(view.action), percent=percent
                    )
                ),
            )
            for percent in (100, 50)
        )
    asks = ""
    if position.hand is not None:
        asks = button("answer best-response", escape(say("best response"))) + button(
            "answer solve", escape(say("solve with the locks"))
        )
    return f'<p class="z-quiet">{escape(note)}</p><div class="z-row">{adds}{asks}</div>'


def locked_html(actions: Sequence[ActionAdvice], locked: Locked) -> str:
    """Return the advice against locks, and which of the locks were used."""
    lines = [locks_used(locked), lock_answer(locked), *([locks_are_read()] * locked.read)]
    said = "".join(f"<p>{escape(line)}</p>" for line in lines)
    ranked = sorted(actions, key=lambda one: (-one.probability, -one.value))[:SHOWN]
    rows = "".join(
        f'<tr><td>{escape(say_action(one.action))}</td><td class="z-number">{one.probability:.1%}'
        f'</td><td class="z-number">{one.value:+.3f}</td></tr>'
        for one in ranked
    )
    head = "".join(
        f"<th>{escape(text)}</th>" for text in (say("action"), say("share"), say("value"))
    )
    return (
        f'{said}<table class="z-table"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    )
