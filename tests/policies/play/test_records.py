"""Records of matches: what is written is read, whatever happened in between."""

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.game.strategies import any_rules
from tests.policies.play.attacks import computed
from tests.policies.play.played_matches import played_matches, preset_rules, printable
from zhaifei.game.bids import action_of, challenge_action, challengeable
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand
from zhaifei.game.match import Match
from zhaifei.game.public_state import DECLINE
from zhaifei.game.rules import Rules, preset
from zhaifei.game.views import View
from zhaifei.policies.play import records
from zhaifei.policies.play.played import PlayedMatch
from zhaifei.policies.play.record_lines import format_match
from zhaifei.policies.play.record_reading import LONGEST_LINE, parse_match
from zhaifei.policies.play.records import (
    MatchRecorder,
    RecordError,
    kept_matches,
    new_record,
    read_match,
    verify_new,
    write_match,
)
from zhaifei.policies.play.table import Leaves, LiveTable, generators
from zhaifei.solver.files.atomic_files import StorageError
from zhaifei.solver.machine.user_directories import NoUserDirectory

THREE = preset("zhaifei", players=3, dice=2, jump_challenge=True)
SEED = 987_654_321
PLAYED = {
    name: preset(name, players=3, dice=2)
    for name in ("knockout", "classic", "classic_plain", "increment", "published")
} | {"zhaifei": THREE}
"""Rules by which matches of three players are recorded."""
every_game = pytest.mark.parametrize("rules", PLAYED.values(), ids=PLAYED)


class Cautious:
    """Opens as weakly as it can, raises once, and then challenges as far back as it may. Declines
    to challenge earlier."""

    def decide(self, view: View) -> int:
        if len(view.bids) < 2 and not view.legal_bids:
            return DECLINE
        if len(view.bids) >= 2 and view.can_challenge:
            return challenge_action(view.rules, challengeable(view.rules, len(view.bids))[-1])
        return action_of(view.rules, view.legal_bids[0])


class LeavesSoon(Cautious):
    def decide(self, view: View) -> int:
        if len(view.bids) >= 2:
            raise Leaves
        return super().decide(view)


class LeavesAtOnce:
    def decide(self, view: View) -> int:
        raise Leaves


def new_match(rules: Rules = THREE) -> Match:
    return Match(rules, np.random.default_rng(1))


def recorded(
    path: Path | None, decider: Any = None, rounds: int = 3, match: Match | None = None
) -> tuple[Path, Match]:
    match = match or new_match()
    with MatchRecorder(
        match, ["you", "a", "b"], path=path, you=0, seed=SEED, policy="p"
    ) as recorder:
        LiveTable(match, [decider or Cautious()] * 3, recorder, shown=(0,)).play(rounds)
    return recorder.path, match


def lines_of(*changes: Callable[[list[dict[str, Any]]], object]) -> list[bytes]:
    """The lines of a record of two rounds with some changes."""
    fresh: list[dict[str, Any]] = [
        {"record": 1, "zhaifei": "0", "rules": THREE.to_dict(), "seats": ["a", "b", "c"]},
        {"round": 1, "starter": 2, "dice": ["12", None, "66"]},
        {"seat": 2, "action": "飞4×2"},
        {"seat": 3, "action": "f4x3"},
        {"seat": 1, "action": "challenge 2"},
        {"loser": 1, "points": 2},
        {"round": 2, "starter": 1},
    ]
    for change in changes:
        change(fresh)
    return [json.dumps(line).encode() + b"\n" for line in fresh]


def put(place: int, **fields: object) -> Callable[[list[dict[str, Any]]], object]:
    """A change: put these fields into the line."""
    return lambda lines: lines[place].update(fields)


# the format


@settings(max_examples=100, derandomize=True)
@given(
    match=played_matches(any_rules() | preset_rules()),
    seed=st.none() | st.integers(0, 2**128 - 1),
    policy=st.none() | printable,
)
def test_what_is_written_is_read(match: PlayedMatch, seed: int | None, policy: str | None) -> None:
    told = PlayedMatch(
        match.rules, match.seats, match.you, seed, policy, match.version, match.rounds
    )
    assert parse_match(format_match(told).encode().splitlines(keepends=True)) == told


def test_dice_seeds_and_people_may_be_unknown() -> None:
    found = parse_match(lines_of())
    assert (found.you, found.seed, found.policy) == (None, None, None)
    assert found.rounds[0].hands == ((1, 2), None, (6, 6))
    assert found.rounds[0].losses == (2, 0, 0)
    assert found.rounds[1].hands == (None, None, None)
    assert found.rounds[1].losses is None


def test_who_lost_is_found_where_a_crash_came_before_the_result() -> None:
    whole = lines_of(put(1, dice=["12", "11", "22"]))
    assert parse_match(whole[:5]) == parse_match(whole[:6])
    assert parse_match(whole[:5]).rounds[0].losses == (2, 0, 0)


def test_a_challenge_shows_the_dice_that_the_roll_hid() -> None:
    found = parse_match(lines_of(put(1, dice=["12", None, None]), put(5, dice=["12", "12", "66"])))
    assert found.rounds[0].hands == ((1, 2), (1, 2), (6, 6))
    assert found.rounds[0].losses == (2, 0, 0)


def test_the_seed_may_be_in_the_header_as_in_version_1_or_at_the_end() -> None:
    first = parse_match(lines_of(put(0, seed=5)))
    assert first == parse_match(lines_of(lambda lines: lines.append({"seed": 5})))
    assert first.seed == 5


def test_a_round_that_begins_again_replaces_what_there_was() -> None:
    again = lines_of(lambda lines: lines.append({"round": 2, "starter": 3, "dice": ["11"] * 3}))
    found = parse_match(again)
    assert [played.starter for played in found.rounds] == [1, 2]
    assert found.rounds[1].hands == ((1, 1),) * 3


def test_blank_lines_a_byte_order_mark_and_any_line_ends_are_read() -> None:
    lines = [b"\r\n", b"  \n", *(line.replace(b"\n", b"\r\n") for line in lines_of())]
    assert parse_match(lines) == parse_match(lines_of())
    first, *others = lines_of()
    assert parse_match([b"\xef\xbb\xbf" + first, *others]) == parse_match(lines_of())


@pytest.mark.parametrize(
    ("change", "line", "why"),
    [
        (put(0, record=3), 1, "the record has format version 3; this zhaifei reads up to 2"),
        (put(0, record="1"), 1, "record is '1', not a whole number"),
        (lambda lines: lines[0].pop("record"), 1, "this is not a record: its header is missing"),
        (lambda lines: lines[0].pop("seats"), 1, "'seats' is missing here"),
        (put(0, seats=["a"]), 1, "seats has 1 elements for 3 players"),
        (put(0, seats=["a", "b", "\n"]), 1, "a text of one line"),
        (put(0, seats=["a", "b", 3]), 1, "a text of one line"),
        (put(0, you=4), 1, "you is 4, not a whole number from 1 to 3"),
        (put(0, note=1), 1, "'note' is unknown here"),
        (put(0, rules={"players": 3}), 1, "invalid description of rules"),
        (put(0, seed=-1), 1, "seed is -1"),
        (put(0, seed=2**128), 1, "seed is 34028"),
        (lambda lines: lines.append({"seed": -1}), 8, "seed is -1"),
        (lambda lines: lines.append({"seed": 1, "points": 1}), 8, "'points' is unknown here"),
        (lambda lines: lines.insert(6, {"seed": 1}), 8, "the match is over"),
        (put(1, round=2), 2, "round is 2, not a whole number from 1 to 1"),
        (put(1, starter=0), 2, "starter is 0"),
        (put(1, dice=["12"]), 2, "dice has 1 elements for 3 players"),
        (put(1, dice=["12", "1", "66"]), 2, "hand 1 has 1 dice"),
        (put(1, dice=["12", 12, "66"]), 2, "a text of one line"),
        (put(1, dice="12"), 2, "dice is '12', not a list"),
        (lambda lines: lines.pop(1), 2, "no round has begun"),
        (put(2, seat=1), 3, "it is the turn of seat 2"),
        (put(2, seat=9), 3, "seat is 9"),
        (put(2, action="hello"), 3, "'hello' is neither a bid"),
        (put(2, action="f2x2"), 3, "may not open a round"),
        (put(2, action="c"), 3, "there is no bid to challenge"),
        (put(3, action="f4x2"), 4, "is not stronger"),
        (put(4, action="c3"), 5, "may not be challenged now"),
        (put(4, action="f4x4"), 6, "nobody has lost yet"),
        (put(5, loser=3), 6, "seat 3 cannot have lost"),
        (put(5, dice=["11", None, None]), 6, "seat 1 rolled 12 and cannot have shown 11"),
        (put(5, dice=["12"]), 6, "dice has 1 elements for 3 players"),
        (put(5, dice=[None, "11", None], loser=3), 6, "seat 3 cannot have lost"),
        (put(5, points=1), 6, "points is 1, not a whole number from 2 to 2"),
        (lambda lines: lines.insert(6, lines[5]), 7, "the round has ended"),
        (lambda lines: lines.insert(5, {"seat": 2, "action": "f4x4"}), 6, "the round has ended"),
        (put(6, round=4), 7, "round is 4, not a whole number from 1 to 2"),
        (lambda lines: lines.append({}), 8, "'loser' is missing here"),
    ],
)
def test_what_cannot_be_is_told_with_its_line(
    change: Callable[[list[dict[str, Any]]], object], line: int, why: str
) -> None:
    with pytest.raises(RecordError) as refused:
        parse_match(lines_of(change), "bar.jsonl")
    assert str(refused.value).startswith(f"bar.jsonl, line {line}: ")
    assert why in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n",
        b"[]\n",
        b"null\n",
        b"{}\n",
        b'{"record": 1',
        b"\xff\xfe\n",
        b"\x00" * 99,
        b'{"record": 1, "record": 1}\n',
        b'{"record": NaN}\n',
        b"[" * 90_000,
        b'{"record": ' + b"1" * 5000 + b"}\n",
        b'{"seats": "\\ud800"}\n',
        b"x" * (LONGEST_LINE + 1),
        b'{"record": 1, "zhaifei": "' + b"x" * LONGEST_LINE + b'"}\n',
    ],
)
def test_what_is_no_record_is_refused(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "hostile.jsonl"
    path.write_bytes(text)
    told: list[ZhaifeiError] = []
    with pytest.raises(RecordError, match=r"hostile.jsonl, line \d: ") as refused:
        read_match(path, told.append)
    assert told == []
    assert len(str(refused.value)) < 500 + len(str(path))


def test_a_line_that_is_no_json_is_refused_unless_it_is_the_last_and_cut_off() -> None:
    lines = lines_of()
    with pytest.raises(RecordError, match="line 4: this is not a JSON object"):
        parse_match([*lines[:3], lines[3][:9] + b"\n", *lines[4:]])
    with pytest.raises(RecordError, match="line 8: this is not a JSON object"):
        parse_match([*lines, b'{"seat"\n'])


def damaged(*changes: tuple[int, bytes]) -> tuple[PlayedMatch, list[str]]:
    """What is read of three rounds where these lines, counted from 1, are replaced, and what is
    told."""
    lines, told = three_rounds(), []
    for number, line in changes:
        lines[number - 1] = line
    found = parse_match(lines, "bar.jsonl", lambda error: told.append(str(error)))
    with pytest.raises(RecordError, match=f"line {changes[0][0]}: "):
        parse_match(lines, "bar.jsonl")
    return found, told


def three_rounds() -> list[bytes]:
    """A header, and three rounds of five lines each."""
    again = [
        [{**line, "round": number} if "round" in line else line for line in parsed(lines_of()[1:6])]
        for number in (1, 2, 3)
    ]
    lines = [*parsed(lines_of()[:1]), *(line for one in again for line in one)]
    return [json.dumps(line).encode() + b"\n" for line in lines]


def parsed(lines: list[bytes]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines]


def test_of_a_record_with_a_bad_line_all_other_rounds_are_read() -> None:
    whole = parse_match(three_rounds())
    found, told = damaged((9, b"\x00\x00\n"))
    assert told == ["bar.jsonl, line 9: this is not a JSON object: lines 9 to 11 are left out"]
    assert [found.rounds[0], found.rounds[2]] == [whole.rounds[0], whole.rounds[2]]
    cut = found.rounds[1]
    assert (cut.actions, cut.losses) == (whole.rounds[1].actions[:1], None), "as far as it is whole"


@pytest.mark.parametrize(
    ("number", "line", "rounds", "says"),
    [
        (6, b'{"loser": 3, "points": 2}\n', 3, "seat 3 cannot have lost: seat 1 challenged"),
        (16, b'{"loser": 1, "poi', 3, "the line is cut off: this line is left out"),
        (7, b'{"round": 9, "starter": 1}\n', 2, "round is 9, not a whole number from 1 to 2"),
        (7, b"x" * (LONGEST_LINE + 1), 2, "the line is too long: lines 7 to 11 are left out"),
    ],
)
def test_whatever_is_wrong_with_a_line_is_told(
    number: int, line: bytes, rounds: int, says: str
) -> None:
    found, told = damaged((number, line))
    assert len(told) == 1
    assert says in told[0]
    assert len(found.rounds) == rounds
    whole = parse_match(three_rounds()).rounds
    assert [one for one in found.rounds if one.losses and one not in whole] == []


def test_what_follows_a_bad_roll_is_left_out_up_to_the_next_good_one() -> None:
    whole = parse_match(three_rounds())
    found, told = damaged((7, b"\x00\n"), (12, b"[]\n"))
    assert told == ["bar.jsonl, line 7: this is not a JSON object: lines 7 to 16 are left out"]
    assert found.rounds == whole.rounds[:1]


def test_a_record_with_many_bad_lines_is_told_in_few_words() -> None:
    roll = [json.dumps({"round": 1, "starter": 2}).encode() + b"\n", b"{}\n"] * 1000
    told: list[str] = []
    parse_match([*lines_of()[:1], *roll], "bar.jsonl", lambda error: told.append(str(error)))
    assert len(told) == 21
    assert told[-1] == "bar.jsonl: lines are left out in 980 more places"


def test_without_its_header_nothing_of_a_record_is_read() -> None:
    with pytest.raises(RecordError, match="line 1: this is not a JSON object"):
        parse_match([b"{\n", *lines_of()[1:]], tell=lambda error: None)


def test_a_line_without_an_end_is_skipped_in_one_piece(tmp_path: Path) -> None:
    """A roll in the middle of it does not count."""
    lines = three_rounds()
    lines[8] = b"x" * (LONGEST_LINE + 1) + lines[6]
    path, told = tmp_path / "long.jsonl", []
    path.write_bytes(b"".join(lines))
    found = read_match(path, lambda error: told.append(str(error)))
    assert [len(one.actions) for one in found.rounds] == [3, 1, 3]
    assert told[0].endswith("line 9: the line is too long: lines 9 to 11 are left out")


def test_a_record_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zhaifei.policies.play.record_reading._MOST_LINES", 6)
    with pytest.raises(RecordError, match="line 7: the record is too long"):
        parse_match(lines_of())
    told: list[str] = []
    found = parse_match(lines_of(), tell=lambda error: told.append(str(error)))
    assert found.rounds == parse_match(lines_of()[:6]).rounds
    assert told == ["record, line 7: the record is too long: from here on it is left out"]


# files


@every_game
def test_wherever_a_record_is_cut_off_the_lines_before_are_read(
    rules: Rules, tmp_path: Path
) -> None:
    path, _ = recorded(tmp_path / "one.jsonl", rounds=1, match=new_match(rules))
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    for end in range(len(lines[0]), len(whole) + 1):
        path.write_bytes(whole[:end])
        told: list[ZhaifeiError] = []
        found = read_match(path, told.append)
        complete = whole[:end].splitlines(keepends=True)
        cut = not complete[-1].endswith(b"}\n") and not complete[-1].endswith(b"}")
        assert found == parse_match(complete[:-1] if cut else complete)
        assert len(told) == cut
        if cut:
            text = f"one.jsonl, line {len(complete)}: the line is cut off: this line is left out"
            assert text in str(told[0])


@every_game
def test_a_match_is_recorded_and_read(rules: Rules, tmp_path: Path) -> None:
    path, match = recorded(tmp_path / "one.jsonl", match=new_match(rules))
    found = read_match(path)
    assert (found.rules, found.seats, found.you) == (rules, ("you", "a", "b"), 0)
    assert (found.seed, found.policy) == (SEED, "p")
    assert (found.score, found.standings()) == (match.score, match.standings())
    assert [played.loser for played in found.rounds] == [one.loser for one in match.settled]
    challenged = [played.challenged(rules) for played in found.rounds]
    assert challenged == [one.challenge for one in match.settled]
    assert [one and one.cost for one in challenged] == [1 if rules.loses_dice else 2] * 3
    write_match(tmp_path / "again.jsonl", found)
    assert read_match(tmp_path / "again.jsonl") == found


@every_game
def test_every_event_is_in_the_file_when_it_has_happened(rules: Rules, tmp_path: Path) -> None:
    """Whoever decides finds all that was decided before."""
    path, seen = tmp_path / "one.jsonl", []

    class Watching(Cautious):
        def decide(self, view: View) -> int:
            played = read_match(path).rounds[-1]
            assert played.bids(rules) == view.bids
            assert played.state(rules).turn == view.seat
            assert played.dice == view.dice_counts
            assert played.hands[0] == tuple(match.round.hands[0] if match.round else ())
            seen.append(len(view.bids))
            return super().decide(view)

    match = new_match(rules)
    recorded(path, Watching(), match=match)
    assert {*seen} >= {1, 2}


@every_game
def test_until_a_challenge_nobody_who_reads_the_record_knows_the_dice_of_others(
    rules: Rules,
    tmp_path: Path,
) -> None:
    """The seed is a number that no record has for another reason."""
    path, match = tmp_path / "one.jsonl", Match(rules, generators(SEED, 3)[0])
    dealt: dict[int, tuple[Hand, ...]] = {}
    scores: dict[int, list[int]] = {}

    class Peeping(Cautious):
        def decide(self, view: View) -> int:
            assert match.round is not None
            hands = tuple(tuple(hand) for hand in match.round.hands)
            dealt[match.played], scores[match.played] = hands, [*match.score]
            own, before = [one[0] for one in dealt.values()], [*scores.values()]
            found = computed(rules, own, path.read_text(encoding="utf-8"), scores=before)
            assert (hands[0], None, None) in found, "the person's own dice are there at once"
            assert [one for one in found if one[1:] == hands[1:] or one[2] == hands[2]] == []
            return super().decide(view)

    recorded(path, Peeping(), match=match)
    whole = path.read_text(encoding="utf-8")
    assert [played.hands for played in read_match(path).rounds] == [*dealt.values()]
    for number, hands in dealt.items():
        own, before = [one[0] for one in dealt.values()], [*scores.values()]
        own, before = own[: number + 1], before[: number + 1]
        seed = f"{read_match(path).seed}"
        assert hands in computed(rules, own, seed, scores=before), "the attack works then"
        assert hands in computed(rules, own, whole, scores=before)


def test_a_round_that_somebody_leaves_is_recorded_as_far_as_it_went(tmp_path: Path) -> None:
    path, _ = recorded(tmp_path / "one.jsonl", LeavesSoon())
    (played,) = read_match(path).rounds
    assert (len(played.actions), played.losses) == (2, None)


def test_a_match_without_a_decision_leaves_no_file(tmp_path: Path) -> None:
    recorded(tmp_path / "one.jsonl", LeavesAtOnce())
    assert [*tmp_path.iterdir()] == []


def test_names_that_no_line_may_contain_are_escaped(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    match = new_match()
    with MatchRecorder(match, ["\n", "\udcff.py", "飞"], path=path, policy="\udcff") as recorder:
        LiveTable(match, [Cautious()] * 3, recorder).play(1)
    assert read_match(path).seats == (r"\x0a", r"\xdcff.py", "飞")
    assert read_match(path).policy == r"\xdcff"


def test_matches_are_kept_oldest_first(places: Path) -> None:
    assert kept_matches() == []
    first, second = (recorded(None)[0] for _ in range(2))
    assert kept_matches() == [first, second]
    assert first.parent == places / "zhaifei" / "matches"


@pytest.mark.usefixtures("homeless")
def test_without_a_home_nothing_is_kept() -> None:
    assert kept_matches() == []
    with pytest.raises(NoUserDirectory, match="you have no home directory"):
        MatchRecorder(new_match(), ["a", "b", "c"])


def test_two_matches_that_begin_at_once_have_files_of_their_own(
    places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = recorded(None)[0]
    names = [first, new_record()]
    monkeypatch.setattr(records, "new_record", lambda: names.pop(0))
    assert recorded(None)[0] != first
    assert len(kept_matches()) == 2


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    path, _ = recorded(tmp_path / "one.jsonl")
    before = path.read_bytes()
    with pytest.raises(StorageError, match="it exists already"):
        recorded(path)
    with pytest.raises(StorageError, match="it exists already"):
        verify_new(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", [".", "missing/one.jsonl", "x" * 300])
def test_a_file_that_cannot_be_made_is_told(name: str, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot write"):
        recorded(tmp_path / name)


@pytest.mark.parametrize("written", [None, 7])
def test_a_full_disk_is_told_once_and_the_match_goes_on(
    written: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether nothing can be written any more, or only a part of the line."""
    real, calls, told = os.write, [], []

    def write(file: int, text: bytes) -> int:
        calls.append(text)
        if len(calls) < 5:
            return real(file, text)
        if written is None:
            raise OSError(28, "No space left on device")
        return real(file, text[:written])

    match = new_match()
    monkeypatch.setattr(records.os, "write", write)
    path = tmp_path / "one.jsonl"
    with MatchRecorder(match, ["a", "b", "c"], path=path, tell=told.append) as recorder:
        LiveTable(match, [Cautious()] * 3, recorder).play(3)
    assert len(match.settled) == 3
    assert len(told) == 1
    assert "one.jsonl: " in str(told[0])
    warnings: list[ZhaifeiError] = []
    (played,) = read_match(path, warnings.append).rounds
    assert len(played.actions) == 2
    assert len(warnings) == (written is not None)


def test_what_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(RecordError, match="is not a regular file"):
            read_match(path)
    with pytest.raises(RecordError, match=r"cannot read .*missing"):
        read_match(tmp_path / "missing")


def test_a_whole_match_is_written_and_read(tmp_path: Path) -> None:
    rules = Rules()
    match = PlayedMatch(rules, ("a", "b"), 1, None, None, "0.1.0", ())
    write_match(tmp_path / "one.jsonl", match)
    assert read_match(tmp_path / "one.jsonl") == match
