"""The static site: its files, the list of them, and the rules, texts and policies in it."""

import gzip
import json
from itertools import product
from pathlib import Path

import pytest

from tests.command_line import succeeds
from zhaifei.app.pocket import exporting, pocket_policies
from zhaifei.app.pocket.exporting import LISTED, OFFERS, WEB, listed, own_files
from zhaifei.app.pocket.match_tables import MATCHES
from zhaifei.app.pocket.pocket_policies import (
    DATA,
    TARGETS,
    THRESHOLDS,
    WHOLE,
    pocket_path,
    pocket_policy,
)
from zhaifei.app.pocket.rules_tables import PLAYERS, PRESETS, every_rules, key_of, rules_table
from zhaifei.app.pocket.shapes import as_json
from zhaifei.app.pocket.texts import chinese_texts
from zhaifei.policies.catalogue.shipped import POLICIES, SOLVED, shipped_path
from zhaifei.policies.players.table_policy import load_policy, table_arrays

MOST_OF_RULES = 30_000
"""The most bytes that the rules of a variant take when they are compressed."""
MOST_AT_ONCE = 400_000
"""The most bytes of what a page keeps from the first visit on."""
NAMES = [*TARGETS, *THRESHOLDS]
MOST_OF_TWO, MOST_OF_SEVERAL = 1_500_000, 1_000_000
"""The most bytes of pocket policies, by the number of players."""


def test_all_files_are_listed_with_a_version(site: Path) -> None:
    listed = json.loads((site / "data/files.json").read_text("utf-8"))
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert {*listed["files"], *listed["later"]} == files - {LISTED, OFFERS}
    assert not {*listed["files"]} & {*listed["later"]}
    assert len(listed["version"]) == 16
    assert sum((site / name).stat().st_size for name in listed["files"]) <= MOST_AT_ONCE


def test_the_front_ends_own_files_are_copied(site: Path) -> None:
    names = {path.relative_to(WEB).as_posix() for path in own_files()}
    assert {"index.html", "sw.js", "game/round.js", "policy/policy.js"} <= names
    assert not {name for name in names if name.endswith((".d.ts", "tsconfig.json"))}
    for name in names:
        assert (site / name).read_bytes() == (WEB / name).read_bytes()


def test_the_version_changes_with_any_file(site: Path) -> None:
    found = json.loads((site / LISTED).read_text("utf-8"))
    names = [*found["files"], *found["later"]]
    contents = {name: (site / name).read_bytes() for name in names}

    def version(changed: dict[str, bytes]) -> str:
        return str(json.loads(listed(changed))["version"])

    assert version(contents) == found["version"]
    assert version(dict(reversed(contents.items()))) == found["version"]
    for name in ("index.html", "data/rules/zhaifei-2.json", names[-1]):
        assert version({**contents, name: contents[name] + b" "}) != found["version"]
    assert version({**contents, "new.js": b""}) != found["version"]


def test_a_site_is_written_where_no_directory_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"index.html": lambda: b"<p>", "data/one.json": lambda: b"{}"}
    monkeypatch.setattr(exporting, "site_files", lambda: files)
    succeeds("web", "--export", tmp_path / "new" / "site")
    written = {path.name for path in (tmp_path / "new" / "site").rglob("*") if path.is_file()}
    assert written == {"index.html", "one.json", "files.json", "server.json"}


def test_a_static_site_offers_nothing_of_a_server(site: Path) -> None:
    assert json.loads((site / OFFERS).read_text("utf-8")) == {}


def test_every_preset_is_listed_for_all_numbers_of_players(site: Path) -> None:
    index = json.loads((site / "data/rules/index.json").read_text("utf-8"))
    assert [one["name"] for one in index] == [*PRESETS, *MATCHES]
    for one, players in product(index, PLAYERS):
        written = json.loads((site / f"data/rules/{one['name']}-{players}.json").read_text())
        assert (written["name"], written["players"]) == (one["name"], players)
        assert {*one["title"]} == {"zh", "en"} == {*written["told"]}
        assert one["players"] == [*PLAYERS]
        assert one["losesDice"] == (written["match"] is not None)
        policy = written["policy"]
        assert policy is None or (site / "data/policies" / policy).is_file()
        if not one["losesDice"]:
            assert (players in one["solved"]) == (policy is not None)
        assert (players in one["mastered"]) == (policy is not None)


@pytest.mark.parametrize("rules", every_rules(), ids=key_of)
def test_rules_are_small(rules) -> None:
    assert len(gzip.compress(as_json(rules_table(rules, None)))) < MOST_OF_RULES


def test_rules_are_told_in_both_languages() -> None:
    told = rules_table(every_rules()[0], None)["told"]
    assert len(told["zh"]) == len(told["en"]) > 4
    assert told["zh"] != told["en"]


def test_every_text_of_the_page_has_a_chinese_one() -> None:
    texts = chinese_texts(WEB)
    assert texts
    assert [text for text, chinese in texts.items() if text == chinese] == []


@pytest.mark.parametrize("name", NAMES)
def test_pocket_policies_say_what_they_are(name: str) -> None:
    path = DATA / f"{name}.safetensors"
    policy = load_policy(path)
    assert policy.rules == POLICIES[name]
    assert policy.training["of"] == name
    assert 0.0 < policy.training["figure"] < 1.0


@pytest.mark.parametrize("name", [*NAMES, *WHOLE])
def test_policies_of_the_page_are_small(name: str) -> None:
    rules = POLICIES[name]
    path = pocket_path(rules)
    assert path is not None
    assert (path == shipped_path(rules)) == (name in WHOLE)
    assert path.stat().st_size <= (MOST_OF_TWO if rules.players == 2 else MOST_OF_SEVERAL)


def test_there_is_a_pocket_policy_for_every_solved_round() -> None:
    assert {*NAMES} == {path.stem for path in DATA.iterdir()}
    offered = {*every_rules()}
    assert {*NAMES, *WHOLE} - {"knockout-2p"} == {
        name for name, rules in POLICIES.items() if rules in offered and name != "single-bid"
    }


@pytest.mark.parametrize("name", [*NAMES, *WHOLE])
def test_what_is_certified_comes_with_the_rules_or_in_the_file(site: Path, name: str) -> None:
    rules = POLICIES[name]
    written = json.loads((site / f"data/rules/{key_of(rules)}.json").read_text("utf-8"))
    assert written["policy"] == f"{name}.safetensors"
    assert written["figure"] == (SOLVED[name].figure if name in WHOLE else None)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["zhaifei-5p", "zhaifei-7p"])
def test_pocket_policies_come_from_the_shipped_ones(name: str) -> None:
    policy, kept = pocket_policy(name), load_policy(DATA / f"{name}.safetensors")
    arrays, known = table_arrays(policy), table_arrays(kept)
    assert arrays.keys() == known.keys()
    assert all((arrays[key] == known[key]).all() for key in arrays)
    assert pocket_policies.certified_figure(policy) == kept.training["figure"]
