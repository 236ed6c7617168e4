"""Model a table with real dice, without its page: who sits there, the bids, and who lost.

Seats count from 0, the person's own, in the order of turns. Every tap can be taken back. Dice of
others may stay unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version

from zhaifei.app.web.chosen_rules import ChosenRules
from zhaifei.app.web.games import rules_of
from zhaifei.game.bids import (
    Bid,
    action_of,
    can_bid,
    challenge_action,
    challengeable,
    domain,
    gives_up_action,
    legal_bids,
    mover_of,
    state_after,
)
from zhaifei.game.bids import State as BiddingState
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand, verify_hand, verify_hand_left
from zhaifei.game.legal import can_give_up, verify_giving_up
from zhaifei.game.parts import Mode
from zhaifei.game.public_state import Challenge
from zhaifei.game.rounds import count_dice
from zhaifei.game.rules import Rules
from zhaifei.policies.advice.people import (
    CHARACTERS,
    Character,
    Person,
    learned,
    person_of,
)
from zhaifei.policies.advice.table import TableQuestion
from zhaifei.policies.learning.memory import Shown
from zhaifei.policies.play.played import (
    UNNAMED,
    YOU,
    PlayedMatch,
    PlayedRound,
    played_round,
    score_of,
)

OWN = 0
"""The seat of the person."""
_MOST_STEPS = 500
"""Most taps that can be taken back."""
MOST_ROUNDS = 1000
"""Most rounds that are kept."""


@dataclass(frozen=True)
class State:
    """The state of the table, as tapped."""

    rules: Rules
    starter: int
    dice: tuple[Hand, ...]
    """[seat] the dice tapped so far."""
    told: tuple[Character | None, ...]
    """[seat] the character that the person says each player has; None says nothing. The entry of
    the person's own seat is not used."""
    actions: tuple[int, ...] = ()
    loser: int | None = None
    """The seat that lost, if the person said so."""
    rounds: tuple[PlayedRound, ...] = ()
    """The rounds before this one."""

    @property
    def hands(self) -> tuple[Hand | None, ...]:
        """[seat] the player's dice if all are known, else None."""
        return tuple(
            verify_hand(self.rules, dice) if len(dice) == self.rules.dice else None
            for dice in self.dice
        )

    @property
    def played(self) -> PlayedRound:
        """The round so far. Raise ZhaifeiError if the dice and the loser contradict each other."""
        return played_round(self.rules, self.starter, self.hands, self.actions, self.loser)


class RealTable:
    """A table. Every method changes it completely or, raising ZhaifeiError, not at all."""

    def __init__(self, rules: Rules, starter: int = OWN) -> None:
        none = (None,) * rules.players
        self._state = State(rules, starter, ((),) * rules.players, none)
        _verify_seat(rules, starter)
        self._before: list[State] = []
        self._shown: dict[PlayedRound, tuple[Shown | None, ...]] = {}
        self._known: dict[int, tuple[object, Person]] = {}

    # What is known

    @property
    def state(self) -> State:
        """The state, as tapped."""
        return self._state

    @property
    def rules(self) -> Rules:
        """The rules."""
        return self._state.rules

    @property
    def bids(self) -> tuple[Bid, ...]:
        """The bids of the round, oldest first."""
        challenge = challenge_action(self.rules)
        return tuple(domain(self.rules)[one] for one in self._state.actions if one < challenge)

    @property
    def last(self) -> Bid | None:
        """The last bid."""
        return self.bids[-1] if self.bids else None

    @property
    def bidding(self) -> BiddingState:
        """The state of the bidding."""
        return state_after(self.rules, self.bids)

    @property
    def turn(self) -> int | None:
        """The seat whose turn it is; None once a bid has been challenged."""
        if self.challenged is not None:
            return None
        return self.seat_of(len(self._state.actions))

    def seat_of(self, place: int) -> int:
        """Return the seat that took the action at this place of the round, from 0."""
        mover = mover_of(self.rules, self._state.actions[:place])
        return (self._state.starter + mover) % self.rules.players

    @property
    def hand(self) -> Hand | None:
        """The person's dice, once all are known."""
        return self.hands[OWN]

    @property
    def hands(self) -> tuple[Hand | None, ...]:
        """[seat] the player's dice if all are known, else None."""
        return self._state.hands

    @property
    def played(self) -> PlayedRound:
        """The round so far."""
        return self._state.played

    @property
    def challenged(self) -> Challenge | None:
        """The challenged bid, its bidder and the challenger."""
        return self.played.challenged(self.rules)

    @property
    def loser(self) -> int | None:
        """The seat that lost, by the dice or as the person said."""
        return None if self.challenged is None else self.played.loser

    def counted(self) -> int | None:
        """Return the number of dice that count towards the challenged bid, or None if some are
        unknown."""
        known = [hand for hand in self.hands if hand is not None]
        if self.challenged is None or len(known) < self.rules.players:
            return None
        return count_dice(self.rules, self.challenged.bid, known)

    @property
    def points(self) -> list[int]:
        """[seat] the penalty points of the rounds before this one."""
        return score_of(self.rules, self._state.rounds)

    # What can be tapped

    def can_bid(self, bid: Bid) -> bool:
        """Return whether the player in turn may make `bid`."""
        return self.turn is not None and can_bid(self.rules, bid, *self.bidding)

    @property
    def distances(self) -> range:
        """The distances at which the player in turn may challenge: 1 is the last bid."""
        return challengeable(self.rules, 0 if self.turn is None else len(self.bids))

    @property
    def double(self) -> Bid | None:
        """The double that the player in turn may make (劈, 反劈); None if the player may not."""
        legal = legal_bids(self.rules, *self.bidding) if self.turn is not None else ()
        return legal[-1] if legal and legal[-1].doubled else None

    @property
    def may_give_up(self) -> bool:
        """Whether the player in turn may give up (认输)."""
        return self.turn is not None and can_give_up(self.rules, self.bids)

    def give_up(self) -> None:
        """Give up, for the player in turn."""
        verify_giving_up(self.rules, self.bids)
        self._act(gives_up_action(self.rules))

    def bid(self, bid: Bid) -> None:
        """Bid for the player in turn."""
        self._act(action_of(self.rules, bid))

    def challenge(self, distance: int = 1) -> None:
        """Challenge, for the player in turn, the bid made `distance` bids ago."""
        if distance < 1:
            raise ZhaifeiError("a challenge is of a bid made 1 bid ago, or more")
        self._act(challenge_action(self.rules, distance))

    def _act(self, action: int) -> None:
        its = self._state
        if self.challenged is not None:
            raise ZhaifeiError("the round has ended")
        self.played.state(self.rules).take(action)
        self._change(replace(its, actions=(*its.actions, action)))

    def add_die(self, seat: int, face: int) -> None:
        """Add a known die of a player."""
        _verify_seat(self.rules, seat)
        dice = verify_hand_left(self.rules, (*self._state.dice[seat], face))
        self._set_dice(seat, dice)

    def remove_die(self, seat: int, face: int) -> None:
        """Remove a die of a player; without such a die, do nothing."""
        _verify_seat(self.rules, seat)
        dice = list(self._state.dice[seat])
        if face in dice:
            dice.remove(face)
            self._set_dice(seat, tuple(dice))

    def _set_dice(self, seat: int, dice: Hand) -> None:
        every = list(self._state.dice)
        every[seat] = dice
        self._change_result(replace(self._state, dice=tuple(every)))

    def lost(self, seat: int) -> None:
        """Set the seat that lost."""
        self._change_result(replace(self._state, loser=seat))

    def _change_result(self, changed: State) -> None:
        """Apply a change. Raise ZhaifeiError unless the dice and the loser fit together."""
        _ = changed.played
        self._change(changed)

    def tell(self, seat: int, character: Character | None) -> None:
        """Set how a player bids; None says nothing."""
        _verify_seat(self.rules, seat)
        told = list(self._state.told)
        told[seat] = character
        self._change(replace(self._state, told=tuple(told)))

    def start(self, seat: int) -> None:
        """Let another player start the round, in which nobody has bid yet."""
        _verify_seat(self.rules, seat)
        if self._state.actions:
            raise ZhaifeiError("the round has begun: take its bids back first")
        self._change(replace(self._state, starter=seat))

    def next_round(self) -> None:
        """Keep the round, and let its loser start another."""
        if self.challenged is None:
            raise ZhaifeiError("the round goes on until somebody challenges")
        if self.loser is None:
            raise ZhaifeiError("say who lost, or tap the dice")
        if len(self._state.rounds) >= MOST_ROUNDS:
            raise ZhaifeiError("{rounds} rounds are kept: begin a new table", rounds=MOST_ROUNDS)
        its, none = self._state, ((),) * self.rules.players
        rounds = (*its.rounds, self.played)
        self._change(State(its.rules, self.loser, none, its.told, rounds=rounds))

    @property
    def can_undo(self) -> bool:
        """Whether a tap can be taken back."""
        return bool(self._before)

    def undo(self) -> None:
        """Take the last tap back."""
        if not self._before:
            raise ZhaifeiError("there is nothing to take back")
        self._state = self._before.pop()

    def _change(self, state: State) -> None:
        self._before = [*self._before[-_MOST_STEPS:], self._state]
        self._state = state

    # Who the others are

    def note(self, played: PlayedRound, shown: tuple[Shown | None, ...]) -> None:
        """Keep what a round has shown of each player [seat]."""
        self._shown[played] = shown

    @property
    def not_noted(self) -> tuple[PlayedRound, ...]:
        """The rounds of which it is not kept yet what they have shown."""
        return tuple(one for one in self._state.rounds if one not in self._shown)

    def person(self, seat: int) -> Person:
        """Return what is believed about a player: what the person says, and on top of that what the
        rounds so far have shown."""
        told, rounds = self._state.told[seat], self._state.rounds
        noted = tuple(one for one in rounds if one in self._shown)
        if seat not in self._known or self._known[seat][0] != (told, noted):
            shown = [self._shown[one][seat] for one in noted]
            self._known[seat] = (told, noted), learned(person_of(self.rules, told), shown)
        return self._known[seat][1]

    def question(self) -> TableQuestion | None:
        """Return the question to ask now; None while own dice are missing, or once the round is
        over."""
        if self.hand is None or self.turn is None:
            return None
        people = tuple(self.person(seat) for seat in range(self.rules.players))
        return TableQuestion(self.rules, self._state.starter, self.hand, self.bids, people)

    # Records

    def match(self, names: Sequence[str] | None = None, policy: str | None = None) -> PlayedMatch:
        """Return the match as a record keeps it: the rounds so far, and this one if it has bids."""
        rounds = self._state.rounds + ((self.played,) if self._state.actions else ())
        seats = tuple(names or (YOU, *(UNNAMED,) * (self.rules.players - 1)))
        return PlayedMatch(self.rules, seats, OWN, None, policy, version("zhaifei"), rounds)


@dataclass
class Setup(ChosenRules):
    """The rules and the number of players at a new table, and who starts."""

    players: int = 4
    starter: int = OWN

    def __post_init__(self) -> None:
        self.answers.players = self.players

    def set_players(self, players: int) -> None:
        """Set the number of players."""
        self.players = self.answers.players = players
        self.starter = min(self.starter, players - 1)

    def table(self) -> RealTable:
        """Return the table. Raise ZhaifeiError if the rules are invalid."""
        rules = rules_of(self.game, self.players, self.answers, jump=self.jump_challenge)
        return RealTable(rules, self.starter)


# The grid of bids


@dataclass(frozen=True)
class GridRow:
    """Bids of one mode and one count that stand side by side, by face."""

    mode: Mode
    count: int
    bids: tuple[Bid | None, ...]
    """[face - 1] the bids; None where there is no legal bid."""


ROWS = 4
"""Rows of 飞 that are shown at first, which hold nearly all bids made. 斋 has one row less."""


def bid_grid(rules: Rules, state: BiddingState, rows: int = ROWS) -> tuple[GridRow, ...]:
    """Return the legal bids of the lowest counts: `rows` rows of 飞 and one row less of 斋. A bid
    in these rows takes one tap; other bids first take a tap on the button for more rows."""
    found: list[GridRow] = []
    for mode in rules.bidding.modes:
        its_rows = max(1, rows - (mode is Mode.ZHAI))
        legal = [one for one in legal_bids(rules, *state) if one.mode is mode and not one.doubled]
        for count in sorted({bid.count for bid in legal})[:its_rows]:
            its = {bid.face: bid for bid in legal if bid.count == count}
            faces = range(1, rules.faces + 1)
            found.append(GridRow(mode, count, tuple(its.get(face) for face in faces)))
    return tuple(found)


def has_more(rules: Rules, state: BiddingState, rows: int = ROWS) -> bool:
    """Return whether there are legal bids that a grid of `rows` rows leaves out."""
    return len(bid_grid(rules, state, rows)) < len(bid_grid(rules, state, rules.highest_count + 1))


def next_character(told: Character | None) -> Character | None:
    """Return the character set for a player after one more tap."""
    order = (None, *CHARACTERS)
    return order[(order.index(told) + 1) % len(order)]


def _verify_seat(rules: Rules, seat: int) -> None:
    if not 0 <= seat < rules.players:
        raise ZhaifeiError(
            "there is no seat {seat}: seats are 1 to {players}",
            seat=seat + 1,
            players=rules.players,
        )
