"""Render the page for a table with real dice as HTML for `app.web.taps`, without state."""

from __future__ import annotations

from html import escape

from zhaifei.app.locale import say, say_action
from zhaifei.app.said import say_portrait, say_seat
from zhaifei.app.web.dice import die
from zhaifei.app.web.games import OWN_RULES, point_games
from zhaifei.app.web.own_rules import questions_html, rules_html
from zhaifei.app.web.real_table import OWN, RealTable, Setup, bid_grid, has_more
from zhaifei.app.web.taps import button
from zhaifei.game.bids import MODE_SIGNS, Bid, action_of
from zhaifei.game.notation import GIVE_UP
from zhaifei.policies.advice.advice import PlayedOut, Solved, Source
from zhaifei.policies.advice.people import Character, portrait_of
from zhaifei.policies.advice.table import TableAdvice

_SELDOM = 0.1
"""Actions with less than this probability are not named beside the most probable one."""
MORE = "more"
"""The name of the tap that shows higher bids."""


def seat_name(seat: int) -> str:
    """Return the name of a player."""
    return say_seat(seat, OWN)


def _loses(seat: int) -> str:
    return say("you lose") if seat == OWN else say("seat {seat} loses", seat=seat + 1)


def character_name(character: Character) -> str:
    """Return the name of a character."""
    return {
        Character.CAREFUL: say("careful"),
        Character.BLUFFS: say("bluffs a lot"),
    }[character]


def setup_html(setup: Setup) -> str:
    players = "".join(
        button(f"players {number}", str(number), pressed=number == setup.players)
        for number in range(2, 9)
    )
    starters = "".join(
        button(f"starter {seat}", escape(seat_name(seat)), pressed=seat == setup.starter)
        for seat in range(setup.players)
    )
    games = "".join(
        button(f"game {game}", escape(name), pressed=game == setup.game)
        for game, name in point_games().items()
    )
    own = setup.game == OWN_RULES
    told = rules_html(setup.game, setup.players, setup.answers, jump=setup.jump_challenge)
    jump = button(
        "jump",
        escape(say("跳开: bids before the last may be challenged")),
        pressed=setup.jump_challenge,
    )
    sit = button("sit", escape(say("sit down")), "z-touch-main")
    return (
        f'<section class="z-card"><h2>{escape(say("players"))}</h2>'
        f'<div class="z-row z-touch-row">{players}</div>'
        f'<h2>{escape(say("who starts"))}</h2><div class="z-row">{starters}</div>'
        f'<p class="z-quiet">{escape(say("seats count from you, in the order of turns"))}</p>'
        f'<h2>{escape(say("rules"))}</h2><div class="z-row">{games}</div>'
        f"{questions_html(setup.answers) if own else ''}"
        f"{jump if setup.players > 2 and not own else ''}"
        f"<details><summary>{escape(say('the rules in words'))}</summary>{told}</details>"
        f"{sit}</section>"
    )


# The head: what to do


def said_html(table: RealTable, advice: TableAdvice | None, waiting: str = "…") -> str:
    """Return the advice as HTML, or `waiting` while it is not known."""
    large, small = _said(table, advice, waiting)
    lines = "".join(f"<p>{escape(line)}</p>" for line in small)
    return (
        f'<section class="z-card z-advice"><p class="z-huge">{escape(large)}</p>{lines}</section>'
    )


def _said(table: RealTable, advice: TableAdvice | None, waiting: str) -> tuple[str, list[str]]:
    """Return the text in large letters, and the lines below it."""
    challenged = table.challenged
    if challenged is not None:
        who = say(
            "bid by {bidder}, challenged by {challenger}",
            challenger=seat_name(challenged.challenger),
            bidder=seat_name(challenged.bidder),
        )
        return f"{challenged.bid}?", [who, *_result(table)]
    assert table.turn is not None
    turn = (
        say("your turn") if table.turn == OWN else say("turn of {seat}", seat=seat_name(table.turn))
    )
    if table.hand is None:
        return say("tap your dice"), [turn]
    true = (
        []
        if advice is None
        else [
            say("{bid} is true: {chance:.0%}", bid=bid, chance=chance)
            for bid, chance in advice.true
        ]
    )
    if advice is None or not advice.actions:
        more = [waiting] if advice is None or table.turn == OWN else []
        return turn, true + more
    first, *others = advice.actions
    also = [
        f"{say_action(one.action)} {one.probability:.0%}"
        for one in others[:3]
        if one.probability >= _SELDOM
    ]
    lines = [say("or: {actions}", actions=", ".join(also))] if also else []
    lines.append(say("average {value:+.2f}", value=first.value))
    return say_action(first.action), [*true[:1], *lines, _rests_on(advice), *true[1:]]


def _rests_on(advice: TableAdvice) -> str:
    """Return the sentence on the source of the advice."""
    ground = advice.ground
    if ground is Source.READ:
        return say("their dice are read from their bids")
    if ground is Source.DESCRIBED:
        return say("their dice are read from their bids, as these players bid")
    if isinstance(ground, PlayedOut):
        if ground.known:
            return say("played out {rounds:,} times, as these players bid", rounds=ground.rounds)
        return say("played out {rounds:,} times", rounds=ground.rounds)
    return say("solved again from here") if isinstance(ground, Solved) else say("Policy")


def _result(table: RealTable) -> list[str]:
    challenged, counted = table.challenged, table.counted()
    assert challenged is not None
    lines = [] if counted is None else [say("{number} count", number=counted)]
    if table.loser is not None:
        lines.append(say("{who}: {points} points", who=_loses(table.loser), points=challenged.cost))
    return lines


# The middle: dice, bids, who lost


def middle_html(
    table: RealTable, advice: TableAdvice | None, rows: int, *, adding: bool = False
) -> str:
    """Return the dice and buttons that are tapped; `adding` leaves the dice of others open."""
    parts = [_dice_html(table, OWN)]
    if table.turn is None:
        parts.append(_settling_html(table, adding=adding))
    else:
        parts.append(_challenges_html(table, advice))
        parts.append(_grid_html(table, advice, rows))
    return "".join(parts)


def _dice_html(table: RealTable, seat: int) -> str:
    """Return the dice of a player, which a tap removes, and buttons for missing dice."""
    held = table.state.dice[seat]
    shown = "".join(
        button(
            f"drop {seat} {face}", die(face), "z-touch-die", label=say("not a {face}", face=face)
        )
        for face in held
    )
    faces = (
        ""
        if len(held) == table.rules.dice
        else "".join(
            button(
                f"die {seat} {face}",
                die(face),
                "z-touch-die z-touch-add",
                label=say("a {face}", face=face),
            )
            for face in range(1, table.rules.faces + 1)
        )
    )
    name = escape(say("dice of {seat}", seat=seat_name(seat)))
    held_row = f'<div class="z-row z-held">{shown}</div>' if shown else ""
    missing = table.rules.dice - len(held)
    add_row = (
        f'<div class="z-dice-row">{faces}</div>'
        f'<p class="z-quiet">{escape(say("{number} more to tap", number=missing))}</p>'
        if faces and (seat != OWN or table.turn is not None)
        else ""
    )
    return f'<div role="group" aria-label="{name}" class="z-own-dice">{held_row}{add_row}</div>'


def _challenges_html(table: RealTable, advice: TableAdvice | None) -> str:
    best = None if advice is None or not advice.actions else advice.actions[0].action
    buttons = []
    for distance in table.distances:
        action = "challenge" if distance == 1 else f"challenge {distance}"
        chosen = " z-advised" if action == best else ""
        text = escape(say_action(action))
        if distance > 1:
            text += f"<small>{table.bids[-distance]}</small>"
        buttons.append(button(f"challenge {distance}", text, f"z-touch-open{chosen}"))
    if table.double is not None:
        chosen = " z-advised" if str(table.double) == best else ""
        number = action_of(table.rules, table.double)
        buttons.append(button(f"bid {number}", str(table.double), f"z-touch-open{chosen}"))
    if table.may_give_up:
        chosen = " z-advised" if best == GIVE_UP else ""
        buttons.append(button("surrender", escape(say("give up")), f"z-touch-open{chosen}"))
    undo = button("undo", escape(say("undo")), "z-touch-undo") if table.can_undo else ""
    return f'<div class="z-row z-challenges">{"".join(buttons)}{undo}</div>'


def _grid_html(table: RealTable, advice: TableAdvice | None, rows: int) -> str:
    grid = bid_grid(table.rules, table.bidding, rows)
    best = None if advice is None or not advice.actions else advice.actions[0].action
    parts = []
    for row in grid:
        cells = "".join(_cell_html(table, bid, advice, best) for bid in row.bids)
        parts.append(
            f'<div class="z-bid-row z-mode-{row.mode.name.lower()}">'
            f"<b>{MODE_SIGNS[row.mode]}</b>{cells}</div>"
        )
    more = (
        button(MORE, escape(say("higher bids")), "z-touch-more")
        if has_more(table.rules, table.bidding, rows)
        else ""
    )
    note = escape(
        say("one tap is a bid of whoever is in turn; the number below says how likely it is true")
    )
    return (
        f'<div role="group" aria-label="{escape(say("bids"))}" class="z-bid-grid" data-keys>'
        f'{"".join(parts)}{more}<p class="z-quiet">{note}</p></div>'
    )


def _cell_html(
    table: RealTable, bid: Bid | None, advice: TableAdvice | None, best: str | None
) -> str:
    if bid is None:
        return "<span></span>"
    action = action_of(table.rules, bid)
    chance = None if advice is None else advice.chances[action]
    small = "" if chance is None else f"<small>{chance:.0%}</small>"
    advised = " z-advised" if str(bid) == best else ""
    return button(
        f"bid {action}", f"{bid.count}×{bid.face}{small}", f"z-bid{advised}", label=str(bid)
    )


def _settling_html(table: RealTable, *, adding: bool) -> str:
    challenged = table.challenged
    assert challenged is not None
    undo = button("undo", escape(say("undo")), "z-touch-undo")
    if table.loser is not None:
        on = button("next", escape(say("next round")), "z-touch-main")
    else:
        on = "".join(
            button(f"lost {seat}", escape(text), "z-touch-main")
            for seat, text in (
                (challenged.bidder, say("false: {who}", who=_loses(challenged.bidder))),
                (challenged.challenger, say("true: {who}", who=_loses(challenged.challenger))),
            )
        )
    others = "".join(
        f"<h3>{escape(seat_name(seat))}</h3>{_dice_html(table, seat)}"
        for seat in range(table.rules.players)
        if seat != OWN or table.hand is None
    )
    head = escape(say("add dice that were shown"))
    return (
        f'<div class="z-row z-settle">{on}{undo}</div>'
        f'<details class="z-card"{" open" * adding}><summary>{head}</summary>{others}</details>'
    )


# Below: the bids so far, the players, the record


def below_html(table: RealTable, *, kept: bool) -> str:
    bids = (
        "".join(
            f"<li>{escape(seat_name(table.seat_of(place)))} <b>{bid}</b></li>"
            for place, bid in enumerate(table.bids)
        )
        or f"<li>{escape(say('none yet'))}</li>"
    )
    seats = "".join(_seat_html(table, seat) for seat in range(table.rules.players))
    keep = button(
        "keep", escape(say("the record is kept") if kept else say("keep a record")), pressed=kept
    )
    return (
        f'<section class="z-card"><h2>{escape(say("bids so far"))}</h2>'
        f'<ol class="z-bid-list">{bids}</ol></section>'
        f'<section class="z-card"><h2>{escape(say("who sits here"))}</h2>'
        f'<p class="z-quiet">{escape(_note())}</p><div class="z-seats">{seats}</div></section>'
        f'<section class="z-card"><div class="z-row">{keep}'
        f"{button('leave', escape(say('new table')))}</div></section>"
    )


def _note() -> str:
    return say(
        "tap a player to say how they bid; otherwise it is learnt from rounds in which their dice "
        "were added"
    )


def _seat_html(table: RealTable, seat: int) -> str:
    turn = " z-turn" if seat == table.turn else ""
    points = say("points {points}", points=table.points[seat])
    start = (
        button(
            f"start {seat}",
            escape(say("starts")),
            "z-touch-small",
            label=say("{seat} starts", seat=seat_name(seat)),
        )
        if not table.state.actions and seat != table.state.starter
        else ""
    )
    told = (
        ""
        if seat == OWN
        else button(
            f"tell {seat}",
            escape(character_text(table, seat)),
            "z-touch-small z-character",
            label=f"{seat_name(seat)}: {character_text(table, seat)}",
        )
    )
    return (
        f'<div class="z-seat{turn}"><span>{escape(seat_name(seat))} · {escape(points)}</span>'
        f"{told}{start}</div>"
    )


def character_text(table: RealTable, seat: int) -> str:
    """Return what is believed about a player, and why."""
    told, portrait = table.state.told[seat], portrait_of(table.person(seat))
    said = [] if told is None else [character_name(told)]
    if portrait.rounds:
        said.append(say_portrait(portrait))
    return " · ".join(said) or say("unknown: nothing learnt yet")
