"""Restore a visitor's match and chosen rules after the server was restarted."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from os import replace
from pathlib import Path

from zhaifei.app.web.chosen_rules import ChosenRules, Kept
from zhaifei.app.web.playing import Playing
from zhaifei.app.web.real_table import Setup
from zhaifei.app.web.seat import Choices, Seat
from zhaifei.app.web.sessions import Session
from zhaifei.app.web.visitor import Visitor
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.policies.play.records import kept_matches, read_match
from zhaifei.policies.play.seeds import drawn_seed

_SETUP = "table setup"
"""The name of a visitor's model: the setup of the next table with real dice."""


def new_seat(visitor: Visitor) -> Seat:
    """Return the visitor's seat as the visitor left it, and remember its changes from now on."""
    server = visitor.server
    seat = Seat(server.settings, server.workers)
    session = visitor.remembered
    if session is not None:
        seat.records.extend(session.records)
        if seat.settings.rules is None:  # the rules of a named policy stay chosen
            seat.choices.take_up(session.match_rules)
        _take_up(seat, session)
    seat.listeners.append(partial(remember, visitor, seat))
    remember(visitor, seat)
    return seat


def setup_of(visitor: Visitor) -> Setup:
    """Return the visitor's setup of a table with real dice, as the visitor left it."""
    return visitor.model(_SETUP, lambda: _new_setup(visitor))


def _new_setup(visitor: Visitor) -> Setup:
    setup = Setup()
    if visitor.remembered is not None:
        setup.take_up(visitor.remembered.table_rules)
    return setup


def remember(visitor: Visitor, seat: Seat) -> None:
    """Write the session if it has changed."""
    sessions = visitor.server.sessions
    session = _session_of(visitor, seat)
    if sessions is None or session == visitor.remembered:
        return
    if visitor.remembered is None and session.is_empty and seat.settings.token is None:
        return
    sessions.keep(visitor.secret, session)
    visitor.remembered = session


def _session_of(visitor: Visitor, seat: Seat) -> Session:
    playing = seat.playing
    recorder = None if playing is None else playing.recorder
    name = None if recorder is None else recorder.path.name
    policy = None if playing is None else seat.settings.policy_for(playing.rules)
    before, setup = visitor.remembered, visitor.models.get(_SETUP)
    if seat.settings.rules is None:
        match_rules = _changed(seat.choices, Choices())
    else:
        match_rules = None if before is None else before.match_rules
    if setup is not None:
        table_rules = _changed(setup, Setup())
    else:
        table_rules = None if before is None else before.table_rules
    return Session(
        visitor.language,
        visitor.dark,
        tuple(seat.records),
        name,
        seat.stand_in,
        None if policy is None else str(policy),
        match_rules,
        table_rules,
    )


def _changed(chosen: ChosenRules, usual: ChosenRules) -> Kept | None:
    """Return the choices as they are kept; None if they are the usual ones."""
    kept = chosen.kept()
    return None if kept == usual.kept() else kept


def _take_up(seat: Seat, session: Session) -> None:
    """Continue the match in progress, if its record can be read and the same policy plays."""
    path = next((one for one in kept_matches() if one.name == session.playing), None)
    if path is None:
        return
    with suppress(ZhaifeiError):
        playing, begun = resumed(path)
        policy = seat.settings.policy_for(playing.rules)
        if (None if policy is None else str(policy)) != session.policy:
            return
        playing.listeners = seat.listeners
        seat.playing, seat.stand_in = playing, session.stand_in
        if not _chooses(seat, playing.rules):
            seat.choices.follow(playing.rules)
        if begun:
            seat.next_round()
            seat.dealt_anew = True
        seat.go_on()


def _chooses(seat: Seat, rules: Rules) -> bool:
    """Return whether the visitor's choices make these rules."""
    with suppress(ZhaifeiError):
        return seat.chosen_rules() == rules
    return False


def resumed(path: Path) -> tuple[Playing, bool]:
    """Return the match in a record after its last round that has ended, and whether another round
    had begun. The record continues with the match. Raise ZhaifeiError if the record is
    insufficient."""
    kept = read_match(path, lambda error: None)
    ended = [one for one in kept.rounds if one.losses is not None]
    begun = kept.rounds[len(ended) :]
    names = {name for seat, name in enumerate(kept.seats) if seat != kept.you}
    known = all(None not in one.hands for one in ended)
    in_order = tuple(ended) == kept.rounds[: len(ended)]
    if kept.you is None or len(names) != 1 or not known or not in_order:
        raise ZhaifeiError("the match cannot be taken up again")
    playing = Playing(kept.rules, drawn_seed(), names.pop(), you=kept.you)
    playing.record(kept.policy)
    assert playing.recorder is not None
    playing.take_up(ended, begun[0].starter if begun else None)
    with suppress(OSError):  # where an open file cannot be moved, both stay
        replace(playing.recorder.path, path)
        playing.recorder.path = path
    return playing, bool(begun)
