"""Cards of rules of thumb for a page, computed from the shipped policies.

They take minutes, so the files come with the package. After a shipped policy has changed,
`python -m zhaifei.app.pocket.cards` writes them anew.
"""

from __future__ import annotations

from pathlib import Path

from zhaifei.app.pocket.rules_tables import key_of
from zhaifei.app.pocket.shapes import Written, as_json
from zhaifei.game.bids import Bid, legal_bids
from zhaifei.game.chances import others_show
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.shipped import shipped_path
from zhaifei.policies.measure.rules_of_thumb import Bidding, Thumb, card_of, cost_of
from zhaifei.policies.players.table_policy import TablePolicy, load_policy
from zhaifei.solver.files.atomic_files import write_atomically

CARDS = Path(__file__).with_name("card_files")
PLAYERS = range(2, 7)
ROUNDS, DEALS = 20_000, 400_000
"""Rounds of the policy of which the decisions are looked at, and deals in which a card is tried."""
SEEDS = 0, 1
"""The seeds of those rounds and deals."""
_DIGITS = 4


def card_path(rules: Rules) -> Path | None:
    """Return the file of the card for `rules`, or None if they have no card."""
    path = CARDS / f"{key_of(rules)}.json"
    return path if path.is_file() else None


def written_card(policy: TablePolicy, rounds: int, deals: int) -> Written:
    """Return the card of a policy, as `web/learn/cards.js` describes it."""
    rules = policy.rules
    card = card_of(policy, rounds, SEEDS[0])
    cost = cost_of(card, policy, deals, SEEDS[1])
    return {
        "players": rules.players,
        "right": round(card.right, _DIGITS),
        "cost": round(cost.mean, _DIGITS),
        "margin": round(cost.margin, _DIGITS),
        "thumbs": [_written(rules, thumb) for thumb in card.thumbs],
    }


def _written(rules: Rules, thumb: Thumb) -> Written:
    return {
        "after": None if thumb.after is None else thumb.after.name.lower(),
        "own": thumb.own,
        "bid": None if thumb.does is None else _bid(rules, thumb),
        "challenge": None if thumb.below is None else _challenge(rules, thumb),
        "arises": round(thumb.arises, _DIGITS),
        "right": round(thumb.right, _DIGITS),
    }


def _bid(rules: Rules, thumb: Thumb) -> Written:
    """Return the bid of a rule; its `count` is known if it opens."""
    does = thumb.does
    assert isinstance(does, Bidding), "the rule is for a bid"
    least = [one.count for one in legal_bids(rules, None) if one.mode is does.mode]
    return {
        "mode": None if does.mode is None else does.mode.name.lower(),
        "extra": does.extra,
        "count": min(least) + does.extra if thumb.after is None else None,
        "high": does.high,
    }


def _challenge(rules: Rules, thumb: Thumb) -> Written:
    """Return the number of the others' dice that a bid must need to be challenged, and the
    probability that this number counts. It is the first below that of the rule."""
    assert thumb.after is not None, "a bid is challenged"
    assert thumb.below is not None, "a challenge has a probability"
    bid = Bid(thumb.after, 1, rules.faces)
    likely = others_show(rules, bid, rules.total_dice - rules.dice)
    missing = next(number for number, share in enumerate(likely) if share < thumb.below)
    return {"missing": missing, "chance": round(likely[missing], _DIGITS)}


def write_card(path: Path, card: Written) -> None:
    """Write a card. Raise StorageError."""
    write_atomically(path, lambda file: file.write(as_json(card)))


def main() -> None:
    """Write the cards."""
    CARDS.mkdir(exist_ok=True)
    for players in PLAYERS:
        rules = preset("zhaifei", players=players)
        path = shipped_path(rules)
        assert path is not None, "the policy comes with the package"
        write_card(CARDS / f"{key_of(rules)}.json", written_card(load_policy(path), ROUNDS, DEALS))


if __name__ == "__main__":
    main()
