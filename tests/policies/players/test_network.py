"""Learned policies: the network in numpy against a twin that takes one hand and one history at a
time, and the files that hold one."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.policies.players.seat_features_twin import seat_features_of
from zhaifei.game.bids import (
    Bid,
    IllegalBid,
    action_count,
    action_of,
    challenge_action,
    counts_for,
    domain,
    legal_bids,
)
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand, hands
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.measure.evaluation import Evaluation
from zhaifei.policies.players.network import LearnedPolicy, inputs_of, load_weights, save_weights
from zhaifei.policies.players.policy import SingleQueries
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.rule_based import rule_based
from zhaifei.policies.players.table_policy import save_policy
from zhaifei.solver.files.storage import StorageError, save
from zhaifei.solver.tables.queries import verified

FULL = preset("zhaifei")
SMALL, TINY = Rules.of(dice=2, faces=3), Rules.of(dice=1, faces=3)
SEVERAL = [
    preset("zhaifei", players=3, dice=2, faces=3),
    preset("basic", players=4, dice=1, jump_challenge=True),
    preset("zhaifei", players=5),
]
History = tuple[int, ...]


def random_learned(rules: Rules = SMALL, plays: str = "sampled", seed: int = 0) -> LearnedPolicy:
    """Weights that float16 can hold."""
    random = np.random.default_rng(seed)
    shapes = [(inputs_of(rules), 6), (6, 5), (5, action_count(rules))]
    layers = [(random.normal(size=shape), random.normal(size=shape[1])) for shape in shapes]
    rounded = tuple(
        (weight.astype(np.float16).astype(np.float32), bias.astype(np.float16).astype(np.float32))
        for weight, bias in layers
    )
    training = {"algorithm": "ppo", "steps": 1000, "seed": 7}
    return LearnedPolicy(rules, plays, rounded, training)


def features_of(rules: Rules, hand: Hand, history: History) -> list[float]:
    """As `policies.players.features` documents them, or `seat_features` for more players."""
    if rules.players > 2:
        return seat_features_of(rules, hand, history)
    bids = domain(rules)

    def own(bid: Bid) -> int:
        return sum(counts_for(rules, bid, face) for face in hand)

    kinds: dict[int, Bid] = {}
    for bid, kind in zip(bids, bid_tables(rules).kind.tolist(), strict=True):
        kinds.setdefault(kind, bid)
    of_hand = [
        float(own(kinds[kind]) >= count)
        for kind in sorted(kinds)
        for count in range(1, rules.dice + 1)
    ]
    last, before = (history[-ago] if len(history) >= ago else None for ago in (1, 2))
    public = [float(len(history) % 2 == seat) for seat in range(2)]
    public += [float(action in history) for action in range(action_count(rules))]
    public += [float(one == bid) for one in (last, before) for bid in range(len(bids))]
    missing = 0 if last is None else bids[last].count - own(bids[last])
    return of_hand + public + [float(missing >= need) for need in range(1, rules.dice + 2)]


def strategy_of(policy: LearnedPolicy, hand: Hand, history: History) -> NDArray[np.float64]:
    """One hand, one history, in double precision."""
    rules, bids = policy.rules, domain(policy.rules)
    values = np.array(features_of(rules, hand, history))
    for place, (weight, bias) in enumerate(policy.layers):
        values = np.maximum(values, 0.0) if place else values
        values = values @ weight.astype(np.float64) + bias
    last = bids[history[-1]] if history else None
    legal = [action_of(rules, bid) for bid in legal_bids(rules, last)]
    furthest = min(len(history), rules.furthest_challenge)
    legal += [challenge_action(rules) + distance for distance in range(furthest)]
    result = np.zeros(action_count(rules))
    if policy.plays == "greedy":
        result[max(legal, key=lambda action: values[action])] = 1.0
    else:
        result[legal] = np.exp(values[legal]) / np.exp(values[legal]).sum()
    return result


def some_histories(rules: Rules, number: int, seed: int = 0) -> list[History]:
    """Random ones, from none to several bids."""
    random, found = np.random.default_rng(seed), []
    for place in range(number):
        history: list[Bid] = []
        for _ in range(place % 5):
            raises = legal_bids(rules, history[-1] if history else None)
            if raises:
                history.append(raises[random.integers(1 + len(raises) // 3)])
        found.append(tuple(action_of(rules, bid) for bid in history))
    return found


@pytest.mark.parametrize("plays", ["sampled", "greedy"])
@pytest.mark.parametrize("rules", [SMALL, preset("liars_dice"), FULL, *SEVERAL], ids=str)
def test_strategies_are_those_of_one_hand_and_history_at_a_time(rules: Rules, plays: str) -> None:
    policy, histories = random_learned(rules, plays), some_histories(rules, 12)
    random = np.random.default_rng(3)
    for history, strategy in zip(histories, policy.strategies(histories), strict=True):
        verified(bid_tables(rules), history, strategy)
        for place in random.integers(len(hands(rules)), size=5):
            expected = strategy_of(policy, hands(rules)[place], history)
            # Sums of some hundred float32 products, a few units in size.
            np.testing.assert_allclose(strategy[place], expected, atol=1e-4)


def test_one_history_is_answered_as_among_many() -> None:
    policy, bids = random_learned(FULL), domain(FULL)
    histories = some_histories(FULL, 8)
    for history, strategy in zip(histories, policy.strategies(histories), strict=True):
        alone = policy.strategy([bids[bid] for bid in history])
        np.testing.assert_allclose(alone, strategy, atol=1e-6)
    assert policy.strategies([]) == []


def test_a_history_against_the_rules_is_refused() -> None:
    with pytest.raises(IllegalBid):
        random_learned(FULL).strategy([Bid(Mode.FEI, 1, 2)])


def test_actions_are_drawn_from_the_strategy() -> None:
    """Uniform numbers that are spread evenly hit each action as often as it is likely."""
    policy = random_learned(SMALL)
    (history,) = [one for one in some_histories(SMALL, 5) if len(one) == 2][:1]
    number, place = 20_000, 4
    uniform = (np.arange(number) + 0.5) / number
    hand = np.full(number, place)
    action = PolicyPlayer(policy).act(hand, np.tile(np.array(history), (number, 1)), uniform)
    found = np.bincount(action, minlength=action_count(SMALL)) / number
    np.testing.assert_allclose(found, policy.strategies([history])[0][place], atol=2 / number)


def test_each_round_is_decided_by_its_own_hand_and_bids() -> None:
    policy, random = random_learned(SMALL), np.random.default_rng(0)
    histories = [one for one in some_histories(SMALL, 100) if len(one) == 3]
    hand = random.integers(len(hands(SMALL)), size=len(histories))
    uniform = random.random(len(histories))
    action = policy.draw(hand, np.array(histories), uniform)
    strategies = policy.strategies(histories)
    for place, strategy in enumerate(strategies):
        upto = strategy[hand[place]].cumsum()
        assert action[place] == (upto <= uniform[place]).sum()
    assert len(Counter(action.tolist())) > 3


def test_learned_policies_are_measured_as_any_other() -> None:
    """As exploitable as a policy that answers one history at a time, with the same strategies."""

    class OneByOne(SingleQueries):
        rules = TINY

        def strategy(self, history: Sequence[Bid]) -> NDArray[np.float64]:
            return policy.strategy(history)

    policy = random_learned(TINY)
    ours, theirs = ([*Evaluation(one).refine()][-1] for one in (policy, OneByOne()))
    assert ours.exact
    assert theirs.exact
    assert ours.nash_conv.lower == pytest.approx(theirs.nash_conv.lower, abs=1e-5)


def test_files_hold_what_was_learnt_and_how(tmp_path: Path) -> None:
    path = tmp_path / "mine.safetensors"
    for policy in (random_learned(), random_learned(FULL, "greedy")):
        save_weights(path, policy)
        found = load_weights(path)
        assert (found.rules, found.plays) == (policy.rules, policy.plays)
        assert found.training == policy.training
        for ours, theirs in zip(found.layers, policy.layers, strict=True):
            for one, other in zip(ours, theirs, strict=True):
                np.testing.assert_array_equal(one, other)


def test_policy_and_weights_files_are_told_apart(tmp_path: Path) -> None:
    weights, table = tmp_path / "weights.safetensors", tmp_path / "table.safetensors"
    save_weights(weights, random_learned())
    honest = rule_based("honest", SMALL)
    save_policy(table, honest)  # type: ignore[arg-type]  # it is a table
    ours, theirs = load_player(str(weights), SMALL), load_player(str(table), SMALL)
    assert isinstance(ours, PolicyPlayer)
    assert isinstance(ours.policy, LearnedPolicy)
    assert isinstance(theirs, PolicyPlayer)
    assert not isinstance(theirs.policy, LearnedPolicy)
    with pytest.raises(StorageError, match="is a policy file, not a weights file"):
        load_weights(table)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda weight: weight[:-1], "does not fit"),
        (lambda weight: weight[:, :-1], "does not fit"),
        (lambda weight: weight * np.nan, "weights contain NaN or infinity"),
    ],
)
@pytest.mark.parametrize("layer", [0, 1, 2])
def test_layers_that_do_not_fit_are_refused(layer: int, change: object, says: str) -> None:
    policy = random_learned()
    layers = list(policy.layers)
    weight, bias = layers[layer]
    layers[layer] = (change(weight), bias)  # type: ignore[operator]
    with pytest.raises(ZhaifeiError, match=says):
        replace(policy, layers=tuple(layers))


def test_a_network_for_other_actions_is_refused() -> None:
    with pytest.raises(ZhaifeiError, match="the last layer has 5 outputs; there are"):
        replace(random_learned(), layers=random_learned().layers[:2])


def test_files_that_hold_no_network_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.safetensors"
    header = {"rules": SMALL.to_dict(), "plays": "by ear", "training": {}}
    save(path, "weights", header, {})
    with pytest.raises(StorageError, match="plays is 'by ear', not one of greedy, sampled"):
        load_weights(path)
    save(path, "weights", {**header, "plays": "greedy"}, {})
    with pytest.raises(StorageError, match=r"mine\.safetensors does not contain a network"):
        load_weights(path)
