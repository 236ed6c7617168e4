"""Everything but the registered game and the learners works where OpenSpiel is not installed."""

import subprocess
import sys
from pathlib import Path

from tests.command_line import LONG, ROOT, environment

LEARNERS = ("buffers", "dqn", "nfsp", "openspiel_agents", "ppo")
NEED_IT = (
    "zhaifei.game.openspiel",
    "zhaifei.policies.players.openspiel",
    *(f"zhaifei.policies.research.{name}" for name in LEARNERS),
)
"""Modules, with all below them, that import OpenSpiel; others import them only where needed."""
NEED_TORCH = tuple(
    f"zhaifei.policies.research.{name}" for name in ("learner", "torch_features", "torch_state")
)
"""Modules that import PyTorch, which need not be installed either."""
NEED_EXTRAS = tuple(f"zhaifei.app.agents.{name}" for name in ("server", "text_arena", "tools"))
"""Modules that import MCP's package or TextArena."""
BLOCKED = "import sys; sys.modules['pyspiel'] = sys.modules['open_spiel'] = None\n"
IMPORTS = """
from importlib import import_module
for name in sys.argv[1:]:
    import_module(name)
"""
COMMANDS = """
import shlex
from zhaifei.cli import run
for line in sys.argv[1:]:
    print(f"\\n== {run(shlex.split(line))}")
"""
API = """
import zhaifei
rules = zhaifei.preset("liars_dice")
for call in (
    lambda: zhaifei.load_openspiel_game(rules),
    lambda: zhaifei.to_openspiel(None),
    lambda: zhaifei.from_openspiel(None, rules),
):
    try:
        call()
    except zhaifei.ZhaifeiError as error:
        print(error)
"""


def run_blocked(script: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BLOCKED + script, *arguments],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        timeout=LONG,
        check=True,
    )


def module_name(path: Path) -> str:
    parts = ("zhaifei", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def modules() -> list[str]:
    names = ["zhaifei.cli", "zhaifei"]
    for package in ("app", "game", "policies", "solver"):
        names += map(module_name, sorted((ROOT / package).rglob("*.py")))
    return [
        name
        for name in names
        if name not in (*NEED_TORCH, *NEED_EXTRAS)
        and not f"{name}.".startswith(tuple(f"{one}." for one in NEED_IT))
    ]


def test_all_other_modules_are_imported_without_it(tmp_path: Path) -> None:
    run_blocked(IMPORTS, *modules(), cwd=tmp_path)


def test_commands_work_without_it_and_learners_say_what_they_need(tmp_path: Path) -> None:
    done = run_blocked(
        COMMANDS,
        "solve --rules liars_dice --iterations 1e3 --out small.safetensors",
        "query --policy small.safetensors --hand 3 --bid f1x4",
        "play --policy small.safetensors --rounds 1 --seed 1",
        "train q --matches 10 --out q.safetensors",
        "train ppo --steps 10 --out ppo.safetensors",
        cwd=tmp_path,
    )
    codes = [int(line[3:]) for line in done.stdout.splitlines() if line.startswith("== ")]
    assert codes == [0] * 4 + [2]
    assert done.stderr.splitlines()[-1].startswith("zhaifei: training needs PyTorch")


def test_the_api_says_in_one_line_what_is_missing(tmp_path: Path) -> None:
    done = run_blocked(API, cwd=tmp_path)
    missing = "OpenSpiel is not installed: pip install open_spiel"
    assert done.stdout.splitlines() == [missing] * 3
