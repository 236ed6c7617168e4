"""Fields of headers are checked where they are read."""

import math

import pytest

from zhaifei.game.parts import RulesError
from zhaifei.game.rules import preset
from zhaifei.solver.files.header import Header, HeaderError
from zhaifei.solver.files.strict_json import StrictJsonError, parse_object

FIELDS = Header(
    {
        "text": "飞4×5",
        "lines": "one\ntwo",
        "whole": 7,
        "true": True,
        "number": 0.5,
        "nan": math.nan,
        "infinite": math.inf,
        "huge": 10**30,
        "nothing": None,
        "record": {"whole": 3, "rules": {}},
        "list": [1, "a"],
        "nested": [[[[[[[[]]]]]]]],
        "long": "x" * 10_000,
        "rules": preset("basic").to_dict(),
    }
)
RIGHT = {
    "text": {"text", "long"},
    "whole": {"whole"},
    "number": {"number", "whole", "huge"},
    "record": {"record", "rules"},
    "elements": {"list", "nested"},
}
"""The fields that each method takes."""


@pytest.mark.parametrize("method", RIGHT)
def test_fields_of_another_type_are_named_in_one_short_line(method):
    for name in (*FIELDS, "missing"):
        if name in RIGHT[method]:
            getattr(FIELDS, method)(name)
            continue
        with pytest.raises(HeaderError) as caught:
            getattr(FIELDS, method)(name)
        message = str(caught.value)
        assert name in message
        assert message.isprintable()
        assert len(message) < 200


def test_values_are_returned_as_they_are():
    assert FIELDS.text("text") == "飞4×5"
    assert FIELDS.whole("whole") == 7
    assert FIELDS.whole("whole", least=7, most=7) == 7
    assert (FIELDS.number("whole"), type(FIELDS.number("whole"))) == (7.0, float)
    assert FIELDS.record("record").whole("whole") == 3
    assert FIELDS.elements("list") == (1, "a")
    assert FIELDS.choice("text", ["飞4×5"]) == "飞4×5"
    assert FIELDS.rules() == preset("basic")


def test_values_out_of_range_name_the_range():
    with pytest.raises(HeaderError, match="whole is 7, not a whole number from 8 to 9"):
        FIELDS.whole("whole", least=8, most=9)
    with pytest.raises(HeaderError, match="whole is 7, not a whole number from 0 to 6"):
        FIELDS.whole("whole", most=6)
    with pytest.raises(HeaderError, match="text is '飞4×5', not one of a, b"):
        FIELDS.choice("text", ["b", "a"])
    with pytest.raises(HeaderError):
        FIELDS.choice("list", ["b", "a"])


@pytest.mark.parametrize(
    "change",
    [
        {"players": 10**39},
        {"players": "2"},
        {"dice": None},
        {"modes": 3},
        {"modes": [3]},
        {"modes": ["fei", []]},
        {"raising": {}},
        {"zhai_weight": 10**39},
        {"zhai_weight": math.nan},
        {"two\nlines": 1},
        {"wild": True},
        {"loses_dice": 1},
    ],
)
def test_invalid_rules_are_refused_in_one_line(change):
    header = Header({"rules": {**preset("zhaifei").to_dict(), **change}})
    with pytest.raises(RulesError) as caught:
        header.rules()
    assert str(caught.value).isprintable()


def test_a_header_has_its_rules_in_a_record():
    for rules in (None, [], "zhaifei", 2):
        with pytest.raises(HeaderError):
            Header({"rules": rules}).rules()
    with pytest.raises(RulesError):
        Header({"rules": {}}).rules()


# JSON


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "3",
        "null",
        '"a"',
        "{'a': 1}",
        '{"a": 1} {"b": 2}',
        '{"a": 1, "a": 2}',
        '{"b": {"a": 1, "a": 2}}',
        '{"a": ' + "9" * 41 + "}",
        '{"a": "\\ud800"}',
        '{"\\udfff": 1}',
        '{"a": ' + "[" * 900 + "]" * 900 + "}",
        '{"a":' * 900 + "1" + "}" * 900,
        '{"\\"": ' + "[" * 900 + "]" * 900 + "}",
        '{"a": "' + "x" * 1_000_000 + '"}',
        "[" * 999_999,
        '{"\\"' * 100_000,
    ],
)
def test_what_is_not_json_within_bounds_is_refused(text):
    with pytest.raises(StrictJsonError) as caught:
        parse_object(text)
    assert str(caught.value).isprintable()


def test_what_is_within_bounds_is_parsed():
    brackets = '{"a": "' + "[" * 1000 + '\\""}'
    assert parse_object(brackets) == {"a": "[" * 1000 + '"'}
    assert parse_object('{"a": ' + "[" * 19 + "]" * 19 + "}").keys() == {"a"}
    assert parse_object('{"a": "\\ud83c\\udfb2"}') == {"a": "🎲"}
    assert parse_object('{"a": ' + "9" * 40 + "}") == {"a": 10**40 - 1}
    assert math.isnan(parse_object('{"a": NaN}')["a"])
