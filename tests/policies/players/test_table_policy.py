"""Tables as policies: what the Policy interface promises, and what files keep."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.policies.small_policies import histories, legal_actions, random_policy
from tests.solver.dense_tables import with_rows
from zhaifei.game.bids import Bid, IllegalBid, challenge_action
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands
from zhaifei.game.notation import parse_history
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.policies.players.policy import Policy
from zhaifei.policies.players.table_policy import TablePolicy, load_policy, save_policy
from zhaifei.solver.cfr.mccfr import MCCFR
from zhaifei.solver.files.storage import StorageError, save
from zhaifei.solver.response.full_recall import opening_values
from zhaifei.solver.tables.packing import pack
from zhaifei.solver.tables.strategy_table import ARRAYS, NO_NODE, arrays_of, dense, node_of

RULES = Rules.of(dice=1, faces=2)


def trained(rules: Rules, recall: str, sweeps: int = 200) -> TablePolicy:
    solver = MCCFR(rules, recall)
    while solver.sweeps < sweeps:
        solver.advance()
    return TablePolicy(rules, recall, solver.strategy())


def base_of(array: np.ndarray) -> object:
    while isinstance(array, np.ndarray) and array.base is not None:
        if isinstance(array, np.memmap):
            return array
        array = array.base
    return array


@pytest.mark.parametrize(
    "make",
    [
        lambda: random_policy(RULES),
        lambda: random_policy(preset("basic", dice=2, faces=3), dtype=np.uint8),
        lambda: trained(preset("liars_dice", faces=3), "bid"),
        lambda: trained(Rules.of(dice=2, faces=2), "bid,face<5,mode"),
    ],
    ids=["full recall", "compact", "last bid", "graded recall"],
)
def test_strategies_are_what_the_interface_promises(make: Callable[[], Policy]) -> None:
    policy = make()
    rules = policy.rules
    for history in histories(rules):
        strategy = policy.strategy(history)
        assert strategy.shape == (len(hands(rules)), challenge_action(rules) + 1)
        assert strategy.dtype == np.float64
        np.testing.assert_allclose(strategy.sum(axis=1), 1.0, rtol=1e-12)
        assert strategy.min() >= 0.0
        illegal = np.ones(challenge_action(rules) + 1, dtype=bool)
        illegal[legal_actions(rules, history)] = False
        assert not strategy[:, illegal].any()


def test_a_history_that_training_never_reached_is_met_with_a_challenge() -> None:
    rules = preset("zhaifei")
    policy = trained(rules, "bid,bid,bid", sweeps=1)
    history = parse_history(rules, "f3x2 f4x3 f5x4 f6x5 f7x6")
    assert node_of(policy.table, policy.actions(history), len(history)) == NO_NODE
    strategy = policy.strategy(history)
    assert (strategy[:, challenge_action(rules)] == 1.0).all()
    assert np.count_nonzero(strategy) == len(hands(rules))


def test_what_is_no_history_is_refused() -> None:
    policy = random_policy(RULES)
    with pytest.raises(IllegalBid, match="is not stronger than"):
        policy.strategy((Bid(Mode.ZHAI, 2, 2), Bid(Mode.FEI, 1, 2)))
    with pytest.raises(IllegalBid, match="is not a bid in these rules"):
        policy.actions((Bid(Mode.FEI, 3, 2),))


@pytest.mark.parametrize("dtype", [np.float32, np.uint16])
def test_files_give_back_the_policy(tmp_path: Path, dtype: type[np.generic]) -> None:
    path = tmp_path / "policy.safetensors"
    saved = replace(random_policy(RULES, dtype=dtype), training={"engine": "none", "value": -0.25})
    save_policy(path, saved)
    loaded = load_policy(path)
    assert (loaded.rules, loaded.recall, loaded.training) == (
        saved.rules,
        saved.recall,
        saved.training,
    )
    assert loaded.table.unit == saved.table.unit
    for name, array in arrays_of(saved.table).items():
        found = arrays_of(loaded.table)[name]
        np.testing.assert_array_equal(found, array)
        assert found.dtype == array.dtype
    assert not any(getattr(loaded.table, name).flags.writeable for name in ARRAYS)
    for history in histories(RULES):
        np.testing.assert_array_equal(loaded.strategy(history), saved.strategy(history))


def test_what_is_not_packed_stays_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "policy.safetensors"
    save_policy(path, random_policy(RULES))
    table = load_policy(path).table
    for name in (*ARRAYS, "end_row"):
        assert isinstance(base_of(getattr(table, name)), np.memmap)


def test_packed_arrays_that_are_no_strategy_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.safetensors"
    policy = random_policy(RULES, dtype=np.uint8)
    header = {"rules": RULES.to_dict(), "recall": "full", "training": {}}
    arrays = pack(bid_tables(RULES), policy.table)
    save(path, "policy", header, {**arrays, "packed": arrays["packed"][:-4]})
    with pytest.raises(StorageError, match="does not describe a policy: the arrays do not fit"):
        load_policy(path)


def test_a_packed_block_that_is_no_strategy_is_refused_where_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "policy.safetensors"
    policy = random_policy(RULES, dtype=np.uint16)
    header = {"rules": RULES.to_dict(), "recall": "full", "training": {}}
    arrays = pack(bid_tables(RULES), policy.table)
    packed = arrays["packed"].copy()
    packed[-40:] = 0
    save(path, "policy", header, {**arrays, "packed": packed})
    loaded = load_policy(path)
    np.testing.assert_array_equal(loaded.strategy(()), policy.strategy(()))
    for read in (lambda: loaded.table, lambda: loaded.below(()), lambda: play_all(loaded)):
        with pytest.raises(StorageError, match="does not describe a policy: "):
            read()
    # The error is raised again, and the block can still not be read.
    with pytest.raises(StorageError):
        _ = loaded.table


def play_all(policy: Policy) -> None:
    for history in histories(RULES):
        policy.strategy(history)


def test_only_the_blocks_that_are_asked_about_are_read(tmp_path: Path) -> None:
    path = tmp_path / "policy.safetensors"
    save_policy(path, random_policy(RULES, dtype=np.uint16))
    loaded = load_policy(path)
    opening = next(history for history in histories(RULES) if len(history) == 1)
    loaded.strategy(())
    assert loaded.upto(()).context.size == 1
    loaded.strategy(opening)
    (bid,) = loaded.actions(opening).tolist()
    assert loaded.upto((bid, bid + 1)) is loaded.upto((bid,))
    assert 1 < loaded.below((bid,)).context.size < load_policy(path).table.context.size
    assert loaded.below(()) is loaded.table
    assert loaded.upto((bid,)) is loaded.table  # it is all there now


THREE = Rules.of(players=3, dice=1, faces=2)


@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
def test_files_of_three_players_keep_what_takes_time_to_compute(
    tmp_path: Path, dtype: type[np.generic]
) -> None:
    path = tmp_path / "policy.safetensors"
    policy = random_policy(THREE, dtype=dtype)
    save_policy(path, policy)
    loaded = load_policy(path)
    assert loaded.stored_opening_cost is not None
    assert loaded.opening_cost is loaded.stored_opening_cost
    values = opening_values(bid_tables(THREE), policy.table)
    np.testing.assert_array_equal(
        loaded.opening_cost, (values.max(axis=0) - values).astype(np.float16)
    )


def test_what_a_file_does_not_say_is_computed(tmp_path: Path) -> None:
    """Files of two players do not say it."""
    path = tmp_path / "policy.safetensors"
    policy = random_policy(THREE)
    header = {"rules": THREE.to_dict(), "recall": "full", "training": {}}
    save(path, "policy", header, arrays_of(policy.table))
    loaded = load_policy(path)
    assert loaded.stored_opening_cost is None
    np.testing.assert_array_equal(loaded.opening_cost, policy.opening_cost)
    save_policy(path, random_policy(RULES))
    assert load_policy(path).stored_opening_cost is None
    forgets = trained(THREE, "bid,bid")
    with pytest.raises(ZhaifeiError, match="does not remember all bids"):
        _ = forgets.opening_cost


@pytest.mark.parametrize(
    "spoil",
    [
        lambda cost: cost[:-1],
        lambda cost: cost[:, :-1],
        lambda cost: cost.astype(np.float32),
        lambda cost: np.where(cost == 0, np.float16(np.nan), cost),
        lambda cost: np.where(cost == 0, np.float16(1.6), cost),
        lambda cost: np.where(cost == 0, np.float16(-0.1), cost),
    ],
    ids=["short", "narrow", "other type", "NaN", "more than a round costs", "negative"],
)
def test_what_is_no_cost_of_an_opening_is_refused(
    tmp_path: Path, spoil: Callable[[np.ndarray], np.ndarray]
) -> None:
    path = tmp_path / "policy.safetensors"
    policy = random_policy(THREE)
    save_policy(path, replace(policy, stored_opening_cost=spoil(policy.opening_cost)))
    with pytest.raises(StorageError, match="costs of openings are damaged"):
        load_policy(path)


def test_a_policy_can_be_written_over_the_file_that_it_was_read_from(tmp_path: Path) -> None:
    path = tmp_path / "policy.safetensors"
    save_policy(path, random_policy(RULES))
    loaded = load_policy(path)
    save_policy(path, random_policy(RULES, seed=1))
    np.testing.assert_array_equal(loaded.strategy(()), random_policy(RULES).strategy(()))
    save_policy(path, loaded)
    np.testing.assert_array_equal(load_policy(path).strategy(()), loaded.strategy(()))


def test_headers_hold_the_rules_the_recall_and_the_training_as_plain_json(tmp_path: Path) -> None:
    path = tmp_path / "policy.safetensors"
    save_policy(path, replace(random_policy(RULES), training={"iterations": 10**15}))
    data = path.read_bytes()
    layout = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    header = json.loads(layout["__metadata__"]["zhaifei"])
    assert header["kind"] == "policy"
    assert header["version"] == 5
    assert Rules.from_dict(header["rules"]) == RULES
    assert header["recall"] == "full"
    assert header["training"] == {"iterations": 10**15}


def test_probabilities_for_other_hands_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.safetensors"
    save_policy(path, replace(random_policy(RULES), rules=preset("basic", dice=1, faces=3)))
    with pytest.raises(StorageError, match="the strategy is for 2 hands, not 3"):
        load_policy(path)


def test_actions_that_the_rules_do_not_know_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.safetensors"
    save_policy(path, replace(random_policy(RULES), rules=RULES.changed(modes=(Mode.FEI,))))
    with pytest.raises(StorageError, match="an action is out of range"):
        load_policy(path)


@pytest.mark.parametrize("number", [0.0, np.nan, np.inf])
def test_probabilities_that_are_none_are_not_played(number: float) -> None:
    policy = random_policy(RULES)
    spoilt = np.full_like(dense(policy.table), number)
    spoilt.setflags(write=False)
    damaged = replace(policy, source=with_rows(policy.table, spoilt))
    with pytest.raises(ZhaifeiError, match="damaged"):
        damaged.strategy(())


def test_what_the_rules_forbid_is_not_played() -> None:
    policy = random_policy(RULES)
    stricter = replace(policy, rules=RULES.changed(first_count=2))
    with pytest.raises(ZhaifeiError, match="takes illegal actions"):
        stricter.strategy(())
