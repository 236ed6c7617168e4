"""Model a match of a person against policies: its state, and the person's possible actions.

The model does not know the page. Its public properties for display never contain dice that must
stay hidden."""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from zhaifei.game.bids import (
    Bid,
    action_of,
    challenge_action,
    challengeable,
    counted,
    counting_faces,
    domain,
    gives_up_action,
)
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand
from zhaifei.game.legal import IllegalChallenge, verify_challenge, verify_giving_up
from zhaifei.game.match import Match, Standing
from zhaifei.game.public_state import DECLINE, PublicState
from zhaifei.game.rounds import Round, Settlement
from zhaifei.game.rules import Rules
from zhaifei.game.views import SeatBid, View, declines_to_bid, raises_of, verify_action
from zhaifei.policies.play.played import YOU, PlayedRound, played_round
from zhaifei.policies.play.records import MatchRecorder
from zhaifei.policies.play.table import generators

Ask = Callable[[View, int], Awaitable[int]]
"""Query the policy in turn for its action, given its view and a seed for its random numbers."""
Pause = Callable[[], Awaitable[object]]
"""Wait for as long as a person would take."""
_MOST_UNDONE = 100


class Opened(NamedTuple):
    """A round that has ended, with all dice."""

    hands: tuple[Hand, ...]
    """[seat]"""
    settlement: Settlement
    counting: tuple[frozenset[int], ...]
    """[seat] the faces of the player's dice that count towards the bid."""


@dataclass
class Playing:
    """A match in progress; the person sits in the seat `you`.

    In practice, decisions can be taken back, and nothing is recorded.
    """

    rules: Rules
    seed: int
    opponent: str
    """The name of the policy."""
    you: int = 0
    practice: bool = False
    recorder: MatchRecorder | None = None
    match: Match = field(init=False)
    rounds: list[PlayedRound] = field(init=False, default_factory=list)
    """The rounds that have ended."""
    trouble: ZhaifeiError | None = field(init=False, default=None)
    """The error that kept an opponent from deciding."""
    listeners: list[Callable[[], object]] = field(init=False, default_factory=list)
    """Called after each change."""
    _randoms: list[np.random.Generator] = field(init=False)
    _actions: list[int] = field(init=False, default_factory=list)
    _opened: Opened | None = field(init=False, default=None)
    _before: list[_Before] = field(init=False, default_factory=list)
    _state: int = field(init=False, default=0)
    """Grows with each change, so that an answer that comes too late is noticed."""
    _driven: bool = field(init=False, default=False)
    _closed: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        dice, self._randoms = generators(self.seed, self.rules.players)
        self.match = Match(self.rules, dice)

    @property
    def names(self) -> tuple[str, ...]:
        """[seat] the names of the players in records."""
        return tuple(
            YOU if seat == self.you else self.opponent for seat in range(self.rules.players)
        )

    def record(self, policy: str | None) -> None:
        """Record the match from now on, without the seed, because a visitor may read the record
        while the match goes on. Raise StorageError or NoUserDirectory if no record can be written.
        """
        self.recorder = MatchRecorder(self.match, self.names, you=self.you, policy=policy)

    def close(self) -> None:
        """Stop recording, and let nobody decide any more."""
        self._closed = True
        if self.recorder is not None:
            self.recorder.close()

    # What is shown

    @property
    def number(self) -> int:
        """The number of the round, from 1."""
        return len(self.rounds) + (self.match.round is not None or not self.rounds)

    @property
    def history(self) -> tuple[SeatBid, ...]:
        """The bids of the round in progress, or of the one that has just ended."""
        state: PublicState | None = self.match.round
        if state is None and self.rounds:
            state = self.rounds[-1].state(self.rules)
        if state is None:
            return ()
        return tuple(SeatBid(state.bidder(at), bid) for at, bid in enumerate(state.history))

    @property
    def view(self) -> View:
        """The view of the person, who is not out, of the round in progress."""
        return self._round.view(self.you)

    @property
    def dice(self) -> Hand:
        """The person's own dice; empty if the person is out."""
        if self.match.round is None and self._opened is not None:
            return self._opened.hands[self.you]
        return self._round.hands[self.you]

    @property
    def dice_counts(self) -> tuple[int, ...]:
        """[seat] the number of dice of each player in this round, or between rounds in the next."""
        return self.match.dice if self.match.round is None else self.match.round.dice

    @property
    def turn(self) -> int | None:
        """The seat that decides; None between rounds."""
        return None if self.match.round is None else self.match.round.turn

    @property
    def is_yours(self) -> bool:
        """Whether the person decides."""
        return self.turn == self.you

    @property
    def distances(self) -> range:
        """The distances at which the person may challenge, or show the dice: 1 is the last bid."""
        if not self.is_yours or not self.view.can_challenge:
            return range(0)
        return challengeable(self.rules, len(self.view.history))

    @property
    def double(self) -> Bid | None:
        """The double that the person may make (劈, 反劈); None if the person may not."""
        return self.view.double if self.is_yours else None

    @property
    def may_give_up(self) -> bool:
        """Whether the person may give up (认输)."""
        return self.is_yours and self.view.can_give_up

    @property
    def raises(self) -> tuple[Bid, ...]:
        """The bids that the person may make, without doubles."""
        raises = raises_of(self.view) if self.is_yours else ()
        return tuple(bid for bid in raises if not bid.doubled)

    @property
    def may_let_stand(self) -> bool:
        """Whether the person is asked to challenge the last bid or let it stand, and may not bid
        now."""
        return self.is_yours and self._round.is_asked and not declines_to_bid(self.view)

    @property
    def may_go_on(self) -> bool:
        """Whether the next round can begin."""
        return self.match.round is None and not self.match.is_over

    @property
    def opened(self) -> Opened | None:
        """The settled round with all dice, between rounds."""
        return self._opened if self.match.round is None else None

    @property
    def standings(self) -> list[Standing]:
        """The ranking."""
        return self.match.standings()

    @property
    def can_undo(self) -> bool:
        """Whether there is a decision to take back."""
        return self.practice and bool(self._before)

    def take_up(self, rounds: Sequence[PlayedRound], starter: int | None) -> None:
        """Replay these rounds, which have ended and whose dice are all known. `starter` begins the
        next round, by default the loser of the last."""
        for played in rounds:
            hands = [hand for hand in played.hands if hand is not None]
            self._begin(self.match.take_up(Round(self.rules, hands, played.starter)))
            for action in played.actions:
                self._take(action)
        if starter is not None:
            self.match.starter = starter

    # What the person does

    def next_round(self) -> None:
        """Roll the dice. Raise ZhaifeiError during a round."""
        self._begin(self.match.deal())

    def _begin(self, round_: Round) -> None:
        self._actions, self._opened = [], None
        if self.recorder is not None:
            own = {self.you: round_.hands[self.you]}
            self.recorder.begin(len(self.rounds) + 1, round_.starter, self.match.score, own)
        self._changed()

    def bid(self, bid: Bid) -> None:
        """Make a bid. Raise ZhaifeiError if it is not the person's turn, or if the bid is
        illegal."""
        self.act(action_of(self.rules, bid))

    def challenge(self, distance: int = 1) -> None:
        """Challenge the bid made `distance` bids ago. Raise ZhaifeiError if it is not the person's
        turn, or if the challenge is illegal."""
        if self.is_yours:
            verify_challenge(self.rules, len(self.view.history), distance)
        self.act(challenge_action(self.rules, distance))

    def give_up(self) -> None:
        """Give up after a double. Raise ZhaifeiError if it is not the person's turn, or if nobody
        has doubled."""
        if self.is_yours:
            verify_giving_up(self.rules, self.view.bids)
        self.act(gives_up_action(self.rules))

    def let_stand(self) -> None:
        """Decline to challenge the last bid. Raise ZhaifeiError if the person is not asked."""
        self.act(DECLINE)

    def act(self, action: int) -> None:
        """Bid, challenge or decline. A person who is asked and then bids, with nobody asked in
        between, decides both at once. Raise ZhaifeiError as `bid`, `challenge` and `let_stand`
        do."""
        if not self.is_yours or self._closed:
            raise ZhaifeiError("it is not your turn")
        if action != DECLINE:
            verify_action(self.view, action)
        elif not self.may_let_stand:
            raise IllegalChallenge("nobody is asked whether to challenge")
        if self.practice:
            self._before.append(self._kept())
            del self._before[:-_MOST_UNDONE]
        if declines_to_bid(self.view) and action < len(domain(self.rules)):
            self._take(DECLINE)
        self._take(action)

    def undo(self) -> None:
        """Take back the person's last decision. Raise ZhaifeiError if there is none."""
        if not self.can_undo:
            raise ZhaifeiError("there is nothing to take back")
        kept = self._before.pop()
        self.match, self._randoms = kept.match, kept.randoms
        self._actions, self.rounds = kept.actions, kept.rounds
        self._opened, self.trouble = None, None
        self._changed()

    async def let_others_decide(self, ask: Ask, pause: Pause) -> None:
        """Let the others decide until it is the person's turn or the round has ended. If another
        call is doing so already, do nothing."""
        if self._driven:
            return
        self._driven, self.trouble = True, None
        try:
            while not self._closed and self.turn not in (None, self.you):
                await self._one_decides(ask, pause)
        except ZhaifeiError as error:
            self.trouble = error
            self._changed()
        finally:
            self._driven = False

    async def _one_decides(self, ask: Ask, pause: Pause) -> None:
        state, round_ = self._state, self._round
        random = self._randoms[round_.turn]
        before = random.bit_generator.state
        seed = int(random.integers(2**32))
        try:
            action = await ask(round_.view(round_.turn), seed)
            await pause()
        except BaseException:
            random.bit_generator.state = before
            raise
        if state == self._state and not self._closed:  # nothing was taken back meanwhile
            self._take(action)

    # What happens

    @property
    def _round(self) -> Round:
        if self.match.round is None:
            raise ZhaifeiError("the round has ended")
        return self.match.round

    def _take(self, action: int) -> None:
        round_ = self._round
        view, action = round_.view(), round_.taken_as(action)
        round_.take(action)
        self._actions.append(action)
        if self.recorder is not None:
            self.recorder.act(view, action)
        if round_.settlement is not None:
            self._settle(round_, round_.settlement)
        self._changed()

    def _settle(self, round_: Round, settlement: Settlement) -> None:
        hands = round_.hands
        self.match.settle()
        its = played_round(
            self.rules, round_.starter, hands, self._actions, settlement.loser, round_.dice
        )
        self.rounds.append(its)
        counting = tuple(_counting(self.rules, settlement, hand) for hand in hands)
        self._opened = Opened(hands, settlement, counting)
        if self.recorder is not None:
            self.recorder.settle(round_, self.match.score)

    def _kept(self) -> _Before:
        return _Before(
            copy.deepcopy(self.match),
            copy.deepcopy(self._randoms),
            [*self._actions],
            [*self.rounds],
        )

    def _changed(self) -> None:
        self._state += 1
        for listen in [*self.listeners]:
            listen()


def _counting(rules: Rules, settlement: Settlement, hand: Hand) -> frozenset[int]:
    """Return the faces of a hand that count towards the challenged bid."""
    bid = None if settlement.challenge is None else settlement.challenge.bid
    if bid is None or not counted(rules, bid, hand):
        return frozenset()
    return frozenset(counting_faces(rules, bid))


class _Before(NamedTuple):
    """The state before a decision."""

    match: Match
    randoms: list[np.random.Generator]
    actions: list[int]
    rounds: list[PlayedRound]
