"""The rules of a variant in plain words, made from the data of the rules."""

from __future__ import annotations

from collections.abc import Iterator

from zhaifei.app.locale import say, say_message
from zhaifei.game.bids import Bid, legal_bids
from zhaifei.game.house import SWITCHES, WITHOUT
from zhaifei.game.messages import Message
from zhaifei.game.parts import FeiToZhai, GivingUp, JumpCost, Mode, Raising, ZhaiToFei
from zhaifei.game.rules import Rules


def openings_by_mode(rules: Rules) -> dict[Mode, Bid]:
    """Return in each mode a bid that may open a round."""
    openings = legal_bids(rules, None)
    return {mode: next(bid for bid in openings if bid.mode is mode) for mode in rules.bidding.modes}


def rules_told(rules: Rules) -> Iterator[str]:
    """Yield the paragraphs of the rules."""
    yield say("A bid claims how many of all dice on the table show a face, at least:")
    for mode, bid in openings_by_mode(rules).items():
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
        yield _jumps(rules)
    yield from _doubles(rules)
    if not rules.loses_dice:
        yield say("The loser of a round starts the next. The fewest points win.")


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
            yield from _between_modes(rules)
    if rules.bidding.unbounded:
        yield say("A bid may count more dice than there are on the table.")
    yield from _further(rules)


def _opening(rules: Rules) -> str:
    bidding = rules.bidding
    if bidding.raising is Raising.ONE_MORE:
        return say("The first bid of a round has a count of 1.")
    first = say(
        "The first bid of a round must have a count of at least {count}.", count=bidding.first_count
    )
    if bidding.first_zhai:
        first += " " + say("A 斋 bid may open with {count}.", count=bidding.first_zhai)
    if bidding.first_ones:
        first += " " + say("A bid on ones may open with {count}.", count=bidding.first_ones)
    return first


def _between_modes(rules: Rules) -> Iterator[str]:
    """Yield which bids lead from 飞 to 斋 and back."""
    to_zhai, to_fei = rules.bidding.fei_to_zhai, rules.bidding.zhai_to_fei
    if (to_zhai, to_fei) == (FeiToZhai.STRENGTH, ZhaiToFei.STRENGTH):
        yield say("For comparison, a 斋 count is doubled.")
        return
    for name, reading in (("fei_to_zhai", to_zhai), ("zhai_to_fei", to_fei)):
        yield say_message(_does(name, reading) or WITHOUT[name])


def _further(rules: Rules) -> Iterator[str]:
    """Yield the rules on ones and on whole hands."""
    fields = {**vars(rules.bidding), **vars(rules.counting)}
    for name in ("ones_highest", "ones_end_fei", "straight", "five_alike"):
        does = _does(name, fields[name])
        if does is not None:
            yield say_message(does)


def _does(field: str, value: object) -> Message | None:
    """Return the line on a house rule that sets a field to a value; None if there is none."""
    found = (one.does for one in SWITCHES.values() if (one.field, one.value) == (field, value))
    return next(found, None)


def _jumps(rules: Rules) -> str:
    """Return the rule on challenges of earlier bids."""
    furthest = rules.furthest_challenge
    if rules.stakes.jump_cost is JumpCost.ONE:
        return say(
            "跳开: challenge the bid made 2 bids ago, or up to {furthest}; the loser takes one "
            "point.",
            furthest=furthest,
        )
    if rules.stakes.jump_cost is JumpCost.TWO:
        return say(
            "跳开: challenge the bid made 2 bids ago, or up to {furthest}; the loser takes two "
            "points.",
            furthest=furthest,
        )
    return say(
        "跳开: challenge the bid made 2 bids ago, or up to {furthest}; the loser takes as "
        "many points.",
        furthest=furthest,
    )


def _doubles(rules: Rules) -> Iterator[str]:
    """Yield the rules on 劈, 反劈 and 认输."""
    for place, points in enumerate(rules.stakes.doubled):
        if place == 0:
            yield say(
                "劈: instead of challenging, play for {points} points; then the bidder decides.",
                points=points,
            )
        else:
            yield say(
                "{call}: who decides may play for {points} points; then the other player decides.",
                call="反" * place + "劈",
                points=points,
            )
    if rules.stakes.doubled:
        if rules.players > 2:
            yield say(
                "Only the next player may double (劈); then only that player and the bidder go on."
            )
        yield {
            GivingUp.ONE: say("Who decides shows the dice, or gives up (认输) for one point."),
            GivingUp.HALF: say(
                "Who decides shows the dice, or gives up (认输) for half the points."
            ),
            GivingUp.FORBIDDEN: say("Who decides shows the dice; nobody gives up."),
        }[rules.stakes.giving_up]


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
