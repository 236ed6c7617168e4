"""The help at the table: a summary of the rules and of the input."""

from __future__ import annotations

from collections.abc import Iterator

from app.locale import say
from game.bids import MODE_SIGNS, legal_bids
from game.rules import Mode, Rules


def rules_help(rules: Rules) -> Iterator[str]:
    """Yield the paragraphs of the help; its examples are bids that may open a round."""
    openings = legal_bids(rules, None)
    examples = {mode: next(bid for bid in openings if bid.mode is mode) for mode in rules.modes}
    yield say("A bid claims how many of all dice on the table show a face, at least:")
    for mode, bid in examples.items():
        counts = {"bid": bid, "count": bid.count, "face": bid.face, "wild": rules.wild}
        if mode is Mode.FEI:
            yield say(
                "  {bid}: {count} show {face}; {wild} is wild and counts as any face", **counts
            )
        else:
            yield say("  {bid}: {count} show {face}; only {face} itself counts", **counts)
    yield say(
        "The first bid of a round must have a count of at least {count}.", count=rules.first_count
    )
    yield say(
        "Every later bid must be stronger than the last: more dice, or as many of a higher face."
    )
    if len(rules.modes) > 1:
        yield say("For comparison, a 斋 count is multiplied by {weight}.", weight=rules.zhai_weight)
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
    yield say("The loser of a round starts the next. The fewest points win.")
    yield say("Type:")
    for mode, bid in examples.items():
        letter, name = ("f", "fei") if mode is Mode.FEI else ("z", "zhai")
        without = f", {bid.count}{bid.face}, {bid.count}个{bid.face}"  # the mode may be omitted
        yield (
            f"  {MODE_SIGNS[mode]}{bid.count}x{bid.face}, {letter}{bid.count}x{bid.face}, "
            f"{name} {bid.count} {bid.face}{without if mode is rules.modes[0] else ''}"
        )
    yield say("  c, challenge, 开: challenge the last bid")
    if rules.furthest_challenge > 1:
        yield say("  c2, 跳开2: challenge the bid made 2 bids ago")
    yield say("  ?: show this help    q: leave and show the standings")
