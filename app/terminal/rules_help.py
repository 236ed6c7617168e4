"""The help at the table: a summary of the rules and of the input."""

from __future__ import annotations

from collections.abc import Iterator

from zhaifei.app.locale import say, say_message
from zhaifei.game.bids import MODE_SIGNS, legal_bids
from zhaifei.game.house import SWITCHES
from zhaifei.game.parts import Mode, Raising
from zhaifei.game.rules import Rules, house_of


def rules_help(rules: Rules) -> Iterator[str]:
    """Yield the paragraphs of the help; its examples are bids that may open a round."""
    openings = legal_bids(rules, None)
    examples = {
        mode: next(bid for bid in openings if bid.mode is mode) for mode in rules.bidding.modes
    }
    yield say("A bid claims how many of all dice on the table show a face, at least:")
    for mode, bid in examples.items():
        counts = {"bid": bid, "count": bid.count, "face": bid.face, "wild": rules.counting.wild}
        if mode is Mode.FEI:
            yield say(
                "  {bid}: {count} show {face}; {wild} is wild and counts as any face", **counts
            )
        else:
            yield say("  {bid}: {count} show {face}; only {face} itself counts", **counts)
    yield from _bidding(rules)
    if rules.loses_dice:
        yield from _losing_dice(rules)
    else:
        yield say(
            "Or challenge the last bid: if it is true you take a penalty point, otherwise its "
            "bidder does."
        )
    if rules.furthest_challenge > 1:
        yield say(
            "跳开: challenge the bid made 2 bids ago, or up to {furthest}; the loser takes as "
            "many points.",
            furthest=rules.furthest_challenge,
        )
    if not rules.loses_dice:
        yield say("The loser of a round starts the next. The fewest points win.")
    yield say("Type:")
    for mode, bid in examples.items():
        letter, name = ("f", "fei") if mode is Mode.FEI else ("z", "zhai")
        without = f", {bid.count}{bid.face}, {bid.count}个{bid.face}"  # the mode may be omitted
        yield (
            f"  {MODE_SIGNS[mode]}{bid.count}x{bid.face}, {letter}{bid.count}x{bid.face}, "
            f"{name} {bid.count} {bid.face}{without if mode is rules.bidding.modes[0] else ''}"
        )
    yield say("  c, challenge, 开: challenge the last bid")
    if rules.furthest_challenge > 1:
        yield say("  c2, 跳开2: challenge the bid made 2 bids ago")
    if rules.stakes.out_of_turn and rules.players > 2:
        yield say("  n, 过: let the bid stand")
    yield say("  ?: show this help    q: leave and show the standings")


def _bidding(rules: Rules) -> Iterator[str]:
    """Yield the rules of bidding."""
    if rules.bidding.forced_opening:
        yield say(
            "The dice make the first bid of a round: the face of which its starter holds most, and "
            "one die more than the starter holds."
        )
    else:
        yield _opening(rules)
    if rules.bidding.raising is Raising.ONE_MORE:
        yield say("Every later bid counts exactly one die more than the last, of any face.")
    elif rules.bidding.raising is Raising.FACE_OR_COUNT:
        yield say(
            "Every later bid has more dice of a face at least as high, or as many of a higher face."
        )
    else:
        yield say(
            "Every later bid must be stronger than the last: more dice, or as many of a higher "
            "face."
        )
    if len(rules.bidding.modes) > 1:
        yield say(
            "For comparison, a 斋 count is multiplied by {weight}.",
            weight=rules.bidding.zhai_weight,
        )
    if rules.bidding.unbounded:
        yield say("A bid may count more dice than there are on the table.")
    house = [SWITCHES[name].does for name in house_of(rules) if name in SWITCHES]
    if house:
        yield say("House rules:")
        yield from (f"  {say_message(does)}" for does in house)


def _opening(rules: Rules) -> str:
    if rules.bidding.raising is Raising.ONE_MORE:
        return say("The first bid of a round has a count of 1.")
    return say(
        "The first bid of a round must have a count of at least {count}.",
        count=rules.bidding.first_count,
    )


def _losing_dice(rules: Rules) -> Iterator[str]:
    """Yield the cost of a challenge, who may challenge, who starts and who wins."""
    yield say("Or challenge the last bid: if it is true you lose a die, otherwise its bidder does.")
    if rules.stakes.out_of_turn and rules.players > 2:
        yield say(
            "After each bid every other player is asked, in turn order, whether to challenge it. "
            "Who declines and is next must bid."
        )
    if rules.stakes.winner_starts:
        yield say("The winner of a round starts the next. The last player with dice wins.")
    else:
        yield say("The loser of a round starts the next. The last player with dice wins.")
