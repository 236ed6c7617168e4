"""What is installed: the package `zhaifei` with all its modules and data, and nothing beside it.

The wheel is built from the source distribution, as pip builds it where there is no wheel."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
import zlib
from importlib.metadata import version
from pathlib import Path

import pytest

import zhaifei
from tests.command_line import ENGLISH, LONG, ROOT

ROOMS = ("app", "game", "policies", "solver")
BUILT_FROM = ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "MANIFEST.in")
MOST = 60_000_000
"""The most bytes of a wheel."""


def files_of(room: Path) -> list[Path]:
    files = (path for path in room.rglob("*") if path.is_file())
    return [path for path in files if not {"__pycache__", "node_modules"} & {*path.parts}]


def data_files() -> list[Path]:
    """The files that are installed as they stand; of the catalogue only the compiled one is."""
    folders = ("policies/data", "app/pocket/data", "app/pocket/card_files", "web")
    return [path for folder in folders for path in files_of(ROOT / folder)]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this checkout, in which each policy file is one byte long."""
    copy = tmp_path_factory.mktemp("checkout")
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
    return copy


def built(kind: str, source: Path, out: Path) -> Path:
    """Build a `wheel` or an `sdist` as pip does, and return its path."""
    build = f"from setuptools.build_meta import build_{kind} as build; print(build({str(out)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", build],
        cwd=source,
        check=True,
        capture_output=True,
        encoding="utf-8",
        timeout=LONG,
    )
    return out / done.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def sdist(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, unpacked."""
    out = tmp_path_factory.mktemp("sdist")
    with tarfile.open(built("sdist", checkout, out)) as file:
        file.extractall(out, filter="data")
    (unpacked,) = (path for path in out.iterdir() if path.is_dir())
    return unpacked


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel that the source distribution builds."""
    return zipfile.ZipFile(built("wheel", sdist, tmp_path_factory.mktemp("wheel")))


def test_the_wheel_has_the_package_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    modules = [*ROOT.glob("*.py"), ROOT / "py.typed"]
    modules += [path for room in ROOMS for path in files_of(ROOT / room) if path.suffix == ".py"]
    paths = (*modules, *data_files())
    expected = {f"zhaifei/{path.relative_to(ROOT).as_posix()}" for path in paths}
    assert names == expected | {"zhaifei/app/locale/zh_CN/LC_MESSAGES/zhaifei.mo"}


def test_the_checkout_and_the_source_distribution_build_the_same_wheel(
    wheel: zipfile.ZipFile, checkout: Path, tmp_path: Path
) -> None:
    other = zipfile.ZipFile(built("wheel", checkout, tmp_path))
    contents = [{one.filename: one.CRC for one in each.infolist()} for each in (wheel, other)]
    assert contents[0] == contents[1]


def test_the_source_distribution_has_what_the_wheel_is_built_from(sdist: Path) -> None:
    beside = {path.name for path in sdist.iterdir()} - {path.name for path in ROOT.glob("*.py")}
    made = {"PKG-INFO", "setup.cfg", "zhaifei.egg-info"}
    beside.discard("build")  # where the wheel was built
    assert beside == {*BUILT_FROM, *ROOMS, *made, "py.typed", "web"}


def test_the_installed_package_does_not_mind_its_neighbours(
    wheel: zipfile.ZipFile, tmp_path: Path
) -> None:
    """Others may install packages that are called like our rooms."""
    site = tmp_path / "site"
    wheel.extractall(site)
    for name in (*ROOMS, "cli", "web", "benchmarks"):
        (site / name).mkdir()
        (site / name / "__init__.py").write_text(f"raise ImportError({name!r})\n")
    for command in (["--version"], ["rules"], ["--help", "--lang", "zh"]):
        done = subprocess.run(
            [sys.executable, "-m", "zhaifei", *command],
            cwd=tmp_path,
            env={**os.environ, **ENGLISH, "PYTHONPATH": str(site), "PYTHONUTF8": "1"},
            capture_output=True,
            encoding="utf-8",
            timeout=LONG,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert "五个骰子" in done.stdout


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


def test_the_version_is_stated_once_and_has_a_section() -> None:
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert zhaifei.__version__ == version("zhaifei")
    for page in ("CHANGELOG.md", "docs/changelog.zh.md"):
        text = (ROOT / page).read_text("utf-8")
        unreleased, *released = re.findall(r"^## (.+)", text, re.M)
        assert unreleased == "Unreleased"
        assert re.fullmatch(rf"{re.escape(stated)} - \d{{4}}-\d\d-\d\d", released[0]), page
    others = [path for path in ROOT.glob("*.py") if stated in path.read_text("utf-8")]
    assert others == []


def test_the_wheel_says_what_it_is(wheel: zipfile.ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
    said = wheel.read(name).decode()
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for line in (
        f"Version: {stated['version']}",
        "License-Expression: MIT",
        "License-File: LICENSE",
        "Requires-Python: >=3.11",
    ):
        assert line in said.splitlines()
