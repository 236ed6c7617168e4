"""What is remembered of the others, against Bayes' rule with everything written out."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.policies.reading_policies import VARIANTS, policy_for
from zhaifei.game.bids import action_of, challenge_action, domain, legal_bids
from zhaifei.game.hands import hands
from zhaifei.game.notation import parse_history
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.shipped import shipped_path
from zhaifei.policies.learning import memory as memory_module
from zhaifei.policies.learning.memory import (
    HOPELESS,
    KEPT,
    MOST,
    PROGRAM,
    Memory,
    Shown,
    shown_by,
    unknown_people,
)
from zhaifei.policies.learning.reading import LearnedReading
from zhaifei.policies.players.kinds import LIMIT_SHARES
from zhaifei.policies.players.manners import SHARES
from zhaifei.policies.players.table_policy import load_policy
from zhaifei.policies.players.table_reading import SURPRISE

FOLLOWS = 0.7
RULES = [rules for rules in VARIANTS if not rules.stakes.doubled]
ONE = np.zeros(1, dtype=np.int64)


def reading_for(rules: Rules) -> LearnedReading:
    return LearnedReading(rules, policy_for(rules).plain.table)


def rounds_of(rules: Rules) -> Iterator[tuple[list[int], list[int]]]:
    """Some rounds: the bids, and the hand at each place."""
    random = np.random.default_rng(1)
    for number in range(12):
        bids = [legal_bids(rules, None)[number % 3]]
        while len(bids) < 1 + number % 5 and legal_bids(rules, bids[-1]):
            weakest = legal_bids(rules, bids[-1])[:3]
            bids.append(weakest[random.integers(len(weakest))])
        dealt = random.integers(0, len(hands(rules)), rules.players)
        yield [action_of(rules, bid) for bid in bids], dealt.tolist()


class Twin:
    """One other player, by style and limit together."""

    def __init__(self, rules: Rules, reading: LearnedReading) -> None:
        self.rules, self.reading = rules, reading
        self.first = {
            (style, limit): one * other
            for style, one in enumerate(reading.kinds.shares)
            for limit, other in enumerate(LIMIT_SHARES)
        }
        self.known, self.odds = dict(self.first), FOLLOWS / (1.0 - FOLLOWS)

    def add(self, place: int, hand: int, bids: Sequence[int]) -> None:
        style, limit, table = self.likelihoods(place, hand, bids)
        both = {kind: style[kind[0]] * limit[kind[1]] for kind in self.known}
        first = FOLLOWS / (1.0 - FOLLOWS)
        kept = first * (self.odds / first) ** KEPT
        self.odds = kept * table / sum(self.known[one] * both[one] for one in both)
        # What was learned fades, then Bayes' rule.
        faded = {one: self.first[one] * (self.known[one] / self.first[one]) ** KEPT for one in both}
        total = sum(faded[one] * both[one] for one in both)
        self.known = {one: faded[one] * both[one] / total for one in both}

    def likelihoods(
        self, place: int, hand: int, bids: Sequence[int]
    ) -> tuple[list[float], list[float], float]:
        kinds, reading, rules = self.reading.kinds, self.reading, self.rules
        style, limit, table = [1.0] * len(kinds.shares), [1.0] * len(LIMIT_SHARES), 1.0
        for made, bid in enumerate(bids):
            if made % rules.players != place:
                continue
            before, its = np.array([bids[:made]], dtype=np.int64), np.array([bid])
            likely, passes = kinds.styles(before, its)[0], kinds.raised(before)[0]
            style = [one * float(likely[kind, hand]) for kind, one in enumerate(style)]
            limit = [one * float(passes[kind, hand]) for kind, one in enumerate(limit)]
            table *= float(reading.following(before, its)[0, hand])
        if len(bids) % rules.players == place:
            history = np.array([bids])
            challenged = [1.0 - float(one) for one in kinds.raised(history)[0, :, hand]]
            limit = [one * other for one, other in zip(limit, challenged, strict=True)]
            usual = sum(one * other for one, other in zip(LIMIT_SHARES, challenged, strict=True))
            table *= self.challenges(bids, hand, usual)
        return style, limit, table

    def challenges(self, bids: Sequence[int], hand: int, usual: float) -> float:
        policy = policy_for(self.rules).plain
        history = [domain(self.rules)[bid] for bid in bids]
        played = float(policy.strategy(history)[hand, challenge_action(self.rules)])
        stored = self.reading.played(np.array([bids]), np.array([challenge_action(self.rules)]))
        if not stored.any() and played == 1.0:  # not stored: the table challenges with every hand
            return usual
        return (1.0 - SURPRISE) * played + SURPRISE * usual


def new_memory(rules: Rules, matches: int = 1) -> Memory:
    return Memory(unknown_people(matches, rules.players - 1, FOLLOWS))


def remember(
    memory: Memory,
    reading: LearnedReading,
    place: int,
    dealt: Sequence[Sequence[int]],
    history: Sequence[Sequence[int]],
    matches: NDArray[np.int64] = ONE,
) -> None:
    """Remember rounds that a challenge has ended, of all others."""
    rules, hands_, bids = reading.rules, np.array(dealt), np.array(history)
    action = np.full(len(bids), challenge_action(rules))
    for player in range(rules.players - 1):
        other = (place + 1 + player) % rules.players
        shown = shown_by(reading, other, hands_[:, other], bids, action)
        memory.add(matches, player, shown)


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_memories_are_those_of_the_twin(rules: Rules) -> None:
    reading = reading_for(rules)
    memory = new_memory(rules)
    twins = [Twin(rules, reading) for _ in range(rules.players - 1)]
    for number, (bids, dealt) in enumerate(rounds_of(rules)):
        place = number % rules.players
        remember(memory, reading, place, [dealt], [bids])
        for ahead, twin in enumerate(twins, 1):
            other = (place + ahead) % rules.players
            twin.add(other, dealt[other], bids)
    people = memory.people(ONE)
    for player, twin in enumerate(twins):
        both = people.style[0, player][:, np.newaxis] * people.limit[0, player]
        assert people.odds[0, player] == pytest.approx(math.log(twin.odds))
        for kind, known in twin.known.items():
            assert both[kind] == pytest.approx(known)
    learned = sum(math.log(twin.odds * (1.0 - FOLLOWS) / FOLLOWS) for twin in twins)
    assert memory.learned(ONE)[0] == pytest.approx(learned)


def test_matches_have_nothing_to_do_with_each_other() -> None:
    rules = RULES[0]
    apart, together, reading = new_memory(rules, 2), new_memory(rules, 2), reading_for(rules)
    rounds = [(bids, dealt) for bids, dealt in rounds_of(rules) if len(bids) == 2]
    (bids, dealt), (others, other) = rounds[:2]
    for match, (its, hand) in enumerate(((bids, dealt), (others, other))):
        remember(apart, reading, 0, [hand], [its], np.array([match]))
    both = np.array([0, 1])
    remember(together, reading, 0, [dealt, other], [bids, others], both)
    for one, two in zip(apart.people(both), together.people(both), strict=True):
        np.testing.assert_allclose(one, two)
    assert apart.odds[0, 0] != apart.odds[1, 0]


def test_what_was_learned_long_ago_fades(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = RULES[0]
    bids, dealt = next(rounds_of(rules))
    learned = []
    for kept in (0.5, 1.0):
        monkeypatch.setattr(memory_module, "KEPT", kept)
        memory, reading = new_memory(rules), reading_for(rules)
        for _ in range(200):
            remember(memory, reading, 1, [dealt], [bids])
        learned.append(abs(float(memory.odds[0, 1]) - math.log(FOLLOWS / (1.0 - FOLLOWS))))
    assert learned[0] < 5.0  # at most twice what one round teaches
    assert learned[1] > 10.0
    assert np.abs(memory.odds).max() <= MOST


def test_a_bold_player_is_known_after_few_rounds() -> None:
    # With 13466 among five, 斋6×6 is true if four of the other 20 dice show a six: 43.3 %. No
    # stronger bid is 40 % likely, and plausible players seldom open so high.
    rules = preset("zhaifei", players=5)
    path = shipped_path(rules)
    assert path is not None
    memory, reading = new_memory(rules), LearnedReading(rules, load_policy(path).table)
    hand, before = hands(rules).index((1, 3, 4, 6, 6)), memory.people(ONE)
    bids = [action_of(rules, bid) for bid in parse_history(rules, "z6x6")]
    for _ in range(5):
        remember(memory, reading, 1, [[hand, 0, 0, 0, 0]], [bids])
    bold, opener = len(SHARES) - 1, 3
    assert before.style[0, opener, bold] == pytest.approx(SHARES[bold])
    assert memory.people(ONE).style[0, opener, bold] > 0.9


def test_programs_are_weighed_as_the_table_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bayes' rule over the styles, the table and two programs, of which none is ever hopeless."""
    monkeypatch.setattr(memory_module, "KEPT", 0.9)
    memory = Memory(unknown_people(1, 1, FOLLOWS, programs=2))
    first = np.array([1.0, FOLLOWS / (1.0 - FOLLOWS), PROGRAM, PROGRAM])
    np.testing.assert_allclose(memory.people(ONE).program[0, 0], np.log(first[2:]))
    expected, likely = first.copy(), np.array([0.2, 0.1, 0.9, 0.001])
    styles, limits = np.zeros((1, len(SHARES))), np.zeros((1, len(LIMIT_SHARES)))
    shown = Shown(styles + math.log(likely[0]), limits, np.log(likely[1:2]))
    for _ in range(5):
        memory.add(ONE, 0, shown, np.log(likely[np.newaxis, 2:]))
        expected = first * (expected / expected[0] / first) ** 0.9 * likely
        expected = np.maximum(expected / expected.max(), math.exp(-MOST))
        people = memory.people(ONE)
        found = [people.odds[0, 0], *people.program[0, 0]]
        np.testing.assert_allclose(found, np.log(expected[1:] / expected[0]))
    assert expected.min() == math.exp(-MOST)
    rest = math.log(expected[1] / (expected.sum() - expected[1]))
    assert people.following[0, 0] == pytest.approx(rest)
    start = math.log(first[1] / (first.sum() - first[1]))
    assert memory.learned(ONE)[0] == pytest.approx(rest - start)


def test_a_hopeless_program_is_asked_again_after_some_rounds() -> None:
    memory, nothing = Memory(unknown_people(1, 1, FOLLOWS, programs=2)), np.zeros((1, 1))
    shown = Shown(np.zeros((1, len(SHARES))), np.zeros((1, len(LIMIT_SHARES))), nothing[0])
    assert memory.doubted(ONE, 0).all()
    memory.add(ONE, 0, shown, np.array([[0.0, -30.0]]))
    assert memory.doubted(ONE, 0).tolist() == [[True, False]]
    waited = 0
    while not memory.doubted(ONE, 0)[0, 1]:
        before = memory.people(ONE)
        memory.add(ONE, 0, shown, np.array([[0.0, np.nan]]))
        after, waited = memory.people(ONE), waited + 1
        behind = [one.program[0, 0, 1] - one.odds[0, 0] for one in (before, after)]
        assert behind[1] == pytest.approx(KEPT * behind[0])
    assert waited == math.ceil(math.log(HOPELESS / MOST) / math.log(KEPT))
