"""`zhaifei rules`, and house rules from the command line to a policy file."""

import re
from pathlib import Path

import pytest

from tests.command_line import refused, succeeds, verify_refused, zhaifei
from zhaifei.app.terminal.commands.rules import PRESETS_ARE
from zhaifei.game.house import SWITCHES
from zhaifei.game.rules import PRESETS, preset
from zhaifei.policies.players.table_policy import load_policy

HOUSE = ("--house", "ones-highest", "--house", "first-count=2")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_preset_and_every_house_rule_has_a_line(language: str) -> None:
    out = succeeds("rules", "--lang", language)
    assert [*PRESETS_ARE] == [*PRESETS]
    assert re.findall(r"^ (\S+)  +\S", out, re.MULTILINE) == [*PRESETS, *SWITCHES]
    assert ("叫一最大" in out) == (language == "zh")


def test_a_policy_is_solved_for_house_rules_and_answers_under_a_name_of_its_own(
    places: Path,
) -> None:
    sizes = ("--dice", 1, "--faces", 3)
    solved = succeeds("solve", *sizes, *HOUSE, "--iterations", 1000)
    rules = preset("zhaifei", dice=1, faces=3, house=["ones-highest", "first-count=2"])
    assert "zhaifei with ones highest, openings from a count of 2: 2 players, 1 die" in solved
    (path,) = re.findall(
        r"policy +(\S+zhaifei-2p-1x3-ones-highest-first-count-2\.safetensors)", solved
    )
    assert load_policy(Path(path)).rules == rules
    answer = succeeds("query", *sizes, *HOUSE, "--hand", 1, "--history", "z2x3")
    assert "challenge" in answer
    refused("query", *sizes, "--hand", 1, says=("no policy is known",))


def test_a_house_rule_that_nobody_knows_is_refused_with_those_that_there_are() -> None:
    refused(
        "play", "--house", "aces", says=("'aces' is not a house rule", "ones-highest, fei-to-zhai")
    )


def test_where_no_policy_is_known_the_command_that_solves_it_names_the_house_rules(
    places: Path,
) -> None:
    refused(
        "query",
        "--dice",
        2,
        "--house",
        "straight=nothing",
        "--hand",
        12,
        says=("straight requires 3 to 6 dice",),
    )
    refused(
        "query",
        "--dice",
        3,
        "--house",
        "straight=nothing",
        "--house",
        "zhai-to-fei=forbidden",
        "--hand",
        123,
        says=("zhaifei solve --dice 3 --house zhai-to-fei=forbidden --house straight=nothing",),
    )


def test_the_help_at_the_table_tells_the_house_rules() -> None:
    out = succeeds(
        "play",
        "--dice",
        2,
        "--opponent",
        "honest",
        "--house",
        "zhai-to-fei=forbidden",
        typed="?\nq\n",
    )
    assert "\nafter a 斋 bid, only 斋 bids follow\n" in out


def asked(*answers: object, language: str = "en") -> str:
    return succeeds("rules", "--ask", "--lang", language, typed="".join(f"{a}\n" for a in answers))


def test_from_answers_about_a_table_come_its_rules_and_the_commands_for_them() -> None:
    out = asked(2, "3 2", 2, 2, 1, 2)
    assert "2  斋 follows 飞 with a higher count" in out
    assert "(after 飞6×4 at least 斋6×5)" in " ".join(out.split())
    assert "\nktv: 2 players, 5 dice of 6 faces each\n" in out
    assert out.endswith(
        "To solve these rules, type:\n  zhaifei solve --rules ktv\n"
        "Then ask about any hand, for example:\n  zhaifei query --rules ktv --hand 11346\n"
    )
    command = "zhaifei solve --players 3 --jump-challenge --house zhai-to-fei=forbidden"
    assert f"  {command} --house first-count=5\n" in asked(3, 5, 1, 6, "", "", "y")


def test_whoever_only_accepts_what_is_usual_gets_zhaifei() -> None:
    out = asked(*[""] * 6, language="zh")
    assert "zhaifei：2 人" in out
    assert out.endswith("zhaifei query --hand 11346\n")


def test_an_answer_that_cannot_be_read_is_asked_for_again_and_a_contradiction_ends() -> None:
    assert asked("two", 9, 2, "3 2 1", "3 2", 7, 2, 2, 1, 2).count("this is no answer") == 4
    outcome = zhaifei("rules", "--ask", typed="2\n\n4\n2\n\n\n")
    says = "bids could go round for ever: a 斋 count of 2 follows a 飞 count of 4"
    verify_refused(outcome, says)
    assert "zhaifei" not in asked(2, "q")
