"""A strategy file as a policy: what it does with every hand, so that it can be measured.

Measuring takes a strategy that is a function of the dice and the bids. A class may say how likely
it takes each action, by a method `probabilities`. Without this method it must always decide alike:
each question is asked twice, with different seeds, and a file that answers differently is refused.
This finds most files that draw random numbers or remember earlier questions, not all of them.

After a history, only hands that come to it are asked about: hands with which the file makes its own
bids of the history. What other hands would do changes nothing. They challenge, or make the weakest
bid.

The bounds of `solver.response.query_search` are then theorems about the function that was asked.
The lower bound is what one concrete opponent earns who knows all answers so far. The upper bound
counts every history that was not asked at the most that it may cost. A lost decision counts as at a
table.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import (
    Bid,
    action_count,
    action_of,
    challenge_action,
    domain,
    legal_bids,
    mover_of,
    places_by,
    verify_history,
)
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands
from zhaifei.game.notation import format_hand, format_history
from zhaifei.game.rules import Rules
from zhaifei.policies.players.plug_in.answers import MIXING
from zhaifei.policies.players.plug_in.player import PlugInPlayer
from zhaifei.policies.players.policy import SingleQueries
from zhaifei.solver.bounds import History

_SEEDS = (0.25, 0.75)
"""The uniform numbers that seed the two times that a question is asked."""


class PlugInPolicy(SingleQueries):
    """The policy of a strategy file, which holds all seats."""

    def __init__(self, player: PlugInPlayer) -> None:
        """Ask whether the class has the method `probabilities`."""
        self.player = player
        self.histories = 0
        """The histories that the file was asked about."""
        self._bids_with: dict[History, NDArray[np.uint8]] = {}
        """{history: [hand, action] the actions that are possible, packed into bits}."""
        self._mixes = player.mixes()

    def __str__(self) -> str:
        return str(self.player)

    @property
    def rules(self) -> Rules:
        """See Policy."""
        return self.player.rules

    @property
    def questions(self) -> int:
        """The questions that the file was asked."""
        return self.player.plug_in.decisions

    def strategy(self, history: Sequence[Bid]) -> NDArray[np.float64]:
        """See Policy. Raise ZhaifeiError if the file answers the same question differently."""
        rules = self.rules
        verify_history(rules, tuple(history))
        bids = tuple(action_of(rules, bid) for bid in history)
        asked = np.flatnonzero(self._come_to(bids))
        played = np.zeros((len(hands(rules)), action_count(rules)))
        played[:, self._some_action(bids)] = 1.0
        played[asked] = self._mixed(asked, bids) if self._mixes else self._pure(asked, bids)
        self._bids_with[bids] = np.packbits(played > 0.0, axis=1)
        self.histories += 1
        return played

    def _come_to(self, bids: History) -> NDArray[np.bool_]:
        """Return [hand] whether the player in turn comes to this history with the hand."""
        rules = self.rules
        mover = mover_of(rules, bids)
        dice = rules.dice_by_player[mover]
        come = np.array([len(hand) == dice for hand in hands(rules)])
        for place in places_by(rules, bids, mover):
            packed = self._bids_with.get(bids[:place])
            if packed is not None:
                come &= np.unpackbits(packed, axis=1)[:, bids[place]] > 0
        return come

    def _some_action(self, bids: History) -> int:
        if bids:
            return challenge_action(self.rules)
        return action_of(self.rules, legal_bids(self.rules, None)[0])

    def _mixed(self, asked: NDArray[np.int64], bids: History) -> NDArray[np.float64]:
        """Return [asked, action] the probabilities; a lost answer is a lost decision."""
        found = np.zeros((len(asked), action_count(self.rules)))
        lost = {self._some_action(bids): 1.0}
        for row, shares in zip(found, self.player.shares(asked, bids), strict=True):
            played = shares or lost
            row[[*played]] = [*played.values()]
        return found

    def _pure(self, asked: NDArray[np.int64], bids: History) -> NDArray[np.float64]:
        """Return [asked, action] a 1 for the action of each hand."""
        twice = np.tile(asked, len(_SEEDS))
        history = np.tile(np.array(bids, dtype=np.int64), (len(twice), 1))
        acted = self.player.act(twice, history, np.repeat(_SEEDS, len(asked)))
        first, second = acted.reshape(len(_SEEDS), -1)
        if (first != second).any():
            self._refuse(int(asked[(first != second).argmax()]), bids)
        found: NDArray[np.float64] = np.eye(action_count(self.rules))[first]
        return found

    def _refuse(self, hand: int, bids: History) -> None:
        made = [domain(self.rules)[bid] for bid in bids]
        raise ZhaifeiError(
            "{file} does not always decide alike: with {hand} after [{history}], for one. A "
            "strategy that mixes is measured by a method {method}(seen)",
            file=self,
            hand=format_hand(hands(self.rules)[hand]),
            history=format_history(made),
            method=MIXING,
        )
