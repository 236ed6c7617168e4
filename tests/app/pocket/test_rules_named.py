"""The names of rules on the page: the same rules have the same name, and nothing else has one."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhaifei.app.pocket.rules_named import LONGEST, rules_named, sizes_of
from zhaifei.app.pocket.rules_tables import PLAYERS, PRESETS, key_of, name_of
from zhaifei.app.rules_questions import Answers, counts, questions
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules, preset

BAR = "zhaifei~fei-to-zhai=flat~zhai-to-fei=double~doubles=2"


@st.composite
def answered(draw: st.DrawFn) -> Answers:
    """Answers that the questions offer."""
    answers = Answers(draw(st.sampled_from(PLAYERS)))
    for count in counts(answers):
        given = draw(st.none() | st.integers(1, count.most))
        answers.counts |= {} if given is None else {count.name: given}
    for name in ("fei_to_zhai", "zhai_to_fei", "ones", "hands", "jump", "doubles", "giving_up"):
        question = next((one for one in questions(answers) if one.name == name), None)
        if question is not None:
            values = st.sampled_from([value for value, _ in question.options])
            several = st.lists(values, unique=True, max_size=2)
            answers.chosen[name] = tuple(draw(several if question.many else st.tuples(values)))
    return answers


def test_the_name_of_a_bars_rules() -> None:
    answers = Answers(2, chosen={"fei_to_zhai": ("fei-to-zhai=flat",), "doubles": ("doubles=2",)})
    answers.chosen["zhai_to_fei"] = ("zhai-to-fei=double",)
    assert name_of(answers.rules()) == BAR
    assert key_of(answers.rules()) == f"{BAR}-2"


@given(answered())
def test_rules_of_all_answers_are_found_by_their_name(answers: Answers) -> None:
    with suppress(ZhaifeiError):
        rules = answers.rules()
        assert rules_named(name_of(rules), answers.players) == rules


@pytest.mark.parametrize("name", PRESETS)
def test_presets_keep_their_names(name: str) -> None:
    for players in PLAYERS:
        assert name_of(preset(name, players=players)) == name
        assert rules_named(name, players) == preset(name, players=players)


def test_rules_of_no_opening_count_are_there_for_every_number_of_players() -> None:
    assert sizes_of(BAR) == [*PLAYERS]
    assert sizes_of("zhaifei~jump") == [*PLAYERS][1:]
    assert sizes_of("zhaifei~jump~jump-cost=two") == [*PLAYERS][2:]


@pytest.mark.parametrize(
    "name",
    [
        "",
        "~",
        "own",
        "knockout",
        "zhaifei~",
        "zhaifei~~jump",
        "zhaifei~doubles=2~fei-to-zhai=flat",
        "zhaifei~fei-to-zhai=flat~fei-to-zhai=flat",
        "zhaifei~FEI-TO-ZHAI=flat",
        "zhaifei~fei_to_zhai=flat",
        "zhaifei~first-count=3",
        "zhaifei~first-count=0",
        "zhaifei~first-count=999",
        "zhaifei~first-count=٣",
        "zhaifei~doubles=2-3-4",
        "zhaifei~doubles=16",
        "zhaifei~straight=by-wish",
        "zhaifei~jump",
        "zhaifei~doubles=2~jump",
        "zhaifei~../../etc/passwd",
        "zhaifei~__import__",
        "zhaifei\0",
        "zhaifei" + "~ones-highest" * LONGEST,
    ],
)
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(ZhaifeiError, match="no such rules"):
        rules_named(name, 2)


@pytest.mark.parametrize("players", [-1, 0, 1, 9, 10**30])
def test_too_few_and_too_many_players(players: int) -> None:
    with pytest.raises(ZhaifeiError, match="no such rules"):
        rules_named(BAR, players)


@given(st.text(max_size=40), st.integers(0, 9))
def test_any_text_names_rules_or_none(name: str, players: int) -> None:
    with suppress(ZhaifeiError):
        assert isinstance(rules_named(name, players), Rules)
