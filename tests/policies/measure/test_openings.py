"""How rounds open and end, against one deal of hands at a time."""

from itertools import product

import pytest

from tests.policies.small_policies import History, Naive, legal_actions, random_policy
from zhaifei.game.bids import action_of, challenge_action, domain
from zhaifei.game.hands import Hand, hands
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.measure.openings import opening_play
from zhaifei.policies.players.table_policy import TablePolicy

SMALL = Rules.of(players=3, dice=1, faces=2)
FEI_ONLY = preset("basic", players=3, dice=1, faces=3)
ROUNDS = 40_000


@pytest.mark.parametrize("rules", [SMALL, FEI_ONLY, Rules.of(dice=2, faces=2)], ids=str)
def test_openings_are_those_of_every_deal(rules: Rules) -> None:
    policy = random_policy(rules)
    naive, found = Naive(policy), opening_play(policy, 100, 0)
    true = challenged = fei = count = 0.0
    for dealt in product(hands(rules), repeat=rules.players):
        for bid, _ in found.openings:
            share = naive.prior(*dealt) * naive.plays(dealt[0], (), action_of(rules, bid))
            true += share * naive.is_true(bid, *dealt)
            challenged += share * naive.plays(dealt[1], (bid,), challenge_action(rules))
            fei += share * (bid.mode is Mode.FEI)
            count += share * bid.count * (bid.mode is Mode.FEI)
    assert sum(share for _, share in found.openings) == pytest.approx(1.0)
    assert found.true == pytest.approx(true)
    assert found.challenged == pytest.approx(challenged)
    assert found.fei == pytest.approx(fei)
    assert found.count == pytest.approx(count / fei)


def ends(policy: TablePolicy) -> tuple[float, float]:
    """The expected number of bids, and the probability that the challenge meets a false bid."""
    rules, naive = policy.rules, Naive(policy)

    def walk(dealt: tuple[Hand, ...], history: History, share: float) -> tuple[float, float]:
        hand, bids, right = dealt[len(history) % rules.players], 0.0, 0.0
        for action in legal_actions(rules, history):
            here = share * naive.plays(hand, history, action)
            if action == challenge_action(rules):
                right += here * (not naive.is_true(history[-1], *dealt))
            else:
                more, found = walk(dealt, (*history, domain(rules)[action]), here)
                bids, right = bids + here + more, right + found
        return bids, right

    deals = product(hands(rules), repeat=rules.players)
    found = [walk(dealt, (), naive.prior(*dealt)) for dealt in deals]
    return sum(bids for bids, _ in found), sum(right for _, right in found)


def test_ends_are_sampled() -> None:
    policy = random_policy(SMALL)
    bids, right = ends(policy)
    found = opening_play(policy, ROUNDS, 1)
    # Four standard errors, of a share and of a number of bids that is at most 12.
    assert found.right == pytest.approx(right, abs=4 * 0.5 / ROUNDS**0.5)
    assert found.bids == pytest.approx(bids, abs=4 * 6 / ROUNDS**0.5)
    assert found == opening_play(policy, ROUNDS, 1)
