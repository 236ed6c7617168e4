"""What a release brings along agrees with the project: dependencies, citation, hosted checks."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from docs.shown import FIGURES, ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
HOSTED = sorted((ROOT / ".github").rglob("*.yml"))
WORKFLOWS = [path for path in HOSTED if path.parent.name == "workflows"]


def named(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[><=; ]", one)[0] for one in requirements}


def read(path: Path) -> dict[Any, Any]:
    found: dict[Any, Any] = yaml.safe_load(path.read_text("utf-8"))
    return found


def test_the_table_has_each_dependency_and_its_extra() -> None:
    rows = tomllib.loads(FIGURES.read_text("utf-8"))["dependencies"]["rows"]
    stated = {(row[0].strip("`"), row[1]["en"]) for row in rows}
    expected = {(name, "always") for name in named(PROJECT["dependencies"])}
    for extra, requirements in PROJECT["optional-dependencies"].items():
        its = named(requirements) - named(PROJECT["dependencies"])
        expected |= {(name, extra) for name in its}
    assert stated == expected
    assert len(rows) == len(stated)


def test_exact_versions_are_in_one_extra() -> None:
    """That is the one whose code uses private members: see tests/policies/research."""
    pinned = {
        extra
        for extra, requirements in PROJECT["optional-dependencies"].items()
        if any("==" in one for one in requirements)
    }
    assert pinned == {"rl"}
    assert not any("==" in one.split(";")[0] for one in PROJECT["dependencies"])


def test_the_citation_is_of_this_version() -> None:
    citation = read(ROOT / "CITATION.cff")
    assert citation["version"] == PROJECT["version"]
    section = f"## {citation['version']} - {citation['date-released']}"
    assert section in (ROOT / "CHANGELOG.md").read_text("utf-8").splitlines()
    assert citation["license"] == PROJECT["license"]


def test_python_versions_are_those_of_the_hosted_checks() -> None:
    said = [one.split(" :: ")[-1] for one in PROJECT["classifiers"] if re.search(r":: 3\.\d", one)]
    (ci,) = (path for path in WORKFLOWS if path.name == "ci.yml")
    matrix = read(ci)["jobs"]["wheel"]["strategy"]["matrix"]
    assert matrix["python"] == said
    assert {one.split("-")[0] for one in matrix["os"]} == {"ubuntu", "macos", "windows"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_hosted_jobs_may_do_no_more_than_they_need(path: Path) -> None:
    workflow = read(path)
    assert "never run" in path.read_text("utf-8").split("name:")[0]
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 90
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout"):
                assert step["with"]["persist-credentials"] is False
    assert "secrets." not in path.read_text("utf-8")


def test_a_release_is_published_without_a_secret_and_with_attestations() -> None:
    workflow = read(next(path for path in WORKFLOWS if path.name == "publish.yml"))
    publish = workflow["jobs"]["publish"]
    assert publish["permissions"]["id-token"] == "write"
    used = [step["uses"].split("@")[0] for step in publish["steps"]]
    assert "actions/attest-build-provenance" in used
    assert publish["steps"][-1]["with"] == {"attestations": True}


def test_forms_and_hooks_can_be_read() -> None:
    forms = [path for path in HOSTED if path.parent.name == "ISSUE_TEMPLATE"]
    assert len(forms) == 4
    for path in forms:
        if path.name != "config.yml":
            form = read(path)
            assert {"name", "description", "body"} <= form.keys()
            identities = [one["id"] for one in form["body"]]
            assert len({*identities}) == len(identities)
    hooks = read(ROOT / ".pre-commit-config.yaml")["repos"][0]["hooks"]
    for hook in hooks:
        program = hook["entry"].split()[0]
        assert program == "ruff" or (ROOT / program).exists()
