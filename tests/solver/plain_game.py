"""The game from the words of the rules, slowly: which actions there are, and what an ending pays.

Nothing here reads `game.bids.ending_of` or an array of a table.
"""

from collections.abc import Sequence
from functools import lru_cache, reduce
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from zhaifei.game.bids import Bid, counted, domain, legal_bids, state_after
from zhaifei.game.hands import hands
from zhaifei.game.parts import GivingUp
from zhaifei.game.rules import Rules

History = tuple[int, ...]
"""Bids and doubles as actions, oldest first."""


class Ended(NamedTuple):
    """What ends a round."""

    claim: Bid
    """The bid that is true or false."""
    loses: tuple[int, int]
    """Who loses if the claim is false, and if it is true: players in turn order from the opener."""
    cost: int


def bids_of(rules: Rules, history: History) -> tuple[Bid, ...]:
    return tuple(domain(rules)[bid] for bid in history)


def mover(rules: Rules, history: History) -> int:
    """The player in turn, from the opener: each bid is answered by the next player. From the first
    double on, the bidder and the player who doubled answer each other."""
    said = bids_of(rules, history)
    plain = len([bid for bid in said if not bid.doubled])
    doubles = len(said) - plain
    return (plain - doubles % 2) % rules.players


def ended(
    rules: Rules, history: History, ending: int, jump_costs: Sequence[int] = ()
) -> Ended | None:
    """What the action numbered `ending` among those that end the bidding does; None if it is not
    allowed. A challenge of the bid made d bids ago costs `jump_costs[d - 1]`, by default what the
    rules say."""
    turn, players, said = len(history), rules.players, bids_of(rules, history)
    if not said:
        return None
    if rules.stakes.doubled:
        doubles = len([*takewhile(lambda bid: bid.doubled > 0, said[::-1])])
        bidder = (turn - doubles - 1) % players
        challenger = (bidder + 1) % players
        stakes = [1, *rules.stakes.doubled][doubles]
        if ending == 0:  # 开: by whoever is in turn, at these stakes
            return Ended(said[-1].claim, (bidder, challenger), stakes)
        if doubles == 0:  # 认输 needs a double
            return None
        gives_up = mover(rules, history)
        half = rules.stakes.giving_up is GivingUp.HALF
        return Ended(said[-1].claim, (gives_up, gives_up), stakes // 2 if half else 1)
    distance = ending + 1
    if distance > (players - 1 if rules.stakes.jump_challenge else 1) or distance > turn:
        return None
    of_jumps = {"distance": distance, "one": 1, "two": 2}[rules.stakes.jump_cost]
    cost = jump_costs[ending] if jump_costs else 1 if distance == 1 else of_jumps
    losers = (turn - distance) % players, turn % players
    return Ended(said[-distance], losers, cost)


@lru_cache(2**16)
def legal_actions(rules: Rules, history: History) -> list[int]:
    """Raises and doubles, then endings: nobody may change the list."""
    bids = domain(rules)
    raises = legal_bids(rules, *state_after(rules, bids_of(rules, history)))
    most = len(bids) + rules.players - 1
    if rules.stakes.doubled:
        most = len(bids) + 1 + (rules.stakes.giving_up is not GivingUp.FORBIDDEN)
    endings = [
        action
        for action in range(len(bids), most)
        if ended(rules, history, action - len(bids)) is not None
    ]
    return [bids.index(bid) for bid in raises] + endings


@lru_cache
def histories(rules: Rules) -> list[History]:
    """Every public history in which nobody has ended the bidding."""
    found: list[History] = [()]
    for history in found:
        actions = legal_actions(rules, history)
        found += [(*history, action) for action in actions if action < len(domain(rules))]
    return found


@lru_cache
def is_true(rules: Rules, claim: Bid) -> np.ndarray:
    """[hand of seat 0, hand of seat 1, ...] whether the claim is true."""
    own = np.array([counted(rules, claim, hand) for hand in hands(rules)])
    return reduce(np.add.outer, [own] * rules.players) >= claim.count


@lru_cache(2**12)
def pays(rules: Rules, end: Ended, seat: int) -> np.ndarray:
    """[hand of seat 0, hand of seat 1, ...] what an ending pays `seat`: nobody may write to it."""
    win = end.cost / (rules.players - 1)
    if_false, if_true = (-float(end.cost) if loser == seat else win for loser in end.loses)
    return np.where(is_true(rules, end.claim), if_true, if_false)
