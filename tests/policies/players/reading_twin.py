"""What `policies.players.reading` computes, by its definition: every roll written out."""

from collections.abc import Callable
from functools import cache
from itertools import product
from math import prod

from game.bids import Bid, action_of, challenge_action, counts_for, legal_bids
from game.hands import Hand, hands, probabilities
from game.rules import Rules

History = tuple[Bid, ...]
Likelihood = Callable[[History, Bid, Hand], float]
"""How likely a hand makes a bid after a history."""


def is_true(rules: Rules, bid: Bid, dice: tuple[int, ...]) -> bool:
    return sum(counts_for(rules, bid, die) for die in dice) >= bid.count


@cache
def chance(rules: Rules, bid: Bid, hand: Hand) -> float:
    """The probability that the bid is true, given only the hand."""
    rolls = [*product(range(1, rules.faces + 1), repeat=rules.total_dice - rules.dice)]
    return sum(is_true(rules, bid, (*hand, *roll)) for roll in rolls) / len(rolls)


def plausible(rules: Rules, power: float, floor: float) -> Likelihood:
    """How likely a hand makes a bid by plausible bidding."""

    def likelihood(history: History, bid: Bid, hand: Hand) -> float:
        legal = legal_bids(rules, history[-1] if history else None)
        weights = {one: (floor + chance(rules, one, hand)) ** power for one in legal}
        return weights[bid] / sum(weights.values())

    return likelihood


def ranges(rules: Rules, history: History, likelihood: Likelihood) -> list[dict[Hand, float]]:
    """The ranges of the other players, the next one first."""
    found = []
    for ahead in range(1, rules.players):
        seat = (len(history) + ahead) % rules.players
        range_ = {}
        for hand, prior in zip(hands(rules), probabilities(rules).tolist(), strict=True):
            range_[hand] = prior * prod(
                likelihood(history[:place], bid, hand)
                for place, bid in enumerate(history)
                if place % rules.players == seat
            )
        total = sum(range_.values())
        found.append({hand: share / total for hand, share in range_.items()})
    return found


def true(rules: Rules, bid: Bid, hand: Hand, others: list[dict[Hand, float]]) -> float:
    """The probability that the bid is true, given the hand and the others' ranges."""
    return sum(
        prod(share for _, share in held)
        for held in product(*(other.items() for other in others))
        if is_true(rules, bid, (*hand, *(die for one, _ in held for die in one)))
    )


def risks(
    rules: Rules, hand: Hand, history: History, others: list[dict[Hand, float]]
) -> dict[int, float]:
    """The risk of each action but the jumps: a bid's that it is false, the challenge's that the
    last bid is true."""
    last = history[-1] if history else None
    found = {
        action_of(rules, bid): 1.0 - true(rules, bid, hand, others)
        for bid in legal_bids(rules, last)
    }
    if last is not None:
        found[challenge_action(rules)] = true(rules, last, hand, others)
    return found


def decision(rules: Rules, hand: Hand, history: History, likelihood: Likelihood) -> int:
    """The action of least risk; of several the first, bids before the challenge."""
    found = risks(rules, hand, history, ranges(rules, history, likelihood))
    return min(found, key=lambda action: (round(found[action], 9), action))
