"""Every parser reads any text or refuses it, and reads what is written: see tests/fuzz/parsers.py.

Examples are the same in every run. `python -m benchmarks.fuzz` tries others for as long as it is
told to; what fails there goes to tests/corpus/texts.jsonl.
"""

import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.parsers import fuzz_parsers, parsers, shaped, some_text, try_input
from tests.game.strategies import any_rules
from zhaifei.app.locale import choose
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules, preset
from zhaifei.game.texts import LONGEST, TextTooLong

CORPUS = Path(__file__).parents[1] / "corpus" / "texts.jsonl"
SEEDS = {json.dumps(case): case for case in map(json.loads, CORPUS.read_text("utf-8").splitlines())}
NAMES = sorted(parsers(preset("zhaifei")))
each_parser = pytest.mark.parametrize("name", NAMES)
examples = settings(max_examples=60, derandomize=True)
DOUBLED = (Rules.of(doubled=(2, 4)), Rules.of(dice=2, faces=3, doubled=(2, 4, 8), giving_up="half"))
ANY_RULES = any_rules() | st.sampled_from(DOUBLED)
randomly = st.randoms(use_true_random=False)


@each_parser
@examples
@given(rules=ANY_RULES, chance=randomly)
def test_what_is_written_is_read(name: str, rules: Rules, chance: random.Random) -> None:
    parsers(rules)[name].verify_written(chance)


@each_parser
@examples
@given(data=st.data(), rules=ANY_RULES)
def test_any_text_is_read_or_refused(name: str, data: st.DataObject, rules: Rules) -> None:
    parser = parsers(rules)[name]
    near = st.lists(st.sampled_from(parser.pieces)).map("".join)
    altered = randomly.map(lambda chance: some_text(parser, chance))
    parser.verify(data.draw(near | altered | st.text()))


@pytest.mark.parametrize("case", SEEDS.values(), ids=[*SEEDS])
def test_what_once_failed_is_mended(case: dict[str, str]) -> None:
    rules = Rules.from_dict(case["rules"]) if "rules" in case else preset("zhaifei")
    parsers(rules)[case["parser"]].verify(case["text"] * int(case.get("times", 1)))


def test_a_run_tries_every_parser_and_repeats() -> None:
    result = fuzz_parsers(3600, 3000)
    assert result.failures == []
    assert sorted(result.inputs) == NAMES
    assert result.total == 3000
    assert fuzz_parsers(3600, 100, first=50).inputs == fuzz_parsers(3600, 100, first=50).inputs


def test_a_parser_that_raises_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(text: str) -> int:
        raise IndexError("no such place")

    with monkeypatch.context() as planted:
        planted.setattr("tests.fuzz.parsers.parse_duration", broken)
        parsers.cache_clear()
        result = fuzz_parsers(3600, 300)
    parsers.cache_clear()
    assert len(result.failures) == result.inputs["duration"] > 0
    assert all("IndexError: no such place" in one.outcome for one in result.failures)
    assert "try_input(0, " in str(result.failures[0])
    assert '"parser": "duration"' in str(result.failures[0])
    again = re.search(r"try_input\(0, (\d+)\)", str(result.failures[0]))
    assert try_input(0, int(again[1])) == ("duration", None)


# the bound, and time that is linear in it


@each_parser
def test_texts_of_every_shape_are_read_up_to_the_bound(name: str) -> None:
    """In no time to speak of: what is not linear takes minutes here, or hours."""
    for rules in (preset("zhaifei"), Rules.of(players=8, dice=9, faces=9, first_count=1)):
        parser = parsers(rules)[name]
        for text in shaped(LONGEST):
            parser.verify(text)


@pytest.mark.parametrize(
    "name", ["bid", "bid of the rules", "hand", "history", "action", "recall", "duration", "count"]
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_longer_texts_are_refused_with_their_beginning(name: str, language: str) -> None:
    choose(language)
    parser = parsers(preset("zhaifei"))[name]
    with pytest.raises(TextTooLong) as refused:
        parser.read("1" * (LONGEST + 1))
    assert "1" * 200 + "…" in str(refused.value)
    assert len(str(refused.value)) < 350
    assert isinstance(refused.value, ZhaifeiError)
