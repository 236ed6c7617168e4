"""What the documentation shows: its pages, their commands with what these print, and their tables.

    python -m docs.shown

runs the commands whose output is shown in full and writes what they print now, and writes the
tables of figures.toml. tests/docs/ checks that nothing would change.

A block of commands is a fence ```console in which each command begins with "$ " and what it prints
follows. Where a line is "...", the lines before it are the first that the command prints, and those
after it the last. A table between <!-- table: NAME --> and <!-- end --> is that of figures.toml.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Any

import zhaifei
from zhaifei import cli
from zhaifei.policies.play.record_text import parse_rounds
from zhaifei.policies.play.records import write_match

ROOT = Path(__file__).parent.parent
README = {"en": ROOT / "README.md", "zh": ROOT / "README.zh-CN.md"}
FIGURES = ROOT / "docs" / "figures.toml"
COLUMNS = "80"
GAP = "..."

ELSEWHERE = {
    ".venv/bin/pip install": ".ci/run installs the package with all extras",
    "pip install": ".ci/run installs the package with these extras into a fresh environment",
    "python3 -m venv": ".ci/run makes a fresh environment, installs and runs the tests",
    "python -m benchmarks.": "the smoke runs of the benchmarks",
    "python -m docs.shown": "this module is tested by itself",
    "python -m docs.policies": "tests/docs/test_policies.py",
    "python -m tests.game.openspiel.upstream": "tests/game/openspiel/test_upstream.py",
    "mkdocs build": "tests/docs/test_site.py",
    "pytest": ".ci/run",
    "ruff": ".ci/run",
    ".ci/types": ".ci/run",
    "ray start": "tests/policies/training/test_ray.py has a cluster of its own",
    "ray up": "nobody has run it, and the page says so",
}
"""Commands that are not run in the process of the tests, by how they begin, and what runs them."""

SMALL = "--dice 1 --faces 3"
TWO = f"zhaifei solve --players 2 {SMALL} --iterations 1e3"
THREE = (
    "zhaifei solve --players 3 --dice 2 --faces 3 --jump-challenge --iterations 3e5 --threads 1"
    " --out three.safetensors"
)
SHORT = {
    "zhaifei solve --players 2 --iterations 1e7": TWO,
    "zhaifei solve --players 2 --iterations 6e7 --checkpoint-every 40m": (
        f"{TWO} --checkpoint-every 40m"
    ),
    "zhaifei solve --single-bid --iterations 1.27e8 --out single-bid.safetensors": (
        f"zhaifei solve --single-bid {SMALL} --iterations 1e3 --out single-bid.safetensors"
    ),
    "zhaifei solve --players 2 --iterations 1e7 --cluster": (
        f"zhaifei solve --players 3 {SMALL} --iterations 1e3 --cluster"
    ),
    "zhaifei solve --cluster 10.0.0.1:6379 --out /shared/two.safetensors": "zhaifei solve --help",
    "zhaifei solve --resume /shared/two.checkpoint.safetensors --cluster 10.0.0.1:6379": (
        "zhaifei solve --help"
    ),
    "zhaifei cluster check 10.0.0.1:6379": "zhaifei cluster check local",
    "zhaifei solve --rules classic --players 2": (
        "zhaifei solve --rules classic --players 2 --dice 2 --faces 3 --iterations 2e4"
    ),
    "zhaifei solve --rules knockout --players 2": (
        "zhaifei solve --rules knockout --players 2 --dice 2 --faces 3 --iterations 2e4"
    ),
    "zhaifei solve --dice 5,3": "zhaifei solve --dice 2,1 --faces 3 --iterations 1e3",
    "zhaifei solve --players 3": (f"zhaifei solve --players 3 {SMALL} --iterations 1e3"),
    "zhaifei solve --players 2 --time-limit 10m --out mine.safetensors": (
        # The long form is interrupted; this one finishes, and the next command resumes it.
        f"{TWO} --time-limit 10m --keep-checkpoint --out mine.safetensors"
    ),
    "zhaifei solve --players 2 --target 0.05 --time-limit 1h": (
        f"zhaifei solve --players 2 {SMALL} --target 0.1 --time-limit 1h"
    ),
    "zhaifei solve --resume mine.checkpoint.safetensors --iterations 3e7": (
        "zhaifei solve --resume mine.checkpoint.safetensors --iterations 2e3"
    ),
    "zhaifei solve --recall bid,bid,face --iterations 1e6 --threads 1": (
        f"zhaifei solve {SMALL} --recall bid,bid,face --iterations 1e3 --threads 1"
    ),
    "zhaifei arena --rules southern": (
        "zhaifei arena southern-2p honest --rules southern --rounds 100"
    ),
    "zhaifei evaluate --show-response 3": (
        "zhaifei evaluate mine.safetensors --time-limit 1m --show-response 3"
    ),
    "zhaifei evaluate": "zhaifei evaluate mine.safetensors --time-limit 1m",
    "zhaifei evaluate reader --time-limit 4m": (
        f"zhaifei evaluate reader --against honest {SMALL} --time-limit 1s"
    ),
    "zhaifei evaluate ppo --time-limit 10m": "zhaifei evaluate mine.safetensors --time-limit 1m",
    "zhaifei evaluate mine.safetensors --against single-bid --time-limit 10s": (
        "zhaifei evaluate mine.safetensors --against mine.safetensors --time-limit 1s"
    ),
    "zhaifei evaluate my_strategy.py --time-limit 60s": (
        f"zhaifei evaluate my_strategy.py {SMALL} --time-limit 1s"
    ),
    "zhaifei evaluate --players 3 --dice 3": (
        f"zhaifei evaluate --players 3 {SMALL} --policy probabilistic --time-limit 1s"
    ),
    'zhaifei query --policy three.safetensors --hand 13 --history "f4x3 z3x3 z4x3"': (
        # What a run finds depends on the processor: its sums differ in the last bits.
        'zhaifei query --policy three.safetensors --hand 13 --history "f4x3 z3x3 z4x3"'
    ),
    "zhaifei arena": f"zhaifei arena {SMALL} --rounds 100",
    "zhaifei arena honest conservative ppo zhaifei-2p --rounds 4000": (
        "zhaifei arena honest conservative ppo single-bid --rounds 100"
    ),
    "zhaifei arena ppo.safetensors honest probabilistic": (
        "zhaifei arena ppo honest probabilistic --rounds 100"
    ),
    "zhaifei arena zhaifei-2p ppo --rounds 1e6": ("zhaifei arena single-bid ppo --rounds 100"),
    "zhaifei arena --rules knockout": "zhaifei arena --rules knockout random honest --rounds 4",
    "zhaifei arena random honest probabilistic conservative knockout-2p --rules knockout"
    " --players 2 --rounds 4000": (
        "zhaifei arena honest knockout-2p --rules knockout --players 2 --rounds 4"
    ),
    "zhaifei arena q-learner caller-breaker random-caller --rules increment --rounds 2000": (
        "zhaifei arena q-learner random-caller --rules increment --rounds 4"
    ),
    "zhaifei train q --seed 0": "zhaifei train q --seed 0 --matches 50",
    "zhaifei train q --as-published --seed 0": (
        "zhaifei train q --as-published --seed 0 --matches 50"
    ),
    "zhaifei arena q-learner random-caller --rules published": (
        "zhaifei arena q-learner random-caller --rules published --rounds 4"
    ),
    "zhaifei train ppo --steps 4e7 --threads 1 --keep-checkpoint --out ppo.safetensors": (
        "zhaifei train --help"
    ),
    "zhaifei train ppo --players 3 --steps 6e6 --threads 1 --out ppo-3p.safetensors": (
        "zhaifei train ppo --players 3 --steps 1000 --threads 1 --out ppo-3p.safetensors"
    ),
    "zhaifei train nfsp --players 3 --steps 12e6 --threads 1 --out nfsp-3p.safetensors": (
        "zhaifei train nfsp --players 3 --steps 1000 --threads 1 --out nfsp-3p.safetensors"
    ),
    "zhaifei train ppo --players 3 --against zhaifei-3p --steps 6e6 --threads 1": (
        "zhaifei train ppo --players 3 --against honest --steps 1000 --threads 1"
    ),
    "zhaifei train ppo --players 3 --against zhaifei-3p --steps 18e5 --threads 1"
    " --out attacker.safetensors": (
        "zhaifei train ppo --players 3 --against honest --steps 1000 --threads 1"
        " --out attacker.safetensors"
    ),
    "zhaifei arena --players 3 ppo-3p.safetensors zhaifei-3p": (
        "zhaifei arena --players 3 ppo-3p.safetensors honest --rounds 100"
    ),
    "zhaifei train ppo --resume ppo.checkpoint.safetensors --steps 6.2e7": "zhaifei train --help",
    "zhaifei drill --count 1 --seed 3 --time-limit 0": (  # what comes depends on sessions before
        "zhaifei drill --policy mine.safetensors --count 1 --seed 3 --time-limit 0"
    ),
    "zhaifei report": "zhaifei report --help",
    "zhaifei web": "zhaifei web --help",  # it serves until Ctrl-C: tests/app/terminal/commands
    "zhaifei web --host 0.0.0.0": "zhaifei web --help",
}
"""Commands that take long, and the short form in which a test runs them; their output is what was
once measured, and is not compared."""

TYPED = {
    "zhaifei rules --ask": "2\n3 2\n2\n2\n1\n2\n1\nn\n",
    "zhaifei play --rounds 1 --seed 3": "z2x4\nc\n",
    "zhaifei play --players 3 --opponent probabilistic --rounds 1 --seed 3": "f4x2\nc\n",
    "zhaifei play --rules knockout --players 2 --dice 2 --opponent honest --seed 1": (
        "f3x5\nf1x4\nc\n"
    ),
    "zhaifei watch --players 3 --opponent honest --opponent aggressive --seed 1": "\nq\n",
    "zhaifei watch --rules knockout --dice 5,3 --opponent honest --opponent aggressive --seed 1": (
        "\nq\n"
    ),
    "zhaifei record": """\
5人 先手3: 飞6x4 飞7x4 斋4x4 开; 我=2: 11346; 老王=4: 22335; 输5
6个2 8个3 开; 我: 12335; 老王: 33456; 1: 13356
""",
    "zhaifei watch friday.jsonl": "q\n",
}
"""What a reader would type."""
MATCH = """\
2 players, starter 1: f4x6 z3x6 c; me=1: 11346; 2: 22356
starter 2: f3x5 f6x5 c; 1: 23456; 2: 12255
"""
"""The match that is reviewed."""


@dataclass(frozen=True)
class Shown:
    """A command on a page."""

    page: Path
    line: int
    """Of its first line of output, from 0."""
    command: str
    output: tuple[str, ...]

    @property
    def language(self) -> str:
        """In which the page is written."""
        return "zh" if ".zh" in self.page.name else "en"

    @property
    def elsewhere(self) -> str | None:
        """What runs the command, if it is not run here."""
        return next((why for how, why in ELSEWHERE.items() if self.command.startswith(how)), None)

    @property
    def compared(self) -> bool:
        """Whether the output is what the command prints now."""
        return bool(self.output) and self.elsewhere is None and self.command not in SHORT


def pages(language: str) -> list[Path]:
    """Return the README and all pages of the site in one language, those included as they are."""
    docs = sorted((ROOT / "docs").rglob("*.md"))
    of_it = [page for page in docs if page.name.endswith(".zh.md") == (language == "zh")]
    more = [ROOT / "CONTRIBUTING.md"] if language == "en" else []
    return [README[language], *more, *of_it]


def fences(text: str, kind: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the first line number, from 0, and the lines of each fence of one kind."""
    inside: list[str] | None = None
    wanted, first = False, 0
    for number, line in enumerate(text.splitlines()):
        if line.startswith("```"):
            if inside is None:
                inside, wanted, first = [], line[3:].strip() == kind, number + 1
            else:
                if wanted:
                    yield first, inside
                inside = None
        elif inside is not None:
            inside.append(line)


def shown(page: Path) -> list[Shown]:
    """Return the commands on a page."""
    found = []
    for first, lines in fences(page.read_text(encoding="utf-8"), "console"):
        starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            output = tuple(lines[start + 1 : end])
            found.append(Shown(page, first + start + 1, lines[start][2:], output))
    return found


@contextmanager
def _process(typed: str) -> Iterator[tuple[IO[str], IO[str]]]:
    """Stand in for a pipe that types `typed`, and for 80 columns; yield the output and the errors.
    They are real files, as commands ask for the descriptors of their streams."""
    stdin_before, columns = sys.stdin, os.environ.get("COLUMNS")
    with TemporaryFile("w+") as stdin, TemporaryFile("w+") as out, TemporaryFile("w+") as err:
        stdin.write(typed)
        stdin.seek(0)
        sys.stdin, os.environ["COLUMNS"] = stdin, COLUMNS
        try:
            with redirect_stdout(out), redirect_stderr(err):
                yield out, err
        finally:
            sys.stdin = stdin_before
            if columns is None:
                del os.environ["COLUMNS"]
            else:
                os.environ["COLUMNS"] = columns


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    lines: list[str]
    """That it printed, without blanks at their ends."""
    errors: str


@cache
def run(command: str, language: str) -> Ended:
    """Run `zhaifei ...` in this process, with what TYPED has for it."""
    program, *arguments = shlex.split(command)
    if program != "zhaifei":
        raise ValueError(f"{command!r} is not run here: name what runs it in ELSEWHERE")
    arguments += ["--lang", language]
    if arguments[0] in ("solve", "train") and not {"--resume", "--help"} & {*arguments}:
        arguments.append("--overwrite")  # commands of other pages may have written the file
    with _process(TYPED.get(command, "")) as (out, err):
        code = cli.run(arguments)
        out.seek(0)
        err.seek(0)
        return Ended(code, _lines(out.read()), err.read())


def _lines(text: str) -> list[str]:
    """Return what was printed, with paths as from the repository."""
    for root in (ROOT, zhaifei.__path__[0]):  # the package may be installed elsewhere
        text = text.replace(f"{root}/", "")
    return [line.rstrip() for line in text.rstrip("\n").split("\n")]


def abridged(printed: list[str], output: tuple[str, ...]) -> list[str]:
    """Return what `output` would show of `printed`: as many lines before and after "..."."""
    if GAP not in output:
        return printed
    head, tail = output.index(GAP), len(output) - 1 - output.index(GAP)
    return [*printed[:head], GAP, *(printed[-tail:] if tail else [])]


def steady(lines: list[str]) -> list[str]:
    """Return lines without what differs from run to run: durations and rates."""
    text = "\n".join(lines)
    text = re.sub(r"\b\d+:\d\d(:\d\d)?\b", "0:00", text)
    return re.sub(r"[\d,]+(?=/s\b| 次/秒)", "0", text).split("\n")


def files_for_commands(directory: Path) -> None:
    """Write what commands on the pages read: a strategy of one's own, locks, records, small
    policies, and the shipped ones as in a clone."""
    (directory / "policies").symlink_to(ROOT / "policies")
    strategy = next(
        lines
        for _, lines in fences((ROOT / "docs/strategies.md").read_text(encoding="utf-8"), "python")
        if any(line.startswith("class MyStrategy") for line in lines)
    )
    (directory / "my_strategy.py").write_text("\n".join(strategy) + "\n", encoding="utf-8")
    _, agent = next(fences((ROOT / "docs/agents.md").read_text(encoding="utf-8"), "python"))
    (directory / "agent.py").write_text("\n".join(agent) + "\n", encoding="utf-8")
    locking = (ROOT / "docs/commands/query.md").read_text(encoding="utf-8")
    _, locks = next(fences(locking, "yaml"))
    (directory / "sixes.yaml").write_text("\n".join(locks) + "\n", encoding="utf-8")
    write_match(directory / "friday.jsonl", parse_rounds(TYPED["zhaifei record"]))
    write_match(directory / "match.jsonl", parse_rounds(MATCH))
    for command in (f"{TWO} --keep-checkpoint --out mine.safetensors", THREE):
        ended = run(command, "en")
        if ended.code:
            raise RuntimeError(ended.errors)


# Tables


def table(figures: dict[str, Any], name: str, language: str) -> list[str]:
    """Return the lines of a table of figures.toml."""
    rows = [figures[name]["columns"], *figures[name]["rows"]]
    cells = [[cell if isinstance(cell, str) else cell[language] for cell in row] for row in rows]
    dashes = ["---", *["---:"] * (len(cells[0]) - 1)]
    return ["| " + " | ".join(row) + " |" for row in (cells[0], dashes, *cells[1:])]


def with_tables(text: str, language: str) -> str:
    """Return a page with its tables as figures.toml has them."""
    figures = tomllib.loads(FIGURES.read_text(encoding="utf-8"))

    def written(match: re.Match[str]) -> str:
        return "\n".join((match[1], *table(figures, match[2], language), match[3]))

    return re.sub(r"(<!-- table: (\w+) -->)\n.*?(<!-- end -->)", written, text, flags=re.S)


def refreshed(page: Path, print_now: Callable[[Shown], list[str]]) -> str:
    """Return a page with its tables and the output of its commands as they are now."""
    lines = page.read_text(encoding="utf-8").split("\n")
    for one in reversed(shown(page)):
        if one.compared:
            lines[one.line : one.line + len(one.output)] = print_now(one)
    return with_tables("\n".join(lines), "zh" if ".zh" in page.name else "en")


def _print_now(one: Shown) -> list[str]:
    ended = run(one.command, one.language)
    if ended.code:
        raise SystemExit(f"{one.page.name}: {one.command!r}: {ended.errors}")
    now = abridged(ended.lines, one.output)
    return list(one.output) if steady(now) == steady(list(one.output)) else now


def main() -> None:
    """Write all pages anew."""
    with TemporaryDirectory() as scratch:
        os.environ["XDG_DATA_HOME"] = scratch
        os.chdir(scratch)
        files_for_commands(Path(scratch))
        for language in README:
            for page in pages(language):
                page.write_text(refreshed(page, _print_now), encoding="utf-8")
                print(page.relative_to(ROOT))


if __name__ == "__main__":
    main()
