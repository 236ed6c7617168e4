import re
from dataclasses import replace
from functools import partial
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.locale import choose, say_action, say_rules
from game.bids import Bid, IllegalBid, action_count, challenge_action, domain
from game.errors import ZhaifeiError
from game.hands import IllegalHand, hands
from game.notation import (
    NotationError,
    format_action,
    format_hand,
    format_history,
    parse_action,
    parse_bid,
    parse_hand,
    parse_history,
)
from game.rules import Mode, Rules, preset
from tests.game.strategies import any_rules, bids_of, histories_of

SPELLINGS = {Mode.FEI: ["飞", "fei", "f", "FEI", "F", "Fei"], Mode.ZHAI: ["斋", "zhai", "z", "Z"]}
SEPARATORS = ["×", "x", "X", "*", " ", " x ", " × ", "* "]


@pytest.mark.parametrize("mode", Mode)
def test_every_spelling_of_a_bid_is_read(mode):
    for said, gap, separator in product(SPELLINGS[mode], ["", " "], SEPARATORS):
        text = f"{said}{gap}12{separator}6"
        assert parse_bid(text) == Bid(mode, 12, 6), text
        assert parse_bid(f"  {text}\n") == Bid(mode, 12, 6), text


@pytest.mark.parametrize(
    ("text", "bid"),
    [
        ("飞4×6", Bid(Mode.FEI, 4, 6)),
        ("飞4x6", Bid(Mode.FEI, 4, 6)),
        ("f4x6", Bid(Mode.FEI, 4, 6)),
        ("fei 4 6", Bid(Mode.FEI, 4, 6)),
        ("z2x5", Bid(Mode.ZHAI, 2, 5)),
        ("斋 2*5", Bid(Mode.ZHAI, 2, 5)),
    ],
)
def test_the_documented_spellings_are_read(text, bid):
    assert parse_bid(text) == bid


def test_a_bid_is_printed_with_its_sign():
    assert str(Bid(Mode.FEI, 4, 6)) == "飞4×6"
    assert str(Bid(Mode.ZHAI, 10, 1)) == "斋10×1"


@given(st.data(), any_rules())
def test_bids_round_trip(data, rules):
    bid = data.draw(bids_of(rules))
    assert parse_bid(str(bid)) == bid


@pytest.mark.parametrize(
    "text", ["", "4x6", "f", "f46", "f4x", "fx6", "f4-6", "q4x6", "f4x6 f5x6", "f4x6x2", "f-4x6",
             "feı 4 6", "f4.0x6", "f1234x6"],
)  # fmt: skip
def test_what_is_no_bid_is_refused_with_an_example(text):
    with pytest.raises(NotationError) as error:
        parse_bid(text)
    assert str(error.value) == (
        f"{text!r} is not a bid; write it like 飞4x6, f4x6, fei 4 6 or z2x5"
    )


@given(st.data(), any_rules(), st.sampled_from([" ", ", ", ",", "\n", "\r\n", "  ", "\u3000"]))
def test_histories_round_trip_whatever_parts_the_bids(data, rules, separator):
    history = data.draw(histories_of(rules))
    assert parse_history(rules, format_history(history)) == history
    assert parse_history(rules, separator.join(map(str, history))) == history


def test_a_history_is_printed_oldest_first():
    history = parse_history(Rules(), "f3x4, z2x5 fei 5 2")
    assert format_history(history) == "飞3×4 斋2×5 飞5×2"
    assert parse_history(Rules(), "") == parse_history(Rules(), "  \n") == ()


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("nonsense", "nonsense"),
        ("f3x4 then z2x5", "then z2x5"),
        ("f3x4 challenge", "challenge"),
        ("f3x4z2x5", "z2x5"),
        ("f3x4, 5x2", "5x2"),
        ("xf3x4", "xf3x4"),
        ("f3x4444 z2x5", "4 z2x5"),
    ],
)
def test_a_history_says_where_it_stops_being_one(text, unread):
    with pytest.raises(NotationError, match="cannot read the history") as error:
        parse_history(Rules(), text)
    assert f"from {unread!r} on" in str(error.value)


def test_an_illegal_history_is_refused():
    with pytest.raises(IllegalBid, match="斋2×4 may not open a round"):
        parse_history(Rules(), "z2x4")
    with pytest.raises(IllegalBid, match="斋2×4 is not stronger than 飞5×2"):
        parse_history(Rules(), "f5x2 z2x4")


@given(any_rules(max_dice=4))
def test_hands_round_trip(rules):
    for hand in hands(rules):
        assert parse_hand(rules, format_hand(hand)) == hand


@pytest.mark.parametrize("text", ["11346", "64311", "6 4 3 1 1", "6,4, 3,1,1", " 31146\n"])
def test_a_hand_is_read_in_any_order(text):
    assert parse_hand(Rules(), text) == (1, 1, 3, 4, 6)


@pytest.mark.parametrize("text", ["", " ", "1134a", "-11346", "1.1346", "一二三四五", "１１３４６"])
def test_what_is_no_hand_is_refused(text):
    with pytest.raises(NotationError, match="is not a hand"):
        parse_hand(Rules(), text)


@pytest.mark.parametrize("text", ["1134", "113467", "11347", "01134"])
def test_digits_that_are_no_hand_are_refused_by_the_rules(text):
    with pytest.raises(IllegalHand):
        parse_hand(Rules(), text)


@given(any_rules())
def test_actions_round_trip(rules):
    for action in range(action_count(rules)):
        assert parse_action(rules, format_action(rules, action)) == action


JUMP = Rules(players=4, jump_challenge=True)


@pytest.mark.parametrize(
    ("language", "challenge", "of_two_ago"),
    [("en", "challenge", "challenge 2"), ("zh", "开", "跳开 2")],
)
def test_actions_are_said_in_the_language_of_the_screen(language, challenge, of_two_ago):
    rules = Rules(players=4, jump_challenge=True)
    actions = range(action_count(rules))
    choose(language)
    try:
        said = [say_action(format_action(rules, action)) for action in actions]
    finally:
        choose("en")
    bids = len(domain(rules))
    assert said[:bids] == [str(bid) for bid in domain(rules)]
    assert said[bids : bids + 2] == [challenge, of_two_ago]
    assert [parse_action(rules, text) for text in said] == list(actions)


@pytest.mark.parametrize("said", ["challenge", "c", "C", "Challenge", "开", "跳开", "检验"])
@pytest.mark.parametrize("gap", ["", " ", "\t"])
def test_every_spelling_of_a_challenge_is_read(said, gap):
    assert parse_action(JUMP, f" {said}\n") == challenge_action(JUMP)
    for distance in (1, 2, 3):
        text = f"{said}{gap}{distance}"
        assert parse_action(JUMP, text) == challenge_action(JUMP, distance), text


def test_a_challenge_is_printed_with_how_many_bids_ago_unless_it_is_the_last():
    challenges = [challenge_action(JUMP, distance) for distance in (1, 2, 3)]
    printed = ["challenge", "challenge 2", "challenge 3"]
    assert [format_action(JUMP, action) for action in challenges] == printed


@given(st.data(), any_rules())
def test_a_bid_is_read_as_its_action(data, rules):
    bid = data.draw(bids_of(rules))
    assert parse_action(rules, str(bid)) == domain(rules).index(bid)


@pytest.mark.parametrize(
    "text", ["", "4x6", "c0", "c-1", "c10", "cc", "开2跳", "ch", "c٢", "f4x6 c", "c f4x6", "call"]
)
def test_what_is_no_action_is_refused_with_examples(text):
    with pytest.raises(NotationError) as error:
        parse_action(JUMP, text)
    assert str(error.value) == (
        f"{text!r} is neither a bid, like 飞4x6 or z2x5, nor a challenge, like challenge or c"
    )


def test_a_bid_outside_the_domain_is_no_action():
    with pytest.raises(IllegalBid, match="飞21×4 is out of the domain"):
        parse_action(JUMP, "f21x4")


@given(any_rules())
def test_actions_are_printed_as_bids_or_challenge(rules):
    bids = [parse_bid(format_action(rules, action)) for action in range(challenge_action(rules))]
    assert bids == list(domain(rules))
    assert format_action(rules, challenge_action(rules)) == "challenge"


TEXT = st.text() | st.text("飞斋开跳检验fFzZcCeihaıİxX×* ,\n\u30000123456789٣", max_size=30)


@given(TEXT, any_rules())
@example("feı 4 6", Rules())
@example("FEİ 4 6", Rules())
@example("f٣x4", Rules())
def test_any_text_is_read_or_refused_politely(text, rules):
    in_any_rules = (parse_hand, parse_history, parse_action)
    for parse in (parse_bid, *(partial(parse, rules) for parse in in_any_rules)):
        try:
            parse(text)
        except ZhaifeiError as error:
            assert str(error)  # noqa: PT017  (any other exception fails the test)


@given(st.data(), any_rules())
def test_a_history_that_is_read_is_printed_as_it_is_read(data, rules):
    """Fuzzed close to the notation, where mistakes would be misread rather than refused."""
    pieces = st.sampled_from([*map(str, domain(rules)), "飞3×", "4", "斋", " ", ",", "×", "12"])
    text = "".join(data.draw(st.lists(pieces, max_size=8)))
    try:
        history = parse_history(rules, text)
    except ZhaifeiError:
        return
    assert re.sub("[ ,×]", "", "".join(map(str, history))) == re.sub("[ ,×]", "", text)


@given(st.data(), any_rules())
def test_an_action_that_is_read_is_the_one_that_was_written(data, rules):
    """Fuzzed close to the notation, as above."""
    pieces = st.sampled_from([*map(str, domain(rules)), "开", " ", *"0123456789"])
    text = "".join(data.draw(st.lists(pieces, max_size=4)))
    try:
        action = parse_action(rules, text)
    except ZhaifeiError:
        return
    if action < len(domain(rules)):
        assert str(domain(rules)[action]) == text.strip()
    else:
        distance = re.fullmatch("开([1-9]?)", text.replace(" ", ""))[1] or "1"
        assert action == len(domain(rules)) + int(distance) - 1


@pytest.mark.parametrize(
    ("rules", "english", "chinese"),
    [
        (
            preset("zhaifei"),
            "zhaifei: 2 players, 5 dice of 6 faces each",
            "zhaifei：2 人，每人 5 个 6 面骰子",
        ),
        (
            preset("basic", players=4, dice=1, faces=3),
            "basic: 4 players, 1 die of 3 faces each",
            "basic：4 人，每人 1 个 3 面骰子",
        ),
        (
            preset("zhaifei", players=3, jump_challenge=True),
            "zhaifei: 3 players, 5 dice of 6 faces each, with 跳开",
            "zhaifei：3 人，每人 5 个 6 面骰子，有跳开",
        ),
        (
            replace(preset("zhaifei"), zhai_weight=3),
            "custom rules: 2 players, 5 dice of 6 faces each",
            "自定规则：2 人，每人 5 个 6 面骰子",
        ),
    ],
)
def test_rules_are_said_in_the_language_of_the_screen(rules, english, chinese):
    assert say_rules(rules) == english
    choose("zh")
    try:
        assert say_rules(rules) == chinese
    finally:
        choose("en")
