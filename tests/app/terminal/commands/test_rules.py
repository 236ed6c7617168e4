"""`zhaifei rules`, and house rules from the command line to a policy file."""

import re
from pathlib import Path

import pytest

from tests.command_line import refused, succeeds, verify_refused, zhaifei
from zhaifei.app.rules_questions import Answers
from zhaifei.app.terminal.commands.rules import PRESETS_ARE
from zhaifei.game.house import SWITCHES
from zhaifei.game.rules import PRESETS, Rules, house_of, preset
from zhaifei.policies.catalogue import solving
from zhaifei.policies.catalogue.solving import solve_command
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
    name = "zhaifei-2p-1x3-ones-highest-first-count-2"
    listed = " ".join(succeeds("players").split())
    described = f"{name} solved for zhaifei with ones highest, openings"
    assert f"solved or trained by yourself {described}" in listed
    assert "; exploitability 0." in listed
    by_name = succeeds("query", "--policy", name, "--hand", 1, "--history", "z2x3")
    assert by_name.startswith(f"policy {name}: exploitability 0.")
    assert by_name.splitlines()[1:] == answer.splitlines()[1:]
    met = succeeds("arena", *sizes, *HOUSE, name, "honest", "--rounds", 100)
    assert name in met
    said = f"{name}.safetensors is for zhaifei with ones highest, openings from a count of 2"
    refused("query", *sizes, "--policy", name, "--hand", 1, says=(said, "but you asked for"))
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


def test_the_help_at_the_table_tells_how_to_double_and_give_up() -> None:
    sizes = ("--dice", 2, "--faces", 3, "--opponent", "honest")
    out = succeeds("play", *sizes, "--house", "doubles=2-4", typed="?\nq\n")
    assert "\n劈: instead of challenging, play for 2 points; then the bidder decides.\n" in out
    assert "\n  劈, double: play for more points    认输, give up: do not show" in out


def test_a_record_of_other_rules_is_refused_with_both_rules(places: Path) -> None:
    sizes = ("--dice", 1, "--faces", 3)
    succeeds("solve", *sizes, *HOUSE, "--iterations", 1000)
    record = places / "other.jsonl"
    succeeds(
        *("play", *sizes, "--opponent", "honest", "--rounds", 1, "--seed", 1, "--record", record),
        typed="f2x3\nq\n",
    )
    name = "zhaifei-2p-1x3-ones-highest-first-count-2"
    its = "is for zhaifei with ones highest, openings from a count of 2: 2 players, 1 die of 3"
    refused(
        *("review", record, "--policy", name),
        says=(its, "but you asked for zhaifei: 2 players, 1 die of 3 faces each"),
    )


def asked(*answers: object, language: str = "en") -> str:
    return succeeds("rules", "--ask", "--lang", language, typed="".join(f"{a}\n" for a in answers))


OFFERED = "Solve them now? It takes a few minutes. y or n, usually n > "
KTV = 2, "3 2", 2, 2, 1, 2
NORTHERN = 2, "3 2 1", 4, 3, 2, 4, 3, 2


def test_from_answers_about_a_table_come_its_rules_and_the_commands_for_them(places: Path) -> None:
    out = asked(*KTV, 1)
    assert "2  斋 follows 飞 with a higher count" in out
    assert "(after 飞6×4 at least 斋6×5)" in " ".join(out.split())
    assert "\nktv: 2 players, 5 dice of 6 faces each\n" in out
    assert (
        "A policy for these rules is there. Ask about any hand, for example:\n"
        "  zhaifei query --rules ktv --hand 11346\n"
    ) in out
    assert (
        "To solve these rules, type:\n  zhaifei solve --rules northern\n"
        "Then ask about any hand, for example:\n  zhaifei query --rules northern --hand 11346\n"
        f"{OFFERED}\n"
    ) in asked(*NORTHERN)
    command = "zhaifei solve --players 3 --jump-challenge --house zhai-to-fei=forbidden"
    assert f"  {command} --house first-count=5\n" in asked(3, 5, 1, 6, "", "", 2)
    assert f"  {command} --house jump-cost=one\n" in asked(3, "", 1, 6, "", "", 3)


def test_a_bar_with_flat_zhai_double_back_and_doubles_gets_its_two_commands(places: Path) -> None:
    out = asked("", "", 2, 2, "", "", 3, 2, "n")
    house = "--house fei-to-zhai=flat --house zhai-to-fei=double"
    house += " --house doubles=2-4 --house giving-up=half"
    assert f"\n  zhaifei solve {house}\n" in out
    assert f"\n  zhaifei query {house} --hand 11346\n" in out
    assert "劈: instead of challenging, play for 2 points; then the bidder decides." in out
    assert "gives up (认输) for half the points" in out
    assert "give up" not in asked("", "", 2, 2, "", "", 1, "n"), "nobody asks where nobody doubles"


def test_a_bar_whose_rules_are_solved_at_once_gets_advice_by_the_command_that_is_shown_then(
    places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From an empty data directory, with one die of two faces and few iterations."""

    def small(answers: Answers) -> Rules:
        return preset("zhaifei", dice=1, faces=2, house=house_of(by_answers(answers)))

    def briefly(rules: Rules) -> str:
        return f"{solve_command(rules)} --iterations 1000"

    by_answers = Answers.rules
    monkeypatch.setattr(Answers, "rules", small)
    monkeypatch.setattr(solving, "solve_command", briefly)
    out = asked("", "", 2, 2, "", "", 3, 1, "y")
    told, *lines = out.rpartition("\n\nA policy for these rules is there.")[2].splitlines()
    assert told == " Ask about any hand, for example:"
    (command,) = lines
    house = "--house fei-to-zhai=flat --house zhai-to-fei=double --house doubles=2-4"
    assert command == f"  zhaifei query --dice 1 --faces 2 {house} --hand 1"
    query = command.split()[1:]
    assert "probability" in succeeds(*query)
    answer = succeeds(*query, "--history", "f2x2 劈")
    assert "+2.000  ±0.000" in answer, "all dice count: whoever doubled has lost two points"
    assert "反劈" in answer


def test_the_street_presets_are_found_from_answers(places: Path) -> None:
    assert "\nsouthern: 2 players" in asked(2, "3 2", 2, 2, 1, "1 3", 3, 1)
    assert "\nnorthern: 2 players" in asked(*NORTHERN)
    assert "\nsouthern: 3 players" in asked(3, "4 3", 2, 2, 1, "1 3", 1, 3, 1)


def test_whoever_only_accepts_what_is_usual_gets_zhaifei() -> None:
    out = asked(*[""] * 7, language="zh")
    assert "zhaifei：2 人" in out
    assert out.endswith("zhaifei query --hand 11346\n")


def test_an_answer_that_cannot_be_read_is_asked_for_again_and_a_contradiction_ends() -> None:
    answers = "two", 9, 2, "3 2 1 1", "3 2", 7, 2, 2, 1, 2, 1
    assert asked(*answers).count("this is no answer") == 4
    outcome = zhaifei("rules", "--ask", typed="2\n\n4\n2\n\n\n\n")
    says = "bids could go round for ever: a 斋 count of 2 follows a 飞 count of 4"
    verify_refused(outcome, says)
    assert "zhaifei" not in asked(2, "q")


def test_counts_that_no_table_allows_are_refused_in_one_line() -> None:
    outcome = zhaifei("rules", "--ask", typed="2\n12\n" + 5 * "\n")
    verify_refused(outcome, "first_count is 12; it must be 1 to 10, the number of dice on the")
    outcome = zhaifei("rules", "--ask", typed="2\n\n\n\n\n1 2\n\n")
    verify_refused(outcome, "'straight=rolled-again' is given twice, or with another value")


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_has_a_page_of_its_rules(name: str) -> None:
    out = succeeds("rules", name)
    assert out.startswith(f"\n{name}: ")
    assert "A bid claims how many of all dice on the table show a face" in out
    assert f"--rules {name}" in out or name == "zhaifei"
    assert "{" not in out


def test_the_page_of_rules_that_nobody_knows_is_refused_with_those_that_there_are() -> None:
    refused("rules", "southern2", says=("unknown rules 'southern2'", "ktv, southern, northern"))
    refused("rules", "ktv", "--ask", says=("--ask cannot be combined",))
