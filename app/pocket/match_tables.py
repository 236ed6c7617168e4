"""Matches for dice as compact tables: the rules, and what rule-based players do.

The bids of a match are numbered once, for all dice of its beginning. Bids come by count, so with
fewer dice on the table the bids that may be made are the first of them. Hands of all sizes are
numbered together, those with the most dice first.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from zhaifei.app.locale import LANGUAGES, say, speaking
from zhaifei.app.pocket.decisions import coded
from zhaifei.app.pocket.pocket_policies import pocket_path, told_of
from zhaifei.app.pocket.rules_tables import PLAYERS, recorded, rules_table, told
from zhaifei.app.pocket.shapes import Written
from zhaifei.game.bids import domain
from zhaifei.game.hands import Hand, hands_of, rolls_of
from zhaifei.game.legal import highest_count_with
from zhaifei.game.rules import Rules, preset, preset_name
from zhaifei.game.tables import bid_tables, matches_of
from zhaifei.policies.players.rule_based import RULES, Situation, chances_of

MATCHES = "knockout", "classic"
"""The rules for dice that the page offers: see `game.rules.PRESETS`."""


def every_match() -> list[Rules]:
    """Return all rules for dice that the page offers."""
    return [preset(name, players=players) for name in MATCHES for players in PLAYERS]


def match_titles() -> dict[str, dict[str, str]]:
    """Return what each of `MATCHES` is called, by language."""
    found: dict[str, dict[str, str]] = {name: {} for name in MATCHES}
    for language in LANGUAGES:
        with speaking(language):
            for name, title in zip(MATCHES, (say("Knockout"), say("Classic")), strict=True):
                found[name][language] = title
    return found


def match_table(rules: Rules) -> Written:
    """Return the tables of matches by `rules`, as `web/game/tables.js` describes them."""
    round_ = rules.changed(loses_dice=False)
    _, first = np.unique(bid_tables(round_).kind, return_index=True)
    return {
        **rules_table(round_, *told_of(pocket_path(rules))),
        "name": preset_name(rules),
        "hands": " ".join("".join(map(str, hand)) for hand in _hands(rules)),
        "rolls": [ways for dice in _sizes(rules) for ways in rolls_of(rules, dice)],
        "matches": ["".join(map(str, row)) for row in _matches(rules)[first].tolist()],
        "told": told(rules),
        "recorded": recorded(rules),
        "match": {
            "within": [bids_with(rules, table) for table in range(rules.total_dice + 1)],
            "winnerStarts": rules.stakes.winner_starts,
            "asks": rules.stakes.out_of_turn,
        },
    }


def _sizes(rules: Rules) -> range:
    """Return how many dice a hand may have, the most first."""
    return range(rules.dice, 0, -1)


@lru_cache(maxsize=16)
def _hands(rules: Rules) -> tuple[Hand, ...]:
    """Return all hands in the order of their numbers."""
    return tuple(hand for dice in _sizes(rules) for hand in hands_of(rules, dice))


def bids_with(rules: Rules, table: int) -> int:
    """Return how many bids can be made with `table` dice on the table."""
    most = highest_count_with(rules, table)
    return sum(bid.count <= most for bid in domain(rules))


@lru_cache(maxsize=4)
def _most_dice(name: str) -> Rules:
    """Return these rules for the most players."""
    return preset(name, players=max(PLAYERS))


def decisions_of_match(name: str, players: int) -> Written:
    """Return what each player in RULES does in matches of `players`, by the number of dice on the
    table, as `web/game/rules.js` describes it. Left out are the numbers that come up in matches of
    fewer players too, since a decision depends on the dice alone."""
    rules = _most_dice(name)
    fewest = 2 if players == min(PLAYERS) else (players - 1) * rules.dice + 1
    tables = range(fewest, players * rules.dice + 1)
    return {str(table): coded(_decisions(rules, table)) for table in tables}


def _decisions(rules: Rules, table: int) -> Iterator[dict[str, NDArray[np.int64]]]:
    """Yield for each state of the bidding with `table` dice [hand] the action of each rule-based
    player but the random one, by name. A challenge comes after the bids that can be made."""
    bids = bids_with(rules, table)
    legal = bid_tables(rules.changed(loses_dice=False)).legal[: bids + 1, :bids]
    own, likely = _matches(rules)[:bids], _likely(rules, table)[:bids]
    for state, may in enumerate(legal):
        raises = np.flatnonzero(may)
        if not raises.size:
            yield dict.fromkeys(RULES, np.full(own.shape[1], bids))
            continue
        known = likely[state - 1] if state else np.ones(own.shape[1])
        situation = Situation(known, likely[raises], own[raises])
        actions = np.append(raises, bids)  # CHALLENGE, -1, is the last place
        yield {name: actions[rule(situation)] for name, rule in RULES.items()}


def _likely(rules: Rules, table: int) -> NDArray[np.float64]:
    """Return [bid, hand] the probability that each bid is true, given only the hand, with `table`
    dice on the table; 0 for hands that leave the others no dice."""
    own, held = _matches(rules), np.array([len(hand) for hand in _hands(rules)])
    likely: NDArray[np.float64] = np.zeros(own.shape)
    for dice in _sizes(rules):
        if dice < table:
            likely[:, held == dice] = chances_of(rules, own[:, held == dice], table - dice)
    return likely


@lru_cache(maxsize=16)
def _matches(rules: Rules) -> NDArray[np.int8]:
    """Return [bid, hand] how many dice of the hand count towards the bid."""
    return matches_of(rules, _hands(rules))
