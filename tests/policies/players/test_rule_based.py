"""Rule-based players: their chances by counting all rolls, their decisions worked out by hand.

Of 5 dice that others hold, at least 1, 2, 3, 4, 5 count with these chances:
    飞, a third each   .868  .539  .210  .045  .004
    斋, a sixth each   .598  .196  .035  .003  .000
"""

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.game.strategies import any_rules, histories_of
from zhaifei.game.bids import (
    Bid,
    State,
    action_count,
    action_of,
    challenge_action,
    challengeable,
    counts_for,
    domain,
    endings_after,
    legal_bids,
    state_after,
)
from zhaifei.game.hands import hand_index, hands
from zhaifei.game.notation import format_action, format_history, parse_history
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.measure.evaluation import Evaluation
from zhaifei.policies.play.simulation import penalty_share
from zhaifei.policies.players import rule_based as module
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.rule_based import (
    NAMES,
    RandomPolicy,
    chances,
    descriptions,
    rule_based,
)
from zhaifei.policies.players.rule_based_decider import raise_by_rule
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.tables.strategy_table import STEPS

FULL = preset("zhaifei")
TABULATED = tuple(name for name in NAMES if name != "random")
any_player = pytest.mark.parametrize("name", TABULATED)


@pytest.mark.parametrize(
    "rules",
    [
        Rules.of(dice=2, faces=3),
        Rules.of(players=3, dice=2, faces=3, wild=2, wild_may_be_named=True),
        preset("liars_dice", players=4, faces=4),
    ],
    ids=str,
)
def test_chances_are_those_of_all_rolls_of_the_others(rules: Rules) -> None:
    others = rules.total_dice - rules.dice
    rolls = list(product(range(1, rules.faces + 1), repeat=others))
    found = chances(rules)
    for place, bid in enumerate(domain(rules)):
        counted = Counter(sum(counts_for(rules, bid, face) for face in roll) for roll in rolls)
        for number, hand in enumerate(hands(rules)):
            own = sum(counts_for(rules, bid, face) for face in hand)
            ways = sum(ways for count, ways in counted.items() if own + count >= bid.count)
            assert found[place, number] == float(Fraction(ways, len(rolls)))


def plays(name: str, hand: str, history: str, rules: Rules = FULL) -> str:
    """What the player does with certainty."""
    place = hand_index(rules, map(int, hand))
    strategy = rule_based(name, rules).strategy(parse_history(rules, history))[place]
    assert strategy.max() == 1.0
    return format_action(rules, int(strategy.argmax()))


@pytest.mark.parametrize(
    ("hand", "history", "expected", "why"),
    [
        ("11123", "", "飞3×2", "four of its own dice count; as for 飞3×3, but it is weaker"),
        ("66666", "", "飞3×6", "all its own dice count; as for any bid on 6, but it is weaker"),
        ("22345", "f3x2", "飞4×2", "true with .539, with two own dice; as 斋2×2, but that is 斋"),
        ("22346", "f4x2", "斋3×2", "two own dice count; 飞5×2 is likelier false than true"),
        ("12346", "f4x6", "飞5×2", "no raise is likelier than not: two own dice, the weakest"),
        ("22346", "f5x2", "challenge", "true with .210"),
        ("33345", "f5x6", "challenge", "true with .004, though 斋3×3 would be certain"),
        ("11144", "f6x4", "飞7×4", "true with .539, and all own dice count"),
    ],
)
def test_honest(hand: str, history: str, expected: str, why: str) -> None:
    assert plays("honest", hand, history) == expected, why


@pytest.mark.parametrize(
    ("hand", "history", "expected", "why"),
    [
        ("23456", "", "飞3×2", "nothing is 60% likely: the weakest of five with .539"),
        ("22346", "", "飞3×2", "true with .868"),
        ("22345", "f3x2", "斋2×2", "certain; 飞3×3 to 飞4×2, which are weaker, have .539"),
        ("11345", "f4x3", "飞4×4", "true with .868"),
        ("12345", "f4x3", "斋2×4", "nothing is 60% likely: the likeliest, .598"),
        ("12346", "f4x6", "飞5×2", "the last bid has .539, so the likeliest, .210"),
        ("22222", "f4x2 f4x3 f6x2", "斋4×2", "certain"),
        ("22345", "f4x6", "challenge", "true with .045"),
        ("33345", "f5x6", "challenge", "true with .004, though 斋3×3 would be certain"),
    ],
)
def test_probabilistic(hand: str, history: str, expected: str, why: str) -> None:
    assert plays("probabilistic", hand, history) == expected, why


def test_probabilistic_challenges_what_is_less_likely_than_not_only_if_no_raise_is_safe() -> None:
    # Of 10 dice of two others, at least 4 count as 飞 with .441; as 斋 at least 2 with .515, and at
    # least 1 with .838.
    rules = preset("zhaifei", players=3)
    assert plays("probabilistic", "23456", "f5x6", rules) == "challenge"
    assert plays("probabilistic", "22346", "f5x6", rules) == "斋3×2"


@pytest.mark.parametrize(
    ("hand", "history", "expected", "why"),
    [
        ("66666", "", "飞3×6", "certain; the weakest that is"),
        ("23456", "", "飞3×2", "the likeliest, .539; there is nothing to challenge"),
        ("12346", "f4x6", "challenge", "a risk of .539; of .790 with the likeliest raise"),
        ("34566", "f4x6", "斋3×6", "a risk of .402; of .539 with a challenge"),
        ("33345", "f5x6", "斋3×3", "no risk; of .004 with a challenge"),
        ("22346", "f5x2", "challenge", "a risk of .210; of .402 with 斋3×2"),
    ],
)
def test_conservative(hand: str, history: str, expected: str, why: str) -> None:
    assert plays("conservative", hand, history) == expected, why


@pytest.mark.parametrize(
    ("hand", "history", "expected", "why"),
    [
        ("66666", "", "斋6×6", "true with .598; 飞7×6 is weaker, 斋7×6 has .196"),
        ("23456", "f3x6", "斋2×6", "the strongest of those with .598"),
        ("44455", "f6x4", "斋4×4", "the last bid has .210, 斋4×4 .598; 斋3×5 is weaker"),
        ("12346", "f4x6", "飞5×2", "nothing has 40%: a bluff with the likeliest, .210"),
        ("22345", "f4x6", "challenge", "true with .045"),
    ],
)
def test_aggressive(hand: str, history: str, expected: str, why: str) -> None:
    assert plays("aggressive", hand, history) == expected, why


@pytest.mark.parametrize(
    ("hand", "history", "expected", "why"),
    [
        ("66666", "", "飞3×2", "the weakest opening"),
        ("22345", "f3x2", "飞3×3", "the next face; the last bid has .539"),
        ("12346", "f3x6", "斋2×1", "the weakest raise: 斋 comes in between"),
        ("22222", "f4x6", "challenge", "true with .045, below .4"),
        ("12346", "f4x6", "飞5×2", "the next count; 斋2×6 is as strong as the last bid"),
        ("22346", "f5x2", "challenge", "true with .210"),
    ],
)
def test_face_by_face(hand: str, history: str, expected: str, why: str) -> None:
    assert plays("face-by-face", hand, history) == expected, why


@pytest.mark.parametrize(
    ("name", "raises"), [("face-by-face", "斋3×1"), ("best-supported", "斋3×2")]
)
def test_the_bots_of_knockout_are_content_with_40_percent(name: str, raises: str) -> None:
    # Of 10 dice of two others at least 4 count with .441; of 15 of three others 6 with .382.
    assert plays(name, "23456", "f5x6", preset("zhaifei", players=3)) == raises
    assert plays(name, "23456", "f7x6", preset("zhaifei", players=4)) == "challenge"


@pytest.mark.parametrize(
    ("hand", "history", "expected", "why"),
    [
        ("66666", "", "飞3×6", "all count, as for any bid on 6; the weakest that is certain"),
        ("11123", "", "飞3×2", "four count; as for 飞3×3, but it is weaker"),
        ("22346", "f4x2", "斋3×2", "two count, and true with .598; 飞5×2 with .210"),
        ("23344", "f3x4", "斋2×3", "two count for 3 and 4: certain, and weaker than 斋2×4"),
        ("12346", "f4x6", "飞5×2", "two count for five bids with .210, of which it is the weakest"),
        ("22222", "f4x6", "challenge", "true with .045, below .4"),
    ],
)
def test_best_supported(hand: str, history: str, expected: str, why: str) -> None:
    assert plays("best-supported", hand, history) == expected, why


@any_player
def test_without_a_stronger_bid_they_challenge(name: str) -> None:
    assert plays(name, "66666", "z10x6") == "challenge"


@any_player
@pytest.mark.parametrize("jump_challenge", [False, True])
@pytest.mark.parametrize("players", [2, 3, 5])
def test_earlier_bids_do_not_matter(name: str, players: int, jump_challenge: bool) -> None:
    rules = preset("zhaifei", players=players, jump_challenge=jump_challenge)
    strategy = rule_based(name, rules).strategy
    expected = strategy(parse_history(rules, "f8x3"))
    for history in ("f7x5 f8x3", "f7x2 f7x5 f8x3", "f6x2 f6x3 f6x4 f7x2 f7x5 f8x3"):
        np.testing.assert_array_equal(strategy(parse_history(rules, history)), expected)


@pytest.mark.parametrize("jump_challenge", [False, True])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("players", "dice", "faces"), [(2, 2, 2), (3, 1, 3), (4, 1, 2), (5, 1, 2)])
def test_after_up_to_five_bids_each_hand_does_what_the_rule_says_of_it_alone(
    players: int, dice: int, faces: int, name: str, jump_challenge: bool
) -> None:
    # With five bids there is one more than any challenge reaches back.
    rules = Rules.of(
        players=players, dice=dice, faces=faces, first_count=1, jump_challenge=jump_challenge
    )
    strategy = rule_based(name, rules).strategy
    histories = histories_up_to(rules, 5)
    assert max(map(len, histories)) == 5 > rules.furthest_challenge
    for history in histories:
        assert (strategy(history) == asked(name, rules, history)).all(), format_history(history)


def histories_up_to(rules: Rules, length: int) -> list[tuple[Bid, ...]]:
    """Return every legal history of at most `length` bids."""
    found: list[tuple[Bid, ...]] = []
    longer: list[tuple[Bid, ...]] = [()]
    for _ in range(length + 1):
        found += longer
        longer = [
            (*history, bid)
            for history in longer
            for bid in legal_bids(rules, history[-1] if history else None)
        ]
    return found


def asked(name: str, rules: Rules, history: tuple[Bid, ...]) -> NDArray[np.float64]:
    """[hand, action] what the player does, asked about one hand after the other."""
    if name != "random":
        return asked_after(name, rules, history[-1] if history else None)
    result = np.zeros((len(hands(rules)), action_count(rules)))
    legal = legal_actions(rules, history)
    result[:, legal] = 1.0 / len(legal)
    return result


@lru_cache
def asked_after(name: str, rules: Rules, last: Bid | None) -> NDArray[np.float64]:
    """As `asked`, for a player that goes by the last bid."""
    result = np.zeros((len(hands(rules)), action_count(rules)))
    for place, hand in enumerate(hands(rules)):
        bid = raise_by_rule(name, rules, hand, State(last), rules.total_dice)
        result[place, challenge_action(rules) if bid is None else action_of(rules, bid)] = 1.0
    return result


@pytest.mark.parametrize("jump_challenge", [False, True])
def test_three_players_do_not_challenge_every_second_bid(jump_challenge: bool) -> None:
    # Of 10 dice of two others, at least 4 count as 飞 with .441, and at least 3 with .701. So 飞4×3
    # is likelier false than true for the 56 of 252 hands that hold neither a 1 nor a 3.
    rules = preset("zhaifei", players=3, jump_challenge=jump_challenge)
    history = parse_history(rules, "f4x2 f4x3")
    for name in TABULATED:
        challenges = rule_based(name, rules).strategy(history)[:, challenge_action(rules)]
        assert challenges.sum() == (56 if name == "honest" else 0)


class Jumping(PolicyPlayer):
    """A rule-based player that challenges when it would anyway, and then the bid that has the
    highest expected value by the chances that it goes by."""

    def act(
        self, hand: NDArray[np.int64], history: NDArray[np.int64], uniform: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        action = super().act(hand, history, uniform)
        furthest = len(challengeable(self.rules, history.shape[1]))
        if furthest < 2:
            return action
        far = np.arange(1, furthest + 1)
        likely = chances(self.rules)[history[:, -far], hand[:, np.newaxis]]
        value = far * ((1.0 - likely) / (self.rules.players - 1) - likely)
        nearest = challenge_action(self.rules)
        return np.where(action == nearest, nearest + value.argmax(axis=1), action)


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("name", ["honest", "probabilistic"])
def test_jumps_would_cost_them_points(name: str, players: int) -> None:
    rules = preset("zhaifei", players=players, jump_challenge=True)
    policy = rule_based(name, rules)
    share = penalty_share(Jumping(policy), PolicyPlayer(policy), rules, rounds=20_000, seed=1)
    assert share.lower > 1.0 / players


@settings(max_examples=25)
@given(st.data(), any_rules(max_dice=3, max_faces=4), st.sampled_from(TABULATED))
def test_in_all_variants_each_hand_has_one_legal_action(
    data: st.DataObject, rules: Rules, name: str
) -> None:
    history = data.draw(histories_of(rules))
    strategy = rule_based(name, rules).strategy(history)
    assert set(np.unique(strategy)) <= {0.0, 1.0}
    assert (strategy.sum(axis=1) == 1.0).all()
    jumps = {challenge_action(rules, far) for far in range(2, rules.furthest_challenge + 1)}
    assert {*strategy.argmax(axis=1)} <= {*legal_actions(rules, history)} - jumps


@any_player
def test_large_tables_are_stored_compactly_without_loss(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = preset("zhaifei", players=3, dice=2)
    exact = rule_based(name, rules)
    monkeypatch.setattr(module, "steps_for", lambda rows, hands: STEPS)
    compact = rule_based.__wrapped__(name, rules)
    assert isinstance(compact, TablePolicy)
    assert compact.table.steps == STEPS
    for history in [(), *((bid,) for bid in legal_bids(rules, None))]:
        np.testing.assert_array_equal(compact.strategy(history), exact.strategy(history))


def test_how_exploitable_they_are_can_be_told() -> None:
    *_, result = Evaluation(rule_based("honest", preset("basic", dice=1))).refine()
    assert result.exact
    assert 0.0 < result.exploitability.lower <= 1.0


def test_each_is_described_in_one_line() -> None:
    assert tuple(descriptions()) == NAMES
    assert all(str(text) and "\n" not in str(text) for text in descriptions().values())


# The random one


def legal_actions(rules: Rules, history: tuple[Bid, ...]) -> list[int]:
    raises = legal_bids(rules, *state_after(rules, history))
    return [action_of(rules, bid) for bid in raises] + endings_after(rules, history)


@settings(max_examples=50)
@given(st.data(), any_rules(max_dice=2, max_faces=4))
def test_random_does_anything_legal_with_the_same_probability(
    data: st.DataObject, rules: Rules
) -> None:
    history = data.draw(histories_of(rules))
    legal = legal_actions(rules, history)
    player = RandomPolicy(rules)
    expected = np.zeros(action_count(rules))
    expected[legal] = 1.0 / len(legal)
    strategy = player.strategy(history)
    assert strategy.shape == (len(hands(rules)), len(expected))
    assert (strategy == expected).all()
    # As a player: each action takes up as much of [0, 1).
    uniform = (np.arange(3 * len(legal)) + 0.5) / (3 * len(legal))
    bids = np.array([action_of(rules, bid) for bid in history], dtype=np.int64)
    drawn = player.act(
        np.zeros(uniform.size, dtype=np.int64), np.tile(bids, (uniform.size, 1)), uniform
    )
    assert drawn.tolist() == [action for action in legal for _ in range(3)]


@pytest.mark.parametrize(
    "rules", [Rules.of(dice=1, faces=3), preset("zhaifei"), preset("liars_dice")]
)
def test_random_is_the_same_as_a_table(rules: Rules) -> None:
    policy, first, *others = RandomPolicy(rules), *legal_bids(rules, None)
    table = policy.tabulated()
    for history in ([], [first], *([first, bid] for bid in others)):
        np.testing.assert_allclose(table.strategy(history), policy.strategy(history), atol=1e-15)


def test_random_looks_at_each_round_for_itself() -> None:
    bids = [
        [action_of(FULL, bid) for bid in parse_history(FULL, text)]
        for text in ("f3x2 f3x3", "f3x2 z10x6")
    ]
    drawn = RandomPolicy(FULL).act(np.zeros(2, dtype=np.int64), np.array(bids), np.zeros(2))
    assert [format_action(FULL, action) for action in drawn] == ["飞3×4", "challenge"]
