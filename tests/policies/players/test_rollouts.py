"""Players who play the rest of the round out, and how they choose."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.policies.reading_policies import VARIANTS, policy_for
from tests.policies.small_policies import histories, random_policy
from zhaifei.game.bids import action_of
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.players import rollouts as rollouts_module
from zhaifei.policies.players.intervals import margin_of
from zhaifei.policies.players.playing_out import SEED
from zhaifei.policies.players.rollouts import STEPS, RolloutPlayer, Rollouts, Tried
from zhaifei.policies.players.table_policy import save_policy
from zhaifei.solver.playouts.walk import FOLLOWER, TABLE

ACTIONS = np.array([3, 5, 9])


def tried(played: list[float], *earned: list[float]) -> Tried:
    return Tried(ACTIONS[: len(played)], np.array(played), np.array(earned))


def test_an_action_that_surely_earns_more_is_chosen_alone() -> None:
    sure = tried([0.7, 0.3], [0.0, -1.0] * 50, [0.5, -0.5] * 50)
    assert sure.overrules
    assert sure.chosen.tolist() == [0.0, 1.0]


def test_one_that_may_earn_more_is_not() -> None:
    unsure = tried([0.7, 0.3], [1.0, -1.0] * 50, [-1.0, 1.0] * 49 + [1.0, 1.0])
    assert unsure.values[1] > unsure.values[0]
    assert not unsure.overrules
    assert unsure.chosen.tolist() == [0.7, 0.3]


def test_what_surely_earns_less_than_the_usual_choice_is_left_out() -> None:
    found = tried([0.6, 0.2, 0.2], [0.2, 0.0] * 50, [0.195, -0.005] * 50, [0.1, -0.1] * 50)
    assert found.chosen.tolist() == pytest.approx([0.75, 0.25, 0.0])


@given(arrays(np.float64, (3, 12), elements=st.sampled_from([-1.0, 0.0, 0.25])))
def test_no_interval_lies_above_that_of_the_choice(earned: np.ndarray) -> None:
    found = Tried(ACTIONS, np.array([0.5, 0.3, 0.2]), earned)
    margins, first = margin_of(earned), int(found.chosen.argmax())
    assert found.chosen.sum() == pytest.approx(1.0)
    upper = found.values[first] + margins[first]
    assert (found.values - margins <= upper + 1e-12).all()


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_a_player_leaves_the_policy_for_what_earns_more_among_both_kinds(rules: Rules) -> None:
    policy = policy_for(rules)
    player, rollouts, left = RolloutPlayer(policy, "mine"), Rollouts(policy), []
    assert (str(player), player.rules) == ("mine", rules)
    size = len(hands(rules))
    for history in histories(rules)[::17]:
        bids = [action_of(rules, bid) for bid in history]
        hand = np.repeat(np.arange(size), 5)
        uniform = np.tile(np.linspace(0.0, 0.99, 5), size)
        made = np.tile(np.array(bids, dtype=np.int64), (hand.size, 1))
        action = player.act(hand, made, uniform).reshape(size, 5)
        for own, taken in enumerate(action.tolist()):
            one, other = (next(rollouts.refine(own, bids, kind)) for kind in (FOLLOWER, TABLE))
            assert one.actions.tolist() == other.actions.tolist()
            gains = dict(
                zip(one.actions.tolist(), zip(one.gains, other.gains, strict=True), strict=True)
            )
            left.append(any(min(both) > 0.0 for both in gains.values()))
            if left[-1]:
                assert {*taken} == {max(gains, key=lambda each: min(gains[each]))}
            else:
                likely = policy.strategy(history)[own]
                assert all(likely[each] > 0.0 for each in taken)
                assert taken == sorted(taken)  # actions are laid end to end
    assert {*left} == {False, True}


@pytest.mark.parametrize("rules", VARIANTS[:3], ids=str)
def test_choices_earn_more_than_those_of_the_policy(rules: Rules) -> None:
    """Choices are made in some rounds, and judged in others."""
    policy, gains = policy_for(rules), []
    for history in histories(rules)[::9]:
        bids = [action_of(rules, bid) for bid in history]
        for hand in range(len(hands(rules))):
            found = next(Rollouts(policy).refine(hand, bids))
            actions = [int(found.actions[found.chosen.argmax()]), int(found.actions[found.usual])]
            better, usual = Rollouts(policy, SEED + 1).earned(hand, bids, actions, 1000)
            gains.append(better.mean() - usual.mean())
    assert np.mean(gains) > 0.05  # the table is random
    assert min(gains) > -0.1


@pytest.mark.parametrize("rules", VARIANTS[:3], ids=str)
@pytest.mark.parametrize("together", [1, 3 * 128, 2**17])
def test_hands_earn_the_same_together_as_alone(
    rules: Rules, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rollouts_module, "TOGETHER", together)
    rollouts, every = Rollouts(policy_for(rules)), np.arange(len(hands(rules)))
    for history in histories(rules)[::25]:
        bids = [action_of(rules, bid) for bid in history]
        steps = [*rollouts.refine_hands(every, bids)]
        for hand in every.tolist():
            for found, alone in zip(steps, rollouts.refine(hand, bids), strict=True):
                for its, expected in zip(found[hand], alone, strict=True):
                    np.testing.assert_array_equal(its, expected)


def test_actions_become_fewer_and_rounds_more() -> None:
    policy = policy_for(VARIANTS[0])
    found = [(one.earned.shape[1], one.actions) for one in Rollouts(policy).refine(0, ())]
    assert [rounds for rounds, _ in found] == [rounds for rounds, _ in STEPS]
    for (_, before), (_, after) in pairwise(found):
        assert {*after.tolist()} <= {*before.tolist()}


def test_the_name_of_a_policy_of_several_players_takes_an_ending(tmp_path: Path) -> None:
    path = tmp_path / "three.safetensors"
    save_policy(path, random_policy(VARIANTS[0]))
    player = load_player(f"{path}+playout", VARIANTS[0])
    assert isinstance(player, RolloutPlayer)
    assert str(player) == f"{path}+playout"
    shipped = load_player("zhaifei-4p+playout", preset("zhaifei", players=4))
    assert isinstance(shipped, RolloutPlayer)


@pytest.mark.parametrize("name", ["honest", "reader", "zhaifei-2p"])
def test_other_players_do_not_play_out(name: str) -> None:
    with pytest.raises(ZhaifeiError, match="three players or more"):
        load_player(f"{name}+playout", preset("zhaifei"))
