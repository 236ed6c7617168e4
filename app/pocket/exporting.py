"""A whole static site: the front end with its rules, texts and pocket policies as files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

from zhaifei.app.pocket.decisions import decision_tables
from zhaifei.app.pocket.pocket_policies import pocket_path
from zhaifei.app.pocket.rules_tables import (
    PRESETS,
    every_rules,
    key_of,
    rules_table,
    titles,
)
from zhaifei.app.pocket.shapes import as_json
from zhaifei.app.pocket.texts import chinese_texts
from zhaifei.game.rules import Rules, preset_name
from zhaifei.solver.files.atomic_files import cannot_write, write_atomically

WEB = Path(__file__).parents[2] / "web"
"""The front end's own files."""
_NOT_SHIPPED = ("*.d.ts", "tsconfig.json")
_POLICIES = "data/policies"
_LISTED = "data/files.json"
_EXPLORER = "policy/hand_grid.js", "parts/hand_cells.js", "screens/explore.js"
_LATER = "data/policies/", "data/rules/", "data/players/", *_EXPLORER
"""The directories and files that a page keeps once it has used them."""
_AT_ONCE = {
    "data/rules/index.json",
    *(f"data/{kind}/zhaifei-{players}.json" for kind in ("players", "rules") for players in (2, 3)),
}
"""The files in these directories that a page keeps from the first visit on, so that a first match
can be played offline."""
_VERSION_LENGTH = 16

Telling = Callable[[str], object]


def export(directory: Path, tell: Telling = lambda name: None) -> None:
    """Write the site into `directory`, which is made if it is missing; call `tell` with the name of
    each file that is written. Files of an earlier site that are not replaced stay.

    Raise StorageError.
    """
    written: dict[str, str] = {}
    for name, content in _contents():
        _write(directory / name, content)
        written[name] = sha256(content).hexdigest()
        tell(name)
    _write(directory / _LISTED, as_json(_listed(written)))
    tell(_LISTED)


def _contents() -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file but the list of files."""
    for path in own_files():
        yield path.relative_to(WEB).as_posix(), path.read_bytes()
    offered = every_rules()
    yield "data/rules/index.json", as_json(_index(offered))
    for rules in offered:
        key = key_of(rules)
        policy = pocket_path(rules)
        if policy is not None:
            yield f"{_POLICIES}/{policy.name}", policy.read_bytes()
        name = None if policy is None else policy.name
        yield f"data/rules/{key}.json", as_json(rules_table(rules, name))
        yield f"data/players/{key}.json", as_json(decision_tables(rules))
    yield "data/i18n/zh.json", as_json(chinese_texts(WEB))


def own_files() -> list[Path]:
    """Return the front end's own files that a site has."""
    files = (path for path in sorted(WEB.rglob("*")) if path.is_file())
    return [path for path in files if not any(path.match(one) for one in _NOT_SHIPPED)]


def _index(offered: list[Rules]) -> list[dict[str, object]]:
    """Return the list of all rules, as `web/game/rules.js` reads it."""
    called = titles()
    order = sorted(offered, key=lambda rules: PRESETS.index(str(preset_name(rules))))
    return [
        {
            "name": preset_name(rules),
            "players": rules.players,
            "title": called[str(preset_name(rules))],
        }
        for rules in order
    ]


def _listed(written: dict[str, str]) -> dict[str, object]:
    """Return the list of files that the service worker reads, with the version of the whole: a hash
    of all names and contents. `written` has the hash of each file."""
    digest = sha256("".join(f"{name} {one}\n" for name, one in sorted(written.items())).encode())
    later = [name for name in written if name.startswith(_LATER) and name not in _AT_ONCE]
    return {
        "version": digest.hexdigest()[:_VERSION_LENGTH],
        "files": [name for name in written if name not in later],
        "later": later,
    }


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(path.parent, error) from error
    write_atomically(path, lambda file: file.write(content))
