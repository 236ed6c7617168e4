"""Print the place of a round in a match in which dice are lost."""

from __future__ import annotations

from rich.console import Console

from zhaifei.app.locale import say
from zhaifei.app.said import what_it_decides
from zhaifei.policies.players.match_policy import PlaceInMatch, Stakes


def print_place(console: Console, place: PlaceInMatch, bids_made: int, stakes: Stakes) -> None:
    """Print the players' dice and the stakes of the round, from the view of the player who moves
    after `bids_made` bids."""
    own = bids_made % 2
    console.print(
        say(
            "you opened, with {own} dice against {other}"
            if own == 0 and bids_made
            else "you open, with {own} dice against {other}"
            if own == 0
            else "the opponent opened, you have {own} dice against {other}",
            own=place.position[own],
            other=place.position[1 - own],
        ),
        soft_wrap=True,
    )
    console.print(what_it_decides(stakes), soft_wrap=True)
