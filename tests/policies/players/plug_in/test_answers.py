"""The reader of what a strategy file's process writes: whatever it is, it is a decision or a fault
that can be told in one line."""

import json
import random
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from zhaifei.app.locale import choose, explain
from zhaifei.game.bids import Bid
from zhaifei.game.parts import Mode
from zhaifei.policies.players.plug_in.answers import (
    LARGEST,
    LONGEST_LINE,
    LONGEST_NAME,
    LONGEST_TEXT,
    MOST_CLASSES,
    Fault,
    ProcessFault,
    read_classes,
    read_decision,
    read_shares,
)
from zhaifei.policies.players.plug_in.worker import METHODS

FEI, ZHAI = Mode
BOTH, CHALLENGE, BID = METHODS, METHODS[:1], METHODS[1:]
RAISED = {"type": "E", "text": "no", "line": 3}

GOOD = [
    (BOTH, {"challenge": True}, True),
    (CHALLENGE, {"challenge": False}, False),
    (BID, {"bid": [1, 5, 4, 0]}, Bid(ZHAI, 5, 4)),
    (BOTH, {"bid": [0, -3, LARGEST, 0]}, Bid(FEI, -3, LARGEST)),
]
"""Which methods were called, the answer, and the decision."""
FAULTS = [
    (BID, {"call": "make_bid", "returned": "5"}, "make_bid returned 5, which is not a bid"),
    (BOTH, {"call": "challenge_bid", "returned": ""}, "challenge_bid returned , not True or False"),
    (BOTH, {"call": "make_bid", "raised": RAISED}, "make_bid raised E in line 3: no"),
    (BID, {"call": "make_bid", "raised": {**RAISED, "line": None}}, "make_bid raised E: no"),
]
"""The same with the fault."""


def line_of(answer: object, number: object = 7) -> bytes:
    members = {"number": number, **answer} if isinstance(answer, dict) else answer
    return f"{json.dumps(members)}\n".encode()


def read(line: bytes, calls: tuple[str, ...] = BOTH) -> object:
    """A decision, or the text of the fault, or None for what is not an answer."""
    try:
        return read_decision(line, 7, calls)
    except ProcessFault:
        return None
    except Fault as fault:
        return str(fault)


@pytest.mark.parametrize(("calls", "answer", "read_as"), [*GOOD, *FAULTS], ids=str)
def test_what_a_worker_writes_is_read(
    calls: tuple[str, ...], answer: dict[str, object], read_as: object
) -> None:
    assert read(line_of(answer), calls) == read_as


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"null\n",
        b"[]\n",
        b"{}\n",
        b"7\n",
        b"NaN\n",
        b'"number"\n',
        b"{\n",
        b"\xff\n",
        b'{"number": 7, "challenge": true',
        b'{"number": 7, "challenge": true} {}\n',
        '{"number": 7, "challenge": true}\n'.encode("utf-16"),
        '{"number": 7, "call": "make_bid", "returned": "飞"}\n'.encode(),
        b"[" * (LONGEST_LINE - 1) + b"\n",
        b'{"number":' * (LONGEST_LINE // 10) + b"\n",
        b'{"number": 7, "bid": [0, 5, %s, 0]}\n' % (b"9" * (LONGEST_LINE - 100)),
        b'{"number": 7, "bid": [0, 5, 1e400, 0]}\n',
        b'{"number": 7, "bid": [0, NaN, 4, 0]}\n',
        *(line_of({"challenge": True}, number) for number in (6, 8, -7, 7.0, "7", None, [7])),
        line_of({"challenge": True}, 10**400),
    ],
)
def test_other_lines_are_no_answers(line: bytes) -> None:
    assert read(line) is None


@pytest.mark.parametrize(
    ("calls", "answer"),
    [
        # not what was asked
        (BID, {"challenge": True}),
        (BID, {"challenge": False}),
        (BOTH, {"challenge": False}),
        (CHALLENGE, {"bid": [0, 5, 4, 0]}),
        (BID, {"call": "challenge_bid", "returned": "1"}),
        (CHALLENGE, {"call": "make_bid", "raised": RAISED}),
        # members
        (BOTH, {}),
        (BOTH, {"challenge": True, "bid": [0, 5, 4, 0]}),
        (BOTH, {"classes": ["Own"]}),
        (BOTH, {"challenge": True, "more": 1}),
        (BOTH, {"call": "make_bid"}),
        (BOTH, {"call": None, "returned": "5"}),
        (BOTH, {"call": ["make_bid"], "returned": "5"}),
        (BOTH, {"call": "make_bid", "raised": {}}),
        (BOTH, {"call": "make_bid", "raised": None}),
        (BOTH, {"call": "make_bid", "raised": {**RAISED, "more": 1}}),
        # types
        (BOTH, {"challenge": 1}),
        (BOTH, {"challenge": None}),
        (BOTH, {"challenge": "true"}),
        (BOTH, {"bid": [False, 5, 4, 0]}),
        (BOTH, {"bid": [0, 5.0, 4, 0]}),
        (BOTH, {"bid": [0, 5, True, 0]}),
        (BOTH, {"bid": ["0", "5", "4", 0]}),
        (BOTH, {"bid": "054"}),
        (BOTH, {"bid": {"0": 5}}),
        (BOTH, {"call": "make_bid", "returned": 5}),
        (BOTH, {"call": "make_bid", "raised": {**RAISED, "line": "3"}}),
        (BOTH, {"call": "make_bid", "raised": {**RAISED, "line": True}}),
        (BOTH, {"call": "make_bid", "raised": {**RAISED, "type": None}}),
        # sizes
        (BOTH, {"bid": []}),
        (BOTH, {"bid": [0, 5]}),
        (BOTH, {"bid": [0, 5, 4, 0, 1]}),
        (BOTH, {"bid": [0, 5, 4, 4]}),
        (BOTH, {"bid": [0, 5, 4, -1]}),
        (BOTH, {"bid": [2, 5, 4, 0]}),
        (BOTH, {"bid": [-1, 5, 4, 0]}),
        (BOTH, {"bid": [0, LARGEST + 1, 4, 0]}),
        (BOTH, {"bid": [0, 5, -LARGEST - 1, 0]}),
        (BOTH, {"call": "make_bid", "returned": "x" * (LONGEST_TEXT + 1)}),
        (BOTH, {"call": "make_bid", "raised": {**RAISED, "type": "x" * (LONGEST_NAME + 1)}}),
        (BOTH, {"call": "make_bid", "raised": {**RAISED, "line": -1}}),
        # what a terminal would obey or refuse
        (BOTH, {"call": "make_bid", "returned": "\x1b[2J"}),
        (BOTH, {"call": "make_bid", "returned": "one\ntwo"}),
        (BOTH, {"call": "make_bid", "raised": {**RAISED, "text": "\ud800"}}),
    ],
    ids=str,
)
def test_objects_with_other_contents_are_no_answers(
    calls: tuple[str, ...], answer: dict[str, object]
) -> None:
    assert read(line_of(answer), calls) is None


@pytest.mark.parametrize(
    ("answer", "read_as"),
    [
        ({"classes": []}, ()),
        ({"classes": ["One", "策略"]}, ("One", "策略")),
        ({"raised": RAISED}, "E in line 3: no"),
        ({"raised": {**RAISED, "line": None}}, "E: no"),
        ({"classes": None}, None),
        ({"classes": "One"}, None),
        ({"classes": [1]}, None),
        ({"classes": [["One"]]}, None),
        ({"classes": ["x" * (LONGEST_NAME + 1)]}, None),
        ({"classes": ["One"] * (MOST_CLASSES + 1)}, None),
        ({"classes": ["One"], "raised": RAISED}, None),
        ({"raised": "E"}, None),
        ({"challenge": True}, None),
    ],
    ids=str,
)
def test_what_was_found_in_a_file_is_read(answer: dict[str, object], read_as: object) -> None:
    found: object
    try:
        found = read_classes(line_of(answer), 7)
    except Fault as fault:
        found = None if isinstance(fault, ProcessFault) else str(fault)
    assert found == read_as


@pytest.mark.parametrize(
    ("answer", "read_as"),
    [
        ({"shares": None}, None),
        ({"shares": []}, {}),
        ({"shares": [[3, 0.25], [110, 1]]}, {3: 0.25, 110: 1.0}),
        (
            {"call": "probabilities", "returned": "7"},
            "probabilities returned 7, not probabilities of bids and of challenge",
        ),
        ({"call": "probabilities", "raised": RAISED}, "probabilities raised E in line 3: no"),
        ({"shares": [[3, True]]}, ProcessFault),
        ({"shares": [[3, float("nan")]]}, ProcessFault),
        ({"shares": [[3, 10**400]]}, ProcessFault),
        ({"shares": [[-1, 0.5]]}, ProcessFault),
        ({"shares": [[1, 0.5, 1]]}, ProcessFault),
        ({"shares": {"3": 1.0}}, ProcessFault),
        ({"shares": None, "more": 1}, ProcessFault),
        ({"challenge": True}, ProcessFault),
    ],
    ids=str,
)
def test_probabilities_are_read(answer: dict[str, object], read_as: object) -> None:
    try:
        found: object = read_shares(line_of(answer), 7)
    except Fault as fault:
        found = ProcessFault if isinstance(fault, ProcessFault) else str(fault)
    assert found == read_as


def test_the_longest_answers_fit_into_a_line() -> None:
    wide = "\U0001f3b2"  # twelve characters in JSON
    raised = {"type": wide * LONGEST_NAME, "text": wide * LONGEST_TEXT, "line": LARGEST}
    for answer in (
        {"call": "challenge_bid", "raised": raised},
        {"classes": [wide * LONGEST_NAME] * MOST_CLASSES},
        {"shares": [[action, -1.2345678901234567e-300] for action in range(8 * 5 * 11)]},
    ):
        assert len(line_of(answer, LARGEST)) <= LONGEST_LINE


# fuzzing


def is_told(read_line: Callable[[bytes, int, tuple[str, ...]], object], line: bytes) -> str:
    """Check that a line is a decision, classes or a fault that is one short line in both languages,
    and say which."""
    try:
        found = read_line(line, 7, BOTH)
    except Fault as fault:
        for language in ("zh", "en"):
            choose(language)
            text = explain(fault)
            assert text.isprintable()
            assert len(text.encode()) < LONGEST_LINE
        return "no answer" if isinstance(fault, ProcessFault) else "fault"
    assert found is None or isinstance(found, bool | Bid | tuple | dict)
    return "answer"


def both(line: bytes) -> set[str]:
    return {
        is_told(read_decision, line),
        is_told(lambda *arguments: read_classes(*arguments[:2]), line),
        is_told(lambda *arguments: read_shares(*arguments[:2]), line),
    }


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from([7, *METHODS, "飞5x4", 10**400, -(2**63), RAISED]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)
NAMES = ("challenge", "bid", "shares", "call", "returned", "raised", "classes", "type", "text")
ANSWERS = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4) | st.fixed_dictionaries(
    {"call": st.sampled_from(METHODS)},
    optional={"returned": VALUES, "raised": st.fixed_dictionaries(dict.fromkeys(RAISED, VALUES))},
)


@settings(max_examples=300)
@given(answer=ANSWERS, number=st.just(7) | VALUES)
@example(answer={"bid": [0, 5, 4, 0]}, number=7)
def test_any_object_is_an_answer_or_a_fault(answer: dict[str, object], number: object) -> None:
    both(line_of(answer, number))


@settings(max_examples=200)
@given(st.binary(max_size=100) | VALUES.map(lambda value: json.dumps(value).encode()))
def test_any_line_is_an_answer_or_a_fault(line: bytes) -> None:
    both(line)


def test_damaged_answers_are_answers_or_faults() -> None:
    """20,000 answers of which bytes were changed, doubled, moved or left out."""
    chance = random.Random(0)
    lines = [line_of(answer) for _, answer, _ in [*GOOD, *FAULTS]]
    lines += [line_of({"classes": ["One", "Two"]}), line_of({"raised": RAISED})]
    lines += [line_of({"shares": [[3, 0.25], [110, 0.75]]}), line_of({"shares": None})]
    pieces = [b"[", b"{", b'"', b",", b":", b"0", b"-", b"1e999", b"NaN", b"null", b"true", b"\xff"]
    pieces += [b"\\ud800", b"\\u0000", b"9" * 400, b"[" * 2000, b'{"":' * 900, b"\x00", b"\n"]
    found = []
    for _ in range(20_000):
        line = chance.choice(lines)
        for _ in range(chance.randint(1, 4)):
            start, end = sorted(chance.choices(range(len(line) + 1), k=2))
            put = chance.choice([chance.choice(pieces), line[start:end], line[end:], b""])
            end = chance.choice([start, min(start + 1, len(line)), end])
            line = line[:start] + put + line[end:]
        found += both(line)
    assert set(found) == {"answer", "fault", "no answer"}
