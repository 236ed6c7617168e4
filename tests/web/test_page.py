"""The static page in a real browser: every screen, whole matches offline and by keys, one screen
without scrolling on a phone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.keys import Keys

from tests.web.conftest import serving
from tests.web.visitor import Visitor
from zhaifei.game.bids import action_of, challenge_action, legal_bids
from zhaifei.game.rules import preset
from zhaifei.policies.play.records import read_match

LINK = "return document.querySelector('.room-link').innerText.trim()"
DRILL = "return JSON.parse(localStorage.getItem('zhaifei.drill'))"
MATCH = "return JSON.parse(localStorage.getItem('zhaifei.match'))"
KEEP = "localStorage.setItem(arguments[0], arguments[1])"
LAST_CHANCE = """
const told = document.querySelector(".last-chance")?.style.getPropertyValue("--chance");
return told ? Number(told) : null;
"""
KEPT = ["match", "setup", "table", "tables", "records", "friends", "drill", "grades", "puzzles"]
"""What the page keeps, besides its settings."""
HANDS = [[2, 3, 3, 4, 6], [1, 2, 2, 5, 5], [1, 1, 4, 6, 6]]
REVIEWED = {
    "begun": "2026-01-02T03:04:05.000Z",
    "rules": "zhaifei",
    "seats": [None, "policy", "conservative"],
    "points": [2, 0, 0],
    "rounds": 2,
    "log": [
        {"opener": 0, "hands": HANDS, "history": [164], "ending": 165},
        {"opener": 2, "hands": HANDS, "history": [24], "ending": 165},
    ],
}
"""A match in which you open with fifteen sixes, then challenge four threes and hold two."""
WHEN = "1767323045000"
"""When it began, in milliseconds."""
WHEN_TABLE = "2026-02-03T04:05:06.000Z"
TABLE_ROUND = {
    "opener": 0,
    "hands": [[1, 3, 3, 5, 6], []],
    "history": [24],
    "ending": 110,
    "loser": 1,
}
SHARES = "return document.querySelector('.legend').innerText"
PLAYED = """
return Object.fromEntries([...document.querySelectorAll(".legend li")].map((one) => {
  const [, action, share] = one.innerText.match(/^(.*?)\\s*(<?>?\\d+%)$/s);
  return [action.trim(), share];
}));
"""
"""What the legend says is played, by action."""
BOTH = """
const rows = [...document.querySelectorAll(".both-shares tbody tr")].map((row) =>
  [...row.children].map((cell) => cell.innerText.trim()));
const side = (place) => Object.fromEntries(
  rows.filter((row) => row[place] !== "0%").map((row) => [row[0], row[place]]));
return [side(1), side(2)];
"""
"""What the table of two positions says is played at each, by action."""
WITH_A_SIX = 126
"""How many of the 252 hands have a six."""
MOST_KEYS = 4
"""Keys that a bid takes, at most."""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_screen(visitor: Visitor, language: str) -> None:
    visitor.open(language=language)
    visitor.look_at("start", language)
    take_the_lesson(visitor, language)
    visitor.go("rules/zhaifei/2")
    visitor.until(lambda: visitor.number(".paper p") > 3 and visitor.number(".others a") > 3)
    visitor.look_at("rules", language)
    visitor.tap(".bar button")
    visitor.look_at("settings", language)
    visitor.tap("dialog .plain")
    sit_at_a_real_table(visitor, language)
    play(visitor, language)
    visitor.go("records")
    visitor.until(lambda: visitor.find(".record"))
    visitor.look_at("records", language)


def take_the_lesson(visitor: Visitor, language: str) -> None:
    """Take every step of the lesson, with a wrong answer or two."""
    visitor.go("learn")
    visitor.until(lambda: visitor.find(".lift"))
    visitor.look_at("lesson-look", language)
    visitor.tap(".lift")
    visitor.tap(".stuck .main")
    for _ in range(2):
        visitor.until(lambda: visitor.number(".tap-die[aria-pressed=false]") == 5)
        for place in range(5):
            visitor.tap(".tap-die", place)
        visitor.until(lambda: visitor.find(".stuck .main"))
        visitor.look_at("lesson-count", language)
        visitor.tap(".stuck .main")
    for step in range(3):
        visitor.until(lambda: visitor.number(".option[aria-pressed=false]") >= 2)
        place = 0
        while not visitor.find(".stuck .main"):
            visitor.tap(".option", place)
            place += 1
        if step == 0:
            visitor.look_at("lesson-beat", language)
        visitor.tap(".stuck .main")
    visitor.tap(".scene .main")
    visitor.until(lambda: visitor.find(".stuck .main"))
    visitor.look_at("lesson-open", language)
    visitor.tap(".stuck .main")
    visitor.until(lambda: visitor.find(".so"))
    visitor.look_at("lesson-points", language)


def sit_at_a_real_table(visitor: Visitor, language: str) -> None:
    visitor.go("table")
    visitor.until_rules_are_offered()
    visitor.look_at("table-seats", language)
    visitor.tap(".stuck .main")
    for face in (0, 2, 2, 4):
        visitor.tap(".dice-keys button", face)
    visitor.look_at("table-dice", language)
    visitor.tap(".dice-keys button", 5)
    visitor.until(lambda: visitor.find(".advice-now"))
    visitor.look_at("table-opening", language)
    for _ in range(4):
        before = visitor.number(".bids-made li")
        visitor.tap(".cell.legal")
        visitor.until(lambda before=before: visitor.number(".bids-made li") == before + 1)
    visitor.until(lambda: visitor.find(".last-chance") and visitor.find(".advice-now"))
    visitor.look_at("table-bids", language)
    say_how_somebody_bids(visitor, language)
    visitor.tap(".challenges .main")
    visitor.until(lambda: visitor.number(".who-lost .second") == 2)
    visitor.look_at("table-lost", language)
    visitor.faults += visitor.hidden()
    visitor.open("table")
    visitor.until(lambda: visitor.find(".who-lost"))  # the table survives a reload
    visitor.tap(".who-lost .second", 1)
    for place in range(15):
        visitor.tap(".dice-keys button:enabled", place % 6)
    visitor.until(lambda: visitor.number(".shown-dice button:disabled") == 4)
    visitor.look_at("table-shown", language)
    visitor.tap(".who-lost .main")
    visitor.until(lambda: visitor.find(".tapped-dice"))


def say_how_somebody_bids(visitor: Visitor, language: str) -> None:
    """Say that the player before you is careful: the chance of their bid changes."""
    before = visitor.run(LAST_CHANCE)
    visitor.tap(".bar button", 1)
    visitor.until(lambda: visitor.number(".people li") == 4)
    visitor.tap(".people li:last-child button", 1)
    visitor.tap("dialog .foot button")
    visitor.look_at("table-people", language)
    visitor.tap("dialog .plain")
    visitor.until(lambda: visitor.run(LAST_CHANCE) not in (None, before))
    visitor.look_at("table-careful", language)


def play(visitor: Visitor, language: str) -> None:
    visitor.go("new")
    visitor.until(lambda: visitor.number(".opponent") == 2)
    visitor.look_at("new", language)
    visitor.tap(".stuck .main")
    if visitor.until_asked():
        visitor.look_at("play", language)
        visitor.tap(".hint")
        visitor.tap(".hint-line")
        visitor.until(lambda: visitor.find("dialog .numbers"))
        visitor.look_at("play-numbers", language)
        visitor.tap("dialog .plain")
        visitor.look_at("play-hint", language)
    visitor.play_round()
    visitor.look_at("play-over", language)
    visitor.play_match()
    visitor.look_at("match-over", language)


@pytest.mark.parametrize("players", [2, 3, 5, 7, 8])
def test_a_match_fits_on_a_phone(visitor: Visitor, players: int) -> None:
    visitor.open(language="en")
    visitor.sit_down(players)
    assert visitor.number(".seat") == players - 1
    if visitor.until_asked():
        assert visitor.hidden() == []
        visitor.tap(".hint")
        visitor.until(lambda: visitor.find(".hint-line"))
        assert visitor.hidden() == []
    visitor.play_round()
    assert visitor.hidden() == []
    visitor.picture(f"seats-{players}")


def at_once(css: str, does: str) -> str:
    """Return a script that does something as soon as a selector finds an element: before what
    follows the next painting of the page."""
    return f"""
    const watcher = new MutationObserver(() => {{
      const found = document.querySelector({css!r});
      if (!found) return;
      watcher.disconnect();
      {does};
    }});
    watcher.observe(document, {{ attributes: true, childList: true, subtree: true }});"""


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("players", [2, 8])
def test_a_real_table_fits_on_a_phone(visitor: Visitor, players: int, language: str) -> None:
    hand = [{"die": die, "seat": 0} for die in (1, 3, 3, 5, 6)]
    said = [{"manner": "careful", "seat": seat} for seat in range(1, players)]
    rules = preset("zhaifei", players=players)
    bids = [{"act": action_of(rules, bid)} for bid in legal_bids(rules, None)[:players]]
    challenge = {"act": challenge_action(rules)}
    table = {"rules": "zhaifei", "players": players, "opener": 0, "begun": WHEN_TABLE}
    visitor.open(language=language)
    for taps, there in (
        ([*hand, *said, *bids], ".last-chance"),
        ([*hand, *said, *bids, challenge], ".who-lost"),
    ):
        visitor.run(KEEP, "zhaifei.table", json.dumps({**table, "taps": taps}))
        visitor.open("table")
        visitor.until(lambda there=there: visitor.find(there))
        visitor.picture(f"table-{there[1:]}-{players}-{language}")
        assert visitor.hidden() == []
        assert visitor.too_wide() == []


AWAKE = """
window.awake = 0;
const release = async () => { awake -= 1; };
const request = async () => { awake += 1; return { release }; };
Object.defineProperty(navigator, "wakeLock", { value: { request } });
"""


def test_the_screen_stays_on_at_a_real_table(visitor: Visitor) -> None:
    with visitor.before_loading(AWAKE):
        visitor.open("table", language="en")
        visitor.until(lambda: visitor.find(".stuck .main"))
        assert visitor.run("return awake") == 0
        visitor.tap(".stuck .main")
        visitor.until(lambda: visitor.run("return awake") == 1)
        visitor.go("")
        visitor.until(lambda: visitor.run("return awake") == 0)


def test_a_link_is_followed_as_soon_as_it_is_there(visitor: Visitor) -> None:
    with visitor.before_loading(at_once("h1", "location.hash = '#/records'")):
        visitor.open()
    visitor.until(lambda: visitor.find(".empty a"))


def test_a_hint_is_given_as_soon_as_it_can_be_asked_for(visitor: Visitor) -> None:
    for _ in range(3):
        visitor.open(language="en")
        visitor.run(at_once(".hint:enabled", "found.click()"))
        visitor.sit_down(3)
        if visitor.until_asked():
            visitor.until(lambda: visitor.find(".hint-line"))


def test_a_static_site_offers_no_rooms_and_asks_for_a_server_once(visitor: Visitor) -> None:
    visitor.open(language="en")
    for screen in ("rules/zhaifei/2", "", "records", ""):
        visitor.go(screen)
        visitor.until(lambda: visitor.find("h1"))
    names = "return performance.getEntriesByType('resource').map(one => one.name)"
    asked = [name for name in visitor.run(names) if name.endswith("data/server.json")]
    assert len(asked) == 1
    assert visitor.find("a[href='#/friends']") is None


def test_a_match_survives_a_reload(visitor: Visitor) -> None:
    visitor.open(language="en")
    visitor.sit_down(3)
    visitor.until_asked()
    before = visitor.run(MATCH)
    visitor.open("play")
    visitor.until_asked()
    after = visitor.run(MATCH)
    assert after["hands"] == before["hands"]
    assert after["history"][: len(before["history"])] == before["history"]


@pytest.mark.parametrize("kept", ['{"rules": "zhaifei", "players": 2}', "[{}]"])
def test_what_another_version_has_kept_is_left_alone(visitor: Visitor, kept: str) -> None:
    visitor.open(language="en")
    for name in (
        "match",
        "setup",
        "table",
        "tables",
        "records",
        "friends",
        "drill",
        "grades",
        "puzzles",
    ):
        visitor.run("localStorage.setItem(arguments[0], arguments[1])", f"zhaifei.{name}", kept)
    for screen, there in {
        "": ".start-ways",
        "new": ".opponent",
        "play": ".empty",
        "table": ".choice",
        "records": ".empty",
        "drill": ".empty a",
        "puzzle": ".drill .cell",
        "trends": ".empty a",
    }.items():
        visitor.open(screen)
        visitor.until(lambda there=there: visitor.find(there))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_records_are_saved_as_files(visitor: Visitor, tmp_path: Path, language: str) -> None:
    table = {"begun": WHEN_TABLE, "rules": "zhaifei", "players": 2, "rounds": [TABLE_ROUND]}
    visitor.open(language=language)
    for name, value in {"records": [REVIEWED], "tables": [table]}.items():
        visitor.run(KEEP, f"zhaifei.{name}", json.dumps(value))
    visitor.saves_to(tmp_path)
    visitor.open("records")
    visitor.until(lambda: visitor.number(".record") == 2)
    visitor.look_at("records-files", language)
    found = []
    for place in range(2):
        visitor.tap(".record .tool", place)
        visitor.until(lambda place=place: len(list(tmp_path.glob("*.jsonl"))) > place)
        found = [read_match(path) for path in sorted(tmp_path.glob("*.jsonl"))]
    match, table_match = found
    assert match.seats == ("you", "zhaifei-3p", "conservative")
    assert [[*played.actions] for played in match.rounds] == [[164, 165], [24, 165]]
    assert table_match.rounds[0].hands == ((1, 3, 3, 5, 6), None)
    assert table_match.rounds[0].loser == 1


def test_records_without_rounds_are_listed(visitor: Visitor) -> None:
    """Earlier versions of the page kept the result alone."""
    old = {"begun": "2026-01-02T03:04:05.000Z", "rules": "zhaifei", "seats": [None, "policy"]}
    visitor.open(language="en")
    kept = json.dumps([{**old, "points": [2, 3], "rounds": 5}])
    visitor.run("localStorage.setItem('zhaifei.records', arguments[0])", kept)
    visitor.open("records")
    visitor.until(lambda: visitor.number(".record.won") == 1)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_review_of_a_match(visitor: Visitor, language: str) -> None:
    visitor.open(language=language)
    visitor.run("localStorage.setItem('zhaifei.records', arguments[0])", json.dumps([REVIEWED]))
    visitor.open("records")
    visitor.look_at("records-review", language)
    visitor.tap(".record .second")
    visitor.until(lambda: visitor.find(".review-sum b"))
    assert visitor.number(".reviewed > li") == 2
    assert visitor.number(".reviewed .differs") == 2
    visitor.look_at("review", language)
    visitor.tap(".reviewed .wide")
    visitor.until(lambda: visitor.find(".retry .cell"))
    assert not visitor.find(".retry .hint-line")  # the answer comes after the attempt
    visitor.look_at("review-retry", language)
    visitor.tap(".retry .cell")
    visitor.until(lambda: visitor.find(".retry .hint-line"))
    visitor.tap(".reviewed .wide")
    visitor.tap(".retry .plain")
    visitor.until(lambda: visitor.number(".retry .hint-line") == 2)
    visitor.look_at("review-answer", language)
    visitor.tap(".retry .hint-line")
    visitor.tap("dialog a.second")
    visitor.until(lambda: visitor.number(".hand-cell") == 252)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_mistakes_come_back_as_exercises(visitor: Visitor, language: str) -> None:
    visitor.open(language=language)
    visitor.run("localStorage.setItem('zhaifei.records', arguments[0])", json.dumps([REVIEWED]))
    visitor.open(f"review/{WHEN}")
    visitor.until(lambda: visitor.find(".foot .second"))
    visitor.tap(".foot .second")
    visitor.until(lambda: visitor.find(".drill .cell.legal"))
    assert not visitor.find(".hint-line")  # the answer comes after the attempt
    visitor.look_at("drill", language)
    visitor.go("")
    visitor.until(lambda: visitor.find("a[href='#/drill']"))
    visitor.look_at("start-due", language)
    visitor.tap("a[href='#/drill']")
    exercises = len(visitor.run(DRILL)["exercises"])
    for _ in range(exercises):
        visitor.until(lambda: visitor.find(".drill .cell:focus"))
        visitor.press("6", Keys.ENTER)
        visitor.until(lambda: visitor.find(".drill .main:focus") and visitor.find(".hint-line"))
        visitor.look_at("drill-answer", language)
        visitor.press(Keys.ENTER)  # the way on has the focus
    visitor.until(lambda: visitor.find(".drill .empty a"))
    visitor.look_at("drill-done", language)
    assert all(one["card"]["reps"] == 1 for one in visitor.run(DRILL)["exercises"])
    visitor.open("drill")
    visitor.until(lambda: visitor.find(".drill .empty a"))  # a reload makes nothing due


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_puzzle_of_the_day(visitor: Visitor, language: str) -> None:
    visitor.open("puzzle/2026-01-02", language=language)
    visitor.until(lambda: visitor.find(".drill .cell:focus"))
    asked = visitor.run("return document.querySelector('.drill .paper').innerText")
    visitor.look_at("puzzle", language)
    visitor.press(Keys.ENTER)
    visitor.until(lambda: visitor.find(".drill .main:focus") and visitor.find(".hint-line"))
    visitor.look_at("puzzle-answer", language)
    assert visitor.run(LINK).endswith("#/puzzle/2026-01-02")
    (kept,) = visitor.run("return JSON.parse(localStorage.getItem('zhaifei.puzzles'))")
    visitor.open("puzzle/2026-01-03")
    visitor.until(lambda: visitor.find(".drill .cell"))
    assert asked != visitor.run("return document.querySelector('.drill .paper').innerText")
    visitor.tap(".foot a")
    visitor.until(lambda: visitor.find(".drill .hint-line"))  # what was answered stays so
    assert kept["date"] == "2026-01-02"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_two_positions_are_compared(visitor: Visitor, language: str) -> None:
    visitor.open("explore/zhaifei/2/30", language=language)
    visitor.until(lambda: visitor.number(".hand-cell") == 252)
    visitor.tap(".explore .foot .second", 1)
    visitor.until(lambda: visitor.find(".compared"))
    visitor.look_at("explore-kept", language)
    visitor.tap(".dice-to-hold button", 5)
    visitor.until(lambda: visitor.find(".both-shares"))
    visitor.tap(".compared .plain")
    visitor.until(lambda: visitor.number(".both-shares tbody tr") > 8)
    visitor.tap(".legend .plain")
    visitor.until(lambda: not visitor.find(".legend .plain"))
    here, there = visitor.run(BOTH)
    assert here == visitor.run(PLAYED)
    visitor.look_at("explore-compared", language)
    visitor.tap(".map-choices .choice:last-child button", 1)
    visitor.tap(".hand-cell:not(.faint)")
    visitor.until(lambda: visitor.find("dialog .both-shares"))
    visitor.look_at("explore-difference", language)
    visitor.tap("dialog > div > .plain:last-child")
    visitor.tap(".compared a.second")  # swaps them
    visitor.until(lambda: visitor.run(PLAYED) == there)
    visitor.open(visitor.run("return location.hash").removeprefix("#/"))
    visitor.until(lambda: visitor.find(".both-shares"))  # the address has both
    visitor.tap(".compared > .plain:last-child")
    visitor.until(lambda: not visitor.find(".compared"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_explorer(visitor: Visitor, language: str) -> None:
    visitor.open(language=language)
    visitor.look_at("start-explorer", language)
    visitor.go("explore/zhaifei/2/")
    visitor.until(lambda: visitor.number(".hand-cell") == 252)
    visitor.look_at("explore", language)
    visitor.tap(".map-choices .choice-options button", 1)
    visitor.until(lambda: visitor.number(".hand-group") == 7)
    visitor.look_at("explore-shape", language)
    visitor.tap(".hand-cell", 30)
    visitor.until(lambda: visitor.find("dialog .numbers"))
    visitor.look_at("explore-hand", language)
    visitor.tap("dialog .second")  # selects the hand
    visitor.until(lambda: visitor.number(".hand-cell.marked") == 1)
    for left in range(4, -1, -1):
        visitor.tap(".held-die")
        visitor.until(lambda left=left: visitor.number(".held-die") == left)
    for step in (1, 2):
        visitor.tap(".legend a")
        visitor.until(lambda step=step: visitor.number(".others a") == 1 + step)
    visitor.until(lambda: visitor.number(".hand-cell.faint") > 0)
    visitor.look_at("explore-later", language)
    all_hands = visitor.run(SHARES)
    visitor.tap(".dice-to-hold button", 5)
    visitor.until(lambda: visitor.number(".hand-cell.marked") == WITH_A_SIX)
    assert visitor.run(SHARES) != all_hands
    visitor.look_at("explore-held", language)
    visitor.tap(".map-choices .choice:last-child button", 1)
    visitor.until(lambda: visitor.find(".map-choices .quiet"))
    visitor.tap(".hand-cell", 100)
    visitor.until(lambda: visitor.find("dialog .dice"))
    visitor.look_at("explore-range", language)
    visitor.open(visitor.run("return location.hash").removeprefix("#/"))
    visitor.until(lambda: visitor.number(".hand-cell.marked") == WITH_A_SIX)
    assert visitor.number(".hand-cell.faint") > 0  # the address has the position and the dice


def test_the_explorer_offers_all_solved_games(visitor: Visitor, site: Path) -> None:
    index = json.loads((site / "data/rules/index.json").read_text("utf-8"))
    (sizes,) = (one["solved"] for one in index if one["name"] == "zhaifei")
    visitor.open("explore/zhaifei/2/", language="en")
    visitor.until(lambda: visitor.number(".hand-cell") == 252)
    visitor.tap("[aria-label=Players] button", sizes.index(5))
    visitor.until(lambda: visitor.run("return location.hash") == "#/explore/zhaifei/5/")
    visitor.until(lambda: visitor.number(".hand-cell") == 252)
    visitor.tap_text("Bars (KTV)")  # solved for two only
    visitor.until(lambda: visitor.run("return location.hash") == "#/explore/ktv/2/")
    visitor.until(lambda: visitor.number(".hand-cell") > 200)


def test_the_explorer_says_that_a_policy_cannot_be_loaded(visitor: Visitor) -> None:
    visitor.block("*/data/policies/*")
    visitor.open("explore/zhaifei/2/", language="en")
    visitor.until(lambda: visitor.says("could not be loaded"))
    visitor.block()


def test_a_position_off_the_policys_lines(visitor: Visitor) -> None:
    visitor.open("explore/zhaifei/2/109", language="en")
    visitor.until(lambda: visitor.find(".explore > .paper"))
    visitor.open("explore/zhaifei/2/5-nonsense")
    visitor.until(lambda: visitor.number(".hand-cell") == 252)


def test_a_review_of_nothing(visitor: Visitor) -> None:
    visitor.open("review/1", language="en")
    visitor.until(lambda: visitor.find(".empty"))


def test_a_whole_match_offline_and_by_keys(
    browser: webdriver.Chrome, site: Path, tmp_path: Path
) -> None:
    with serving(site) as address:
        visitor = Visitor(browser, address, tmp_path)
        visitor.open(language="en")
        browser.execute_async_script("navigator.serviceWorker.ready.then(arguments[0])")
        visitor.until(lambda: visitor.run("return navigator.serviceWorker.controller !== null"))
        visitor.until(lambda: browser.execute_async_script(LATER_IS_KEPT))
    visitor.open()  # nobody serves it now
    reach(visitor, ".start-ways .main")
    visitor.press(Keys.ENTER)
    visitor.until(lambda: visitor.find(".ring"))
    while not visitor.find(".match-over"):
        play_by_keys(visitor)
    (record,) = json.loads(visitor.run("return localStorage.getItem('zhaifei.records')"))
    assert len(record["log"]) == record["rounds"]
    visitor.go("drill")
    visitor.until(lambda: visitor.find(".drill .empty a, .drill .cell:focus"))
    visitor.go("records")
    visitor.tap(".record .second")
    visitor.until(lambda: visitor.find(".review-sum b"))
    assert visitor.errors() == []


def reach(visitor: Visitor, css: str) -> None:
    """Come to an element by Tab; whatever is in focus has a ring."""
    for _ in range(30):
        if visitor.run("return document.activeElement.matches(arguments[0])", css):
            return
        visitor.press(Keys.TAB)
        assert visitor.run(_RING), visitor.run("return document.activeElement.outerHTML")
    raise AssertionError(css)


def play_by_keys(visitor: Visitor) -> None:
    """Open with 飞 on sixes, challenge everything else, and go on to the next round."""
    while visitor.until_asked():
        before = visitor.run(MATCH)
        keys = ["c"] if before["history"] else ["f", "6", Keys.ENTER]
        assert len(keys) <= MOST_KEYS
        visitor.press(*keys)
        visitor.until(lambda before=before: visitor.run(MATCH) != before)
    if visitor.find(".round-end .main:enabled"):
        before = visitor.run(MATCH)
        visitor.press(Keys.ENTER)
        visitor.until(lambda before=before: visitor.run(MATCH) != before)


LATER_IS_KEPT = """
const names = ["vendor/ts-fsrs.js", "parts/reviewed_round.js", "parts/table_over.js"];
const kept = Promise.all(names.map((name) => caches.match(name)));
kept.then((found) => arguments[0](found.every(Boolean)));
"""
"""Whether the page has kept what it loads after all that a first match needs."""
_RING = """
const style = getComputedStyle(document.activeElement);
if (document.activeElement === document.body) return true;
return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
"""
