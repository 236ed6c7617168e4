"""Rounds and matches as records keep them. Some of their dice may be unknown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from zhaifei.game.bids import Bid, action_of, challenge_action, domain
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand
from zhaifei.game.match import Standing, next_starter, standings
from zhaifei.game.positions import rules_of_round
from zhaifei.game.public_state import DECLINE, Challenge, PublicState
from zhaifei.game.rounds import Round, count_dice, verify_opening
from zhaifei.game.rules import Rules
from zhaifei.game.stakes import (
    dice_at,
    first_score,
    full_dice,
    score_after,
    score_before,
)

YOU = "you"
"""The name of the person's seat."""
UNNAMED = "?"
"""The name of a seat whose player is unknown."""


@dataclass(frozen=True)
class PlayedRound:
    """A recorded round, from the roll to the challenge or as far as it went."""

    starter: int
    """The seat that began, from 0."""
    dice: tuple[int, ...]
    """[seat] the numbers of dice; 0 for players who are out."""
    hands: tuple[Hand | None, ...]
    """[seat] the dice; None if they are unknown, empty for players who are out."""
    actions: tuple[int, ...]
    """What was done, as `game.public_state.PublicState.take` numbers it."""
    losses: tuple[int, ...] | None
    """[seat] what the round cost, in penalty points or dice. None if it did not end, or if the
    known dice do not determine the loser and nobody named one."""

    @property
    def loser(self) -> int | None:
        """The seat that lost; None if the loser is unknown or the round did not end."""
        return None if self.losses is None else self.losses.index(max(self.losses))

    @property
    def cost(self) -> int:
        """The penalty points or dice that the loser lost; 0 if the loser is unknown or the round
        did not end."""
        return 0 if self.losses is None else max(self.losses)

    def begun(self, rules: Rules) -> PublicState:
        """Return the public state before the first action."""
        return PublicState(rules, self.dice, self.starter)

    def state(self, rules: Rules) -> PublicState:
        """Return the public state after all actions."""
        state = self.begun(rules)
        for action in self.actions:
            state.take(action)
        return state

    def steps(self, rules: Rules) -> Iterator[tuple[PublicState, int]]:
        """Yield each action after the public state in which it was taken. The state changes with
        the next step."""
        state = self.begun(rules)
        for action in self.actions:
            yield state, action
            state.take(action)

    def bids(self, rules: Rules) -> tuple[Bid, ...]:
        """Return the bids, oldest first."""
        bids = domain(rules)
        return tuple(bids[one] for one in self.actions if 0 <= one < len(bids))

    def decisions(self, rules: Rules, seat: int) -> list[tuple[tuple[Bid, ...], int]]:
        """Return the decisions of a seat, oldest first: the bids before each, and its action. A
        player who is asked, declines and then bids takes one decision, the bid; the bid that the
        dice make is no decision."""
        return [
            (state.history, action)
            for state, action in self.steps(rules)
            if state.turn == seat
            and not (action == DECLINE and len(state.seats) == 2)
            and not (rules.bidding.forced_opening and not state.history)
        ]

    def challenged(self, rules: Rules) -> Challenge | None:
        """Return the challenge; None if the round did not end, or without a bid."""
        return self.state(rules).challenged

    def winner(self, rules: Rules) -> int | None:
        """Return the seat that won the challenge or, without a challenge, the player after the
        loser; None if the loser is unknown or the round did not end."""
        if self.loser is None:
            return None
        state = self.state(rules)
        if state.challenged is None:
            return state.bidder(1)
        bidder = state.challenged.bidder
        return state.challenged.challenger if self.loser == bidder else bidder

    def is_over(self, rules: Rules) -> bool:
        """Return whether the round was played to its end."""
        return self.state(rules).is_over

    def replayed(self, rules: Rules) -> Round | None:
        """Return the round in its last state; None if some dice are unknown."""
        hands = [hand for hand in self.hands if hand is not None]
        if len(hands) < len(self.hands):
            return None
        round_ = Round(rules, hands, self.starter)
        for action in self.actions[len(round_.history) :]:
            round_.take(action)
        return round_


@dataclass(frozen=True)
class PlayedMatch:
    """A recorded match."""

    rules: Rules
    seats: tuple[str, ...]
    """[seat] the names as `play` shows them; YOU for the person, UNNAMED for an unknown player."""
    you: int | None
    """The seat of the person, from 0; None if no person played."""
    seed: int | None
    policy: str | None
    """The name or the file of the policy that played or gave the hints."""
    version: str
    """The version of zhaifei."""
    rounds: tuple[PlayedRound, ...]

    @property
    def score(self) -> list[int]:
        """[seat] the penalty points, or the dice left, as far as they are known."""
        return score_of(self.rules, self.rounds)

    def standings(self) -> list[Standing]:
        """Return the ranking of all players, best first, as far as it is known."""
        return ranking_of(self.rules, self.rounds)


def for_points(rules: Rules, played: PlayedRound) -> tuple[Rules, PlayedRound]:
    """Return a round, and its rules, as a game for penalty points. Where dice are lost, it is the
    round for one point of `game.positions.round_rules`: nobody is asked out of turn, and what
    forfeits after a bid challenges it. Raise RulesError if the round is not such a game."""
    state = played.state(rules)
    own = rules_of_round(rules, [played.dice[seat] for seat in state.seats])
    if own == rules:
        return rules, played
    actions = [action_of(own, bid) for bid in state.history]
    if state.challenged is not None:
        actions.append(challenge_action(own, state.challenged.cost))
    loser = played.loser if state.challenged is not None else None
    return own, played_round(own, played.starter, played.hands, actions, loser)


def score_of(rules: Rules, rounds: Iterable[PlayedRound]) -> list[int]:
    """Return [seat] the penalty points, or the dice left, after these rounds, as far as they are
    known."""
    score = first_score(rules)
    for played in rounds:
        score = score_before(rules, score, played.dice)
        if played.loser is not None:
            score = score_after(rules, score, played.loser, played.cost)
    return score


def starter_after(rules: Rules, played: PlayedRound) -> int | None:
    """Return the seat that starts the round after `played`; None if it is unknown who lost."""
    loser, winner = played.loser, played.winner(rules)
    if loser is None or winner is None:
        return None
    dice = dice_at(rules, score_of(rules, [played]), played.starter)
    return next_starter(rules, dice, loser, winner)


def dice_after(rules: Rules, played: PlayedRound, starter: int) -> tuple[int, ...] | None:
    """Return [seat] the numbers of dice of the round that `starter` opens after `played`; None if
    they depend on who lost and nobody knows it."""
    challenge = played.challenged(rules)
    score = score_of(rules, [played])
    scores = [score]
    if played.loser is None and challenge is not None:
        losers = challenge.bidder, challenge.challenger
        scores = [score_after(rules, score, loser, challenge.cost) for loser in losers]
    found = {dice_at(rules, one, starter) for one in scores}
    return found.pop() if len(found) == 1 else None


def ranking_of(rules: Rules, rounds: Sequence[PlayedRound]) -> list[Standing]:
    """Return the ranking of all players after these rounds, best first, as far as it is known."""
    losers = [played.loser for played in rounds if played.loser is not None]
    return standings(rules, score_of(rules, rounds), losers)


def played_round(
    rules: Rules,
    starter: int,
    hands: Sequence[Hand | None],
    actions: Sequence[int],
    loser: int | None = None,
    dice: Sequence[int] = (),
) -> PlayedRound:
    """Return a round with these legal actions, and with its losses if the loser is known: from the
    known dice, or as the given `loser`. `hands` is [seat], and so is `dice`, the numbers of dice,
    by default those of the rules. Raise ZhaifeiError if `loser` cannot have lost."""
    state = PublicState(rules, tuple(dice) or full_dice(rules, starter), starter)
    for action in actions:
        state.take(action)
    return round_after(state, hands, actions, loser)


def round_after(
    state: PublicState,
    hands: Sequence[Hand | None],
    actions: Sequence[int],
    loser: int | None = None,
) -> PlayedRound:
    """Return the round whose `actions` led to this public state, as `played_round` does."""
    rules, left = state.rules, state.dice
    hands = tuple(() if number == 0 else hand for number, hand in zip(left, hands, strict=True))
    _verify_opening(state, hands)
    played = PlayedRound(state.starter, left, hands, tuple(actions), None)
    if not state.is_over:
        if loser is not None:
            raise ZhaifeiError("nobody has lost yet: the last bid has not been challenged")
        return played
    lost = _loser_by_dice(rules, state, hands)
    if loser is not None:
        _verify_loser(state, lost, loser)
    loser = lost if loser is None else loser
    if loser is None:
        return played
    cost = 1 if state.challenged is None else state.challenged.cost
    return replace(played, losses=tuple(cost * (seat == loser) for seat in range(rules.players)))


def _verify_opening(state: PublicState, hands: Sequence[Hand | None]) -> None:
    """Raise IllegalBid if the known dice of the starter make another first bid."""
    hand = hands[state.starter]
    if state.rules.bidding.forced_opening and state.history and hand is not None:
        verify_opening(state.rules, hand, state.history[0])


def _verify_loser(state: PublicState, lost: int | None, loser: int) -> None:
    """Raise ZhaifeiError unless `loser` may have lost; by the dice, the seat `lost` has (None: the
    known dice do not tell)."""
    challenge = state.challenged
    if challenge is not None and loser not in (challenge.challenger, challenge.bidder):
        raise ZhaifeiError(
            "seat {seat} cannot have lost: seat {challenger} challenged a bid of seat {bidder}",
            seat=loser + 1,
            challenger=challenge.challenger + 1,
            bidder=challenge.bidder + 1,
        )
    if challenge is not None and challenge.given_up_by not in (None, loser):
        raise ZhaifeiError("seat {seat} cannot have lost: the other player gave up", seat=loser + 1)
    if lost not in (None, loser):
        raise ZhaifeiError(
            "seat {seat} cannot have lost: the dice show that the other player did", seat=loser + 1
        )


def _loser_by_dice(rules: Rules, state: PublicState, hands: Sequence[Hand | None]) -> int | None:
    """Return the seat that lost; None if the known dice do not determine it."""
    challenge = state.challenged
    if challenge is None:
        return state.forfeiter
    if challenge.given_up_by is not None:
        return challenge.given_up_by
    known = [hand for hand in hands if hand is not None]
    counted = count_dice(rules, challenge.bid, known)
    if counted >= challenge.bid.count:
        return challenge.challenger
    more = rules.most_counted - rules.dice
    unknown = sum(
        number + more for number, hand in zip(state.dice, hands, strict=True) if hand is None
    )
    return challenge.bidder if counted + unknown < challenge.bid.count else None
