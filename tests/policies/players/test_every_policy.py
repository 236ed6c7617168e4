"""Every kind of policy speaks the real game: after random histories of it, odd and idle bids
included, it answers with a strategy of legal actions, and draws from that strategy."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import zhaifei
from tests.policies.players.test_network import random_learned
from tests.policies.resolving_policies import blueprint
from tests.policies.small_policies import every_other_node, poor_match_policy, random_policy
from zhaifei.game.bids import (
    Bid,
    IllegalBid,
    action_count,
    action_of,
    challengeable,
    domain,
    legal_bids,
)
from zhaifei.game.hands import hands
from zhaifei.game.positions import round_rules
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.names import load_player, policy_of
from zhaifei.policies.catalogue.shipped import POLICIES, shipped_player_path
from zhaifei.policies.players.match_policy import MatchPolicy, load_match
from zhaifei.policies.players.policy import Policy, strategies_of
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.reader import Reader
from zhaifei.policies.players.reading_policy import ReadingPolicy
from zhaifei.policies.players.resolving import Effort, ResolvingPolicy, resolving
from zhaifei.policies.players.rule_based import NAMES, RandomPolicy, rule_based
from zhaifei.solver.abstraction import WHOLE

TWO, THREE = Rules.of(dice=2, faces=3), Rules.of(players=3, dice=1, faces=3, jump_challenge=True)
MATCHES = {
    "classic": preset("classic", dice=(2, 3), faces=3),
    "knockout": preset("knockout", dice=(2, 2), faces=3),
}
LINES = 8
"""The random histories of each policy; all their beginnings are asked about too."""
History = tuple[Bid, ...]


@cache
def shipped_match(name: str) -> MatchPolicy:
    return load_match(shipped_player_path(name, None))


@cache
def match(name: str) -> MatchPolicy:
    return poor_match_policy(MATCHES[name], 10)


def again(policy: Policy) -> ResolvingPolicy:
    found = resolving(policy, effort=Effort(passes=3))
    assert found is not None
    return found


KINDS: dict[str, Callable[[], Policy]] = {
    "table of two": lambda: random_policy(TWO),
    "table of three": lambda: random_policy(THREE),
    "rounded table": lambda: random_policy(TWO, dtype=np.uint16),
    "table without every other history": lambda: every_other_node(random_policy(TWO)),
    "table that forgets": lambda: zhaifei.solve(TWO, recall="bid,mode", iterations=2000),
    "solved table": lambda: blueprint(20),
    "reading": lambda: ReadingPolicy(every_other_node(random_policy(THREE))),
    "resolving": lambda: again(blueprint(20)),
    "reader of two": lambda: Reader(TWO),
    "reader of three": lambda: Reader(THREE),
    "sampled network": lambda: random_learned(TWO),
    "greedy network of three": lambda: random_learned(
        Rules.of(players=3, dice=1, faces=3), "greedy"
    ),
    **{
        f"{name} of {rules.players}": lambda name=name, rules=rules: rule_based(name, rules)
        for name in NAMES
        for rules in (TWO, THREE)
    },
    **{
        name: lambda name=name: policy_of(load_player(name, POLICIES.get(name, preset("zhaifei"))))
        for name in ("zhaifei-2p", "plain:zhaifei-2p", "zhaifei-5p", "single-bid", "nfsp", "dqn")
    },
    **{
        f"{name} {position}": lambda name=name, position=position: match(name).at(position)
        for name, rules in MATCHES.items()
        for position in [(2, 2), (1, 2), *([(3, 2), (2, 3)] if name == "classic" else [])]
    },
    "classic (2, 3), resolving": lambda: again(match("classic").at((2, 3))),
    **{
        f"{name} {position}": lambda name=name, position=position: shipped_match(name).at(position)
        for name in ("classic-2p", "knockout-2p")
        for position in [(5, 5), (4, 5), (3, 3), (5, 1), (1, 1)]
    },
    "classic-2p (5, 4), resolving": lambda: again(shipped_match("classic-2p").at((5, 4))),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


@cache
def policy(kind: str) -> Policy:
    return KINDS[kind]()


def some_line(rules: Rules, random: np.random.Generator) -> History:
    """Bids to the end of a round: small steps more often than large ones, so that lines are long
    and pass through many idle bids."""
    history: History = ()
    while legal := legal_bids(rules, history[-1] if history else None):
        step = int(len(legal) * random.random() ** random.integers(1, 8))
        history = (*history, legal[step])
    return history


def lines(kind: str) -> list[History]:
    """Random lines of the real game, as far as is quickly asked about."""
    one, random = policy(kind), np.random.default_rng([*kind.encode()])
    slow = isinstance(one, ResolvingPolicy) or len(hands(one.rules)) > 100
    whole = [some_line(one.rules, random) for _ in range(2 if slow else LINES)]
    return [line[: 5 if isinstance(one, ResolvingPolicy) else None] for line in whole]


def legal_actions(rules: Rules, history: History) -> np.ndarray:
    legal = np.zeros(action_count(rules), dtype=np.bool_)
    legal[[action_of(rules, bid) for bid in legal_bids(rules, (None, *history)[-1])]] = True
    legal[[len(domain(rules)) + far - 1 for far in challengeable(rules, len(history))]] = True
    return legal


def test_policies_of_matches_play_the_rounds_of_the_table() -> None:
    for name, rules in MATCHES.items():
        for position, one in match(name).rounds.items():
            assert one.rules == round_rules(rules, position)


def test_lines_have_idle_bids_that_no_table_knows() -> None:
    one = match("classic").at((2, 3))
    assert one.abstraction != WHOLE
    asked = [line[:made] for line in lines("classic (2, 3)") for made in range(len(line))]
    assert sum(one.read(history) != history for history in asked) > 5


@every_kind
def test_every_policy_answers_every_history_with_a_strategy_of_legal_actions(kind: str) -> None:
    one = policy(kind)
    for line in lines(kind):
        for made in range(len(line) + 1):
            history = line[:made]
            played = one.strategy(history)
            assert played.shape == (len(hands(one.rules)), action_count(one.rules))
            assert (played >= 0.0).all()
            assert not played[:, ~legal_actions(one.rules, history)].any(), history
            # Hands that cannot occur, because the player has other dice, have a strategy too.
            np.testing.assert_allclose(played.sum(axis=1), 1.0, atol=1e-6)


@every_kind
def test_every_policy_answers_solvers_as_it_answers_players(kind: str) -> None:
    one = policy(kind)
    bids, line = domain(one.rules), lines(kind)[0]
    histories = [tuple(bids.index(bid) for bid in line[:made]) for made in range(len(line))]
    for history, found in zip(histories, strategies_of(one)(histories), strict=True):
        own = one.strategy([bids[bid] for bid in history])
        np.testing.assert_allclose(found, own, atol=1e-5)


@every_kind
def test_players_draw_from_the_strategy(kind: str) -> None:
    one, random = policy(kind), np.random.default_rng(7)
    line = lines(kind)[-1]
    player = one if isinstance(one, RandomPolicy) else PolicyPlayer(one, kind)
    for made in range(len(line) + 1):
        history = np.array([[domain(one.rules).index(bid) for bid in line[:made]]], dtype=np.int64)
        own = random.integers(len(hands(one.rules)), size=20)
        drawn = player.act(own, np.repeat(history, own.size, axis=0), random.random(own.size))
        played = one.strategy(line[:made])
        assert (played[own, drawn] > 0.0).all()


@every_kind
def test_no_policy_answers_an_illegal_history(kind: str) -> None:
    one = policy(kind)
    first = lines(kind)[0][0]
    with pytest.raises(IllegalBid):
        one.strategy((first, first))
