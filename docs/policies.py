"""Tables of figures.toml that are measured on the policies that come with the package.

    python -m docs.policies [TABLE ...]

writes the rows of these tables, or of all, anew, in some minutes; then `python -m docs.shown`
writes them into the pages. tests/docs/ checks that nothing would change.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from docs.shown import FIGURES
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.catalogue.shipped import SOLVED, shipped_path, shipped_policy
from zhaifei.policies.measure.openings import opening_play
from zhaifei.policies.play.simulation import penalty_share
from zhaifei.policies.players.match_policy import load_match
from zhaifei.policies.players.table_policy import load_policy
from zhaifei.solver.value.self_play import self_play

MOST_PLAYERS = 8
OTHER = "probabilistic"
_OPENINGS, _LEAST = 4, 0.005
"""At most this number of openings are listed, the most probable first, none less probable than
this."""
_ROUNDS = 20_000
"""As many as `zhaifei evaluate` plays with policies that read."""
NONE = "–"
"""In place of a figure of a policy that is not shipped."""

Rows = list[list[str | dict[str, str]]]
"""Cells are texts, or texts by language."""


def opening_rows(fewest: int = 2) -> Rows:
    """Return a row for each number of players, from `fewest`, for which a policy is shipped.

    A row tells how many dice count on average, the openings of the policy, their mean claim, and
    how often they are true and challenged at once.
    """
    rows: Rows = []
    for rules, path in _shipped(fewest):
        found = opening_play(load_policy(path), rounds=1, seed=0)
        openings = " · ".join(
            f"{bid} {_percent(share)}"
            for bid, share in found.openings[:_OPENINGS]
            if share >= _LEAST
        )
        average, often = rules.total_dice * 2 / rules.faces, (found.true, found.challenged)
        figures = f"{average:.1f}", openings, f"{found.count:.1f}", *map(_percent, often)
        rows.append([str(rules.players), *figures])
    return rows


def seat_rows(fewest: int = 2) -> Rows:
    """Return a row for each number of players: what each seat earns if all play the table."""
    rows: Rows = []
    for rules, path in _shipped(fewest):
        policy = load_policy(path)
        earned = self_play(bid_tables(rules), policy.table)
        seats = [f"{(one.lower + one.upper) / 2:+.3f}" for one in earned]
        rows.append([str(rules.players), *seats, *[""] * (MOST_PLAYERS - len(seats))])
    return rows


def share_rows() -> Rows:
    """Return the penalty shares of each policy among copies of OTHER, and the other way round, as
    `zhaifei evaluate` measures them."""
    rows: Rows = []
    for rules, path in _shipped(3):
        ours, other = load_player(path.stem, rules), load_player(OTHER, rules)
        shares = [
            penalty_share(*pair, rules, _ROUNDS, seed=0).share
            for pair in ((ours, other), (other, ours))
        ]
        fair = 1 / rules.players
        rows.append([str(rules.players), *(_percent(share, 1) for share in (fair, *shares))])
    return rows


def policy_rows() -> Rows:
    """Return NashConv without and with 跳开, by the number of players."""
    rows: Rows = [["NashConv"], [{"en": "with 跳开", "zh": "带跳开"}]]
    for players in range(3, MOST_PLAYERS + 1):
        for row, jump in zip(rows, (False, True), strict=True):
            name = shipped_policy(preset("zhaifei", players=players, jump_challenge=jump))
            row.append(NONE if name is None else f"{SOLVED[name].figure:.4f}")
    return rows


def match_rows() -> Rows:
    """Return for each number of dice of who opens a round of `knockout` their probability of
    winning the match, by the number of dice of the other."""
    path = shipped_path(preset("knockout", players=2))
    assert path is not None
    policy = load_match(path)
    most = range(1, policy.rules.dice + 1)
    return [[str(own), *(_percent(policy.values[own, other], 1) for other in most)] for own in most]


def _percent(share: float, decimals: int = 0) -> str:
    return f"{100 * share:.{decimals}f} %"


def _shipped(fewest: int) -> Iterator[tuple[Rules, Path]]:
    """Yield the rules without 跳开, and the file, of the shipped policies."""
    for players in range(fewest, MOST_PLAYERS + 1):
        path = shipped_path(preset("zhaifei", players=players))
        if path is not None:
            yield preset("zhaifei", players=players), path


TABLES: dict[str, Callable[[], Rows]] = {
    "openings": opening_rows,
    "seats": seat_rows,
    "alone_among_others": share_rows,
    "shipped_policies": policy_rows,
    "knockout_values": match_rows,
}


def with_rows(text: str, name: str, rows: Rows) -> str:
    """Return the text of figures.toml with other rows in the table `name`."""
    lines = "".join(f"    [{', '.join(map(_cell, row))}],\n" for row in rows)
    table = re.compile(rf"(^\[{name}\]$.*?^rows = \[\n).*?(^\]$)", re.M | re.S)
    return table.sub(lambda found: found[1] + lines + found[2], text, count=1)


def _cell(cell: str | dict[str, str]) -> str:
    if isinstance(cell, str):
        return json.dumps(cell, ensure_ascii=False)
    texts = ", ".join(f"{name} = {_cell(text)}" for name, text in cell.items())
    return f"{{ {texts} }}"


def main(names: Sequence[str]) -> None:
    """Write the rows of the tables of these names, or of all."""
    text = FIGURES.read_text(encoding="utf-8")
    for name in names or TABLES:
        text = with_rows(text, name, TABLES[name]())
    FIGURES.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
