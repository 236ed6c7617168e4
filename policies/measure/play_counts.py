"""Counts of what each player does in the arena."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from zhaifei.game.rounds import Round
from zhaifei.policies.play.simulation import Ended


@dataclass
class PlayCounts:
    """Counts of one player's play, summed over all its seats.

    A *unit* is a round for penalty points, or a match in which dice are lost. An invalid bid that
    ends a round counts as a forfeit, not as a challenge.
    """

    units: int = 0
    """Units that the player took part in, once for each of its seats."""
    decided: int = 0
    """Units with a decisive result: rounds that it lost, or matches that it won."""
    all_rounds: int = 0
    """Rounds of these units, including those after it was out."""
    rounds: int = 0
    """Rounds in which it had dice, once for each of its seats."""
    lost: int = 0
    """Penalty points that it took, or dice that it lost."""
    bids: int = 0
    """Bids that it made."""
    length: int = 0
    """Bids that anybody made in the rounds in which it had dice."""
    challenges: int = 0
    """Challenges that it made."""
    right: int = 0
    """Those of its challenges that found the bid false."""
    challenged: int = 0
    """Those of its bids that were challenged."""
    true: int = 0
    """Those of its challenged bids that were true."""
    jumps: int = 0
    """Its jump challenges (跳开): challenges of a bid before the last."""
    out_of_turn: int = 0
    """Those of its challenges that were made out of turn."""
    out_of_turn_right: int = 0
    """Those of its challenges out of turn that found the bid false."""
    forfeits: int = 0
    """Rounds that ended by an invalid bid of its own."""

    @property
    def loss_rate(self) -> float:
        """Penalty points that it took per round, or dice that it lost per match."""
        return self.lost / self.units


def count_rounds(counts: Sequence[PlayCounts], ended: Ended, *, jumps: bool) -> None:
    """Add rounds for penalty points, each of which is a unit, to the `counts` [seat]. With `jumps`,
    endings at a distance beyond 1 are jump challenges."""
    jumped, false, number = (ended.distance > 1) & jumps, ~ended.true, ended.bids.size
    for seat, mine in enumerate(counts):
        challenged, challenges = ended.bidder == seat, ended.challenger == seat
        loses = ended.loser == seat
        mine.units += number
        mine.decided += int(loses.sum())
        mine.all_rounds += number
        mine.rounds += number
        mine.lost += int(ended.cost[loses].sum())
        mine.bids += int(((ended.bids - seat + len(counts) - 1) // len(counts)).sum())
        mine.length += int(ended.bids.sum())
        mine.challenges += int(challenges.sum())
        mine.right += int((challenges & false).sum())
        mine.challenged += int(challenged.sum())
        mine.true += int((challenged & ended.true).sum())
        mine.jumps += int((challenges & jumped).sum())


def count_match(counts: Sequence[PlayCounts], rounds: int, winner: int) -> None:
    """Add a match of this many rounds, which are counted apart, to the `counts` [seat]."""
    for seat, mine in enumerate(counts):
        mine.units += 1
        mine.decided += seat == winner
        mine.all_rounds += rounds


def count_round(counts: Sequence[PlayCounts], state: Round) -> None:
    """Add a round of a match, which has ended, to the `counts` [seat]."""
    settled, bids = state.settlement, len(state.history)
    assert settled is not None, "the round has ended"
    for place, seat in enumerate(state.seats):
        counts[seat].rounds += 1
        counts[seat].length += bids
        counts[seat].bids += len(range(place, bids, len(state.seats)))
    counts[settled.loser].lost += settled.cost
    challenge, right = settled.challenge, not settled.bid_was_true
    if settled.forfeiter is not None:
        counts[settled.forfeiter].forfeits += 1
    if challenge is None:
        return
    counts[challenge.bidder].challenged += 1
    counts[challenge.bidder].true += not right
    if settled.forfeiter is None:
        mine, early = counts[challenge.challenger], challenge.challenger != state.bidder(bids)
        mine.challenges += 1
        mine.right += right
        mine.out_of_turn += early
        mine.out_of_turn_right += early and right
