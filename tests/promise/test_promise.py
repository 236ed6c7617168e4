"""What version 1 promises is still there: see docs/compatibility.md and `promised`."""

from typing import Any

import pytest

from tests.promise.promised import (
    FREE,
    PRINTED,
    Promise,
    _paths,
    options,
    printed,
    python,
    with_new,
)
from zhaifei.app.terminal.group import VERBS, Commands

ADD = "python -m tests.promise.promised adds what is new"


@pytest.mark.usefixtures("places")
@pytest.mark.parametrize("name", PRINTED)
def test_programs_find_what_a_command_printed(name: str) -> None:
    promised, found = Promise("printed").made[name], printed(name)
    assert found.keys() >= promised.keys(), "a key or column is gone"
    for path, kinds in promised.items():
        assert {*found[path]} <= {*kinds, "null"}, path
    assert found.keys() <= promised.keys(), ADD


def test_every_command_with_json_or_csv_is_promised() -> None:
    with_it = {
        (verb, option)
        for verb in VERBS
        for one in Commands()[verb].params
        for option in one.opts
        if option in ("--json", "--csv")
    }
    tried = {
        (arguments[0], option)
        for arguments in PRINTED.values()
        for option in ("--json", "--csv")
        if option in arguments
    }
    assert tried == with_it


def test_options_are_those_that_were_promised() -> None:
    promised, found = Promise("options").made, options()
    for verb, its in promised.items():
        for option, taken in its.items():
            assert option in found[verb], f"{verb} {option} is gone"
            now = found[verb][option]
            assert set(taken) <= set(now) if isinstance(taken, list) else taken == now, option
    assert with_new(promised, found) == promised, ADD


def test_the_python_api_is_what_was_promised() -> None:
    promised, found = Promise("python").made, python()
    for name, its in promised.items():
        assert not broken(its, found.get(name)), name
    assert with_new(promised, found) == promised, ADD


def broken(promised: Any, found: Any) -> bool:
    """Whether a call or a use of a name that was right before may be wrong now."""
    if found is None or not isinstance(promised, list):
        return bool(promised != found)
    if not promised or isinstance(promised[0], str):
        return not set(promised) <= set(found)
    return found[: len(promised)] != promised or any(
        one["required"] for one in found[len(promised) :]
    )


def test_what_breaks_a_call_is_noticed() -> None:
    one = {"name": "rules", "kind": "POSITIONAL_OR_KEYWORD", "required": True}
    more = {"name": "seed", "kind": "KEYWORD_ONLY", "required": False}
    assert not broken([one], [one, more])
    assert broken([one], [one, {**more, "required": True}])
    assert broken([one, more], [one])
    assert broken([one], [{**one, "name": "rule"}])
    assert broken(["a", "b"], ["a"])
    assert broken(["a"], None)


def test_paths_tell_keys_from_data() -> None:
    value = {"a": [{"b": 1}, {"b": None}], "飞1×2": True, "penalty_share": {"honest": 0.5}}
    found = [*_paths({**value, "training": {"engine": "tree"}}, "")]
    assert ("a[].b", "number") in found
    assert ("a[].b", "null") in found
    assert ("*", "boolean") in found
    assert ("penalty_share.*", "number") in found
    assert {path for path, _ in found if path.startswith("training")} == FREE
