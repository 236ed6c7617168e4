"""Render the explorer as HTML for `app.web.taps`, without state."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.app.locale import say, say_action
from zhaifei.app.said import rests_on, say_figure
from zhaifei.app.web.dice import die
from zhaifei.app.web.explorer import Position, of_players
from zhaifei.app.web.games import OWN_RULES, POINTS, game_of, point_games
from zhaifei.app.web.heat_map import Ink, drawn, heat
from zhaifei.app.web.taps import button
from zhaifei.game.hands import hands, with_dice
from zhaifei.game.notation import format_hand, format_history
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.advice.advice import Advice, Believed, RangeAdvice

SHOWN = 12
"""Number of actions shown at first; hardly any range takes more."""
_PLACE = "explorer"
"""The address of the explorer as seen from itself: it is below any path."""


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


def path_html(position: Position, own: Rules | None = None) -> str:
    """Return the bids so far as links back, and links to other numbers of players and to other
    rules, with the visitor's `own` among them."""
    steps = "".join(
        f"<li>{link(position.back(place + 1), str(bid))}</li>"
        for place, bid in enumerate(position.history)
    )
    start = link(position.back(0), escape(say("start of the round")))
    return (
        f'<section class="z-card"><h2>{escape(say("rules"))}</h2>'
        f'<div class="z-row">{_rules_html(position.rules, own)}</div>'
        f"<h2>{escape(say('players'))}</h2>"
        f'<div class="z-row z-touch-row">{_sizes_html(position.rules)}</div>'
        f'<nav aria-label="{escape(say("bids so far"))}"><ol class="z-path">'
        f"<li>{start}</li>{steps}</ol></nav></section>"
    )


def _rules_html(here: Rules, own: Rules | None) -> str:
    """Return links to the starts of rounds by other rules for as many players."""
    names = point_games()
    games = {game: preset(game, players=here.players) for game in POINTS}
    if own is not None and own not in games.values():
        games[OWN_RULES] = own
    chosen = OWN_RULES if here == games.get(OWN_RULES) else game_of(here)
    return "".join(
        _start(rules, names[game], chosen=game == chosen) for game, rules in games.items()
    )


def _sizes_html(here: Rules) -> str:
    """Return links to the starts of rounds of other numbers of players."""
    sizes = {number: of_players(here, number) for number in range(2, 9)}
    return "".join(
        _start(rules, str(number), chosen=number == here.players)
        for number, rules in sizes.items()
        if rules is not None
    )


def _start(rules: Rules, text: str, *, chosen: bool) -> str:
    """Return a link to the start of a round."""
    return link(Position(rules), escape(text), "z-touch" + " z-chosen" * chosen)


def held_html(position: Position, found: RangeAdvice | None) -> str:
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
        chosen = with_dice(position.rules, position.held)
        text = say("{share:.2%} of the range", share=found.share(chosen))
        share = f'<p class="z-quiet">{escape(text)}</p>'
    title = say("dice that the player to move holds")
    return (
        f'<section class="z-card"><h2>{escape(title)}</h2>{row}'
        f'<div class="z-dice-row">{faces}</div>{share}</section>'
    )


# Actions


def actions_html(position: Position, found: RangeAdvice, view: View) -> str:
    """Return a table of the actions of the chosen hands, with links to the next positions."""
    among = found.among(with_dice(position.rules, position.held))
    ranked = among.ranked
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
    grounds = _grounds(position, among)
    return (
        f'<section class="z-card"><h2>{escape(_situation(position))}</h2>{grounds}'
        f'<div class="z-scroll"><table class="z-table"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>{more}</section>"
    )


def _situation(position: Position) -> str:
    if not position.history:
        return say("opening the round")
    doubled = position.history[-1].doubled
    return say("facing {bid}", bid=format_history(position.history[-1 - doubled :]))


def _grounds(position: Position, among: RangeAdvice) -> str:
    """Return sentences on the source of the advice for the chosen hands."""
    lines = [
        say("{bid} is true with probability {probability:.1%}", bid=bid, probability=chance)
        for bid, chance in among.true
    ]
    value = " ".join(say_figure(among.value, among.value_error))
    whose = (
        say("the chosen hands earn {value}", value=value)
        if position.held
        else say("the range earns {value}", value=value)
    )
    lines += [whose, *rests_on(among)]
    if among.believed is Believed.UNKNOWN:
        lines.append(
            say(
                "the policy never bids like this with such hands; they have their initial "
                "probabilities"
            )
        )
    return "".join(f"<p>{escape(line)}</p>" for line in lines)


def _step(position: Position, action: str) -> str:
    """Return an action, as a link if the round goes on."""
    after = position.after_action(action)
    said = escape(say_action(action))
    return said if after is None else link(after, said)


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


def map_html(position: Position, found: RangeAdvice, view: View) -> str:
    """Return the map of all hands of one player."""
    players = "".join(
        button(
            f"player {player}", escape(seat_words(position, player)), pressed=player == view.player
        )
        for player in range(position.rules.players)
    )
    rules, weights = position.rules, _range(found, view.player)
    chosen = None if view.player or not position.held else with_dice(rules, position.held)
    if view.action is None or view.player:
        colours = heat(rules, weights)
        title = say("the more colour, the more often a hand bids like this")
    else:
        colours = found.strategy[:, found.names.index(view.action)]
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


def _range(found: RangeAdvice, player: int) -> NDArray[np.float64]:
    """Return [hand] what a player may hold: 0 is the player to move, then in the order of turns."""
    return found.others[player - 1] if player else found.weights


def _summary(found: RangeAdvice, player: int) -> str:
    """Return in words the distribution of a player's number of ones."""
    weights, rules = _range(found, player), found.rules
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


def locked_html(advice: Advice) -> str:
    """Return the advice against locks, and which of the locks were used."""
    said = "".join(f"<p>{escape(line)}</p>" for line in rests_on(advice))
    rows = "".join(
        f'<tr><td>{escape(say_action(one.action))}</td><td class="z-number">{one.probability:.1%}'
        f'</td><td class="z-number">{one.value:+.3f}</td></tr>'
        for one in advice.ranked[:SHOWN]
    )
    head = "".join(
        f"<th>{escape(text)}</th>" for text in (say("action"), say("share"), say("value"))
    )
    return (
        f'{said}<table class="z-table"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    )
