"""Word the state of a match on the page."""

from __future__ import annotations

from zhaifei.app.locale import explain, say, say_message
from zhaifei.app.said import say_seat
from zhaifei.app.web.playing import Opened, Playing
from zhaifei.game.bids import Bid, ending_of
from zhaifei.game.rules import Rules
from zhaifei.game.stakes import loss, told_score
from zhaifei.game.views import SeatBid


def who(playing: Playing, seat: int) -> str:
    """Return the page's word for a player."""
    return say_seat(seat, playing.you)


def status(playing: Playing) -> str:
    """Return one line on what happens now."""
    if playing.trouble is not None:
        return explain(playing.trouble)
    if playing.opened is not None:
        return settled(playing, playing.opened)
    if playing.turn is None:
        return say("the next round can begin")
    if not playing.is_yours:
        return say("{who} is thinking", who=who(playing, playing.turn))
    return _your_turn(playing)


def _your_turn(playing: Playing) -> str:
    if playing.may_let_stand:
        return say("{bid}: challenge, or let it stand?", bid=playing.history[-1].bid)
    if not playing.view.history:
        return say(
            "you open: bid a count of at least {count}", count=playing.rules.bidding.first_count
        )
    return say("your turn")


def settled(playing: Playing, opened: Opened) -> str:
    """Return the sentence on how a round ended."""
    found = opened.settlement
    loser, winner = who(playing, found.loser), playing.match.winner
    lost = say_message(loss(playing.rules, found.cost, loser))
    if not playing.dice_counts[found.loser]:
        lost += f" · {say('out of the match: {who}', who=loser)}"
    if winner is not None:
        lost += f" · {say('the match is won by {who}', who=who(playing, winner))}"
    if found.challenge is None:
        return lost
    bid = found.challenge.bid
    values = {"bid": bid, "claimed": bid.count, "found": found.counted}
    if found.bid_was_true:
        result = say("{bid} is true: {claimed} claimed, {found} on the table", **values)
    else:
        result = say("{bid} is false: {claimed} claimed, {found} on the table", **values)
    if found.challenge.given_up_by is not None:
        gave_up = say("{who} gave up", who=who(playing, found.challenge.given_up_by))
        result = f"{gave_up} · {result}"
    return f"{result} · {lost}"


def seat_line(playing: Playing, seat: int) -> str:
    """Return the name of a player and the score."""
    name, score = who(playing, seat), playing.match.score[seat]
    if seat != playing.you:
        name = say("seat {seat} ({name})", seat=seat + 1, name=playing.opponent)
    if not playing.dice_counts[seat]:
        return say("out of the match: {who}", who=name)
    return say_message(told_score(playing.rules, name, score))


def bids_by_seat(playing: Playing) -> list[str]:
    """Return [seat] the last bid of each player in this round; empty if there is none."""
    last = [""] * playing.rules.players
    for one in playing.history:
        last[one.seat] = str(one.bid)
    return last


def line_of(playing: Playing) -> str:
    """Return all bids of the round, oldest first."""
    return "  ".join(_said(playing, one) for one in playing.history)


def _said(playing: Playing, one: SeatBid) -> str:
    return say("{who}: {bid}", who=who(playing, one.seat), bid=one.bid)


def challenge_text(distance: int, bid: Bid, rules: Rules) -> str:
    """Return the text on the button of a challenge."""
    if bid.doubled:
        return say("show the dice")
    if distance == 1:
        return say("challenge {bid}", bid=bid)
    settled = ending_of(rules, distance - 1, bid)
    points = distance if settled is None else settled.cost
    return say("jump: {bid} for {points} points", bid=bid, points=points)
