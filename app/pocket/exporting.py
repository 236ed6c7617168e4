"""A whole static site: the front end with its rules, texts and pocket policies as files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

from zhaifei.app.pocket.cards import card_path
from zhaifei.app.pocket.decisions import decision_tables
from zhaifei.app.pocket.match_tables import (
    MATCHES,
    decisions_of_match,
    every_match,
    match_table,
    match_titles,
)
from zhaifei.app.pocket.pocket_policies import pocket_path, told_of
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
LISTED = "data/files.json"
"""The name of the list of files."""
OFFERS = "data/server.json"
"""The name of the file that tells the page what the server offers. A static site offers
nothing."""
_EXPLORER = "explore/", "policy/hand_grid.js", "parts/hand_cells.js", "screens/explore.js"
_SERVED = "friends/", "screens/friends.js", "server/", "own/", "screens/own.js"
"""The files that only pages with a server behind them need, but for the one that asks for it."""
_DRILL = "drill/", "screens/drill.js", "vendor/ts-fsrs.js"
_PUZZLE = "puzzle/", "screens/puzzle.js"
_REVIEW = (
    "screens/review.js",
    "match/review.js",
    *(f"parts/{name}.js" for name in ("reviewed_round", "retry", "grade")),
)
_TRENDS = "trends/", "screens/trends.js"
_TABLE = "screens/table.js", "match/table", "parts/table_", "parts/awake.js", "policy/people.js"
_RECORDS = ("match/record_file.js",)
_CARDS = "learn/", "screens/card.js"
_LESSON = "parts/lesson/", "screens/lesson.js"
_SHARING = ("parts/picture.js",)
_MATCH_POLICIES = ("policy/match_policy.js",)
_LICENCES = "vendor/LICENSE"
"""What the names of the licences begin with: no page loads them."""
_DATA = "data/policies/", "data/rules/", "data/players/", "data/cards/"
_LATER = (
    *_DATA,
    *_EXPLORER,
    *_SERVED,
    *_DRILL,
    *_PUZZLE,
    *_REVIEW,
    *_TRENDS,
    *_CARDS,
    *_TABLE,
    *_RECORDS,
    *_LESSON,
    *_SHARING,
    *_MATCH_POLICIES,
    _LICENCES,
)
"""The directories and files that a page keeps once it has used them."""
_AT_ONCE = {
    "data/rules/index.json",
    "server/offers.js",
    "own/kept.js",
    "own/link.js",
    "drill/exercises.js",
    *(f"data/{kind}/zhaifei-3.json" for kind in ("players", "rules")),
}
"""The files in these directories that a page keeps from the first visit on, so that a first match
can be played offline."""
_VERSION_LENGTH = 16

Telling = Callable[[str], object]
Content = Callable[[], bytes]
"""Makes the content of a file."""


def export(directory: Path, tell: Telling = lambda name: None) -> None:
    """Write the site into `directory`, which is made if it is missing; call `tell` with the name of
    each file that is written. Files of an earlier site that are not replaced stay.

    Raise StorageError.
    """
    written: dict[str, bytes] = {}
    for name, content in site_files().items():
        written[name] = content()
        _write(directory / name, written[name])
        tell(name)
    for name, told in ((LISTED, listed(written)), (OFFERS, as_json({}))):
        _write(directory / name, told)
        tell(name)


def site_files() -> dict[str, Content]:
    """Return what makes each file of a site, by the name of the file, without the list of files."""
    found: dict[str, Content] = {
        path.relative_to(WEB).as_posix(): path.read_bytes for path in own_files()
    }
    found["data/rules/index.json"] = lambda: as_json(_index())
    for rules in every_rules():
        found |= _files_of(rules)
    for rules in every_match():
        found |= _files_of_match(rules)
    found["data/i18n/zh.json"] = lambda: as_json(chinese_texts(WEB))
    return found


def unsolved_files() -> set[str]:
    """Return the tables of the presets for which the page has no policy: a server may solve
    them."""
    return {_table_of(rules) for rules in every_rules() if pocket_path(rules) is None}


def _table_of(rules: Rules) -> str:
    return f"data/rules/{key_of(rules)}.json"


def _files_of(rules: Rules) -> dict[str, Content]:
    """Return what makes the files of a variant."""
    key, policy, card = key_of(rules), pocket_path(rules), card_path(rules)
    found: dict[str, Content] = {}
    if policy is not None:
        found[f"{_POLICIES}/{policy.name}"] = policy.read_bytes
    if card is not None:
        found[f"data/cards/{card.name}"] = card.read_bytes
    found[_table_of(rules)] = lambda: as_json(rules_table(rules, *told_of(policy)))
    found[f"data/players/{key}.json"] = lambda: as_json(decision_tables(rules))
    return found


def _files_of_match(rules: Rules) -> dict[str, Content]:
    """Return what makes the files of a variant in which dice are lost."""
    key, name, players = key_of(rules), str(preset_name(rules)), rules.players
    policy = pocket_path(rules)
    found: dict[str, Content] = {
        _table_of(rules): lambda: as_json(match_table(rules)),
        f"data/players/{key}.json": lambda: as_json(decisions_of_match(name, players)),
    }
    if policy is not None:
        found[f"{_POLICIES}/{policy.name}"] = policy.read_bytes
    return found


def own_files() -> list[Path]:
    """Return the front end's own files that a site has."""
    files = (path for path in sorted(WEB.rglob("*")) if path.is_file())
    return [path for path in files if not any(path.match(one) for one in _NOT_SHIPPED)]


def _index() -> list[dict[str, object]]:
    """Return the list of all rules, as `web/game/rules.js` reads it."""
    called = titles() | match_titles()
    offered: dict[str, list[Rules]] = {name: [] for name in (*PRESETS, *MATCHES)}
    for rules in (*every_rules(), *every_match()):
        offered[str(preset_name(rules))].append(rules)
    return [
        {
            "name": name,
            "title": called[name],
            "players": [rules.players for rules in its],
            "solved": [rules.players for rules in its if _is_explored(rules)],
            "mastered": [rules.players for rules in its if _has_policy(rules)],
            "losesDice": name in MATCHES,
        }
        for name, its in offered.items()
    ]


def _is_explored(rules: Rules) -> bool:
    """Return whether the explorer has a policy for rounds by `rules`."""
    return not rules.loses_dice and _has_policy(rules)


def _has_policy(rules: Rules) -> bool:
    """Return whether the page has a policy, which its strongest opponent plays."""
    return pocket_path(rules) is not None


def listed(contents: Mapping[str, bytes]) -> bytes:
    """Return the list of files that the service worker reads, with the version of the whole: a hash
    of all names and contents."""
    hashes = {name: sha256(content).hexdigest() for name, content in contents.items()}
    digest = sha256("".join(f"{name} {one}\n" for name, one in sorted(hashes.items())).encode())
    later = [name for name in hashes if name.startswith(_LATER) and name not in _AT_ONCE]
    content = {
        "version": digest.hexdigest()[:_VERSION_LENGTH],
        "files": [name for name in hashes if name not in later],
        "later": later,
    }
    return as_json(content)


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(path.parent, error) from error
    write_atomically(path, lambda file: file.write(content))
