"""What is shown at a table: dice, bids, turns, points, settlements, questions and standings."""

import io
import re
import shlex
from dataclasses import dataclass

import pytest
from rich.console import Console

from tests.game.strategies import POINT_PRESETS
from zhaifei.app.locale import choose
from zhaifei.app.terminal.screen import Meter, Screen, always
from zhaifei.game.bids import MODE_SIGNS, legal_bids
from zhaifei.game.hands import Hand
from zhaifei.game.match import standings
from zhaifei.game.notation import parse_action, parse_actions, parse_hand, parse_history
from zhaifei.game.parts import Mode
from zhaifei.game.public_state import DECLINE
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset
from zhaifei.game.views import View, view_of
from zhaifei.policies.advice.advice import ActionAdvice, Advice, Ground, Source
from zhaifei.policies.play.played import played_round
from zhaifei.policies.play.playing import take_turn

RULES = preset("zhaifei", players=3, dice=2)
HANDS = ((1, 4), (2, 2), (3, 6))
NAMES = ("mine", "honest", "random")


class Shown:
    """A screen and what is on it; no colours, as on a pipe."""

    def __init__(
        self, width: int = 100, you: int | None = 0, names: tuple[str, ...] = NAMES
    ) -> None:
        self.console = Console(file=io.StringIO(), width=width)
        self.screen = Screen(self.console, names, you)

    @property
    def text(self) -> str:
        """Everything so far, without spaces at the ends of lines."""
        assert isinstance(self.console.file, io.StringIO)
        return "\n".join(line.rstrip() for line in self.console.file.getvalue().splitlines())


def round_of(*actions: str, rules: Rules = RULES, starter: int = 1) -> Round:
    round_ = Round(rules, HANDS, starter)
    for action in actions:
        round_.take(parse_action(rules, action))
    return round_


def shown_turn(*actions: str, rules: Rules = RULES, width: int = 100) -> str:
    """What the player in seat 1 is shown when it is their turn."""
    shown, round_ = Shown(width), round_of(*actions, rules=rules)
    shown.screen.begin(1, 1, [3, 0, 12], {0: HANDS[0]})
    shown.screen.turn(round_.view(0))
    return shown.text


# the dice


@pytest.mark.parametrize("face", range(1, 10))
def test_a_die_has_as_many_pips_as_its_face_and_says_so_in_digits(face: int) -> None:
    shown = Shown()
    shown.screen.begin(1, 0, [0, 0, 0], {0: (face,)})
    drawing = shown.text[shown.text.index("┌") : shown.text.index("┘")]
    assert drawing.count("●") == face
    assert re.findall("[0-9]", drawing) == [str(face)]
    rows = drawing.splitlines()[1:4]
    assert [row[::-1] for row in rows[::-1]] == rows, "half a turn changes nothing"


@pytest.mark.parametrize(("width", "rows"), [(80, 1), (39, 1), (38, 2), (20, 3), (14, 5), (4, 5)])
def test_dice_stand_side_by_side_as_far_as_they_fit(width: int, rows: int) -> None:
    shown = Shown(width)
    shown.screen.begin(1, 0, [0, 0, 0], {0: (1, 2, 3, 4, 5)})
    assert sum(line.startswith("┌") for line in shown.text.splitlines()) == rows
    assert max(map(len, shown.text.splitlines())) <= width


# a turn


def test_a_turn_shows_bids_points_and_whose_turn_it_is() -> None:
    lines = shown_turn("f4x2", "f4x3").splitlines()
    table = lines[lines.index("your dice: 1 4") - 3 :][:3]
    assert [line.split() for line in table] == [
        ["→", "1", "you", "3"],
        ["2", "honest", "0", "飞4×2"],
        ["3", "random", "12", "飞4×3"],
    ]
    assert "type c to challenge 飞4×3 by seat 3 (random)" in lines
    assert not any(line.startswith("c2") for line in lines)


def test_each_player_has_all_their_bids_in_the_table() -> None:
    actions = ("f4x2", "f4x3", "f4x4", "f4x5", "f4x6")
    assert "飞4×2 飞4×5\n" in shown_turn(*actions)
    assert "飞4×3 飞4×6\n" in shown_turn(*actions)


def test_whoever_opens_is_told_the_least_count() -> None:
    shown = Shown()
    shown.screen.turn(round_of(starter=0).view(0))
    assert "you open: bid a count of at least 4" in shown.text
    assert "to challenge" not in shown.text


def test_with_jump_challenges_every_bid_in_reach_is_offered() -> None:
    rules = preset("zhaifei", players=3, dice=2, jump_challenge=True)
    text = shown_turn("f4x2", "f4x3", "f4x4", "f4x5", "f4x6", rules=rules)
    offered = [line for line in text.splitlines() if " to challenge " in line]
    assert offered == [
        "type c to challenge 飞4×6 by seat 3 (random)",
        "type c2 to challenge 飞4×5 by seat 2 (honest)",
    ]


def test_only_the_own_dice_are_shown() -> None:
    text = shown_turn("f4x2", "f4x3")
    assert "2 2" not in text
    assert "3 6" not in text


def test_all_dice_can_be_shown_all_the_time() -> None:
    shown, round_ = Shown(), round_of("f4x2", "f4x3")
    shown.screen.begin(1, 1, [0, 0, 0], dict(enumerate(HANDS)))
    before = shown.text
    shown.screen.turn(round_.view(0))
    for text in (before, shown.text[len(before) :]):
        assert [dice in text for dice in ("1 4", "2 2", "3 6")] == [True] * 3


def test_an_onlooker_is_shown_all_dice_and_draws_none() -> None:
    shown = Shown(you=None)
    shown.screen.begin(1, 2, [0, 0, 0], dict(enumerate(HANDS)))
    assert "Round 1 · first: seat 3 (random)" in shown.text
    assert "seat  player  penalty points  dice" in shown.text
    assert "┌" not in shown.text


def test_actions_are_told_as_they_happen() -> None:
    rules = preset("zhaifei", players=3, dice=2, jump_challenge=True)
    shown, round_ = Shown(), round_of("f4x2", "f4x3", rules=rules)
    view = round_.view(0)
    for action in ("z4x4", "c", "c2"):
        shown.screen.act(view, parse_action(rules, action))
    assert shown.text.splitlines() == [
        "you: 斋4×4",
        "you: challenge of 飞4×3 by seat 3 (random)",
        "you: 跳开, a challenge of 飞4×2 by seat 2 (honest), 2 bids ago",
    ]


# the settlement


def settled(round_: Round, points: tuple[int, ...], width: int = 100) -> str:
    shown = Shown(width)
    shown.screen.settle(round_, points)
    return shown.text


def test_a_settlement_shows_all_dice_and_marks_those_that_count() -> None:
    lines = settled(round_of("f4x2", "c"), (0, 1, 0)).splitlines()
    table = [line.split() for line in lines[2:5]]
    # Under 飞 the one counts.
    assert table == [
        ["1", "you", "0", "[1]", "4", "1"],
        ["→", "2", "honest", "1", "(+1)", "[2]", "[2]", "2"],
        ["3", "random", "0", "3", "6", "0"],
    ]
    assert "飞4×2 is false: 4 claimed, 3 on the table" in lines
    assert "one penalty point for seat 2 (honest)" in lines


def test_under_zhai_ones_do_not_count() -> None:
    text = settled(round_of("z4x2", "c"), (0, 1, 0))
    assert "[1]" not in text
    assert "斋4×2 is false: 4 claimed, 2 on the table" in text


def test_a_true_bid_costs_the_challenger() -> None:
    round_ = Round(RULES, ((1, 2), (2, 2), (3, 6)), 1)
    round_.take(parse_action(RULES, "f4x2"))
    round_.challenge()
    text = settled(round_, (0, 0, 1))
    assert "飞4×2 is true: 4 claimed, 4 on the table" in text
    assert "one penalty point for seat 3 (random)" in text


def test_a_jump_challenge_says_how_many_points_are_lost() -> None:
    rules = preset("zhaifei", players=3, dice=2, jump_challenge=True)
    text = settled(round_of("f4x2", "f4x3", "c2", rules=rules), (0, 2, 0))
    assert "2 penalty points for seat 2 (honest)" in text
    assert "2 (+2)" in text


# questions to the solver


def questions(text: str) -> list[dict[str, str]]:
    """The options of the commands."""
    commands = [shlex.split(line) for line in text.splitlines() if line.startswith("zhaifei")]
    assert all(command[:2] == ["zhaifei", "query"] for command in commands)
    return [dict(zip(command[2::2], command[3::2], strict=True)) for command in commands]


def test_the_round_can_be_asked_about() -> None:
    """With the hand of the player whose turn it was, so that the answer fits."""
    rules = preset("zhaifei", players=3, dice=2)
    last, own = questions(settled(round_of("f4x2", "f4x3", "f4x4", "f4x5", "c"), (0, 0, 1)))
    assert parse_history(rules, last["--history"]) == parse_history(rules, "f4x2 f4x3 f4x4 f4x5")
    assert parse_hand(rules, last["--hand"]) == HANDS[2]
    assert parse_history(rules, own["--history"]) == parse_history(rules, "f4x2 f4x3")
    assert parse_hand(rules, own["--hand"]) == HANDS[0]


def test_an_opening_is_asked_about_without_a_history() -> None:
    assert questions(settled(round_of("f4x2", "c", starter=0), (1, 0, 0))) == [
        {"--history": "飞4×2", "--hand": "22"},
        {"--hand": "14"},
    ]


def test_who_challenged_has_one_question_and_who_did_nothing_none() -> None:
    assert questions(settled(round_of("f4x2", "f4x3", "c"), (0, 0, 1))) == [
        {"--history": "飞4×2 飞4×3", "--hand": "14"}
    ]
    text = settled(round_of("f4x2", "c"), (0, 0, 1))
    assert questions(text) == [{"--history": "飞4×2", "--hand": "36"}]
    assert "advice on the last decision of seat 3 (random):" in text


def test_questions_stay_on_one_line() -> None:
    wide = settled(round_of("f4x2", "f4x3", "c"), (0, 0, 1), width=100)
    assert questions(settled(round_of("f4x2", "f4x3", "c"), (0, 0, 1), width=20)) == questions(wide)


# rounds that were recorded


def recorded(text: str, *hands: Hand | None, loser: int | None = None) -> str:
    """What is shown at the end of a recorded round that the player in seat 2 began."""
    played = played_round(RULES, 1, hands, parse_actions(RULES, text), loser)
    shown = Shown()
    shown.screen.begin(1, 1, [0, 0, 0], {seat: one for seat, one in enumerate(hands) if one})
    shown.screen.recorded(RULES, played, played.losses or [0, 0, 0])
    return shown.text


def test_unknown_dice_are_question_marks() -> None:
    text = recorded("f4x2 f4x3 c", None, (2, 3), (3, 6), loser=0)
    lines = [line.split() for line in text.splitlines()]
    assert ["2", "honest", "0", "2", "3"] in lines
    assert ["1", "you", "0", "?"] in lines
    assert ["→", "1", "you", "1", "(+1)", "?", "?"] in lines
    assert ["3", "random", "0", "[3]", "6", "1"] in lines
    assert "one penalty point for you" in text
    assert questions(text) == [], "nobody knows the dice of the challenger, nor one's own"


def test_a_round_whose_loser_nobody_knows_says_so() -> None:
    text = recorded("f4x2 c", (1, 4), None, None)
    assert "who lost is not known" in text
    assert "penalty point for" not in text
    assert "└──1──┘ └──4──┘" in text


def test_a_round_that_was_not_finished_asks_about_the_last_decision_that_was_made() -> None:
    text = recorded("f4x2 f4x3 f4x4", (1, 4), (2, 2), (3, 6))
    assert "the round was not played to its end" in text
    assert questions(text) == [{"--history": "飞4×2 飞4×3", "--hand": "14"}]
    assert questions(recorded("", (1, 4), (2, 2), (3, 6))) == []


def test_a_seat_that_nobody_named_is_a_number() -> None:
    assert Shown(names=("mine", "?", "random")).screen.who(1) == "seat 2"


# help, advice and standings


@pytest.mark.parametrize("name", POINT_PRESETS)
@pytest.mark.parametrize("jump_challenge", [True, False])
def test_help_is_about_the_rules_at_hand(name: str, *, jump_challenge: bool) -> None:
    jump_challenge = jump_challenge and not preset(name).stakes.doubled
    rules = preset(name, players=3, jump_challenge=jump_challenge)
    shown = Shown()
    shown.screen.help(rules)
    assert f"at least {rules.bidding.first_count}." in shown.text
    assert ("跳开" in shown.text) == jump_challenge
    for mode in Mode:
        assert (MODE_SIGNS[mode] in shown.text) == (mode in rules.bidding.modes)


@pytest.mark.parametrize("name", POINT_PRESETS)
def test_the_examples_of_the_help_can_be_typed(name: str) -> None:
    rules, shown = preset(name), Shown()
    shown.screen.help(rules)
    openings = set(legal_bids(rules, None))
    _, _, typing = shown.text.partition("Type:\n")
    for line in typing.splitlines()[: len(rules.bidding.modes)]:
        (bid,) = {parse_action(rules, text) for text in line.split(", ")}
        assert bid in {parse_action(rules, str(opening)) for opening in openings}


def advice(
    *actions: ActionAdvice, ground: Ground = Source.POLICY, own_on_path: bool = True
) -> Advice:
    history = parse_history(RULES, "f4x2")
    true = ((history[0], 0.5),)
    return Advice((1, 4), history, actions, true, ground, own_on_path=own_on_path)


def test_advice_shows_what_is_played_first_the_best_of_the_rest_and_the_challenge() -> None:
    played = ActionAdvice("飞4×6", 1.0, 0.1, 0.0)
    others = [ActionAdvice(f"飞5×{face}", 0.0, 0.1 * face, 0.0) for face in range(2, 7)]
    worst = [ActionAdvice(f"飞6×{face}", 0.0, -0.5, 0.0) for face in range(2, 7)]
    challenge = ActionAdvice("challenge", 0.0, -0.9, 0.0)
    shown = Shown()
    shown.screen.advice(advice(*others, *worst, played, challenge))
    rows = [line.split()[0] for line in shown.text.splitlines() if "%" in line and "±" in line]
    assert rows == ["飞4×6", "飞5×6", "飞5×5", "飞5×4", "飞5×3", "飞5×2", "challenge"]


def test_advice_off_the_path_says_so() -> None:
    one = ActionAdvice("challenge", 1.0, 0.0, 0.0)
    for ground in (Source.POLICY, Source.UNREACHED):
        for own_on_path in (True, False):
            shown = Shown()
            shown.screen.advice(advice(one, ground=ground, own_on_path=own_on_path))
            never = "the policy never bids like this" in shown.text
            assert never is (ground is Source.UNREACHED)
            assert ("would not have bid as you did" in shown.text) is not own_on_path


@pytest.mark.parametrize("ground", [Source.READ, Source.POLICY])
def test_advice_says_whether_the_others_hands_are_read(ground: Source) -> None:
    shown = Shown()
    shown.screen.advice(advice(ActionAdvice("challenge", 1.0, 0.0, 0.0), ground=ground))
    read = "hands are estimated from" in " ".join(shown.text.split())
    assert read is (ground is Source.READ)


def test_standings_are_by_fewest_points() -> None:
    shown = Shown()
    shown.screen.standings(standings(RULES, [2, 0, 2], []), 2)
    rows = [line.split() for line in shown.text.splitlines()[3:]]
    assert rows == [["1", "2", "honest", "0"], ["2", "1", "you", "2"], ["2", "3", "random", "2"]]


# where dice are lost

KNOCKOUT = preset("knockout", players=3, dice=2)


def shown_for_dice(
    *actions: str | None, rules: Rules = KNOCKOUT, score: tuple[int, ...] = (1, 2, 2)
) -> str:
    """What is shown of a round that the player in seat 1 begins, up to its end if it has ended;
    None is an invalid decision."""
    shown, state = Shown(), Round(rules, HANDS[: rules.players], 0)
    shown.screen = Screen(shown.console, NAMES, 0, always(""), rules)
    shown.screen.begin(1, 0, [2] * rules.players, {0: HANDS[0]})
    for action in actions:
        view = state.view()
        number = DECLINE if action is None else parse_action(rules, action)
        taken = take_turn(state, Fixed(number))
        shown.screen.act(view, taken)
    if state.settlement is not None:
        shown.screen.settle(state, list(score))
    return shown.text


@dataclass
class Fixed:
    """A decider that takes this action."""

    action: int

    def decide(self, view: View) -> int:
        return self.action


def test_who_declines_to_challenge_is_not_shown() -> None:
    lines = shown_for_dice("f1x2", None, None, "f1x3").splitlines()
    assert lines[-2:] == ["you: 飞1×2", "seat 2 (honest): 飞1×3"]


def test_the_end_of_a_round_shows_all_dice_and_who_loses_one() -> None:
    """飞3×2 is true: 1 and 2 2. It is challenged out of turn."""
    lines = shown_for_dice("f3x2", None, "c", score=(2, 2, 1)).splitlines()
    assert "seat 3 (random): challenge of 飞3×2 by you" in lines
    assert [line.split() for line in lines[-6:-2]] == [
        ["seat", "player", "dice", "left", "dice", "飞3×2"],
        ["1", "you", "2", "[1]", "4", "1"],
        ["2", "honest", "2", "[2]", "[2]", "2"],
        ["→", "3", "random", "1", "(-1)", "3", "6", "0"],
    ]
    assert lines[-2:] == [
        "飞3×2 is true: 3 claimed, 3 on the table",
        "one die lost by seat 3 (random)",
    ]


def test_who_has_lost_all_dice_is_out_and_the_last_one_wins() -> None:
    assert shown_for_dice("f6x6", "c", score=(0, 2, 1)).splitlines()[-2:] == [
        "one die lost by you",
        "out of the match: you",
    ]
    assert shown_for_dice("f6x6", "c", score=(0, 2, 0)).splitlines()[-2:] == [
        "one die lost by you",
        "the match is won by seat 2 (honest)",
    ]


def test_an_invalid_bid_is_shown_as_what_it_comes_to() -> None:
    """One that opens costs a die; a later one challenges 飞1×2, which is true."""
    lines = shown_for_dice(None).splitlines()
    assert lines[-2:] == ["you: no valid bid, which costs a die", "one die lost by you"]
    lines = shown_for_dice("f1x2", None, None, None, score=(2, 1, 2)).splitlines()
    assert "seat 2 (honest): no valid bid, so a challenge of 飞1×2 by you" in lines
    assert lines[-1] == "one die lost by seat 2 (honest)"


def test_where_no_raise_is_left_that_is_said() -> None:
    rules = preset("classic", players=3, dice=2)
    lines = shown_for_dice("f6x6", None, rules=rules).splitlines()
    assert lines[lines.index("no raise is left") + 1] == (
        "seat 2 (honest): challenge of 飞6×6 by you"
    )
    assert "no raise is left" not in shown_for_dice("f6x5", "c", rules=rules)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (
            "knockout",
            ("more dice of a face at least as high", "asked, in turn order", "The winner"),
        ),
        ("classic", ("more dice, or as many of a higher face", "The loser of a round starts")),
        ("increment", ("has a count of 1", "exactly one die more", "The loser")),
        ("published", ("The dice make the first bid", "exactly one die more", "more dice than")),
    ],
)
def test_help_is_about_how_dice_are_lost(name: str, says: tuple[str, ...]) -> None:
    shown, rules = Shown(200), preset(name)
    shown.screen.help(rules)
    for part in (*says, "you lose a die", "The last player with dice wins."):
        assert part in shown.text
    assert "penalty" not in shown.text
    assert ("n, 过" in shown.text) == (name == "knockout")


# all widths


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [1, 2, 7, 20, 40, 200])
def test_no_width_is_too_narrow_and_nothing_is_left_out(width: int, language: str) -> None:
    shown, round_ = Shown(width), round_of("f4x2", "f4x3")
    choose(language)
    try:
        shown.screen.begin(1, 1, [3, 0, 12], dict(enumerate(HANDS)))
        shown.screen.turn(round_.view(0))
        shown.screen.advice(advice(ActionAdvice("challenge", 1.0, 0.0, 0.0)))
        shown.screen.help(RULES)
        round_.challenge()
        shown.screen.settle(round_, [4, 0, 12])
        shown.screen.standings(standings(RULES, [0, 0, 0], []), 0)
    finally:
        choose("en")
    joined = re.sub(r"\s", "", shown.text)
    if width >= 2:
        for part in ("飞4×2", "飞4×3", "[1]4", "2" + "2", "[3]6", "honest", "random", "+0.000"):
            assert part in joined
    assert "…" not in shown.text


def test_the_width_is_that_of_the_moment() -> None:
    shown = Shown(100)
    shown.screen.begin(1, 1, [0, 0, 0], {0: (1, 2, 3, 4, 5)})
    wide = shown.text
    shown.console.width = 20
    shown.screen.begin(2, 1, [0, 0, 0], {0: (1, 2, 3, 4, 5)})
    assert wide.count("\n┌") == 1
    assert shown.text[len(wide) :].count("\n┌") == 3


def test_a_meter_shows_nothing_where_there_is_no_terminal() -> None:
    console = Console(file=io.StringIO(), width=60)
    with Meter(console, 2) as meter:
        meter.begin(1, 0, [0, 0, 0], {})
        meter.settle(round_of("f4x2", "c"), [0, 0, 1])
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue() == ""


def test_a_meter_counts_rounds_on_a_terminal() -> None:
    console = Console(file=io.StringIO(), width=60, force_terminal=True)
    with Meter(console, 2) as meter:
        for _ in range(2):
            meter.settle(round_of("f4x2", "c"), [0, 0, 1])
    assert isinstance(console.file, io.StringIO)
    assert "2/2" in console.file.getvalue()


def test_a_view_is_all_that_a_turn_needs() -> None:
    view = view_of(RULES, 0, (1, 4), starter=1, history=parse_history(RULES, "f4x2 f4x3"))
    shown = Shown()
    shown.screen.turn(view)
    assert "your dice: 1 4" in shown.text
