"""What `policies.players.reading`, `kinds` and `doubting` compute, by their definitions: every roll
written out."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import product
from math import prod

from zhaifei.game.bids import Bid, action_of, challenge_action, counts_for, legal_bids
from zhaifei.game.hands import Hand, hands, probabilities
from zhaifei.game.rules import Rules
from zhaifei.policies.players.kinds import LIMIT_SHARES, LIMITS, NOISE, SHARES
from zhaifei.policies.players.manners import BOLD, FLAT, LIKELY, SHARP
from zhaifei.policies.players.reading import FLOOR, POWER
from zhaifei.policies.players.styles import SLIP, STOP

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


def mover(rules: Rules, history: History) -> int:
    """The player in turn: after a double it is one of the two whom it concerns."""
    doubles = len([bid for bid in history if bid.doubled])
    return (len(history) - doubles - doubles % 2) % rules.players


def ranges(rules: Rules, history: History, likelihood: Likelihood) -> list[dict[Hand, float]]:
    """The ranges of the other players, the next one first."""
    found = []
    for ahead in range(1, rules.players):
        range_ = {}
        for hand, prior in zip(hands(rules), probabilities(rules).tolist(), strict=True):
            range_[hand] = prior * prod(
                likelihood(history[:place], bid, hand)
                for place, bid in enumerate(history)
                if place in places_of(rules, history, ahead)
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


# Players of several kinds

Limits = tuple[float, ...]
"""By limit: a probability, or a weight in proportion to it."""
Styles = Callable[[Rules, History, Bid, Hand], tuple[float, ...]]
"""How likely each style makes a bid after a history with a hand."""


def places_of(rules: Rules, history: History, ahead: int) -> list[int]:
    """The places of the bids by the player who sits `ahead` of the one to move."""
    seat = (mover(rules, history) + ahead) % rules.players
    return [place for place in range(len(history)) if mover(rules, history[:place]) == seat]


def weakest(chosen: Sequence[Bid], legal: Sequence[Bid], bid: Bid) -> float:
    """How likely a player who makes one of the weakest of the `chosen` raises makes this one."""
    among = chosen or legal
    weights = [(1.0 - STOP) ** weaker for weaker in range(len(among))]
    climbs = weights[among.index(bid)] / sum(weights) if bid in among else 0.0
    return (1.0 - SLIP) * climbs + SLIP / len(legal)


def styles(rules: Rules, history: History, bid: Bid, hand: Hand) -> tuple[float, ...]:
    """How likely each style makes a bid: plausible, climbs, stays."""
    bids_plausibly = plausible(rules, POWER, FLOOR)(history, bid, hand)
    last = history[-1] if history else None
    legal = legal_bids(rules, last)
    stays = bids_plausibly
    if last is not None:
        stays = weakest([one for one in legal if one.face == last.face], legal, bid)
    return bids_plausibly, weakest(legal, legal, bid), stays


def challenged(rules: Rules, bid: Bid, hand: Hand) -> Limits:
    """How likely a player of each limit challenges a bid."""
    true = chance(rules, bid, hand)
    return tuple(1.0 - NOISE if true < limit else NOISE for limit in LIMITS)


def raised(rules: Rules, history: History, hand: Hand) -> Limits:
    """How likely a player of each limit does not challenge the last bid."""
    if not history:
        return (1.0,) * len(LIMITS)
    return tuple(1.0 - one for one in challenged(rules, history[-1], hand))


def manners(rules: Rules, history: History, bid: Bid, hand: Hand) -> tuple[float, ...]:
    """How likely each style makes a bid: those of `styles`, then sharp, flat, bluffs, careful and
    bold."""
    legal = [*legal_bids(rules, history[-1] if history else None)]

    def first(least: float, order: Sequence[Bid]) -> float:
        usual = plausible(rules, POWER, FLOOR)(history, bid, hand)
        enough = [one for one in order if chance(rules, one, hand) >= least]
        if not enough:
            return usual
        shares = [(1.0 - STOP) ** number for number in range(len(enough))]
        share = shares[enough.index(bid)] / sum(shares) if bid in enough else 0.0
        return (1.0 - SLIP) * share + SLIP * usual

    return (
        *styles(rules, history, bid, hand),
        plausible(rules, SHARP, FLOOR)(history, bid, hand),
        plausible(rules, FLAT, FLOOR)(history, bid, hand),
        with_any_hand(rules, history, bid),
        first(LIKELY, legal),
        first(BOLD, legal[::-1]),
    )


def with_any_hand(rules: Rules, history: History, bid: Bid) -> float:
    """How likely a bid is by plausible bidding, on average over all hands."""
    likely = plausible(rules, POWER, FLOOR)
    every = zip(probabilities(rules).tolist(), hands(rules), strict=True)
    return sum(prior * likely(history, bid, hand) for prior, hand in every)


def kinds(
    rules: Rules,
    history: History,
    places: Iterable[int],
    shares: Sequence[float] = SHARES,
    styles: Styles = styles,
) -> dict[Hand, Limits]:
    """The prior times the likelihood of the bids at these places, by hand and limit."""
    found = {}
    for hand, prior in zip(hands(rules), probabilities(rules).tolist(), strict=True):
        style, limit = list(shares), list(LIMIT_SHARES)
        for place in places:
            before, bid = history[:place], history[place]
            style = [a * b for a, b in zip(style, styles(rules, before, bid, hand), strict=True)]
            limit = [a * b for a, b in zip(limit, raised(rules, before, hand), strict=True)]
        found[hand] = tuple(prior * sum(style) * one for one in limit)
    return found


def normalised(weights: dict[Hand, Limits]) -> dict[Hand, Limits]:
    """The same, divided by their sum."""
    total = sum(map(sum, weights.values()))
    return {hand: tuple(one / total for one in limits) for hand, limits in weights.items()}


def doubting_ranges(rules: Rules, history: History) -> list[dict[Hand, Limits]]:
    """By hand and limit, what is known of the other players, the next one first."""
    return [
        normalised(kinds(rules, history, places_of(rules, history, ahead)))
        for ahead in range(1, rules.players)
    ]


def doubting_decision(rules: Rules, hand: Hand, history: History) -> int:
    """The action of least risk among players of several kinds."""
    known = doubting_ranges(rules, history)
    others = [{one: sum(limits) for one, limits in other.items()} for other in known]
    found = risks(rules, hand, history, others)
    if rules.players > 2:
        for bid in legal_bids(rules, history[-1] if history else None):
            found[action_of(rules, bid)] = _challenged_and_false(rules, bid, hand, known)
    return min(found, key=lambda action: (round(found[action], 9), action))


def _challenged_and_false(
    rules: Rules, bid: Bid, hand: Hand, known: list[dict[Hand, Limits]]
) -> float:
    """The probability that the next player challenges a raise, and that it is false."""
    found = 0.0
    for dealt in product(*(other.items() for other in known)):
        if is_true(rules, bid, (*hand, *(die for one, _ in dealt for die in one))):
            continue
        (its, limits), *others = dealt
        challenges = zip(limits, challenged(rules, bid, its), strict=True)
        found += sum(a * b for a, b in challenges) * prod(sum(one) for _, one in others)
    return found
