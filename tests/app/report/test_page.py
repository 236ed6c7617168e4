import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.policies.small_policies import random_policy
from zhaifei.app.report.markdown import markdown_table
from zhaifei.app.report.page import format_page, write_report
from zhaifei.app.report.verdicts import verdicts, verdicts_of_matches
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.provenance import provenances
from zhaifei.policies.catalogue.shipped import LEARNED, SOLVED, Solved, data_files
from zhaifei.policies.measure.arena import Standings
from zhaifei.policies.measure.comparison import Estimate
from zhaifei.policies.measure.play_counts import PlayCounts
from zhaifei.policies.measure.several_players import SeveralResults, measure_several
from zhaifei.policies.players.player import BatchPlayer
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.rule_based import rule_based
from zhaifei.policies.research.report_measurements import (
    CALLER,
    LEARNER,
    MatchResults,
    Measurements,
    ReportSettings,
    TwoPlayerResults,
)
from zhaifei.solver.bounds import Bounds

RULES = preset("zhaifei", dice=1, faces=2)


def named(name: str) -> BatchPlayer:
    """A player called so; what it does is of no account here."""
    return PolicyPlayer(rule_based("honest", RULES), name)


def duels(
    earned: dict[str, float], exploitable: dict[str, tuple[float, float]]
) -> TwoPlayerResults:
    """Ours earns so much against each, give or take 0.01; each loses so much to a best response."""
    names = [*earned, "ours"]
    number = len(names)
    cells = [[Estimate(0.0, 0.01)] * number for _ in names]
    for place, value in enumerate(earned.values()):
        cells[-1][place] = Estimate(value, 0.01)
    habits = [PlayCounts(units=100, rounds=100, lost=50, bids=120, length=240) for _ in names]
    return TwoPlayerResults(
        [named(name) for name in names],
        Standings(RULES, 10, 600, 600, [], cells, None, habits, None),
        {},
        {},
        [Bounds(*exploitable[name]) for name in names],
    )


def learned_duels(earned: float, exploitability: tuple[float, float]) -> TwoPlayerResults:
    """All learned players are alike."""
    return duels(
        {"honest": 0.3, **dict.fromkeys(LEARNED, earned)},
        {
            "honest": (0.6, 0.6),
            **dict.fromkeys(LEARNED, exploitability),
            "ours": (0.02, 0.03),
        },
    )


def matches(rules: Rules) -> MatchResults:
    players = [named("one"), named("other")]
    wins = [Estimate(0.75, 0.01), Estimate(0.25, 0.01)]
    cells = [[Estimate(0.0, 0.0), Estimate(0.5, 0.02)], [Estimate(-0.5, 0.02), Estimate(0.0, 0.0)]]
    habits = [PlayCounts(rounds=40, units=8, bids=60, out_of_turn=4) for _ in players]
    return MatchResults(players, Standings(rules, 10, 80, 80, wins, cells, None, habits, None))


def pairs(more: dict[str, float]) -> MatchResults:
    """Return results in which knockout-2p wins more matches than each player by that player's value
    in `more`, give or take 0.02."""
    names = [*more, "knockout-2p"]
    number = len(names)
    cells = [[Estimate(0.0, 0.02)] * number for _ in names]
    for place, value in enumerate(more.values()):
        cells[-1][place] = Estimate(value, 0.02)
    wins = [Estimate(0.5, 0.01)] * number
    habits = [PlayCounts(rounds=40, units=8, bids=60) for _ in names]
    rules = preset("knockout", players=2)
    standings = Standings(rules, 1000, 6000, 6000, wins, cells, None, habits, None)
    return MatchResults([named(name) for name in names], standings)


def measurements(found: TwoPlayerResults, several: Sequence[SeveralResults] = ()) -> Measurements:
    return Measurements(
        ReportSettings(rounds=600, matches=80, seconds=3.0, seed=5),
        found,
        several,
        [],
        pairs({"honest": 0.14, "aggressive": 0.5}),
        matches(preset("knockout")),
        matches(preset("increment")),
        {LEARNER: Estimate(0.66, 0.01), "caller-breaker": Estimate(0.99, 0.001)},
    )


HOLDS = learned_duels(earned=0.1, exploitability=(0.2, 0.4))


def test_what_is_claimed_is_found_to_hold():
    assert [one.holds for one in verdicts(HOLDS)] == [True, True, True]


@pytest.mark.parametrize(
    ("found", "held"),
    [
        # The interval [-0.005, 0.015] leaves open who wins.
        (learned_duels(0.005, (0.2, 0.4)), [False, False, True]),
        # 0.03 is more than a fifth of 0.149.
        (learned_duels(0.1, (0.149, 0.4)), [True, True, False]),
        (learned_duels(0.1, (0.15, 0.4)), [True, True, True]),
    ],
)
def test_a_claim_that_is_not_proved_does_not_hold(found, held):
    assert [one.holds for one in verdicts(found)] == held


def test_who_did_not_learn_counts_for_the_first_claim_only():
    found = duels(
        {"honest": -0.1, **dict.fromkeys(LEARNED, 0.1)},
        {"honest": (0.0, 0.1), **dict.fromkeys(LEARNED, (0.2, 0.4)), "ours": (0.02, 0.03)},
    )
    assert [one.holds for one in verdicts(found)] == [False, True, True]


def test_an_exact_value_goes_before_a_sampled_one():
    sampled_badly = replace(
        learned_duels(0.005, (0.2, 0.4)), exact={(4, place): Bounds(0.1, 0.1) for place in range(4)}
    )
    assert verdicts(sampled_badly)[0].holds


def test_more_rounds_go_before_fewer():
    closely = {place: Estimate(0.005, 0.001) for place in (1, 2, 3)}
    found = replace(learned_duels(0.005, (0.2, 0.4)), closely=closely)
    assert [one.holds for one in verdicts(found)] == [True, True, True]
    assert "| ppo | +0.0050 ±0.0010 |" in format_page(measurements(found))


@pytest.mark.parametrize(
    ("margin", "holds"),
    # The intervals are [0.001, 0.041], [0, 0.04] and [-0.12, -0.08].
    [(0.021, True), (0.02, False), (-0.1, False)],
)
def test_a_policy_for_matches_loses_to_no_one_if_every_interval_is_above_zero(margin, holds):
    found = verdicts_of_matches(pairs({"honest": 0.3, "reader": margin, "random": 0.9}))[0]
    assert found.holds is holds
    assert found.figures.startswith("Against reader it does worst: ")
    assert f"[{margin - 0.02:+.1%}, {margin + 0.02:+.1%}] more of the matches" in found.figures


@pytest.mark.parametrize(("gain", "holds"), [(0.0099, True), (0.01, False)])
def test_the_certified_gain_of_a_policy_for_matches_is_that_of_its_file(gain, holds, monkeypatch):
    its = SOLVED["knockout-2p"]
    monkeypatch.setitem(SOLVED, "knockout-2p", Solved(its.rules, gain, its.seconds, its.command))
    found = verdicts_of_matches(pairs({"honest": 0.3}))[1]
    assert found.holds is holds
    assert f"at most {gain:.3%} of matches" in found.figures


def test_the_page_has_matches_of_two_and_says_how_they_end():
    text = format_page(measurements(HOLDS))
    section = text.split("\n## knockout, two players with 5 dice each\n")[1].split("\n## ")[0]
    assert "Against honest it does worst: it wins [+12.0%, +16.0%] more" in section
    assert "1,000 deals, 6,000 matches; half of the matches would be fair" in section
    assert "| 3 knockout-2p | +14.0% ±2.0% | +50.0% ±2.0% |  |" in section


def test_a_table_is_markdown():
    assert markdown_table(["a", "b"], [["x", "1"]]) == "| a | b |\n| --- | ---: |\n| x | 1 |"


def test_the_page_says_what_was_found_and_by_which_commands():
    text = format_page(measurements(HOLDS))
    for command in (
        "zhaifei report --rounds 600 --matches 80 --time-limit 3s --seed 5",
        "zhaifei arena --rounds 600 --seed 5",
        "zhaifei evaluate --policy NAME --time-limit 3s",
        "zhaifei arena --rules knockout --players 2 --rounds 2000 --seed 5",
        "zhaifei arena --rules knockout --rounds 240 --seed 5",
        "zhaifei arena --rules increment --rounds 240 --seed 5",
        f"zhaifei arena NAME {CALLER} --rules increment --rounds 80 --seed 5",
    ):
        assert command in text
    assert text.count("**Yes.**") == 5
    assert "| ours | 0.0200 | 0.0300 |" in text
    assert "66.0% ±1.0%" in text


def test_the_page_has_a_section_for_each_policy_for_more_players():
    policy = random_policy(Rules.of(players=3, dice=1, faces=2))
    one = measure_several("mine", policy, 60, 0, lambda *stage: None)
    jump = replace(one, rules=one.rules.changed(jump_challenge=True))
    text = format_page(measurements(HOLDS, [one, jump]))
    headings = [line for line in text.splitlines() if line.startswith("## 斋飞, 3 players")]
    assert headings == [
        f"## 斋飞, 3 players with 1 dice each{with_}" for with_ in ("", ", with 跳开")
    ]


def test_every_row_of_a_table_has_as_many_cells():
    for block in format_page(measurements(HOLDS)).split("\n\n"):
        if block.startswith("|"):
            assert len({row.count("|") for row in block.splitlines()}) == 1


def test_the_page_says_what_every_made_player_took():
    made = list(provenances())
    assert {one.name for one in made} == {path.stem for path in data_files()}
    text = format_page(measurements(HOLDS))
    for one in made:
        assert one.work > 0
        assert one.seconds > 0
        assert one.command.startswith("zhaifei ")
        assert f"| {one.name} | {one.work:,} {one.unit} |" in text


def test_a_report_has_the_charts_that_its_page_shows(tmp_path):
    pytest.importorskip("matplotlib")
    write_report(tmp_path / "RESULTS.md", measurements(HOLDS))
    text = (tmp_path / "RESULTS.md").read_text()
    shown = re.findall(r"!\[.*?\]\((.*?)\)", text)
    assert {tmp_path / one for one in shown} == {*(tmp_path / "results").iterdir()}
    assert len(shown) == 6
    for one in shown:
        assert ElementTree.parse(tmp_path / one).getroot().tag.endswith("svg")


def test_equal_measurements_make_equal_files(tmp_path):
    pytest.importorskip("matplotlib")
    found: list[dict[Path, bytes]] = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        write_report(tmp_path / name / "RESULTS.md", measurements(HOLDS))
        files = [path for path in (tmp_path / name).rglob("*") if path.is_file()]
        found.append({path.relative_to(tmp_path / name): path.read_bytes() for path in files})
    assert found[0] == found[1]
