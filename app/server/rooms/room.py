"""A room: who sits where, the match that they play, and what each of them may do."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import Literal, NamedTuple, get_args

import numpy as np

from zhaifei.app.pocket.rules_tables import PLAYERS
from zhaifei.app.server.rooms.numbered import from_page
from zhaifei.game.bids import action_count
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand
from zhaifei.game.match import Match
from zhaifei.game.public_state import DECLINE
from zhaifei.game.rounds import Round, Settlement
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.names import LEARN
from zhaifei.policies.play.seeds import drawn_seed

LONGEST_NAME = 16
"""Characters of a person's name."""
MOST_POINTS = 100
"""The highest goal, in penalty points or rounds."""
PROGRAM = ("policy", "conservative", "aggressive", "reader", "honest", "probabilistic")
"""The players that take empty seats, in this order; the first is the strongest for the rules."""
LEARNER = f"{PROGRAM[0]}{LEARN}"
"""The player in empty seats who learns from round to round how everybody plays."""
Company = Literal["mixed", "learning"]
"""Who takes empty seats: the players of PROGRAM in turn, or LEARNER in each."""
COMPANIES: tuple[Company, ...] = get_args(Company)
"""All of them, the usual one first."""
_LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Letters and digits that nobody confuses."""
_CODE = 6
"""Letters of a code: 900 million codes."""


class Goal(NamedTuple):
    """When a match is over: somebody has that number of points, or that number of rounds is
    played. Where dice are lost, the last player with dice wins, and the number is 0."""

    kind: Literal["points", "rounds", "dice"]
    number: int


@dataclass
class Seat:
    """A seat: empty, a person's or the program's."""

    name: str = ""
    """The name of the person; empty if no person sits here."""
    proof: str = ""
    """The hash of the person's secret."""
    player: str = ""
    """The name of the program's player, if one sits here."""
    away: bool = False
    """Whether the program decides for the person, until the person returns."""
    ready: bool = False
    """Whether the person has seen how the round ended."""

    @property
    def is_person(self) -> bool:
        """Whether a person sits here."""
        return bool(self.name)

    @property
    def decider(self) -> str | None:
        """The program's player who decides here; None if the person does."""
        if self.is_person:
            return PROGRAM[0] if self.away else None
        return self.player or PROGRAM[0]


class Ended(NamedTuple):
    """A round that has ended, with all dice."""

    starter: int
    hands: tuple[Hand, ...]
    """[seat] the dice, ascending."""
    actions: tuple[int, ...]
    """What was done, as `game.bids` numbers it; the last action ended the round."""
    stood_in: tuple[int, ...]
    """The places of the actions that the program took for people who were away."""
    settlement: Settlement


@dataclass
class Room:
    """A table for several people. Each method verifies first, and changes nothing if it raises."""

    code: str
    """The code by which people find the room."""
    rules: Rules
    goal: Goal
    seats: list[Seat] = field(default_factory=list)
    """[seat] who sits there. The first person is the host."""
    company: Company = "mixed"
    """Who takes empty seats. Whoever makes the room verifies that such players exist."""
    match: Match | None = None
    """The match; None until the host starts it."""
    learning: int = 0
    """The seed of the match from which the random numbers of learners follow; nobody is told."""
    begun: str = ""
    """When the match began, in ISO format."""
    actions: list[int] = field(default_factory=list)
    """What was done in the round in progress."""
    stood_in: list[int] = field(default_factory=list)
    """The places of those actions that the program took for people who are away."""
    ended: list[Ended] = field(default_factory=list)
    """The rounds of the match that have ended, oldest first."""
    version: int = 0
    """Grows with each change."""
    hurries: bool = False
    """Whether the program plays on to the end of the match without pauses."""

    def __post_init__(self) -> None:
        verify_goal(self.rules, self.goal)
        verify_company(self.company)
        self.seats = self.seats or [Seat() for _ in range(self.rules.players)]

    # Who is where

    @property
    def people(self) -> list[int]:
        """The seats of people."""
        return [seat for seat, its in enumerate(self.seats) if its.is_person]

    @property
    def host(self) -> int | None:
        """The seat of the person who starts matches; None if all people have left."""
        return next(iter(self.people), None)

    def seat_of(self, secret: str) -> int | None:
        """Return the seat of the person with this secret, or None."""
        proof = proof_of(secret)
        for seat in self.people:
            if secrets.compare_digest(self.seats[seat].proof, proof):
                return seat
        return None

    def join(self, name: str) -> str:
        """Give a person the first empty seat, and return the person's secret. Raise ZhaifeiError if
        there is no such seat or the name cannot be taken."""
        name = verify_name(name)
        if any(one.name == name for one in self.seats):
            raise ZhaifeiError("somebody here is called {name} already", name=name)
        if self.match is not None:
            raise ZhaifeiError("the match has begun: ask for the next one")
        seat = next((one for one in self.seats if not one.is_person), None)
        if seat is None:
            raise ZhaifeiError("all seats are taken")
        secret = secrets.token_urlsafe(24)
        seat.name, seat.proof = name, proof_of(secret)
        return secret

    def leave(self, seat: int) -> None:
        """Empty a person's seat; in a match the program takes it."""
        player = "" if self.match is None else PROGRAM[0]
        self.seats[seat] = Seat(player=player)
        self._deal_if_ready(self.people)

    def stand_in(self, seat: int, present: Collection[int]) -> None:
        """Let the program decide for the person in `seat` until that person returns. Raise
        ZhaifeiError if no person sits there, or the person is among the seats `present`."""
        if not 0 <= seat < len(self.seats) or not self.seats[seat].is_person:
            raise ZhaifeiError("nobody is missing there")
        if seat in present:
            raise ZhaifeiError("{name} is at the table", name=self.seats[seat].name)
        self.seats[seat].away = True

    def come_back(self, seat: int) -> None:
        """Let the person in `seat` decide again."""
        self.seats[seat].away = False

    # The match

    @property
    def may_hurry(self) -> bool:
        """Whether nobody has to watch the rest of the match: no person has dice left."""
        if self.match is None or self.is_over or not self.rules.loses_dice:
            return False
        return not any(self.match.dice[seat] for seat in self.people)

    @property
    def round(self) -> Round | None:
        """The round in progress, or None."""
        return None if self.match is None else self.match.round

    @property
    def is_over(self) -> bool:
        """Whether the match has reached its goal."""
        if self.match is None or self.match.round is not None:
            return False
        return reached(self.goal, self.match)

    @property
    def step(self) -> int:
        """The number of actions so far, by which an action that comes too late is noticed."""
        return len(self.actions) + sum(len(one.actions) for one in self.ended)

    @property
    def deciding(self) -> int | None:
        """The seat of the program that decides now; None if a person does or nobody."""
        turn = None if self.round is None else self.round.turn
        return None if turn is None or self.seats[turn].decider is None else turn

    def start(self, seat: int) -> None:
        """Seat the program in the empty seats and begin a match. Raise ZhaifeiError unless the host
        asks, between matches."""
        if seat != self.host:
            raise ZhaifeiError("only {name} can start", name=self.seats[self.host or 0].name)
        if self.match is not None and not self.is_over:
            raise ZhaifeiError("the match has begun already")
        empty = [one for one in self.seats if not one.is_person]
        company = (LEARNER,) if self.company == "learning" else PROGRAM
        for place, one in enumerate(empty):
            one.player = company[place % len(company)]
        self.match, self.learning = Match(self.rules, fresh_random()), drawn_seed()
        self.begun = datetime.now(UTC).isoformat(timespec="milliseconds")
        self.hurries = False
        self.ended.clear()
        self._deal()

    def act(self, seat: int, action: int, step: int) -> None:
        """Take an action for the player in `seat` at this `step`. Raise ZhaifeiError if the table
        has moved on, if another player is in turn, or if the action is illegal."""
        if self.round is None or step != self.step:
            raise ZhaifeiError("the table has moved on")
        if seat != self.round.turn:
            raise ZhaifeiError("it is not your turn")
        if not DECLINE <= action < action_count(self.rules):
            raise ZhaifeiError("there is no action {action}", action=action)
        self._take(self.round, action)

    def act_on_page(self, seat: int, number: int, step: int) -> None:
        """Take the action that the page calls by this number, as `act` does."""
        if self.round is None:
            raise ZhaifeiError("the table has moved on")
        for later, action in enumerate(from_page(self.round, number)):
            self.act(seat, action, step + later)

    def get_ready(self, seat: int, present: Collection[int], step: int) -> None:
        """Note that the person in `seat` has seen how the round ended at this `step`. Once nobody
        is waited for, deal the next one. If it was dealt meanwhile, do nothing: that is what was
        asked for. Raise ZhaifeiError before a round has ended and after the match."""
        if not self.ended or self.is_over or step > self.step:
            raise ZhaifeiError("no round has ended")
        if step < self.step or self.round is not None:
            return
        self.seats[seat].ready = True
        self._deal_if_ready(present)

    def hurry(self) -> None:
        """Let the program play on to the end of the match without pauses. Raise ZhaifeiError while
        a person plays on, and after the match."""
        if not self.may_hurry:
            raise ZhaifeiError("only a match in which all people are out can be skipped")
        self.hurries = True
        if self.round is None:
            self._deal()

    def waited_for(self, present: Collection[int]) -> list[int]:
        """Return the seats of people who have to say that they have seen how the round ended: of
        those `present` the ones who play on, or all of them if nobody does."""
        if self.match is None or self.match.round is not None or self.is_over:
            return []
        return [seat for seat in self._asked(present) if not self.seats[seat].ready]

    def _asked(self, present: Collection[int]) -> list[int]:
        assert self.match is not None, "a match has begun"
        here, dice = [seat for seat in self.people if seat in present], self.match.dice
        return [seat for seat in here if dice[seat]] or here

    def _deal_if_ready(self, present: Collection[int]) -> None:
        between = self.match is not None and self.match.round is None and not self.is_over
        if between and self._asked(present) and not self.waited_for(present):
            self._deal()

    def _deal(self) -> None:
        assert self.match is not None, "a match has begun"
        for seat in self.seats:
            seat.ready = False
        self._clear()
        self.match.deal()

    def _clear(self) -> None:
        self.actions.clear()
        self.stood_in.clear()

    def _take(self, round_: Round, action: int) -> None:
        assert self.match is not None, "a round is in progress"
        is_away = self.seats[round_.turn].away
        round_.take(action)
        if is_away:
            self.stood_in.append(len(self.actions))
        self.actions.append(action)
        if round_.is_over:
            settlement = self.match.settle()
            done, stood_in = tuple(self.actions), tuple(self.stood_in)
            self.ended.append(Ended(round_.starter, round_.hands, done, stood_in, settlement))
            self._clear()
            if self.hurries and not self.is_over:
                self._deal()


def new_code() -> str:
    """Return a code that nobody can guess in a few attempts."""
    return "".join(secrets.choice(_LETTERS) for _ in range(_CODE))


def proof_of(secret: str) -> str:
    """Return the hash of a secret, which is kept in its place."""
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


def fresh_random() -> np.random.Generator:
    """Return a generator whose numbers nobody can guess."""
    return np.random.default_rng(drawn_seed())


def verify_name(name: str) -> str:
    """Return a name without characters that are not seen. Raise ZhaifeiError if nothing is left or
    the name is too long."""
    seen = unicodedata.normalize("NFC", name)
    seen = "".join(one for one in seen if one.isprintable()).strip()
    if not 1 <= len(seen) <= LONGEST_NAME:
        raise ZhaifeiError("a name has 1 to {most} characters", most=LONGEST_NAME)
    return seen


def reached(goal: Goal, match: Match) -> bool:
    """Return whether a match, between two rounds, has reached its goal."""
    if goal.kind == "rounds":
        return match.played >= goal.number
    if goal.kind == "points":
        return max(match.score) >= goal.number
    return match.is_over


def verify_goal(rules: Rules, goal: Goal) -> None:
    """Raise ZhaifeiError unless matches by these rules can have this goal."""
    if rules.players not in PLAYERS:
        raise ZhaifeiError("a room has 2 to 8 seats, not {players}", players=rules.players)
    kinds = ["dice"] if rules.loses_dice else ["points", "rounds"]
    if goal.kind not in kinds:
        raise ZhaifeiError(
            "the goal is {kinds}, not {kind}", kinds=" / ".join(kinds), kind=goal.kind
        )
    if goal.kind != "dice" and not 1 <= goal.number <= MOST_POINTS:
        raise ZhaifeiError("the goal is a number from 1 to {most}", most=MOST_POINTS)


def verify_company(company: str) -> None:
    """Raise ZhaifeiError unless rooms know who these are that take empty seats."""
    if company not in COMPANIES:
        raise ZhaifeiError(
            "the empty seats are {companies}, not {company!r}",
            companies=" / ".join(COMPANIES),
            company=company,
        )
