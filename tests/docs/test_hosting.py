"""The files for hosting fit each other, the command and the package."""

import re
import shlex
from fnmatch import fnmatch
from typing import Any

import yaml

from docs.shown import ROOT
from tests.test_wheel import BUILT_FROM, ROOMS
from zhaifei.app.terminal.commands.web import web

HOSTING = ROOT / "docs" / "hosting"
OPTIONS = {option: one for one in web.params for option in one.opts}


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((HOSTING / "compose.yaml").read_text("utf-8"))
    return found


def dockerfile() -> str:
    return (HOSTING / "Dockerfile").read_text("utf-8")


def test_compose_builds_the_dockerfile() -> None:
    build = compose()["services"]["zhaifei"]["build"]
    assert (HOSTING / build["context"]).resolve() == ROOT
    assert (ROOT / build["dockerfile"]).samefile(HOSTING / "Dockerfile")


def test_options_and_variables_are_those_of_the_command() -> None:
    service = compose()["services"]["zhaifei"]
    entry = re.findall(r'"([^"]+)"', dockerfile().split("ENTRYPOINT")[1])
    page = (ROOT / "docs" / "hosting.md").read_text("utf-8")
    (start,) = re.findall(r"^ExecStart=(.+)", page, re.M)
    typed = [*entry, *service["command"], *shlex.split(start)]
    assert {one for one in typed if one.startswith("--")} <= {*OPTIONS}
    assert [*service["environment"]] == [OPTIONS["--token"].envvar]


def test_the_proxy_of_compose_is_in_the_network_that_is_believed() -> None:
    found = compose()
    (network,) = found["networks"]["default"]["ipam"]["config"]
    command = found["services"]["zhaifei"]["command"]
    assert command[command.index("--proxy") + 1] == network["subnet"]


def test_all_name_the_port_of_the_command() -> None:
    port = OPTIONS["--port"].default
    texts = dockerfile(), (HOSTING / "Caddyfile").read_text("utf-8")
    pages = [(ROOT / "docs" / name).read_text("utf-8") for name in ("hosting.md", "hosting.zh.md")]
    for text in (*texts, *pages):
        assert {*re.findall(r"(?:EXPOSE |127\.0\.0\.1:|zhaifei:)(\d+)", text)} == {str(port)}


def test_the_image_has_what_the_package_is_built_from() -> None:
    ignored = (HOSTING / "Dockerfile.dockerignore").read_text("utf-8").splitlines()
    needed = [*ROOMS, *BUILT_FROM, "web"]
    assert [name for name in needed for one in ignored if fnmatch(name, one)] == []
