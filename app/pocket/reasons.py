"""Why bids may not follow, as tables: the page says it in the words of `game.bids`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from zhaifei.app.locale import LANGUAGES, say_message, speaking
from zhaifei.app.pocket.shapes import Written
from zhaifei.game.bidding import bidding
from zhaifei.game.bids import Bid, IllegalBid, State, plain_bids, verify_bid
from zhaifei.game.messages import Message
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables

_LEGAL = -1
"""Stands for the reason where each bid of a kind may follow."""


def reasons(rules: Rules) -> Written:
    """Return why bids may not follow, as `web/game/tables.js` describes it. Bids of one kind have
    one reason, whatever their counts."""
    texts: dict[Message, int] = {}
    rows: dict[tuple[int, ...], int] = {}
    of = []
    for row in _reasons(rules):
        places = (_LEGAL if one is None else texts.setdefault(one, len(texts)) for one in row)
        of.append(rows.setdefault(tuple(places), len(rows)))
    return {"texts": _told([*texts]), "rows": [*map(list, rows)], "of": of}


def _reasons(rules: Rules) -> Iterator[list[Message | None]]:
    """Yield for each state of the bidding [kind] why its bids that are illegal may not follow."""
    bids, tables = plain_bids(rules), bid_tables(rules)
    kinds = [np.flatnonzero(tables.kind[: len(bids)] == kind) for kind in np.unique(tables.kind)]
    for state, legal in zip(bidding(rules).states, tables.legal, strict=True):
        illegal = [its[~legal[its]] for its in kinds]
        yield [_why(rules, bids[its[0]], state) if its.size else None for its in illegal]


def _why(rules: Rules, bid: Bid, state: State) -> Message | None:
    """Return why a bid may not follow. The answer is None after bids that no round can reach: the
    tables leave out raises there that the rules allow."""
    try:
        verify_bid(rules, bid, *state)
    except IllegalBid as error:
        return error.why
    return None


def _told(messages: list[Message]) -> dict[str, list[str]]:
    told = {}
    for language in LANGUAGES:
        with speaking(language):
            told[language] = [say_message(one) for one in messages]
    return told
