"""Advice against an opponent who is locked."""

from collections.abc import Sequence

import numpy as np
import pytest

import zhaifei
from tests.policies.small_policies import every_other_node, random_policy
from tests.solver.black_boxes import slow_value
from zhaifei.game.bids import Bid, action_of, challenge_action, domain, legal_bids
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand, hands
from zhaifei.game.notation import format_history, parse_action, parse_history
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.catalogue.lock_file import parse_locks
from zhaifei.policies.measure.advice import Advice
from zhaifei.policies.measure.locked_advice import LockAnswer, locked_advice
from zhaifei.policies.players.locks import LockError, Locks
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.tables.recall import recall_tables
from zhaifei.solver.tables.strategy_table import StrategyTable

RULES = Rules.of(dice=1, faces=3)
BIDS = domain(RULES)
CHALLENGE = challenge_action(RULES)
RANDOM = random_policy(RULES, seed=5)


def solved(rules: Rules) -> TablePolicy:
    training = TreeCFR(rules)
    while training.passes < 150:
        training.advance()
    return TablePolicy(rules, "full", training.average())


SOLVED = solved(RULES)


def advice(
    policy: TablePolicy,
    hand: Hand,
    history: Sequence[Bid],
    text: str,
    answer: LockAnswer = LockAnswer.BEST_RESPONSE,
) -> Advice:
    locks = parse_locks(policy.rules, text, "mine.yaml")
    *_, found = locked_advice(policy, hand, None, history, locks, answer, seconds=0.3)
    assert sum(action.probability for action in found.actions) == pytest.approx(1)
    return found


def refusal(history: str, text: str, answer: LockAnswer = LockAnswer.BEST_RESPONSE) -> str:
    with pytest.raises(LockError) as found:
        advice(RANDOM, (2,), parse_history(RULES, history), text, answer)
    return str(found.value)


class Locked:
    """A policy with locks, as `slow_value` asks it; nothing is shared with what is tested but the
    reading of the locks."""

    def __init__(self, policy: TablePolicy, changed: dict[tuple[int, ...], np.ndarray]) -> None:
        self.rules, self._policy, self._changed = policy.rules, policy, changed

    def strategy(self, history: tuple[int, ...]) -> np.ndarray:
        if history in self._changed:
            return self._changed[history]
        return self._policy.strategy([domain(self.rules)[bid] for bid in history])


def always(actions: dict[int, float]) -> np.ndarray:
    played = np.zeros((len(hands(RULES)), CHALLENGE + 1))
    played[:, [*actions]] = [*actions.values()]
    return played


OPENING = legal_bids(RULES, None)[0]
"""After which the cases below ask, or the opponent answers."""


@pytest.mark.parametrize("policy", [RANDOM, every_other_node(RANDOM), SOLVED])
def test_a_best_response_is_that_to_the_policy_with_the_locks_written_in(policy) -> None:
    """The opponent opens and may answer any raise; both are locked."""
    raised = legal_bids(RULES, OPENING)[1]
    history = (action_of(RULES, OPENING),)
    text = (
        f"- {{after: start, hands: [1, 3], mix: {{{OPENING}: 0.5}}}}\n"
        f"- {{after: {OPENING} {raised}, play: {{c: 0.25, {BIDS[-1]}: 0.75}}}}\n"
    )
    start = policy.strategy(())
    start[[0, 2]] *= 0.5
    start[[0, 2], history[0]] += 0.5
    later = (*history, action_of(RULES, raised))
    asked = Locked(policy, {(): start, later: always({CHALLENGE: 0.25, len(BIDS) - 1: 0.75})})
    other = np.full(3, 1 / 3) * start[:, history[0]]
    deals = np.multiply.outer(other / other.sum(), np.ones(3))
    best = slow_value(asked, 1, history, deals)
    for own, hand in enumerate(hands(RULES)):
        found = advice(policy, hand, [OPENING], text)
        values = {action.action: action.value for action in found.actions}
        assert max(values.values()) == pytest.approx(best[own], abs=1e-9)
        assert found.ranked[0].value == pytest.approx(best[own], abs=1e-9)
        assert {action.value_error for action in found.actions} == {0.0}
        for bid in legal_bids(RULES, OPENING):
            value = slow_value(asked, 1, (*history, action_of(RULES, bid)), deals)
            assert values[str(bid)] == pytest.approx(value[own], abs=1e-9)
        assert found.locked is not None
        assert found.locked.lines == (1, 2)
        assert found.locked.gap is None
        assert not found.locked.read


def test_what_the_opponent_holds_follows_from_the_lock() -> None:
    """By hand: who opens so only with a 1 holds one."""
    text = (
        f"- {{after: start, hands: 1, play: {{{OPENING}: 1}}}}\n"
        f"- {{after: start, times: {{{OPENING}: 0}}}}\n"
    )
    for hand in hands(RULES):
        count = sum(face in (1, OPENING.face) for face in (1, *hand))  # 飞: ones count
        found = advice(RANDOM, hand, [OPENING], text)
        assert found.p_true == pytest.approx(float(count >= OPENING.count))
        challenge = next(one for one in found.actions if one.action == "challenge")
        assert challenge.value == pytest.approx(-1.0 if count >= OPENING.count else 1.0)


def test_a_lock_after_one_opening_changes_its_value_alone() -> None:
    """By hand: who never challenges it must raise, and whatever they raise to can be challenged."""
    strongest = max(
        legal_bids(RULES, None)[:-1],
        key=lambda bid: float(SOLVED.strategy([bid])[:, CHALLENGE].sum()),
    )
    text = f"- {{after: {strongest}, times: {{c: 0}}}}"
    changed = 0
    for hand in hands(RULES):
        plain = advice(SOLVED, hand, [], f"- {{after: {BIDS[-1]}, play: {{c: 1}}}}")
        values = {one.action: one.value for one in plain.actions}
        locked = {one.action: one.value for one in advice(SOLVED, hand, [], text).actions}
        assert locked.keys() == values.keys()
        for action, value in locked.items():
            if action != str(strongest):
                assert value == pytest.approx(values[action], abs=1e-9)
        changed += locked[str(strongest)] > values[str(strongest)] + 0.1
    assert changed > 0


def test_bluffs_make_challenges_worth_more() -> None:
    raised = legal_bids(RULES, OPENING)[-1]
    bids = [OPENING, raised]
    values = []
    for share in ("1/10", "1/3", "1"):
        text = f"- {{after: {OPENING}, mix: {{{raised}: {share}}}}}"
        found = advice(RANDOM, (2,), bids, text)
        values.append(next(one.value for one in found.actions if one.action == "challenge"))
        assert found.p_true is not None
    # With all of them bluffing, the range is the one before the round.
    counts = bid_tables(RULES).matches[action_of(RULES, raised)].astype(int)
    true = np.mean(counts + counts[1] >= raised.count)
    assert values[-1] == pytest.approx(1 - 2 * true)
    assert values == sorted(values) or values == sorted(values, reverse=True)


def test_bids_that_a_locked_opponent_never_makes_are_read() -> None:
    found = advice(RANDOM, (2,), [OPENING], f"- {{after: start, times: {{{OPENING}: 0}}}}")
    assert found.locked is not None
    assert found.locked.read
    assert 0.0 <= found.p_true <= 1.0


def test_a_solution_holds_what_is_locked_and_adapts_elsewhere() -> None:
    """After the opening the opponent calls any raise: nobody bluffs, and values are exact."""
    raises = legal_bids(RULES, OPENING)
    text = "\n".join(f"- {{after: {OPENING} {bid}, play: {{c: 1}}}}" for bid in raises)
    uniform = f"- {{after: start, play: {{{OPENING}: 1}}}}\n"
    for own, hand in enumerate(hands(RULES)):
        found = advice(RANDOM, hand, [OPENING], uniform + text, LockAnswer.SOLVE)
        assert found.locked is not None
        assert found.locked.gap == pytest.approx(0.0, abs=0.01)
        for one in found.actions:
            bid = CHALLENGE if one.action == "challenge" else parse_action(RULES, one.action)
            claim = action_of(RULES, OPENING) if bid == CHALLENGE else bid
            counts = bid_tables(RULES).matches[claim].astype(int)
            true = np.mean(counts + counts[own] >= BIDS[claim].count)
            expected = 1 - 2 * true if bid == CHALLENGE else 2 * true - 1
            assert one.value == pytest.approx(expected, abs=1e-6)
        assert found.ranked[0].value >= max(one.value for one in found.actions) - 0.011


def test_a_solution_from_the_start_of_a_round() -> None:
    text = f"- {{after: {OPENING}, play: {{c: 1}}}}"
    found = advice(SOLVED, (2,), [], text, LockAnswer.SOLVE)
    called = next(one for one in found.actions if one.action == str(OPENING))
    true = np.mean(
        [sum(f in (1, OPENING.face) for f in (2, face)) >= OPENING.count for face in (1, 2, 3)]
    )
    assert called.value == pytest.approx(2 * true - 1, abs=1e-6)


def test_own_locks_hold_in_a_solution_alone() -> None:
    text = f"- {{after: {OPENING}, play: {{c: 1}}}}"
    after = f"{OPENING} {legal_bids(RULES, OPENING)[0]}"
    third = legal_bids(RULES, legal_bids(RULES, OPENING)[0])[0]
    # Asked as the player who opened: the lock is the opponent's.
    assert advice(RANDOM, (2,), parse_history(RULES, after), text).locked is not None
    own = f"{after} {third}"
    said = refusal(own, text)
    assert said.startswith("mine.yaml, line 1: ")
    assert "your own turn" in said
    found = advice(RANDOM, (2,), parse_history(RULES, own), text, LockAnswer.SOLVE)
    assert found.locked is not None
    assert found.locked.answer == "solve"


@pytest.mark.parametrize("answer", LockAnswer)
def test_the_decision_itself_cannot_be_locked(answer) -> None:
    said = refusal(str(OPENING), f"\n- {{after: {OPENING}, play: {{c: 1}}}}", answer)
    assert said.startswith("mine.yaml, line 2: ")
    assert "nothing to answer" in said


def test_locks_elsewhere_change_nothing() -> None:
    other = legal_bids(RULES, None)[1]
    text = f"- {{after: {other} {BIDS[-1]}, play: {{c: 1}}}}"
    found = advice(RANDOM, (2,), [OPENING], text)
    assert found.locked is not None
    assert found.locked.lines == ()


def asked(policy: TablePolicy, bid: Bid | None, locks: Locks) -> None:
    next(iter(locked_advice(policy, (2,), bid, (), locks)))


def test_what_cannot_be_locked() -> None:
    locks = parse_locks(RULES, f"- {{after: start, play: {{{OPENING}: 1}}}}", "mine")
    three = random_policy(Rules.of(players=3, dice=1, faces=2, first_count=2))
    with pytest.raises(ZhaifeiError, match="only policies of two players"):
        asked(three, None, locks)
    forgetful = TablePolicy(
        RULES, "bid", StrategyTable(recall_tables(RULES, "bid"), *RANDOM.table[1:])
    )
    with pytest.raises(ZhaifeiError, match="that remember all bids"):
        asked(forgetful, None, locks)
    with pytest.raises(ZhaifeiError, match="the locks of mine are for"):
        asked(random_policy(Rules.of(dice=1, faces=2)), None, locks)
    higher = Rules.of(dice=1, faces=2, first_count=2)
    (lock,) = parse_locks(RULES, f"- {{after: start, play: {{{OPENING}: 1}}}}").locks
    with pytest.raises(ZhaifeiError, match="are unknown: with locks, give all bids"):
        asked(random_policy(higher), domain(higher)[0], Locks(higher, "mine", (lock,)))


def test_the_python_api(tmp_path) -> None:
    text = f"- {{after: start, play: {{{OPENING}: 1}}}}"
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    history = format_history([OPENING])
    locks = zhaifei.parse_locks(RULES, text)
    found = zhaifei.advise(RANDOM, "2", history=history, lock=locks)
    again = zhaifei.advise(RANDOM, "2", history=history, lock=file)
    assert found.actions == again.actions
    assert again.locked.source == str(file)
    assert zhaifei.load_locks(file, RULES).locks == locks.locks
    solution = zhaifei.advise(
        RANDOM, "2", history=history, lock=str(file), lock_answer="solve", resolve=0.1
    )
    assert solution.locked.gap is not None
    file.write_text("- after: nowhere", encoding="utf-8")
    with pytest.raises(zhaifei.ZhaifeiError, match="line 1"):
        zhaifei.advise(RANDOM, "2", history=history, lock=file)
