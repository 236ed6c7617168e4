"""What is installed: the package `zhaifei` with all its modules and data, and nothing beside it."""

import shutil
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import pytest

from tests.command_line import LONG, ROOT

ROOMS = ("app", "game", "policies", "solver")
BUILT_FROM = ("pyproject.toml", "README.md", "LICENSE")
MOST = 50_000_000
"""The most bytes of a wheel, 47.7 MiB."""


def files_of(room: Path) -> list[Path]:
    files = (path for path in room.rglob("*") if path.is_file())
    return [path for path in files if not {"__pycache__", "node_modules"} & {*path.parts}]


def data_files() -> list[Path]:
    """The files that are installed as they stand; of the catalogue only the compiled one is."""
    folders = ("policies/data", "app/pocket/data", "app/pocket/card_files", "web")
    return [path for folder in folders for path in files_of(ROOT / folder)]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel of a copy of this checkout, in which each policy file is one byte long."""
    copy, out = (tmp_path_factory.mktemp(name) for name in ("checkout", "wheel"))
    roots = [*(ROOT / name for name in BUILT_FROM), *ROOT.glob("*.py"), ROOT / "py.typed"]
    rooms = [path for room in (*ROOMS, "benchmarks", "tests") for path in files_of(ROOT / room)]
    web = files_of(ROOT / "web")
    for path in (*roots, *rooms, *web):
        target = copy / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".safetensors":
            target.write_bytes(b"-")
        elif path.suffix != ".mo":
            shutil.copy(path, target)
    options = ("--no-deps", "--no-build-isolation", "--wheel-dir", str(out))
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", *options, str(copy)],
        check=True,
        capture_output=True,
        timeout=LONG,
    )
    (built,) = out.iterdir()
    return zipfile.ZipFile(built)


def test_the_wheel_has_the_package_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    modules = [*ROOT.glob("*.py"), ROOT / "py.typed"]
    modules += [path for room in ROOMS for path in files_of(ROOT / room) if path.suffix == ".py"]
    expected = {
        f"zhaifei/{path.relative_to(ROOT).as_posix()}" for path in (*modules, *data_files())
    }
    assert names == expected | {"zhaifei/app/locale/zh_CN/LC_MESSAGES/zhaifei.mo"}


def test_the_wheel_is_small(wheel: zipfile.ZipFile) -> None:
    assert wheel.filename is not None
    policies = [path for path in data_files() if path.suffix == ".safetensors"]
    packed = sum(len(zlib.compress(path.read_bytes())) for path in policies)
    assert Path(wheel.filename).stat().st_size + packed <= MOST


def test_the_command_is_the_only_script(wheel: zipfile.ZipFile) -> None:
    (entries,) = (name for name in wheel.namelist() if name.endswith("/entry_points.txt"))
    assert wheel.read(entries).decode().split() == [
        "[console_scripts]",
        "zhaifei",
        "=",
        "zhaifei.cli:main",
    ]
