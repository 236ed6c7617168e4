import re
from functools import partial
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.game.strategies import any_rules, bids_of, histories_of
from zhaifei.app.locale import choose, say_action, say_rules
from zhaifei.game import notation
from zhaifei.game.bids import (
    Bid,
    IllegalBid,
    action_count,
    action_of,
    challenge_action,
    domain,
    gives_up_action,
    plain_bids,
    verify_history,
)
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import IllegalHand, hands
from zhaifei.game.notation import (
    NotationError,
    format_action,
    format_actions,
    format_hand,
    format_history,
    parse_action,
    parse_actions,
    parse_bid,
    parse_hand,
    parse_history,
    parse_step,
    read_back,
)
from zhaifei.game.parts import Mode
from zhaifei.game.public_state import DECLINE, FORFEIT
from zhaifei.game.rules import Rules, preset

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
    "text",
    [
        "",
        "4x6",
        "46",
        "四个六",
        "f",
        "f4",
        "f4x",
        "f4 x",
        "fx6",
        "f4-6",
        "q4x6",
        "f1十6",
        "f四十十",
        "f4 12",
        "f4x6f",
        "f4x6 f5x6",
        "f4x6x2",
        "f-4x6",
        "feı 4 6",
        "f4.0x6",
        "f1234x6",
    ],
)
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
        ("f3x4z2x5", "f3x4z2x5"),
        ("f3x4, 5", "5"),
        ("4 6 5 、", "5"),
        ("46,5,6", "5,6"),
        ("斋3个6，六个劈", "六个劈"),
        ("xf3x4", "xf3x4"),
        ("f3x4444 z2x5", "f3x4444 z2x5"),
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
    doubled = range(len(plain_bids(rules)), challenge_action(rules))
    for action in range(action_count(rules)):
        last = domain(rules)[action].claim if action in doubled else None
        assert parse_action(rules, format_action(rules, action), last) == action


JUMP = Rules.of(players=4, jump_challenge=True)


@pytest.mark.parametrize(
    ("language", "challenge", "of_two_ago"),
    [("en", "challenge", "challenge 2"), ("zh", "开", "跳开 2")],
)
def test_actions_are_said_in_the_language_of_the_screen(language, challenge, of_two_ago):
    rules = Rules.of(players=4, jump_challenge=True)
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


@pytest.mark.parametrize(
    "said", ["challenge", "c", "C", "Challenge", "开", "跳开", "检验", "不信", "開"]
)
@pytest.mark.parametrize("gap", ["", " ", "\t"])
def test_every_spelling_of_a_challenge_is_read(said, gap):
    assert parse_action(JUMP, f" {said}\n") == challenge_action(JUMP)
    for distance in (1, 2, 3):
        for spelled in (str(distance), "一二三"[distance - 1], "１２３"[distance - 1]):
            text = f"{said}{gap}{spelled}"
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
    "text", ["", "4x", "c0", "c-1", "c10", "cc", "开2跳", "ch", "c٢", "f4x6 c", "c f4x6", "call"]
)
def test_what_is_no_action_is_refused_with_examples(text):
    with pytest.raises(NotationError) as error:
        parse_action(JUMP, text)
    assert str(error.value) == (
        f"{text!r} is neither a bid, like 飞4x6 or z2x5, nor a challenge, like challenge or c"
    )


def test_a_bid_outside_the_domain_is_no_action():
    with pytest.raises(IllegalBid, match="飞21×4 is not a bid in these rules"):
        parse_action(JUMP, "f21x4")


@given(any_rules())
def test_actions_are_printed_as_bids_or_challenge(rules):
    every = plain_bids(rules)
    bids = [parse_bid(format_action(rules, action)) for action in range(len(every))]
    assert bids == list(every)
    assert format_action(rules, challenge_action(rules)) == "challenge"


SIGNS = "飞斋开跳检验不信fFzZcCeihaıİxX×*个 ,、，\n\u30000123456789٣４ｘ一二两幺十六廿"
TEXT = st.text() | st.text(SIGNS, max_size=30)


@given(TEXT, any_rules())
@example("feı 4 6", Rules())
@example("FEİ 4 6", Rules())
@example("f٣x4", Rules())
def test_any_text_is_read_or_refused_politely(text, rules):
    in_any_rules = (parse_hand, parse_history, parse_action)
    of_a_bid = (parse_bid, partial(parse_bid, rules=rules))
    for parse in (*of_a_bid, *(partial(parse, rules) for parse in in_any_rules)):
        try:
            parse(text)
        except ZhaifeiError as error:
            assert str(error)  # noqa: PT017  (any other exception fails the test)


@given(st.data(), any_rules())
def test_an_action_that_is_read_is_the_one_that_was_written(data, rules):
    """Fuzzed close to the notation, where mistakes would be misread rather than refused."""
    pieces = st.sampled_from([*map(str, domain(rules)), "开", " ", *"0123456789"])
    text = "".join(data.draw(st.lists(pieces, max_size=4)))
    try:
        action = parse_action(rules, text)
    except ZhaifeiError:
        return
    if action < len(domain(rules)):
        bid = domain(rules)[action]
        digits = f"{bid.count}{bid.face}"
        plain = re.sub(r"(?<![0-9])0+(?=[0-9])", "", text)
        assert re.sub("[飞斋× ]", "", plain) == digits
        if set(text) & set("飞斋"):
            assert re.sub(" ", "", plain) in (str(bid), f"{digits}{str(bid)[0]}")
    else:
        distance = re.fullmatch("开([1-9]?)", text.replace(" ", ""))[1] or "1"
        assert action == len(domain(rules)) + int(distance) - 1


# what players type


FULL = preset("zhaifei", players=6)  # 30 dice on the table


@pytest.mark.parametrize(
    ("rule", "texts", "bid"),
    [
        (
            "a sign stands between the numbers",
            ["飞9x6", "飞9*6", "飞9×6", "飞9个6", "飞九个六", "飞九x6", "飞9 個 六"],
            "飞9×6",
        ),
        ("a space stands between the numbers", ["飞 12 6", "飞12 6", "飞十二 六"], "飞12×6"),
        ("nothing stands between the numbers", ["f126", "飞十二六", "飞12六"], "飞12×6"),
        ("the count ends where one digit is left", ["飞二十六", "飞206", "飞二十 6"], "飞20×6"),
        ("the mode comes first", ["斋3个6", "斋三个六", "z36", "zhai 3 6", "Z 三六"], "斋3×6"),
        ("the mode comes last", ["3个6斋", "3个6 斋", "三个六斋", "36z", "3 6 zhai"], "斋3×6"),
        ("飞 is meant where none is said", ["四个六", "4个6", "4 6", "46", "四六", "4x6"], "飞4×6"),
        ("斋 is meant where only 斋 names the face", ["4个1", "41", "四个幺", "四个一"], "斋4×1"),
        ("两 is two", ["两个六", "飞两x6", "两六"], "飞2×6"),
        ("幺 is one", ["斋四个幺", "斋四幺", "4幺z"], "斋4×1"),
        ("tens are Chinese", ["三十个六", "飞三十六", "30六"], "飞30×6"),
        ("ten has a short form", ["十个六", "一十个六", "十六", "10 6"], "飞10×6"),
        ("full-width signs are plain ones", ["４６", "ｆ４ｘ６", "４＊６", "飞４　６"], "飞4×6"),
        ("traditional characters are read", ["飛4個6"], "飞4×6"),
    ],
)
def test_what_players_type_is_read(rule, texts, bid):
    for text in texts:
        assert str(parse_bid(text, FULL)) == bid, (rule, text)
        assert parse_action(FULL, f" {text}\n") == action_of(FULL, parse_bid(bid)), (rule, text)
        assert format_history(parse_history(FULL.changed(first_count=1), text)) == bid


@pytest.mark.parametrize(
    "text",
    [
        "4",
        "四",
        "十",
        "4个",
        "个6",
        "4 6 5",
        "4x6x5",
        "4,6",
        "4、6",
        "4 16",
        "六个劈",
        "廿六",
        "四百六",
        "飞4x6斋",
        "斋斋46",
        "1十6",
        "六两",
        "46飞4",
        "4-6",
        "46！",
    ],
)
def test_what_has_no_reading_is_no_bid(text):
    with pytest.raises(NotationError, match="is not a bid"):
        parse_bid(text, FULL)


def test_the_mode_is_the_only_one_that_the_rules_know():
    assert parse_bid("46", preset("increment")) == Bid(Mode.ZHAI, 4, 6)
    assert parse_bid("46", preset("basic")) == Bid(Mode.FEI, 4, 6)
    assert parse_bid("41", preset("basic")) == Bid(Mode.FEI, 4, 1), "which the rules refuse"
    assert parse_bid("46", preset("liars_dice")) == Bid(Mode.FEI, 4, 6)


def test_out_of_the_domain_is_said_of_the_bid_that_was_read():
    with pytest.raises(IllegalBid, match="飞31×6 is not a bid in these rules"):
        parse_action(FULL, "三十一个六")
    with pytest.raises(IllegalBid, match="飞4×7 is not a bid in these rules"):
        parse_action(FULL, "47")


def in_chinese(number):
    """1 to 99, as it is written."""
    tens, units = divmod(number, 10)
    digits = ["", *"一二三四五六七八九"]
    return ("" if tens == 0 else "十" if tens == 1 else f"{digits[tens]}十") + digits[units]


def test_chinese_numbers_round_trip():
    assert [in_chinese(number) for number in (1, 10, 12, 20, 26, 72)] == [
        "一",
        "十",
        "十二",
        "二十",
        "二十六",
        "七十二",
    ]
    for number in range(1, 100):
        for text in (f"f{in_chinese(number)}个6", f"f{in_chinese(number)}六"):
            assert parse_bid(text) == Bid(Mode.FEI, number, 6), text


MODES_LAST = ("飞", "斋", "飛", "齋", "f", "z", "ｆ", "ｚ", "fei", "zhai")
DOUBLES = (["劈", "pi", "PI", "double"], ["反劈", "redouble", "Redouble"], ["反反劈"])


@st.composite
def spellings_of(draw, bid):
    """One of the ways to type a bid, its mode included."""

    if bid.doubled:
        return draw(st.sampled_from(DOUBLES[bid.doubled - 1]))

    def number(value):
        spelled = [str(value), in_chinese(value)]
        spelled.append(
            str(value).translate({ord("0") + n: "０１２３４５６７８９"[n] for n in range(10)})
        )
        return draw(st.sampled_from(spelled + {1: ["幺"], 2: ["两"]}.get(value, [])))

    gap = draw(st.sampled_from(["", " ", "\u3000", "  "]))
    sign = draw(st.sampled_from(["x", "X", "×", "*", "个", "ｘ", "", " "]))
    face = number(bid.face).replace("两", "二")
    between = sign if sign.strip() == "" else f"{gap}{sign}{gap}"
    numbers = f"{number(bid.count)}{between}{face}"
    mode = draw(st.sampled_from(SPELLINGS[bid.mode]))
    return draw(st.sampled_from([f"{mode}{gap}{numbers}", f"{numbers}{gap}{mode}"]))


@given(st.data(), any_rules())
def test_however_a_bid_is_typed_it_is_read_as_it_is_printed(data, rules):
    bid = data.draw(bids_of(rules))
    text = data.draw(spellings_of(bid))
    assert parse_bid(text) == parse_bid(text, rules) == bid
    assert parse_bid(str(parse_bid(text))) == bid
    assert read_back(text, [bid]) is None


@given(st.data(), any_rules())
def test_however_a_history_is_typed_it_is_read_as_it_is_printed(data, rules):
    history = data.draw(histories_of(rules))
    modes_first = [
        data.draw(spellings_of(bid).filter(lambda text: not text.lower().endswith(MODES_LAST)))
        for bid in history
    ]
    separators = st.sampled_from([" ", ",", "，", "、", ", ", "\n"])
    text = "".join(f"{spelled}{data.draw(separators)}" for spelled in modes_first)
    assert parse_history(rules, text) == history
    assert parse_history(rules, format_history(parse_history(rules, text))) == history


def numbers_in(text):
    """The numbers that a text may be, found by trial."""
    found = {number for number in range(1, 100) if in_chinese(number) == text.replace("一十", "十")}
    if text.isascii() and text.isdigit() and len(text) <= 3:
        found.add(int(text))
    return found | {"两": {2}, "幺": {1}}.get(text, set())


def readings_of_bid(text, rules):
    """Every bid that a text may be: all ways to cut it into mode, count, sign and face are tried.
    The mode is None where none is said."""
    found, text = set(), text.strip()
    cut = [(None, text)]
    for mode, names in SPELLINGS.items():
        for name in {name.lower() for name in names}:
            if text.lower().startswith(name):
                cut.append((mode, text[len(name) :].lstrip()))
            if text.lower().endswith(name):
                cut.append((mode, text[: -len(name)].rstrip()))
    for mode, numbers in cut:
        for i, j in product(range(1, len(numbers)), repeat=2):
            count, sign, face = numbers[:i], numbers[i:j], numbers[j:]
            apart = sign.strip() in ("x", "*", "×", "个")
            one_digit = len(face) == 1 and face not in "0十两" and sign.strip() == ""
            if j >= i and (apart or one_digit):
                for pair in product(numbers_in(count), numbers_in(face)):
                    found.add((mode, *pair))
    default = {
        face: mode for mode in reversed(rules.bidding.modes) for face in rules.nameable_faces(mode)
    }
    return {
        Bid(default.get(face, rules.bidding.modes[0]) if mode is None else mode, count, face)
        for mode, count, face in found
    }


@given(st.text("飞斋fzx*个 0146一二十两幺", max_size=8), any_rules())
@example("二十六", FULL)
@example("十十六", FULL)
@example("112", FULL)
@example("1 12", FULL)
def test_a_single_bid_has_at_most_one_reading(text, rules):
    readings = readings_of_bid(text, rules)
    assert len(readings) <= 1
    try:
        assert {parse_bid(text, rules)} == readings
    except NotationError:
        assert readings == set()


# histories that may be read in several ways


def readings_of_history(text, rules):
    """Every history that a text may be: all ways to part its words into bids are tried."""
    pieces = re.split(r"((?:\s|,|、)+)", text)
    words, gaps = pieces[::2], [*pieces[1::2], ""]
    if words[0] == "":
        words, gaps = words[1:], gaps[1:]
    if words and words[-1] == "":
        words, gaps = words[:-1], gaps[:-1]

    def from_word(first):
        if first == len(words):
            return {()}
        found = set()
        for last in range(first, len(words)):
            parts = zip(words[first : last + 1], gaps[first : last + 1], strict=True)
            bid = "".join(word + gap for word, gap in parts)[: -len(gaps[last]) or None]
            if "," not in bid and "、" not in bid:
                for one in readings_of_bid(bid, rules):
                    found |= {(one, *others) for others in from_word(last + 1)}
        return found

    return from_word(0)


def is_legal(rules, history):
    try:
        verify_history(rules, history)
    except IllegalBid:
        return False
    return True


@given(st.data(), any_rules())
def test_a_history_is_read_where_the_rules_leave_one_reading(data, rules):
    bids = bids_of(rules)
    bare = bids.map(lambda bid: f"{bid.count} {bid.face}") | bids.map(
        lambda bid: f"{bid.count}个{bid.face}"
    )
    pieces = bids.map(str) | bare | st.sampled_from(["斋", "飞", "z", "4", "12", "十", ","])
    parts = st.sampled_from([" ", " ", ", ", ""])
    text = "".join(
        data.draw(pieces) + data.draw(parts) for _ in range(data.draw(st.integers(0, 6)))
    )
    readings = readings_of_history(text, rules)
    legal = {reading for reading in readings if is_legal(rules, reading)}
    if len(legal) == 1:
        assert {parse_history(rules, text)} == legal
        return
    with pytest.raises(ZhaifeiError) as refused:
        parse_history(rules, text)
    if len(readings) == 1:
        assert isinstance(refused.value, IllegalBid)
    elif readings:
        assert isinstance(refused.value, NotationError)
        named = {refused.value.values["one"], refused.value.values["other"]}
        assert len(named) == 2
        assert named <= {format_history(reading) for reading in legal or readings}
    else:
        assert isinstance(refused.value, NotationError)
        assert "unread" in refused.value.values


@given(st.lists(st.sampled_from([*"123456", "12", "46", "106"]), max_size=10))
def test_numbers_alone_leave_no_choice(words):
    """A face is one digit: so how many of these stand between two longer numbers decides."""
    assert len(readings_of_history(" ".join(words), FULL)) <= 1


@pytest.mark.parametrize(
    ("text", "history"),
    [
        ("7 3 8 4", "飞7×3 飞8×4"),
        ("12 3 134", "飞12×3 飞13×4"),
        ("12, 3个4、56", None),  # 飞1×2 opens no round of six
        ("八个三，九个四、斋六六", "飞8×3 飞9×4 斋6×6"),
        ("7个3斋 15个4", "斋7×3 飞15×4"),
        ("7个3 斋15个4", "飞7×3 斋15×4"),
        ("7个3, 斋 15个4", "飞7×3 斋15×4"),
        ("7个3 斋, 15个4", "斋7×3 飞15×4"),
        ("7个3 斋 8个4", "飞7×3 斋8×4"),  # 飞8×4 is weaker than 斋7×3
        ("7个3 斋 4个2", "飞7×3 斋4×2"),
        ("7个1 斋 15个1", "斋7×1 斋15×1"),  # both ways
        ("7个3 8个4 9个5斋", "飞7×3 飞8×4 斋9×5"),
        ("斋 7 3 15 4", "斋7×3 飞15×4"),
    ],
)
def test_histories_as_players_type_them(text, history):
    if history is None:
        with pytest.raises(IllegalBid):
            parse_history(FULL, text)
    else:
        assert format_history(parse_history(FULL, text)) == history


def test_a_history_of_two_readings_is_refused_with_both():
    with pytest.raises(NotationError) as refused:
        parse_history(FULL, "7个3 斋 15个4")
    assert str(refused.value) == (
        "'7个3 斋 15个4' may mean 飞7×3 斋15×4 or 斋7×3 飞15×4; "
        "write each mode next to its bid, like 飞3x4"
    )
    with pytest.raises(NotationError, match="may mean 飞1×3 斋2×4 or 斋1×3 飞2×4"):
        parse_history(FULL, "1个3 斋 2个4")  # neither may open


def test_many_free_modes_are_refused_in_no_time():
    """Their readings are as many as the subsets of the modes."""
    text = " 斋 ".join(f"{count}个6" for count in range(60, 0, -1))
    with pytest.raises(NotationError, match="may mean"):
        parse_history(Rules.of(players=8, dice=9, first_count=1), text)


@given(any_rules().flatmap(lambda rules: st.tuples(st.just(rules), histories_of(rules))), st.data())
def test_the_actions_of_a_round_are_read_as_they_are_written(drawn, data):
    rules, history = drawn
    actions = tuple(action_of(rules, bid) for bid in history)
    if data.draw(st.booleans()):
        endings = range(challenge_action(rules), action_count(rules))
        actions = (*actions, data.draw(st.sampled_from(endings)))
    assert parse_actions(rules, format_actions(rules, actions)) == actions


@pytest.mark.parametrize(
    ("text", "distance"),
    [
        ("飞8x4 斋5x4 开", 1),
        ("8个4，斋54开", 1),
        ("f8x4 z5x4 c2 ", 2),
        ("f84 z54跳开 两", 2),
        ("ｆ８４、z54 ＣＨＡＬＬＥＮＧＥ　２", 2),
        ("f84 z54", 0),
    ],
)
def test_a_round_ends_with_a_challenge_or_goes_on(text, distance):
    jumps = Rules.of(players=4, jump_challenge=True)
    bids = tuple(action_of(jumps, bid) for bid in parse_history(jumps, "f8x4 z5x4"))
    challenge = (challenge_action(jumps, distance),) if distance else ()
    assert parse_actions(jumps, text) == bids + challenge


@pytest.mark.parametrize("text", ["c c", "开 f8x4", "f8x4 c 12", "hello c", "cc"])
def test_nothing_follows_a_challenge(text):
    with pytest.raises(NotationError, match="cannot read the history"):
        parse_actions(Rules.of(players=4, jump_challenge=True), text)


def test_what_was_read_is_said_where_no_mode_was():
    bids = parse_history(FULL, "斋7个3 15个4")
    assert str(read_back("斋7个3 15个4", bids)) == "no mode given: read as 斋7×3 飞15×4"
    assert str(read_back("46", [Bid(Mode.FEI, 4, 6)])) == "no mode given: read as 飞4×6"
    assert read_back("ｆ46", [Bid(Mode.FEI, 4, 6)]) is None
    assert read_back("fei 4 6 3 5 zhai", parse_history(FULL, "f8x2 z9x2")) is None
    assert read_back("", []) is None
    assert read_back("开", []) is None


def test_every_example_of_the_table_is_read():
    rows = re.findall(r"^\| (.+?) \| (.+?) \| .* \|$", notation.__doc__, re.MULTILINE)[1:]
    read = {name: re.findall("`(.+?)`", examples) for name, examples in rows}
    assert len(read) == 16
    jumps = FULL.changed(jump_challenge=True)
    doubles = Rules.of(doubled=(2, 4))
    for name, examples in read.items():
        for text in examples:
            if name == "a number":
                parse_action(jumps, f"斋{text}个6")
            elif name == "the mode's name":
                parse_action(jumps, f"{text}4x6")
            elif name == "a history":
                assert len(parse_history(jumps, text)) == 4
            elif "double" in name:
                said = parse_action(doubles, text, domain(doubles)["of a" in name and 110])
                assert domain(doubles)[said].doubled == 1 + ("of a" in name)
            elif name == "giving up":
                assert parse_action(doubles, text) == gives_up_action(doubles)
            elif "declines" in name or "no legal action" in name:
                assert parse_step(jumps, text) in (DECLINE, FORFEIT)
            elif name == "a round":
                assert len(parse_actions(jumps, text)) == 3
            else:
                parse_action(jumps, text)


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
            preset("zhaifei").changed(wild_may_be_named=True),
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
