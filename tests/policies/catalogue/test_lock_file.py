"""Lock files: what they mean, and how they are refused."""

import json
from collections import Counter
from pathlib import Path

import pytest

from zhaifei.game.bids import Bid, action_of
from zhaifei.game.hands import hands
from zhaifei.game.notation import parse_action, parse_history
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, preset
from zhaifei.game.texts import LONGEST
from zhaifei.policies.catalogue.lock_file import load_locks, parse_locks
from zhaifei.policies.players.locks import Lock, LockError, Way

FULL = preset("zhaifei")
HANDS = hands(FULL)


def only(text: str, rules: Rules = FULL) -> Lock:
    (lock,) = parse_locks(rules, text).locks
    return lock


def hands_of(said: str) -> set[str]:
    lock = only(f"- after: f3x6\n  hands: {said}\n  play: {{c: 1}}")
    assert list(lock.hands) == sorted(lock.hands)
    return {"".join(map(str, HANDS[hand])) for hand in lock.hands}


def refusal(text: str, rules: Rules = FULL) -> str:
    with pytest.raises(LockError) as found:
        parse_locks(rules, text, "mine.yaml")
    assert "\n" not in str(found.value)
    return str(found.value)


# What they mean


def test_the_issues_own_example() -> None:
    lock = only("# every hand that has a six\n- after: start\n  hands: z1x6\n  play: {飞3×6: 1}\n")
    assert lock.line == 2
    assert lock.history == ()
    assert lock.hands == tuple(place for place, hand in enumerate(HANDS) if 6 in hand)
    assert lock.way is Way.PLAY
    assert lock.actions == {parse_action(FULL, "f3x6"): 1.0}


@pytest.mark.parametrize("text", ["", "start", "开局", '""'])
def test_the_start_of_a_round(text: str) -> None:
    assert only(f"- after: {text}\n  play: {{f3x6: 1}}").history == ()


@pytest.mark.parametrize("text", ["f3x6 z2x6", "飞3×6 斋2×6", "飞三个六，斋两个六", "36 z26"])
def test_bids_are_written_as_in_query(text: str) -> None:
    lock = only(f"- after: {text}\n  play: {{不信: 1}}")
    assert lock.history == parse_history(FULL, "f3x6 z2x6")
    assert lock.actions == {parse_action(FULL, "c"): 1.0}


def test_which_hands_are_meant() -> None:
    has = {
        "z1x6": lambda dice: dice[6] >= 1,
        "f2x6": lambda dice: dice[6] + dice[1] >= 2,
        "斋两个一": lambda dice: dice[1] >= 2,
        "[z2x6, f4x5]": lambda dice: dice[6] >= 2 or dice[5] + dice[1] >= 4,
    }
    for said, condition in has.items():
        expected = {"".join(map(str, hand)) for hand in HANDS if condition(Counter(hand))}
        assert hands_of(said) == expected
        assert 0 < len(expected) < len(HANDS)


def test_hands_may_be_named_or_all() -> None:
    assert hands_of("64311") == {"11346"}
    assert hands_of("[11346, 2 2 3 4 5]") == {"11346", "22345"}
    assert len(hands_of("all")) == len(hands_of("全部")) == len(HANDS)
    assert only("- after: f3x6\n  play: {c: 1}").hands == tuple(range(len(HANDS)))


def test_numbers() -> None:
    said = "- after: f3x6\n  times: {c: 1/3, f4x6: 25%, f5x6: 0.125, f6x6: 12.5 %, z3x6: 7}"
    numbers = [*only(said).actions.values()]
    assert numbers == [1 / 3, 0.25, 0.125, 0.125, 7.0]
    thirds = only("- after: f3x6\n  play: {c: 1/3, f4x6: 1/3, f5x6: 1/3}")
    assert sum(thirds.actions.values()) == pytest.approx(1)


def test_one_lock_may_be_after_several_bids() -> None:
    locks = parse_locks(FULL, "- after: [start, f3x6 f4x6]\n  mix: {f5x6: 0.2}").locks
    assert [lock.history for lock in locks] == [(), parse_history(FULL, "f3x6 f4x6")]
    assert {lock.line for lock in locks} == {1}


def test_json_is_read_too() -> None:
    said = [{"after": "f3x6", "hands": ["z1x6"], "times": {"c": 0, "f4x6": 2}}]
    lock = only(json.dumps(said))
    assert lock.way is Way.TIMES
    assert lock.actions == {parse_action(FULL, "c"): 0.0, parse_action(FULL, "f4x6"): 2.0}


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "锁.yaml"
    file.write_text("- after: 飞3×6\n  play: {开: 1}\n", encoding="utf-8-sig")
    locks = load_locks(file, FULL)
    assert locks.source == str(file)
    assert locks.locks[0].line == 1


# How they are refused

LOCK = "- after: f3x6\n  play: {c: 1}\n"
REFUSED = {
    "empty": ("", 1, "there are no locks"),
    "only a comment": ("# f3x6\n", 1, "there are no locks"),
    "an empty list": ("[]", 1, "there are no locks"),
    "no list": ("after: f3x6", 1, "there are no locks"),
    "no lock": ("- f3x6", 1, "'name: value' is missing here"),
    "no space": ("- after: f3x6\n  play: {c:1}", 2, "'c:1' is neither a bid"),
    "an empty map": ("- {}", 1, "'name: value' is missing here"),
    "no bids": ("- hands: z1x6\n  play: {c: 1}", 1, "'after' is missing"),
    "nothing done": ("- after: f3x6", 1, "a lock has one of play, mix and times"),
    "two ways": (LOCK + "  mix: {c: 0.5}", 1, "a lock has one of play, mix and times"),
    "an unknown key": (LOCK + "  hand: z1x6", 3, "'hand' is unknown; a lock has after, hands"),
    "a key twice": (LOCK + "  play: {c: 1}", 3, "'play' comes twice"),
    "an unknown history": ("- after: hello\n  play: {c: 1}", 1, "cannot read the history 'hello'"),
    "an illegal history": ("- after: f2x6\n  play: {c: 1}", 1, "飞2×6 may not open a round"),
    "a weaker bid": ("- after: f4x6 f3x6\n  play: {c: 1}", 1, "飞3×6"),
    "an unknown bid": ("- after: f3x9\n  play: {c: 1}", 1, "飞3×9 is not a bid in these rules"),
    "two readings": ("- after: 7个3 斋 15个4\n  play: {c: 1}", 1, "may mean"),
    "an unknown action": ("- after: f3x6\n  play: {fold: 1}", 2, "'fold' is neither a bid"),
    "an illegal action": (
        "- after: f3x6\n  play:\n    f3x5: 1",
        3,
        "飞3×5 is not legal after 飞3×6",
    ),
    "no challenge opens": ("- after: start\n  play: {c: 1}", 2, "challenge cannot open a round"),
    "no low opening": ("- after: start\n  play: {f2x6: 1}", 2, "飞2×6 cannot open a round"),
    "after the strongest": ("- after: z10x6\n  play: {z10x6: 1}", 2, "only a challenge is"),
    "an action twice": ("- after: f3x6\n  play: {c: 1, 开: 0}", 2, "'开' comes twice"),
    "too little": ("- after: f3x6\n  play: {c: 0.5}", 2, "add up to 0.5, not to 1"),
    "too much": ("- after: f3x6\n  play: {c: 1, f4x6: 1%}", 2, "add up to 1.01, not to 1"),
    "rounded thirds": ("- after: f3x6\n  play: {c: 0.333, f4x6: 0.667, z2x6: 0.001}", 2, "1.001"),
    "mixing too much": ("- after: f3x6\n  mix: {c: 0.7, f4x6: 0.4}", 2, "1.1, more than 1"),
    "nothing left": ("- after: z10x6\n  times: {c: 0}", 2, "leave no legal action"),
    "no number": ("- after: f3x6\n  play: {c: often}", 2, "'often' is not a number"),
    "a negative one": ("- after: f3x6\n  times: {c: -1}", 2, "'-1' is not a number"),
    "nan": ("- after: f3x6\n  times: {c: nan}", 2, "'nan' is not a number"),
    "a huge one": ("- after: f3x6\n  times: {c: 1e999}", 2, "'1e999' is not a number"),
    "a zeroth": ("- after: f3x6\n  times: {c: 1/0}", 2, "'1/0' is not a number"),
    "a list of numbers": ("- after: f3x6\n  play: {c: [1]}", 2, "a list stands where a word"),
    "no actions": ("- after: f3x6\n  play: {}", 2, "'name: value' is missing here"),
    "a short hand": ("- after: f3x6\n  hands: 1134\n  play: {c: 1}", 2, "hand 1134 has 4 dice"),
    "a wrong face": ("- after: f3x6\n  hands: 11347\n  play: {c: 1}", 2, "shows a 7"),
    "no hand": ("- after: f3x6\n  hands: sixes\n  play: {c: 1}", 2, "'sixes' is not a bid"),
    "six of five": ("- after: f3x6\n  hands: z6x6\n  play: {c: 1}", 2, "no hand has 斋6×6"),
    "no mode": ("- after: f3x6\n  hands: 1x6\n  play: {c: 1}", 2, "'1x6' is not a bid"),
    "no hands": ("- after: f3x6\n  hands: []\n  play: {c: 1}", 2, "the list is empty"),
    "no histories": ("- after: []\n  play: {c: 1}", 1, "the list is empty"),
    "the same again": (LOCK + LOCK, 3, "never counts: those from line 1 on"),
    "of those before": (LOCK + "- after: 飞3×6\n  hands: 11346\n  mix: {c: 1}", 3, "never counts"),
    "twice in a list": ("- after: [f3x6, 飞3×6]\n  play: {c: 1}", 1, "never counts"),
    "an alias": ("- &a {after: f3x6, play: {c: 1}}\n- *a", 1, "may not have aliases"),
    "a tag": (LOCK + "- after: !!python/object:os.system f3x6", 3, "may not have aliases, tags"),
    "deep": (LOCK + "- " + "[" * 900, 3, "deep nesting"),
    "two documents": (LOCK + "---\n" + LOCK, 3, "several documents"),
    "no YAML": (LOCK + "- {after: f3x6", 3, "not YAML: "),
    "a tabulator": (LOCK + "\t- after: f3x6", 3, "not YAML: "),
    "a control character": (LOCK + "\x00", 3, "not YAML: special characters"),
    "no character": ('- after: "\\UFFFFFFFF"', 1, "not YAML: "),
    "too long": ("# " + "x" * LONGEST, 1, "the file is too long: the limit is 10,000"),
}


@pytest.mark.parametrize(("text", "line", "says"), REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_is_said_with_its_line(text: str, line: int, says: str) -> None:
    found = refusal(text)
    assert found.startswith(f"mine.yaml, line {line}: ")
    assert says in found


def test_what_may_follow_a_double_is_said_where_it_is_locked_wrongly() -> None:
    southern = preset("southern")
    for after, play, legal in (
        ("f3x6 劈", "f4x6", "only 反劈, challenge, give up can follow"),
        ("f3x6 劈 反劈", "反反劈", "反反劈 is not a call in these rules"),
        ("f3x6", "give up", "give up is not legal after 飞3×6; a challenge is"),
    ):
        with pytest.raises(LockError, match=legal):
            parse_locks(southern, f"- after: {after}\n  play: {{{play}: 1}}")


def test_aliases_that_would_fill_the_memory_are_never_followed() -> None:
    rows = ["- &a0 [c, c]"] + [f"- &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60)]
    assert "may not have aliases" in refusal("\n".join(rows))


def test_a_file_that_is_no_text_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_bytes(LOCK.encode() + b"- after: \xff\xfe\n")
    with pytest.raises(LockError, match="line 3: this is not text in UTF-8"):
        load_locks(file, FULL)
    file.write_text("- after: 飞3×6\n", encoding="utf-16")
    with pytest.raises(LockError, match="line 1: "):
        load_locks(file, FULL)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(LockError, match=r"cannot read .*absent"):
        load_locks(tmp_path / "absent.yaml", FULL)
    with pytest.raises(LockError, match="cannot read"):
        load_locks(tmp_path, FULL)


def test_a_file_of_any_size_is_read_to_a_bound(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    with file.open("wb") as target:
        target.truncate(1 << 40)
    with pytest.raises(LockError, match="too long"):
        load_locks(file, FULL)


def test_other_rules_have_other_bids() -> None:
    text = "- after: f3x3\n  hands: f1x3\n  play: {f4x3: 1}"
    small = Rules.of(dice=2, faces=3)
    assert len(only(text, small).hands) == 5
    assert "3 dice" in refusal(text.replace("f1x3", "112"), small)


def test_actions_are_read_after_the_bids_before_them_where_ones_end_fei() -> None:
    rules = preset("zhaifei", house=["ones-end-fei"])
    lock = only("- after: f3x6 z2x1\n  play: {z3x4: 1}\n", rules)
    assert lock.actions == {action_of(rules, Bid(Mode.ZHAI, 3, 4)): 1.0}
    before = only("- after: f3x6\n  play: {z3x4: 1}\n", rules)
    assert before.actions == {action_of(rules, Bid(Mode.ZHAI, 3, 4)): 1.0}
    why = refusal("- after: f3x6 z2x1\n  play: {f9x4: 1}\n", rules)
    assert "飞9×4" in why
