"""Small policies that read where others do not seem to play the table, and what they know by its
definition: every hand and every roll written out."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import prod
from typing import NamedTuple

from tests.policies.players import reading_twin as twin
from tests.policies.small_policies import every_other_node, random_policy
from zhaifei.game.bids import Bid, action_of, challenge_action, legal_bids
from zhaifei.game.hands import Hand, hand_index, hands, probabilities
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules
from zhaifei.policies.players.kinds import LIMIT_SHARES
from zhaifei.policies.players.manners import SHARES
from zhaifei.policies.players.reading import FLOOR, POWER
from zhaifei.policies.players.reading_policy import OWN, TIMES, ReadingPolicy
from zhaifei.policies.players.table_reading import FOLLOWS, SURPRISE
from zhaifei.solver.tables.strategy_table import NO_NODE, node_of

VARIANTS = (
    Rules.of(players=3, dice=1, faces=2),
    Rules.of(players=3, dice=1, faces=2, jump_challenge=True),
    Rules.of(players=4, dice=1, faces=2, modes=(Mode.ZHAI,)),
    Rules.of(players=3, dice=1, faces=3, modes=(Mode.FEI,), doubled=(2,)),
)

History = tuple[Bid, ...]


def policy_for(rules: Rules) -> ReadingPolicy:
    """A table without every other history."""
    return ReadingPolicy(every_other_node(random_policy(rules)))


class Kind(NamedTuple):
    """The probability of a hand, together with what its holder does."""

    follows: float
    limits: twin.Limits
    """By limit, if the holder does not follow the table."""

    @property
    def both(self) -> float:
        return self.follows + sum(self.limits)


class Known:
    """What the player to move knows after a history."""

    def __init__(self, policy: ReadingPolicy, history: Sequence[Bid]) -> None:
        self.policy, self.rules, self.history = policy, policy.rules, tuple(history)
        self._plausible = twin.plausible(policy.rules, POWER, FLOOR)
        self.others = [self._other(ahead) for ahead in range(1, self.rules.players)]
        """The others by hand, the next one first; each adds up to 1."""

    def _stored(self, history: History) -> bool:
        bids = self.policy.plain.actions(history)
        return node_of(self.policy.plain.table, bids, bids.size) != NO_NODE

    def _played(self, hand: Hand, history: History, action: int) -> float:
        return float(self.policy.plain.strategy(history)[hand_index(self.rules, hand), action])

    def _places(self, ahead: int) -> list[int]:
        return twin.places_of(self.rules, self.history, ahead)

    def _weights(self, ahead: int) -> dict[Hand, Kind]:
        """The prior times both likelihoods of the bids, by hand."""
        found, places = {}, self._places(ahead)
        kinds = twin.kinds(self.rules, self.history, places, SHARES, twin.manners)
        for hand, prior in zip(hands(self.rules), probabilities(self.rules).tolist(), strict=True):
            follows = prior
            for place in places:
                follows *= self._following(self.history[:place], self.history[place], hand)
            found[hand] = Kind(follows, kinds[hand])
        return found

    def _following(self, before: History, bid: Bid, hand: Hand) -> float:
        """How likely the hand makes a bid if it follows the table."""
        likely = self._plausible(before, bid, hand)
        if self._stored(before):
            played = self._played(hand, before, action_of(self.rules, bid))
            return (1.0 - SURPRISE) * played + SURPRISE * likely
        raised = twin.raised(self.rules, before, hand)
        return likely * sum(a * b for a, b in zip(LIMIT_SHARES, raised, strict=True))

    def _other(self, ahead: int) -> dict[Hand, Kind]:
        weights = self._weights(ahead)
        shared = {
            hand: Kind(FOLLOWS * kind.follows, tuple((1.0 - FOLLOWS) * one for one in kind.limits))
            for hand, kind in weights.items()
        }
        total = sum(kind.both for kind in shared.values())
        return {
            hand: Kind(kind.follows / total, tuple(one / total for one in kind.limits))
            for hand, kind in shared.items()
        }

    @property
    def ranges(self) -> list[dict[Hand, float]]:
        return [{hand: kind.both for hand, kind in other.items()} for other in self.others]

    @property
    def times(self) -> float:
        """How many times likelier the others' bids are if all follow the table."""
        times = 1.0
        for ahead in range(1, self.rules.players):
            kinds = self._weights(ahead).values()
            times *= sum(kind.follows for kind in kinds) / sum(sum(kind.limits) for kind in kinds)
        return times

    def table_plays(self, hand: Hand) -> bool:
        own = prod(
            self._played(hand, self.history[:place], action_of(self.rules, self.history[place]))
            for place in self._places(0)
        )
        return self._stored(self.history) and self.times >= TIMES and own >= OWN

    def _challenged_and_false(self, hand: Hand, bid: Bid) -> float:
        """The probability that the next player challenges a raise, and that it is false."""
        raised, challenge = (*self.history, bid), challenge_action(self.rules)
        found = 0.0
        for dealt in product(*(other.items() for other in self.others)):
            dice = (*hand, *(die for one, _ in dealt for die in one))
            if twin.is_true(self.rules, bid, dice):
                continue
            (next_hand, next_), *others = dealt
            challenges = self._played(next_hand, raised, challenge) if self._stored(raised) else 1.0
            if self._stored(raised) and self.rules.stakes.doubled:
                double = action_of(self.rules, replace(bid, doubled=1))
                challenges += self._played(next_hand, raised, double)
            limited = twin.challenged(self.rules, bid, next_hand)
            unlike = sum(a * b for a, b in zip(next_.limits, limited, strict=True))
            found += (next_.follows * challenges + unlike) * prod(kind.both for _, kind in others)
        return found

    def risks(self, hand: Hand) -> dict[int, float]:
        """The risk of each action but the jumps."""
        last = self.history[-1] if self.history else None
        found = {
            action_of(self.rules, bid): self._challenged_and_false(hand, bid)
            for bid in legal_bids(self.rules, last)
            if not bid.doubled
        }
        if last is not None:
            found[challenge_action(self.rules)] = twin.true(self.rules, last, hand, self.ranges)
        return found

    def decision(self, hand: Hand) -> int:
        """The action of least risk; of several the first, bids before the challenge. After a double
        the dice are shown, unless giving up is expected to cost less."""
        if self.history and self.history[-1].doubled:
            last, level = self.history[-1], self.history[-1].doubled
            true = twin.true(self.rules, last, hand, self.ranges)
            win, loses = 1.0 / (self.rules.players - 1), 1.0 - true if level % 2 else true
            shown = self.rules.stakes.doubled[level - 1] * (win * (1.0 - loses) - loses)
            return challenge_action(self.rules) + (shown < -1.0)
        found = self.risks(hand)
        return min(found, key=lambda action: (round(found[action], 9), action))
