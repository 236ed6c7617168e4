"""What DQN and NFSP remember, against OpenSpiel's own buffers and against counting."""

import math

import numpy as np
import pytest

from tests.policies.research.test_self_play import Wild

pytest.importorskip("torch")

from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.players.encoding import information_state_tensors, legal_actions
from zhaifei.policies.players.seat_features import seat_features
from zhaifei.policies.research.buffers import Replay, Reservoir, packed
from zhaifei.policies.research.self_play import Decisions, play
from zhaifei.solver.files.state import StateError

RULES = Rules.of(dice=2, faces=4)


def some_decisions(rules: Rules = RULES, rounds: int = 40, seed: int = 0) -> Decisions:
    return play(rules, rounds, Wild(rules), np.random.default_rng(seed))


@pytest.mark.parametrize("rules", [RULES, preset("zhaifei")], ids=str)
def test_what_is_drawn_is_what_was_remembered(rules: Rules) -> None:
    """Drawn often enough that every decision is met, by what was seen and done."""
    played, memory = some_decisions(rules), Replay(rules, 1000)
    memory.add(packed(memory, played))
    memory.random = np.random.default_rng(1)
    number = played.action.size
    tensors = information_state_tensors(rules, played.seat, played.hand, played.made)
    known = {
        (one.tobytes(), int(action)): place
        for place, (one, action) in enumerate(zip(tensors, played.action, strict=True))
    }
    assert len(memory) == number
    drawn = memory.sample(40 * number)
    met = set()
    for place in range(40 * number):
        found = known[drawn.info_state[place].tobytes(), int(drawn.action[place])]
        met.add(found)
        assert drawn.is_final_step[place] == played.final[found]
        if played.final[found]:
            continue
        assert drawn.reward[place] == 0.0
        # Equal situations may have been met twice, with other ends.
        following = drawn.next_info_state[place]
        np.testing.assert_array_equal(
            following[: -played.made.shape[1]], tensors[found][: -played.made.shape[1]]
        )
        made = np.flatnonzero(following[-played.made.shape[1] :])
        assert {int(drawn.action[place]), *np.flatnonzero(played.made[found])} <= {*made.tolist()}
        np.testing.assert_array_equal(
            drawn.legal_actions_mask[place], legal_actions(rules)[made.max() + 1]
        )
    assert met == {*known.values()}
    assert set(drawn.reward[drawn.is_final_step].tolist()) == {-1.0, 1.0}


def test_with_several_players_the_observations_are_features_of_seats() -> None:
    """Those of each decision and of the next of the same seat, whatever their numbers of bids."""
    rules = preset("zhaifei", players=3, dice=2, faces=4)
    played, memory = some_decisions(rules), Replay(rules, 1000)
    memory.add(packed(memory, played))
    places = np.arange(played.action.size)
    memory._drawn = lambda number: memory.records[places[:number]]  # type: ignore[method-assign]
    drawn = memory.sample(places.size)
    for place in places:
        hand, history = played.hand[[place]], np.flatnonzero(played.made[place])[np.newaxis]
        assert (history.shape[1] - played.seat[place]) % 3 == 0
        np.testing.assert_array_equal(
            drawn.info_state[place], seat_features(rules, hand, history)[0]
        )
        if not played.final[place]:
            np.testing.assert_array_equal(drawn.next_info_state[place], drawn.info_state[place + 1])
    assert {*drawn.reward[drawn.is_final_step].tolist()} == {-1.0, 0.5}


def test_the_oldest_are_forgotten() -> None:
    played, memory = some_decisions(), Replay(RULES, 30)
    records = packed(memory, played)
    memory.add(records[:25])
    memory.add(records[25:45])
    assert len(memory) == 30
    expected = np.concatenate([records[30:45], records[15:30]])
    np.testing.assert_array_equal(memory.records, expected)


def test_a_reservoir_keeps_all_decisions_alike() -> None:
    """Each of 200 remains among 50 with a chance of 1/4, whether it came early or late."""
    hand = np.arange(200) % len(hands(RULES))
    kept = np.zeros(200)
    runs = 400
    for seed in range(runs):
        memory = Reservoir(RULES, 50)
        memory.random = np.random.default_rng(seed)
        records = np.zeros(200, dtype=memory.records.dtype)
        records["hand"], records["action"] = hand, np.arange(200)
        for start in range(0, 200, 40):
            memory.add(records[start : start + 40])
        kept[memory.records["action"]] += 1
        assert len(np.unique(memory.records["action"])) == 50
    deviation = math.sqrt(0.25 * 0.75 / (runs * 40))
    for start in range(0, 200, 40):
        assert abs(kept[start : start + 40].sum() / (runs * 40) - 0.25) <= 4 * deviation


def test_best_responses_are_drawn_as_what_is_surely_played() -> None:
    played, memory = some_decisions(), Reservoir(RULES, 1000)
    memory.add(packed(memory, played))
    drawn = memory.sample(100)
    assert drawn.action_probs.sum(axis=1).tolist() == [1.0] * 100
    assert not drawn.action_probs[~drawn.legal_actions_mask].any()


@pytest.mark.parametrize("kind", [Replay, Reservoir])
def test_memories_are_restored(kind: type[Replay] | type[Reservoir]) -> None:
    for capacity in (30, 1000):
        one, other = kind(RULES, capacity), kind(RULES, capacity)
        one.random = np.random.default_rng(0)
        one.add(packed(one, some_decisions()))
        other.restore(one.state())
        one.random, other.random = np.random.default_rng(1), np.random.default_rng(1)
        more = packed(one, some_decisions(seed=1))
        one.add(more)
        other.add(more)
        np.testing.assert_array_equal(one.records, other.records)
        assert one.added == other.added


@pytest.mark.parametrize("kind", [Replay, Reservoir])
def test_decisions_that_nobody_can_take_are_refused(kind: type[Replay] | type[Reservoir]) -> None:
    one = kind(RULES, 60)
    one.random = np.random.default_rng(0)
    one.add(packed(one, some_decisions()))
    state = one.state()
    for name, entry in [
        ("seat", 2),
        ("hand", len(hands(RULES))),
        ("last", -2),
        ("last", 99),
        ("action", -1),
        ("action", 99),
        ("reward", 2),
        ("final", 2),
        ("next_last", -2),
        ("next_last", 99),
    ]:
        records = state["records"].view(one.records.dtype).copy()
        records[name][7] = entry
        with pytest.raises(StateError, match=f"{name} has a value"):
            kind(RULES, 60).restore({**state, "records": records.view(np.uint8)})
    records = state["records"].view(one.records.dtype).copy()
    records["last"], records["action"] = 5, 5
    with pytest.raises(StateError, match="an illegal action"):
        kind(RULES, 60).restore({**state, "records": records.view(np.uint8)})
    for changed in (
        {"added": np.array([-1])},
        {"added": np.array([3])},
        {"records": state["records"][:-1]},
        {"added": np.array([1.0])},
        {"more": np.zeros(1)},
    ):
        with pytest.raises(StateError):
            kind(RULES, 60).restore({**state, **changed})
