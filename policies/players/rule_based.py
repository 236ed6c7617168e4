"""Players with simple rules.

All but the random player know their own dice and the last bid, and decide by the probability that a
bid is true. They take the other dice as rolled fairly and ignore what the bids tell about them. A
rule gives the action of every hand after one last bid. Applied to all last bids it becomes a table
like that of a solved policy. So whatever is computed for solved policies can be computed for rules.
Where dice are lost, `policies.players.rule_based_decider` applies the same rules to one hand.

The players never jump (跳开), because it costs them points. By the probability above, an earlier
bid often seems unlikely although its bidder holds the dice for it, and a jump stakes more points on
that error. Suppose that one player, whenever it challenges, takes the best of the bids made `d`
bids ago. A bid that is true with probability `p` has the expected value `d * ((1 - p) / (N - 1) -
p)`. Among copies of itself that do not jump it would take these shares of the penalty points (five
dice, 20,000 rounds, 95% confidence intervals):

    players  fair   honest           probabilistic
    3        .333   .343 +- .002     .362 +- .004
    4        .250   .259 +- .002     .274 +- .003
    5        .200   .206 +- .002     .213 +- .003
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bidding import bidding
from zhaifei.game.bids import (
    Bid,
    State,
    action_count,
    action_of,
    challenge_action,
    domain,
    ends_fei,
    gives_up_action,
    settled_by,
    verify_history,
)
from zhaifei.game.chances import others_show
from zhaifei.game.hands import hands
from zhaifei.game.messages import Message
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.players.encoding import legal_actions, legal_after_bids
from zhaifei.policies.players.player import Batched
from zhaifei.policies.players.policy import Policy, SingleQueries
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.tables.recall import RecallTables, recall_tables
from zhaifei.solver.tables.strategy_table import dtype_of, steps_for, strategy_table

_RECALL = "bid"
CHALLENGE = -1
"""The sentinel for a challenge, in place of the index of a raise."""


class Situation(NamedTuple):
    """What a rule depends on after one last bid, for every hand. At least one raise is legal."""

    last: NDArray[np.float64]
    """[hand] the probability that the last bid is true; 1 at the start of a round, so that no rule
    challenges there."""
    raises: NDArray[np.float64]
    """[raise, hand] the probability that each legal raise is true, weakest raise first."""
    own: NDArray[np.int8]
    """[raise, hand] how many of the hand's dice count towards the raise."""


Rule = Callable[[Situation], NDArray[np.int64]]
"""Maps a situation to [hand], the index of the raise that the hand makes, or CHALLENGE."""


# The rules. If several raises tie, `argmax` returns the first, which is the weakest.


def _honest(situation: Situation) -> NDArray[np.int64]:
    likely = situation.raises > 0.5
    honest = likely | ~likely.any(axis=0)
    chosen = np.where(honest, situation.own, -1).argmax(axis=0)
    return np.where(situation.last < 0.5, CHALLENGE, chosen)


def _probabilistic(situation: Situation) -> NDArray[np.int64]:
    safe = situation.raises >= 0.6
    stuck = ~safe.any(axis=0)
    chosen = np.where(stuck, situation.raises.argmax(axis=0), safe.argmax(axis=0))
    return np.where(situation.last < np.where(stuck, 0.5, 0.25), CHALLENGE, chosen)


def _conservative(situation: Situation) -> NDArray[np.int64]:
    risk = 1.0 - situation.raises.max(axis=0)
    return np.where(situation.last < risk, CHALLENGE, situation.raises.argmax(axis=0))


def _aggressive(situation: Situation) -> NDArray[np.int64]:
    bold = situation.raises >= 0.4
    strongest = len(bold) - 1 - bold[::-1].argmax(axis=0)
    chosen = np.where(bold.any(axis=0), strongest, situation.raises.argmax(axis=0))
    return np.where(situation.last < 0.2, CHALLENGE, chosen)


def _face_by_face(situation: Situation) -> NDArray[np.int64]:
    return np.where(situation.last < 0.4, CHALLENGE, 0)


def _best_supported(situation: Situation) -> NDArray[np.int64]:
    best = situation.own == situation.own.max(axis=0)
    chosen = np.where(best, situation.raises, -1.0).argmax(axis=0)
    return np.where(situation.last < 0.4, CHALLENGE, chosen)


RULES: dict[str, Rule] = {
    "honest": _honest,
    "probabilistic": _probabilistic,
    "conservative": _conservative,
    "aggressive": _aggressive,
    "face-by-face": _face_by_face,
    "best-supported": _best_supported,
}

NAMES = ("random", *RULES)


def descriptions() -> dict[str, Message]:
    """Return a one-line description of each rule-based player, by name."""
    return {
        "random": Message("any legal action, each as likely"),
        "honest": Message(
            "never bluffs: challenges what is less likely than not, else makes the raise that its "
            "own dice support best, of those likelier than not if there are any"
        ),
        "probabilistic": Message(
            "makes the cheapest raise that is at least 60% likely, or else the likeliest; "
            "challenges what is less than 25% likely, or than 50% if no raise is 60% likely"
        ),
        "conservative": Message(
            "takes the smaller risk: that a challenge finds the bid true, or that its likeliest "
            "raise is false"
        ),
        "aggressive": Message(
            "makes the strongest raise that is at least 40% likely, or else bluffs with the "
            "likeliest; challenges only what is less than 20% likely"
        ),
        "face-by-face": Message(
            "makes the weakest raise, face by face; challenges what is less than 40% likely"
        ),
        "best-supported": Message(
            "makes the raise that most of its own dice count towards, of these the likeliest; "
            "challenges what is less than 40% likely"
        ),
    }


@lru_cache(maxsize=16)
def rule_based(name: str, rules: Rules) -> Policy:
    """Return the policy of the rule-based player of this name, one of NAMES."""
    return RandomPolicy(rules) if name == "random" else tabulate(rules, RULES[name])


# Rules as tables


def chances(rules: Rules) -> NDArray[np.float64]:
    """Return [bid, hand] float64, the probability that each bid is true, given only the hand."""
    held = np.array([len(hand) for hand in hands(rules)])
    result: NDArray[np.float64] = np.empty((len(domain(rules)), held.size))
    for dice in set(rules.dice_by_player):
        own = held == dice
        matches = bid_tables(rules).matches[:, own]
        result[:, own] = chances_of(rules, matches, rules.total_dice - dice)
    return result


def chances_of(rules: Rules, own: NDArray[np.int8], others: int) -> NDArray[np.float64]:
    """Return [bid, hand] float64, the probability that each bid is true if `own` [bid, hand] of the
    player's dice count towards it and `others` dice are hidden."""
    bids = domain(rules)
    likely = np.array([others_show(rules, bid, others) for bid in bids])
    claimed = np.array([[bid.count] for bid in bids])
    missing = np.clip(claimed - own, 0, likely.shape[1] - 1)
    result: NDArray[np.float64] = np.take_along_axis(likely, missing, axis=1)
    return result


def gives_up_on(rules: Rules, last: Bid, likely: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return [hand] whether a player gives up (认输) after the double `last` of a bid that is true
    with a probability of `likely` [hand], as showing the dice is expected to cost more."""
    ending = settled_by(rules, (last,), gives_up_action(rules) - challenge_action(rules))
    shown = settled_by(rules, (last,), 0)
    if ending is None or shown is None:
        return np.zeros(likely.shape, dtype=np.bool_)
    loses, win = 1.0 - likely if shown.turned else likely, 1.0 / (rules.players - 1)
    result: NDArray[np.bool_] = shown.cost * ((1.0 + win) * loses - win) > ending.cost
    return result


def tabulate(rules: Rules, rule: Rule) -> TablePolicy:
    """Return the rule as a table: one node for every state of the bidding.

    With 跳开 a context also contains how many bids may be challenged (`solver.tables.recall`), so
    the node of a state is stored once for each such number. The rule is the same in all of them.
    """
    likely, recall = chances(rules), recall_tables(rules, _RECALL)
    context, states = _contexts(rules, recall)
    of_state = [_node(rules, likely, state, rule) for state in range(len(bidding(rules).states))]
    nodes = [of_state[state] for state in states.tolist()]
    action = np.concatenate([actions for actions, _ in nodes])
    plays = np.concatenate([plays for _, plays in nodes])
    steps = steps_for(*plays.shape)
    table = strategy_table(
        recall,
        context,
        np.cumsum([0, *(len(actions) for actions, _ in nodes)], dtype=np.int64),
        action.astype(np.int16),
        (plays * steps).astype(dtype_of(steps)),
    )
    return TablePolicy(rules, _RECALL, table)


def decisions(rules: Rules) -> Iterator[dict[str, NDArray[np.int64]]]:
    """Yield for each state of the bidding [hand] the action of each rule-based player but the
    random one, by name."""
    likely = chances(rules)
    for state in range(len(bidding(rules).states)):
        yield _played(rules, likely, state, RULES)


def _contexts(rules: Rules, recall: RecallTables) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return [node] the contexts of all histories, ascending, and [node] the state of each."""
    bids = np.arange(len(domain(rules)))
    states, first = bids + 1, recall.code[0, 1:]
    if rules.bidding.ones_end_fei:
        automaton = bidding(rules)
        names_ones = np.array([ends_fei(rules, bid) for bid in automaton.bids])
        number = {state: place for place, state in enumerate(automaton.states)}
        ended = np.array([number.get(State(bid, True), -1) for bid in automaton.bids])
        counts = np.arange(1, names_ones.sum() + 1) * recall.code[1, 1:].max()
        first = np.append(first, np.add.outer(counts, first[ended >= 0]))
        states = np.append(states, np.tile(ended[ended >= 0], counts.size))
    context = np.append(0, np.add.outer(recall.made[1:], first))
    return context, np.append(0, np.tile(states, recall.made.size - 1))


def _node(
    rules: Rules, likely: NDArray[np.float64], state: int, rule: Rule
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return [row] the actions that some hand plays in `state`, and [row, hand] whether the hand
    plays the action."""
    played = _played(rules, likely, state, {"": rule})[""]
    actions = np.unique(played)
    return actions, actions[:, np.newaxis] == played


def _played(
    rules: Rules, likely: NDArray[np.float64], state: int, by_name: Mapping[str, Rule]
) -> dict[str, NDArray[np.int64]]:
    """Return [hand] the action in `state` by each rule, by its name."""
    tables, last = bid_tables(rules), bidding(rules).states[state].last
    challenge = tables.claimed.size
    raises = np.flatnonzero(tables.legal[state, : tables.plain])
    hands = likely.shape[1]
    if last is not None and last.doubled:
        gives_up = gives_up_on(rules, last, likely[action_of(rules, last)])
        return dict.fromkeys(by_name, challenge + gives_up.astype(np.int64))
    if not raises.size:
        return dict.fromkeys(by_name, np.full(hands, challenge))
    known = np.ones(hands) if last is None else likely[action_of(rules, last)]
    situation = Situation(known, likely[raises], tables.matches[raises])
    actions = np.append(raises, challenge)  # CHALLENGE, -1, is the last place
    return {name: actions[rule(situation)] for name, rule in by_name.items()}


# The random player: its table has a row for each action after each bid.


@dataclass(frozen=True)
class RandomPolicy(SingleQueries, Batched):
    """A Policy, and also a BatchPlayer, that takes every legal action with equal probability."""

    rules: Rules

    def __str__(self) -> str:
        return "random"

    def strategy(self, history: Sequence[Bid]) -> NDArray[np.float64]:
        """See Policy."""
        verify_history(self.rules, tuple(history))
        bids = [action_of(self.rules, bid) for bid in history]
        legal = np.flatnonzero(legal_after_bids(self.rules, np.array([bids], dtype=np.int64))[0])
        result: NDArray[np.float64] = np.zeros((len(hands(self.rules)), action_count(self.rules)))
        result[:, legal] = 1.0 / legal.size
        return result

    def tabulated(self) -> TablePolicy:
        """Return the same policy as a table, which is measured faster; for two players."""
        tables, recall = bid_tables(self.rules), recall_tables(self.rules, _RECALL)
        legal = legal_actions(self.rules)
        shares = (legal / legal.sum(axis=1, keepdims=True)).astype(np.float32)
        context, states = _contexts(self.rules, recall)
        legal, shares = legal[states], shares[states]
        nodes, actions = legal.nonzero()
        table = strategy_table(
            recall,
            context,
            np.append(0, np.bincount(nodes).cumsum()),
            actions.astype(np.int16),
            np.repeat(shares[nodes, actions, np.newaxis], tables.hands, axis=1),
        )
        return TablePolicy(self.rules, _RECALL, table)

    def act(
        self,
        hand: NDArray[np.int64],
        history: NDArray[np.int64],
        uniform: NDArray[np.float64],
    ) -> NDArray[np.int64]:
        """See BatchPlayer."""
        before = legal_after_bids(self.rules, history).cumsum(axis=1)
        chosen = (uniform * before[:, -1]).astype(np.int64)
        action: NDArray[np.int64] = (before > chosen[:, np.newaxis]).argmax(axis=1)
        return action
