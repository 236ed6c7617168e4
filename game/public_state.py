"""The public state of a round: all that everybody at the table knows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from zhaifei.game.bids import (
    Bid,
    IllegalBid,
    State,
    action_count,
    challenge_action,
    distance_of,
    domain,
    gives_up,
    settled_by,
    state_after,
    turn_at,
)
from zhaifei.game.hands import Hand
from zhaifei.game.legal import (
    IllegalChallenge,
    can_give_up,
    legal_bids_with,
    verify_bid_with,
    verify_challenge,
    verify_giving_up,
)
from zhaifei.game.rules import Rules
from zhaifei.game.views import (
    View,
    all_declined,
    seats_from,
    too_early,
    view_at_table,
)

DECLINE = -1
"""The action of a player who is asked whether to challenge and does not."""
FORFEIT = -2
"""The action of a player who takes no legal action, by rules under which this has a price."""


class Challenge(NamedTuple):
    """A challenge (检验), before the dice are counted. After a double (劈), whoever shows the dice
    or gives up (认输) ends the bidding, and the player who doubted the bid is its challenger."""

    bid: Bid
    """The challenged bid, before its stakes were doubled."""
    bidder: int
    """The seat that made the bid."""
    challenger: int
    """The seat that challenged the bid."""
    cost: int
    """What the loser loses: one penalty point (罚点) for each bid since the challenged one, itself
    included, the doubled stakes, the price of giving up, or one die."""
    given_up_by: int | None = None
    """The seat that gave up and so lost, whatever the dice show; None if nobody did."""


@dataclass
class PublicState:
    """The bids so far, who decides and how the bidding ended. For each action, `verify_...` raises
    if it is illegal, and the method of its name takes it; both apply the same check."""

    rules: Rules
    dice: tuple[int, ...]
    """[seat] the number of dice; 0 for players who are out."""
    starter: int = 0
    history: tuple[Bid, ...] = ()
    """The bids so far, oldest first."""
    declined: int = 0
    """The number of players who were asked whether to challenge the last bid and declined; always 0
    if the rules do not allow challenges out of turn."""
    challenged: Challenge | None = field(default=None, init=False)
    """The challenge that ended the bidding; None before it, and if an invalid first bid did."""
    forfeiter: int | None = field(default=None, init=False)
    """The seat whose invalid bid ended the bidding; None if no invalid bid did."""
    seats: list[int] = field(init=False)
    """The seats of the players who have dice, in turn order; the starter comes first."""

    def __post_init__(self) -> None:
        self.seats = seats_from(self.starter, self.dice)

    @property
    def is_over(self) -> bool:
        """Whether the bidding has ended."""
        return self.challenged is not None or self.forfeiter is not None

    @property
    def last(self) -> Bid | None:
        """The last bid; None at the start of the round."""
        return self.history[-1] if self.history else None

    @property
    def state(self) -> State:
        """The state of the bidding, which tells what may follow."""
        return state_after(self.rules, self.history)

    def bidder(self, place: int) -> int:
        """Return the seat that made, or will make, the bid at this place of the history."""
        return self.seats[turn_at(self.history, place) % len(self.seats)]

    @property
    def is_asked(self) -> bool:
        """Whether the player in turn is asked to challenge or decline, and may not bid."""
        asked = len(self.seats) - 1 if self.rules.stakes.out_of_turn else 0
        return self.declined < asked and bool(self.history)

    @property
    def is_out_of_turn(self) -> bool:
        """Whether the player in turn is asked and another player is next to bid."""
        return self.is_asked and self.declined > 0

    @property
    def turn(self) -> int:
        """The seat that decides: whether to bid or to challenge or, if it is asked, whether to
        challenge or to decline."""
        turn = turn_at(self.history, len(self.history)) + (self.declined if self.is_asked else 0)
        return self.seats[turn % len(self.seats)]

    def view_with(self, hand: Hand, seat: int) -> View:
        """Return the view of the player in `seat` with this hand."""
        decides = seat == self.turn
        return view_at_table(
            (self.rules, self.dice, self.seats, self.history),
            seat,
            hand,
            self.legal_bids() if decides else (),
            out_of_turn=decides and self.is_out_of_turn,
        )

    def legal_bids(self) -> tuple[Bid, ...]:
        """Return the bids that the player in turn may make, weakest first; no bids if the player is
        asked."""
        if self.is_over or self.is_asked:
            return ()
        return legal_bids_with(self.rules, self.state, sum(self.dice))

    def verify_bid(self, bid: Bid) -> None:
        """Raise IllegalBid unless the player in turn may make `bid`."""
        if self.is_over:
            raise IllegalBid("{bid} comes too late: the round has ended", bid=bid)
        if self.is_asked:
            raise too_early(bid)
        verify_bid_with(self.rules, bid, self.state, sum(self.dice))

    def can_bid(self, bid: Bid) -> bool:
        """Return whether the player in turn may make `bid`."""
        return bid in self.legal_bids()

    def _make(self, bid: Bid) -> None:
        self.verify_bid(bid)
        self.history, self.declined = (*self.history, bid), 0

    def verify_challenge(self, distance: int = 1) -> None:
        """Raise IllegalChallenge unless the player in turn may challenge the bid made `distance`
        bids ago."""
        if self.is_over:
            raise IllegalChallenge("the round has ended")
        verify_challenge(self.rules, len(self.history), distance)
        # If no raise is left, a challenge is the only action.
        if self.rules.stakes.out_of_turn and not self.is_asked and self.legal_bids():
            raise all_declined()

    def can_challenge(self, distance: int = 1) -> bool:
        """Return whether the player in turn may challenge the bid made `distance` bids ago."""
        try:
            self.verify_challenge(distance)
        except IllegalChallenge:
            return False
        return True

    def verify_giving_up(self) -> None:
        """Raise IllegalChallenge unless the player in turn may give up (认输)."""
        if self.is_over:
            raise IllegalChallenge("the round has ended")
        verify_giving_up(self.rules, self.history)

    def can_give_up(self) -> bool:
        """Return whether the player in turn may give up (认输)."""
        return not self.is_over and can_give_up(self.rules, self.history)

    def decline(self) -> None:
        """Decline to challenge, for the player who is asked. Raise IllegalChallenge if nobody is
        asked."""
        if self.is_over:
            raise IllegalChallenge("the round has ended")
        if not self.is_asked:
            raise IllegalChallenge("nobody is asked whether to challenge")
        self.declined += 1

    def forfeit(self) -> None:
        """Handle an invalid decision of the player in turn. A player who is asked declines. A
        player who must bid challenges the last bid or, without a bid to challenge, loses a die.
        Raise IllegalBid after the end of the round, and where an invalid decision has no price."""
        if self.is_over:
            raise IllegalBid("the round has ended")
        if not self.rules.loses_dice:
            raise IllegalBid("by these rules the player chooses again after an invalid decision")
        if self.is_asked:
            self.decline()
        else:
            self.forfeiter = self.turn
            if self.history:
                self._end(challenge_action(self.rules))

    def take(self, action: int) -> None:
        """Take an action for the player in turn: a bid or an ending by its number in
        `game.bids`, DECLINE or FORFEIT. Raise IllegalBid or IllegalChallenge without changing the
        state."""
        if action == DECLINE:
            self.decline()
        elif action == FORFEIT:
            self.forfeit()
        elif gives_up(self.rules, action):
            self.verify_giving_up()
            self._end(action)
        elif (distance := distance_of(self.rules, action)) >= 1:
            self.verify_challenge(distance)
            self._end(action)
        else:
            self._make(domain(self.rules)[action])

    def taken_as(self, action: int) -> int:
        """Return what the action of the player in turn comes to: itself if it is legal or if an
        illegal action is an error. Where dice are lost, an illegal action is a FORFEIT, and that
        of a player who is asked is DECLINE."""
        if not self.rules.loses_dice or self._is_legal(action):
            return action
        return DECLINE if self.is_asked else FORFEIT

    def _is_legal(self, action: int) -> bool:
        if action == DECLINE:
            return self.is_asked
        if not 0 <= action < action_count(self.rules):
            return False
        if gives_up(self.rules, action):
            return self.can_give_up()
        distance = distance_of(self.rules, action)
        if distance >= 1:
            return self.can_challenge(distance)
        return self.can_bid(domain(self.rules)[action])

    def _end(self, action: int) -> None:
        ending = action - challenge_action(self.rules)
        ended = settled_by(self.rules, self.history, ending)
        assert ended is not None, "the ending is legal"
        settled = self.history[-ended.back]
        place = len(self.history) - ended.back - settled.doubled
        challenger = self.bidder(place + 1) if settled.doubled else self.turn
        given_up_by = self.turn if ended.claimed == 0 else None
        self.challenged = Challenge(
            settled.claim, self.bidder(place), challenger, ended.cost, given_up_by
        )
