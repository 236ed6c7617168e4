"""What `policies.players.reading` computes, by its definition: every roll written out."""

from itertools import product
from math import prod

from game.bids import Bid, action_of, challenge_action, counts_for, legal_bids
from game.hands import Hand, hands, probabilities
from game.rules import Rules

History = tuple[Bid, ...]


def is_true(rules: Rules, bid: Bid, dice: tuple[int, ...]) -> bool:
    return sum(counts_for(rules, bid, die) for die in dice) >= bid.count


def chance(rules: Rules, bid: Bid, hand: Hand) -> float:
    """The probability that the bid is true, given only the hand."""
    rolls = [*product(range(1, rules.faces + 1), repeat=rules.total_dice - rules.dice)]
    return sum(is_true(rules, bid, (*hand, *roll)) for roll in rolls) / len(rolls)


def likelihood(
    rules: Rules, history: History, bid: Bid, hand: Hand, power: float, floor: float
) -> float:
    """How likely `hand` makes `bid` after `history`."""
    legal = legal_bids(rules, history[-1] if history else None)
    weights = {one: (floor + chance(rules, one, hand)) ** power for one in legal}
    return weights[bid] / sum(weights.values())


def ranges(rules: Rules, history: History, power: float, floor: float) -> list[dict[Hand, float]]:
    """The ranges of the other players, the next one first."""
    found = []
    for ahead in range(1, rules.players):
        seat = (len(history) + ahead) % rules.players
        range_ = {}
        for hand, prior in zip(hands(rules), probabilities(rules).tolist(), strict=True):
            range_[hand] = prior * prod(
                likelihood(rules, history[:place], bid, hand, power, floor)
                for place, bid in enumerate(history)
                if place % rules.players == seat
            )
        total = sum(range_.values())
        found.append({hand: share / total for hand, share in range_.items()})
    return found


def risks(
    rules: Rules, hand: Hand, history: History, others: list[dict[Hand, float]]
) -> dict[int, float]:
    """The risk of each action but the jumps: a bid's that it is false, the challenge's that the
    last bid is true."""

    def true(bid: Bid) -> float:
        return sum(
            prod(share for _, share in held)
            for held in product(*(other.items() for other in others))
            if is_true(rules, bid, (*hand, *(die for one, _ in held for die in one)))
        )

    last = history[-1] if history else None
    found = {action_of(rules, bid): 1.0 - true(bid) for bid in legal_bids(rules, last)}
    if last is not None:
        found[challenge_action(rules)] = true(last)
    return found


def decision(rules: Rules, hand: Hand, history: History, power: float, floor: float) -> int:
    """The action of least risk; of several the first, bids before the challenge."""
    found = risks(rules, hand, history, ranges(rules, history, power, floor))
    return min(found, key=lambda action: (round(found[action], 9), action))
