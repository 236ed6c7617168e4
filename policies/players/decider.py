"""The protocol of deciders, which take one decision at a time from one player's view of a round."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from zhaifei.game.bids import Bid, action_of, challenge_action, gives_up_action
from zhaifei.game.public_state import DECLINE
from zhaifei.game.rounds import Round
from zhaifei.game.views import View


class Decider(Protocol):
    """Takes the decisions of one player, move by move: a person, a rule, a strategy file, ...

    It is asked only where there is a choice. Errors and tables name it by `str`. In an arena it
    must keep no memory of earlier rounds, unless it is a strategy file: see
    `policies.players.player.BatchPlayer`. At a table it may: see Remembers.
    """

    def decide(self, view: View) -> int:
        """Return the action of the player who has this view.

        Actions are numbered as in `game.bids`: the bids, then the endings. DECLINE declines a
        challenge out of turn. Where dice are lost, an illegal action forfeits the decision; where
        rounds are for penalty points, it is an error.
        """


@runtime_checkable
class Remembers(Decider, Protocol):
    """A Decider that learns from the rounds of its match."""

    def remember(self, round_: Round, seat: int) -> None:
        """Learn from a round that has ended, in which the decider sat in `seat`. All dice have been
        shown."""


class StrategyMethods(Protocol):
    """The methods of the class in a strategy file, which decides in two steps."""

    def challenge_bid(self, view: View) -> bool:
        """Return whether to challenge the current bid or, after a double (劈), to show the dice.

        Called before each of the player's own bids except the first of a round. Where the rules
        allow challenges out of turn, also called after each bid of another player."""

    def make_bid(self, view: View) -> Bid | None:
        """Return one of `view.legal_bids`. None, or an illegal bid, forfeits the decision; after a
        double it gives up, if the rules let the player."""


class TwoStepDecider(StrategyMethods):
    """A Decider that first decides whether to challenge and, if not, which bid to make."""

    def decide(self, view: View) -> int:
        """See Decider."""
        if view.can_challenge and self.challenge_bid(view):
            return challenge_action(view.rules)
        # Without legal bids, the player is only asked whether to challenge.
        bid = self.make_bid(view) if view.legal_bids else None
        if bid in view.legal_bids:
            return action_of(view.rules, bid)
        return gives_up_action(view.rules) if view.can_give_up else DECLINE
