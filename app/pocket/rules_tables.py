"""The rules as compact tables, which the front end reads in place of rules of its own."""

from __future__ import annotations

from importlib.metadata import version
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhaifei.app.locale import LANGUAGES, say, speaking
from zhaifei.app.pocket.reasons import reasons
from zhaifei.app.pocket.shapes import Written
from zhaifei.app.rules_told import rules_told
from zhaifei.game.bids import counting_faces, domain, plain_bids
from zhaifei.game.hands import hands, rolls_of
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, house_of, preset, preset_name
from zhaifei.game.tables import BidTables, bid_tables
from zhaifei.policies.advice.people import CHARACTERS, person_of
from zhaifei.policies.play.record_lines import VERSION
from zhaifei.policies.players.kinds import LIMIT_SHARES, LIMITS, NOISE
from zhaifei.policies.players.manners import BOLD, FLAT, LIKELY, SHARP
from zhaifei.policies.players.reading import FLOOR, POWER, TIE
from zhaifei.policies.players.styles import SLIP, STOP

PRESETS = "zhaifei", "ktv", "southern", "northern"
"""The rules for penalty points that the page offers: see `game.rules.PRESETS`."""
PLAYERS = range(2, 9)
FOLLOWS = 0.1
"""A player is taken to follow the pocket policy if their bids are at least this many times as
likely by the policy as by `PlausibleBidding`."""


def every_rules() -> list[Rules]:
    """Return all rules that the page offers."""
    return [preset(name, players=players) for name in PRESETS for players in PLAYERS]


BETWEEN, JUMP = "~", "jump"
"""What stands between the parts of the name of rules, and the part for 跳开."""


def name_of(rules: Rules) -> str:
    """Return what the page calls `rules` for any number of players: their preset, 跳开 and their
    house rules, such as `ktv~doubles=2-4`. Equal rules have equal names."""
    jump = [JUMP] if rules.stakes.jump_challenge else []
    return BETWEEN.join([str(preset_name(rules)), *jump, *house_of(rules)])


def key_of(rules: Rules) -> str:
    """Return the name of the files of `rules`, such as `ktv-3`."""
    return f"{name_of(rules)}-{rules.players}"


def rules_table(rules: Rules, policy: str | None, figure: float | None = None) -> Written:
    """Return the tables of `rules`, as `web/game/tables.js` describes them, with the name of the
    file of their pocket policy, and its certified `figure` if the file does not state it."""
    tables, bids = bid_tables(rules), plain_bids(rules)
    _, first = np.unique(tables.kind, return_index=True)
    return {
        "name": name_of(rules),
        "players": rules.players,
        "dice": rules.dice,
        "faces": rules.faces,
        "bids": [[int(bid.mode is Mode.ZHAI), bid.count, bid.face] for bid in bids],
        "levels": len(rules.stakes.doubled),
        "runs": [_runs(row) for row in tables.after],
        "why": reasons(rules),
        "turns": [1 - 2 * (level % 2) for level in range(len(rules.stakes.doubled) + 1)],
        **_endings(tables),
        "kind": tables.kind[: len(bids)].tolist(),
        "shows": [_faces(rules, bid) for bid in first],
        "hands": " ".join("".join(map(str, hand)) for hand in hands(rules)),
        "rolls": list(rolls_of(rules, rules.dice)),
        "matches": ["".join(map(str, tables.matches[bid].tolist())) for bid in first],
        "reading": {
            "power": POWER,
            "floor": FLOOR,
            "tie": TIE,
            "least": FOLLOWS,
            "manners": _manners(rules),
        },
        "told": told(rules),
        "policy": policy,
        "figure": figure,
        "recorded": recorded(rules),
        "match": None,
    }


def _manners(rules: Rules) -> Written:
    """Return how people bid of whom somebody says something."""
    people = {one.value: person_of(rules, one) for one in CHARACTERS}
    return {
        "shares": {name: list(person.style) for name, person in people.items()},
        "sharp": SHARP,
        "flat": FLAT,
        "likely": LIKELY,
        "bold": BOLD,
        "stop": STOP,
        "slip": SLIP,
        "limits": list(LIMITS),
        "limitShares": list(LIMIT_SHARES),
        "noise": NOISE,
    }


def _faces(rules: Rules, action: int) -> str:
    """Return the faces that count towards a bid, ascending."""
    return "".join(map(str, sorted(counting_faces(rules, domain(rules)[action]))))


def _endings(tables: BidTables) -> Written:
    """Return what endings settle, [ending] or [ending][bid]."""
    return {
        "back": tables.back.tolist(),
        "claimed": tables.settled.T.tolist(),
        "cost": tables.cost.T.tolist(),
        "turned": tables.turned.T.astype(int).tolist(),
    }


def _runs(after: NDArray[np.int64]) -> list[int]:
    """Return the legal bids of a state in runs of bids with consecutive states `after` [bid]: the
    first bid, the state after it and the length, for each run."""
    legal = np.flatnonzero(after >= 0).tolist()
    steps = groupby(enumerate(legal), lambda one: (one[1] - one[0], one[1] - after[one[1]]))
    runs: list[int] = []
    for _, run in steps:
        found = [bid for _, bid in run]
        runs += [found[0], int(after[found[0]]), len(found)]
    return runs


def recorded(rules: Rules) -> Written:
    """Return how the header of a record begins (`policies.play.record_lines`)."""
    return {"record": VERSION, "zhaifei": version("zhaifei"), "rules": rules.to_dict()}


def told(rules: Rules) -> dict[str, list[str]]:
    """Return the rules in words, paragraph by paragraph, by language."""
    lines = {}
    for language in LANGUAGES:
        with speaking(language):
            lines[language] = [line.strip() for line in rules_told(rules)]
    return lines


def titles() -> dict[str, dict[str, str]]:
    """Return what each of `PRESETS` is called, by language."""
    found: dict[str, dict[str, Any]] = {name: {} for name in PRESETS}
    for language in LANGUAGES:
        with speaking(language):
            street = say("Southern Street"), say("Northern Street")
            for name, title in zip(
                PRESETS, (say("Zhaifei"), say("Bars (KTV)"), *street), strict=True
            ):
                found[name][language] = title
    return found
