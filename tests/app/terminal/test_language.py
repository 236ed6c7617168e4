"""The commands in Chinese and in English: what they print, their help and their errors."""

import json
import re
from pathlib import Path
from typing import Any

import click
import pytest
from rich.cells import cell_len

from tests.altered_files import altered
from tests.command_line import LONG, Solved, succeeds, zhaifei
from zhaifei.app.locale import choose
from zhaifei.app.terminal.group import VERBS, cli
from zhaifei.app.terminal.help_texts import Command, Formatter
from zhaifei.policies.training.run_paths import checkpoint_path

COMMANDS = sorted(VERBS)
WIDTH = 80
"""Columns of the screen on which help is printed."""
PATIENT = ("--time-limit", f"{LONG}s")
"""Longer than an evaluation takes on any machine."""
CLOSING = "，。；：、！？）”》"


def all_commands() -> list[click.Command]:
    """The group and what is in it."""
    found = [cli.get_command(click.Context(cli), name) for name in COMMANDS]
    return [cli, *(command for command in found if command is not None)]


def in_chinese(*arguments: object, **options: Any) -> str:
    """What a command prints in Chinese; it must go well."""
    return succeeds(*arguments, "--lang", "zh", **options)


def complaint(*arguments: object, **variables: str) -> str:
    """What a command that must be refused says: one line, and nothing else."""
    outcome = zhaifei(*arguments, **variables)
    assert (outcome.code, outcome.out) == (2, ""), outcome
    (line,) = outcome.err.splitlines()
    assert line.startswith("zhaifei: ")
    return line.removeprefix("zhaifei: ")


def english_words(text: str, *known: object) -> set[str]:
    """Words of two letters and more, but for those that are `known`."""
    for one in sorted(map(str, known), key=len, reverse=True):
        text = text.replace(one, "")
    return set(re.findall(r"[A-Za-z]{2,}", text))


def columns(line: str) -> list[int]:
    """Where the columns of a table's line end on screen."""
    return [cell_len(line[: match.end()]) for match in re.finditer(r"\S+", line)]


# which language


@pytest.mark.parametrize(
    ("variables", "says"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "没有选项 '--colour'。"),
        ({"LC_ALL": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}, "没有选项 '--colour'。"),
        ({"LC_ALL": "C.UTF-8", "LANG": "zh_CN.UTF-8"}, "No such option '--colour'."),
        ({"LANG": "de_DE.UTF-8"}, "No such option '--colour'."),
    ],
)
def test_the_locale_says_which_language(variables: dict[str, str], says: str) -> None:
    assert complaint("solve", "--colour", **variables).startswith(says)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--lang", "zh", "solve", "--colour"),
        ("solve", "--lang", "zh", "--colour"),
        ("solve", "--colour", "--lang", "zh"),
        ("solve", "--lang=zh", "--colour"),
        ("--lang", "en", "solve", "--colour", "--lang", "zh"),
    ],
)
def test_lang_may_stand_anywhere_and_the_last_one_counts(arguments: tuple[str, ...]) -> None:
    assert complaint(*arguments, LANG="en_US.UTF-8").startswith("没有选项 '--colour'。")


def test_lang_overrules_the_locale() -> None:
    english = complaint("solve", "--colour", "--lang", "en", LC_ALL="zh_CN.UTF-8")
    assert english.startswith("No such option '--colour'.")


@pytest.mark.parametrize("place", [("--lang", "fr"), ("solve", "--lang", "fr")])
def test_other_languages_are_refused_in_that_of_the_locale(place: tuple[str, ...]) -> None:
    refused = complaint(*place, LANG="C.UTF-8")
    assert refused == "Invalid value for '--lang': 'fr' is not one of 'zh', 'en'."
    assert complaint(*place, LANG="zh_CN.UTF-8") == "'--lang' 的值不对：'fr' 不是 'zh', 'en' 之一。"


# help


def help_in(language: str, *command: str) -> str:
    return succeeds(*command, "--help", "--lang", language, COLUMNS="80")


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_help_is_in_chinese_and_fits_the_screen(command: tuple[str, ...]) -> None:
    text = help_in("zh", *command)
    assert text.startswith("用法: ")
    assert "\n选项:\n" in text
    assert "显示本说明后退出。" in text
    for line in text.splitlines():
        assert cell_len(line) <= WIDTH
        assert not line.strip().startswith(tuple(CLOSING))


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_help_says_the_same_of_the_same_options(command: tuple[str, ...]) -> None:
    """Chinese help names every option and every command that the English one names."""
    english, chinese = help_in("en", *command), help_in("zh", *command)
    assert english.startswith("Usage: ")
    listed = re.compile(r"^  (?:-h, )?((?:--)?[a-z-]+)(?: |$)", re.MULTILINE)
    assert set(COMMANDS) & set(listed.findall(chinese)) == (set() if command else set(COMMANDS))
    wanted = set(re.findall(r"--[a-z-]+", english))
    assert wanted == set(re.findall(r"--[a-z-]+", chinese))


def test_every_command_takes_lang() -> None:
    for command in all_commands():
        assert "--lang" in {name for option in command.params for name in option.opts}


def test_every_command_shows_its_help_in_the_chosen_language() -> None:
    assert [one for one in all_commands() if not isinstance(one, Command)] == []


def test_the_language_of_help_may_change() -> None:
    """Nothing of the command is left in the language of before."""
    query = next(one for one in all_commands() if one.name == "query")
    texts = []
    for language in ("en", "zh", "en"):
        choose(language)
        with query.make_context("query", ["--hand", "1"]) as context:
            texts.append(query.get_help(context))
    assert texts[0] == texts[2] != texts[1]
    assert "Show this message and exit." not in texts[1]


def test_help_without_a_command() -> None:
    outcome = zhaifei(LANG="zh_CN.UTF-8")
    assert outcome.code == 2
    assert outcome.out.startswith("用法: ")


def test_chinese_breaks_where_it_may_be_broken() -> None:
    """By its width on screen; punctuation and words of other languages stay whole."""
    formatter = Formatter(width=20)
    formatter.write_text("叫点写作（飞4x6）或 f4x6，开写作 challenge。\n\n第二段")
    assert formatter.getvalue() == ("叫点写作（飞4x6）或\nf4x6，开写作\nchallenge。\n\n第二段\n")
    formatter = Formatter(width=20)
    formatter.write_dl([("--one", "一二三四五六七。"), ("--other", "八")])
    assert formatter.getvalue() == "--one    一二三四五\n         六七。\n--other  八\n"


# errors


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("solv",), "没有命令 'solv'。 是不是 'solve'？"),
        ((), "缺少命令。"),
        (("query", "--json=1"), "选项 '--json' 后面不能有值。"),
        (("solve", "more"), "多余的参数：more"),
        (("solve", "more", "yet"), "多余的参数：more yet"),
        (("solve", "--players", "two"), "'--players' 的值不对：'two' 不是合法的数值（integer）。"),
        (("solve", "--threads", 0), "'--threads' 的值不对：0 不在 1<=x<=256 之内。"),
        (
            ("solve", "--iterations", 0),
            "'--iterations' 的值不对：'0' 不是不超过 1e18 的正整数（如 1e7）",
        ),
        (
            ("solve", "--time-limit", "soon"),
            "'--time-limit' 的值不对：'soon' 不是时长（如 90s、10m、1h30m）",
        ),
        (("solve", "--time-limit", 0), "'--time-limit' 的值不对：'0' 不行：时长要大于 0"),
        (("solve", "--dice", 0), "骰子数（dice）是 0，每人应该有 1 到 9 个骰子"),
        (
            ("solve", "--rules", "poker"),
            "没有名为 'poker' 的规则；有 zhaifei, ktv, southern, northern, basic, liars_dice, "
            "knockout, classic, classic_plain, increment, published",
        ),
        (
            ("solve", "--recall", "face"),
            "记忆 'face' 必须以 'bid' 开头：接下来能叫什么由它决定",
        ),
        (
            ("solve", "--resume", "/none", "--seed", 1),
            "用 --resume 时不能再给 --seed：以检查点为准",
        ),
        (("solve", "--resume", "/none"), "没有检查点文件 /none"),
        (("query", "--hand", 1, "--policy", "/none"), "没有策略文件 /none"),
        (
            ("evaluate", "/one", "--policy", "/other"),
            "只能指定一个策略，不能既有 /one 又有 --policy /other",
        ),
    ],
)
def test_errors_are_in_chinese(arguments: tuple[object, ...], says: str) -> None:
    assert complaint(*arguments, "--lang", "zh") == says


def test_an_option_without_its_value() -> None:
    assert complaint("--lang", "zh", "solve", "--out") == "选项 '--out' 后面要有值。"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--hand", "112"), "手牌 112 有 3 个骰子，应该是 1 个"),
        (("--hand", "9"), "手牌 9 里有 9，点数只能是 1 到 3"),
        (
            ("--hand", "1", "--bid", "f3x2"),
            "没有 飞3×2 这种叫法：桌上一共 2 个骰子，个数只能是 1 到 2",
        ),
        (("--hand", "1", "--bid", "f1x1"), "没有 飞1×1 这种叫法：飞只能叫 2 到 3 点"),
        (
            ("--hand", "1", "--history", "f2x3 z1x3"),
            "斋1×3 不比 飞2×3 大：叫斋至少要 2 个，或 1 个更大的点数",
        ),
    ],
)
def test_questions_that_are_none_name_the_rules_in_chinese(
    one_die: Solved, arguments: tuple[object, ...], says: str
) -> None:
    rules = "；这个策略的规则是 zhaifei：2 人，每人 1 个 3 面骰子"
    asked = complaint("query", "--policy", one_die.policy, *arguments, "--lang", "zh")
    assert asked == says + rules


def test_errors_quote_others_in_chinese(one_die: Solved, tmp_path: Path) -> None:
    out = tmp_path / "nowhere" / "policy.safetensors"
    said = complaint("solve", "--dice", 1, "--out", out, "--lang", "zh")
    assert said == f"无法写入 {out}：没有目录 {out.parent}"
    bad = tmp_path / "bad.safetensors"
    altered(one_die.policy, bad, lambda header: header.update(recall="bid,bad"))
    said = complaint("query", "--hand", 1, "--policy", bad, "--lang", "zh")
    assert said.startswith(f"{bad} 里不是策略：'bad' 不是记忆项；")


# what is printed


def test_solve_reports_in_chinese(tmp_path: Path) -> None:
    out, checkpoint = tmp_path / "a.safetensors", tmp_path / "a.checkpoint.safetensors"
    sampled = ("--dice", 1, "--faces", 2, "--recall", "bid,bid", "--threads", 1)
    iterations = ("--iterations", 2000, "--out", out)
    said = in_chinese("solve", *sampled, *iterations, "--keep-checkpoint")
    lines = said.splitlines()
    assert lines[0] == (
        "zhaifei：2 人，每人 1 个 2 面骰子 · mccfr · 记忆 bid,bid · 种子 0 · 1 个线程"
    )
    assert lines[1] == f"检查点写入 {checkpoint}"
    assert re.search(
        r"^\d+:\d\d  迭代 [\d,]+ / 2,000 · [\d,]+/s · 还需 \d:\d\d · \d+ 个信息集 · "
        r"平均得分 [-+]\d\.\d{4}$",
        said,
        re.MULTILINE,
    )
    labels = {"策略": out, "检查点": checkpoint, "迭代": "", "平均得分": "先手每局", "首叫": "飞"}
    for label, value in labels.items():
        (line,) = (line for line in lines if line.startswith(f"{label} "))
        rest = line.removeprefix(label).lstrip()
        assert rest.startswith(str(value))
        assert cell_len(line) - cell_len(rest) == 10
    assert lines[-1] == f"想多迭代几次：zhaifei solve --resume {checkpoint} --iterations N"
    assert english_words(said, out, checkpoint, "zhaifei", "mccfr", "bid", "MB", lines[-1]) == set()
    lines = in_chinese("solve", *sampled, *iterations).splitlines()
    assert lines[1] == f"检查点写入 {checkpoint}，算完就删"
    assert lines[-1] == "算完的不留检查点；想以后用 --resume 接着算，要加 --keep-checkpoint"


def test_a_run_that_is_cut_short_says_so_in_chinese(tmp_path: Path) -> None:
    out = tmp_path / "a.safetensors"
    # Long enough to measure.
    in_chinese("solve", "--dice", 2, "--iterations", 5000, "--keep-checkpoint", "--out", out)
    resumed = ("--resume", checkpoint_path(out), "--iterations", "1e9", "--time-limit", 0.2)
    said = in_chinese("solve", *resumed)
    assert re.search(r"^提前停止，已有 [\d,]+ 次迭代：时间到了$", said, re.MULTILINE)
    assert re.search(r"^可剥削度  最近一次测得每局 [\d.e-]+ 点", said, re.MULTILINE)
    assert "\n接着算完：zhaifei solve --resume " in said


def test_advice_is_in_chinese_and_its_columns_are_straight(one_die: Solved) -> None:
    asked = ("query", "--policy", one_die.policy, "--hand", 3, "--bid", "f1x3")
    said = in_chinese(*asked)
    assert english_words(said, one_die.policy) == set()
    policy, title, truth, heading, *rest = said.splitlines()
    assert policy == f"策略 {one_die.policy}：可剥削度 未知"
    assert title == "手牌 3，面对首叫 飞1×3"
    assert re.fullmatch(r"飞1×3 成立的概率是 \d+\.\d%", truth)
    assert heading.split() == ["打法", "概率", "平均得分"]
    end = next(
        (place for place, line in enumerate(rest) if line.startswith(("策略不选的", "另有"))),
        len(rest),
    )
    rows = [line.rstrip() for line in rest[:end]]
    actions = [row.split()[0] for row in rows]
    assert "开" in actions + re.findall(r"开(?= [-+])", said)
    _, probability, value = columns(heading)
    for row in rows:
        assert columns(row)[1] == probability
        assert columns(row)[-2] == value


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "手牌 2，由你首叫"),
        (("--history", "f1x3 z1x2"), "手牌 2，叫过 飞1×3 斋1×2"),
        (("--bid", "z2x3"), "手牌 2，面对 斋2×3，不知道之前怎么叫的"),
    ],
)
def test_the_situation_is_told_in_chinese(
    full_game: Solved, one_die: Solved, arguments: tuple[str, ...], says: str
) -> None:
    policy, hand = one_die.policy, 2
    if "z2x3" in arguments:  # with one die each any bid may open
        policy, hand = full_game.policy, 22222
        says = says.replace("手牌 2", "手牌 22222")
    said = in_chinese("query", "--policy", policy, "--hand", hand, *arguments)
    assert said.splitlines()[1] == says


def test_bounds_are_in_chinese_and_their_columns_are_straight(one_die: Solved) -> None:
    said = in_chinese("evaluate", one_die.policy, "--show-response", 2, *PATIENT)
    policy, heading, *rest = said.splitlines()
    assert policy == f"策略 {one_die.policy}：可剥削度 未知"
    assert re.fullmatch(r"zhaifei：2 人，每人 1 个 3 面骰子，用时 \d:\d\d", heading)
    table = rest[: rest.index("")]
    assert [line.split()[0] for line in table[1:]] == [
        "最佳应对（先手）",
        "最佳应对（后手）",
        "可剥削度",
    ]
    assert len({cell_len(line.rstrip()) for line in table}) == 1
    assert "最佳应对在哪里赚得最多" in said
    assert re.search(
        r"^[-+]\d\.\d{4} ±-?\d\.\d{4}  [先后]手，占 \d+\.\d% 的局  ", said, re.MULTILINE
    )
    assert re.search(r"^    应对：.+  ·  策略：", said, re.MULTILINE)


def test_duels_are_in_chinese(one_die: Solved) -> None:
    said = in_chinese("evaluate", one_die.policy, "--against", one_die.policy, *PATIENT)
    assert [line.split()[0] for line in said.splitlines()[3:6]] == ["先手", "后手", "平均"]
    assert english_words(said, "zhaifei", one_die.policy) == set()


def test_the_state_of_a_search_is_told_in_chinese(one_die: Solved) -> None:
    outcome = zhaifei("evaluate", one_die.policy, "--lang", "zh")
    assert re.match(r"\d:\d\d  可剥削度在 \[-?\d\.\d{4}, \d\.\d{4}\]\n", outcome.err)


def to_nine_digits(text: str) -> float:
    """The ends of bounds move in the last digits with the moment at which a search looked."""
    return round(float(text), 9)


def test_json_speaks_no_language(one_die: Solved) -> None:
    for arguments in (
        ("query", "--policy", one_die.policy, "--hand", 3, "--bid", "f1x3"),
        ("evaluate", one_die.policy, "--show-response", 2, *PATIENT),
        ("evaluate", one_die.policy, "--against", one_die.policy, *PATIENT),
    ):
        english, chinese = (
            json.loads(
                succeeds(*arguments, "--json", "--lang", language), parse_float=to_nine_digits
            )
            for language in ("en", "zh")
        )
        for found in (english, chinese):
            found.pop("seconds", None)
        assert english == chinese
